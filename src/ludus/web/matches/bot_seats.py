"""Submitted bots at the board against people: each turn in a process of its own, in the sandbox, with workers apart.

A bot is started for a turn, from the board at hand, or where it sits second from the one before its opponent's turn,
and ended with it: a game against a person can lie for days, and nothing that a bot does in one turn outlasts it. Bots
take turns among themselves, so that one that thinks long keeps neither the engine's players nor the other bots waiting
for more than a turn.
"""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.bots.player import BotPlayer
from ludus.errors import Fault, IllegalMove
from ludus.game import game
from ludus.play.clock import Clock, TimeLeft
from ludus.store.bots import BotStore, number_of
from ludus.web.bots.submissions import kept_bot
from ludus.web.jobs.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludus.bots import Bot
    from ludus.play.match import Match

AT_ONCE = 2
BUILD_SECONDS = 70.0
"""What a turn may take beyond its clock, where this machine has not built the bot yet."""
LONGEST_TURN = 60.0
UNTIMED_SECONDS = 10.0
"""What a turn may take in a game without a clock."""


class Failure(NamedTuple):
    """How a bot failed: one of the referee's words for it, and a sentence."""

    kind: str
    sentence: str


class BotSeats:
    """Where bots sit that play against people."""

    def __init__(self, database: str) -> None:
        self._database = database
        self._workers = Workers(AT_ONCE, __name__)

    async def turn(self, text: str, match: Match) -> list[Any]:
        """Let a bot play its turn; give its moves as (move, seconds), and at the end the Failure, if it failed."""
        state = match.state
        before, moves = (state, []) if state.side == 0 else match.last_turn()  # `first` writes at once, `second` waits
        left = match.time_left(state.side)
        arguments = (text, state.game.name, dict(state.game.options), before.text, moves, match.clock.text, left.bank)
        patience = min(LONGEST_TURN, left.seconds) + BUILD_SECONDS
        told: list[Any] = await self._workers.play(text, "turn", self._database, *arguments, seconds=patience)
        return told

    def close(self) -> None:
        """Send all home."""
        self._workers.close()


@functools.lru_cache(maxsize=32)
def _kept(database: str, number: int, version: int) -> Bot:
    with contextlib.closing(BotStore(database)) as store:
        return kept_bot(store, number, version)


def turn(
    tell: Callable[[Any], None],
    database: str,
    text: str,
    name: str,
    options: dict[str, int | str],
    before: str,
    moves: list[str],
    clock: str,
    bank: float | None,
) -> None:
    """Play a bot's turn, in a worker."""
    number = number_of(text)
    assert number is not None
    with contextlib.closing(BotStore(database)) as store:
        version = store.playing(number)
    state = start = game(name, **options).parse(before)
    played: list[tuple[int, str]] = []
    for move in moves:
        played.append((state.side, move))
        state = state.play(move)
    side, told = state.side, list[Any]()
    timed = Clock.parse(clock)
    timed = timed if timed != Clock() else Clock(per_move=UNTIMED_SECONDS)
    left = TimeLeft(timed, bank)
    try:
        seat = BotPlayer(_kept(database, number, version or 0))
    except ValueError as error:
        tell([Failure("crash", str(error))])
        return
    with contextlib.closing(seat):
        try:
            while state.side == side and state.outcome is None:
                seat.follow(start, tuple(played), (left, left))
                move = seat.choose(state, left)
                told.append((move, seat.spent))
                played.append((side, move))
                state = state.play(move)
                left = left.after(seat.spent, turn_goes_on=state.side == side) or left
        except Fault as fault:
            told.append(Failure(fault.kind, fault.sentence))
        except IllegalMove as error:
            told[-1] = Failure("illegal-move", str(error))
    tell(told)


TASKS = {"turn": turn}
