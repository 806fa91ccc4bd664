"""StoredBot bots in matches against people: each turn runs in the sandbox, in workers of their own.

A bot is started for one turn and stopped after it, since a game against a person may pause for days. It starts from the
current position, or from the one before its opponent's turn if it plays second. Bots take turns, so that a slow one
delays neither built-in players nor, by more than a turn, other bots.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

from ludus.bots import Bot
from ludus.bots.player import BotPlayer
from ludus.errors import Fault, message_of
from ludus.play.clock import Clock
from ludus.play.match import Match, PlayerAnswer
from ludus.play.player import Situation
from ludus.store.bots import BotStore, number_of
from ludus.web.bots.submissions import stored_bot
from ludus.web.jobs.workers import AsyncWorkers

AT_ONCE = 2
BUILD_SECONDS = 70.0
"""Extra time for a turn beyond its clock: the bot may have to be built first."""
LONGEST_TURN = 60.0
BOT_CLOCK = Clock(per_move=10.0)
"""The clock of a bot in a game without a clock."""


class BotSeats:
    """The bots that play against people."""

    def __init__(self, database: str) -> None:
        self._database = database
        self._workers = AsyncWorkers(AT_ONCE, __name__)

    async def turn(self, text: str, match: Match) -> list[PlayerAnswer]:
        """Let a bot play its turn, and return its answers: its moves, and at the end the fault, if it failed."""
        situation = turn_situation(match)
        patience = min(LONGEST_TURN, situation.time.seconds) + BUILD_SECONDS
        answers: list[PlayerAnswer] = await self._workers.play(
            text, "turn", self._database, text, situation, seconds=patience
        )
        return answers

    def close(self) -> None:
        """Stop the workers."""
        self._workers.close()


def turn_situation(match: Match) -> Situation:
    """Return the situation for a bot that is started for one turn: the second player waits for a move first."""
    situation = match.last_turn if match.state.side else match.position
    return situation if match.clock != Clock() else situation._replace(times=(BOT_CLOCK.start(), BOT_CLOCK.start()))


@functools.lru_cache(maxsize=32)
def _bot(database: str, number: int, version: int) -> Bot:
    with contextlib.closing(BotStore(database)) as store:
        return stored_bot(store, number, version)


def turn(send: Callable[[Any], None], database: str, text: str, situation: Situation) -> None:
    """Play the turn of a bot, in a worker process."""
    number = number_of(text)
    assert number is not None
    with contextlib.closing(BotStore(database)) as store:
        version = store.playing(number)
    try:
        bot = _bot(database, number, version or 0)
    except ValueError as error:
        send([PlayerAnswer(fault=Fault("crash", message_of(error)))])
        return
    match, answers = Match.at(situation), list[PlayerAnswer]()
    side = match.state.side
    with BotPlayer(bot) as player:
        while match.outcome is None and match.state.side == side:
            answers.append(match.ask(player))
    send(answers)


TASKS = {"turn": turn}
