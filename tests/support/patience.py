"""How long tests wait for what they need: one limit for all of them, so generous that only a fault reaches it.

A wait ends as soon as what it waits for is there; the limit only ends a test that would hang. A machine on which twenty
others compute takes its time.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 300.0
"""Seconds."""
PATIENCE_MS = 1000 * PATIENCE

Found = TypeVar("Found")


def until(look: Callable[[], Found], what: str = "it", pause: Callable[[float], object] = time.sleep) -> Found:
    """Look again and again until there is something true, and give it."""
    ends = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < ends, f"{what} did not come about within {PATIENCE:g} s: {found!r}"
        pause(0.02)
    return found
