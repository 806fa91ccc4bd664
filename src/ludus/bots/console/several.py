"""Which of several programs for a person at a terminal is meant: all are started, and what can be played tells.

Students hand in a program for each seat, or one beside an early attempt that cannot be played. Two that can both be
played stay a question, which a person has to answer.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ludus.bots import CONFIG, Bot, ProgramUnknown, bot_of
from ludus.bots.console import discover
from ludus.errors import Fault, UserError
from ludus.messages import Message
from ludus.protocols.console.script import STYLES

if TYPE_CHECKING:
    from ludus.game import Game
    from ludus.protocols.console import ConsoleScript

MOST = 4
"""Programs that are tried."""
TAKEN = ("bots.program_taken", "bots.program_by_seat")
"""Notes that say which file was taken as the program."""


def told_apart(unknown: ProgramUnknown, game: Game, *, trusted: bool = False) -> Bot:
    """Return the bot that is meant where only one of several programs can be played, or one in each seat."""
    names = unknown.names
    if game.name not in STYLES or len(names) > MOST:
        raise unknown
    script = _script(unknown, names, game, trusted=trusted)
    if script is None:
        raise unknown
    seats = [side for side in (0, 1) if script.plays(side)]
    used = {side: names[int(script.answers[0].text(side) or "1") - 1] for side in seats}
    taken, rest = tuple(dict.fromkeys(used.values())), tuple(name for name in names if name not in used.values())
    other = _script(unknown, rest, game, trusted=trusted) if rest else None
    if other is not None and all(map(other.plays, seats)):  # another one plays as much
        raise unknown
    if len(taken) == 1:
        why = Message("bots.program_taken", main=taken[0], why=Message("bots.why_plays"))
    else:
        table = json.dumps(list(taken), ensure_ascii=False)
        parts = {"mains": list(taken), "first": taken[0], "second": taken[1], "table": table, "config": CONFIG}
        why = Message("bots.program_by_seat", **parts)
    bot = _bot(unknown, taken)
    return bot._replace(notes=(why, *bot.notes))


def _bot(unknown: ProgramUnknown, names: tuple[str, ...]) -> Bot:
    main = names if len(names) > 1 else names[0]
    return bot_of(dict(unknown.files), unknown.path, None, unknown.wanted._replace(main=main))


def _script(unknown: ProgramUnknown, names: tuple[str, ...], game: Game, *, trusted: bool) -> ConsoleScript | None:
    """Return how the bot of some programs is played; None where it is not, or one of them is for no terminal."""
    try:
        bots = [_bot(unknown, (name,)) for name in names]
        if any(bot.protocol != "console" for bot in bots):
            return None
        return discover(_bot(unknown, names), game, trusted=trusted).script
    except (Fault, UserError):
        return None
