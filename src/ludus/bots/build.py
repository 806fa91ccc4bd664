"""Builds: a bot's files in, a read-only folder out, named by content, built once and inside the sandbox.

A bot with a program that measures the machine is calibrated once after its build, before its first game.
Of failures only the compiler's own verdict is kept. What was killed, or took too much, is tried again another time.
Builds that were not used for a long time are removed, but never one that a process uses.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import json
import os
import re
import shlex
import shutil
import time
from pathlib import Path
from signal import SIGKILL
from typing import TYPE_CHECKING, NamedTuple

from ludus import sandbox
from ludus.bots.complaints import complaint
from ludus.bots.exchanged import CALIBRATION
from ludus.bots.languages import usual_calls
from ludus.bots.source import File, packed, unpacked
from ludus.errors import Fault, UserError, message_of
from ludus.files import ScratchFolder, cache_folder, naming, remove_abandoned
from ludus.game import game, games
from ludus.messages import Message
from ludus.protocols import protocol
from ludus.sandbox import ResourceLimits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ludus.bots import Bot
    from ludus.sandbox import Process

BUILD_SECONDS = 60.0
BUILD_LIMITS = ResourceLimits(memory_mb=2048, processes=256, disk_mb=512, files=1024)
CALIBRATE_SECONDS = 300.0
MOST_BUILT = 256 << 20
MOST_CALIBRATION = 1 << 20
NOT_STARTED = 126
"""From this exit status on a shell says that a command could not be run, or that a signal ended it."""
SCRIPT = f'tar -xf - || exit {NOT_STARTED}; sh -c "$1" </dev/null >&2 || exit $?; tar -cf - . || exit {NOT_STARTED}'
"""Runs inside the sandbox: reads the sources and writes what was built, so that no folder is shared."""
KILLED = re.compile(r"Killed signal terminated program|^Killed\b", re.MULTILINE)
"""What compilers say when something else ended them, though their exit status is that of an error in the source."""
MARK = re.compile(r"^ludus-build: (\w+)((?: [\w<>./:()+-]+)*+)$", re.MULTILINE)
"""What `ludus_cpp/build.sh` says when a program is built otherwise than as it is: how, and with what."""
MOST_TRIES = 3
"""How often one process tries a build that used too much, before it believes that it always does."""
MOST_MB, MOST_DAYS = 4096, 90
"""What all builds may have together, and after how long without use they go; LUDUS_CACHE_MB and LUDUS_CACHE_DAYS."""
GREEDY = ("timeout", "memory", "too-much-output")
MOST_REMEMBERED = 1000
MAKING, REMOVING = "making-", "removing-"
DAY = 24 * 3600.0
CALIBRATING = (
    f'rm -f {CALIBRATION}; [ -z "$2" ] || [ -e "$2" ] || printf %s "$3" >"$2"; sh -c "$1" </dev/null >&2; '
    f"[ ! -f {CALIBRATION} ] || head -c {MOST_CALIBRATION} {CALIBRATION}"
)
"""Measures the machine beside a file such as the program is given in a game: many programs read it."""


class Lease:
    """Protects a build from removal while it is held; it ends with the process."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def __del__(self) -> None:
        """Let go."""
        os.close(self._descriptor)


class BuildResult(NamedTuple):
    """A bot that can be run."""

    folder: Path
    log: str
    """What the compiler said."""
    lease: Lease
    """To be held while the bot runs."""

    @property
    def notes(self) -> tuple[Message, ...]:
        """What the build had to tolerate in the sources."""
        return tuple(
            dict.fromkeys(note for how, what in MARK.findall(self.log)[:4] for note in lenient(how, what.split()))
        )


def lenient(how: str, what: list[str]) -> tuple[Message, ...]:
    """Return in words how a build was more lenient than the usual one."""
    match how:
        case "headers" | "using" if what:
            message = Message("bots.built_with_named_headers", headers=what)
        case "headers" | "using":
            message = Message("bots.built_with_headers")
        case "renamed":
            message = Message("bots.built_renamed", names=what)
        case "unmeasured":
            return (Message("bots.calibrate_not_built", file=" ".join(what)),)
        case "uncalibrated":
            return (Message("bots.not_calibrated", name=CALIBRATION),)
        case "lacking":
            return (Message("bots.built_lacking", headers=what),)
        case "outliving":
            places = [what[at : at + 3] for at in range(0, len(what) - 2, 3)]
            return tuple(Message("bots.built_outliving", file=a, line=b, name=c) for a, b, c in places)
        case "twice":
            return (Message("bots.built_twice", names=what),)
        case "stray":
            return tuple(
                Message("bots.built_without_line", file=a, line=b) for a, b in zip(*[iter(what)] * 2, strict=False)
            )
        case "pasted":
            return (Message("bots.built_as_pasted"),)
        case "taught":
            return (Message("bots.built_with_our_headers"),)
        case "framework":
            return (Message("bots.built_with_own_framework"),)
        case _:
            return (Message("bots.built_as_old"),)
    return (message, Message("bots.built_using_std")) if how == "using" else (message,)


class BuildFailed(Fault):
    """A build that failed, with what the compiler said."""

    def __init__(self, message: Message, log: str = "", signal: int | None = None) -> None:
        super().__init__("build-failed", message, signal)
        self.log = log


def store() -> Path:
    """Return the folder that builds are kept in."""
    return cache_folder() / "bots"


_tries: dict[str, tuple[int, BuildFailed]] = {}
"""Builds that used too much, in this process: how often, and the last failure."""


def build(bot: Bot, *, trusted: bool = False) -> BuildResult:
    """Build a bot, or find its build; a build that fails is a Fault with the compiler's first error."""
    place = store() / bot.content
    _clean(place.parent)
    found = True
    while (lease := _lease(place)) is None:
        found = False
        _make_place(bot, place, trusted=trusted)
    if not found:
        prune()
    log = (place / "log").read_text()
    if not (place / "files").exists():
        raise BuildFailed(Message.from_json(json.loads((place / "failed").read_text())), log)
    return BuildResult(place / "files", log, lease)


@functools.cache
def _clean(place: Path) -> None:
    """Remove what killed processes have left half done, once in a process: one that makes no build would leave it."""
    remove_abandoned(place, MAKING)


def _lease(place: Path) -> Lease | None:
    """Hold a build, and note that it is used; None where there is none."""
    try:
        descriptor = os.open(place / "log", os.O_RDONLY)
    except FileNotFoundError:
        return None
    lease = Lease(descriptor)
    fcntl.flock(descriptor, fcntl.LOCK_SH)  # waits for one who removes it just now
    try:
        there = (place / "log").stat().st_ino == os.fstat(descriptor).st_ino
    except FileNotFoundError:
        there = False
    if there:
        with contextlib.suppress(PermissionError):  # another user's folder
            os.utime(place)
    return lease if there else None


def _make_place(bot: Bot, place: Path, *, trusted: bool) -> None:
    """Make a build beside its place and put it there; BuildFailed where it is not one to keep."""
    tries, before = _tries.get(bot.content, (0, None))
    if before is not None and tries >= MOST_TRIES:
        raise before
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        with naming(place), ScratchFolder(place.parent, MAKING) as scratch:
            beside = scratch / "build"
            beside.mkdir()
            _make(bot, beside, trusted=trusted)
            try:
                beside.rename(place)
            except OSError:
                if not (place / "log").exists():  # unless another process was faster
                    raise
    except _Failed as failure:
        failed = BuildFailed(failure.message, failure.log, failure.signal)
        if failure.greedy and len(_tries) < MOST_REMEMBERED:
            _tries[bot.content] = (tries + 1, failed)
        raise failed from None


def _make(bot: Bot, place: Path, *, trusted: bool) -> None:
    files, log = dict(bot.files), ""
    failed: Message | None = None
    if bot.build is not None:
        try:
            files, log = _trusted_build(bot) if trusted else _build_inside(bot)
        except Fault as fault:  # it did not even start
            raise _Failed(fault.message, "", signal=fault.signal) from None
        except _Failed as failure:
            if not failure.kept:
                raise
            log, failed = failure.log, failure.message
    if failed is None:
        _write(files, place / "files")
        if bot.calibrate and "\nludus-build: unmeasured" not in f"\n{log}":
            log += _calibrate(bot, place / "files", trusted=trusted)
    else:
        (place / "failed").write_text(json.dumps(failed.json))
    (place / "size").write_text(str(_size(place)))
    (place / "log").write_text(log)
    place.chmod(0o755)


def prune() -> None:
    """Remove the builds that were not used for the longest time."""
    now, most = time.time(), _setting("LUDUS_CACHE_MB", MOST_MB) * (1 << 20)
    oldest = now - _setting("LUDUS_CACHE_DAYS", MOST_DAYS) * DAY
    found: list[tuple[float, int, Path]] = []
    for entry in os.scandir(store()):
        with contextlib.suppress(OSError, ValueError):
            used = entry.stat().st_mtime
            if entry.is_dir() and not entry.name.startswith((MAKING, REMOVING)):
                found.append((used, _kept_size(Path(entry.path)), Path(entry.path)))
    total = sum(size for _, size, _ in found)
    for used, size, place in sorted(found):
        if (used < oldest or total > most) and _discard(place):
            total -= size


def _setting(name: str, otherwise: int) -> int:
    text = os.environ.get(name, "")
    if not text:
        return otherwise
    if not text.isdecimal():
        raise UserError("bots.not_whole_number", name=name, text=repr(text))
    return int(text)


def _kept_size(place: Path) -> int:
    try:
        return int((place / "size").read_text())
    except (OSError, ValueError):
        return _size(place)


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*"))


def _discard(place: Path) -> bool:
    """Remove a build unless it is in use; return whether it was removed."""
    try:
        descriptor = os.open(place / "log", os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with ScratchFolder(place.parent, REMOVING) as scratch:
            place.rename(scratch / "build")  # in one step: no process finds half a build
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _calibrate(bot: Bot, folder: Path, *, trusted: bool) -> str:
    """Let a bot measure the machine, and store its file; return what it wrote. A failure here is no fault."""
    with sandbox.start(
        ("/bin/sh", "-c", CALIBRATING, "sh", bot.calibrate, *_example(bot)),
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
        (folder / CALIBRATION).unlink(missing_ok=True)
        (folder / CALIBRATION).write_bytes(left)
        (folder / CALIBRATION).chmod(0o444)
        folder.chmod(0o555)
    return said if (folder / CALIBRATION).exists() else f"{said}\nludus-build: uncalibrated\n"


def _example(bot: Bot) -> tuple[str, str]:
    """Return the name of the file that a bot is given in a game, and what it holds at a start; empty where none is."""
    speech = protocol(bot.protocol)
    name = bot.game or next((one for one in games() if game(one).course.protocol == bot.protocol), None)
    if name is None or not speech.exchanged:
        return "", ""
    return speech.exchanged[0], speech.example(game(name).initial(1))


class _Failed(Exception):  # noqa: N818 - no error of ours
    def __init__(
        self, message: Message, log: str, *, kept: bool = False, greedy: bool = False, signal: int | None = None
    ) -> None:
        super().__init__(message)
        self.message, self.log = message, log
        self.kept = kept
        """Whether the compiler itself said so: then it would say the same another time."""
        self.greedy = greedy
        """Whether the build used too much, by its own doing or because the machine was busy."""
        self.signal = signal
        """The signal that ended the build or its compiler: a game that is lost by SIGKILL is played again."""


def _build_inside(bot: Bot) -> tuple[dict[str, File], str]:
    command = ("/bin/sh", "-c", SCRIPT, "sh", bot.build or "")
    calls = usual_calls(bot.language)
    with sandbox.start(command, view=sandbox.python(), limits=BUILD_LIMITS, usual_calls=calls) as process:
        process.send(packed(bot.files))
        return _built_by(process, bot)


def _trusted_build(bot: Bot) -> tuple[dict[str, File], str]:
    """Build one's own bot without a sandbox, in a scratch folder."""
    with ScratchFolder() as folder:
        _write(bot.files, folder / "files", read_only=False)
        inside = shlex.quote(f"{folder}/files")
        script = f"cd {inside} && {{ {bot.build}\n}} >&2 && tar -cf - ."
        with sandbox.start(("/bin/sh", "-c", script), trusted=True) as process:
            return _built_by(process, bot)


def _built_by(process: Process, bot: Bot) -> tuple[dict[str, File], str]:
    """Wait for a build, and read what it left and what it said."""
    try:
        return unpacked(process.rest(BUILD_SECONDS, MOST_BUILT)), process.log.text
    except Fault as fault:
        process.close()
        log, status = process.log.text, process.status or 0
        by = SIGKILL if KILLED.search(log) else fault.signal
        kept = fault.kind == "crash" and 0 < status < NOT_STARTED and by is None
        message = _failure(bot, fault, log, process.refused)
        raise _Failed(message, log, kept=kept, greedy=fault.kind in GREEDY, signal=by) from None
    except ValueError as error:
        process.close()
        raise _Failed(
            Message("bots.build_unreadable", problem=message_of(error)), process.log.text, greedy=True
        ) from None


def _failure(bot: Bot, fault: Fault, log: str, refused: Sequence[str]) -> Message:
    """Return why a build failed: what was too much, or the compiler's first error, and calls that it was refused."""
    if fault.kind in GREEDY:
        return Message("bots.build_too_much", problem=fault.message)
    if "not found" in log and bot.needs and shutil.which(bot.needs[0]) is None:
        return Message("bots.not_installed", program=bot.needs[0], package=bot.needs[1])
    problem = complaint(log)
    if problem is None:
        return Message("bots.build_failed_silently", problem=fault.message)
    return Message("bots.build_refused_calls", problem=problem, calls=refused) if refused else problem


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
