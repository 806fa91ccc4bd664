"""How bubblewrap is called so that a foreign program can do no harm. Knows no bots and no games.

The program gets its own pid, ipc, uts, cgroup and net namespaces (no network), a read-only view of what it needs, a
limited /tmp and working folder in memory, only harmless devices, a seccomp filter, and resource limits. Started by an
ordinary user it has a user namespace of its own. Started by root, bubblewrap builds the view as root and the program
then drops to an otherwise unused user, because process limits do not apply to root.
"""

from __future__ import annotations

import functools
import itertools
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ludus.errors import UserError
from ludus.messages import Message
from ludus.sandbox.view import BOT, PATH, PLAY, VisibleFiles, parents, system_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MEGABYTE = 1 << 20
FIRST_USER, USERS = 60_000, 5_000
"""The users that root drops to: a range that Debian keeps free, a new one for each program."""
READY = b"ready\n"
"""What is written just before the program starts, so that the start of the sandbox is not charged to the program."""
ENTER = 'while [ "$1" != -- ]; do echo 0 >"$1/cgroup.procs" || exit 125; shift; done; shift; exec "$@" 3>&1 >&2'
"""Joins the control groups named before `--`, then becomes what follows, with standard output as descriptor 3.

Bubblewrap's own processes keep the first three descriptors open and close all others. So only the program has its
output open, and we notice when it closes it.
"""
GO = b"go\n"
"""What is awaited before the program starts: by then it dies with its parent, and its parent exists."""
START = 'echo ready >&3; read -r go && exec "$@" >&3 3>&-'

users = itertools.count(os.getpid() * 16)


class SandboxError(UserError):
    """The sandbox does not work on this machine; the message says what to install or set."""


class ResourceLimits(NamedTuple):
    """What a program may use."""

    memory_mb: int = 1024
    processes: int = 128
    """Processes and threads together."""
    disk_mb: int = 64
    """In each of its two writable folders, both in memory."""
    files: int = 256
    """Open at a time."""
    cpu_seconds: int | None = None
    """A limit in addition to the clock."""


def arguments(
    view: VisibleFiles,
    folder: Path | None,
    limits: ResourceLimits,
    environment: Mapping[str, str],
    *,
    hard_memory: bool,
    root: bool,
) -> list[str]:
    """Return bubblewrap's arguments up to and including what runs inside it before the program."""
    given = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    given += ["--hostname", "ludus", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    if root:
        given += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        given += ["--unshare-user", "--uid", "1000", "--gid", "1000", "--disable-userns"]
    given += system_arguments()
    # The writable folders come first: visible files may lie below one of them.
    # The links in PLAY belong to root where Ludus runs as root; without the sticky bit the program may remove them.
    for writable, mode in (("/tmp", "1777"), (PLAY, "0777")):  # noqa: S108 - the program's own
        given += ["--perms", mode, "--size", str(limits.disk_mb * MEGABYTE), "--tmpfs", writable]
    for parent in dict.fromkeys(parent for shown in view.shown for parent in parents(shown)):
        given += ["--perms", "0755", "--dir", parent]
    for shown in view.shown:
        given += ["--ro-bind", shown, shown]
    given += ["--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", str(MEGABYTE), "--tmpfs", "/dev/shm"]  # noqa: S108
    given += ["--remount-ro", "/dev"]
    if folder is not None:
        given += ["--ro-bind", str(folder), BOT]
        for name in sorted(os.listdir(folder)):  # noqa: PTH208
            given += ["--symlink", f"{BOT}/{name}", f"{PLAY}/{name}"]
    given += ["--chdir", PLAY, "--remount-ro", "/", "--clearenv"]
    path = ":".join((*view.path, PATH))
    standard = {"PATH": path, "HOME": PLAY, "LANG": "C.UTF-8", "LUDUS_SANDBOX": "1", "PYTHONUNBUFFERED": "1"}
    for name, value in {**standard, **environment}.items():
        given += ["--setenv", name, value]
    return [*given, "--", *_inside(limits, hard_memory=hard_memory, root=root)]


def _inside(limits: ResourceLimits, *, hard_memory: bool, root: bool) -> list[str]:
    """Return the programs that run one after the other inside: the change of user, the limits, and the word `ready`."""
    user = str(FIRST_USER + next(users) % USERS)
    drop = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all", "--"] if root else []
    bounds = [f"--nproc={limits.processes}", f"--nofile={limits.files}", f"--fsize={limits.disk_mb * MEGABYTE}"]
    bounds += ["--core=0", "--memlock=65536", "--msgqueue=65536", "--sigpending=256"]
    if not hard_memory:  # address space that is only reserved does not count: Java and Node reserve a lot
        bounds.append(f"--data={limits.memory_mb * MEGABYTE}")
    if limits.cpu_seconds is not None:
        bounds.append(f"--cpu={limits.cpu_seconds}")
    return [*drop, "prlimit", *bounds, "--", "/bin/sh", "-c", START, "sh"]


def is_root() -> bool:
    """Return whether this process is root."""
    return os.geteuid() == 0


def enter(groups: Sequence[Path]) -> list[str]:
    """Return the command that joins control groups and then becomes what follows it, which must be bubblewrap."""
    return ["/bin/sh", "-c", ENTER, "sh", *map(str, groups), "--"]


@functools.cache
def bubblewrap() -> str:
    """Return the path of bubblewrap after trying it once; raise a SandboxError that says what to do if it fails."""
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxError("sandbox.no_bubblewrap")
    for needed in ("prlimit", *(("setpriv",) if is_root() else ())):
        if shutil.which(needed, path=PATH) is None:
            raise SandboxError("sandbox.no_util_linux", program=needed)
    given = arguments(VisibleFiles(), None, ResourceLimits(), {}, hard_memory=False, root=is_root())
    command = [*enter(()), program, *given, "true"]
    tried = subprocess.run(command, input=GO, capture_output=True, env={}, timeout=30, check=False)  # noqa: S603
    if tried.returncode != 0 or tried.stdout != READY:
        raise SandboxError(_why_not(tried.stderr.decode(errors="replace").strip()))
    return program


def _why_not(output: str) -> Message:
    """Return why bubblewrap does not work, and what to set."""
    for setting, bad in (
        ("kernel/apparmor_restrict_unprivileged_userns", "1"),
        ("kernel/unprivileged_userns_clone", "0"),
        ("user/max_user_namespaces", "0"),
    ):
        path = Path("/proc/sys", setting)
        if not is_root() and path.exists() and path.read_text().strip() == bad:
            good = {"1": "0", "0": "1"}[bad] if setting[0] == "k" else "10000"
            name = setting.replace("/", ".")
            return Message("sandbox.no_user_namespaces", setting=name, value=good)
    return Message("sandbox.bwrap_fails", output=repr(output))


def filter_or_error() -> bytes:
    """Return the seccomp filter; raise SandboxError if it cannot be compiled."""
    try:
        from ludus.sandbox.filter import program  # noqa: PLC0415 - loads a shared library

        return program()
    except (ImportError, OSError, RuntimeError) as error:
        raise SandboxError("sandbox.no_libseccomp", problem=error) from None
