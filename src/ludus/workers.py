"""A pool of worker processes for tournaments and for the server, and the queue that decides which task is next.

A worker does the tasks of a module, by their names in its table TASKS, and may send several answers to each. A worker
that dies is replaced; another gets its item, unless too many workers have died with it. Workers end with this process,
and ignore Ctrl-C. Knows no event loop: `poll` waits for messages; with a loop, watch the connections and call `receive`
(`ludus.web.jobs.workers`).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType

DIE_WITH_PARENT = 1
"""The number of PR_SET_PDEATHSIG."""
STOP_SECONDS = 5.0
"""How long a worker may take to stop a task before it is killed."""
MOST_FALSE_STARTS = 5
"""How many workers in a row may end before they are ready."""

IMPORTING = "<frozen importlib._bootstrap>"
"""The file of Python's frames that import a module."""

READY, BEGUN, ANSWER, DONE = "ready", "begun", "answer", "done"
FAILED, DIED, NEVER_READY = "failed", "died", "never-ready"
"""The events of an item: a worker begins it, sends answers, and is done or has failed with a text; or workers died
(the value is how many), after they were ready or before."""


class TaskStopped(BaseException):
    """Ends a task whose answer nobody needs any more."""


def _work(connection: Connection, module: str, shared: tuple[Any, ...]) -> None:
    """Do the tasks that arrive on a connection until it is closed.

    A signal stops the current task, but never in the middle of an answer. It may arrive late: so it stays valid until
    the parent sends a task without a name, which means that it was for an earlier task. In the middle of an import it
    ends the process, since a package that is imported in part stays broken for all later tasks.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    tasks = import_module(module).TASKS
    at_work = asked_to_stop = False

    def stop(_signal: int, frame: FrameType | None) -> None:
        nonlocal asked_to_stop
        asked_to_stop = True
        if at_work:
            while frame is not None:
                if frame.f_code.co_filename == IMPORTING:
                    os._exit(1)
                frame = frame.f_back
            raise TaskStopped

    def send(answer: object) -> None:
        nonlocal at_work
        at_work = False
        connection.send((ANSWER, answer))
        at_work = True
        if asked_to_stop:
            raise TaskStopped

    signal.signal(signal.SIGUSR1, stop)
    with contextlib.suppress(EOFError, OSError):
        connection.send((READY, None))
        while True:
            name, arguments = connection.recv()
            ending: tuple[str, str | None] = (DONE, None)
            try:
                at_work = True
                if not name:
                    asked_to_stop = False
                elif not asked_to_stop:
                    tasks[name](send, *shared, *arguments)
                at_work = False
            except TaskStopped:
                at_work = False
            except Exception as error:
                at_work = False
                ending = (FAILED, str(error))
            connection.send(ending)


@dataclass(eq=False)
class WorkItem:
    """A task to do."""

    name: str
    arguments: tuple[Any, ...]
    on_event: Callable[[str, Any], None]
    """Called with each event, from BEGUN on, and its value."""
    asker: str = ""
    urgent: bool = False
    most_deaths: int = 1
    """How many workers may die with it before it is given up."""
    deaths: int = 0


class FairQueue:
    """Decides which item is next: urgent items first, and askers take turns among urgent and among other items.

    Without `kept`, items that are not urgent may use all places but one while nothing urgent waits. With `kept`, they
    have that many places and come first, so that urgent items cannot starve them; urgent items have all other places,
    and these too while nothing else waits.
    """

    def __init__(self, places: int, kept: int | None = None) -> None:
        self._places = places
        self._order = (True, False) if kept is None else (False, True)
        self._most = {True: places, False: places - 1 if kept is None else kept}
        self._waiting: dict[bool, dict[str, deque[WorkItem]]] = {True: {}, False: {}}
        """By urgency and by asker, in the order of their turns."""
        self._busy = {True: 0, False: 0}

    def __len__(self) -> int:
        return sum(len(items) for askers in self._waiting.values() for items in askers.values())

    def add(self, item: WorkItem) -> None:
        """Add an item at the end of the queue of its asker."""
        self._waiting[item.urgent].setdefault(item.asker, deque()).append(item)

    def put_back(self, item: WorkItem) -> None:
        """Put an item that was already taken before all others of its urgency."""
        self.done(item)
        askers = self._waiting[item.urgent]
        self._waiting[item.urgent] = {item.asker: deque((item, *askers.pop(item.asker, ()))), **askers}

    def remove(self, item: WorkItem) -> bool:
        """Remove an item; return whether it was waiting."""
        askers = self._waiting[item.urgent]
        if item not in askers.get(item.asker, ()):
            return False
        askers[item.asker].remove(item)
        if not askers[item.asker]:
            del askers[item.asker]
        return True

    def next(self) -> WorkItem | None:
        """Take the next item, if there is a place for it; it keeps that place until `done`."""
        for urgent in self._order:
            askers = self._waiting[urgent]
            if askers and sum(self._busy.values()) < self._places and self._busy[urgent] < self._most[urgent]:
                asker = next(iter(askers))
                items = askers.pop(asker)
                if len(items) > 1:
                    askers[asker] = items  # at the end
                self._busy[urgent] += 1
                return items.popleft()
        return None

    def done(self, item: WorkItem) -> None:
        """Free the place of an item."""
        self._busy[item.urgent] -= 1


class Worker:
    """A process, the connection to it, and its items: it works on the first of them."""

    def __init__(self, module: str, shared: tuple[Any, ...], *, children: bool) -> None:
        spawn = get_context("spawn")
        self.connection, theirs = spawn.Pipe()  # one per worker: a killed worker would leave a shared one locked
        self.process = spawn.Process(target=_work, args=(theirs, module, shared), daemon=not children)
        self.process.start()
        theirs.close()
        self.items: deque[WorkItem] = deque()
        self.ready = False
        self.stopping = 0
        """How many DONE or FAILED messages are due before it is free, after its item was withdrawn."""

    def give(self, item: WorkItem) -> None:
        """Send it an item."""
        self.items.append(item)
        with contextlib.suppress(OSError):  # if it has died, `receive` finds out
            self.connection.send((item.name, item.arguments))

    def stop(self) -> None:
        """Make it stop its task."""
        assert self.process.pid is not None
        self.stopping = 2
        with contextlib.suppress(OSError):
            os.kill(self.process.pid, signal.SIGUSR1)
            self.connection.send(("", ()))

    def end(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.join()
        self.connection.close()


class WorkerPool:
    """Workers for a queue of items, started when they are needed."""

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
        """Create a pool of up to `size` workers that do the tasks of a module.

        All tasks get the `shared` arguments first. A worker holds up to `in_hand` items, so that it does not wait for
        the next one; `kept` is that of `FairQueue`. With `children`, tasks may start processes, and a worker whose item
        is withdrawn is killed.
        """
        self.size = size
        self.workers: list[Worker] = []
        self._new_worker = partial(Worker, module, shared, children=children)
        self._children = children
        self._queue = FairQueue(size * in_hand, kept)
        self._false_starts = 0

    @property
    def waiting(self) -> int:
        """The number of items that wait for a worker."""
        return len(self._queue)

    def submit(self, item: WorkItem) -> None:
        """Add an item."""
        self._queue.add(item)
        self._hand_out()

    def start_worker(self) -> Worker:
        """Start a worker."""
        worker = self._new_worker()
        self.workers.append(worker)
        self.watch(worker)
        return worker

    def watch(self, worker: Worker) -> None:
        """Start watching the connection of a worker; `poll` does not need it."""

    def unwatch(self, worker: Worker) -> None:
        """Stop watching the connection of a worker."""

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        """Call a function later, if there is an event loop."""

    def _hand_out(self) -> None:
        """Give items to the workers with the fewest items."""
        while (item := self._queue.next()) is not None:
            worker = min(self.workers, key=lambda one: len(one.items), default=None)
            if worker is None or (worker.items and len(self.workers) < self.size):
                worker = self.start_worker()
            worker.give(item)
            item.on_event(BEGUN, None)

    def poll(self, seconds: float) -> None:
        """Wait up to some seconds for messages of workers, and handle them."""
        workers = {worker.connection: worker for worker in self.workers}
        for connection in wait(list(workers), seconds):
            self.receive(workers[connection])  # type: ignore[index]

    def receive(self, worker: Worker) -> None:
        """Handle a message of a worker, or its death."""
        try:
            kind, value = worker.connection.recv()
        except (EOFError, OSError):
            self._handle_death(worker)
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
        if wanted:  # nobody needs what it found before it stopped
            item.on_event(kind, value)

    def _handle_death(self, worker: Worker) -> None:
        """Give the items of a dead worker to others; give up the first if too many workers have died with it."""
        self._remove(worker)
        items = list(worker.items)
        if items and worker.stopping:
            self._queue.done(items.pop(0))
        elif items:
            current = items[0]
            current.deaths += worker.ready
            self._false_starts += not worker.ready
            never_ready = self._false_starts >= MOST_FALSE_STARTS
            if never_ready or current.deaths >= current.most_deaths:
                self._queue.done(items.pop(0))
                current.on_event(*((NEVER_READY, self._false_starts) if never_ready else (DIED, current.deaths)))
        for item in reversed(items):
            self._queue.put_back(item)
        self._hand_out()

    def _remove(self, worker: Worker) -> None:
        self.workers.remove(worker)
        self.unwatch(worker)
        worker.end()

    def withdraw(self, item: WorkItem) -> None:
        """Drop an item that nobody needs: remove it from the queue, or stop its worker."""
        worker = next((one for one in self.workers if item in one.items), None)
        if self._queue.remove(item) or worker is None:
            return
        if self._children:
            worker.stopping = 1
            self._handle_death(worker)
        else:
            worker.stop()
            self.later(STOP_SECONDS, lambda: self._kill_if_busy(worker, item))

    def _kill_if_busy(self, worker: Worker, item: WorkItem) -> None:
        if worker in self.workers and item in worker.items:
            self._handle_death(worker)

    def close(self) -> None:
        """Kill all workers, and drop all items."""
        for worker in list(self.workers):
            self._remove(worker)
        self._queue = FairQueue(0)
