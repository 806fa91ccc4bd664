"""Players: who chooses a move, and how a player is written. Each module of this folder defines some.

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
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from ludus.errors import UserError
from ludus.game import Game, State, read_options
from ludus.game import game as game_of
from ludus.play.clock import Clock, TimeLeft
from ludus.play.match import Match
from ludus.play.player import Player
from ludus.protocols import protocol, protocols

if TYPE_CHECKING:
    from ludus.bots import Bot
    from ludus.play.record import Record

HUMAN = "human"
"""A person; the front that shows the board asks them."""


class FunctionPlayer(Player):
    """A player that is no more than a function."""

    def __init__(self, function: Callable[[State], str]) -> None:
        self._function = function

    def choose(self, state: State, time: TimeLeft) -> str:  # noqa: ARG002 - a function takes no notice of a clock
        """Call it."""
        return self._function(state)


class GamePlayer(Player):
    """A player that belongs to one game and refuses others."""

    def __init__(self, name: str, game: str, plays: str | Callable[[State], str], /, **options: str) -> None:
        self.name = name
        self.game = game
        if callable(plays):
            no_option(name, options, ())
            self._inner: Player = FunctionPlayer(plays)
        else:
            self._inner = _make(plays, options)

    def choose(self, state: State, time: TimeLeft) -> str:
        """Choose as its game's folder says."""
        self.check(state.game)
        move = self._inner.choose(state, time)
        self.last = self._inner.last
        return move

    def check(self, game: Game) -> None:
        """Refuse a game that is not its own."""
        if game.name != self.game:
            raise UserError("players.other_game", name=self.name, game=self.game, name2=game.name)


class OtherPackagesPlayer(Player):
    """A player of another package that is no `Player` itself: all that it needs is `choose`."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def choose(self, state: State, time: TimeLeft) -> str:
        """Let it choose; what it thought is taken along where it tells."""
        move: str = self._inner.choose(state, time)
        self.last = getattr(self._inner, "last", None)
        return move


def _adapted(entry: Any) -> Callable[..., Player]:
    """Return a maker of players from an entry point, which is loaded when it is needed."""

    def adapted(**options: str) -> Player:
        made = entry.load()(**options)
        return made if isinstance(made, Player) else OtherPackagesPlayer(made)

    return adapted


def _of_games() -> Iterator[tuple[str, Callable[..., Player]]]:
    """Find the players that the games of this package bring."""
    games = importlib.import_module("ludus.games")
    for folder in pkgutil.iter_modules(games.__path__):
        module = f"{games.__name__}.{folder.name}.players"
        if importlib.util.find_spec(module) is not None:
            for name, plays in importlib.import_module(module).PLAYERS.items():
                yield name, functools.partial(GamePlayer, name, folder.name.replace("_", "-"), plays)


@functools.cache
def makers() -> Mapping[str, Callable[..., Player]]:
    """Return what makes each player, by its name: other packages', the games' folders' and this folder's."""
    found: dict[str, Any] = {entry.name: _adapted(entry) for entry in entry_points(group="ludus.players")}
    found |= _of_games()
    for module in pkgutil.iter_modules(__path__):
        found |= importlib.import_module(f"{__name__}.{module.name}").PLAYERS
    return dict(sorted(found.items()))


def players() -> tuple[str, ...]:
    """Return the names that a player's text can begin with."""
    return (HUMAN, *makers())


def is_named(text: str) -> bool:
    """Return whether a text names a built-in player, and neither a person nor an external program."""
    return text.partition(":")[0] in makers()


def player(text: str, game: Game | None = None, *, trusted: bool = False, pondering: bool = False) -> Player:
    """Return the player of a text; raise UserError for a game that it does not play.

    Bots run in the sandbox, unless they are trusted: that is for one's own only. In the opponent's turn they are
    paused, unless pondering is allowed.
    """
    bot = find_bot(text)
    if bot is None:
        found = _make(text)
    else:
        from ludus.bots.player import BotPlayer  # noqa: PLC0415 - only where there are bots

        found = BotPlayer(bot, trusted=trusted, pondering=pondering)
    if game is not None:
        found.check(game)
    return found


def find_bot(text: str) -> Bot | None:
    """Return the bot that a player's text names, by a protocol and a command or by a path; None for others."""
    name, colon, rest = text.partition(":")
    if name in players():
        return None
    from ludus.bots import read_bot, read_command  # noqa: PLC0415 - only where there are bots

    if colon and name in protocols():
        return read_command(rest, name)
    if os.sep in text or os.path.exists(text):  # noqa: PTH110
        return read_bot(text)
    raise _unknown(name)


def _unknown(name: str) -> UserError:
    return UserError("players.unknown", name=repr(name), players=list(players()))


def version_of(text: str) -> str:
    """Return what exactly a text names: the hash of a bot's files, or the text of another player."""
    bot = find_bot(text)
    return text if bot is None else bot.content


def knows_positions(text: str) -> bool:
    """Return whether a player can begin in any position; a program at a terminal begins on its own board."""
    bot = find_bot(text)
    return bot is None or protocol(bot.protocol).knows_positions


def only_seat(text: str, game: Game, *, trusted: bool = False) -> int | None:
    """Return the only seat that a player can play in; None for one that plays in both, or fails before."""
    bot = find_bot(text)
    if bot is None or bot.protocol != "console":
        return None
    from ludus.bots.console import only_seat_of  # noqa: PLC0415 - it looks for scripts by playing

    return only_seat_of(bot, game, trusted=trusted)


def _make(text: str, more: Mapping[str, Any] | None = None) -> Player:
    """Make a player from its text, with some options changed."""
    name, _, words = text.partition(":")
    if name == HUMAN:
        raise UserError("players.no_person")
    if name not in makers():
        raise _unknown(name)
    return makers()[name](**read_options(words.split(",") if words else ()) | dict(more or {}))


def no_option(name: str, unknown: Mapping[str, object], known: tuple[str, ...]) -> None:
    """Refuse options that a player does not have."""
    for key in unknown:
        if known:
            raise UserError("players.no_option", player=name, option=repr(key), options=list(known))
        raise UserError("players.no_options", player=name, option=repr(key))


def play_match(
    game: Game | str,
    players: tuple[str, str],
    clock: str = "none",
    *,
    start: State | None = None,
    seed: int = 0,
    trusted: bool = False,
    pondering: bool = False,
    adjudicate: bool = False,
    on_move: Callable[[Match], None] | None = None,
) -> Record:
    """Play one game between two players and return its record.

    Args:
        game: A game, or the name of one.
        players: The texts of the first and the second player: `engine:level=3`, `greedy`, the path of a bot.
        clock: The time control: `3/move`, `300` for the whole game, `60+1`, `cpu:300` or `none`.
        start: The position to begin with, instead of the usual one.
        seed: The number of the random board, in games that have one.
        trusted: Run bots without the sandbox; for your own only.
        pondering: Let bots think in the opponent's turn, in which they are paused otherwise.
        adjudicate: End a game without points when both players have proven the same outcome.
        on_move: Called with the match after every move.

    Raises:
        ValueError: A player, a clock or a game that there is not; the message names the choices.

    Example:
        >>> record = ludus.play_match("connect-four", ("engine:nodes=5000", "random:seed=1"))
        >>> record.outcome
        Outcome(winner=0, reason='rules')
    """
    game = game_of(game) if isinstance(game, str) else game
    match = Match(start or game.initial(seed), players, Clock.parse(clock), seed if start is None else None)
    with ExitStack() as stack:
        seats = [stack.enter_context(player(text, game, trusted=trusted, pondering=pondering)) for text in players]
        match.run(seats, adjudicate=adjudicate, on_move=on_move)
    return match.record
