"""The report of one game: how the chances went, what each move was worth, where it turned, and boards to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ludus.drawing import plots
from ludus.drawing.boards import Marks, draw_board
from ludus.errors import UserError
from ludus.messages import Message
from ludus.messages.names import player_message, player_name
from ludus.play.narration import ending
from ludus.play.result import PLAYED_OUT
from ludus.reports import Report, review
from ludus.search.analysis import turning_point
from ludus.tournament.view import clock_words

if TYPE_CHECKING:
    from ludus.drawing.text_board import TextBoard
    from ludus.play.record import Record
    from ludus.reports import Picture, ProgressCallback
    from ludus.reports.review import ReviewedGame, ReviewedMove

MOMENTS = 5
"""Boards that are shown beside the last one."""
MARKS = {"best": "", "good": "", "inaccuracy": "?!", "mistake": "?", "blunder": "??"}
HEADERS = ("Date", "Event", "Seed")


def game_report(record: Record, nodes: int = 50_000, progress: ProgressCallback = lambda *_: None) -> Report:
    """Review a game, and return its report."""
    if not record.game.compiled or record.game.look.board is None:
        raise UserError("reports.not_compiled_game", game=record.game.name)
    if not record.moves:
        raise UserError("reports.no_move")
    progress("moves-judged", 0, len(record.moves))
    reviewed = review.review_game(record, nodes)
    outcome = record.outcome
    turning = turning_point([move.judged for move in reviewed.moves], outcome.winner if outcome else None)
    pictures: dict[str, Picture] = {"chances": lambda language: _chances(reviewed, language)}
    moments = [_moment(move, pictures) for move in _moments(reviewed, turning.number if turning else 0)]
    final = record.final
    last = reviewed.moves[-1]
    shows_final = _holds_something(record.game.look.board(final))
    if shows_final:
        pictures["final"] = draw_board(final.game, final, Marks(review.cells_of(last.state, last.judged.move)))
    players = [player_message(player) for player in record.players]
    failed = outcome is not None and outcome.reason not in PLAYED_OUT
    data: dict[str, Any] = {
        "game": record.game.title,
        "players": players,
        "sides": record.game.sides,
        "clock": clock_words(record.clock) if record.clock != "none" else "",
        "result": record.result,
        "winner": None if outcome is None else outcome.winner,
        "scores": None if final.scores is None else list(final.scores),
        "ending": "" if outcome is None else ending(final, outcome, len(record.moves), names=players),
        "fault": (record.fault or "") if failed else "",
        "headers": {name: record.headers[name] for name in HEADERS if name in record.headers},
        "start": record.start.text,
        "nodes": nodes,
        "moves": [_line(move, taken.seconds) for move, taken in zip(reviewed.moves, record.moves, strict=True)],
        "turning": None if turning is None else turning.number,
        "moments": moments,
        "final": shows_final,
        "by_side": [_side(reviewed, side) for side in (0, 1)],
    }
    return Report("game", data, pictures)


def _holds_something(board: TextBoard) -> bool:
    return any(mark.side is not None or mark.tone is not None for row in board.marks for mark in row)


def _chances(reviewed: ReviewedGame, language: str) -> str:
    """Draw the first side's chance before each move, and at the end."""
    points = [(move.judged.number - 1.0, _first_chance(move)) for move in reviewed.moves]
    record = reviewed.record
    if record.outcome is not None:
        winner = record.outcome.winner
        points.append((float(len(points)), 0.5 if winner is None else float(winner == 0)))
    return plots.lines(
        [plots.Series(player_name(record.players[0], language), points, 0)],
        Message("plots.moves_played"),
        Message("plots.first_chance"),
        up=(0, 1),
        level=0.5,
        shown="{:.0%}".format,
        language=language,
    )


def _first_chance(move: ReviewedMove) -> float:
    return move.before if move.judged.side == 0 else 1.0 - move.before


def _moments(reviewed: ReviewedGame, turning: int) -> list[ReviewedMove]:
    """Return the moves to look at, in the order of the game: the turning point and those that lost the most."""
    chosen = {move.judged.number: move for move in review.worst_moves(reviewed.moves, MOMENTS)}
    if turning:
        chosen[turning] = reviewed.moves[turning - 1]
    return [chosen[number] for number in sorted(chosen)]


def _moment(move: ReviewedMove, pictures: dict[str, Picture]) -> dict[str, Any]:
    name = f"move-{move.judged.number}"
    marks = review.marks_of(move.state, move.judged.move, move.judged.best)
    pictures[name] = draw_board(move.state.game, move.state, marks)
    return {**review.lesson_data(move), "picture": name}


def _line(move: ReviewedMove, seconds: float | None) -> dict[str, Any]:
    return {
        **review.move_data(move),
        "mark": MARKS[move.judged.grade],
        "first": review.percent(_first_chance(move)),
        "seconds": "" if seconds is None else f"{seconds:.2f}",
    }


def _side(reviewed: ReviewedGame, side: int) -> dict[str, Any]:
    own = reviewed.of_side(side)
    return {"grades": review.grade_counts(own), "total": review.losses(own)}
