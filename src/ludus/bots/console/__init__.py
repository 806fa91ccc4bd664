"""Programs for a person at a terminal: the script by which each is played, and the dialogue of a game by it.

A script is the one that the bot brings, or one that `search` finds by trying; that is kept beside the program's build.
"""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from ludus.bots.build import build, store
from ludus.bots.console import reasons
from ludus.bots.console.hints import sources_of
from ludus.bots.console.search import MOST_SECONDS, Search
from ludus.bots.console.session import TriedProgram
from ludus.bots.player import BotPlayer
from ludus.bots.source import File
from ludus.errors import Fault, UserError
from ludus.files import write_whole
from ludus.messages import Message
from ludus.messages.fields import MessageField
from ludus.play.clock import Clock
from ludus.play.match import Match
from ludus.protocols import NO_SIGN
from ludus.protocols.console import PROTOCOL, ConsoleScript, Dialogue, may_ask_a_person, tells_start
from ludus.protocols.console.script import STYLES

if TYPE_CHECKING:
    from ludus.bots import Bot
    from ludus.game import Game, State

DOUBTFUL_SECONDS = 15.0
"""How long a script is looked for where nothing in a program's source speaks for a person at a terminal."""
LINES_CLOCK = "5/move"
DOUBT_SECONDS = 3600.0
"""For how long it is believed that there is no script, where the search was only too slow."""
VERSION = "15"
"""Part of the name of what is kept: to be changed when scripts are found in another way."""


class Discovery(BaseModel):
    """What looking for a script led to."""

    model_config = ConfigDict(frozen=True)

    script: ConsoleScript | None = None
    log: str = ""
    """The dialogue that came farthest, where there is no script."""
    why: MessageField | None = None
    """Why there is no script."""
    proposal: str = ""
    """The table of a bot.toml to begin with, where there is no script."""
    doubt: MessageField | None = None
    """Why the script may be wrong."""
    sure: bool = True
    """Whether another search would find the same."""


def discover(bot: Bot, game: Game, *, trusted: bool = False, seconds: float = MOST_SECONDS) -> Discovery:
    """Return the script of a bot on a board: the kept one, or one found by trying; a failed build is a Fault."""
    built = build(bot, trusted=trusted)
    terms = json.dumps([VERSION, game.name, dict(game.options)], sort_keys=True)
    kept = store() / bot.content / f"console-{hashlib.sha256(terms.encode()).hexdigest()[:16]}.json"
    with suppress(OSError, ValueError, KeyError):
        found = Discovery.model_validate_json(kept.read_bytes())
        if found.sure or 0 <= time.time() - kept.stat().st_mtime < DOUBT_SECONDS:
            return found
    search = Search(TriedProgram(bot, built, trusted=trusted), game, seconds=seconds)
    if script := search.run():
        found = Discovery(script=script, doubt=Message("protocols.console_doubt") if search.doubt else None)
    else:
        diagnosis = search.diagnosis
        found = Discovery(log=diagnosis.log, why=diagnosis.why, proposal=search.proposal, sure=search.sure)
    with suppress(OSError):
        write_whole(kept, found.model_dump_json())
    return found


def dialogue(bot: Bot, start: State, side: int, *, trusted: bool = False) -> Dialogue:
    """Return the dialogue of a game; a program that cannot be played has failed."""
    script = bot.console
    if script is None:
        found = discover(bot, start.game, trusted=trusted)
        if found.script is None:
            why = found.why or Message("protocols.console_unknown")
            raise Fault("timeout" if why.code == "protocols.console_slow" else "bad-output", why)
        script = found.script
    if not tells_start(script, start):
        raise UserError("protocols.console_start", bot=bot.name)
    return Dialogue(script, start, side)


def only_seat_of(bot: Bot, game: Game, *, trusted: bool = False) -> int | None:
    """Return the only seat that a program can be told to play in; None for both, and where it cannot be played."""
    with suppress(Fault):
        script = bot.console or discover(bot, game, trusted=trusted).script
        return next((side for side in (0, 1) if script is not None and not script.plays(1 - side)), None)
    return None


def as_console(bot: Bot) -> Bot:
    """Return a bot that was taken for another protocol as one for a person at a terminal."""
    shim = {name: File(text.encode()) for name, text in PROTOCOL.files().items()}
    return bot._replace(protocol=PROTOCOL.name, files={**bot.files, **shim})


def plays_lines(bot: Bot, game: Game, *, trusted: bool = False) -> bool:
    """Return whether a bot that shows no sign of any protocol answers in `lines`."""
    with BotPlayer(bot, trusted=trusted) as own:
        match = Match(game.initial(1), clock=Clock.parse(LINES_CLOCK))
        match.ask(own)
        return match.fault is None


def opens_window(bot: Bot, game: Game, *, trusted: bool = False) -> Message | None:
    """Return where a bot that nothing is known of opens a window, so that nobody can play it here."""
    if bot.why is None or bot.why.code != NO_SIGN:
        return None
    why = reasons.window(sources_of(bot))
    return why if why is not None and not plays_lines(bot, game, trusted=trusted) else None


def console_instead(bot: Bot, game: Game, *, trusted: bool = False) -> Bot | None:
    """Return a bot that nothing is known of as one for a terminal, where it plays there and not in `lines`."""
    known = bot.why is None or bot.why.code != NO_SIGN
    if known or game.name not in STYLES or not may_ask_a_person(sources_of(bot).values()):
        return None
    if plays_lines(bot, game, trusted=trusted):
        return None
    other = as_console(bot)
    script = discover(other, game, trusted=trusted, seconds=DOUBTFUL_SECONDS).script
    return other._replace(why=Message("bots.plays_at_terminal")) if script else None
