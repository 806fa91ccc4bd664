"""The sandbox: how a foreign program is kept in, spoken to, and stopped. Knows no game, no bot and no protocol."""

from __future__ import annotations

from ludus.sandbox.cage import ResourceLimits, SandboxError, bubblewrap, filter_or_error
from ludus.sandbox.process import Process, start
from ludus.sandbox.view import BOT, PLAY, VisibleFiles, ludus, python


def see_that_it_works() -> None:
    """Raise a SandboxError with the remedy where no program can be kept in, before anything depends on it."""
    bubblewrap()
    filter_or_error()


__all__ = [
    "BOT",
    "PLAY",
    "Process",
    "ResourceLimits",
    "SandboxError",
    "VisibleFiles",
    "ludus",
    "python",
    "see_that_it_works",
    "start",
]
