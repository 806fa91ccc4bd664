"""Limits: how often someone may do something, and how many at a time. Knows neither who nor what."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from typing import TypeVar
from weakref import WeakValueDictionary

Key = TypeVar("Key")

MOST_KNOWN = 10_000
"""How many keys are remembered at a time."""


class Counts(Counter[Key]):
    """How many of something each key has at this moment."""

    @contextlib.contextmanager
    def one(self, key: Key) -> Iterator[None]:
        """Count one more while the block runs."""
        self[key] += 1
        try:
            yield
        finally:
            self[key] -= 1
            if not self[key]:
                del self[key]


class Turns:
    """Let a number of requests run at a time for each key: more of one key wait, other keys go on."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._of: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @contextlib.asynccontextmanager
    async def one(self, key: str) -> AsyncIterator[None]:
        """Wait for a turn, which lasts as long as the block."""
        turn = self._of.setdefault(key, asyncio.Semaphore(self._at_once))
        async with turn:
            yield


class Allowance:
    """A token bucket for each key: `burst` at once, and `rate` per second in the long run."""

    def __init__(self, burst: float, rate: float) -> None:
        self.burst = burst
        self.rate = rate
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, key: str, tokens: float = 1.0) -> bool:
        """Take a number of tokens; return whether there were as many."""
        now = time.monotonic()
        left, last = self._left.get(key, (self.burst, now))
        left = min(self.burst, left + self.rate * (now - last))
        if left < tokens:
            return False
        if len(self._left) >= MOST_KNOWN:
            self._forget(now)
        self._left[key] = (left - tokens, now)
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
