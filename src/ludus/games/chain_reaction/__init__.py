"""Chain Reaction: orbs that explode. The rules are in rules.hpp; here is what Python needs to know of the game."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ludus.board import Board, Mark
from ludus.game import Choice, GameFamily, Number, check_shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ludus.game import State


def cells(board: str) -> list[list[str]]:
    """Split a board field into its cells; a character that is no cell stands alone."""
    return [re.findall(r"[rb]\d|.", row, re.DOTALL) for row in board.split("/")]


def shape(board: str) -> Mapping[str, int]:
    """Give the size that a board field has."""
    rows, cols = check_shape(cells(board))
    return {"rows": rows, "cols": cols}


def mark(cell: str) -> Mark:
    """Show a cell: its owner's letter and its orbs."""
    if cell == ".":
        return Mark("·")
    if cell == "#":
        return Mark("#")
    return Mark(("R" if cell[0] == "r" else "B") + cell[1], side=0 if cell[0] == "r" else 1)


def board(state: State) -> Board:
    """Show a state."""
    rows = cells(state.text.partition(" ")[0])
    return Board(
        marks=tuple(tuple(mark(cell) for cell in row) for row in rows),
        row_labels=tuple(str(row) for row in range(1, len(rows) + 1)),
        col_labels=tuple(chr(ord("A") + col) for col in range(len(rows[0]))),
    )


def read_move(_state: State, text: str) -> str:
    """Read the course's 0-based `row col`."""
    match = re.fullmatch(r"\s*(\d)[\s,]+(\d)\s*", text)
    if match is None:
        return text
    row, col = int(match[1]), int(match[2])
    return f"{chr(ord('A') + col)}{row + 1}"


FAMILY = GameFamily(
    name="chain-reaction",
    title="Chain Reaction",
    options={
        "rows": Number(2, 10, 5, "rows of the board"),
        "cols": Number(2, 10, 6, "columns of the board"),
        "explosion": Choice(("empties", "keeps-surplus", "dies"), "empties", "what becomes of a cell that explodes"),
    },
    sides=("Red", "Blue"),
    shape=shape,
    board=board,
    read_move=read_move,
)
