"""The CPU time that a running program has used: counted by its control group, or added up from its processes.

Knows no clock of a game: what the time is charged to is for `Process` to say.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ludus.sandbox.cgroup import Group
    from ludus.sandbox.proc import ProcessState

READ_SECONDS = 0.1
"""How often CPU time is read before a wait where no control group counts it: reading /proc is slower."""
READS = 3
"""How often /proc is read where CPU time seems to be less than before: a child may have ended during a reading."""


class CpuReading(NamedTuple):
    """The CPU time that a program had used, as far as it is known."""

    seconds: float
    listing: int
    """Where processes are listed to find out: the same number as long as there are the same ones."""


class CpuMeter:
    """Counts the CPU time of a program and all its children."""

    def __init__(self, group: Group | None, processes: Callable[[], Mapping[int, ProcessState]]) -> None:
        self._group, self._processes = group, processes
        self._last = (0.0, CpuReading(0.0, 0))
        """The last reading, and when it was taken."""
        self._counted = self._forgotten = 0.0
        self._listed: frozenset[int] = frozenset()
        self._listings = 0

    def seconds(self) -> float:
        """Return the CPU time so far."""
        counted = self._group.cpu_seconds() if self._group is not None else None
        if counted is not None:
            return counted
        for _ in range(READS):
            found = self._listed_seconds()
            if found >= self._counted:
                break
        self._forgotten += max(0.0, self._counted - found)
        self._counted = found
        return found + self._forgotten

    def _listed_seconds(self) -> float:
        """Return the CPU time of the processes that are there, and of the dead for which a parent has waited."""
        found = self._processes()
        if found.keys() != self._listed:
            self._listed = frozenset(found)
            self._listings += 1
        return sum(one.cpu_seconds for one in found.values())

    def read(self) -> CpuReading:
        """Read the CPU time that the program has used."""
        now, seconds = time.monotonic(), self.seconds()
        self._last = (now, CpuReading(seconds, self._listings))
        return self._last[1]

    def recent(self) -> CpuReading:
        """Return the CPU time at the beginning of a wait; without a control group it may be a little too low."""
        if self._group is not None or time.monotonic() - self._last[0] > READ_SECONDS:
            self.read()
        return self._last[1]

    def used_since(self, before: CpuReading, most: float) -> float:
        """Return the CPU time that it has used since a reading; if processes have come or gone, as much as possible."""
        used = self.seconds() - before.seconds
        return used if self._listings == before.listing else most
