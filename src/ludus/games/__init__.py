"""The games, a folder each: rules, evaluation, reference, look and data. Nobody keeps a list of them.

What several of them tell in the same words is here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ludus.messages import Message

if TYPE_CHECKING:
    from ludus.game import State

Cell = tuple[int, int]
Window = tuple[Cell, ...]
"""Cells in a straight row, as many as a line has."""
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def line_or_full_board(state: State) -> Message:
    """Return what ended a game that a line wins and a full board ties."""
    if state.outcome is None or state.outcome.winner is None:
        return Message("rules.full_board")
    return Message("rules.has_line", winner=state.game.sides[state.outcome.winner], line=state.game.options["line"])


def windows(state: State) -> Iterator[Window]:
    """Yield every place for a line on the board."""
    rows, cols, line = (int(state.game.options[name]) for name in ("rows", "cols", "line"))
    for row in range(rows):
        for col in range(cols):
            for down, right in DIRECTIONS:
                if 0 <= row + (line - 1) * down < rows and 0 <= col + (line - 1) * right < cols:
                    yield tuple((row + step * down, col + step * right) for step in range(line))


def open_windows(state: State, side: int) -> list[Window]:
    """Return the empty cells of every place where a side can still make a line: one without the other's marks."""
    board, other = state.text.partition(" ")[0].split("/"), "xo"[1 - side]
    places = (window for window in windows(state) if all(board[row][col] != other for row, col in window))
    return [tuple((row, col) for row, col in window if board[row][col] == ".") for window in places]


def line_remarks(state: State, move: str) -> Iterator[Message]:
    """Yield what a move does in a game of lines: what it takes from the opponent, and what it makes."""
    after, side = state.play(move), state.side
    names = {"side": state.game.sides[side], "opponent": state.game.sides[1 - side], "line": state.game.options["line"]}
    cell = state.steps(move)[0].cells[0]
    before, left = open_windows(state, 1 - side), open_windows(after, 1 - side)
    if before and not left:
        yield Message("rules.why.no_line_left", move=move, **names)
    if (cell,) in before:
        yield Message("rules.why.takes_place", move=move, **names)
    made = {one for one in open_windows(after, side) if len(one) == 1} - set(open_windows(state, side))
    if made:
        cells = [cell_name(state, *places[0]) for places in sorted(made)]
        yield Message("rules.why.makes_place", move=move, cells=cells, n=len(cells), **names)


def cell_name(state: State, row: int, col: int) -> str:
    """Return what a cell is called where rows are counted from the bottom."""
    return f"{chr(ord('A') + col)}{int(state.game.options['rows']) - row}"
