"""A pause by signals, and whether it held: where no control group freezes a program. Knows /proc, and no sandbox.

A stopped process runs again only when it gets SIGCONT from something inside: a timer, or the end of another process. So
one that has been given the CPU since it stopped was woken on purpose, and all the time since then is charged: its CPU
time would not do, since the kernel forgets that of a child for which its parent does not wait.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from ludus.sandbox.proc import has_stopped, times_scheduled

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludus.sandbox.proc import ProcessState

TRIES, TRY_SECONDS = 400, 0.0005
"""How often processes are looked at until all have stopped, and the pause between two looks: a thread stops when it
gets a core, which takes its time on a busy machine."""
TOLERANCE_SECONDS = 0.03
"""CPU time that a stopped program may seem to use, since /proc counts in ticks; more than that is charged to it."""


class SignalPause(NamedTuple):
    """Processes that were stopped by a signal, as they were then."""

    began: float
    cpu_seconds: float
    scheduled: dict[int, int]
    """How many times each had been given the CPU, without the dead; one that does not stop is awake on purpose."""

    @classmethod
    def of(cls, processes: Callable[[], dict[int, ProcessState]], cpu_seconds: Callable[[], float]) -> SignalPause:
        """Wait until processes have stopped that were sent the signal, and return what was found."""
        for _ in range(TRIES):
            found = processes()
            if all(map(has_stopped, found)):
                break
            time.sleep(TRY_SECONDS)
        there = {pid: times_scheduled(pid) for pid, one in found.items() if one.state not in "ZX"}
        return cls(time.monotonic(), cpu_seconds(), there)

    def used(self, cpu_seconds: float) -> float:
        """Return the seconds in which the program could think in spite of the pause."""
        used = cpu_seconds - self.cpu_seconds
        if any(times_scheduled(pid) != times for pid, times in self.scheduled.items()):
            return max(used, time.monotonic() - self.began)
        return used if used > TOLERANCE_SECONDS else 0.0
