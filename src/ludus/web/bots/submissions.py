"""Bots on their way in and out: what a browser or `ludus submit` sends becomes files and is recognised, and a version
that is kept becomes a bot again. Reads and recognises only: whatever is run, runs in the sandbox, and not here.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.bots import Bot, bot_of
from ludus.bots.source import File, gather, read_file
from ludus.check import UnknownGame, game_of
from ludus.errors import UserError
from ludus.messages import Message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ludus.store.bots import BotStore

CALLED = Path("bot")
"""What sentences call it."""


NAMELESS = re.compile(r"homework\d*|main|bot", re.IGNORECASE)
"""What files are called that say no more than that they hold a program."""


class FieldMissing(UserError):  # noqa: N818 - it names what is missing
    """Something that the sender must say, and has not; `field` is what a form calls it."""

    def __init__(self, field: str, message: Message) -> None:
        super().__init__(message)
        self.field = field

    def __reduce__(self) -> tuple[Any, ...]:
        return FieldMissing, (self.field, self.message)


class Taken(NamedTuple):
    """What was handed in, recognised."""

    files: Mapping[str, File]
    game: str
    protocol: str
    language: str
    name: str | None
    """What it calls itself, or else what its file is called, where that says anything."""
    source: str
    """The path by which the sender can name it in a command."""


def take_in(
    uploads: Sequence[tuple[str, bytes]], game: str | None, protocol: str | None, source: str | None = None
) -> Taken:
    """Read an archive, a file or several, and find out what they are; ValueError says what is wrong with them.

    `source` is the path that the sender has them at; without it, it is told from the names of the files.
    """
    if not uploads:
        raise UserError("web.no_file")
    given = [(name.replace("\\", "/"), File(data)) for name, data in uploads]
    files = gather(given, "the upload")
    if len(files) == 1:
        (name, file) = next(iter(files.items()))
        files = read_file(name, file, name)
    bot = bot_of(files, CALLED, protocol)
    path = source if source and source.isprintable() else source_of([name for name, _ in given])
    stem = PurePosixPath(path).stem.removesuffix(".tar")
    named = bot.name if bot.name != CALLED.stem else stem if not NAMELESS.fullmatch(stem) else None
    try:
        played = game_of(bot, game)
    except UnknownGame:
        raise FieldMissing("game", Message("web.choose_game")) from None
    language = bot.language or "executable"
    return Taken(files, played, bot.protocol, language, named or None, path if "/" in path else f"./{path}")


def source_of(names: Sequence[str]) -> str:
    """Return the path of an upload on the sender's side: a file, the folder around all files, or where they lie."""
    tops = {PurePosixPath(name).parts[0] for name in names if name.isprintable() and PurePosixPath(name).parts}
    return tops.pop() if len(tops) == 1 else "."


def is_readable(name: str, data: bytes) -> None:
    """Refuse an archive that cannot be unpacked; ValueError says what is wrong with it."""
    read_file(name, File(data), name)


def kept_bot(store: BotStore, number: int, version: int) -> Bot:
    """Return a version of a bot as it can be built and played, under the name that the arena knows it by."""
    submitted = store.find(number)
    if submitted is None or submitted.name is None:
        raise UserError("web.bot_removed")
    kept = store.version(number, version)
    if kept is None:
        raise UserError("web.no_playing_version", bot=submitted.name)
    return bot_of(store.files(number, version), CALLED, kept.protocol)._replace(name=submitted.name)
