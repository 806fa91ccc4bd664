"""What a game and a state are in Python, and the registry of games.

`Game` and `State` are contracts: a few members that each game must have, and a default for every other one. Callers use
the members and never ask whether they are there. Knows no particular game: each is a folder under `ludus.games`, or
an entry point of the group `ludus.games`.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, runtime_checkable

from ludus import _native
from ludus.drawing.look import Look
from ludus.encoding import SYMMETRY_NAMES, Actions, Symmetry, identity, planes_of_marks
from ludus.errors import ParseError, UserError, message_of
from ludus.messages import Message, verbatim

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

MASK_64 = 2**64 - 1


class Outcome(NamedTuple):
    """How a game ended: the winner's side, or None for a draw, and why.

    Example:
        >>> ludus.Outcome(winner=0)
        Outcome(winner=0, reason='rules')
    """

    winner: int | None
    reason: str = "rules"


class Step(NamedTuple):
    """One thing that happens on the board during a move."""

    kind: str
    cells: tuple[tuple[int, int], ...]
    points: int
    board: str

    @property
    def text(self) -> str:
        """Return the board after the step, so that it can be drawn as a state is."""
        return self.board


@runtime_checkable
class State(Protocol):
    """A position. Immutable, hashable, comparable and picklable.

    A state in Python needs `game`, `side`, `legal_moves`, `outcome`, `scores`, `text` and `play`.
    """

    @property
    def game(self) -> Game:
        """Return the game that this is a state of."""

    @property
    def side(self) -> int:
        """Return whose move it is: 0 the first player, 1 the second."""

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """Return the moves as texts; empty exactly when the game is over."""

    @property
    def outcome(self) -> Outcome | None:
        """Return None while the game goes on."""

    @property
    def scores(self) -> tuple[int, int] | None:
        """Return the points of (first, second), or None in a game without points."""

    @property
    def text(self) -> str:
        """Return the position as one line."""

    def play(self, move: str) -> State:
        """Return the state after a move."""

    # What follows has a default.

    @property
    def evaluation(self) -> int:
        """Return a quick evaluation for the side to move; 0 where the game has none."""
        return 0

    @property
    def most_moves(self) -> int | None:
        """Return how many moves the game can last from here at most, where the rules set a limit."""
        return None

    def move_name(self, move: str) -> str:
        """Return the usual spelling of a move."""
        return move

    def steps(self, move: str) -> tuple[Step, ...]:  # noqa: ARG002
        """Return what a move does on the board, step by step; empty where the game does not say."""
        return ()

    @property
    def legal_actions(self) -> tuple[int, ...]:
        """Return the legal moves as numbers, ascending; `game.actions` has their texts."""
        return tuple(sorted(self.game.actions.number(move) for move in self.legal_moves))

    def play_action(self, action: int) -> State:
        """Return the state after a move by its number."""
        return self.play(self.game.actions.text(action))

    def planes(self, side: int | None = None) -> NDArray[float32]:
        """Return the position as an array (planes, rows, columns), as the side to move or the given one sees it."""
        if not self.game.marks:
            raise UserError("rules.no_planes", name=self.game.name)
        return planes_of_marks(self.text, self.game.marks, self.side if side is None else side)

    @property
    def images(self) -> Sequence[Self]:
        """Return the state under each of the game's symmetries but the identity."""
        return ()

    def random_length(self, seed: int) -> int:
        """Return how many moves a game of random moves takes from here."""
        chooser, length, state = random.Random(seed), 0, self
        while state.outcome is None:
            state, length = state.play(chooser.choice(state.legal_moves)), length + 1
        return length


class Number(NamedTuple):
    """An option that takes a whole number of a range; a default of None is derived from the other options."""

    low: int
    high: int
    default: int | None
    help: str
    choices: tuple[()] = ()
    """It takes no words."""

    def read(self, name: str, value: object) -> int:
        """Check a value that a person gave; texts come from command lines."""
        try:
            number = int(value) if isinstance(value, str) else value
        except ValueError:
            number = None
        if type(number) is not int or not self.low <= number <= self.high:
            raise UserError("rules.option_number", name=name, low=self.low, high=self.high, value=repr(value))
        return number


class Choice(NamedTuple):
    """An option that takes one of a few words."""

    choices: tuple[str, ...]
    default: str
    help: str
    low: None = None
    high: None = None
    """It takes no numbers."""

    def read(self, name: str, value: object) -> str:
        """Check a value that a person gave."""
        if not isinstance(value, str) or value not in self.choices:
            raise UserError("rules.option_choice", name=name, choices=list(self.choices), value=repr(value))
        return value


def with_defaults(kinds: Mapping[str, Number | Choice], given: Mapping[str, int | str]) -> dict[str, int | str]:
    """Return the options that were given, checked, and the defaults of the others, where they have one."""
    values = {name: kind.read(name, given[name]) if name in given else kind.default for name, kind in kinds.items()}
    return {name: value for name, value in values.items() if value is not None}


MOVE_SHAPE = re.compile(r"[A-Za-z]\s?\d{1,3}|-?\d{1,3}(?:\s*+,\s*+|[^\S ]*+ \s*+)-?\d{1,3}|pass", re.IGNORECASE)
"""A cell as most games write it: a letter and a number, or two numbers."""


class Rules(NamedTuple):
    """What a compiled game's folder says about its rules, beyond those in C++: the options and the notation."""

    options: Mapping[str, Number | Choice]
    shape: Callable[[str], Mapping[str, int]] = lambda board: rows_and_cols(board.split("/"))
    """Return the options that a board field shows: its size."""
    least: Callable[[str], Mapping[str, int]] = lambda _board: {}
    """Return the options that a board field shows a lower bound of: the numbers on its tiles."""
    settle: Callable[[dict[str, int | str]], None] = lambda _options: None
    """Fill in the options whose default depends on others, and check how they go together."""
    read_move: Callable[[State, str], str] = lambda _state, text: text
    """Turn a move in course coordinates into ours; other texts pass unchanged."""
    move_shape: re.Pattern[str] = MOVE_SHAPE
    """What people write as a move, legal or not: a bot that prints such a text means it as its answer."""
    why: Callable[[State], Message | None] = lambda _state: None
    """Return by what rule a finished game ended, as a sentence: `Blue has no orbs left.`"""
    remarks: Callable[[State, str], Iterable[Message]] = lambda _state, _move: ()
    """Return what a move does in words of the game, each a sentence true by the rules, the most telling first."""


class CourseBoard(NamedTuple):
    """What a course's board file says: the state, and the seconds left where the file has them."""

    state: State
    seconds: float | None = None


class CourseSupport(NamedTuple):
    """What the course of a game needs."""

    read_file: Callable[[Game, str, str], CourseBoard] | None = None
    """Read a course's board file: (game, text, name of the file)."""
    write_file: Callable[[State, str], str] | None = None
    """Return the course's answer file: (state before, move)."""
    write_board: Callable[[State, float], str] | None = None
    """Return the course's board file, which `read_file` reads: (state, seconds left)."""
    boards: tuple[Mapping[str, int | str], ...] = ({},)
    """The options of the boards that it plays on."""
    clock: str = "10/move"
    protocol: str | None = None
    """Its protocol, where it has one of its own: starters use it in the languages that can."""
    opponents: tuple[str, ...] = ("random", "greedy", "alphabeta:depth=2", "engine:level=3")
    """The players that it measures bots against, the weakest first."""
    ladder: tuple[str, ...] = ()
    """The game's own players on its ladder, beside ours that play every game."""


class LessonStep(NamedTuple):
    """Some moves from a position that show a part of the rules, and the words beside them."""

    words: Message
    position: str
    moves: tuple[str, ...]


class Lesson(NamedTuple):
    """How to play a game, in a few steps that pages play on a board."""

    goal: Message
    """What wins, in one line."""
    hint: Message
    """What can be done at one's first move."""
    steps: tuple[LessonStep, ...]


@runtime_checkable
class Game(Protocol):
    """A game with its options settled.

    A game in Python needs `name`, `options`, `initial`, `parse` and `draw`.
    """

    @property
    def name(self) -> str:
        """Return the name that `ludus.game` knows it by."""

    @property
    def options(self) -> Mapping[str, int | str]:
        """Return every option with its value."""

    def initial(self, seed: int = 0) -> State:
        """Return the state before the first move; boards that are random depend on the seed."""

    def parse(self, text: str) -> State:
        """Read a position text."""

    def draw(self, state: State) -> str:
        """Draw the board as a person reads it, in plain text."""

    # What follows has a default.

    look: Look = Look()
    course: CourseSupport = CourseSupport()
    compiled: bool = False
    """Whether the rules are compiled: then states have a fast search of their own."""
    action_texts: tuple[str, ...] = ()
    """Every move text that its states can have: the actions, in this order."""
    marks: tuple[str, ...] = ()
    """The characters of the board field that `State.planes` shows, a plane for each."""
    lesson: Lesson | None = None
    """How to play it, for pages."""

    @property
    def actions(self) -> Actions:
        """Return its moves as numbers, each with one meaning in all states."""
        if not self.action_texts:
            raise UserError("rules.no_actions", name=self.name)
        return Actions(self.name, self.action_texts)

    @property
    def plane_names(self) -> tuple[str, ...]:
        """Return what each plane of `State.planes` shows."""
        return (*(f"mark {mark}" for mark in self.marks), "second")

    @property
    def plane_shape(self) -> tuple[int, ...]:
        """Return the shape of `State.planes`: planes, rows, columns."""
        return tuple(self.initial().planes().shape)

    @property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """Return the ways to lay the board upon itself that the rules do not notice, the identity first."""
        return (identity(len(self.actions)),)

    @property
    def title(self) -> Message:
        """Return its name for people."""
        return verbatim(self.name)

    @property
    def sides(self) -> tuple[Message, Message]:
        """Return what the players are called on the board: colours or marks."""
        return Message("rules.first"), Message("rules.second")

    @property
    def given(self) -> Mapping[str, int | str]:
        """Return the options that were chosen; the others have their default."""
        return self.options

    @property
    def option_types(self) -> Mapping[str, Number | Choice]:
        """Return what each option can be."""
        return {}

    @property
    def move_shape(self) -> re.Pattern[str]:
        """Return what people write as a move, legal or not."""
        return MOVE_SHAPE

    def with_options(self, **changed: int | str) -> Game:
        """Return the same game with some options changed."""
        return game(self.name, **{**self.given, **changed})

    def read_move(self, state: State, text: str) -> str:  # noqa: ARG002
        """Turn a move in course coordinates into ours; other texts pass unchanged."""
        return text

    def why(self, state: State) -> Message | None:  # noqa: ARG002
        """Return by what rule a finished game ended, as a sentence; None where the game does not say."""
        return None

    def remarks(self, state: State, move: str) -> Iterable[Message]:  # noqa: ARG002
        """Return what a move does in words of the game, each a sentence true by the rules, the most telling first."""
        return ()

    def perft(self, state: State, depth: int) -> int:
        """Return the number of move sequences of that length from a state."""
        if depth < 0:
            raise UserError("rules.depth", depth=depth)
        if depth < 2:
            return len(state.legal_moves) if depth else 1
        return sum(self.perft(state.play(move), depth - 1) for move in state.legal_moves)

    def make_engine(self, table_bytes: int) -> _native.Engine | None:  # noqa: ARG002
        """Return a compiled search for this game; None where there is none, and Python searches."""
        return None

    def look_ahead(self, state: State, method: str, depth: int, evaluator: str) -> SearchAnswer | None:  # noqa: ARG002
        """Search a state to a fixed depth; None where there is no compiled search."""
        return None

    def play_out(self, state: State, playouts: int, seed: int) -> SearchAnswer | None:  # noqa: ARG002
        """Search a state by random games; None where there is no compiled search."""
        return None


SearchAnswer = tuple[str, float, int, int]
"""What a teaching search returns: the move, its value, the nodes and the depth."""


class NativeGame(Game):
    """A game whose rules are compiled. Equal games have equal options."""

    compiled = True

    def __init__(
        self, name: str, rules: Rules, look: Look, course: CourseSupport, given: Mapping[str, int | str]
    ) -> None:
        settled = with_defaults(rules.options, given)
        rules.settle(settled)
        self._name, self._given, self._rules = name, dict(given), rules
        self.look, self.course = look, course
        self._options: Mapping[str, int | str] = {option: settled[option] for option in rules.options}
        self._native = _native.make_game(name, {option: str(value) for option, value in self._options.items()})

    @property
    def name(self) -> str:
        """Return the name that `ludus.game` knows it by."""
        return self._name

    @property
    def title(self) -> Message:
        """Return its name for people."""
        return Message(f"{self.folder}.title")

    @property
    def sides(self) -> tuple[Message, Message]:
        """Return what the players are called on the board: colours or marks."""
        return Message(f"{self.folder}.first"), Message(f"{self.folder}.second")

    @property
    def folder(self) -> str:
        """Return the name of its folder, which its messages begin with."""
        return self._name.replace("-", "_")

    @property
    def options(self) -> Mapping[str, int | str]:
        """Return every option with its value."""
        return self._options

    @property
    def given(self) -> Mapping[str, int | str]:
        """Return the options that were chosen; the others have their default."""
        return self._given

    @property
    def option_types(self) -> Mapping[str, Number | Choice]:
        """Return what each option can be."""
        return self._rules.options

    @property
    def move_shape(self) -> re.Pattern[str]:
        """Return what people write as a move, legal or not."""
        return self._rules.move_shape

    @functools.cached_property
    def lesson(self) -> Lesson | None:  # type: ignore[override]  # read when it is asked for
        """Return how to play it: the steps of its lesson.json, with the words of its catalogue."""
        path = f"{importlib.import_module('ludus.games').__path__[0]}/{self.folder}/lesson.json"
        if not os.path.exists(path):  # noqa: PTH110 - importing pathlib costs 5 ms
            return None
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            found = json.load(file)
        words = self.folder
        steps = (
            LessonStep(Message(f"{words}.lesson.{number}"), step["position"], tuple(step["moves"]))
            for number, step in enumerate(found, 1)
        )
        return Lesson(Message(f"{words}.lesson.goal", **self.options), Message(f"{words}.lesson.hint"), tuple(steps))

    @functools.cached_property
    def _encoding(self) -> _native.Encoding:
        return self._native.encoding()

    @functools.cached_property
    def actions(self) -> Actions:
        """Return its moves as numbers, each with one meaning in all states."""
        return Actions(self.name, self._encoding[0])

    @property
    def plane_names(self) -> tuple[str, ...]:
        """Return what each plane of `State.planes` shows."""
        return self._encoding[1]

    @property
    def plane_shape(self) -> tuple[int, int, int]:
        """Return the shape of `State.planes`: planes, rows, columns."""
        rows, cols = self._encoding[2]
        return len(self.plane_names), rows, cols

    @functools.cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """Return the ways to lay the board upon itself that the rules do not notice, the identity first."""
        others = (
            Symmetry(SYMMETRY_NAMES[mirror, flip, transpose], tuple(goes), mirror, flip, transpose, place)
            for place, (mirror, flip, transpose, goes) in enumerate(self._encoding[3], 1)
        )
        return (identity(len(self.actions)), *others)

    def make_batch(self, states: int, *, seed: int, threads: int, auto_reset: bool, points: bool) -> _native.Batch:
        """Return many states that are played at once; `ludus.batch` is the way to use it."""
        return self._native.make_batch(states, seed=seed, threads=threads, auto_reset=auto_reset, points=points)

    def with_options(self, **changed: int | str) -> NativeGame:
        """Return the same game with some options changed."""
        for option in changed:
            if option not in self._rules.options:
                names = ", ".join(self._rules.options)
                raise UserError("rules.no_option", name=self.name, option=repr(option), names=names)
        checked = {option: self._rules.options[option].read(option, value) for option, value in changed.items()}
        return NativeGame(self.name, self._rules, self.look, self.course, {**self.given, **checked})

    def initial(self, seed: int = 0) -> _native.State:
        """Return the state before the first move; boards that are random depend on the seed."""
        return self._native.initial(self, seed & MASK_64)

    def parse(self, text: str) -> _native.State:
        """Read a position text of any size that the game allows and the given options agree with."""
        text = text.rstrip("\r\n")
        if not text.isascii():
            column = next(i for i, char in enumerate(text, 1) if not char.isascii())
            raise ParseError(Message("rules.foreign_character", text=repr(text[column - 1])), column=column)
        board = text.partition(" ")[0]
        game = self._of_shape(self._rules.shape(board))._with_at_least(self._rules.least(board))  # noqa: SLF001 - its own class
        return game._native.parse(game, text)  # noqa: SLF001

    def _of_shape(self, shape: Mapping[str, int]) -> NativeGame:
        """Return the game for a position of that shape: this one where it fits."""
        for name, value in shape.items():
            if name in self.given and self.given[name] != value:
                raise ParseError(Message("rules.other_options", name=name, value=value, given=self.given[name]))
        if all(self.options[name] == value for name, value in shape.items()):
            return self
        try:
            return self.with_options(**shape)
        except ValueError as error:
            raise ParseError(Message("rules.no_such_size", name=self.name, error=message_of(error))) from None

    def _with_at_least(self, least: Mapping[str, int]) -> NativeGame:
        """Return the game with options that were not given raised to what a position shows."""
        raised = {name: low for name, low in least.items() if name not in self.given and int(self.options[name]) < low}
        return self.with_options(**raised) if raised else self

    def draw(self, state: State) -> str:
        """Draw the board as a person reads it, in plain text."""
        return self.look.board(state).plain() if self.look.board else state.text

    def read_move(self, state: State, text: str) -> str:
        """Turn a move in course coordinates into ours; other texts pass unchanged."""
        return self._rules.read_move(state, text)

    def why(self, state: State) -> Message | None:
        """Return by what rule a finished game ended, as a sentence; None where the game does not say."""
        return self._rules.why(state)

    def remarks(self, state: State, move: str) -> Iterable[Message]:
        """Return what a move does in words of the game, each a sentence true by the rules, the most telling first."""
        return self._rules.remarks(state, move)

    def perft(self, state: State, depth: int) -> int:
        """Return the number of move sequences of that length from a state."""
        if depth < 0:
            raise UserError("rules.depth", depth=depth)
        return _native.perft(state, depth)

    def make_engine(self, table_bytes: int) -> _native.Engine:
        """Return a search for this game; `ludus.analyse` and the player `engine` are the ways to use it."""
        return self._native.make_engine(table_bytes)

    def look_ahead(self, state: State, method: str, depth: int, evaluator: str) -> SearchAnswer:
        """Search a state to a fixed depth."""
        return _native.look_ahead(state, method, depth, evaluator)

    def play_out(self, state: State, playouts: int, seed: int) -> SearchAnswer:
        """Search a state by random games."""
        return _native.play_out(state, playouts, seed)

    def random_plies(self, games: int, seed: int) -> int:
        """Return how many moves that many random games take together."""
        return self._native.random_plies(games, seed)

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


REQUIRED: Mapping[type, frozenset[str]] = {
    Game: frozenset(("name", "options", "initial", "parse", "draw")),
    State: frozenset(("game", "side", "legal_moves", "outcome", "scores", "text", "play")),
}
"""The members of each contract that have no default."""
_complete_classes: set[type] = set()


def _complete(thing: object, contract: type) -> None:
    """Add the defaults of a contract to the class of an object that lacks them."""
    if type(thing) not in _complete_classes:
        if contract is State and not hasattr(thing, "game"):
            raise UserError("rules.no_state", given=repr(thing))
        for name, default in vars(contract).items():
            has_it = hasattr(type(thing), name) or hasattr(thing, name)
            if name[0] != "_" and name not in REQUIRED[contract] and not has_it:
                setattr(type(thing), name, default)
        _complete_classes.add(type(thing))


def complete(state: State) -> State:
    """Return a state of any package; it and its game have every member of their contracts from now on.

    Classes that derive from `Game` and `State` have them anyway; others need not know of Ludus at all.
    """
    _complete(state, State)
    _complete(state.game, Game)
    return state


@functools.cache
def _folders() -> Mapping[str, str]:
    """Return the games of this package: name and module, without importing any."""
    folder = importlib.import_module("ludus.games").__path__[0]
    names = os.listdir(folder)  # noqa: PTH208 - importing pathlib costs 5 ms
    return {name.replace("_", "-"): f"ludus.games.{name}" for name in names if name[0] != "_"}


@functools.cache
def games_of_other_packages() -> Mapping[str, Any]:
    """Return the games that other packages bring."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to import, and seldom needed

    return {entry.name: entry for entry in entry_points(group="ludus.games")}


def games() -> tuple[str, ...]:
    """Return the names of all games, those of other packages too.

    Example:
        >>> "connect-four" in ludus.games()
        True
    """
    return tuple(sorted({*_folders(), *games_of_other_packages()}))


def game(name: str, /, **options: int | str) -> Game:
    """Return a game by name and options.

    Args:
        name: One of `games()`.
        options: The options of the game, such as `rows=10`; the page of each game lists them.

    Raises:
        ValueError: There is no such game, option or value; the message names the valid ones.

    Example:
        >>> small = ludus.game("cantris", rows=6, cols=3)
        >>> small.initial(seed=3).side
        0
    """
    if name in _folders():
        folder = importlib.import_module(_folders()[name])
        return NativeGame(name, folder.RULES, folder.LOOK, folder.COURSE, {}).with_options(**options)
    if name in games_of_other_packages():
        made: Game = games_of_other_packages()[name].load()(**options)
        return complete(made.initial()).game
    raise UserError("rules.no_game", name=repr(name), games=list(games()))


def read_options(words: Iterable[str]) -> dict[str, int | str]:
    """Read options as people write them, `name=value`; their game checks the values."""
    options: dict[str, int | str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise UserError("rules.option_form", word=repr(word))
        options[name] = value
    return options


SECONDS_LINE = re.compile(r"\d+(\.\d+)?")


def read_position(game: Game, text: str, source: str) -> CourseBoard:
    """Read a position: one line is a position text, more lines are the board file of the game's course.

    A position text may be followed by a line with the seconds left, as `input.txt` has it in games without a form of
    their own.
    """
    first, *more = text.removeprefix("\ufeff").strip().splitlines() or [""]
    try:
        if not more:
            return CourseBoard(game.parse(first.strip()))
        if len(more) == 1 and "/" in first and SECONDS_LINE.fullmatch(more[0].strip()):
            return CourseBoard(game.parse(first.strip()), float(more[0]))
        if game.course.read_file is None:
            raise ParseError(Message("rules.one_line", name=game.name), 2)
        return game.course.read_file(game, text, source)
    except ParseError as error:
        raise ParseError(error.message, error.line, error.column, source) from None


def rows_and_cols(rows: Sequence[Sequence[object]]) -> dict[str, int]:
    """Return the size of a rectangular board as options; a row of another length is a ParseError."""
    for index, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise ParseError(Message("rules.uneven_rows", index=index, count=len(row), count2=len(rows[0])))
    return {"rows": len(rows), "cols": len(rows[0])}


def read_move(state: State, line: str) -> str:
    """Read a move in the game's notation or in course coordinates, in capitals or not."""
    text = state.game.read_move(state, line)
    by_name = {move.lower(): move for move in state.legal_moves}
    if text.lower() in by_name:
        return by_name[text.lower()]
    name = state.move_name(re.sub(r"[^\x20-\x7e]", "?", text))  # moves are plain characters; the answer quotes them
    state.play(name)  # says why where the name alone does not
    return name
