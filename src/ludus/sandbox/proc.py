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
    return ProcessState(fields[0], sum(map(int, fields[11:15])) * TICK)


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


def tree_cpu_seconds(root: int) -> float:
    """Return the CPU time of a process and all below it from /proc."""
    return sum(one.cpu_seconds for one in family(root).values())
