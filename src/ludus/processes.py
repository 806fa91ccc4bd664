"""Processes of our own that work for this one. None outlives it; Ctrl-C is for this one alone."""

from __future__ import annotations

import contextlib
import ctypes
import signal
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG, by its number."""


class Child:
    """A process and the line to it; each has a line of its own: a shared one is left locked when a child is killed."""

    def __init__(self, work: Callable[..., None], *given: Any, children: bool = False) -> None:
        """Start one that does `work(line, *given)`; it has `children` of its own only where that is said."""
        spawn = get_context("spawn")
        self.line, theirs = spawn.Pipe()
        self.process = spawn.Process(target=_live, args=(work, theirs, given), daemon=not children)
        self.process.start()
        theirs.close()

    def end(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.join()
        self.line.close()


def _live(work: Callable[..., None], line: Connection, given: tuple[Any, ...]) -> None:
    """Work until the line is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    with contextlib.suppress(EOFError, OSError):
        work(line, *given)
