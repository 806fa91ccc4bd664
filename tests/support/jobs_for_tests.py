"""Kinds of jobs that only tests have; a worker finds them when told this module."""

from __future__ import annotations

import os
import time
from typing import Any

from ludus.web.jobs.kinds import TASKS, JobContext, job_kind

__all__ = ["TASKS"]


@job_kind("count", seconds=60, urgent=True)
def count(context: JobContext, to: int) -> dict[str, Any]:
    """Count, and tell each number."""
    for number in range(to):
        context.report(number)
    return {"counted": to}


@job_kind("refuse", seconds=60, urgent=True)
def refuse(_context: JobContext) -> None:
    """Find that what was asked for makes no sense."""
    raise ValueError("there is nothing to do; ask for something")


@job_kind("break", seconds=60, urgent=True)
def break_down(_context: JobContext) -> None:
    """Fail for a reason of ours."""
    raise KeyError("a secret of ours")


@job_kind("die", seconds=60, urgent=True)
def die(_context: JobContext) -> None:
    """End the worker."""
    os._exit(1)


@job_kind("sleep", seconds=60, urgent=False)
def sleep(context: JobContext, marks: str, seconds: float = 60.0) -> str:
    """Mark that it was begun, and sleep."""
    with (context.folder / marks).open("a") as file:
        file.write("begun\n")
    context.report("asleep")
    time.sleep(seconds)
    return "awake"


@job_kind("nap", seconds=60, urgent=True)
def nap(context: JobContext, marks: str, seconds: float = 60.0) -> str:
    """Sleep though somebody waits."""
    return str(sleep(context, marks, seconds))


@job_kind("late", seconds=0.2, urgent=True)
def late(_context: JobContext) -> None:
    """Take too long."""
    time.sleep(60)
