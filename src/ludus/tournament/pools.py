"""Where games are played: in this process, or by worker processes on this machine. `cluster` has the third way.

A pool takes tasks and gives back what was played, in any order. A game that kills worker after worker is given up, and
its result says so. A watcher is called now and then with the games that take longer than a moment.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from ludus.errors import UserError
from ludus.game_task import RECORD, Task, attempt, unplayed
from ludus.messages import Message
from ludus.workers import ANSWER, DIED, NEVER_READY, WorkerPool, WorkItem

if TYPE_CHECKING:
    from ludus.bots import Bot
    from ludus.play.result import GameResult

    Bots = Mapping[str, Bot]
    """By the texts that stand for them."""
    Watcher = Callable[[Task, str], None]
    """Called with a game that is being played, and its record so far."""

MOST_TRIES = 10
"""How often a game may end its worker before it is given up: a machine that is shut down kills many."""
IN_HAND = 2
"""Tasks that a worker has at a time: the one it works on and the next."""


class Pool(Protocol):
    """Somewhere that games are played."""

    @property
    def size(self) -> int:
        """How many games go on at a time."""

    @property
    def missing(self) -> Message | None:
        """What it waits for before any game can be played; None for nothing."""

    def submit(self, task: Task) -> None:
        """Take a task."""

    def results(self, seconds: float) -> Iterator[GameResult]:
        """Return what was played since, after waiting at most this time for the first."""

    def close(self) -> None:
        """Stop all games."""


class ThisProcess:
    """A pool without workers: one game after the other."""

    size = 1
    missing = None

    def __init__(self, bots: Bots | None = None) -> None:
        self._bots = bots
        self._waiting: deque[Task] = deque()

    def submit(self, task: Task) -> None:
        """Take a task."""
        self._waiting.append(task)

    def results(self, seconds: float) -> Iterator[GameResult]:  # noqa: ARG002 - it waits for its own game
        """Play one."""
        if self._waiting:
            yield attempt(self._waiting.popleft(), self._bots)

    def close(self) -> None:
        """Forget the rest."""
        self._waiting.clear()


class LocalPool:
    """Worker processes of this machine."""

    missing = None

    def __init__(self, size: int, bots: Bots | None = None, watcher: Watcher | None = None) -> None:
        self.size = size
        self._watcher = watcher
        self._finished: deque[GameResult] = deque()
        shared = (bots, watcher is not None)
        self.workers = WorkerPool("ludus.game_task", size, shared=shared, in_hand=IN_HAND, kept=size * IN_HAND)

    def submit(self, task: Task) -> None:
        """Take a task."""
        self.workers.submit(WorkItem("play", (task,), partial(self._event, task), most_deaths=MOST_TRIES))

    def _event(self, task: Task, kind: str, value: Any) -> None:
        """Handle the result of a game, its record so far, or the end of its worker."""
        if kind == ANSWER:
            what, content = value
            if what != RECORD:
                self._finished.append(content)
            elif self._watcher is not None:
                self._watcher(task, content)
        elif kind == DIED:
            self._finished.append(unplayed(task, Message("tournament.ended_worker", n=value)))
        elif kind == NEVER_READY:
            raise UserError("tournament.workers_never_ready", workers=value)

    def results(self, seconds: float) -> Iterator[GameResult]:
        """Return what was played since."""
        self.workers.poll(seconds)
        while self._finished:
            yield self._finished.popleft()

    def close(self) -> None:
        """Stop all games at once."""
        self.workers.close()


def local(
    size: int | None = None, *, force: bool = False, bots: Bots | None = None, watcher: Watcher | None = None
) -> Pool:
    """Return a pool on this machine: one game a core, more only by force; `bots` are those that no path leads to.

    The watcher is called now and then with the games that are being played.
    """
    cores = len(os.sched_getaffinity(0))
    if size is not None and size > cores and not force:
        raise UserError("tournament.more_than_cores", games=size, cores=cores)
    size = size or cores
    return ThisProcess(bots) if size == 1 and watcher is None else LocalPool(size, bots, watcher)


def open_pool(cluster: str | None, size: int | None = None, *, force: bool = False) -> Pool:
    """Return the pool that was asked for: a cluster by its address, or this machine."""
    if cluster is None:
        return local(size, force=force)
    from ludus.tournament.cluster import Cluster  # noqa: PLC0415 - an optional part

    return Cluster(cluster)
