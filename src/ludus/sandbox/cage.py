"""How bubblewrap is called so that a foreign program can do no harm. Knows no bots and no games.

The program gets its own pid, ipc, uts, cgroup and net namespaces (no network), a read-only view of what it needs, a
limited /tmp and working folder in memory, and only harmless devices. Started by an ordinary user it has a user
namespace of its own. Started by root, bubblewrap builds the view as root; `ludus-init` then becomes a user that nobody
else is, because process limits do not apply to root. `ludus-init` is the first process inside, and starts the program
with its resource limits and its filters of system calls.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ludus.errors import UserError
from ludus.messages import Message
from ludus.sandbox.filter import Filters, filters
from ludus.sandbox.view import BOT, PATH, PLAY, VisibleFiles, init_program, system_arguments

MEGABYTE = 1 << 20
READY = b"ready\n"
"""What is written just before the program starts, so that the start of the sandbox is not charged to the program."""
GO = b"go\n"
"""What is awaited before the program starts: by then it dies with its parent, and its parent exists."""
OUTPUT = 3
ENTER = (
    'while [ "$1" != -- ]; do echo 0 >"$1/cgroup.procs" || exit 125; shift; done; shift; '
    "echo 1000 2>/dev/null >/proc/self/oom_score_adj || :; "
    f'exec "$@" {OUTPUT}>&1 >&2'
)
"""Joins the control groups named before `--`, then becomes what follows, with standard output as descriptor OUTPUT.

If the machine has no memory left, the sandbox goes before the referee does; where root says so, nobody inside can
change that.

Bubblewrap's own process keeps the first three descriptors open and closes all others, as `ludus-init` does. So only the
program has its output open, and we notice when it closes it.
"""
SECRETS = ("/proc/keys", "/proc/key-users")
"""What the kernel shows of the keys of the user who runs Ludus."""
PRESSURE = "/proc/pressure"
"""How busy the machine is; a program that writes there makes the kernel watch it."""
INIT = "/ludus-init"
"""Where `ludus-init` is inside."""


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
    view: VisibleFiles, folder: Path | None, limits: ResourceLimits, *, counted: bool, terminal: bool
) -> list[str]:
    """Return bubblewrap's arguments for what the program can see.

    `counted` says that a control group counts the memory of all processes together; `terminal`, that it may make
    terminals, of which the whole machine has only some thousands.
    """
    given = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    given += ["--hostname", "ludus", "--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"]
    if is_root():
        given += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        given += ["--unshare-user", "--uid", "1000", "--gid", "1000", "--disable-userns"]
    given += system_arguments()
    # The writable folders come first: visible files may lie below one of them.
    # The links in PLAY belong to root where Ludus runs as root; without the sticky bit the program may remove them.
    for writable, mode in (("/tmp", "1777"), (PLAY, "0777")):  # noqa: S108 - the program's own
        given += ["--perms", mode, "--size", str(limits.disk_mb * MEGABYTE), "--tmpfs", writable]
    given += view.arguments()
    given += ["--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", str(MEGABYTE), "--tmpfs", "/dev/shm"]  # noqa: S108
    given += ["--ro-bind", "/proc/sys", "/proc/sys"]  # some settings belong to the user of a namespace
    for secret in filter(os.path.exists, SECRETS):
        given += ["--ro-bind", "/dev/null", secret]
    if os.path.isdir(PRESSURE):  # noqa: PTH112
        given += ["--tmpfs", PRESSURE, "--remount-ro", PRESSURE]
    if not terminal:
        given += ["--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts"]
    if not counted:  # a shared mapping of /dev/zero is memory that nobody counts; /dev/full reads the same
        given += ["--dev-bind", "/dev/full", "/dev/zero"]
    given += ["--remount-ro", "/dev", "--ro-bind", str(init_program()), INIT]
    if folder is not None:
        given += ["--ro-bind", str(folder), BOT]
        for name in sorted(os.listdir(folder)):  # noqa: PTH208
            given += ["--symlink", f"{BOT}/{name}", f"{PLAY}/{name}"]
    given += ["--chdir", PLAY, "--remount-ro", "/", "--clearenv"]
    standard = standard_environment(view, PLAY)
    return given + [word for name, value in standard.items() for word in ("--setenv", name, value)]


def standard_environment(view: VisibleFiles, home: str) -> dict[str, str]:
    """Return the environment of every program: nothing of the caller's."""
    path = ":".join((*view.path, PATH))
    return {"PATH": path, "HOME": home, "LANG": "C.UTF-8", "LUDUS_SANDBOX": "1", "PYTHONUNBUFFERED": "1"}


def with_modules(environment: Mapping[str, str], view: VisibleFiles) -> dict[str, str]:
    """Return an environment in which Python also finds the modules that are visible."""
    path = [part for part in (environment.get("PYTHONPATH"), *view.modules) if part]
    return {**environment, **({"PYTHONPATH": ":".join(path)} if path else {})}


def init(
    limits: ResourceLimits,
    environment: Mapping[str, str],
    *,
    control: int,
    rules: Sequence[int],
    user: int | None,
    counted: bool,
) -> list[str]:
    """Return the command of the first process inside, up to the program's own command.

    It has the referee's line and the filters as descriptors. Its own process counts among the user's.
    """
    # 1 and not 0 for core dumps: with 0 a machine that hands them to a program of its own would still run that.
    bounds = {"nproc": limits.processes + 1, "nofile": limits.files, "fsize": limits.disk_mb * MEGABYTE, "core": 1}
    bounds |= {"memlock": 65536, "msgqueue": 65536, "sigpending": 256, "rtprio": 0, "nice": 0}
    if not counted:  # address space that is only reserved does not count: Java and Node reserve a lot
        bounds["data"] = limits.memory_mb * MEGABYTE
    if limits.cpu_seconds is not None:
        bounds["cpu"] = limits.cpu_seconds
    words = ["--control", control, "--output", OUTPUT]
    words += ["--user", user] if user is not None else []
    words += [] if counted else ["--watch", limits.memory_mb]
    words += [word for rule in rules for word in ("--filter", rule)]
    words += [word for name, most in bounds.items() for word in ("--limit", f"{name}={most}")]
    words += [word for name, value in environment.items() for word in ("--env", f"{name}={value}")]
    return [INIT, *map(str, words), "--"]


def is_root() -> bool:
    """Return whether this process is root."""
    return os.geteuid() == 0


def enter(groups: Sequence[Path]) -> list[str]:
    """Return the command that joins control groups and then becomes what follows it, which must be bubblewrap."""
    return ["/bin/sh", "-c", ENTER, "sh", *map(str, groups), "--"]


def bubblewrap() -> str:
    """Return the path of bubblewrap; raise a SandboxError that says what to do if it is missing."""
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxError("sandbox.no_bubblewrap")
    return program


def not_started(output: str) -> SandboxError:
    """Return why the sandbox did not start, by what bubblewrap said, and what to set."""
    if not output:
        return SandboxError("sandbox.not_started_silently")
    if not output.startswith("bwrap:"):
        return SandboxError("sandbox.not_started", output=output)
    for setting, bad in (
        ("kernel/apparmor_restrict_unprivileged_userns", "1"),
        ("kernel/unprivileged_userns_clone", "0"),
        ("user/max_user_namespaces", "0"),
    ):
        path = Path("/proc/sys", setting)
        if not is_root() and path.exists() and path.read_text().strip() == bad:
            good = {"1": "0", "0": "1"}[bad] if setting[0] == "k" else "10000"
            name = setting.replace("/", ".")
            return SandboxError("sandbox.no_user_namespaces", setting=name, value=good)
    return SandboxError(Message("sandbox.bwrap_fails", output=repr(output)))


def filters_or_error(*, counted: bool) -> Filters:
    """Return the filters of system calls; raise SandboxError if they cannot be compiled."""
    try:
        return filters(counted=counted)
    except (ImportError, OSError, RuntimeError) as error:
        raise SandboxError("sandbox.no_libseccomp", problem=error) from None
