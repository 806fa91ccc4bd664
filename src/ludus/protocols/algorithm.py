"""`algorithm`: a C++ function `algorithm_A(Board board, Player player, int index[])`, the way of the Chain Reaction
course whose framework has `source/` and `include/`. The shim includes the student's file and calls it; `Board`,
`Player` and the rules are ours, under the names of the course's headers. Red is the first side.

What is handed in may be the one file, or the whole framework. Sources are put into a tree of their own, in which every
include is resolved as Windows would. Where that does not build, the tree is tried with the student's own framework.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ludus.errors import Fault, UserError
from ludus.messages import Message
from ludus.protocols import NOTHING, BotProtocol, Source, shim
from ludus.protocols.class_ import COLS, ROWS, board_cells, read_cell
from ludus.protocols.cpp import (
    HEADER_ENDS,
    MAIN,
    SOURCE_ENDS,
    IncludedFiles,
    Try,
    ending,
    is_cpp,
    script,
    stem,
    without_comments,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ludus.play.player import Situation

SHIM, TALK, SCRIPT = "ludus_algorithm.cpp", "ludus_talk.cpp", "ludus_algorithm.sh"
OURS, THEIRS = "ludus_ours", "ludus_theirs"
"""The trees that are built: with our board, player and rules, and with those that were handed in."""
FRAMEWORK = ("board", "cell", "player", "rules")
"""The parts of the course's framework that we have too, as headers; an `algorithm.h` is the student's own."""
HEADERS = (*(f"{part}.h" for part in FRAMEWORK), "algorithm.h")
OUR_HEADERS = (*HEADERS, "checks.h")
USUAL = "ABCDE"
STUDENTS, ASSISTANTS = re.compile(r"algorithm_(a|st)"), re.compile(r".*_ta\d*")
"""How the course names the file of the student, and those of its assistants; in lower case and without ending."""
FOR_FRAMEWORKS = '-DCLEAR="clear"'
"""The course's board.cpp has this command, by which it clears the screen, only for Windows and macOS."""
BEFORE_FILE = "#define main "
COURSE_FIRST = '#include "ludus/rules.h"\n#include "ludus/algorithm.h"\n'
"""For a function alone, as it is pasted into a platform."""
OWN_BOARD, OWN_CELL = (re.compile(rf"\b(?:class|struct)\s++{name}\b") for name in ("Board", "Cell"))
DIRECTIVE = re.compile(r"^#.*\n", re.MULTILINE)
EXPLOSIONS = ("empties", "keeps-surplus")
MOST_SOURCES = 40
"""Files that are compiled along; what has more is a library."""
FUNCTION = re.compile(r"\b(\w++)\s++(algorithm_\w++)\s*+\(([^(){};]*+)\)\s*+\{", re.IGNORECASE)
CALL = re.compile(r"(?:[^\w\s*&]|\breturn\s|\belse\s)\s*+(algorithm_\w++)\s*+\(", re.IGNORECASE)
"""A call, and no declaration: before it there is no type."""


class Algorithm(BotProtocol):
    """A board and a player in, two numbers out."""

    name = "algorithm"
    games = ("chain-reaction",)
    rank = 10
    usual_board_only = True
    tells_all = True

    def sign(self, source: Source) -> Message | None:
        """Look for the definition of the function."""
        found = functions(without_comments(source.text)) if source.language in ("c", "cpp") else []
        return Message("bots.has_algorithm", function=found[0].name) if found else None

    def program(self, texts: Mapping[str, str]) -> str | None:
        """Return the file that defines the function to play; None where that may be one of several."""
        defined = definitions(plain_sources(texts))
        name = chosen(defined)
        best = nearest(defined[name]) if name else []
        return best[0] if len({texts[one] for one in best}) == 1 else None

    def adapt(self, main: str, text: str, beside: Mapping[str, str] = NOTHING) -> tuple[str, Mapping[str, str]]:
        """Put the sources into their trees, with the shim around the file that has the function, and a script."""
        texts = {main: text, **beside}
        plain = plain_sources(texts)
        defined = definitions(plain)
        if not defined:
            raise UserError("protocols.no_algorithm", main=main)
        mains = {name: [main] for name, files in defined.items() if main in files}
        function = chosen(mains or defined)
        if function is None:
            raise UserError("protocols.which_algorithm", functions=sorted(mains or defined))
        target = main if mains else nearest(defined[function])[0]
        own = {name: texts[name] for name in plain}
        trees = [SourceTree(own, plain, defined, function, target, ours=True)]
        if any(is_framework(name, HEADER_ENDS) for name in own):
            trees.append(SourceTree(own, plain, defined, function, target, ours=False))
        added = {name: text for tree in trees for name, text in tree.files().items()}
        return f"{OURS}/{SHIM}", {**added, SCRIPT: script(one for tree in trees for one in tree.builds())}

    def build(self, usual: str | None) -> str | None:  # noqa: ARG002 - it is not one file
        """Return the command that builds the trees."""
        return f"sh {SCRIPT}"

    def ask(self, situation: Situation, known: int) -> str:  # noqa: ARG002 - the board says it all
        """Send the mover, the rule, the opponent's move, and the orbs of each cell: Red's above 0, Blue's below."""
        state = situation.state
        options = state.game.options
        explosion = options.get("explosion")
        if (state.game.name, options.get("rows"), options.get("cols")) != (*self.games, ROWS, COLS) or (
            explosion not in EXPLOSIONS
        ):
            board = {"games": self.games[0], "rows": ROWS, "cols": COLS, "explosions": list(EXPLOSIONS)}
            raise UserError("protocols.algorithm_board", **board)
        orbs = [cell.orbs if cell.mark == "r" else -cell.orbs for cell in board_cells(state)]
        rule = EXPLOSIONS.index(explosion)
        return " ".join(map(str, [state.side + 1, rule, *opponents_move(situation), *orbs])) + "\n"

    def read(self, situation: Situation, line: str, notes: list[Message]) -> str | None:  # noqa: ARG002 - nothing is tolerated
        """Read what the function left in index: row and column from 0."""
        before = opponents_move(situation)
        unset = line.split() == [str(number) for number in before]
        no_cell = "protocols.algorithm_index_unset" if unset else "protocols.algorithm_no_cell"
        try:
            return read_cell(situation.state, line, "protocols.algorithm_no_numbers", no_cell)
        except Fault as fault:
            if not unset or before == NO_MOVE:
                raise
            message = Message("protocols.algorithm_index_left", row=before[0], col=before[1])
            raise Fault(fault.kind, message, move=fault.move) from None


NO_MOVE = (-1, -1)


def opponents_move(situation: Situation) -> tuple[int, int]:
    """Return row and column of the opponent's last move, which the course's main loop leaves in index."""
    moves = [move for side, move in situation.moves if side != situation.state.side]
    return (int(moves[-1][1:]) - 1, ord(moves[-1][0]) - ord("A")) if moves else NO_MOVE


class Function(NamedTuple):
    """A definition of a function that plays."""

    name: str
    as_taught: bool
    """Whether its result and parameters are those of the course's algorithm.h."""


def functions(plain: str) -> list[Function]:
    """Return the functions of a source that take a board, a player and numbers."""
    found = []
    for result, name, parameters in FUNCTION.findall(plain):
        words = re.findall(r"\w+|[^\w\s]", parameters)
        if {"Board", "Player"} <= set(words) and {"int", "signed"} & set(words):
            taught = [words[:1], words[2:4], words[5:7]] == [["Board"], [",", "Player"], [",", "int"]]
            found.append(Function(name, result == "void" and taught))
    return found


def plain_sources(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the C++ files without comments and quoted texts."""
    return {name: without_comments(text) for name, text in texts.items() if is_cpp(name)}


def definitions(plain: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the functions that play, with the files that define them."""
    found: dict[str, list[str]] = {}
    for name, text in plain.items():
        for function in functions(text):
            found.setdefault(function.name, []).append(name)
    return found


def chosen(defined: Mapping[str, Sequence[str]]) -> str | None:
    """Return the function that plays: `algorithm_A`, or the only one of the student, or that of its file's name."""
    if "algorithm_A" in defined:
        return "algorithm_A"
    alike = [name for name, files in defined.items() if name.lower() in map(stem, files)]
    named = [name for name, files in defined.items() if any(map(STUDENTS.fullmatch, map(stem, files)))]
    own = [name for name, files in defined.items() if not all(map(ASSISTANTS.fullmatch, map(stem, files)))]
    return next((among[0] for among in (named, own, alike, list(defined)) if len(among) == 1), None)


def nearest(names: Iterable[str]) -> list[str]:
    """Return the files that are named best, of those in the fewest folders: as the course names a student's file."""

    def rank(name: str) -> tuple[int, int]:
        own = stem(name)
        kinds = (STUDENTS.fullmatch(own), own.startswith("algorithm_"), not ASSISTANTS.fullmatch(own))
        return next((number for number, passes in enumerate(kinds) if passes), len(kinds)), name.count("/")

    ranks = {name: rank(name) for name in sorted(names)}
    return [name for name in ranks if ranks[name] == min(ranks.values())]


def is_framework(name: str, ends: Sequence[str]) -> bool:
    """Return whether a file is a part of the course's framework that we have too."""
    return stem(name) in FRAMEWORK and ending(name) in ends


class SourceTree:
    """The sources of a submission as they are built: which of them, and how they include each other."""

    def __init__(
        self,
        texts: Mapping[str, str],
        plain: Mapping[str, str],
        defined: Mapping[str, Sequence[str]],
        function: str,
        target: str,
        *,
        ours: bool,
    ) -> None:
        self.texts, self.plain, self.ours = texts, plain, ours
        self.folder = OURS if ours else THEIRS
        self.function, self.target = function, target
        self.sources = IncludedFiles(texts, self.header)
        self.handed_in = {} if ours else {name: found for name in HEADERS if (found := self.own_header(name)) in texts}
        along = list(self.along(defined, self.sources.included([target])))
        self.used = self.sources.included([target, *along, *self.handed_in.values()])
        within = {found for name in self.used for found in self.sources.includes(name)}
        self.along_with = [name for name in along if name not in within]
        includes = {found for name in self.used for found in self.sources.meant_by(name) if found}
        own = any(OWN_BOARD.search(plain[name]) for name in self.used)
        self.bare = ours and not own and not any(name.startswith("ludus/") for name in includes)

    def header(self, base: str, there: bool) -> str | None:
        """Return our header for an include: of the framework in our tree, elsewhere of what was not handed in."""
        if self.ours and is_framework(base, HEADER_ENDS + SOURCE_ENDS):
            return f"ludus/{stem(base)}.h"
        return f"ludus/{base}" if base in HEADERS and not there else None

    def own_header(self, name: str) -> str:
        """Return the header of the framework that was handed in under a name of ours; "" where there is none."""
        return self.sources.meant(name, self.target, angled=False) or ""

    def along(self, defined: Mapping[str, Sequence[str]], used: Iterable[str]) -> Iterator[str]:
        """Yield the sources that are compiled along with the target; what has a main or another algorithm is left out.

        An algorithm of others is wanted where the target, or what it includes, calls it.
        """
        called = {name for one in used for name in CALL.findall(self.plain[one])} - {self.function}
        wanted = {nearest(defined[name])[0] for name in called if name in defined} - {*defined[self.function]}
        others = {file for files in defined.values() for file in files} - wanted
        sources = [name for name in self.texts if ending(name) in SOURCE_ENDS and name not in used]
        for name in sources if len(sources) <= MOST_SOURCES else ():
            if (
                name not in others
                and not MAIN.search(self.plain[name])
                and not (self.ours and is_framework(name, SOURCE_ENDS))
            ):
                yield name

    def files(self) -> dict[str, str]:
        """Return the files of the tree."""
        made = {name: self.sources.rewritten(name) for name in self.used}
        made |= {f"ludus/{name}": shim(f"algorithm/{name}") for name in OUR_HEADERS} | {TALK: shim(TALK)}
        made["ludus/algorithm.h"] = made["ludus/algorithm.h"].replace("// LUDUS_DECLARED\n", self.declarations())
        if any(OWN_CELL.search(self.plain[name]) for name in self.handed_in.values()):
            made["ludus/cell.h"] = "".join(DIRECTIVE.findall(made["ludus/cell.h"]))
        made |= {f"ludus/{name}": f'#include "../{found}"\n' for name, found in self.handed_in.items()}
        made[SHIM] = shim(SHIM).replace("LUDUS_FILE", self.target).replace("LUDUS_FUNCTION", self.function)
        if self.bare:
            made[SHIM] = made[SHIM].replace(BEFORE_FILE, COURSE_FIRST + BEFORE_FILE)
        return {f"{self.folder}/{name}": text for name, text in made.items()}

    def declarations(self) -> str:
        """Declare the course's functions, but for those that are defined here in another way."""
        otherwise = {one.name for text in self.plain.values() for one in functions(text) if not one.as_taught}
        names = [f"algorithm_{letter}" for letter in USUAL if f"algorithm_{letter}" not in otherwise]
        return "".join(f"void {name}(Board board, Player player, int index[]);\n" for name in names)

    def builds(self) -> Iterator[Try]:
        """Yield what is compiled together: the target alone if that will do, then its relatives, then everything."""
        related = [name for name in self.along_with if self.is_related(name)]
        groups = [related, self.along_with] if not self.ours else [[], related, self.along_with]
        mark, flags = ("taught" if self.bare else "", []) if self.ours else ("framework", [FOR_FRAMEWORKS])
        for number, group in enumerate(groups):
            if group not in groups[:number]:
                sources = (*flags, SHIM, *(f"./{name}" for name in group))
                yield Try(self.folder, sources, mark, if_unlinked=number > 0)

    def is_related(self, name: str) -> bool:
        """Return whether a source belongs to a header that is used, or uses what the target uses."""
        headers = {one for one in self.used if ending(one) in HEADER_ENDS}
        return stem(name) in map(stem, headers) or not headers.isdisjoint(self.sources.includes(name))


PROTOCOL = Algorithm()
