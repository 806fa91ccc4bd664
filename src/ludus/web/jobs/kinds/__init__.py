"""What jobs do: each kind a function in a module here, that runs in a process of its own and may take long.

A job that was under way when the server stopped is begun anew, so a kind must go on from what it left, or do the same
again. What it tells as it goes on, and what it gives back, is JSON. A ValueError is the asker's fault, and its sentence
is shown; any other failure is ours.

Somebody waits for a short (urgent) job; long ones take hours or days. One long job at a time has its place, whatever
else waits, and the rest of the cores is for short ones, each of which plays a game at a time: however many jobs there
are, no more games go on than there are cores, so that no bot loses by the clock for it.
"""

from __future__ import annotations

import functools
import os
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.errors import message_of

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS_BETWEEN_NEWS = 0.5
_CORES = len(os.sched_getaffinity(0))
SHORT_JOBS = max(1, _CORES // 4)
LONG_JOBS = 1
LONG_GAMES = max(1, _CORES - SHORT_JOBS)
"""Games at a time of a long job."""


@dataclass
class Desk:
    """What a job has at hand."""

    tell: Callable[[Any], None]
    """Says how far it is."""
    show: Callable[[str, str, str | None], None]
    """Shows a match to those who watch: its name, its game and its record as it stands; without a record, no longer."""
    database: str
    folder: Path
    """Where the arena keeps files; a job keeps its own in a folder there that it names itself."""

    def stages(self) -> Callable[[str, int, int], None]:
        """Return a function that tells at which stage it is and how far, now and then."""
        last = ("", 0.0)

        def seen(stage: str, done: int, total: int) -> None:
            nonlocal last
            if stage != last[0] or done == total or time.monotonic() - last[1] > SECONDS_BETWEEN_NEWS:
                last = (stage, time.monotonic())
                self.tell({"stage": stage, "done": done, "total": total})

        return seen


class Kind(NamedTuple):
    """A kind of job."""

    work: Callable[..., Any]
    seconds: float
    """After which it is ended."""
    urgent: bool
    """Whether somebody waits for it: long jobs leave such ones a place."""


_kinds: dict[str, Kind] = {}


def kind(name: str, *, seconds: float, urgent: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function as a kind of job; it is called with a desk, and the job's arguments by name."""

    def enter(work: Callable[..., Any]) -> Callable[..., Any]:
        _kinds[name] = Kind(work, seconds, urgent)
        return work

    return enter


@functools.cache
def kinds() -> dict[str, Kind]:
    """Return all kinds by their names."""
    for module in iter_modules(__path__, f"{__name__}."):
        import_module(module.name)
    return _kinds


def perform(tell: Callable[[Any], None], name: str, database: str, folder: str, arguments: dict[str, Any]) -> None:
    """Do a job; the last thing that it tells is what came of it."""
    desk = Desk(
        lambda progress: tell({"progress": progress}),
        lambda *match: tell({"match": match}),
        database,
        Path(folder),
    )
    try:
        tell({"result": kinds()[name].work(desk, **arguments)})
    except ValueError as error:
        tell({"error": message_of(error).json})


TASKS = {"perform": perform}
