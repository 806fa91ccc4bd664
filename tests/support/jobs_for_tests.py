"""Kinds of jobs that only tests have; a worker finds them when told this module."""

from __future__ import annotations

import os
import time
from typing import Any

from ludus.web.jobs.kinds import TASKS, Desk, kind

__all__ = ["TASKS"]


@kind("count", seconds=60, urgent=True)
def count(desk: Desk, to: int) -> dict[str, Any]:
    """Count, and tell each number."""
    for number in range(to):
        desk.tell(number)
    return {"counted": to}


@kind("refuse", seconds=60, urgent=True)
def refuse(_desk: Desk) -> None:
    """Find that what was asked for makes no sense."""
    raise ValueError("there is nothing to do; ask for something")


@kind("break", seconds=60, urgent=True)
def break_down(_desk: Desk) -> None:
    """Fail for a reason of ours."""
    raise KeyError("a secret of ours")


@kind("die", seconds=60, urgent=True)
def die(_desk: Desk) -> None:
    """End the worker."""
    os._exit(1)


@kind("sleep", seconds=60, urgent=False)
def sleep(desk: Desk, marks: str, seconds: float = 60.0) -> str:
    """Mark that it was begun, and sleep."""
    with (desk.folder / marks).open("a") as file:
        file.write("begun\n")
    desk.tell("asleep")
    time.sleep(seconds)
    return "awake"


@kind("nap", seconds=60, urgent=True)
def nap(desk: Desk, marks: str, seconds: float = 60.0) -> str:
    """Sleep though somebody waits."""
    return str(sleep(desk, marks, seconds))


@kind("late", seconds=0.2, urgent=True)
def late(_desk: Desk) -> None:
    """Take too long."""
    time.sleep(60)
