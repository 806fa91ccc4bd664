"""The pool of worker processes, for tournaments and for the page alike, and who is served next.

A worker does the tasks of a module, which are known by their names in its table TASKS, and may tell several answers to
each. A worker that dies is replaced; its item is given to another, or given up when too many have died of it. Workers
end with this process, and Ctrl-C is for this process alone. Knows no event loop: `poll` waits for answers, and whoever
has a loop watches the lines itself and calls `receive` (`ludus.web.jobs.workers`).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections import deque
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG, by its number."""
STOP_SECONDS = 5.0
"""How long a worker may take to stop a task; one that takes longer is killed."""
MOST_FALSE_STARTS = 5
"""Workers in a row that may end before they are ready."""

READY, BEGUN, ANSWER, DONE = "ready", "begun", "answer", "done"
FAILED, DIED, NEVER_READY = "failed", "died", "never-ready"
"""What happens to an item: it is given to a worker, which answers, and is done or has failed with a text; or its
workers died, so many of them, before they were done or before they were even ready."""


class Stopped(BaseException):
    """Ends a task whose answer nobody waits for."""


def _work(line: Connection, module: str, shared: tuple[Any, ...]) -> None:
    """Do what comes along the line until it is closed.

    A signal stops the task under way, but never in the middle of an answer. It may come late: so it counts until the
    parent says, by a task without a name, that it was meant for an earlier one.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
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
        line.send((ANSWER, answer))
        at_work = True
        if asked_to_stop:
            raise Stopped

    signal.signal(signal.SIGUSR1, stop)
    with contextlib.suppress(EOFError, OSError):
        line.send((READY, None))
        while True:
            name, arguments = line.recv()
            ending: tuple[str, str | None] = (DONE, None)
            try:
                at_work = True
                if not name:
                    asked_to_stop = False
                elif not asked_to_stop:
                    tasks[name](tell, *shared, *arguments)
                at_work = False
            except Stopped:
                at_work = False
            except Exception as error:
                at_work = False
                ending = (FAILED, str(error))
            line.send(ending)


@dataclass(eq=False)
class WorkItem:
    """A task that somebody wants done."""

    name: str
    arguments: tuple[Any, ...]
    on_event: Callable[[str, Any], None]
    """Is called with what happens to it, from BEGUN on, and a value."""
    asker: str = ""
    urgent: bool = False
    most_deaths: int = 1
    """After how many workers that died of it it is given up."""
    deaths: int = 0


class FairQueue:
    """Decides which item is next. What is urgent comes first; within that and the rest those who ask take turns.

    Without `kept` places, what is not urgent has all but one when nothing urgent waits. With them it has that many, and
    before what is urgent, which cannot starve it; what is urgent has all others, and these too while nobody else waits.
    """

    def __init__(self, places: int, kept: int | None = None) -> None:
        self._places = places
        self._order = (True, False) if kept is None else (False, True)
        self._most = {True: places, False: places - 1 if kept is None else kept}
        self._waiting: dict[bool, dict[str, deque[WorkItem]]] = {True: {}, False: {}}
        """By whether they are urgent and by who asks, in the order of their turns."""
        self._busy = {True: 0, False: 0}

    def __len__(self) -> int:
        return sum(len(items) for askers in self._waiting.values() for items in askers.values())

    def add(self, item: WorkItem) -> None:
        """Put an item behind those that wait."""
        self._waiting[item.urgent].setdefault(item.asker, deque()).append(item)

    def put_back(self, item: WorkItem) -> None:
        """Put an item that had its turn before all others of its kind."""
        self.done(item)
        askers = self._waiting[item.urgent]
        self._waiting[item.urgent] = {item.asker: deque((item, *askers.pop(item.asker, ()))), **askers}

    def remove(self, item: WorkItem) -> bool:
        """Take out an item, and return whether it waited."""
        askers = self._waiting[item.urgent]
        if item not in askers.get(item.asker, ()):
            return False
        askers[item.asker].remove(item)
        if not askers[item.asker]:
            del askers[item.asker]
        return True

    def next(self) -> WorkItem | None:
        """Return the item whose turn it is, if there is a place for it; it has that place until it is done."""
        for urgent in self._order:
            askers = self._waiting[urgent]
            if askers and sum(self._busy.values()) < self._places and self._busy[urgent] < self._most[urgent]:
                asker = next(iter(askers))
                items = askers.pop(asker)
                if len(items) > 1:
                    askers[asker] = items  # behind the others
                self._busy[urgent] += 1
                return items.popleft()
        return None

    def done(self, item: WorkItem) -> None:
        """Free the place of an item."""
        self._busy[item.urgent] -= 1


class Worker:
    """A process, the line to it, and the items that it was given: it works on the first of them."""

    def __init__(self, module: str, shared: tuple[Any, ...], *, children: bool) -> None:
        spawn = get_context("spawn")
        self.line, theirs = spawn.Pipe()  # one each: a shared line is left locked when a worker is killed
        self.process = spawn.Process(target=_work, args=(theirs, module, shared), daemon=not children)
        self.process.start()
        theirs.close()
        self.items: deque[WorkItem] = deque()
        self.ready = False
        self.stopping = 0
        """Endings that are still to come before it is free, where its item is wanted no longer."""

    def give(self, item: WorkItem) -> None:
        """Give it an item."""
        self.items.append(item)
        with contextlib.suppress(OSError):  # that it has died is found when its line is read
            self.line.send((item.name, item.arguments))

    def stop(self) -> None:
        """Let it stop its task."""
        assert self.process.pid is not None
        self.stopping = 2
        with contextlib.suppress(OSError):
            os.kill(self.process.pid, signal.SIGUSR1)
            self.line.send(("", ()))

    def end(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.join()
        self.line.close()


class WorkerPool:
    """Workers for the items of a queue, started when they are needed."""

    def __init__(
        self,
        module: str,
        size: int,
        *,
        shared: tuple[Any, ...] = (),
        in_hand: int = 1,
        kept: int | None = None,
        children: bool = False,
    ) -> None:
        """Make a pool of `size` workers that do the tasks of a module.

        All tasks get the `shared` arguments first. A worker has up to `in_hand` items, so that it need not wait for the
        next; `kept` are the places of what is not urgent. Tasks may have `children` only where that is said: then a
        worker whose item is withdrawn is killed.
        """
        self.size = size
        self.workers: list[Worker] = []
        self._new_worker = partial(Worker, module, shared, children=children)
        self._children = children
        self._queue = FairQueue(size * in_hand, kept)
        self._false_starts = 0

    @property
    def waiting(self) -> int:
        """How many items wait for a worker."""
        return len(self._queue)

    def submit(self, item: WorkItem) -> None:
        """Take an item."""
        self._queue.add(item)
        self._hand_out()

    def start_worker(self) -> Worker:
        """Start a worker."""
        worker = self._new_worker()
        self.workers.append(worker)
        self.watch(worker)
        return worker

    def watch(self, worker: Worker) -> None:
        """Begin to watch a worker's line; where `poll` is used there is nothing to do."""

    def unwatch(self, worker: Worker) -> None:
        """Watch a worker's line no longer."""

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        """Call something later, where there is an event loop."""

    def _hand_out(self) -> None:
        """Return items to the workers that have least to do."""
        while (item := self._queue.next()) is not None:
            worker = min(self.workers, key=lambda one: len(one.items), default=None)
            if worker is None or (worker.items and len(self.workers) < self.size):
                worker = self.start_worker()
            worker.give(item)
            item.on_event(BEGUN, None)

    def poll(self, seconds: float) -> None:
        """Wait for news of the workers, at most so long, and take it."""
        lines = {worker.line: worker for worker in self.workers}
        for line in wait(list(lines), seconds):
            self.receive(lines[line])  # type: ignore[index]

    def receive(self, worker: Worker) -> None:
        """Take a message of a worker, or that it has died."""
        try:
            kind, value = worker.line.recv()
        except (EOFError, OSError):
            self._bury(worker)
            return
        if kind == READY:
            worker.ready, self._false_starts = True, 0
            return
        item, wanted = worker.items[0], not worker.stopping
        if kind != ANSWER:
            worker.stopping -= not wanted
            if not worker.stopping:
                self._queue.done(worker.items.popleft())
                self._hand_out()
        if wanted:  # what was found by the time that it stopped is nobody's
            item.on_event(kind, value)

    def _bury(self, worker: Worker) -> None:
        """Return the items of a dead worker to others; one that too many died of is given up."""
        self._remove(worker)
        items = list(worker.items)
        if items and worker.stopping:
            self._queue.done(items.pop(0))
        elif items:
            guilty = items[0]
            guilty.deaths += worker.ready
            self._false_starts += not worker.ready
            never_ready = self._false_starts >= MOST_FALSE_STARTS
            if never_ready or guilty.deaths >= guilty.most_deaths:
                self._queue.done(items.pop(0))
                guilty.on_event(*((NEVER_READY, self._false_starts) if never_ready else (DIED, guilty.deaths)))
        for item in reversed(items):
            self._queue.put_back(item)
        self._hand_out()

    def _remove(self, worker: Worker) -> None:
        self.workers.remove(worker)
        self.unwatch(worker)
        worker.end()

    def withdraw(self, item: WorkItem) -> None:
        """Forget an item that nobody waits for: it leaves the queue, or its worker stops, at once or soon."""
        worker = next((one for one in self.workers if item in one.items), None)
        if self._queue.remove(item) or worker is None:
            return
        if self._children:
            worker.stopping = 1
            self._bury(worker)
        else:
            worker.stop()
            self.later(STOP_SECONDS, lambda: self._kill_if_busy(worker, item))

    def _kill_if_busy(self, worker: Worker, item: WorkItem) -> None:
        if worker in self.workers and item in worker.items:
            self._bury(worker)

    def close(self) -> None:
        """End all workers at once, and forget what waits."""
        for worker in list(self.workers):
            self._remove(worker)
        self._queue = FairQueue(0)
