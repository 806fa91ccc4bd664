"""Games on more than one machine, by Dask. An optional part: `pip install ludus[cluster]`.

The same tasks as in the local pool, in batches, since a task costs Dask milliseconds. Bots are sent by content, so a
worker needs nothing but Ludus. A lost worker's games are played again; when the scheduler dies, the ledger is what is
left, and `--resume` goes on from it.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import queue
import time
from collections import deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ludus.errors import UserError, message_of
from ludus.game_task import Task, attempt, unplayed
from ludus.messages import Message
from ludus.players import find_bot

if TYPE_CHECKING:
    from ludus.bots import Bot
    from ludus.play.result import GameKey, GameResult

BATCH_SECONDS = 0.5
"""How long a batch should take: long beside what Dask costs, short beside what a person waits for."""
LARGEST_BATCH = 64
CONNECT_SECONDS = 10
MOST_TRIES = 3
ANY_PORT = "127.0.0.1:0"
"""Where Dask shows how it does: with a port of its own choice, a second cluster prints a warning."""


def perform_all(tasks: list[Task], bots: Mapping[str, Bot]) -> tuple[list[GameResult], float]:
    """Play a batch, on a worker; return the results, and the seconds that it took."""
    began = time.monotonic()
    return [attempt(task, bots) for task in tasks], time.monotonic() - began


def _silence() -> None:
    """Keep Dask from printing tracebacks when a connection is lost: what a person should know, we say."""
    for name in list(logging.Logger.manager.loggerDict):
        if name.startswith(("distributed", "tornado")):
            logging.getLogger(name).setLevel(logging.CRITICAL)


class Cluster:
    """Workers of a Dask cluster: `tcp://HOST:PORT` of a scheduler, or `local:N` for N processes here."""

    def __init__(self, address: str) -> None:
        try:
            distributed: Any = importlib.import_module("distributed")
        except ModuleNotFoundError:
            raise UserError("tournament.no_dask") from None
        _silence()
        self.cluster: Any = None
        """The Dask cluster that is our own, where the address asks for one."""
        try:
            if address.startswith("local:"):
                count = address.removeprefix("local:")
                if not count.isdecimal() or int(count) < 1:
                    raise UserError("tournament.cluster_workers", count=repr(count))
                self.cluster = distributed.LocalCluster(
                    int(count), threads_per_worker=1, dashboard_address=ANY_PORT, silence_logs=50
                )
            self._client: Any = distributed.Client(
                self.cluster or address, timeout=CONNECT_SECONDS, set_as_default=False
            )
        except OSError as error:
            raise UserError("tournament.no_scheduler", address=address, problem=error) from None
        self._batch = 1.0
        self._waiting: deque[Task] = deque()
        self._going: dict[Any, list[Task]] = {}
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._bots: dict[str, Bot | None] = {}
        self._tries: dict[GameKey, int] = {}

    @property
    def size(self) -> int:
        """How many games go on at a time, batches counted whole."""
        if self._client.status != "running":
            raise UserError("tournament.scheduler_gone")
        return int((self._threads or 1) * max(1.0, self._batch))

    @property
    def missing(self) -> Message | None:
        """Workers, where none has joined yet or all have left."""
        lacks = self._client.status == "running" and not self._threads
        return Message("tournament.no_workers", address=self._client.scheduler.address) if lacks else None

    @property
    def _threads(self) -> int:
        return sum(self._client.nthreads().values())

    def submit(self, task: Task) -> None:
        """Take a task."""
        self._waiting.append(task)

    def results(self, seconds: float) -> Iterator[GameResult]:
        """Return what was played since, after handing out what waits."""
        while self._waiting:
            count = min(len(self._waiting), max(1, int(self._batch)))
            yield from self._send([self._waiting.popleft() for _ in range(count)])
        finished: list[Any] = []
        with contextlib.suppress(queue.Empty):
            finished.append(self._done.get(timeout=seconds))
            while True:
                finished.append(self._done.get_nowait())
        for future in finished:
            yield from self._gather(future)

    def _send(self, tasks: list[Task]) -> Iterator[GameResult]:
        """Send tasks to the workers; yield the results of those whose bots cannot be read."""
        sent: dict[str, Bot] = {}
        for task in tuple(tasks):
            try:
                bots = {text: self._bot(text) for text in task.players}
            except Exception as error:  # it concerns this game only
                tasks.remove(task)
                yield unplayed(task, message_of(error))
            else:
                sent |= {text: bot for text, bot in bots.items() if bot is not None}
        if not tasks:
            return
        future = self._client.submit(perform_all, tasks, sent, pure=False)
        self._going[future] = tasks
        future.add_done_callback(self._done.put)

    def _bot(self, text: str) -> Bot | None:
        """Return the bot that goes along with a task, not left on a worker that may die; None for players of Ludus."""
        if text not in self._bots:
            self._bots[text] = find_bot(text)
        return self._bots[text]

    def _gather(self, future: Any) -> Iterator[GameResult]:
        tasks = self._going.pop(future)
        if future.status == "finished":
            rows, seconds = future.result()
            wanted = BATCH_SECONDS * len(tasks) / max(seconds, 1e-6)
            self._batch = min(LARGEST_BATCH, max(1.0, 0.5 * (self._batch + wanted)))
            yield from rows
            return
        if self._client.status != "running":
            raise UserError("tournament.scheduler_gone")
        error = future.exception() if future.status == "error" else None
        killed = error is None or type(error).__name__ == "KilledWorker"
        for task in tasks:  # one at a time, so that the guilty one shows
            self._tries[task.key] = tries = self._tries.get(task.key, 0) + 1
            if tries >= MOST_TRIES:
                problem = {} if killed else {"kind": type(error).__name__, "problem": str(error)}
                code = "tournament.killed_workers" if killed else "tournament.failed_on_workers"
                yield unplayed(task, Message(code, workers=tries, **problem))
            else:
                yield from self._send([task])

    def close(self) -> None:
        """Stop all games, and a cluster that is our own."""
        self._client.cancel(list(self._going), force=True)
        self._client.close()
        if self.cluster is not None:
            self.cluster.close()
