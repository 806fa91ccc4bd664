"""The course's `Board.txt`: one board row a line, top row first, tiles separated by blanks or not at all.

Knows the layout of the file; what makes a good board is for the rules to say.
"""

from __future__ import annotations

import re

from ludus.errors import ParseError
from ludus.game import CourseBoard, Game
from ludus.messages import Message

Tile = tuple[str, int]
"""A cell of the file, and its column there, from 1."""


def read_file(game: Game, text: str, source: str) -> CourseBoard:
    """Read a board of any size that the game's options agree with; the first player is to move."""
    lines = re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff").rstrip())
    rows = [row_of_tiles(line, number, source) for number, line in enumerate(lines, 1)]
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            message = Message("cantris.uneven_rows", count=len(row), first=len(rows[0]))
            raise ParseError(message, number, row[-1][1], source)
    try:
        state = game.parse("/".join("".join(char for char, _ in row) for row in rows))
    except ParseError as error:  # its column counts through the rows, each with a slash after it
        r, c = divmod(error.column - 1, len(rows[0]) + 1)
        raise ParseError(error.message, r + 1, rows[r][c][1], source) from None
    return CourseBoard(state)


def row_of_tiles(line: str, number: int, source: str) -> list[Tile]:
    """Split a line into its tiles."""
    words = [(match[0], match.start() + 1) for match in re.finditer(r"\S+", line)]
    if not words:
        raise ParseError(Message("cantris.empty_line"), number, 1, source)
    if len(words) == 1:
        words = [(char, words[0][1] + i) for i, char in enumerate(words[0][0])]
    for word, column in words:
        if not re.fullmatch(r"[1-9.]", word):
            shown = word if len(word) <= 24 else word[:24] + "..."
            raise ParseError(Message("cantris.no_tile", shown=repr(shown)), number, column, source)
    return words
