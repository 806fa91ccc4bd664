"""Processes that work apart from the server, a bounded number of them, behind a fair queue.

What is urgent, the moves of games above all, comes before the rest, and the rest never takes the last worker; where
places are kept for the rest, it has those and no others. Within each, those who ask take turns, however much one of
them asks. A task that nobody waits for any more is stopped, and its worker goes on with the next; one that takes too
long is stopped too, and its asker is told. Knows tasks by their names only, and where they are: a module with a table
TASKS.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections import deque
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ludus.errors import MessageError
from ludus.processes import Child

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from multiprocessing.connection import Connection

STOP_SECONDS = 5.0
"""How long a worker may take to hear that it should stop; one that does not is killed."""
MOST_WAITING = 500
MOST_OF_ONE = 8
"""How many questions one asker may have at a time, waiting or worked on."""


class Busy(MessageError):  # noqa: N818 - no error of the program
    """There is too much to do already."""


class TaskFailed(MessageError):  # noqa: N818 - the task's own failure, told to its asker
    """A task that ended without its answer; the sentence says why."""


class TookTooLong(TaskFailed):
    """A task that was ended since its time was up."""


class Stopped(BaseException):
    """Ends a task whose answer nobody waits for."""


def _work(line: Connection, module: str) -> None:
    """Do what comes along the line.

    A signal stops the task under way, but never in the middle of an answer. It may come late: so it counts until the
    parent, who waits for the answer, says by a task without a name that it has been heard.
    """
    tasks = import_module(module).TASKS
    at_work = asked_to_stop = False

    def stop(*_: object) -> None:
        nonlocal asked_to_stop
        asked_to_stop = True
        if at_work:
            raise Stopped

    def tell(answer: object) -> None:
        nonlocal at_work
        at_work = False
        line.send(("answer", answer))
        at_work = True
        if asked_to_stop:
            raise Stopped

    signal.signal(signal.SIGUSR1, stop)
    while True:
        name, arguments = line.recv()
        ending: tuple[str, str | None] = ("done", None)
        try:
            at_work = True
            if not name:
                asked_to_stop = False
            elif not asked_to_stop:
                tasks[name](tell, *arguments)
            at_work = False
        except Stopped:
            at_work = False
        except Exception as error:
            at_work = False
            ending = ("failed", str(error))
        line.send(ending)


class Worker(Child):
    """A process that does the tasks of a module, one at a time."""

    def __init__(self, module: str, *, children: bool) -> None:
        super().__init__(_work, module, children=children)

    async def do(self, name: str, arguments: tuple[Any, ...]) -> AsyncGenerator[Any]:
        """Do a task, and give its answers as they come."""
        self.line.send((name, arguments))
        async with contextlib.aclosing(self._answers()) as answers:
            async for answer in answers:
                yield answer

    async def _answers(self) -> AsyncGenerator[Any]:
        """Give what comes along the line until a task ends."""
        loop = asyncio.get_running_loop()
        readable = asyncio.Event()
        loop.add_reader(self.line.fileno(), readable.set)
        try:
            while True:
                while self.line.poll():
                    kind, answer = self.line.recv()
                    if kind == "done":
                        return
                    if kind == "failed":
                        raise TaskFailed(answer)
                    yield answer
                await readable.wait()
                readable.clear()
        finally:
            loop.remove_reader(self.line.fileno())

    async def stop(self) -> bool:
        """Stop the task under way, and say whether the worker is ready for another."""
        assert self.process.pid is not None
        try:
            async with asyncio.timeout(STOP_SECONDS):
                os.kill(self.process.pid, signal.SIGUSR1)
                with contextlib.suppress(TaskFailed):
                    async for _ in self._answers():  # what was found by then is nobody's
                        pass
                async for _ in self.do("", ()):
                    pass
        except (TimeoutError, EOFError, OSError):
            return False
        return True


class Turns:
    """Those who wait, in the order of their turns: each asker's first, then each one's second."""

    def __init__(self) -> None:
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def add(self, asker: str, mine: asyncio.Future[None]) -> None:
        """Put someone behind those who wait."""
        self._queues.setdefault(asker, deque()).append(mine)

    def call(self) -> bool:
        """Call the next one who still waits; say whether there was any."""
        while self._queues:
            asker = next(iter(self._queues))
            queue = self._queues.pop(asker)
            mine = queue.popleft()
            if queue:
                self._queues[asker] = queue  # behind the others
            if not mine.done():
                mine.set_result(None)
                return True
        return False


class Workers:
    """A pool of workers; the tasks of `module` may have children of their own only where that is said.

    Without `kept` places, what is not urgent has all but one when nothing urgent waits. With them it has so many, and
    before what is urgent, which cannot starve it; what is urgent has all others, and these too while nobody else waits.
    """

    def __init__(
        self,
        size: int | None = None,
        module: str = "ludus.web.jobs.tasks",
        *,
        children: bool = False,
        kept: int | None = None,
    ) -> None:
        self.size = max(2, size or len(os.sched_getaffinity(0)))
        self._order = (True, False) if kept is None else (False, True)
        self._most = {True: self.size, False: self.size - 1 if kept is None else kept}
        self._module = module
        self._children = children
        self._free: list[Worker] = []
        self._turns = {True: Turns(), False: Turns()}
        """Who waits with what is urgent, and with what is not."""
        self._busy = {True: 0, False: 0}
        self._of_one: dict[str, int] = {}
        self._stopping: set[asyncio.Task[None]] = set()

    def open(self) -> None:
        """Start the workers, so that nobody waits for one to begin."""
        self._free = [self._worker() for _ in range(self.size)]

    def _worker(self) -> Worker:
        return Worker(self._module, children=self._children)

    @property
    def waiting(self) -> int:
        """How many tasks wait for a worker."""
        return sum(map(len, self._turns.values()))

    async def play(self, asker: str, name: str, *arguments: Any, seconds: float) -> Any:
        """Do a task of a game, before all questions, and give its answer."""
        asked = self.do(asker, name, *arguments, seconds=seconds, urgent=True)
        async with contextlib.aclosing(asked) as answers:
            told = [answer async for answer in answers]
        if not told:
            raise TaskFailed("it gave no answer")
        return told[-1]

    async def ask(self, asker: str, name: str, *arguments: Any, seconds: float) -> AsyncGenerator[Any]:
        """Do a task for someone who asks, in turn with the others, and give its answers."""
        if self._of_one.get(asker, 0) >= MOST_OF_ONE or self.waiting >= MOST_WAITING:
            raise Busy("too many questions are waiting; try again in a moment")
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
        await self._turn(asker, urgent=urgent)
        whole, worker = False, None
        try:
            worker = self._free.pop() if self._free else self._worker()
            async with asyncio.timeout(seconds):
                async with contextlib.aclosing(worker.do(name, arguments)) as answers:
                    async for answer in answers:
                        yield answer
            whole = True
        except TaskFailed:
            whole = True
            raise
        except TimeoutError:
            raise TookTooLong(f"it took more than {seconds:g} seconds") from None
        except (EOFError, OSError):
            raise TaskFailed("its worker ended") from None
        finally:
            if worker is None or whole:
                self._back(worker, urgent=urgent)
            else:  # whoever leaves need not wait until the worker has heard of it
                stopping = asyncio.get_running_loop().create_task(self._stop(worker, urgent=urgent))
                self._stopping.add(stopping)
                stopping.add_done_callback(self._stopping.discard)

    async def _stop(self, worker: Worker, *, urgent: bool) -> None:
        """Stop a worker's task; one that does not hear, or has children, is killed, and another takes its place."""
        heard = not self._children and await worker.stop()
        if not heard:
            worker.end()
        self._back(worker if heard else None, urgent=urgent)

    def _back(self, worker: Worker | None, *, urgent: bool) -> None:
        """Let the next have their turn."""
        if worker is not None:
            self._free.append(worker)
        self._busy[urgent] -= 1
        self._next()

    async def _turn(self, asker: str, *, urgent: bool) -> None:
        """Wait until there is a worker for this."""
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._turns[urgent].add(asker, mine)
        self._next()
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():  # it had its turn, and cannot use it
                self._back(None, urgent=urgent)
            raise

    def _next(self) -> None:
        """Give free workers to those whose turn it is."""
        for urgent in self._order:
            while sum(self._busy.values()) < self.size and self._busy[urgent] < self._most[urgent]:
                if not self._turns[urgent].call():
                    break
                self._busy[urgent] += 1

    def close(self) -> None:
        """End all workers that are free; those at work end with their tasks."""
        for worker in self._free:
            worker.end()
        self._free.clear()
