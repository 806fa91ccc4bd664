"""Magnetic Cave: bricks held by two walls. The rules are in rules.hpp; here is what Python needs to know of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludus.drawing.look import Look
from ludus.drawing.text_board import EMPTY, Mark, grid
from ludus.game import CourseSupport, Number, Rules
from ludus.games.magnetic_cave.drawing import COLOURS, ground
from ludus.messages import Message

if TYPE_CHECKING:
    from ludus.game import State

MARKS = {".": EMPTY, "x": Mark("■", side=0, piece="x"), "o": Mark("□", side=1, piece="o")}


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
    why=why,
)
LOOK = Look(
    board=grid(MARKS.__getitem__, row_labels=lambda rows: range(rows, 0, -1)),
    palette=lambda _game: tuple(MARKS),
    ground=ground,
    colours=COLOURS,
)
COURSE = CourseSupport(clock="3/move")
