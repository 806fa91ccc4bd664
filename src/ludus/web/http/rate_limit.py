"""Rate limits: how often someone may do something. Knows neither who nor what."""

from __future__ import annotations

import time

MOST_KNOWN = 10_000
"""How many keys are remembered at a time."""


class Allowance:
    """A token bucket for each key: `burst` at once, and `rate` per second in the long run."""

    def __init__(self, burst: float, rate: float) -> None:
        self.burst = burst
        self.rate = rate
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, key: str) -> bool:
        """Take one token; return whether there was one."""
        now = time.monotonic()
        left, last = self._left.get(key, (self.burst, now))
        left = min(self.burst, left + self.rate * (now - last))
        if left < 1.0:
            return False
        if len(self._left) >= MOST_KNOWN:
            self._forget(now)
        self._left[key] = (left - 1.0, now)
        return True

    def restore(self, key: str) -> None:
        """Fill the bucket of a key."""
        self._left.pop(key, None)

    def _forget(self, now: float) -> None:
        """Forget full buckets; if there are none, those that were used longest ago."""
        full = [key for key, (left, last) in self._left.items() if left + self.rate * (now - last) >= self.burst]
        order = full or sorted(self._left, key=lambda key: self._left[key][1])[: MOST_KNOWN // 10]
        for key in order:
            del self._left[key]
