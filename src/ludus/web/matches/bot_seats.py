"""Submitted bots in matches against people: each turn in a process of its own, in the sandbox, with separate workers.

A bot is started for a turn, from the board at hand, or where it sits second from the one before its opponent's turn,
and ended with it: a game against a person can lie for days, and nothing that a bot does in one turn outlasts it. Bots
take turns among themselves, so that one that thinks long keeps neither the engine's players nor the other bots waiting
for more than a turn.
"""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any

from ludus.bots.player import BotPlayer
from ludus.errors import Fault, message_of
from ludus.play.clock import Clock
from ludus.play.match import Answer, Match
from ludus.store.bots import BotStore, number_of
from ludus.web.bots.submissions import kept_bot
from ludus.web.jobs.workers import AsyncWorkers

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludus.bots import Bot
    from ludus.play.player import Situation

AT_ONCE = 2
BUILD_SECONDS = 70.0
"""What a turn may take beyond its clock, where this machine has not built the bot yet."""
LONGEST_TURN = 60.0
BOT_CLOCK = Clock(per_move=10.0)
"""The clock of a bot in a game that has none."""


class BotSeats:
    """The bots that play against people."""

    def __init__(self, database: str) -> None:
        self._database = database
        self._workers = AsyncWorkers(AT_ONCE, __name__)

    async def turn(self, text: str, match: Match) -> list[Answer]:
        """Let a bot play its turn, and return its answers: its moves, and at the end the fault, if it failed."""
        situation = turn_situation(match)
        patience = min(LONGEST_TURN, situation.time.seconds) + BUILD_SECONDS
        answers: list[Answer] = await self._workers.play(
            text, "turn", self._database, text, situation, seconds=patience
        )
        return answers

    def close(self) -> None:
        """Stop the workers."""
        self._workers.close()


def turn_situation(match: Match) -> Situation:
    """Return what a bot is asked that is started for one turn: `first` writes at once, `second` waits for a move."""
    situation = match.last_turn if match.state.side else match.position
    return situation if match.clock != Clock() else situation._replace(times=(BOT_CLOCK.start(), BOT_CLOCK.start()))


@functools.lru_cache(maxsize=32)
def _kept(database: str, number: int, version: int) -> Bot:
    with contextlib.closing(BotStore(database)) as store:
        return kept_bot(store, number, version)


def turn(tell: Callable[[Any], None], database: str, text: str, situation: Situation) -> None:
    """Play a bot's turn, in a worker."""
    number = number_of(text)
    assert number is not None
    with contextlib.closing(BotStore(database)) as store:
        version = store.playing(number)
    try:
        bot = _kept(database, number, version or 0)
    except ValueError as error:
        tell([Answer(fault=Fault("crash", message_of(error)))])
        return
    match, answers = Match.at(situation), list[Answer]()
    side = match.state.side
    with BotPlayer(bot) as player:
        while match.outcome is None and match.state.side == side:
            answers.append(match.ask(player))
    tell(answers)


TASKS = {"turn": turn}
