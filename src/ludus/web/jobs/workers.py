"""The worker processes of the server: the pool of `ludus.workers` with an event loop, and limits for each asker.

Moves of games come before questions, and askers take turns. A task that nobody waits for any more is stopped, and so is
one that takes too long; its asker gets an error.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Callable
from typing import Any

from ludus.errors import MessageError
from ludus.messages import Message, verbatim
from ludus.web.http.rate_limit import Counts
from ludus.workers import ANSWER, BEGUN, DIED, DONE, FAILED, Worker, WorkerPool, WorkItem

MOST_WAITING = 500
MOST_OF_ONE = 8
"""Open questions of one asker."""


class Busy(MessageError):  # noqa: N818 - not an error of the program
    """Refuses a request because there is too much to do."""


class TaskFailed(MessageError):  # noqa: N818 - a failure of the task, not of the program
    """A task that ended without an answer; the message says why."""


class TookTooLong(TaskFailed):
    """A task that was stopped because its time was up."""


class AsyncWorkers(WorkerPool):
    """A pool of workers whose answers are awaited."""

    def __init__(
        self,
        size: int | None = None,
        module: str = "ludus.web.jobs.tasks",
        *,
        children: bool = False,
        kept: int | None = None,
    ) -> None:
        super().__init__(module, max(2, size or len(os.sched_getaffinity(0))), children=children, kept=kept)
        self._questions = Counts[str]()
        """Open questions by asker."""

    def open(self) -> None:
        """Start the workers, so that nobody has to wait for that."""
        while len(self.workers) < self.size:
            self.start_worker()

    def watch(self, worker: Worker) -> None:
        """Receive messages of a worker in the event loop."""
        asyncio.get_running_loop().add_reader(worker.connection.fileno(), self.receive, worker)

    def unwatch(self, worker: Worker) -> None:
        """Stop receiving messages of a worker."""
        asyncio.get_running_loop().remove_reader(worker.connection.fileno())

    def close(self) -> None:
        """End all workers; those who wait for an answer get an error."""
        given = [item for worker in self.workers for item in worker.items if not worker.stopping]
        super().close()
        for item in given:
            item.on_event(DIED, 0)

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        """Call a function later."""
        asyncio.get_running_loop().call_later(seconds, call)

    async def play(self, asker: str, name: str, *arguments: Any, seconds: float) -> Any:
        """Do a task of a game, before all questions, and return its last answer."""
        return await _last(self.do(asker, name, *arguments, seconds=seconds, urgent=True))

    async def ask_once(self, asker: str, name: str, *arguments: Any, seconds: float) -> Any:
        """Do a task for someone who asks, and return its last answer."""
        return await _last(self.ask(asker, name, *arguments, seconds=seconds))

    async def ask(self, asker: str, name: str, *arguments: Any, seconds: float) -> AsyncGenerator[Any]:
        """Do a task for someone who asks, in turn with others, and yield its answers."""
        if self._questions[asker] >= MOST_OF_ONE or self.waiting >= MOST_WAITING:
            raise Busy("web.too_many_questions")
        with self._questions.one(asker):
            asked = self.do(asker, name, *arguments, seconds=seconds, urgent=False)
            async with contextlib.aclosing(asked) as answers:
                async for answer in answers:
                    yield answer

    async def do(self, asker: str, name: str, *arguments: Any, seconds: float, urgent: bool) -> AsyncGenerator[Any]:
        """Do a task when its turn has come, and yield its answers."""
        events: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        item = WorkItem(name, arguments, lambda *event: events.put_nowait(event), asker, urgent=urgent)
        self.submit(item)
        try:
            await events.get()  # it has started
            async with asyncio.timeout(seconds):
                kind, value = await events.get()
                while kind in (ANSWER, BEGUN):
                    if kind == ANSWER:
                        yield value
                    kind, value = await events.get()
        except TimeoutError:
            raise TookTooLong("web.took_too_long", seconds=f"{seconds:g}") from None
        finally:
            self.withdraw(item)
        if kind != DONE:
            raise TaskFailed(verbatim(value) if kind == FAILED else Message("web.worker_ended"))


async def _last(asked: AsyncGenerator[Any]) -> Any:
    """Return the last answer to a task."""
    async with contextlib.aclosing(asked) as answers:
        found = [answer async for answer in answers]
    if not found:
        raise TaskFailed("web.no_answer")
    return found[-1]
