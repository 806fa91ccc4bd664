"""`class`: a C++ class with `makeMove(Record, Max, color, inputColor)`, `getX()` and `getY()`, the way of the Chain
Reaction course. The shim includes the student's file as it is, holds one object for the whole game and calls it.

In the course's edition Blue is player one: the first side is shown to the class as Blue, the second as Red.
"""

from __future__ import annotations

import re
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from ludus.errors import Fault, UserError
from ludus.messages import Message
from ludus.protocols import NOTHING, BotProtocol, Source, legal, quoted, shim
from ludus.protocols.cpp import MAIN, SOURCE_ENDS, IncludedFiles, Try, ending, is_cpp, script, stem, without_comments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ludus.game import State
    from ludus.play.player import Situation

SHIM, TALK, FOLDER, SCRIPT = "ludus_class.cpp", "ludus_talk.cpp", "ludus_class", "ludus_class.sh"
WITH_MORE, AS_PASTED, COURSE_HEADER = "ludus_class_and_more.cpp", "ludus_class_as_pasted.cpp", "ludus_course.h"
ROWS, COLS = 5, 6
COLOURS = {".": 0, "r": 1, "b": 2, "#": 3}
"""White, Blue (our first side), Red (our second), Black, as the shim numbers them."""
COURSE_HEADERS = re.compile(r"(colou?rs?|rules?|board|defines?|enums?)\.h(pp)?", re.IGNORECASE)
"""Headers that a course hands out and students include; a class needs only their enum."""
ENUM = "enum Color { White, Blue, Red, Black };\n"
COLOUR_NAMES = ("White", "Blue", "Red", "Black")
HAS_ENUM = re.compile(r"\benum\s+(class\s+|struct\s+)?Color\b|\busing\s+Color\s*=|\bColor\s*;")


class CourseClass(BotProtocol):
    """Arrays in, two numbers out."""

    name = "class"
    games = ("chain-reaction",)
    side_names: Mapping[str, tuple[str, str]] = MappingProxyType(
        {"chain-reaction": ("chain_reaction.second", "chain_reaction.first")}
    )
    rank = 10
    usual_board_only = True
    tells_all = True

    def sign(self, source: Source) -> Message | None:
        """Look for the two functions that a class must have."""
        return Message("bots.has_class") if source.language == "cpp" and has_functions(source.text) else None

    def program(self, texts: Mapping[str, str]) -> str | None:
        """Return the file with the class: rather `Student` than another, rather what a main uses than what none does.

        Of a class in two files it is the source. None where several remain, and where a class has a main beside it.
        """
        sources = IncludedFiles(
            {name: text for name, text in texts.items() if is_cpp(name)}, lambda _base, _there: None
        )
        plain = {name: without_comments(text) for name, text in sources.texts.items()}
        classes = {name: list(classes_with_move(text)) for name, text in plain.items() if has_functions(text)}
        left = [name for name, found in classes.items() if found]
        mains = [name for name, text in plain.items() if MAIN.search(text)]
        inner = {one for name in left for one in sources.includes(name) if one != name}
        wanted = sources.included(name for name in mains if name not in left)
        steps: tuple[Callable[[str], bool], ...] = (
            lambda name: name not in mains,
            lambda name: name not in inner,
            lambda name: any(one.endswith("::Student") for one in classes[name]),
            lambda name: stem(name) == "student",
            lambda name: any("::playerOne::" in one for one in classes[name]),
            lambda name: any(one in wanted for one in (name, *sources.includes(name)) if one in classes),
            lambda name: name.count("/") == min(one.count("/") for one in left),
        )
        for passes in steps:
            left = [name for name in left if passes(name)] or left
        return left[0] if len(left) == 1 and left[0] not in mains else None

    def adapt(self, main: str, text: str, beside: Mapping[str, str] = NOTHING) -> tuple[str, Mapping[str, str]]:
        """Build the shim around the student's file and its other parts; course headers that it lacks are added.

        Where that is not enough, it is built with all that shares a header with it, and then as the course's server
        does it: pasted into a namespace, where names of the standard library may be its own.
        """
        own = {name: text for name, text in beside.items() if is_cpp(name)} | {main: text}
        sources = IncludedFiles(own, course_header)
        first = sources.included([main])
        tree = {COURSE_HEADER: f"// A header of the course; what a class needs of it stands in {SHIM}.\n"}
        tries: list[Try] = []
        for name, parts in ((SHIM, along(sources, first, own_parts=True)), (WITH_MORE, along(sources, first))):
            used = [*first, *(one for one in sources.included(parts) if one not in first)]
            if {*used} - tree.keys():
                tree |= {one: sources.rewritten(one) for one in used} | {name: around(sources, main, used)}
                tries.append(Try(FOLDER, (name,), if_unlinked=bool(tries)))
        tree |= {AS_PASTED: around(sources, main, first, pasted=True), TALK: shim(TALK)}
        tries.append(Try(FOLDER, (AS_PASTED,), "pasted", strict=True))
        return f"{FOLDER}/{SHIM}", {f"{FOLDER}/{name}": text for name, text in tree.items()} | {SCRIPT: script(tries)}

    def build(self, usual: str | None) -> str | None:  # noqa: ARG002 - it has a folder of its own
        """Return the command that builds the shim; in its folder, so that the compiler calls files by their names."""
        return f"sh {SCRIPT}"

    def ask(self, situation: Situation, known: int) -> str:  # noqa: ARG002 - the arrays say it all
        """Send the mover's colour and the three arrays, row by row."""
        state = situation.state
        options = state.game.options
        if (state.game.name, options.get("rows"), options.get("cols")) != (*self.games, ROWS, COLS):
            raise UserError("protocols.class_board", games=self.games[0], rows=ROWS, cols=COLS)
        cells = list(board_cells(state))
        mover = state.side + 1
        records, limits = [cell.orbs for cell in cells], [cell.capacity for cell in cells]
        colours = [COLOURS[cell.mark] for cell in cells]
        return " ".join(map(str, [mover, *records, *limits, *colours])) + "\n"

    def read(self, situation: Situation, line: str, notes: list[Message]) -> str | None:  # noqa: ARG002 - nothing is tolerated
        """Read what getX() and getY() returned: row and column from 0."""
        return read_cell(situation.state, line, "protocols.class_no_numbers", "protocols.class_no_cell")


def read_cell(state: State, line: str, no_numbers: str, no_cell: str) -> str:
    """Read a row and a column from 0; the codes are those of the faults of a line that holds none."""
    said = re.fullmatch(r"(-?\d{1,10}) (-?\d{1,10})", line.strip())
    if said is None:
        raise Fault("bad-output", Message(no_numbers, quoted=quoted(line.strip())))
    row, col = int(said[1]), int(said[2])
    if not (0 <= row < ROWS and 0 <= col < COLS):
        raise Fault("illegal-move", Message(no_cell, row=row, col=col, rows=ROWS, cols=COLS))
    return legal(state, f"{row} {col}")


class BoardCell(NamedTuple):
    """A cell of the board."""

    mark: str
    """Whose it is: `r`, `b`, `.` nobody's, `#` dead."""
    orbs: int
    capacity: int


def board_cells(state: State) -> Iterator[BoardCell]:
    """Return the cells row by row."""
    rows = [re.findall(r"[rb]\d|.", row) for row in state.text.partition(" ")[0].split("/")]
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            capacity = (r > 0) + (r < len(rows) - 1) + (c > 0) + (c < len(row) - 1)
            yield BoardCell(cell[0], int(cell[1:] or 0), capacity)


def has_functions(text: str) -> bool:
    """Return whether a source has the functions of the course's class."""
    return re.search(r"\bmakeMove\s*\(", text) is not None and re.search(r"\bgetX\s*\(", text) is not None


def course_header(base: str, there: bool) -> str | None:
    """Return what stands in for a header of the course that was not handed in."""
    return COURSE_HEADER if not there and COURSE_HEADERS.fullmatch(base) else None


PASTED = """#include "../ludus_cpp/common.h"
using namespace std;
namespace playerOne {{
{}}}  // namespace playerOne
"""


def around(sources: IncludedFiles, main: str, used: Iterable[str], *, pasted: bool = False) -> str:
    """Return the shim around the files of a class, or around what the course's server makes of them."""
    plain = {name: without_comments(sources.texts[name]) for name in used}
    within = {found for name in plain for found in sources.includes(name)}
    files = [name for name in plain if name == main or name not in within]
    included = "".join(f'#include "{name}"\n' for name in files)
    made = shim(SHIM).replace("LUDUS_CLASS", ("::playerOne" if pasted else "") + find_class(plain, main))
    made = made.replace('#include "LUDUS_FILE"\n', PASTED.format(included) if pasted else included)
    made = made.replace("// LUDUS_ENUM\n", "" if any(map(HAS_ENUM.search, plain.values())) else ENUM)
    for colour, name in colour_names(plain.values()).items():
        made = made.replace(f"LUDUS_{colour.upper()}", name)
    return made


def along(sources: IncludedFiles, used: Iterable[str], *, own_parts: bool = False) -> Iterator[str]:
    """Yield the sources without a main that include what the class's file includes.

    The class's own parts are those of its headers' names, and those that include the header with the class.
    """
    headers = {name for name in used if ending(name) not in SOURCE_ENDS}
    own = {name for name in headers if any(classes_with_move(without_comments(sources.texts[name])))}
    for name, text in sources.texts.items():
        apart = ending(name) in SOURCE_ENDS and name not in used and not MAIN.search(without_comments(text))
        shared = headers.intersection(sources.includes(name)) if apart else set[str]()
        if shared and (not own_parts or stem(name) in map(stem, headers) or shared & own):
            yield name


def colour_names(plain: Iterable[str]) -> dict[str, str]:
    """Return how the class's own enum writes each colour: `WHITE` or `white` is the course's `White`."""
    found = {colour: colour for colour in COLOUR_NAMES}
    for text in plain:
        for before, body in pairwise(text.split("{")):
            names = {name.lower(): name for name in re.findall(r"[A-Za-z_]\w*+", body.partition("}")[0])}
            if {"blue", "red"} <= names.keys() and re.search(r"\benum\b", before.rpartition(";")[2]):
                found |= {colour: names[colour.lower()] for colour in COLOUR_NAMES if colour.lower() in names}
    return found


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
    for word, coming in zip(words, [*words[1:], ""], strict=False):
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
