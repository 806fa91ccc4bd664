"""Python programs that begin where their imports end: a process that has imported the web arena forks for each.

A server takes two seconds of CPU time to start, most of them for what is the same in every test.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from pkgutil import walk_packages
from typing import NamedTuple

import ludus.web

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    ["ludus.cli.actions.serve", "alembic.context", "sqlalchemy.dialects.sqlite", "uvicorn.lifespan.on"]
    + [module.name for module in walk_packages(ludus.web.__path__, "ludus.web.") if module.name.endswith("routes")]
)


class ForkedPython:
    """A Python program with the arguments of the interpreter, as `subprocess.Popen` has it."""

    def __init__(self, arguments: Sequence[str], log: Path) -> None:
        """Start a program; its standard error goes to the end of a file."""
        reader, writer = CONTEXT.Pipe(duplex=False)
        self._process = CONTEXT.Process(target=run_python, args=(arguments, writer, log, Place.here()))
        self._process.start()
        writer.close()
        self.stdout = os.fdopen(os.dup(reader.fileno()))
        reader.close()

    @property
    def returncode(self) -> int | None:
        """Return its exit status, once it has ended."""
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send a signal to the program, unless it has ended."""
        if self._process.is_alive():
            assert self._process.pid is not None
            os.kill(self._process.pid, number)

    def wait(self, seconds: float | None = None) -> int:
        """Wait until it ends, and return its exit status."""
        self._process.join(seconds)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("python", seconds or 0)
        return self.returncode

    def kill(self) -> None:
        """Kill the program."""
        self._process.kill()


class Place(NamedTuple):
    """What a program takes over from the process that starts it, which forks no longer do."""

    folder: Path
    umask: int
    environment: dict[str, str]

    @classmethod
    def here(cls) -> Place:
        """Return what this process would hand on."""
        os.umask(umask := os.umask(0))
        return cls(Path.cwd(), umask, dict(os.environ))

    def enter(self) -> None:
        """Take it over."""
        os.chdir(self.folder)
        os.umask(self.umask)
        os.environ.clear()
        os.environ.update(self.environment)


def run_python(arguments: Sequence[str], output: Connection, log: Path, place: Place) -> None:
    """Do in this new process what `python ARGUMENTS` does."""
    place.enter()
    os.dup2(output.fileno(), 1)
    os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666), 2)
    sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", 1, closefd=False)
    output.close()
    kind, program, *rest = arguments
    sys.argv = [kind, *rest]
    if kind == "-m":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102 - it is ours
