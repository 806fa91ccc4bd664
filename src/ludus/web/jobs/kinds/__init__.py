"""The kinds of jobs: each is a function in a module here, and runs in a separate process.

A job that was running when the server stopped is started again, so it must continue from what it has stored, or repeat
its work. Its progress and its result are JSON. A ValueError is a mistake of the person who asked, who sees its message;
any other failure is an error of the server.

People wait for short (urgent) jobs; long ones take hours or days. One long job at a time always has a place; the other
cores are for short jobs, each of which plays one game at a time. So there are never more games than cores, and no bot
loses on time because of other jobs.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NamedTuple

from ludus.errors import is_disk_full, message_of

SECONDS_BETWEEN_NEWS = 0.5
_CORES = len(os.sched_getaffinity(0))
SHORT_JOBS = max(1, _CORES // 4)
LONG_JOBS = 1
LONG_GAMES = max(1, _CORES - SHORT_JOBS)
"""Games that a long job plays at a time."""


@dataclass
class JobContext:
    """What a job can use."""

    report: Callable[[Any], None]
    """Reports progress."""
    show_match: Callable[[str, str, str | None], None]
    """Shows a match to spectators: its name, game and record so far; without a record it is shown no longer."""
    database: str
    folder: Path
    """Where the server stores files; a job uses a folder of its own there."""

    def stage_reporter(self) -> Callable[[str, int, int], None]:
        """Return a function that reports a stage and how much of it is done, but not too often."""
        last = ("", 0.0)

        def report(stage: str, done: int, total: int) -> None:
            nonlocal last
            if stage != last[0] or done == total or time.monotonic() - last[1] > SECONDS_BETWEEN_NEWS:
                last = (stage, time.monotonic())
                self.report({"stage": stage, "done": done, "total": total})

        return report


class Kind(NamedTuple):
    """A kind of job."""

    work: Callable[..., Any]
    seconds: float
    """The time limit."""
    urgent: bool
    """Whether somebody waits for it."""


_kinds: dict[str, Kind] = {}


def job_kind(name: str, *, seconds: float, urgent: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as a kind of job; it is called with a JobContext, and the arguments of the job by name."""

    def register(work: Callable[..., Any]) -> Callable[..., Any]:
        _kinds[name] = Kind(work, seconds, urgent)
        return work

    return register


@functools.cache
def kinds() -> dict[str, Kind]:
    """Return all kinds by their names."""
    for module in iter_modules(__path__, f"{__name__}."):
        import_module(module.name)
    return _kinds


def perform(send: Callable[[Any], None], name: str, database: str, folder: str, arguments: dict[str, Any]) -> None:
    """Do a job; the last answer is its result or its error."""
    context = JobContext(
        lambda progress: send({"progress": progress}),
        lambda *match: send({"match": match}),
        database,
        Path(folder),
    )
    try:
        send({"result": kinds()[name].work(context, **arguments)})
    except (ValueError, OSError) as error:
        if isinstance(error, ValueError) or is_disk_full(error):
            send({"error": message_of(error).json})
        else:
            raise


TASKS = {"perform": perform}
