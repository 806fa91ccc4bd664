"""Starting a foreign program: in the sandbox, or without it where its owner trusts it. Knows no bots and no games."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.errors import Fault
from ludus.messages import Message
from ludus.sandbox import cage, cgroup
from ludus.sandbox.cage import READY, ResourceLimits, SandboxError
from ludus.sandbox.process import Process
from ludus.sandbox.view import BOT, VisibleFiles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

START_SECONDS = 10.0


def start(
    command: Sequence[str],
    *,
    folder: Path | None = None,
    view: VisibleFiles | None = None,
    limits: ResourceLimits | None = None,
    environment: Mapping[str, str] | None = None,
    trusted: bool = False,
    pondering: bool = False,
) -> Process:
    """Start a program whose files are in a folder; inside the sandbox unless it is trusted.

    Between its answers it is paused, unless it may ponder.
    """
    limits, environment, view = limits or ResourceLimits(), environment or {}, view or VisibleFiles()
    if trusted:
        return _start_trusted(command, folder, view, environment, pondering=pondering)
    program = cage.bubblewrap()
    group = cgroup.make(limits.memory_mb * cage.MEGABYTE, limits.processes + 4)
    given = cage.arguments(view, folder, limits, environment, hard_memory=group is not None, root=cage.is_root())
    inside = given.index("--")
    options, rules = _memory_file("\0".join(given[:inside]).encode()), _memory_file(cage.filter_or_error())
    try:
        child = spawn(
            [
                *cage.enter(group.folders if group else ()),
                *(program, "--args", str(options), "--seccomp", str(rules), *given[inside:], *command),
            ],
            env={},
            pass_fds=(options, rules),
        )
    except BaseException:
        if group is not None:
            group.close()
        raise
    finally:
        os.close(options)
        os.close(rules)
    process = Process(child, group, None, pondering=pondering)
    try:
        process.start_clock()
        if process.line(START_SECONDS).encode() + b"\n" != READY:
            raise SandboxError("sandbox.not_started_properly")
        process.release()
    except Fault as fault:
        output = process.log.text.strip()
        process.close()
        if fault.signal == signal.SIGKILL:
            raise  # killed from outside: the sandbox is not at fault
        if not output:
            raise SandboxError("sandbox.not_started_silently") from None
        raise SandboxError("sandbox.not_started", output=output) from None
    return process


def _start_trusted(
    command: Sequence[str], folder: Path | None, view: VisibleFiles, environment: Mapping[str, str], *, pondering: bool
) -> Process:
    """Start a trusted program without a sandbox, in a scratch folder with links to its files."""
    scratch = Path(tempfile.mkdtemp(prefix="ludus-"))
    if folder is not None:
        for item in folder.iterdir():
            (scratch / item.name).symlink_to(item)
    own = {**os.environ, "PYTHONUNBUFFERED": "1", **environment}
    own.pop("LUDUS_SANDBOX", None)  # a program that finds this set may kill every process in reach
    own["PATH"] = ":".join((*view.path, own.get("PATH", "")))
    words = [word.replace(BOT, str(folder)) if word.startswith(f"{BOT}/") else word for word in command]
    try:
        child = spawn(words, env=own, cwd=scratch, start_new_session=True)
    except OSError as error:
        shutil.rmtree(scratch, ignore_errors=True)
        raise Fault(
            "crash", Message("faults.command_not_started", command=repr(words[0]), problem=error.strerror)
        ) from None
    return Process(child, None, scratch, pondering=pondering)


def spawn(command: Sequence[str], **settings: object) -> subprocess.Popen[bytes]:
    """Start a process with a pipe for each of its three standard streams."""
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, **settings)  # type: ignore[call-overload,no-any-return]  # noqa: S603


def _memory_file(data: bytes) -> int:
    """Return the descriptor of a file in memory, above those that the sandbox's shell arranges for itself."""
    made = os.memfd_create("ludus")
    try:
        os.write(made, data)
        os.lseek(made, 0, os.SEEK_SET)
        return fcntl.fcntl(made, fcntl.F_DUPFD_CLOEXEC, 10)
    finally:
        os.close(made)
