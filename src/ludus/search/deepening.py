"""The engine for games in Python that other packages bring: the textbook's alpha-beta, deepened ply by ply.

Has the same limits and results as the compiled engines, so that callers need not know which one they use.
Knows states; knows no clock but the time it has taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from time import monotonic

from ludus.game import State
from ludus.search.result import Analysis, Variation
from ludus.search.textbook import WIN_VALUE, WON, Textbook, gain

SCALE = 100
"""The `evaluation` that counts as a win chance of 73%, in games without points."""
ENTRY_BYTES = 500
"""What a position in the table takes, more or less."""


class OutOfTime(Exception):  # noqa: N818 - no error: the limit is reached
    """A depth could not be finished."""


class Depth(Textbook):
    """The search of one depth, with an end."""

    def __init__(self, depth: int, nodes: float, deadline: float, entries: int) -> None:
        super().__init__("table", depth)
        self.most_nodes, self.deadline, self.entries = nodes, deadline, entries

    def follow(self, state: State, move: str, depth: int, alpha: float, beta: float) -> float:
        """Play a move and search on, if there is time."""
        if self.nodes >= self.most_nodes or monotonic() >= self.deadline:
            raise OutOfTime
        if self.table is not None and len(self.table) >= self.entries:
            self.table.clear()
        return super().follow(state, move, depth, alpha, beta)

    def best_lines(self, state: State, lines: int) -> tuple[Variation, ...]:
        """Return the best moves, each with the play that is expected."""
        found: dict[str, float] = {}
        for _ in range(min(lines, len(state.legal_moves))):
            move, value, _ = self.choose(state, found)
            found[move] = value
        return tuple(worth(state, self.expected(state, move), value, self.is_complete) for move, value in found.items())

    def expected(self, state: State, move: str) -> tuple[str, ...]:
        """Return a move and what the table has for best play after it."""
        line, depth = [move], self.depth - 1
        state = state.play(move)
        while self.table is not None and (state, depth) in self.table:
            line.append(self.table[state, depth][2])
            state, depth = state.play(line[-1]), depth - 1
        return tuple(line)


def worth(state: State, moves: tuple[str, ...], value: float, complete: bool) -> Variation:
    """Return a line with the textbook's value in the units of an analysis."""
    if state.scores is not None:
        margin = state.scores[state.side] - state.scores[1 - state.side] + value
        unit = max(1.0, *(gain(state, state.play(move)) for move in state.legal_moves))
        chance = (1 + (margin > 0) - (margin < 0)) / 2 if complete else logistic(margin / unit)
        return Variation(moves, value, complete, chance)
    if abs(value) >= WON:
        win = math.copysign(1.0, value)
        return Variation(moves, win, True, (1 + win) / 2, int(WIN_VALUE - abs(value)))
    chance = 0.5 if complete else logistic(value / SCALE)
    return Variation(moves, 2 * chance - 1, complete, chance)


def logistic(x: float) -> float:
    """Return 1 / (1 + exp(-x)) for any x."""
    return (1 + math.tanh(x / 2)) / 2


class Deepening:
    """The counterpart of `_native.Engine`; uses one thread and keeps nothing from search to search."""

    def __init__(self, table_bytes: int) -> None:
        self._entries = max(1, table_bytes // ENTRY_BYTES)

    def think(
        self,
        state: State,
        *,
        depth: int,
        nodes: int,
        soft_seconds: float,
        hard_seconds: float,
        lines: int,
        progress: Callable[[Analysis], object] | None,
        **_limits: object,
    ) -> Analysis:
        """Think until a limit, a proof, or until `progress(info)` returns a true value."""
        began = monotonic()
        if hard_seconds <= 0:  # no time to think: the move that gains most immediately
            best = max(state.legal_moves, key=lambda move: gain(state, state.play(move)))
            return Analysis((worth(state, (best,), 0.0, complete=False),), 0, 0, 0.0)
        info = Analysis((worth(state, state.legal_moves[:1], 0.0, complete=False),), 0, 0, 0.0)
        counted = 0
        for ply in range(1, depth + 1):
            search = Depth(ply, (nodes or math.inf) - counted, began + hard_seconds, self._entries)
            try:
                found = search.best_lines(state, lines)
            except OutOfTime:
                return info._replace(nodes=counted + search.nodes, seconds=monotonic() - began)
            counted += search.nodes
            info = Analysis(found, ply, counted, monotonic() - began)
            proven = all(line.exact for line in found)
            if proven or info.seconds > soft_seconds or (progress is not None and progress(info)):
                break
        return info

    def ponder(self, state: State, threads: int) -> None:
        """Do nothing: what it would learn is not kept."""

    def stop(self) -> None:
        """Do nothing: no search goes on in the background."""

    def clear(self) -> None:
        """Do nothing: nothing is kept."""
