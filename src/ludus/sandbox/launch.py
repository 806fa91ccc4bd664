"""Starting a foreign program: in the sandbox, or without it where its owner trusts it. Knows no bots and no games."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from ludus.errors import Fault
from ludus.files import ScratchFolder
from ludus.messages import Message
from ludus.sandbox import cage, cgroup, container
from ludus.sandbox.cage import READY, ResourceLimits
from ludus.sandbox.keeper import Keeper
from ludus.sandbox.process import Process
from ludus.sandbox.users import hold_user
from ludus.sandbox.view import BOT, VisibleFiles

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
    terminal: bool = False,
    usual_calls: Sequence[str] = (),
) -> Process:
    """Start a program whose files are in a folder; inside the sandbox unless it is trusted.

    Between its answers it is paused, unless it may ponder. It can make terminals only where it needs one. Of the system
    calls that it is refused, `usual_calls` are not worth a word.
    """
    limits, view = limits or ResourceLimits(), view or VisibleFiles()
    environment = cage.with_modules(environment or {}, view)
    if trusted:
        return _start_trusted(command, folder, view, environment, pondering=pondering)
    bubblewrap = isolation()
    if bubblewrap is None:
        return _start_in_container(command, folder, view, limits, environment, pondering=pondering)
    with contextlib.ExitStack() as held, contextlib.ExitStack() as passed:
        group = cgroup.make(limits.memory_mb * cage.MEGABYTE, limits.processes + 4)
        counted = group is not None
        if group is not None:
            held.callback(group.close)
        user = hold_user() if cage.is_root() else None
        if user is not None:
            held.callback(os.close, user.lock)
        ours, theirs = socket.socketpair()
        held.callback(ours.close)
        given = cage.arguments(view, folder, limits, counted=counted, terminal=terminal)
        options, *rules = (
            _above(_memory_file(data), passed)
            for data in ("\0".join(given).encode(), *cage.filters_or_error(counted=counted))
        )
        control = _above(theirs.detach(), passed)
        lock = () if user is None else (_above(os.dup(user.lock), passed),)
        number = None if user is None else user.number
        init = cage.init(limits, environment, control=control, rules=rules, user=number, counted=counted)
        child = spawn(
            [*cage.enter(group.folders if group else ()), bubblewrap, "--args", str(options), "--", *init, *command],
            env={},
            pass_fds=(options, *rules, control, *lock),
        )
        process = Process(
            child, group, Keeper(ours, usual_calls), held.pop_all(), threads=limits.processes, pondering=pondering
        )
    return _started(process)


def isolation() -> str | None:
    """Return the path of bubblewrap; None where it cannot work and the machine is a container that is thrown away."""
    return None if container.allowed() and not container.has_namespaces() else cage.bubblewrap()


def _start_in_container(
    command: Sequence[str],
    folder: Path | None,
    view: VisibleFiles,
    limits: ResourceLimits,
    environment: Mapping[str, str],
    *,
    pondering: bool,
) -> Process:
    """Start a program as a user of its own, without namespaces."""
    with contextlib.ExitStack() as held, contextlib.ExitStack() as passed:
        user = hold_user()
        held.callback(os.close, user.lock)
        scratch = container.make_folder(folder, user.number)
        held.callback(scratch.close)
        rules = [_above(_memory_file(data), passed) for data in cage.filters_or_error(counted=False)]
        child = spawn(
            container.command(command, folder, limits, rules, user.number),
            env=container.environment(view, scratch.path, environment),
            cwd=scratch.path,
            pass_fds=tuple(rules),
            start_new_session=True,
        )
        process = Process(
            child, None, None, held.pop_all(), user=user.number, threads=limits.processes, pondering=pondering
        )
    return _started(process)


def _started(process: Process) -> Process:
    """Wait until a program is about to start, and let it; raise SandboxError where it never comes to that."""
    try:
        process.await_ready(READY.decode().strip(), START_SECONDS)
    except Fault as fault:
        output = process.log.text.strip()
        process.close()
        if fault.signal == signal.SIGKILL:
            raise  # killed from outside: the sandbox is not at fault
        raise cage.not_started(output) from None
    except BaseException:
        process.close()
        raise
    return process


def _start_trusted(
    command: Sequence[str], folder: Path | None, view: VisibleFiles, environment: Mapping[str, str], *, pondering: bool
) -> Process:
    """Start a trusted program without a sandbox, in a scratch folder with links to its files."""
    scratch = ScratchFolder()
    held = contextlib.ExitStack()
    held.callback(scratch.close)
    if folder is not None:
        for item in folder.iterdir():
            (scratch.path / item.name).symlink_to(item)
    own = {**os.environ, "PYTHONUNBUFFERED": "1", **environment}
    own.pop("LUDUS_SANDBOX", None)  # a program that finds this set may kill every process in reach
    own["PATH"] = ":".join((*view.path, own.get("PATH", "")))
    words = [word.replace(BOT, str(folder)) if word.startswith(f"{BOT}/") else word for word in command]
    try:
        child = spawn(words, env=own, cwd=scratch.path, start_new_session=True)
    except OSError as error:
        held.close()
        raise Fault(
            "crash", Message("faults.command_not_started", command=repr(words[0]), problem=error.strerror)
        ) from None
    return Process(child, None, None, held, pondering=pondering)


def spawn(command: Sequence[str], **settings: object) -> subprocess.Popen[bytes]:
    """Start a process with a pipe for each of its three standard streams."""
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, **settings)  # type: ignore[call-overload,no-any-return]  # noqa: S603


def _memory_file(data: bytes) -> int:
    """Return the descriptor of a file in memory."""
    made = os.memfd_create("ludus")
    os.write(made, data)
    os.lseek(made, 0, os.SEEK_SET)
    return made


def _above(descriptor: int, stack: contextlib.ExitStack) -> int:
    """Move a descriptor above those that the sandbox's shell arranges for itself; the stack closes it."""
    try:
        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    finally:
        os.close(descriptor)
    stack.callback(os.close, moved)
    return moved
