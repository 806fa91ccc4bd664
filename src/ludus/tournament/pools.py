"""Where games are played: this process, or a pool of worker processes on this machine. `cluster` has the third way.

A pool takes tasks and gives back what was played, in any order. A worker that dies takes its game along, and the
game is given to another; a task that kills worker after worker is given up, and its row says so. Whoever looks on is
told, now and then, how the games stand that take longer than a moment.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import deque
from dataclasses import replace
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ludus.messages import Message
from ludus.processes import Child
from ludus.tournament.task import Task, attempt, unplayed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from multiprocessing.connection import Connection

    from ludus.bots import Bot
    from ludus.play.match import Match
    from ludus.play.result import GameKey, GameResult

    Bots = Mapping[str, Bot]
    """By the texts that stand for them."""
    Onlooker = Callable[[Task, str], None]
    """Is told of a game, and its record as it stands."""

MOST_TRIES = 10
"""How often a game may end its worker before it is given up: a machine that is shut down kills many."""
MOST_FALSE_STARTS = 5
"""Workers in a row that may end before they have begun."""
IN_HAND = 2
SECONDS_BETWEEN_GLANCES = 0.5
"""A game that is over sooner is not looked at."""


class Pool(Protocol):
    """Somewhere that games are played."""

    @property
    def size(self) -> int:
        """How many games go on at a time."""

    def submit(self, task: Task) -> None:
        """Take a task."""

    def results(self, seconds: float) -> Iterator[GameResult]:
        """Give what was played since, after waiting at most so long for the first."""

    def close(self) -> None:
        """Stop all games."""


class Here:
    """This process: a game after the other."""

    size = 1

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


class Glance(NamedTuple):
    """How a game stands that is being played."""

    record: str


class _Teller:
    """A worker's end of its line: gives answers, and where someone looks on tells how the game under way stands.

    A thread of its own does the latter, so that a game is neither slowed down nor shown late while a bot thinks.
    """

    def __init__(self, line: Connection, *, glances: bool) -> None:
        self._line = line
        self._lock = threading.Lock()
        self._match: Match | None = None
        if glances:
            threading.Thread(target=self._glance, daemon=True).start()

    def seen(self, match: Match) -> None:
        """Take note of the game under way."""
        self._match = match

    def answer(self, answer: GameResult) -> None:
        """Give what was played; nothing is told of that game afterwards."""
        with self._lock:
            self._match = None
            self._line.send(answer)

    def _glance(self) -> None:
        before, told = None, -1
        with contextlib.suppress(OSError):  # the parent has gone
            while True:
                time.sleep(SECONDS_BETWEEN_GLANCES)
                with self._lock:
                    match = self._match
                    if match is None or match is not before:
                        before, told = match, -1
                        continue
                    moves = list(match.record.moves)  # the game goes on meanwhile
                    if len(moves) != told and match.outcome is None:
                        told = len(moves)
                        self._line.send(Glance(replace(match.record, moves=moves).text))


def _work(line: Connection, bots: Bots | None, glances: bool) -> None:
    """Play what comes along the line."""
    teller = _Teller(line, glances=glances)
    line.send(None)
    while True:
        teller.answer(attempt(line.recv(), bots, teller.seen))


class Worker(Child):
    """A process that plays, and the tasks that it was given: the first of them is the one that it works on."""

    def __init__(self, bots: Bots | None, *, glances: bool) -> None:
        super().__init__(_work, bots, glances)
        self.tasks: deque[Task] = deque()
        self.ready = False
        """Whether it has said that it is there."""


class Workers:
    """Processes of this machine."""

    def __init__(self, size: int, bots: Bots | None = None, seen: Onlooker | None = None) -> None:
        self.size = size
        self._bots = bots
        self._seen = seen
        self._workers: list[Worker] = []
        self._waiting: deque[Task] = deque()
        self._tries: dict[GameKey, int] = {}
        self._false_starts = 0
        """Workers in a row that ended before they began."""

    def submit(self, task: Task) -> None:
        """Take a task."""
        self._waiting.append(task)
        self._hand_out()

    def _hand_out(self) -> None:
        """Give every worker something to do, and one thing more, so that it does not wait for the next."""
        while self._waiting:
            if len(self._workers) < self.size and all(worker.tasks for worker in self._workers):
                self._workers.append(Worker(self._bots, glances=self._seen is not None))
            worker = min(self._workers, key=lambda one: len(one.tasks))
            if len(worker.tasks) >= IN_HAND:
                return
            worker.tasks.append(self._waiting.popleft())
            with contextlib.suppress(OSError):  # one that has died is found when its line is read
                worker.line.send(worker.tasks[-1])

    def results(self, seconds: float) -> Iterator[GameResult]:
        """Give what was played since."""
        lines = {worker.line: worker for worker in self._workers}
        for line in wait(list(lines), seconds):
            worker = lines[line]  # type: ignore[index]
            try:
                answer = worker.line.recv()
            except (EOFError, OSError):
                yield from self._replace(worker)
                continue
            if answer is None:
                worker.ready, self._false_starts = True, 0
                continue
            if isinstance(answer, Glance):
                if self._seen is not None:
                    self._seen(worker.tasks[0], answer.record)
                continue
            worker.tasks.popleft()
            yield answer
        self._hand_out()

    def _replace(self, worker: Worker) -> Iterator[GameResult]:
        """Take back what a dead worker was given; a game that has ended too many of them is given up."""
        self._workers.remove(worker)
        worker.end()
        self._false_starts += not worker.ready
        if self._false_starts >= MOST_FALSE_STARTS:
            raise ValueError(
                f"{self._false_starts} worker processes ended before they began; a script of your own must begin its "
                'work under `if __name__ == "__main__":`, since each worker reads the script anew'
            )
        guilty = worker.tasks[0] if worker.tasks else None
        tries = 0
        if guilty is not None and worker.ready:
            self._tries[guilty.key] = tries = self._tries.get(guilty.key, 0) + 1
        if guilty is not None and tries >= MOST_TRIES:
            yield unplayed(worker.tasks.popleft(), Message("tournament.ended_worker", n=tries))
        self._waiting.extendleft(reversed(worker.tasks))

    def close(self) -> None:
        """Stop all games at once."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()
        self._waiting.clear()


def local(
    size: int | None = None, *, force: bool = False, bots: Bots | None = None, seen: Onlooker | None = None
) -> Pool:
    """Give a pool on this machine: one game a core, more only by force; `bots` are those that no path leads to.

    `seen` is told now and then how the games stand that are being played.
    """
    cores = len(os.sched_getaffinity(0))
    if size is not None and size > cores and not force:
        raise ValueError(
            f"{size} games at a time on {cores} cores take time from each other, and bots lose by the clock for it; "
            f"use at most {cores}, or --force"
        )
    size = size or cores
    return Here(bots) if size == 1 and seen is None else Workers(size, bots, seen)


def open_pool(cluster: str | None, size: int | None = None, *, force: bool = False) -> Pool:
    """Give the pool that was asked for: a cluster by its address, or this machine."""
    if cluster is None:
        return local(size, force=force)
    from ludus.tournament.cluster import Cluster  # noqa: PLC0415 - an optional part

    return Cluster(cluster)
