"""What there is to learn from a player's games: every move reviewed, first losing moves, openings that went badly, and
positions drawn as boards.

The engine reviews the games with a fixed number of nodes, so that the same games give the same lessons everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.drawing.boards import draw_board
from ludus.messages import Message
from ludus.messages.names import player_message
from ludus.play.record import Record
from ludus.protocols import seat_name
from ludus.reports import review
from ludus.reports.review import ReviewedGame, ReviewedMove, percent

if TYPE_CHECKING:
    from pathlib import Path

    from ludus.game import Game
    from ludus.play.result import GameResult
    from ludus.reports import Picture, ProgressCallback

POSITIONS = 3
OPENINGS = 3
LOST_SHOWN = 10


class OwnGame(NamedTuple):
    """A reviewed game, from the side of the player whose lessons these are."""

    result: GameResult
    review: ReviewedGame
    side: int
    speaks: str
    """The player's protocol, where it is a bot."""

    @property
    def moves(self) -> list[ReviewedMove]:
        """The player's own moves."""
        return self.review.of_side(self.side)

    @property
    def points(self) -> float:
        """What the game was worth to the player: 1, 0.5 or 0."""
        return self.result.points(self.result.entries[self.side])

    @property
    def data(self) -> dict[str, Any]:
        """Against whom, on which board and in which seat it was played."""
        return {
            "opponent": player_message(self.result.entries[1 - self.side]),
            "board": self.result.board + 1,
            "seat": seat_name(self.review.record.game, self.side, self.speaks),
        }


def lessons(
    results: Sequence[GameResult],
    game: Game,
    name: str,
    nodes: int,
    pictures: dict[str, Picture],
    progress: ProgressCallback = lambda *_: None,
    cache: Path | None = None,
    speaks: str = "",
) -> dict[str, Any]:
    """Review a player's games, and return what its author can learn from them; boards are added to `pictures`.

    `speaks` is the player's protocol, where it is a bot: it decides what the player calls the sides.
    """
    if not game.compiled:
        return {"review": None, "lost": [], "openings": [], "positions": []}
    games: list[OwnGame] = []
    for index, result in enumerate(results, 1):
        reviewed = review.review_game(Record.parse(result.record), nodes, cache)
        games.append(OwnGame(result, reviewed, result.side(name), speaks))
        progress("games-judged", index, len(results))
    moves = [move for one in games for move in one.moves]
    lost = [one for one in games if one.points == 0]
    sides = [(one.review, one.side) for one in games]
    return {
        "review": {
            "nodes": nodes,
            "games": len(games),
            "scored": moves[0].judged.points is not None if moves else False,
            "grades": review.grade_counts(moves),
            "phases": review.phase_losses(sides),
            "total": review.losses(moves),
        },
        "lost": [_first_losing(one) for one in lost[:LOST_SHOWN]],
        "lost_games": len(lost),
        "lost_by_failure": sum(one.result.forfeited for one in lost),
        "openings": _openings(games, pictures),
        "positions": _positions(games, pictures),
    }


def _positions(games: Sequence[OwnGame], pictures: dict[str, Picture]) -> list[dict[str, Any]]:
    """Return the positions in which the player lost the most."""
    origin = {id(move): one for one in games for move in one.moves}
    found = []
    moves = [move for one in games for move in one.moves]
    for index, move in enumerate(review.worst_moves(moves, POSITIONS), 1):
        picture = f"position-{index}"
        marks = review.marks_of(move.state, move.judged.move, move.judged.best)
        pictures[picture] = draw_board(move.state.game, move.state, marks)
        found.append({**review.lesson_data(move), **origin[id(move)].data, "picture": picture})
    return found


def _first_losing(one: OwnGame) -> dict[str, Any]:
    found = review.first_losing(one.moves)
    failure = Message(f"faults.kind.{one.result.reason}") if one.result.forfeited else ""
    first = review.move_data(found) if found is not None else None
    return {**one.data, "failure": failure, "moves": len(one.review.moves), "first": first}


def _openings(games: Sequence[OwnGame], pictures: dict[str, Picture]) -> list[dict[str, Any]]:
    """Return the starts that the player did worst from: by points, then by what its first moves lost.

    Games of one board may start differently: a program that cannot be told a position begins with the usual one.
    """
    starts: dict[str, list[OwnGame]] = {}
    for one in games:
        starts.setdefault(one.review.record.start.text, []).append(one)
    found = []
    for played in starts.values():
        early = [move for one in played for move in one.moves[: review.OPENING_MOVES]]
        if not early:  # it failed before it moved, which tells nothing about the opening
            continue
        points = sum(one.points for one in played)
        found.append((points / len(played), -review.mean_loss(early), played[0].result.board, points, early, played))
    shown = []
    worst_first = sorted(found, key=lambda start: start[:3])[:OPENINGS]
    for number, (share, loss, board, points, early, played) in enumerate(worst_first, 1):
        if share == 1 and loss == 0:
            continue
        start = played[0].review.record.start
        picture = f"opening-{number}"
        pictures[picture] = draw_board(start.game, start)
        worst = review.worst_moves(early, 1)
        shown.append(
            {
                "board": board + 1,
                "points": f"{points:g}",
                "games": len(played),
                "loss": percent(-loss, 1),
                "worst": review.move_data(worst[0]) if worst else None,
                "picture": picture,
            }
        )
    return shown
