"""Builds: a bot's files in, a read-only folder out, named by content, made once and inside the sandbox.

A bot that brings a program to measure the machine is calibrated with its build: once, before its first game.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ludus import sandbox
from ludus.bots.source import File, packed, unpacked
from ludus.errors import Fault
from ludus.sandbox import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ludus.bots import Bot
    from ludus.sandbox import Process

BUILD_SECONDS = 60.0
BUILD_LIMITS = Limits(memory_mb=2048, processes=256, disk_mb=512, files=1024)
CALIBRATE_SECONDS = 300.0
CALIBRATION = "calibration.txt"
MOST_BUILT = 256 << 20
MOST_CALIBRATION = 1 << 20
SCRIPT = 'tar -xf - && { sh -c "$1" </dev/null >&2 || exit $?; } && tar -cf - .'
"""Runs inside the sandbox: the sources come in and what was built goes out, so that no folder is shared."""
CALIBRATING = f'sh -c "$1" </dev/null >&2; [ ! -f {CALIBRATION} ] || head -c {MOST_CALIBRATION} {CALIBRATION}'


class Built(NamedTuple):
    """A bot that can be run."""

    folder: Path
    log: str
    """What the compiler said."""


def store() -> Path:
    """Give the folder that builds are kept in."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("LUDUS_CACHE") or Path(cache) / "ludus") / "bots"


def build(bot: Bot, *, trusted: bool = False) -> Built:
    """Build a bot, or find its build; a build that fails is a Fault with the compiler's first error."""
    place = store() / bot.content
    if not (place / "log").exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix="making-", dir=place.parent))
        try:
            _make(bot, beside, trusted=trusted)
            beside.rename(place)
        except OSError:
            if not (place / "log").exists():  # unless somebody else was quicker
                raise
        finally:
            _remove(beside)
    built = Built(place / "files", (place / "log").read_text())
    if not built.folder.exists():
        raise Fault("build-failed", (place / "failed").read_text())
    return built


def _make(bot: Bot, place: Path, *, trusted: bool) -> None:
    files, log, failed = dict(bot.files), "", None
    if bot.build is not None:
        try:
            files, log = _trusted_build(bot) if trusted else _build_inside(bot)
        except _Failed as failure:
            log, failed = failure.log, failure.sentence
    if failed is None:
        _write(files, place / "files")
        if bot.calibrate:
            log += _calibrate(bot, place / "files", trusted=trusted)
    else:
        (place / "failed").write_text(failed)
    (place / "log").write_text(log)
    place.chmod(0o755)


def _calibrate(bot: Bot, folder: Path, *, trusted: bool) -> str:
    """Let a bot measure the machine, and keep the file that it leaves; give what it said. Its failure is no fault."""
    with sandbox.start(
        ("/bin/sh", "-c", CALIBRATING, "sh", bot.calibrate),
        folder=folder,
        view=sandbox.python(),
        limits=bot.limits,
        environment=bot.environment,
        trusted=trusted,
    ) as process:
        try:
            left = process.rest(CALIBRATE_SECONDS, MOST_CALIBRATION)
        except Fault as fault:
            return f"{process.log.text}\ncalibrate: {fault.sentence}\n"
        said = process.log.text
    if left:
        folder.chmod(0o755)
        (folder / CALIBRATION).write_bytes(left)
        (folder / CALIBRATION).chmod(0o444)
        folder.chmod(0o555)
    return said


class _Failed(Exception):  # noqa: N818 - no error of ours
    def __init__(self, sentence: str, log: str) -> None:
        super().__init__(sentence)
        self.sentence, self.log = sentence, log


def _build_inside(bot: Bot) -> tuple[dict[str, File], str]:
    command = ("/bin/sh", "-c", SCRIPT, "sh", bot.build or "")
    with sandbox.start(command, view=sandbox.python(), limits=BUILD_LIMITS) as process:
        process.send(packed(bot.files))
        return _built_by(process, bot)


def _trusted_build(bot: Bot) -> tuple[dict[str, File], str]:
    """Build one's own bot without a sandbox, in a scratch folder."""
    with tempfile.TemporaryDirectory(prefix="ludus-") as folder:
        _write(bot.files, Path(folder, "files"), read_only=False)
        with sandbox.start(
            ("/bin/sh", "-c", f"cd {folder}/files && {{ {bot.build}\n}} >&2 && tar -cf - ."), trusted=True
        ) as process:
            return _built_by(process, bot)


def _built_by(process: Process, bot: Bot) -> tuple[dict[str, File], str]:
    """Wait for a build, and read what it left and what it said."""
    try:
        return unpacked(process.rest(BUILD_SECONDS, MOST_BUILT)), process.log.text
    except Fault as fault:
        process.close()
        raise _Failed(_sentence(bot, fault, process.log.text), process.log.text) from None
    except ValueError as error:
        process.close()
        raise _Failed(f"its build went wrong: {error}", process.log.text) from None


def _sentence(bot: Bot, fault: Fault, log: str) -> str:
    """Say why a build failed, in one sentence: what was too much, or the compiler's first error."""
    if fault.kind in ("timeout", "memory", "too-much-output"):
        return f"its build used too much: {fault.sentence}"
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()] or lines[-1:]
    if any("not found" in line for line in lines) and bot.needs and shutil.which(bot.needs[0]) is None:
        return f"{bot.needs[0]} is not installed on this machine: apt-get install {bot.needs[1]}"
    return f"its build failed: {errors[0]}" if errors else f"its build failed without a word: {fault.sentence}"


def _write(files: Mapping[str, File], folder: Path, *, read_only: bool = True) -> None:
    """Write files into a new folder."""
    folder.mkdir()
    for name, file in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
        path.chmod((0o555 if file.executable else 0o444) if read_only else 0o755)
    if read_only:
        for where, _, _ in os.walk(folder, topdown=False):
            Path(where).chmod(0o555)


def _remove(folder: Path) -> None:
    for where, _, _ in os.walk(folder):
        Path(where).chmod(0o755)
    shutil.rmtree(folder, ignore_errors=True)
