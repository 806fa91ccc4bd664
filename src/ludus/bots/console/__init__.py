"""Programs for a person at a terminal: the script by which each is played, and the dialogue of a game by it.

A script is the one that the bot brings, or one that `search` finds by trying; that is kept beside the program's build.
"""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from ludus.bots.build import build, store
from ludus.bots.console import reasons
from ludus.bots.console.search import MOST_SECONDS, Search
from ludus.bots.console.session import Tried
from ludus.bots.languages import language_of
from ludus.bots.player import BotPlayer
from ludus.bots.source import File
from ludus.errors import Fault, UserError
from ludus.files import write_whole
from ludus.messages import Message
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
VERSION = "9"
"""Part of the name of what is kept: to be changed when scripts are found in another way."""


class Discovery(NamedTuple):
    """What looking for a script led to."""

    script: ConsoleScript | None
    log: str = ""
    """The dialogue that came farthest, where there is no script."""
    why: Message | None = None
    """Why there is no script."""
    proposal: str = ""
    """The table of a bot.toml to begin with, where there is no script."""
    doubt: Message | None = None
    """Why the script may be wrong."""


def discover(bot: Bot, game: Game, *, trusted: bool = False, seconds: float = MOST_SECONDS) -> Discovery:
    """Return the script of a bot on a board: the kept one, or one found by trying; a failed build is a Fault."""
    built = build(bot, trusted=trusted)
    terms = json.dumps([VERSION, game.name, dict(game.options)], sort_keys=True)
    kept = store() / bot.content / f"console-{hashlib.sha256(terms.encode()).hexdigest()[:16]}.json"
    with suppress(OSError, ValueError, KeyError):
        data = json.loads(kept.read_text(encoding="utf-8"))
        if data["sure"] or 0 <= time.time() - kept.stat().st_mtime < DOUBT_SECONDS:
            script = data["script"] and ConsoleScript.model_validate(data["script"])
            why, doubt = (data[name] and Message.from_json(data[name]) for name in ("why", "doubt"))
            return Discovery(script, data["log"], why, data["proposal"], doubt)
    search = Search(Tried(bot, built, trusted), game, seconds=seconds)
    script = search.run()
    doubt = Message("protocols.console_doubt") if search.doubt else None
    found = Discovery(script, doubt=doubt) if script else Discovery(None, search.log, search.why, search.proposal)
    data = {
        "script": script and script.model_dump(),
        "log": found.log,
        "why": found.why and found.why.json,
        "proposal": found.proposal,
        "doubt": doubt and doubt.json,
        "sure": script is not None or search.sure,
    }
    with suppress(OSError):
        write_whole(kept, json.dumps(data))
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


def _sources(bot: Bot) -> dict[str, str]:
    """Return the sources of a bot by name."""
    return {name: file.data.decode("utf-8", errors="replace") for name, file in bot.files.items() if language_of(name)}


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
    why = reasons.window(_sources(bot))
    return why if why is not None and not plays_lines(bot, game, trusted=trusted) else None


def console_instead(bot: Bot, game: Game, *, trusted: bool = False) -> Bot | None:
    """Return a bot that nothing is known of as one for a terminal, where it plays there and not in `lines`."""
    known = bot.why is None or bot.why.code != NO_SIGN
    if known or game.name not in STYLES or not may_ask_a_person(_sources(bot).values()):
        return None
    if plays_lines(bot, game, trusted=trusted):
        return None
    other = as_console(bot)
    script = discover(other, game, trusted=trusted, seconds=DOUBTFUL_SECONDS).script
    return other._replace(why=Message("bots.plays_at_terminal")) if script else None
