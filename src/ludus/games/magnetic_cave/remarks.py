"""What a move in Magnetic Cave does, in words: lines made and taken, and pairs of cells that stop every line.

Knows the rules only; each sentence is true whatever is played later.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from ludus.game import State
from ludus.games import Cell, cell_name, line_remarks, open_windows
from ludus.messages import Message

MOST_WINDOWS = 40
MOST_TRIES = 2_000
Pair = tuple[Cell, Cell]


def remarks(state: State, move: str) -> Iterator[Message]:
    """Yield what a move does, the most telling first."""
    yield from line_remarks(state, move)
    after, side = state.play(move), state.side
    found = stopping_pairs(after, 1 - side)
    if found and stopping_pairs(state, 1 - side) is None:
        names = {"side": state.game.sides[side], "opponent": state.game.sides[1 - side]}
        one, other = (cell_name(state, *cell) for cell in found[0])
        line = state.game.options["line"]
        yield Message("magnetic_cave.why.pairs", move=move, one=one, two=other, line=line, **names)


def stopping_pairs(state: State, side: int) -> list[Pair] | None:
    """Return pairs of empty cells that stop every line of a side; None where none were found.

    The other side answers a brick on one cell of a pair with its own on the other, and so has a brick in every window
    that holds both. The answer must be possible: both cells can be played now (and stay so until they are filled), or
    they are neighbours in a row. Pairs share no cell.
    """
    open_ones = open_windows(state, side)
    if len(open_ones) > MOST_WINDOWS or not state.legal_moves:
        return None
    rows = int(state.game.options["rows"])
    reach = {(rows - int(move[1:]), ord(move[0]) - ord("A")) for move in state.legal_moves}
    choices = [
        [pair for pair in itertools.combinations(window, 2) if set(pair) <= reach or _neighbours(*pair)]
        for window in sorted(open_ones, key=len)
    ]
    return _disjoint(choices, [], [MOST_TRIES])


def _neighbours(one: Cell, other: Cell) -> bool:
    return one[0] == other[0] and abs(one[1] - other[1]) == 1


def _disjoint(choices: Sequence[Sequence[Pair]], chosen: list[Pair], tries: list[int]) -> list[Pair] | None:
    """Choose a pair of each list such that no two share a cell; one that is chosen serves every list that holds it."""
    rest = [pairs for pairs in choices if not any(pair in chosen for pair in pairs)]
    if not rest:
        return chosen
    used = {cell for pair in chosen for cell in pair}
    free = min(([pair for pair in pairs if not used & set(pair)] for pairs in rest), key=len)
    for pair in free:
        tries[0] -= 1
        if tries[0] < 0:
            return None
        if (found := _disjoint(rest, [*chosen, pair], tries)) is not None:
            return found
    return None
