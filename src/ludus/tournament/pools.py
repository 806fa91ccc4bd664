"""Where games are played: this process, or a pool of worker processes on this machine. `cluster` has the third way.

A pool takes tasks and gives back what was played, in any order. A worker that dies takes its game along, and the
game is given to another; a task that kills worker after worker is given up with an error that names it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, Protocol

from ludus.tournament.task import Task, perform

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_TRIES = 4
DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG, by its number."""

Row = dict[str, Any]


class Pool(Protocol):
    """Somewhere that games are played."""

    @property
    def size(self) -> int:
        """How many games go on at a time."""

    def submit(self, task: Task) -> None:
        """Take a task."""

    def results(self, seconds: float) -> Iterator[Row]:
        """Give what was played since, after waiting at most so long for the first."""

    def close(self) -> None:
        """Stop all games."""


class Here:
    """This process: a game after the other."""

    size = 1

    def __init__(self) -> None:
        self._waiting: deque[Task] = deque()

    def submit(self, task: Task) -> None:
        """Take a task."""
        self._waiting.append(task)

    def results(self, seconds: float) -> Iterator[Row]:  # noqa: ARG002 - it waits for its own game
        """Play one."""
        if self._waiting:
            yield perform(self._waiting.popleft())

    def close(self) -> None:
        """Forget the rest."""
        self._waiting.clear()


def _prepare_worker() -> None:
    """Leave Ctrl-C to the parent, and die with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)


class Workers:
    """Processes of this machine."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._executor = self._fresh()
        self._running: dict[Future[Row], Task] = {}
        self._tries: dict[tuple[str, int, int], int] = {}

    def _fresh(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.size, mp_context=get_context("forkserver"), initializer=_prepare_worker)

    def submit(self, task: Task) -> None:
        """Take a task."""
        try:
            self._running[self._executor.submit(perform, task)] = task
        except BrokenProcessPool:
            self._recover()
            self._running[self._executor.submit(perform, task)] = task

    def results(self, seconds: float) -> Iterator[Row]:
        """Give what was played since."""
        done, _ = wait(self._running, seconds, FIRST_COMPLETED)
        for future in done:
            task = self._running.get(future)
            if task is None:
                continue  # given to another worker meanwhile
            try:
                row = future.result()
            except BrokenProcessPool:
                self._recover()
                return
            del self._running[future]
            yield row

    def _recover(self) -> None:
        """Start new workers after one died, and give them all that was going on."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        lost = [task for future, task in self._running.items() if not _is_done(future)]
        finished = {future: task for future, task in self._running.items() if _is_done(future)}
        self._executor, self._running = self._fresh(), finished
        for task in lost:
            self._tries[task.key] = tries = self._tries.get(task.key, 0) + 1
            if tries >= MOST_TRIES * self.size:  # the innocent are hit too when a worker dies
                raise RuntimeError(f"the game {task.pairing} on board {task.board} ended its worker {tries} times")
            self.submit(task)

    def close(self) -> None:
        """Stop all games at once."""
        for process in list((self._executor._processes or {}).values()):  # there is no other way to them
            process.kill()
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._running.clear()


def _is_done(future: Future[Row]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def local(size: int | None = None, *, force: bool = False) -> Pool:
    """Give a pool on this machine: one game a core, more only by force."""
    cores = len(os.sched_getaffinity(0))
    if size is not None and size > cores and not force:
        raise ValueError(
            f"{size} games at a time on {cores} cores take time from each other, and bots lose by the clock for it; "
            f"use at most {cores}, or --force"
        )
    size = size or cores
    return Here() if size == 1 else Workers(size)


def open_pool(cluster: str | None, size: int | None = None, *, force: bool = False) -> Pool:
    """Give the pool that was asked for: a cluster by its address, or this machine."""
    if cluster is None:
        return local(size, force=force)
    from ludus.tournament.cluster import Cluster  # noqa: PLC0415 - an optional part

    return Cluster(cluster)
