"""What a game and a state are in Python, and the registry of games.

Knows no particular game: each is a folder under `ludus.games`, or an entry point of the group `ludus.games`.
"""

from __future__ import annotations

import functools
import importlib
import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from ludus import _native
from ludus.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ludus.drawing.text_board import Board

MASK_64 = 2**64 - 1


class Outcome(NamedTuple):
    """How a game ended: the winner's side, or None for a tie, and why."""

    winner: int | None
    reason: str = "rules"


class HasText(Protocol):
    """What a board can be drawn from: a state, or a step of a move."""

    @property
    def text(self) -> str:
        """A text that begins with the board field."""


class Step(NamedTuple):
    """One thing that happens on the board during a move."""

    kind: str
    cells: tuple[tuple[int, int], ...]
    points: int
    board: str

    @property
    def text(self) -> str:
        """The board after the step, so that it can be drawn as a state is."""
        return self.board


@runtime_checkable
class State(Protocol):
    """A position. Immutable, hashable, comparable and picklable."""

    @property
    def game(self) -> Game:
        """The game that this is a state of."""

    @property
    def side(self) -> int:
        """Whose move it is: 0 the first player, 1 the second."""

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """The moves as texts; empty exactly when the game is over."""

    @property
    def outcome(self) -> Outcome | None:
        """None while the game goes on."""

    @property
    def scores(self) -> tuple[int, int] | None:
        """The points of (first, second), or None in a game without points."""

    @property
    def text(self) -> str:
        """The position as one line."""

    def play(self, move: str) -> State:
        """Give the state after a move."""


class CourseBoard(NamedTuple):
    """What a course's board file says: the state, and the seconds left where the file has them."""

    state: State
    seconds: float | None = None


@runtime_checkable
class Game(Protocol):
    """A game with its options settled."""

    @property
    def name(self) -> str:
        """The name that `ludus.game` knows it by."""

    @property
    def options(self) -> Mapping[str, int | str]:
        """Every option with its value."""

    def initial(self, seed: int = 0) -> State:
        """Give the state before the first move; boards that are random depend on the seed."""

    def parse(self, text: str) -> State:
        """Read a position text."""

    def draw(self, state: State) -> str:
        """Draw the board as a person reads it, in plain text."""


class Number(NamedTuple):
    """An option that takes a whole number of a range; a default of None is derived from the other options."""

    low: int
    high: int
    default: int | None
    help: str

    def read(self, name: str, value: object) -> int:
        """Check a value that a person gave; texts come from command lines."""
        try:
            number = int(value) if isinstance(value, str) else value
        except ValueError:
            number = None
        if type(number) is not int or not self.low <= number <= self.high:
            raise ValueError(f"option {name} must be a whole number from {self.low} to {self.high}, not {value!r}")
        return number


class Choice(NamedTuple):
    """An option that takes one of a few words."""

    choices: tuple[str, ...]
    default: str
    help: str

    def read(self, name: str, value: object) -> str:
        """Check a value that a person gave."""
        if not isinstance(value, str) or value not in self.choices:
            raise ValueError(f"option {name} must be one of {', '.join(self.choices)}, not {value!r}")
        return value


class GameFamily(NamedTuple):
    """All that a game's folder says about it: the sizes and variants it comes in, its looks, its course's files.

    Calling a family with options gives a game.
    """

    name: str
    title: str
    options: Mapping[str, Number | Choice]
    sides: tuple[str, str]
    """What the players are called on the board: colours or marks."""
    shape: Callable[[str], Mapping[str, int]]
    """The options that a board field shows by its looks: its size."""
    board: Callable[[HasText], Board]
    """A state, or a step of a move, as a picture that a terminal can show."""
    least: Callable[[str], Mapping[str, int]] = lambda _board: {}
    """The options that a board field shows a lower bound of: the numbers on its tiles."""
    settle: Callable[[dict[str, int | str]], None] = lambda _options: None
    """Fills in the options whose default depends on others, and checks how they go together."""
    read_move: Callable[[State, str], str] = lambda _state, text: text
    """Turns a move in course coordinates into ours; other texts pass unchanged."""
    read_file: Callable[[NativeGame, str, str], CourseBoard] | None = None
    """Reads a course's board file: (game, text, name of the file)."""
    write_file: Callable[[State, str], str] | None = None
    """The course's answer file: (state before, move)."""
    write_board: Callable[[State, float], str] | None = None
    """The course's board file, which `read_file` reads: (state, seconds left)."""
    palette: Callable[[NativeGame], tuple[str, ...]] = lambda _game: ()
    """What a cell of a board field may hold, as texts: first of all nothing. For those who set up a board by hand."""
    why: Callable[[State], str] = lambda _state: ""
    """What ended a finished game, where more can be said than the points tell: `Blue has no orb left`."""
    course_boards: tuple[Mapping[str, int | str], ...] = ({},)
    """The options of the boards that its course plays on."""
    course_clock: str = "10/move"
    """The clock of its course."""
    course_protocol: str | None = None
    """The protocol of its course, where it has one of its own: starters use it in the languages that can."""
    course_opponents: tuple[str, ...] = ("random", "greedy", "alphabeta:depth=2", "engine:level=3")
    """The players that its course measures bots against, the weakest first."""

    def __call__(self, **given: int | str) -> NativeGame:
        """Settle the options and give the game."""
        for name in given:
            if name not in self.options:
                raise ValueError(f"{self.name} has no option {name!r}; its options are {', '.join(self.options)}")
        checked = {name: self.options[name].read(name, value) for name, value in given.items()}
        return NativeGame(self, checked)


class NativeGame:
    """A game whose rules are compiled. Equal games have equal options."""

    def __init__(self, family: GameFamily, given: Mapping[str, int | str]) -> None:
        settled: dict[str, int | str] = {}
        for name, option in family.options.items():
            if name in given:
                settled[name] = given[name]
            elif option.default is not None:
                settled[name] = option.default
        family.settle(settled)
        self.family = family
        self.given = dict(given)
        self.options: Mapping[str, int | str] = {name: settled[name] for name in family.options}
        self._rules = _native.make_game(family.name, {name: str(value) for name, value in self.options.items()})

    @property
    def name(self) -> str:
        """The name that `ludus.game` knows it by."""
        return self.family.name

    def initial(self, seed: int = 0) -> _native.State:
        """Give the state before the first move; boards that are random depend on the seed."""
        return self._rules.initial(self, seed & MASK_64)

    def parse(self, text: str) -> _native.State:
        """Read a position text of any size that the game allows and the given options agree with."""
        text = text.rstrip("\r\n")
        if not text.isascii():
            column = next(i for i, char in enumerate(text, 1) if not char.isascii())
            raise ParseError(f"{text[column - 1]!r} has no place in a position", column=column)
        board = text.partition(" ")[0]
        game = self._of_shape(self.family.shape(board))._with_at_least(self.family.least(board))
        return game._rules.parse(game, text)

    def _of_shape(self, shape: Mapping[str, int]) -> NativeGame:
        """Give the game for a position of that shape: this one where it fits."""
        for name, value in shape.items():
            if name in self.given and self.given[name] != value:
                raise ParseError(f"the position has {name}={value}, but the game was set up with {self.given[name]}")
        if all(self.options[name] == value for name, value in shape.items()):
            return self
        try:
            return self.family(**{**self.given, **shape})
        except ValueError as error:
            raise ParseError(f"no board of {self.name} has this size: {error}") from None

    def _with_at_least(self, least: Mapping[str, int]) -> NativeGame:
        """Give the game whose options that nobody gave reach what a position shows; what was given stays."""
        raised = {name: low for name, low in least.items() if name not in self.given and int(self.options[name]) < low}
        return self.family(**{**self.given, **raised}) if raised else self

    def perft(self, state: _native.State, depth: int) -> int:
        """Give the number of move sequences of that length from a state."""
        if depth < 0:
            raise ValueError(f"depth must be 0 or more, not {depth}")
        return _native.perft(state, depth)

    def make_engine(self, table_bytes: int) -> _native.Engine:
        """Make a search for this game; `ludus.analyse` and the player `engine` are the ways to use it."""
        return self._rules.make_engine(table_bytes)

    def draw(self, state: State) -> str:
        """Draw the board as a person reads it, in plain text."""
        return self.family.board(state).plain()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NativeGame) and (self.name, self.options) == (other.name, other.options)

    def __hash__(self) -> int:
        return hash((self.name, *self.options.items()))

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.given.items())
        return f"ludus.game({self.name!r}{given})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.name, self.given)


def _restore(name: str, given: Mapping[str, int | str]) -> Game:
    return game(name, **given)


@functools.cache
def _folders() -> Mapping[str, str]:
    """Find the games of this package: name and module, without importing any."""
    folder = importlib.import_module("ludus.games").__path__[0]
    names = os.listdir(folder)  # noqa: PTH208 - importing pathlib costs 5 ms
    return {name.replace("_", "-"): f"ludus.games.{name}" for name in names if name[0] != "_"}


@functools.cache
def _entry_points() -> Mapping[str, Any]:
    """Find the games that other packages bring."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to import, and seldom needed

    return {entry.name: entry for entry in entry_points(group="ludus.games")}


def games() -> tuple[str, ...]:
    """Give the names of all games."""
    return tuple(sorted({*_folders(), *_entry_points()}))


def family(name: str) -> Callable[..., Game]:
    """Give what makes games of that name; for the games of this package a GameFamily."""
    if name in _folders():
        made: Callable[..., Game] = importlib.import_module(_folders()[name]).FAMILY
        return made
    if name in _entry_points():
        loaded: Callable[..., Game] = _entry_points()[name].load()
        return loaded
    raise ValueError(f"there is no game {name!r}; the games are {', '.join(games())}")


def game(name: str, /, **options: int | str) -> Game:
    """Give a game by name and options."""
    return family(name)(**options)


def read_options(words: Iterable[str]) -> dict[str, int | str]:
    """Read options as people write them, `name=value`; their game checks the values."""
    options: dict[str, int | str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise ValueError(f"an option is written name=value, not {word!r}")
        options[name] = value
    return options


SECONDS_LINE = re.compile(r"\d+(\.\d+)?")


def read_position(game: Game, text: str, source: str) -> CourseBoard:
    """Read a position: one line is a position text, more lines are the board file of the game's course.

    A position text may be followed by a line with the seconds left, as `input.txt` has it in games without a form of
    their own.
    """
    course_file = getattr(getattr(game, "family", None), "read_file", None)
    first, *more = text.removeprefix("\ufeff").strip().splitlines() or [""]
    try:
        if not more:
            return CourseBoard(game.parse(first.strip()))
        if len(more) == 1 and "/" in first and SECONDS_LINE.fullmatch(more[0].strip()):
            return CourseBoard(game.parse(first.strip()), float(more[0]))
        if course_file is None:
            raise ParseError(f"a position of {game.name} is one line", 2)
        read: CourseBoard = course_file(game, text, source)
    except ParseError as error:
        raise ParseError(error.message, error.line, error.column, source) from None
    return read


def check_shape(rows: Sequence[Sequence[object]]) -> tuple[int, int]:
    """Give (rows, columns) of a rectangular board; a row of another length is a ParseError."""
    for index, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise ParseError(f"row {index} of the board has {len(row)} cells, but row 1 has {len(rows[0])}")
    return len(rows), len(rows[0])


def read_move(state: State, line: str) -> str:
    """Read a move in the game's notation or in course coordinates, in capitals or not."""
    course = getattr(getattr(state.game, "family", None), "read_move", None)
    text = course(state, line) if course is not None else line
    by_name = {move.lower(): move for move in state.legal_moves}
    if text.lower() in by_name:
        return by_name[text.lower()]
    shown = re.sub(r"[^\x20-\x7e]", "?", text)  # moves are plain characters; the answer quotes them
    name: str = getattr(state, "move_name", str)(shown)
    state.play(name)  # says why where the name alone does not
    return name
