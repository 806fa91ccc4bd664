"""Bots on their way in and out: what a browser or `ludus submit` sends becomes files and is recognised, and a version
that is kept becomes a bot again. Reads and recognises only: whatever is run, runs in the sandbox, and not here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ludus.bots import Bot, bot_of
from ludus.bots.source import File, gather, read_file
from ludus.check import game_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ludus.store.bots import BotStore

CALLED = Path("bot")
"""What sentences call it."""


class Taken(NamedTuple):
    """What was handed in, recognised."""

    files: Mapping[str, File]
    game: str
    protocol: str
    language: str
    name: str | None
    """What it calls itself, where it does."""


def take_in(uploads: Sequence[tuple[str, bytes]], game: str | None, protocol: str | None) -> Taken:
    """Read an archive, a file or several, and find out what they are; ValueError says what is wrong with them."""
    if not uploads:
        raise ValueError("there is no file in it; choose a file, a folder or a zip, or paste code")
    given = [(name.replace("\\", "/"), File(data)) for name, data in uploads]
    files = gather(given, "the upload")
    if len(files) == 1:
        (name, file) = next(iter(files.items()))
        files = read_file(name, file, name)
    bot = bot_of(files, CALLED, protocol)
    named = bot.name if bot.name != CALLED.stem else None
    return Taken(files, game_of(bot, game), bot.protocol, bot.language or "executable", named)


def is_readable(name: str, data: bytes) -> None:
    """Refuse an archive that cannot be unpacked; ValueError says what is wrong with it."""
    read_file(name, File(data), name)


def kept_bot(store: BotStore, number: int, version: int) -> Bot:
    """Give a version of a bot as it can be built and played, under the name that the arena knows it by."""
    submitted = store.find(number)
    if submitted is None or submitted.name is None:
        raise ValueError("this bot has been removed")
    kept = store.version(number, version)
    if kept is None:
        raise ValueError(f"{submitted.name} has no version that plays")
    return bot_of(store.files(number, version), CALLED, kept.protocol)._replace(name=submitted.name)
