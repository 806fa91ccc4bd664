"""Magnetic Cave: bricks held by two walls. The rules are in rules.hpp; here is what Python needs to know of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludus.drawing.text_board import EMPTY, Board, Mark
from ludus.game import Course, Look, Number, Rules, check_shape
from ludus.games.magnetic_cave.drawing import COLOURS, ground
from ludus.messages import Message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ludus.game import HasText, State

MARKS = {".": EMPTY, "x": Mark("■", side=0, piece="x"), "o": Mark("□", side=1, piece="o")}


def shape(board: str) -> Mapping[str, int]:
    """Return the size that a board field has."""
    rows, cols = check_shape(board.split("/"))
    return {"rows": rows, "cols": cols}


def board(shown: HasText) -> Board:
    """Show a state or a step."""
    rows = shown.text.partition(" ")[0].split("/")
    return Board(
        marks=tuple(tuple(MARKS[cell] for cell in row) for row in rows),
        row_labels=tuple(str(row) for row in range(len(rows), 0, -1)),
        col_labels=tuple(chr(ord("A") + col) for col in range(len(rows[0]))),
    )


def why(state: State) -> Message:
    """Return what ended a game."""
    if state.outcome is None or state.outcome.winner is None:
        return Message("magnetic_cave.full_board")
    winner = state.game.sides[state.outcome.winner]
    return Message("magnetic_cave.has_line", winner=winner, line=state.game.options["line"])


RULES = Rules(
    options={
        "rows": Number(5, 16, 8, "rows of the board"),
        "cols": Number(5, 16, 8, "columns of the board"),
        "line": Number(3, 8, 5, "bricks that make a line"),
    },
    shape=shape,
    why=why,
)
LOOK = Look(board=board, palette=lambda _game: tuple(MARKS), ground=ground, colours=COLOURS)
COURSE = Course(clock="3/move")
