"""Control groups: memory, processes, CPU time and its share for one sandboxed program, where the machine offers them.

Supports versions 1 and 2. Root has them nearly everywhere. An ordinary user has them in a group that belongs to that
user: one that systemd gives on request, or that root has made: `ludus_UID` in version 1, or any group of version 2 that
the referee is started in. `make` returns None where there is none: then `ludus-init` counts memory.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

PREFIX = "ludus-"
KILL_SECONDS = 2.0
"""How long the last processes of a killed group may take to go away."""
FREEZE = "freeze"
"""Used like a controller: every group of version 2 can freeze without one."""
CONTROLLERS = ("memory", "pids")
"""What limits use; the first one must be there."""
ROOM = "ludus"
"""The group for processes that stand in the way: in version 2 a group has processes or groups in it, not both."""
SYSTEMD_SECONDS = 5.0
numbers = itertools.count()


class Hierarchy(NamedTuple):
    """Where groups can be created: one folder in version 2, one folder per controller in version 1."""

    version: int
    folders: dict[str, Path]
    """The folder of each controller; in version 2 all have the same."""


def _mounts() -> tuple[Path | None, dict[str, Path]]:
    """Find the mount of version 2, and of each controller of version 1."""
    unified: Path | None = None
    controllers: dict[str, Path] = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        where = Path(before.split()[4])
        if kind == "cgroup2":
            unified = where
        elif kind == "cgroup":
            controllers |= dict.fromkeys(options.split(","), where)
    return unified, controllers


def _own_paths() -> dict[str, str]:
    """Return the group that this process is in, by controller; version 2 has the empty name."""
    rows = (line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines())
    return {name: path.lstrip("/") for _, names, path in rows for name in names.split(",")}


def _has(file: Path) -> list[str]:
    """Return the controllers that a file of a group lists."""
    try:
        return file.read_text().split()
    except OSError:
        return []


def _unified(mount: Path, own: str, *, room: bool) -> Hierarchy | None:
    """Find a folder of version 2 whose children have a memory limit: this process's own group, or the one above.

    Where this group is ours but has processes in it, they make `room`, if they may. An ordinary user's slice is
    systemd's, though it belongs to the user.
    """
    here = mount / own
    above = here.parent if own and (os.geteuid() == 0 or not here.parent.name.endswith(".slice")) else here
    return _offered(here) or (_make_room(here) if room and here.name != ROOM else None) or _offered(above)


def _offered(folder: Path) -> Hierarchy | None:
    """Return a folder of version 2 as a place for groups, if its children can have what limits use."""
    control = folder / "cgroup.subtree_control"
    with contextlib.suppress(OSError):
        if CONTROLLERS[0] not in _has(control):
            control.write_text(" ".join(f"+{name}" for name in CONTROLLERS))  # refused where processes are in it
        with contextlib.suppress(OSError):
            control.write_text("+cpu")
        given = _has(control)
        if CONTROLLERS[0] in given and os.access(folder, os.W_OK):
            names = (*CONTROLLERS, "cpuacct", FREEZE, *{"cpu"}.intersection(given))
            return Hierarchy(2, dict.fromkeys(names, folder))
    return None


def _make_room(here: Path) -> Hierarchy | None:
    """Move the processes of a group that is ours into one below it, so that others can be made beside that."""
    if CONTROLLERS[0] not in _has(here / "cgroup.controllers") or not _may_use(here):
        return None
    with contextlib.suppress(OSError):
        (here / ROOM).mkdir(exist_ok=True)
        for process in _has(here / "cgroup.procs"):
            with contextlib.suppress(OSError):
                (here / ROOM / "cgroup.procs").write_text(process)
    return _offered(here)


def _join_scope() -> None:
    """Ask the user's systemd, if there is one, for a group that is ours, with this process in it."""
    unified, _ = _mounts()
    bus = Path(os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}", "bus")
    if unified is None or CONTROLLERS[0] not in _has(unified / "cgroup.controllers") or not bus.exists():
        return
    unit = f"ludus-{os.getpid()}.scope"
    manager = ("org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager")
    given = ("PIDs", "au", "1", str(os.getpid()), "Delegate", "b", "true")
    method = ("StartTransientUnit", "ssa(sv)a(sa(sv))", unit, "fail", "2", *given, "0")
    call = ["busctl", "--user", "call", *manager, *method]
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(bus.parent), "DBUS_SESSION_BUS_ADDRESS": f"unix:path={bus}"}
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        subprocess.run(call, env=environment, capture_output=True, timeout=SYSTEMD_SECONDS, check=True)  # noqa: S603
        until = time.monotonic() + SYSTEMD_SECONDS
        while time.monotonic() < until:  # it answers before it has done so
            if _own_paths().get("", "").endswith(unit):
                return
            time.sleep(0.01)


def _found(*, room: bool = False) -> Hierarchy | None:
    """Return where this process may create groups as things are."""
    unified, controllers = _mounts()
    own = _own_paths()
    room = room or not own.get("")  # the uppermost one of a container
    found = _unified(unified, own.get("", ""), room=room) if unified else None
    if found is not None:
        return found
    folders: dict[str, Path] = {}
    for name in ("memory", "pids", "cpuacct", "cpu"):
        if name in controllers:
            places = (controllers[name] / own.get(name, ""), controllers[name] / user_group())
            folders |= {name: place} if (place := next(filter(_may_use, places), None)) else {}
    if unified and _may_use(freezer := unified / own.get("", "")):
        folders[FREEZE] = freezer  # mounted beside version 1: without any controller it can still freeze
    return Hierarchy(1, folders) if "memory" in folders else None


def user_group() -> str:
    """Return the name of the group that root can make for this user in each controller of version 1."""
    return f"ludus_{os.geteuid()}"


@functools.cache
def hierarchy() -> Hierarchy | None:
    """Return where this process may create groups, after removing what a killed referee left there."""
    try:
        found = _found()
        if found is None and os.geteuid() != 0:
            _join_scope()
            found = _found(room=True)
    except OSError:
        return None
    if found is not None:
        _sweep(found)
    return found


def _may_use(folder: Path) -> bool:
    return os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)


def _sweep(found: Hierarchy) -> None:
    for folder in set(found.folders.values()):
        for old in folder.glob(f"{PREFIX}*"):
            owner = old.name.removeprefix(PREFIX).partition("-")[0]
            if not Path("/proc", owner).exists():
                with contextlib.suppress(OSError):
                    old.rmdir()


class Group:
    """The control group of one sandboxed program."""

    def __init__(self, memory_bytes: int, processes: int, found: Hierarchy) -> None:
        name = f"{PREFIX}{os.getpid()}-{next(numbers)}"
        self._version = found.version
        self._back = False
        self._opened: dict[Path, int] = {}
        self._of = {controller: folder / name for controller, folder in found.folders.items()}
        self.folders = sorted(set(self._of.values()))
        try:
            for folder in self.folders:
                folder.mkdir()
            if self._version == 2:
                self._write("memory", "memory.max", memory_bytes)
                self._try("memory", "memory.swap.max", 0)
                self._try("memory", "memory.oom.group", 1)
                self._try("pids", "pids.max", processes)
            else:
                self._write("memory", "memory.limit_in_bytes", memory_bytes)
                self._try("memory", "memory.memsw.limit_in_bytes", memory_bytes)
                self._try("pids", "pids.max", processes)
        except OSError:
            self.close()
            raise

    def _write(self, controller: str, name: str, value: int) -> None:
        (self._of[controller] / name).write_text(str(value))

    def _try(self, controller: str, name: str, value: int) -> None:
        with contextlib.suppress(OSError, KeyError):
            self._write(controller, name, value)

    def _read(self, controller: str, name: str) -> str:
        with contextlib.suppress(OSError, KeyError):
            return (self._of[controller] / name).read_text()
        return ""

    def _open(self, controller: str, name: str, flags: int) -> int:
        """Open a file of the group once: they are used many times per move."""
        path = self._of[controller] / name
        if path not in self._opened:
            self._opened[path] = os.open(path, flags)
        return self._opened[path]

    def cpu_seconds(self) -> float | None:
        """Return the CPU time of all processes that were ever in the group; None where it is not counted."""
        with contextlib.suppress(OSError, KeyError):
            if self._version == 1:
                return int(os.pread(self._open("cpuacct", "cpuacct.usage", os.O_RDONLY), 64, 0)) / 1e9
            counted = os.pread(self._open("cpuacct", "cpu.stat", os.O_RDONLY), 4096, 0).split()
            return int(counted[counted.index(b"usage_usec") + 1]) / 1e6
        return None

    def stand_back(self, *, back: bool) -> None:
        """Reduce its share of CPU time to a sixteenth, or restore the full share."""
        if back == self._back:
            return
        self._back = back
        with contextlib.suppress(OSError, KeyError):
            name, full = ("cpu.weight", 100) if self._version == 2 else ("cpu.shares", 1024)
            os.pwrite(self._open("cpu", name, os.O_WRONLY), b"%d" % (full // 16 if back else full), 0)

    def freeze(self, *, frozen: bool) -> bool:
        """Freeze or thaw every process of the group; return whether the machine can do that.

        Version 2 only: frozen processes still die when they, or the referee, are killed.
        """
        try:
            os.pwrite(self._open(FREEZE, "cgroup.freeze", os.O_WRONLY), b"1" if frozen else b"0", 0)
        except (OSError, KeyError):
            return False
        return True

    def out_of_memory(self) -> bool:
        """Return whether a process of the group was killed because it used too much memory."""
        name = "memory.events" if self._version == 2 else "memory.oom_control"
        counted = dict(line.split() for line in self._read("memory", name).splitlines())
        return int(counted.get("oom_kill", 0)) > 0

    def close(self) -> None:
        """Kill what is left in the group, and remove it."""
        for descriptor in self._opened.values():
            os.close(descriptor)
        self._opened.clear()
        until = time.monotonic() + KILL_SECONDS
        for folder in self.folders:
            while True:
                try:
                    folder.rmdir()
                except FileNotFoundError:
                    break
                except OSError:
                    if time.monotonic() > until:
                        break  # the next referee removes it
                    self._kill(folder)
                    time.sleep(0.001)
                else:
                    break

    def _kill(self, folder: Path) -> None:
        with contextlib.suppress(OSError):
            for process in (folder / "cgroup.procs").read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(process), 9)


def make(memory_bytes: int, processes: int) -> Group | None:
    """Create a group with these limits; return None where that is not possible."""
    found = hierarchy()
    if found is None:
        return None
    try:
        return Group(memory_bytes, processes, found)
    except OSError:
        return None
