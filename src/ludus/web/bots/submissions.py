"""Uploads of bots, from a browser or `ludus submit`: reads the files and detects what they are. Runs nothing of them.

And the other direction: returns a stored version as a bot that can be built and played.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from ludus.bots import Bot, bot_of
from ludus.bots.source import File, gather, read_file
from ludus.check import UnknownGame, game_of
from ludus.errors import UserError
from ludus.messages import Message
from ludus.store.bots import BotStore

PATH = Path("bot")
"""The path of an upload in error messages."""
NAMELESS = re.compile(r"homework\d*|main|bot", re.IGNORECASE)
"""Names of files that say nothing about the bot."""


class FieldMissing(UserError):  # noqa: N818 - the name says what is wrong
    """Something that the sender must add; `field` is its name in the form."""

    def __init__(self, field: str, message: Message) -> None:
        super().__init__(message)
        self.field = field

    def __reduce__(self) -> tuple[Any, ...]:
        return FieldMissing, (self.field, self.message)


class Upload(NamedTuple):
    """An uploaded bot: its files, and what was detected."""

    files: Mapping[str, File]
    game: str
    protocol: str
    language: str
    name: str | None
    """The name that it states, or else that of its file, unless that says nothing."""
    source: str
    """Its path on the computer of the sender, for commands."""


def read_upload(
    uploads: Sequence[tuple[str, bytes]], game: str | None, protocol: str | None, source: str | None = None
) -> Upload:
    """Read an archive, a file or several files, and detect what they are; raise UserError if that fails.

    `source` is their path on the computer of the sender; without it, the names of the files tell it.
    """
    if not uploads:
        raise UserError("web.no_file")
    sent = [(name.replace("\\", "/"), File(data)) for name, data in uploads]
    files = gather(sent, "the upload")
    if len(files) == 1:
        (name, file) = next(iter(files.items()))
        files = read_file(name, file, name)
    bot = bot_of(files, PATH, protocol)
    path = source if source and source.isprintable() else source_path([name for name, _ in sent])
    stem = PurePosixPath(path).stem.removesuffix(".tar")
    named = bot.name if bot.name != PATH.stem else stem if not NAMELESS.fullmatch(stem) else None
    try:
        played = game_of(bot, game)
    except UnknownGame:
        raise FieldMissing("game", Message("web.choose_game")) from None
    language = bot.language or "executable"
    return Upload(files, played, bot.protocol, language, named or None, path if "/" in path else f"./{path}")


def source_path(names: Sequence[str]) -> str:
    """Return the path of an upload on the computer of the sender: a file, or the folder of all files."""
    tops = {PurePosixPath(name).parts[0] for name in names if name.isprintable() and PurePosixPath(name).parts}
    return tops.pop() if len(tops) == 1 else "."


def check_archive(name: str, data: bytes) -> None:
    """Raise UserError for an archive that cannot be unpacked."""
    read_file(name, File(data), name)


def stored_bot(store: BotStore, number: int, version: int) -> Bot:
    """Return a stored version of a bot, under its name on the server, ready to be built and played."""
    submitted = store.find(number)
    if submitted is None or submitted.name is None:
        raise UserError("web.bot_removed")
    stored = store.version(number, version)
    if stored is None:
        raise UserError("web.no_playing_version", bot=submitted.name)
    return bot_of(store.files(number, version), PATH, stored.protocol)._replace(name=submitted.name)
