"""One game's report: how the chances went, what each move was worth, where it turned, and the boards to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ludus.drawing import plots
from ludus.drawing.boards import Marks, draw_board
from ludus.reports import Report
from ludus.reports import judged as judging
from ludus.reports.tournament import option_words
from ludus.said import Said
from ludus.search.analysis import turning_point

if TYPE_CHECKING:
    from ludus.drawing.text_board import Board
    from ludus.play.record import Record
    from ludus.reports import Picture, Say
    from ludus.reports.judged import JudgedGame, Looked

MOMENTS = 5
"""Boards that are shown beside the last one."""
MARKS = {"best": "", "good": "", "inaccuracy": "?!", "mistake": "?", "blunder": "??"}


def game_report(record: Record, nodes: int = 50_000, say: Say = lambda *_: None) -> Report:
    """Judge a game and gather what there is to see in it."""
    if not record.game.compiled or record.game.look.board is None:
        raise ValueError(f"the engine judges compiled games only, and {record.game.name} is not one")
    if not record.moves:
        raise ValueError("this record has no move; there is nothing to report")
    say("moves-judged", 0, len(record.moves))
    played = judging.judge(record, nodes)
    outcome = record.outcome
    judged = [one.judged for one in played.looked]
    turning = turning_point(judged, outcome.winner if outcome else None)
    pictures: dict[str, Picture] = {"chances": lambda language: _chances(played, record.players, language)}
    moments = [_moment(one, pictures) for one in _moments(played, turning.number if turning else 0)]
    final = record.final
    last = played.looked[-1]
    shows_final = _holds_something(record.game.look.board(final))
    if shows_final:
        pictures["final"] = draw_board(final.game, final, Marks(judging.cells_of(last.state, last.judged.move)))
    data: dict[str, Any] = {
        "game": str(record.game.title),
        "options": option_words(record.game.options),
        "players": list(record.players),
        "sides": [str(name) for name in record.game.sides],
        "clock": record.clock,
        "result": record.result,
        "reason": Said("" if outcome is None else outcome.reason),
        "winner": None if outcome is None else outcome.winner,
        "scores": None if final.scores is None else list(final.scores),
        "why": Said(str(final.game.why(final) or "") if final.outcome is not None else ""),
        "headers": {
            name: Said(value) if name == "Fault" else value
            for name, value in record.headers.items()
            if name in ("Date", "Event", "Seed", "Fault")
        },
        "start": record.start.text,
        "nodes": nodes,
        "moves": [_line(one, seconds.seconds) for one, seconds in zip(played.looked, record.moves, strict=True)],
        "turning": None if turning is None else turning.number,
        "moments": moments,
        "final": shows_final,
        "by_side": [_side(played, side) for side in (0, 1)],
    }
    return Report("game", data, pictures)


def _holds_something(board: Board) -> bool:
    return any(mark.side is not None or mark.tone is not None for row in board.marks for mark in row)


def _chances(played: JudgedGame, players: tuple[str, str], language: str) -> str:
    """Draw the first side's chance before each move, and at the end."""
    points = [(one.judged.number - 1.0, _first_chance(one)) for one in played.looked]
    outcome = played.record.outcome
    if outcome is not None:
        points.append((float(len(points)), 0.5 if outcome.winner is None else float(outcome.winner == 0)))
    series = [plots.Series(players[0], points, 0)]
    return plots.lines(
        series,
        "Win chance",
        "moves played",
        "the first side's win chance",
        up=(0, 1),
        level=0.5,
        shown="{:.0%}".format,
        language=language,
    )


def _first_chance(one: Looked) -> float:
    return one.before if one.judged.side == 0 else 1.0 - one.before


def _moments(played: JudgedGame, turning: int) -> list[Looked]:
    """Choose the positions to look at, in the order of the game: the turning point and the dearest moves."""
    chosen = {one.judged.number: one for one in judging.dearest(played.looked, MOMENTS)}
    if turning:
        chosen[turning] = played.looked[turning - 1]
    return [chosen[number] for number in sorted(chosen)]


def _moment(one: Looked, pictures: dict[str, Picture]) -> dict[str, Any]:
    name = f"move-{one.judged.number}"
    pictures[name] = draw_board(
        one.state.game, one.state, judging.marks_of(one.state, one.judged.move, one.judged.best)
    )
    return {**judging.described(one), "picture": name}


def _line(one: Looked, seconds: float | None) -> dict[str, Any]:
    told = judging.described(one)
    first = judging.percent(_first_chance(one))
    return {
        **told,
        "mark": MARKS[one.judged.grade],
        "first": first,
        "seconds": "" if seconds is None else f"{seconds:.2f}",
    }


def _side(played: JudgedGame, side: int) -> dict[str, Any]:
    own = played.own(side)
    return {"grades": judging.grades(own), "total": judging.losses(own)}
