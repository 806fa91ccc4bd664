"""The script of a program for a person at a terminal: what is typed at which prompt, how moves are typed and shown.

Knows the table `[console]` of bot.toml and of course files, and turns moves into text and text into cells. Patterns are
simple templates, which are matched in linear time. Knows no screen and no process.
"""

from __future__ import annotations

import functools
import json
import re
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from pydantic import AfterValidator, Field

from ludus.errors import UserError
from ludus.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludus.game import Game

ROWS, COLUMNS = ("row", "row_letter", "row_lower"), ("col", "letter", "lower")
"""The fields that name a row, and those that name a column."""
FIELDS = (*ROWS, *COLUMNS, "index", "choice")
Rows = Literal["top", "bottom"]
"""Where rows are counted or drawn from."""
Turn = Literal["each", "line"]
"""Whether two removals of a turn are typed one after the other, or on one line."""
LONGEST, LONGEST_LIST = 200, 1000
"""Characters of a template and of a line of the screen that is looked at for a move, and of a line of a list."""


class Cell(NamedTuple):
    """A cell of the board: row from the top and column, both from 0."""

    row: int
    col: int


class Board(NamedTuple):
    """The size of a board, and how its game writes a cell."""

    rows: int
    cols: int
    style: str
    """`pair` for `2,1`, `top` or `bottom` for a letter and a row counted from there."""

    @classmethod
    def of(cls, game: Game) -> Board:
        """Return the board of a game; raise UserError for one that the protocol cannot play."""
        if game.name not in STYLES:
            raise UserError("protocols.console_game", games=list(STYLES), game=game.name)
        return cls(int(game.options["rows"]), int(game.options["cols"]), STYLES[game.name])

    def cell(self, move: str) -> Cell:
        """Return the cell of a move."""
        if self.style == "pair":
            row, col = move.split(",")
            return Cell(int(row), int(col))
        number = int(move[1:])
        return Cell(number - 1 if self.style == "top" else self.rows - number, ord(move[0]) - ord("A"))

    def move(self, cell: Cell) -> str:
        """Return the move of a cell."""
        if self.style == "pair":
            return f"{cell.row},{cell.col}"
        return f"{chr(ord('A') + cell.col)}{cell.row + 1 if self.style == 'top' else self.rows - cell.row}"


STYLES = {"cantris": "pair", "magnetic-cave": "bottom", "chain-reaction": "top"}


def _is_template(text: str) -> str:
    """Refuse a template that names no cell."""
    fields = re.findall(r"\{([^{}]{0,40})\}", text)
    for name in fields:
        if name not in FIELDS:
            raise UserError("protocols.console_no_field", field=repr(name), fields=[f"{{{one}}}" for one in FIELDS])
    cell = fields[1:] if fields[:1] == ["choice"] else fields
    pair = len({*ROWS} & {*cell}) == 1 and len({*COLUMNS} & {*cell}) == 1
    if not (pair and len(cell) == 2) and fields != ["index"]:
        names = {name: f"{{{name}}}" for name in ("row", "col", "letter", "index")}
        raise UserError("protocols.console_template", text=repr(text), **names)
    if len(text) > LONGEST:
        raise UserError("protocols.console_template_long", most=LONGEST)
    return text


Template = Annotated[str, AfterValidator(_is_template)]


class Notation(Settings):
    """How a move is typed or shown: a text with fields for the row and for the column, or for the number of the cell.

    `{row}` and `{col}` are numbers, `{letter}` (`{lower}`) is the column's letter, `{row_letter}` (`{row_lower}`) the
    row's; `{index}` counts all cells, row by row. A text that begins with `{choice}` is how a list shows the moves that
    can be chosen: what is typed is the number of the move there.
    """

    text: Template
    count_from: int = Field(default=0, ge=0, le=1)
    """The number of the first row and column."""
    rows: Rows = "top"

    def write(self, cell: Cell, board: Board) -> str:
        """Return a cell as it is typed."""
        row = cell.row if self.rows == "top" else board.rows - 1 - cell.row
        letter, row_letter, first = chr(ord("A") + cell.col), chr(ord("A") + row), self.count_from
        values = {
            "row": row + first,
            "col": cell.col + first,
            "index": row * board.cols + cell.col + first,
            "letter": letter,
            "lower": letter.lower(),
            "row_letter": row_letter,
            "row_lower": row_letter.lower(),
        }
        text = self.text
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    @property
    def of_list(self) -> bool:
        """Whether a move is typed by its number in a list of moves."""
        return "{choice}" in self.text

    def typed(self, cell: Cell, board: Board, screen: str) -> str | None:
        """Return what is typed for a cell at a screen; None where a list of moves does not have it."""
        return self.listed(screen, board).get(cell) if self.of_list else self.write(cell, board)

    def listed(self, screen: str, board: Board) -> dict[Cell, str]:
        """Return the cells that a list of moves on a screen has, with their numbers; of several lists the last."""
        found: dict[Cell, str] = {}
        for line in screen.splitlines():
            for match in compiled(self.text).finditer(line[:LONGEST_LIST]):
                found[self._cell(match.groupdict(), board)] = match["choice"]
        return found

    @property
    def bare(self) -> bool:
        """Whether it has no words: such numbers are a move only as a line of their own."""
        return not re.search(r"\w", re.sub(r"\{\w+\}", "", self.text))

    def read(self, text: str, board: Board) -> Iterator[Cell]:
        """Yield the cells that a text of the screen shows, in their order."""
        pattern = compiled(self.text)
        for line in text.splitlines():
            part = line[:LONGEST]
            found = [pattern.fullmatch(part.strip())] if self.bare else pattern.finditer(part)
            for match in found:
                if match is not None:
                    yield self._cell(match.groupdict(), board)

    def _cell(self, groups: dict[str, str], board: Board) -> Cell:
        if "index" in groups:
            row, col = divmod(int(groups["index"]) - self.count_from, board.cols)
        else:
            row, col = (self._number(groups, names) for names in (ROWS, COLUMNS))
        return Cell(row if self.rows == "top" else board.rows - 1 - row, col)

    def _number(self, groups: dict[str, str], names: tuple[str, ...]) -> int:
        """Return the row or the column, whichever field it is named by."""
        text = next(groups[name] for name in names if name in groups)
        return int(text) - self.count_from if text.isdigit() else ord(text.upper()) - ord("A")


PARTS = {
    **{name: rf"(?P<{name}>\d{{1,2}})(?!\d)" for name in ("row", "col")},
    **{name: f"(?P<{name}>[A-Za-z])" for name in ("letter", "lower", "row_letter", "row_lower")},
    "index": r"(?P<index>\d{1,3})(?![\d.])",
    "choice": r"(?<![\d.,])(?P<choice>\d{1,3})(?!\d)",
}


@functools.cache
def compiled(template: str) -> re.Pattern[str]:
    """Return the pattern of a template: its words as they are, any blanks where it has some, and its fields."""
    made = ""
    for piece in re.findall(r"\{\w+\}|\s+|[^\s{}]+|[{}]", template):
        if piece[0] == "{" and piece[1:-1] in PARTS:
            made += PARTS[piece[1:-1]]
        else:
            made += r"\s{0,8}" if piece.isspace() else re.escape(piece)
    return re.compile(made, re.IGNORECASE)


class TypedAnswer(Settings):
    """What is typed at a prompt: for both seats, or for each of them; an empty text is the Enter key."""

    after: str = ""
    """A part of the prompt, in capitals or not; empty where any prompt will do."""
    send: str | None = None
    first: str | None = None
    """What is typed where the program is to move first."""
    second: str | None = None
    always: bool = False
    """Whether it is typed whenever the prompt appears; otherwise once, before the first move."""

    def text(self, side: int) -> str | None:
        """Return what is typed in a seat; None where nothing is."""
        own = self.second if side else self.first
        return self.send if own is None else own


class SeatArgument(Settings):
    """An argument that tells a program its seat; none where a seat has no text."""

    first: str | None = None
    second: str | None = None


class Moves(Settings):
    """How moves are typed and shown."""

    enter: Notation
    """How the other's move is typed; each line of its text at a prompt of its own."""
    shows: Notation | None = None
    """How the program shows its own move."""
    board: Rows | None = None
    """Which row of the board it draws first; the move is found in the drawn board where no text shows it."""


class ConsoleScript(Moves):
    """How a program for a person at a terminal is played: the table `[console]`."""

    files: list[str] = Field(default_factory=list)
    """Names under which the board is written before the program starts."""
    arguments: list[str | SeatArgument] = Field(default_factory=list)
    """What the program is started with, in both seats or in each of them."""
    answers: list[TypedAnswer] = Field(default_factory=list)
    second: Moves | None = None
    """How moves are typed and shown where it moves second, if otherwise than where it moves first."""
    turn: Turn = "each"
    seats: Literal["both", "first", "second"] = "both"
    """The seats that it can be told to play in."""

    def plays(self, side: int) -> bool:
        """Return whether it can play in a seat."""
        return self.seats != ("first", "second")[1 - side]

    def given(self, side: int) -> list[str]:
        """Return the arguments that the program is started with in a seat."""
        by_seat = [one if isinstance(one, str) else (one.first, one.second)[side] for one in self.arguments]
        return [one for one in by_seat if one is not None]

    def moves(self, side: int) -> Moves:
        """Return how moves are typed and shown in a seat."""
        return self.second if side == 1 and self.second is not None else self


def script_toml(script: ConsoleScript) -> str:
    """Return a script as the table that bot.toml and course files take."""
    lines = ["[console]"]
    for name, value in script.model_dump(exclude_defaults=True).items():
        lines.append(f"{name} = {_toml(value)}")
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    match value:
        case dict():
            return "{ " + ", ".join(f"{name} = {_toml(one)}" for name, one in value.items() if one is not None) + " }"
        case list():
            if value and isinstance(value[0], dict):
                return "[\n" + "".join(f"  {_toml(one)},\n" for one in value) + "]"
            return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
