"""Submissions that are programs for a person at a terminal: the script by which each is played, stored with the bot.

The course's script, or the one that is found by trying. Knows prepared bots and course files; grades nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ludus.bots import CONFIG, bot_of, read_bot
from ludus.bots.console import Discovery, console_instead, discover, opens_window
from ludus.bots.source import File, content, read_source
from ludus.files import ScratchFolder
from ludus.game import game
from ludus.messages import Message
from ludus.protocols.console import script_toml
from ludus.protocols.console.script import STYLES

if TYPE_CHECKING:
    from ludus.bots import Bot
    from ludus.courses import Course
    from ludus.game import Game

PROTOCOL = "console"


def with_script(course: Course, folder: Path, board: int | None, findings: list[Message]) -> Path:
    """Return the folder of a prepared bot, or of the same bot with its script; `board` is the one that it is for."""
    if course.game not in STYLES:
        return folder
    boards = [game(course.game, **options) for options in course.board_options]
    if board is not None and len(boards) > 1:
        boards = [boards[board]]
    boards.sort(key=lambda made: -int(made.options.get("removals", 1)))  # what two removals ask for serves for one
    bot, config = read_bot(folder), (folder / CONFIG).read_text(encoding="utf-8")
    if bot.protocol == "lines" and PROTOCOL in course.submission.protocols:
        unnamed = _without_sign(folder, config)
        other = console_instead(unnamed, boards[0])
        if other is not None:
            bot, config = other, _without_protocol(config, PROTOCOL)
            _note(findings, "courses.console_instead")
        elif (window := opens_window(unnamed, boards[0])) is not None:
            _note(findings, "courses.console_not_found", why=window)
    if bot.protocol != PROTOCOL or bot.console is not None:
        return folder
    found = Discovery(script=course.console) if course.console else _found(bot, boards)
    script = found.script
    if script is None:
        _note(findings, "courses.console_not_found", why=found.why)
    elif course.console is None:
        code = {"both": "courses.console_found", "first": "courses.console_never_second"}
        _note(findings, code.get(script.seats, "courses.console_never_first"))
        if found.doubt is not None:
            _note(findings, found.doubt.code)
    return _stored(folder, f"{config}{script_toml(script)}" if script else config)


def _note(findings: list[Message], code: str, **params: object) -> None:
    """Add a finding once, whatever the number of programs that it is true of."""
    if (note := Message(code, **params)) not in findings:
        findings.append(note)


def _found(bot: Bot, boards: list[Game]) -> Discovery:
    """Return the script that is found on one of the boards, or why there is none on the last of them.

    One for both seats counts more: a program for one removal in a turn may seem to play one seat where a turn has two.
    """
    best = Discovery()
    for made in boards:
        found = discover(bot, made)
        if found.script is not None and found.script.seats == "both":
            return found
        best = best if best.script is not None else found
    return best


def _without_sign(folder: Path, config: str) -> Bot:
    """Return a prepared bot as it is read where nothing says its protocol."""
    return bot_of({**read_source(folder), CONFIG: File(_without_protocol(config).encode())}, folder)


def _without_protocol(config: str, other: str = "") -> str:
    """Return the bot.toml of a prepared bot without its protocol, or with another one."""
    lines = [line for line in config.splitlines() if not line.startswith("protocol = ")]
    return "\n".join([*([f'protocol = "{other}"'] if other else []), *lines, ""])


def _stored(folder: Path, config: str) -> Path:
    """Store a prepared bot once more with another bot.toml, named by content."""
    files = {**read_source(folder), CONFIG: File(config.encode())}
    target = folder.with_name(f"{folder.name.rpartition('-')[0]}-{content(files)[:16]}")
    if not target.exists():
        with ScratchFolder(folder.parent, ".making-") as scratch:
            made = scratch / "bot"
            for name, file in files.items():
                path = made / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.data)
                path.chmod(0o755 if file.executable else 0o644)
            made.rename(target)
    return target
