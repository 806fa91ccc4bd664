"""How often someone may do something. Knows neither who they are nor what it is."""

from __future__ import annotations

import time

MOST_KNOWN = 10_000
"""Those remembered at a time."""


class Allowance:
    """So many at once, and so many a second in the long run, for each of those who ask."""

    def __init__(self, burst: float, rate: float) -> None:
        self.burst = burst
        self.rate = rate
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, who: str) -> bool:
        """Take one, if there is one left."""
        now = time.monotonic()
        left, last = self._left.get(who, (self.burst, now))
        left = min(self.burst, left + self.rate * (now - last))
        if left < 1.0:
            return False
        if len(self._left) >= MOST_KNOWN:
            self._forget(now)
        self._left[who] = (left - 1.0, now)
        return True

    def restore(self, who: str) -> None:
        """Give someone everything back."""
        self._left.pop(who, None)

    def _forget(self, now: float) -> None:
        """Forget those who have everything back; in a flood, also those who are nearest to it."""
        full = [who for who, (left, last) in self._left.items() if left + self.rate * (now - last) >= self.burst]
        order = full or sorted(self._left, key=lambda who: self._left[who][1])[: MOST_KNOWN // 10]
        for who in order:
            del self._left[who]
