"""Players: who chooses a move, and how one is written. Each module of this folder brings some.

A player is one text everywhere: a name, or a name and options as in `random:seed=3`.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol

from ludus.game import read_options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ludus.clock import TimeLeft
    from ludus.game import State

HUMAN = "human"
"""A person; the front that shows the board asks them."""


class Player(Protocol):
    """Someone who chooses moves."""

    def choose(self, state: State, time: TimeLeft) -> str:
        """Give a legal move of an open state, in time."""


@functools.cache
def _makers() -> Mapping[str, Callable[..., Player]]:
    """Find every player: those of this folder and those of other packages."""
    found: dict[str, Any] = {entry.name: entry.load() for entry in entry_points(group="ludus.players")}
    for module in pkgutil.iter_modules(__path__):
        found |= importlib.import_module(f"{__name__}.{module.name}").PLAYERS
    return dict(sorted(found.items()))


def players() -> tuple[str, ...]:
    """Give the names that a player's text can begin with."""
    return (HUMAN, *_makers())


def player(text: str) -> Player:
    """Make a player from its text."""
    name, _, words = text.partition(":")
    if name not in _makers():
        raise ValueError(f"there is no player {name!r}; the players are {', '.join(players())}")
    return _makers()[name](**read_options(words.split(",") if words else ()))


def no_option(name: str, unknown: Mapping[str, object], known: tuple[str, ...]) -> None:
    """Refuse options that a player does not have."""
    for key in unknown:
        has = f"its options are {', '.join(known)}" if known else "it has none"
        raise ValueError(f"player {name} has no option {key!r}; {has}")
