"""The course's files: `input.txt` (board and time left) and `output.txt` (move and board after it).

Knows their lines and what may be wrong with them; the rules, gravity among them, are the game's.
"""

from __future__ import annotations

import math
import re

from ludus.errors import ParseError
from ludus.game import CourseBoard, Game, State
from ludus.messages import Message

HEAD = 3
"""Lines before the board: its size, the number of fruit types, the seconds left."""


def read_file(game: Game, text: str, source: str) -> CourseBoard:
    """Read an `input.txt`. Windows line ends, a byte order mark and blanks at the end of lines or file do no harm."""
    lines = [line.rstrip(" \t\r") for line in text.removeprefix("\ufeff").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    try:
        size = _number(lines, 1, 26, Message("fruit_rage.size"))
        types = _number(lines, 2, 10, Message("fruit_rage.types"))
        seconds = _seconds(lines)
        for line, (name, value) in enumerate([("size", size), ("types", types)], 1):
            if game.given.get(name, value) != value:
                raise ParseError(
                    Message("fruit_rage.other_options", name=name, value=value, given=game.given[name]), line
                )
        _check_board(lines, size, types)
        try:
            state = game.with_options(size=size, types=types).parse("/".join(lines[HEAD:]))
        except ParseError as error:
            row, col = divmod(error.column - 1, size + 1)
            raise ParseError(error.message, HEAD + 1 + row, 1 + col) from None
    except ParseError as error:
        raise ParseError(error.message, error.line, error.column, source) from None
    return CourseBoard(state, seconds)


def write_board(state: State, seconds: float) -> str:
    """Return the text of `input.txt`: the size, the types, the seconds left (never 0), the board."""
    rows = state.text.partition(" ")[0].split("/")
    options = state.game.options
    return "\n".join([str(options["size"]), str(options["types"]), f"{max(seconds, 0.001):.3f}", *rows, ""])


def write_file(state: State, move: str) -> str:
    """Return the text of `output.txt` for a move: its name, then the board after gravity."""
    rows = state.play(move).text.partition(" ")[0].split("/")
    return "\n".join([move.upper(), *rows, ""])


def _line(lines: list[str], line: int, what: Message) -> str:
    if line > len(lines):
        raise ParseError(Message("fruit_rage.file_ends", what=what), line)
    return lines[line - 1]


def _number(lines: list[str], line: int, high: int, what: Message) -> int:
    text = _line(lines, line, what)
    number = int(text.lstrip("0")) if re.fullmatch(r"0*[1-9][0-9]?", text) else 0
    if not 1 <= number <= high:
        raise ParseError(Message("fruit_rage.no_number", what=what, high=high, text=repr(text[:24])), line)
    return number


def _seconds(lines: list[str]) -> float:
    text = _line(lines, HEAD, Message("fruit_rage.seconds"))
    plain = re.fullmatch(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?", text)
    seconds = float(text) if plain else 0.0
    if not 0.0 < seconds < math.inf:
        raise ParseError(Message("fruit_rage.no_seconds", text=repr(text[:24])), HEAD)
    return seconds


def _check_board(lines: list[str], size: int, types: int) -> None:
    """See to it that the board is `size` lines of `size` cells each."""
    for line in range(HEAD + 1, HEAD + 1 + size):
        row = _line(lines, line, Message("fruit_rage.row", row=line - HEAD, size=size))
        for column, char in enumerate(row, 1):
            if char not in "0123456789"[:types] + "*":
                raise ParseError(Message("fruit_rage.no_fruit", types=types - 1, char=repr(char)), line, column)
        if len(row) != size:
            raise ParseError(Message("fruit_rage.cells", size=size, count=len(row)), line, min(len(row), size) + 1)
    if len(lines) > HEAD + size:
        raise ParseError(Message("fruit_rage.too_long", size=size), HEAD + size + 1)
