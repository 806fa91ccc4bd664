"""Connect Four: discs that fall to the bottom. The rules are in rules.hpp; here is what Python needs to know of it."""

from __future__ import annotations

import re

from ludus.drawing.look import Look
from ludus.drawing.text_board import EMPTY, Mark, grid
from ludus.game import CourseSupport, Number, Rules
from ludus.games import line_or_full_board, line_remarks

MARKS = {".": EMPTY, "x": Mark("●", side=0, piece="x"), "o": Mark("○", side=1, piece="o")}


RULES = Rules(
    options={
        "rows": Number(3, 7, 6, "rows of the board"),
        "cols": Number(3, 8, 7, "columns of the board"),
        "line": Number(3, 5, 4, "discs in a row that win"),
    },
    move_shape=re.compile("[A-Za-z]"),
    why=line_or_full_board,
    remarks=line_remarks,
)
LOOK = Look(
    board=grid(MARKS.__getitem__, row_labels=lambda rows: range(rows, 0, -1)), palette=lambda _game: tuple(MARKS)
)
COURSE = CourseSupport(clock="3/move")
