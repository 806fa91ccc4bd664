"""Magnetic Cave: bricks held by two walls. The rules are in rules.hpp; here is what Python needs to know of it."""

from __future__ import annotations

from ludus.drawing.look import Look
from ludus.drawing.text_board import EMPTY, Mark, grid
from ludus.game import CourseSupport, Number, Rules
from ludus.games import line_or_full_board
from ludus.games.magnetic_cave.drawing import COLOURS, ground
from ludus.games.magnetic_cave.remarks import remarks

MARKS = {".": EMPTY, "x": Mark("■", side=0, piece="x"), "o": Mark("□", side=1, piece="o")}


RULES = Rules(
    options={
        "rows": Number(5, 16, 8, "rows of the board"),
        "cols": Number(5, 16, 8, "columns of the board"),
        "line": Number(3, 8, 5, "bricks that make a line"),
    },
    why=line_or_full_board,
    remarks=remarks,
)
LOOK = Look(
    board=grid(MARKS.__getitem__, row_labels=lambda rows: range(rows, 0, -1)),
    palette=lambda _game: tuple(MARKS),
    ground=ground,
    colours=COLOURS,
)
COURSE = CourseSupport(clock="3/move")
