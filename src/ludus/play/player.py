"""What a player is to the referee: a base class with defaults, and the situation that a player is asked about.

Knows states and clocks; must not know any particular player, or how one is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

if TYPE_CHECKING:
    from types import TracebackType

    from ludus.game import Game, State
    from ludus.play.clock import TimeLeft


class Situation(NamedTuple):
    """What a player is asked about: the game so far, and the clocks."""

    start: State
    moves: Sequence[tuple[int, str]]
    """Every move so far, with the side that made it."""
    state: State
    """Where the game stands; its side is the player's."""
    times: tuple[TimeLeft, TimeLeft]

    @property
    def time(self) -> TimeLeft:
        """What the player itself has left."""
        return self.times[self.state.side]


class Thought(Protocol):
    """What a player thought of the position that it was last asked about."""

    @property
    def value(self) -> float:
        """What it is worth to the side to move."""

    @property
    def exact(self) -> bool:
        """Whether the value is proven."""


class Player:
    """Someone who chooses moves. Only `choose` must be written; the rest has a default that fits a simple player."""

    spent: float | None = None
    """What the last move took by the player's own count, in seconds; None lets the referee measure."""
    stalled: float = 0.0
    """How long the referee itself was held up during the last move, where the player can tell."""
    last: Thought | None = None
    """What the player thought of the last position, where it can tell."""

    def choose(self, state: State, time: TimeLeft) -> str:
        """Return a legal move of an open state, in time; a failure is raised as a Fault."""
        raise NotImplementedError

    def check(self, game: Game) -> None:
        """Raise a ValueError for a game that this player does not play."""

    def follow(self, situation: Situation) -> None:
        """Take note of the game so far; called before each `choose` of a match."""

    def close(self) -> None:
        """Release what the player holds, such as a process."""

    @property
    def log(self) -> str:
        """What its program wrote on standard error."""
        return ""

    @property
    def version(self) -> str:
        """What exactly plays, where the player's text does not say it: the content of a bot."""
        return ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
