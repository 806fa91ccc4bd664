"""Processes that work apart from the server, a bounded number of them, behind a fair queue.

What is urgent, the moves of games above all, comes before the rest, and the rest never takes the last worker. Within
each, those who ask take turns, however much one of them asks. A task that takes too long is ended with its worker, and
its asker is told. Knows tasks by their names only, and where they are: a module with a table TASKS.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal
from collections import deque
from importlib import import_module
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from multiprocessing.connection import Connection

DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG, by its number."""
MOST_WAITING = 500
MOST_OF_ONE = 8
"""How many questions one asker may have at a time, waiting or worked on."""


class Busy(Exception):  # noqa: N818 - no error of the program
    """There is too much to do already."""


class TaskFailed(Exception):  # noqa: N818 - the task's own failure, told to its asker
    """A task that ended without its answer; the sentence says why."""


class TookTooLong(TaskFailed):
    """A task that was ended since its time was up."""


def _work(line: Connection, module: str) -> None:
    """Do what comes along the line until it is closed; Ctrl-C is for the parent, and so is the end of life."""
    tasks = import_module(module).TASKS
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    with contextlib.suppress(EOFError, OSError):
        while True:
            name, arguments = line.recv()
            try:
                tasks[name](lambda answer: line.send(("answer", answer)), *arguments)
                line.send(("done", None))
            except Exception as error:
                line.send(("failed", str(error)))


class Worker:
    """A process and its line; each has a line of its own, since a shared one is left locked when a worker is killed."""

    def __init__(self, module: str, *, children: bool) -> None:
        spawn = get_context("spawn")
        self.line, theirs = spawn.Pipe()
        self.process = spawn.Process(target=_work, args=(theirs, module), daemon=not children)
        self.process.start()
        theirs.close()

    async def do(self, name: str, arguments: tuple[Any, ...]) -> AsyncGenerator[Any]:
        """Do a task, and give its answers as they come."""
        loop = asyncio.get_running_loop()
        readable = asyncio.Event()
        loop.add_reader(self.line.fileno(), readable.set)
        try:
            self.line.send((name, arguments))
            while True:
                await readable.wait()
                readable.clear()
                while self.line.poll():
                    kind, answer = self.line.recv()
                    if kind == "done":
                        return
                    if kind == "failed":
                        raise TaskFailed(answer)
                    yield answer
        finally:
            loop.remove_reader(self.line.fileno())

    def end(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.join()
        self.line.close()


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
    """A pool of workers; the tasks of `module` may have children of their own only where that is said."""

    def __init__(self, size: int | None = None, module: str = "ludus.web.tasks", *, children: bool = False) -> None:
        self.size = max(2, size or len(os.sched_getaffinity(0)))
        self._module = module
        self._children = children
        self._free: list[Worker] = []
        self._turns = {True: Turns(), False: Turns()}
        """Who waits with what is urgent, and with what is not."""
        self._busy = {True: 0, False: 0}
        self._of_one: dict[str, int] = {}

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
            if whole and worker is not None:
                self._free.append(worker)
            elif worker is not None:
                worker.end()  # what is in its line belongs to nobody any more
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
                self._busy[urgent] -= 1
                self._next()
            raise

    def _next(self) -> None:
        """Give free workers to those whose turn it is."""
        while sum(self._busy.values()) < self.size and self._turns[True].call():
            self._busy[True] += 1
        while sum(self._busy.values()) < self.size and self._busy[False] < self.size - 1 and self._turns[False].call():
            self._busy[False] += 1

    def close(self) -> None:
        """End all workers that are free; those at work end with their tasks."""
        for worker in self._free:
            worker.end()
        self._free.clear()
