"""Tasks of workers that only tests have; a worker finds them when told this module."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

Tell = Callable[[Any], None]


def double(tell: Tell, shared: str, number: int) -> None:
    """Tell twice a number, and what all tasks have in common."""
    tell((shared, 2 * number))


def pid(tell: Tell, _shared: str) -> None:
    """Tell which process this is, and wait for long."""
    tell(os.getpid())
    time.sleep(60)


def die(tell: Tell, _shared: str, mark: str, times: int) -> None:
    """Kill the worker the first times that this is done, which a file counts."""
    with Path(mark).open("a") as file:
        file.write("x")
    if len(Path(mark).read_text()) <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    tell("alive")


def fail(_tell: Tell, _shared: str) -> None:
    """Fail."""
    raise KeyError("lost")


def load(tell: Tell, _shared: str, folder: str, package: str) -> None:
    """Import a package of a folder, and tell what is in it."""
    if folder not in sys.path:
        sys.path.insert(0, folder)
    tell(import_module(package).FOUND)


TASKS = {"load": load, "double": double, "pid": pid, "die": die, "fail": fail}
