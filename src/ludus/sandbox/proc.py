"""What /proc says about processes: their state, their children and their CPU time. Knows no sandbox."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

TICK = 1 / os.sysconf("SC_CLK_TCK")
"""The unit in which /proc counts CPU time, in seconds."""


class ProcessState(NamedTuple):
    """What /proc says about a process."""

    state: str
    """`R` for one that runs, `S` or `D` for one that sleeps, `T` for one that was stopped."""
    cpu_seconds: float


def process_state(pid: int) -> ProcessState | None:
    """Return the state of a process; None when it has ended."""
    try:
        fields = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    state = _thread_state(pid) if fields[0] == "Z" and int(fields[17]) > 1 else fields[0]
    return ProcessState(state, sum(map(int, fields[11:15])) * TICK)


def _thread_state(pid: int) -> str:
    """Return the state of a process whose first thread has ended: that of a thread that runs, or of all that are left.

    /proc calls such a process a zombie, though it does what it likes.
    """
    found = set()
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - several times per move
            with contextlib.suppress(OSError):
                found.add(Path(f"/proc/{pid}/task/{thread}/stat").read_text().rpartition(")")[2].split()[0])
    return min(found - {*"ZX"}, key="RSDTt".find, default="Z")


def has_stopped(pid: int) -> bool:
    """Return whether no thread of a process runs any more: each was stopped, or has ended.

    The state of a process is that of its first thread: the others may not have got the signal yet.
    """
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - several times per move
            with contextlib.suppress(OSError):
                state = Path(f"/proc/{pid}/task/{thread}/stat").read_text().rpartition(")")[2].split()[0]
                if state not in "TtZX":
                    return False
    return True


def times_scheduled(pid: int) -> int:
    """Return how many times the threads of a process have been given the CPU; -1 when it has ended."""
    total = 0
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - several times per move
            with contextlib.suppress(OSError):
                total += int(Path(f"/proc/{pid}/task/{thread}/schedstat").read_bytes().split()[2])
    except OSError:
        return -1
    return total


def children(pid: int) -> list[int]:
    """Return the processes that a process has started, or adopted when their parent ended."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - many times a second
            with contextlib.suppress(OSError):
                found += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split())
    return found


def family(root: int) -> dict[int, ProcessState]:
    """Return a process and all below it."""
    found: dict[int, ProcessState] = {}
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        if pid not in found and (one := process_state(pid)) is not None:
            found[pid] = one
            waiting += children(pid)
    return found


def of_user(user: int) -> dict[int, ProcessState]:
    """Return all processes of a user."""
    found: dict[int, ProcessState] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - many times a second
        with contextlib.suppress(OSError):
            if name.isdecimal() and os.stat(f"/proc/{name}").st_uid == user:  # noqa: PTH116
                one = process_state(int(name))
                found |= {int(name): one} if one else {}
    return found
