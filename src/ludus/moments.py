"""Moments of a clock that does not jump, for what is deleted by its age and for the order of what is stored.

How long something takes is measured with `time.monotonic`. Real time, which people and daylight set, is for what people
read and for what a calendar decides: deadlines, expiry dates, limits per day.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""It goes on while a machine sleeps."""
_BEGAN, _BEGAN_AT = datetime.now(UTC), time.clock_gettime(_CLOCK)
_TICK = timedelta(microseconds=1)


def steady() -> datetime:
    """Return the real time at the start of this process, and what has passed since then by a clock that nobody sets."""
    return _BEGAN + timedelta(seconds=time.clock_gettime(_CLOCK) - _BEGAN_AT)


def earliest() -> datetime:
    """Return the earlier of real time and `steady`: what is old by it is old, whatever was done to the clock."""
    return min(steady(), datetime.now(UTC))


def after(last: datetime | None) -> datetime:
    """Return the real time, or the moment just after the last event if the clock was set back since."""
    now = datetime.now(UTC)
    return now if last is None else max(now, last + _TICK)
