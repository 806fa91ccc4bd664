"""The page's worker processes: the pool of `ludus.workers` behind an event loop, with limits on how much one may ask.

The moves of games come before questions, and those who ask take turns. A task that nobody waits for any more is
stopped, and so is one that takes too long, which its asker is told.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import TYPE_CHECKING, Any

from ludus.errors import MessageError
from ludus.messages import Message, verbatim
from ludus.workers import ANSWER, BEGUN, DIED, DONE, FAILED, Worker, WorkerPool, WorkItem

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

MOST_WAITING = 500
MOST_OF_ONE = 8
"""How many questions one asker may have at a time, waiting or worked on."""


class Busy(MessageError):  # noqa: N818 - no error of the program
    """There is too much to do already."""


class TaskFailed(MessageError):  # noqa: N818 - the task's own failure, told to its asker
    """A task that ended without its answer; the message says why."""


class TookTooLong(TaskFailed):
    """A task that was ended since its time was up."""


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
        self._of_one: dict[str, int] = {}

    def open(self) -> None:
        """Start the workers, so that nobody waits for one to begin."""
        while len(self.workers) < self.size:
            self.start_worker()

    def watch(self, worker: Worker) -> None:
        """Let the event loop watch a worker's line."""
        asyncio.get_running_loop().add_reader(worker.line.fileno(), self.receive, worker)

    def unwatch(self, worker: Worker) -> None:
        """Let the event loop watch a worker's line no longer."""
        asyncio.get_running_loop().remove_reader(worker.line.fileno())

    def close(self) -> None:
        """End all workers; whoever waits for one is told."""
        given = [item for worker in self.workers for item in worker.items if not worker.stopping]
        super().close()
        for item in given:
            item.on_event(DIED, 0)

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        """Call something later."""
        asyncio.get_running_loop().call_later(seconds, call)

    async def play(self, asker: str, name: str, *arguments: Any, seconds: float) -> Any:
        """Do a task of a game, before all questions, and give its answer."""
        asked = self.do(asker, name, *arguments, seconds=seconds, urgent=True)
        async with contextlib.aclosing(asked) as answers:
            found = [answer async for answer in answers]
        if not found:
            raise TaskFailed("web.no_answer")
        return found[-1]

    async def ask(self, asker: str, name: str, *arguments: Any, seconds: float) -> AsyncGenerator[Any]:
        """Do a task for someone who asks, in turn with the others, and give its answers."""
        if self._of_one.get(asker, 0) >= MOST_OF_ONE or self.waiting >= MOST_WAITING:
            raise Busy("web.too_many_questions")
        self._of_one[asker] = self._of_one.get(asker, 0) + 1
        try:
            asked = self.do(asker, name, *arguments, seconds=seconds, urgent=False)
            async with contextlib.aclosing(asked) as answers:
                async for answer in answers:
                    yield answer
        finally:
            self._of_one[asker] -= 1
            if not self._of_one[asker]:
                del self._of_one[asker]

    async def do(self, asker: str, name: str, *arguments: Any, seconds: float, urgent: bool) -> AsyncGenerator[Any]:
        """Do a task when its turn has come, and give its answers."""
        events: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        item = WorkItem(name, arguments, lambda *event: events.put_nowait(event), asker, urgent=urgent)
        self.submit(item)
        try:
            await events.get()  # it has begun
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
