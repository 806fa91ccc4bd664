"""How busy the machine was while games were played: whether a program had to wait for a core that its clock counts.

Linux says it in /proc/pressure/cpu; elsewhere the load is compared with the cores. Kept in a file, since games of an
earlier run count too. Knows no game and no points.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.files import write_whole
from ludus.messages import Message

if TYPE_CHECKING:
    from collections.abc import Callable

BUSY = 0.5
"""The share of the time with a program waiting for a core from which on a clock in real time is not fair.

One game for each core leaves no program waiting but for moments.
"""
MOST_IN_VAIN = 2
"""How many games of a program are played again and lost by time again before it is believed to be slow."""
PRESSURE = Path("/proc/pressure/cpu")


def cpu_pressure(file: Path = PRESSURE) -> float:
    """Return the share of the last ten seconds, 0 to 1, in which some program waited for a core."""
    try:
        words = file.read_text(encoding="ascii").split("\n", 1)[0].split()
        shares = dict(word.partition("=")[::2] for word in words)
        return float(shares["avg10"]) / 100
    except (OSError, ValueError, KeyError):
        load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
        return 1 - cores / load if load > cores else 0.0


@dataclass
class Pressure:
    """What was measured: once for each game that a clock in real time was used in, on this machine."""

    games: int = 0
    busy: int = 0
    """Games at whose end the machine was busy."""
    worst: float = 0.0
    """The largest share of ten seconds in which a program waited."""
    stalled: float = 0.0
    """Seconds for which the referee itself was delayed."""
    again: int = 0
    """Games that were lost by time meanwhile, and were played again."""

    def add(self, share: float, stalled: float) -> None:
        """Add what was measured at the end of a game."""
        self.games += 1
        self.busy += share >= BUSY
        self.worst = max(self.worst, share)
        self.stalled += stalled

    @property
    def message(self) -> Message | None:
        """What the instructor should know; None when the machine was quiet."""
        if not self.busy:
            return None
        counts = {"busy": self.busy, "games": self.games, "again": self.again}
        return Message("courses.busy", **counts, worst=f"{self.worst:.0%}", stalled=f"{self.stalled:.1f}")


class PressureGauge:
    """Measures at the end of each game, and says which games are to be played again; each at most once."""

    def __init__(self, kept: Path | None = None, read: Callable[[], float] = cpu_pressure) -> None:
        self._kept = kept
        self._read = read
        self.again: set[str] = set()
        """The games that were played again this time."""
        self._in_vain: Counter[str] = Counter()
        self.measured = Pressure()
        if kept is not None and kept.exists():
            try:
                self.measured = Pressure(**json.loads(kept.read_text(encoding="utf-8")))
            except (ValueError, TypeError):  # written by hand, or by another version
                self.measured = Pressure()

    def play_again(self, key: str, stalled: float, loser: str | None) -> bool:
        """Measure at the end of a game; return whether it proves too little, so that it is played once more.

        `loser` is the program that lost by time, where one did. One that goes on to do so gets no more games.
        """
        share = self._read()
        self.measured.add(share, stalled)
        if loser is not None and key in self.again:
            self._in_vain[loser] += 1
        if loser is None or share < BUSY or key in self.again or self._in_vain[loser] >= MOST_IN_VAIN:
            return False
        self.again.add(key)
        self.measured.again += 1
        return True

    def save(self) -> None:
        """Keep what was measured for the next run."""
        if self._kept is not None and self.measured.games:
            write_whole(self._kept, json.dumps(asdict(self.measured)) + "\n")
