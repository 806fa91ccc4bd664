"""Players: who chooses a move, and how one is written. Each module of this folder brings some.

A player is one text everywhere: a name, or a name and options as in `random:seed=3`, or a bot: the path of its folder
or file, or a protocol and a command as in `lines:./mybot`. A game may bring players of its own, in a module `players`
of its folder: names with another player's text, or with a function from a state to a move.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import pkgutil
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ludus.game import read_options
from ludus.protocols import protocols

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ludus.game import Game, State
    from ludus.play.clock import TimeLeft

HUMAN = "human"
"""A person; the front that shows the board asks them."""


class Thought(NamedTuple):
    """What a player thought of the last position, and what that took."""

    move: str
    value: float
    """To the side to move, in the player's own measure."""
    nodes: int
    """The moves that it played to find out."""
    seconds: float
    depth: int
    """The longest line that it looked at, the search's tree only."""


class Player(Protocol):
    """Someone who chooses moves. One who can tell about the last choice has it in `last`, a Thought or the like.

    A player that lives outside has more: `follow` is told the game so far before each choice, `spent` says what the
    choice took by its own count, `close` ends it; its failures are Faults.
    """

    def choose(self, state: State, time: TimeLeft) -> str:
        """Give a legal move of an open state, in time."""


class FunctionPlayer:
    """A player that is no more than a function."""

    def __init__(self, function: Callable[[State], str]) -> None:
        self._function = function

    def choose(self, state: State, time: TimeLeft) -> str:  # noqa: ARG002 - a function takes no notice of a clock
        """Call it."""
        return self._function(state)


class GamePlayer:
    """A player that belongs to one game and refuses others."""

    def __init__(self, name: str, game: str, plays: str | Callable[[State], str], /, **options: str) -> None:
        self.name = name
        self.game = game
        if isinstance(plays, str):
            self._inner: Player = _make(plays, options)
        else:
            no_option(name, options, ())
            self._inner = FunctionPlayer(plays)

    @property
    def last(self) -> Thought | None:
        """What it thought of the last position, if it can tell."""
        thought: Thought | None = getattr(self._inner, "last", None)
        return thought

    def choose(self, state: State, time: TimeLeft) -> str:
        """Choose as its game's folder says."""
        self.check(state.game)
        return self._inner.choose(state, time)

    def check(self, game: Game) -> None:
        """Refuse a game that is not its own."""
        if game.name != self.game:
            raise ValueError(f"player {self.name} plays {self.game} only, not {game.name}")


def _of_games() -> Iterator[tuple[str, Callable[..., Player]]]:
    """Find the players that the games of this package bring."""
    games = importlib.import_module("ludus.games")
    for folder in pkgutil.iter_modules(games.__path__):
        module = f"{games.__name__}.{folder.name}.players"
        if importlib.util.find_spec(module) is not None:
            for name, plays in importlib.import_module(module).PLAYERS.items():
                yield name, functools.partial(GamePlayer, name, folder.name.replace("_", "-"), plays)


@functools.cache
def _makers() -> Mapping[str, Callable[..., Player]]:
    """Find every player: those of other packages, of the games' folders and of this folder."""
    found: dict[str, Any] = {entry.name: entry.load() for entry in entry_points(group="ludus.players")}
    found |= _of_games()
    for module in pkgutil.iter_modules(__path__):
        found |= importlib.import_module(f"{__name__}.{module.name}").PLAYERS
    return dict(sorted(found.items()))


def players() -> tuple[str, ...]:
    """Give the names that a player's text can begin with."""
    return (HUMAN, *_makers())


def is_named(text: str) -> bool:
    """Tell whether a text names a player of ours, and neither a person nor a program from outside."""
    return text.partition(":")[0] in _makers()


def player(text: str, game: Game | None = None, *, trusted: bool = False, pondering: bool = False) -> Player:
    """Make a player from its text; a game that it does not play is refused at once.

    Bots run in the sandbox, unless they are trusted: that is for one's own only. In the opponent's turn they are
    paused, unless pondering is allowed.
    """
    made = _bot(text, trusted=trusted, pondering=pondering) or _make(text)
    check: Callable[[Game], None] | None = getattr(made, "check", None)
    if game is not None and check is not None:
        check(game)
    return made


def _bot(text: str, *, trusted: bool, pondering: bool) -> Player | None:
    """Make a bot, if that is what the text is: a protocol and a command, or a path."""
    name, colon, rest = text.partition(":")
    command = colon and name in protocols()
    if not command and (name in players() or not (os.sep in text or os.path.exists(text))):  # noqa: PTH110
        return None
    from ludus.bots import read_bot, read_command  # noqa: PLC0415 - only where there are bots
    from ludus.bots.player import BotPlayer  # noqa: PLC0415

    bot = read_command(rest, name) if command else read_bot(text)
    return BotPlayer(bot, trusted=trusted, pondering=pondering)


def _make(text: str, more: Mapping[str, Any] | None = None) -> Player:
    """Make a player from its text, with some options changed."""
    name, _, words = text.partition(":")
    if name not in _makers():
        known = ", ".join(players())
        raise ValueError(f"there is no player {name!r}; the players are {known}, or the path of a bot")
    return _makers()[name](**read_options(words.split(",") if words else ()) | dict(more or {}))


def no_option(name: str, unknown: Mapping[str, object], known: tuple[str, ...]) -> None:
    """Refuse options that a player does not have."""
    for key in unknown:
        has = f"its options are {', '.join(known)}" if known else "it has none"
        raise ValueError(f"player {name} has no option {key!r}; {has}")
