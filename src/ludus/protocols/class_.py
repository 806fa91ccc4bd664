"""`class`: a C++ class with `makeMove(Record, Max, color, inputColor)`, `getX()` and `getY()`, the way of the Chain
Reaction course. The shim includes the student's file as it is, holds one object for the whole game and calls it.

In the course's edition Blue is player one: the first side is shown to the class as Blue, the second as Red.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ludus.errors import Fault, UserError
from ludus.messages import Message
from ludus.protocols import NOTHING, BotProtocol, legal, quoted, shim

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ludus.game import State
    from ludus.play.player import Situation

SHIM = "ludus_class.cpp"
ROWS, COLS = 5, 6
COLOURS = {".": 0, "r": 1, "b": 2, "#": 3}
"""White, Blue (our first side), Red (our second), Black, as the shim numbers them."""
COURSE_HEADERS = re.compile(r"(colou?rs?|rules?|board|defines?|enums?)\.h(pp)?", re.IGNORECASE)
"""Headers that a course hands out and students include; a class needs only their enum."""
ENUM = "enum Color { White, Blue, Red, Black };\n"
HAS_ENUM = re.compile(r"\benum\s+(class\s+|struct\s+)?Color\b|\busing\s+Color\s*=|}\s*Color\s*;")


class CourseClass(BotProtocol):
    """Arrays in, two numbers out."""

    name = "class"
    games = ("chain-reaction",)

    def adapt(self, main: str, text: str, beside: Mapping[str, str] = NOTHING) -> tuple[str, Mapping[str, str]]:
        """Build the shim around the student's file; course headers that it lacks are added."""
        sources = {**beside, main: text}
        used, missing = included(sources, main)
        plain = {name: without_comments(sources[name]) for name in used}
        made = shim(SHIM).replace("LUDUS_CLASS", find_class(plain, main)).replace("LUDUS_FILE", main)
        made = made.replace("// LUDUS_ENUM\n", "" if any(map(HAS_ENUM.search, plain.values())) else ENUM)
        stand_in = f"// The course's header; what a class needs of it stands in {SHIM}.\n"
        return SHIM, {**{name: stand_in for name in missing if COURSE_HEADERS.fullmatch(name)}, SHIM: made}

    def ask(self, situation: Situation, known: int) -> str:  # noqa: ARG002 - the arrays say it all
        """Send the mover's colour and the three arrays, row by row."""
        state = situation.state
        options = state.game.options
        if (state.game.name, options.get("rows"), options.get("cols")) != (*self.games, ROWS, COLS):
            raise UserError("protocols.class_board", games=self.games[0], rows=ROWS, cols=COLS)
        cells = list(course_cells(state))
        mover = state.side + 1
        records, limits, colours = ([cell[i] for cell in cells] for i in range(3))
        return " ".join(map(str, [mover, *records, *limits, *colours])) + "\n"

    def read(self, situation: Situation, line: str, notes: list[Message]) -> str | None:  # noqa: ARG002 - nothing is tolerated
        """Read what getX() and getY() returned: row and column from 0."""
        said = re.fullmatch(r"(-?\d{1,10}) (-?\d{1,10})", line.strip())
        if said is None:
            raise Fault("bad-output", Message("protocols.class_no_numbers", quoted=quoted(line.strip())))
        row, col = int(said[1]), int(said[2])
        if not (0 <= row < ROWS and 0 <= col < COLS):
            raise Fault(
                "illegal-move",
                Message("protocols.class_no_cell", row=row, col=col, rows=ROWS, cols=COLS),
            )
        return legal(situation.state, f"{row} {col}")


class Cell(NamedTuple):
    """A cell as the course's arrays show it."""

    record: int
    limit: int
    colour: int


def course_cells(state: State) -> Iterator[Cell]:
    """Return the cells row by row."""
    rows = [re.findall(r"[rb]\d|.", row) for row in state.text.partition(" ")[0].split("/")]
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            limit = (r > 0) + (r < len(rows) - 1) + (c > 0) + (c < len(row) - 1)
            yield Cell(int(cell[1:] or 0), limit, COLOURS[cell[0]])


COMMENT = re.compile(
    r"//(?:\\\r?\n|[^\n])*+|/\*.*?(?:\*/|\Z)"
    r"|(?P<number>\b\d(?:'?[\w.])*+)|(?P<string>\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?)",
    re.DOTALL,
)
"""Comments and texts. A text without a closing quote ends with its line, so that reading takes linear time."""
INCLUDE = re.compile(r'^[^\S\n]*+#[^\S\n]*+include[^\S\n]*+"([^"\n]+)"', re.MULTILINE)


def without_comments(text: str, *, strings: bool = False) -> str:
    """Blank out the comments of a C++ source, and the quoted texts unless they are wanted."""

    def plain(found: re.Match[str]) -> str:
        if found["number"] or (strings and found["string"]):
            return found[0]
        return '""' if found["string"] else " "

    return COMMENT.sub(plain, text)


def included(sources: Mapping[str, str], main: str) -> tuple[list[str], set[str]]:
    """Return the files that the main file includes, itself first, and the names of missing ones."""
    used, missing = {main: None}, set()
    waiting = [main]
    while waiting:
        for found in INCLUDE.findall(without_comments(sources[waiting.pop(0)], strings=True)):
            if found not in sources:
                missing.add(found)
            elif found not in used:
                used[found] = None
                waiting.append(found)
    return list(used), missing


def find_class(plain: Mapping[str, str], main: str) -> str:
    """Return the full name of the class that has `makeMove`: `Student` if there are several, else the last one."""
    found = [name for text in plain.values() for name in classes_with_move(text)]
    if not found:
        raise UserError("protocols.no_class", main=main)
    return next((name for name in found if name.endswith("::Student")), found[-1])


TOKEN = re.compile(r"\w+|::|[^\w\s]")
DEEPEST = 256
"""Braces within braces that a class is looked for in: what compilers must take."""


def classes_with_move(plain: str) -> Iterator[str]:
    """Find the class around each `makeMove` that is declared in one, or that a definition outside its class names.

    Reads word by word and never goes back. What opens a body is decided at the next brace, semicolon or parenthesis;
    whether a `makeMove` is only promised (`= 0;`), at the next brace or semicolon.
    """
    scopes: list[tuple[str, str]] = []
    head: tuple[str, list[str]] | None = None  # a namespace, class or struct whose body may open, and its name
    path: list[str] = []  # the words up to here that `::` joins
    declared: list[str] = []  # the classes of each makeMove since the last brace or semicolon
    last = before_last = ""
    words = TOKEN.findall(plain)
    for word, coming in zip(words, [*words[1:], ""], strict=True):
        if word in ("{", "}", ";"):
            if (before_last, last, word) != ("=", "0", ";"):
                yield from declared
            declared = []
        if word == "makeMove" and coming == "(" and len(scopes) <= DEEPEST:
            named = [name for kind, name in scopes if kind and name]
            if last == "::" and path:
                declared.append("::".join(["", *named, *path]))
            elif scopes and scopes[-1][0] in ("class", "struct"):
                declared.append("::".join(["", *named]))
        if word == "{":
            scopes.append((head[0], "::".join(head[1])) if head else ("", ""))
        elif word == "}":
            del scopes[-1:]
        if not (word[0].isalnum() or word[0] == "_" or (word == "::" and path)):
            path = []
        elif word != "::" and last == "::":
            path.append(word)
        elif word != "::":
            path = [word]
        if word in ("{", "}", ";", "(", ")"):
            head = None
        elif head is None and word in ("namespace", "class", "struct") and last not in ("<", ","):
            head = (word, [])
        elif head is not None and last == head[0] and path and not head[1]:
            head = (head[0], path)  # the same list: it grows with its `::`
        before_last, last = last, word
    yield from declared


PROTOCOL = CourseClass()
