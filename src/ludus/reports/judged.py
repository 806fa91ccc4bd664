"""What the engine thinks of a player's moves: every move of some games judged, and what there is to learn from it.

Knows the engine's reviews; prints nothing.
"""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.drawing.boards import Marks
from ludus.files import write_whole
from ludus.search.analysis import GRADES, Analysis, Judged, Line, review

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from ludus.game import State
    from ludus.play.record import Record

MEGABYTES = 8
"""Of the engine's table: it is cleared before each position, and short searches fill no more."""
GRADE_NAMES = ("best", *(name for _, name in GRADES))
FINE = ("best", "good")
PHASES = ("opening", "middle", "end")
OPENING_MOVES = 6
"""Moves of its own in which a player shows how it handles an opening."""
EVEN = 0.5


class Looked(NamedTuple):
    """A move, where it was played, and what the engine answers to it."""

    state: State
    judged: Judged
    reply: str

    @property
    def before(self) -> float:
        """The mover's win chance before the move."""
        return self.judged.analysis.win_chance

    @property
    def after(self) -> float:
        """The same after it."""
        return max(0.0, self.before - self.judged.loss)


class JudgedGame(NamedTuple):
    """A game of which every move has been judged."""

    row: Any
    """What else is known of the game."""
    record: Record
    looked: tuple[Looked, ...]

    def own(self, side: int) -> list[Looked]:
        """Give one side's moves."""
        return [one for one in self.looked if one.judged.side == side]


def judge(record: Record, nodes: int, row: Any = None, memory: Path | None = None) -> JudgedGame:
    """Judge every move of a game, each position with so many nodes; a folder may remember what was judged before."""
    known = memory / f"{_key(record, nodes)}.json" if memory else None
    judged = _remembered(known) if known else []
    if len(judged) != len(record.moves):
        judged = list(review(record, nodes=nodes, megabytes=MEGABYTES))
        if known:
            known.parent.mkdir(parents=True, exist_ok=True)
            write_whole(known, json.dumps(judged, ensure_ascii=False) + "\n", synced=False)
    replies = [entry.analysis.move for entry in judged[1:]] + [""]
    states = list(record.states())[: len(judged)]
    return JudgedGame(row, record, tuple(map(Looked, states, judged, replies)))


def _key(record: Record, nodes: int) -> str:
    """Give what judgements depend on, as a short text: the position and the moves, and who judges."""
    start = record.start
    made = [version("ludus"), nodes, start.game.name, dict(start.game.options), start.text]
    made.append([played.move for played in record.moves])
    return hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()[:32]


def _remembered(known: Path) -> list[Judged]:
    """Read what was judged before; what cannot be read was not."""
    try:
        return [_heard(*told) for told in json.loads(known.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        return []


def _heard(*told: Any) -> Judged:
    """Make a judgement of what JSON has left of it."""
    *first, (lines, *counts), why = told
    analysis = Analysis(tuple(Line(tuple(moves), *rest) for moves, *rest in lines), *counts)
    return Judged._make((*first, analysis, why))


def marks_of(state: State, played: str = "", best: str = "") -> Marks:
    """Point out a move that was played and the one that was better, on the board before them."""
    return Marks(cells_of(state, played), cells_of(state, best))


def cells_of(state: State, move: str) -> frozenset[tuple[int, int]]:
    """Give the cells that a move begins with; none where the game does not tell."""
    steps = state.steps(move) if move else ()
    return frozenset(steps[0].cells) if steps else frozenset()


def described(one: Looked) -> dict[str, Any]:
    """Give a judged move as plain data."""
    best = one.judged.analysis.lines[0]
    return {
        "number": one.judged.number,
        "side": one.judged.side,
        "move": one.judged.move,
        "best": one.judged.best,
        "line": " ".join(best.moves[:4]),
        "wins_in": best.plies_to_end if best.exact and best.value > 0 else None,
        "reply": one.reply,
        "grade": one.judged.grade,
        "before": percent(one.before),
        "after": percent(one.after),
        "loss": percent(one.judged.loss),
        "points": None if one.judged.points is None else f"{one.judged.points:.0f}",
        "position": one.state.text,
    }


def percent(share: float | None, digits: int = 0) -> str:
    """Write a share in percent."""
    return "–" if share is None else f"{100 * share:.{digits}f}%"


def grades(moves: Sequence[Looked]) -> list[dict[str, Any]]:
    """Count moves by their grade."""
    names = [one.judged.grade for one in moves]
    total = len(names) or 1
    return [{"grade": g, "count": names.count(g), "share": percent(names.count(g) / total)} for g in GRADE_NAMES]


def phases(games: Iterable[tuple[JudgedGame, int]]) -> list[dict[str, Any]]:
    """Say how much was lost in each third of the games; each comes with the side that is looked at."""
    found: list[list[Looked]] = [[], [], []]
    for played, side in games:
        for one in played.own(side):
            found[min(2, 3 * (one.judged.number - 1) // len(played.looked))].append(one)
    return [{"phase": name, **losses(moves)} for name, moves in zip(PHASES, found, strict=True)]


def losses(moves: Sequence[Looked]) -> dict[str, Any]:
    """Say what moves lost on average, and how many lost much."""
    points = [one.judged.points for one in moves if one.judged.points is not None]
    return {
        "moves": len(moves),
        "loss": percent(mean_loss(moves), 1),
        "points": f"{sum(points) / len(points):.1f}" if points else None,
        "mistakes": sum(one.judged.grade == "mistake" for one in moves),
        "blunders": sum(one.judged.grade == "blunder" for one in moves),
    }


def mean_loss(moves: Sequence[Looked]) -> float:
    """Give the win chance that a move lost on average."""
    return sum(one.judged.loss for one in moves) / len(moves) if moves else 0.0


def first_losing(moves: Iterable[Looked]) -> Looked | None:
    """Give the first move that was clearly worse than the best and left its side with less than an even chance."""
    return next((one for one in moves if one.after < EVEN and one.judged.grade not in FINE), None)


def dearest(moves: Iterable[Looked], most: int) -> list[Looked]:
    """Give the moves that lost the most, each position once."""
    bad = [one for one in moves if one.judged.grade not in FINE]
    found: dict[str, Looked] = {}
    for one in sorted(bad, key=lambda one: (-one.judged.loss, -(one.judged.points or 0.0), one.state.text)):
        found.setdefault(one.state.text, one)
    return list(found.values())[:most]
