"""What the engine thinks of a player's moves: every move of some games reviewed, and figures about them.

Knows the engine's reviews; draws and writes nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.drawing.boards import Marks
from ludus.files import write_whole
from ludus.search.analysis import GRADES, JudgedMove, review
from ludus.search.explain import explain
from ludus.search.result import Analysis, Variation

if TYPE_CHECKING:
    from pathlib import Path

    from ludus.game import State
    from ludus.play.record import Record

MEGABYTES = 8
"""Of the engine's table: it is cleared before each position, and short searches fill no more."""
GRADE_NAMES = ("best", *(name for _, name in GRADES))
FINE = ("best", "good")
PHASES = ("opening", "middle", "end")
OPENING_MOVES = 6
"""A player's first moves, which show how it plays an opening."""
EVEN = 0.5
FORM = 2
"""Part of the key of a review that is kept: to be changed when Judged has other fields."""


class ReviewedMove(NamedTuple):
    """A move, the position it was played in, and the engine's answer to it."""

    state: State
    judged: JudgedMove
    reply: str

    @property
    def before(self) -> float:
        """The mover's win chance before the move."""
        return self.judged.analysis.win_chance

    @property
    def after(self) -> float:
        """The mover's win chance after the move."""
        return max(0.0, self.before - self.judged.loss)


class ReviewedGame(NamedTuple):
    """A game of which every move was reviewed."""

    record: Record
    moves: tuple[ReviewedMove, ...]

    def of_side(self, side: int) -> list[ReviewedMove]:
        """Return the moves of one side."""
        return [move for move in self.moves if move.judged.side == side]


def review_game(record: Record, nodes: int, cache: Path | None = None) -> ReviewedGame:
    """Review every move of a game with `nodes` nodes per position; the folder `cache` keeps reviews."""
    kept = cache / f"{_key(record, nodes)}.json" if cache else None
    judged = _read(kept) if kept else []
    if len(judged) != len(record.moves):
        judged = list(review(record, nodes=nodes, megabytes=MEGABYTES))
        if kept:
            kept.parent.mkdir(parents=True, exist_ok=True)
            write_whole(kept, json.dumps(judged, ensure_ascii=False) + "\n", synced=False)
    replies = [entry.analysis.move for entry in judged[1:]] + [""]
    states = list(record.states())[: len(judged)]
    return ReviewedGame(record, tuple(map(ReviewedMove, states, judged, replies)))


def _key(record: Record, nodes: int) -> str:
    """Return a digest of what a review depends on: the position, the moves, and the engine."""
    start = record.start
    terms = [FORM, version("ludus"), nodes, start.game.name, dict(start.game.options), start.text]
    terms.append([move.move for move in record.moves])
    return hashlib.sha256(json.dumps(terms, sort_keys=True).encode()).hexdigest()[:32]


def _read(kept: Path) -> list[JudgedMove]:
    """Return the review in a file; none where it cannot be read."""
    try:
        return [_from_json(*entry) for entry in json.loads(kept.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        return []


def _from_json(*entry: Any) -> JudgedMove:
    """Return a judged move from what JSON has left of it."""
    *first, (lines, *counts), reply = entry
    analysis = Analysis(tuple(Variation(tuple(moves), *rest) for moves, *rest in lines), *counts)
    return JudgedMove._make((*first, analysis, tuple(reply)))


def marks_of(state: State, played: str = "", best: str = "") -> Marks:
    """Return marks for a move that was played and a better one, on the board before them."""
    return Marks(cells_of(state, played), cells_of(state, best))


def cells_of(state: State, move: str) -> frozenset[tuple[int, int]]:
    """Return the cells that a move begins with; none where the game does not tell."""
    steps = state.steps(move) if move else ()
    return frozenset(steps[0].cells) if steps else frozenset()


def move_data(move: ReviewedMove) -> dict[str, Any]:
    """Return a reviewed move as plain data."""
    best = move.judged.analysis.lines[0]
    return {
        "number": move.judged.number,
        "side": move.judged.side,
        "move": move.judged.move,
        "best": move.judged.best,
        "line": " ".join(best.moves[:4]),
        "wins_in": best.plies_to_end if best.exact and best.value > 0 else None,
        "reply": move.reply,
        "grade": move.judged.grade,
        "before": percent(move.before),
        "after": percent(move.after),
        "loss": percent(move.judged.loss),
        "points": None if move.judged.points is None else round(move.judged.points),
        "position": move.state.text,
    }


def lesson_data(move: ReviewedMove) -> dict[str, Any]:
    """Return a reviewed move as plain data, with why the best one was better."""
    return {**move_data(move), "why": explain(move.state, move.judged.analysis)}


def percent(share: float | None, digits: int = 0) -> str:
    """Return a share in percent."""
    return "–" if share is None else f"{100 * share:.{digits}f}%"


def grade_counts(moves: Sequence[ReviewedMove]) -> list[dict[str, Any]]:
    """Return how many moves have each grade."""
    names = [move.judged.grade for move in moves]
    total = len(names) or 1
    return [{"grade": g, "count": names.count(g), "share": percent(names.count(g) / total)} for g in GRADE_NAMES]


def phase_losses(games: Iterable[tuple[ReviewedGame, int]]) -> list[dict[str, Any]]:
    """Return what was lost in each third of the games; each game comes with the side that is looked at."""
    found: list[list[ReviewedMove]] = [[], [], []]
    for game, side in games:
        for move in game.of_side(side):
            found[min(2, 3 * (move.judged.number - 1) // len(game.moves))].append(move)
    return [{"phase": name, **losses(moves)} for name, moves in zip(PHASES, found, strict=True)]


def losses(moves: Sequence[ReviewedMove]) -> dict[str, Any]:
    """Return what moves lost on average, and how many lost much."""
    points = [move.judged.points for move in moves if move.judged.points is not None]
    return {
        "moves": len(moves),
        "loss": percent(mean_loss(moves), 1),
        "points": f"{sum(points) / len(points):.1f}" if points else None,
        "mistakes": sum(move.judged.grade == "mistake" for move in moves),
        "blunders": sum(move.judged.grade == "blunder" for move in moves),
    }


def mean_loss(moves: Sequence[ReviewedMove]) -> float:
    """Return the win chance that a move lost on average."""
    return sum(move.judged.loss for move in moves) / len(moves) if moves else 0.0


def first_losing(moves: Iterable[ReviewedMove]) -> ReviewedMove | None:
    """Return the first move that was clearly worse than the best and left its side with less than an even chance."""
    return next((move for move in moves if move.after < EVEN and move.judged.grade not in FINE), None)


def worst_moves(moves: Iterable[ReviewedMove], most: int) -> list[ReviewedMove]:
    """Return the moves that lost the most, at most one per position."""
    bad = [move for move in moves if move.judged.grade not in FINE]
    found: dict[str, ReviewedMove] = {}
    for move in sorted(bad, key=lambda move: (-move.judged.loss, -(move.judged.points or 0.0), move.state.text)):
        found.setdefault(move.state.text, move)
    return list(found.values())[:most]
