"""The pool of worker processes: who is next, and that no item is lost, whatever happens to a worker."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tasks_for_tests
from patience import until

from ludus.workers import ANSWER, BEGUN, DIED, DONE, FAILED, FairQueue, WorkerPool, WorkItem

Events = list[tuple[str, Any]]


def item(asker: str = "", name: str = "", *, urgent: bool = False) -> WorkItem:
    return WorkItem(name or asker, (), lambda *_: None, asker, urgent)


def order(queue: FairQueue) -> list[str]:
    """Return the names of the items as their turns come, each done before the next."""
    found = []
    while (following := queue.next()) is not None:
        found.append(following.name)
        queue.done(following)
    return found


def test_those_who_ask_take_turns_and_urgent_items_come_first() -> None:
    queue = FairQueue(2)
    for name in ("a1", "a2", "a3", "b1", "c1", "b2"):
        queue.add(item(name[0], name))
    queue.add(item("d", "urgent", urgent=True))
    assert len(queue) == 7
    assert order(queue) == ["urgent", "a1", "b1", "c1", "a2", "b2", "a3"]


def test_the_last_place_is_for_what_is_urgent() -> None:
    queue = FairQueue(2)
    for _ in range(3):
        queue.add(item("a"))
    assert queue.next() is not None
    assert queue.next() is None
    queue.add(item("b", urgent=True))
    assert (queue.next() or item()).asker == "b"


def test_kept_places_cannot_be_starved_nor_exceeded() -> None:
    queue = FairQueue(2, kept=1)
    for _ in range(3):
        queue.add(item("short", urgent=True))
        queue.add(item("long"))
    first, second = queue.next(), queue.next()
    assert first is not None
    assert second is not None
    assert (first.asker, second.asker, queue.next()) == ("long", "short", None)
    queue.done(second)
    assert (queue.next() or item()).asker == "short", "there is one long one at a time"


def test_an_item_that_is_put_back_is_the_next_and_one_removed_is_gone() -> None:
    queue = FairQueue(1, kept=1)
    items = [item("a", "a1"), item("b", "b1"), item("a", "a2")]
    for each in items:
        queue.add(each)
    assert queue.next() is items[0]
    queue.put_back(items[0])
    assert queue.remove(items[1])
    assert not queue.remove(items[1])
    assert order(queue) == ["a1", "a2"]


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    pool = WorkerPool(tasks_for_tests.__name__, 1, shared=("ours",), in_hand=2, kept=2)
    yield pool
    pool.close()


def submit(pool: WorkerPool, name: str, *arguments: Any, most_deaths: int = 1) -> tuple[WorkItem, Events]:
    events: Events = []
    work = WorkItem(name, arguments, lambda kind, value: events.append((kind, value)), most_deaths=most_deaths)
    pool.submit(work)
    return work, events


def ended(pool: WorkerPool, events: Events) -> bool:
    pool.poll(0.1)
    return bool(events) and events[-1][0] in (DONE, FAILED, DIED)


def test_tasks_are_done_one_after_the_other(pool: WorkerPool) -> None:
    _, first = submit(pool, "double", 4)
    _, failing = submit(pool, "fail")
    _, last = submit(pool, "double", 5)
    assert pool.waiting == 1
    until(lambda: ended(pool, last))
    assert first == [(BEGUN, None), (ANSWER, ("ours", 8)), (DONE, None)]
    assert failing[1:] == [(FAILED, "'lost'")]
    assert last[1:] == [(ANSWER, ("ours", 10)), (DONE, None)]
    assert len(pool.workers) == 1


def test_what_a_dead_worker_had_is_given_to_another(pool: WorkerPool, tmp_path: Path) -> None:
    _, deadly = submit(pool, "die", str(tmp_path / "twice"), 2, most_deaths=3)
    _, behind = submit(pool, "double", 1)
    until(lambda: ended(pool, behind))
    assert deadly == [(BEGUN, None)] * 3 + [(ANSWER, "alive"), (DONE, None)]
    assert behind[-2:] == [(ANSWER, ("ours", 2)), (DONE, None)]


def test_a_task_that_kills_its_workers_is_given_up(pool: WorkerPool, tmp_path: Path) -> None:
    _, deadly = submit(pool, "die", str(tmp_path / "often"), 9, most_deaths=3)
    _, behind = submit(pool, "double", 1)
    until(lambda: ended(pool, behind))
    assert deadly[-1] == (DIED, 3)
    assert (tmp_path / "often").read_text() == "xxx"


def test_a_task_that_nobody_waits_for_is_stopped_and_its_worker_kept() -> None:
    pool = WorkerPool(tasks_for_tests.__name__, 1, shared=("ours",), kept=1)
    try:
        work, events = submit(pool, "pid")
        until(lambda: not ended(pool, events) and len(events) > 1)
        _, following = submit(pool, "double", 3)
        pool.withdraw(work)
        until(lambda: ended(pool, following))
        assert [worker.process.pid for worker in pool.workers] == [events[1][1]]
        assert len(events) == 2, "nothing more is told of it"
        assert following[1] == (ANSWER, ("ours", 6))
    finally:
        pool.close()
    assert not pool.workers


SLOW = """
import os, time
import slow_package.part
open({begun!r}, "w").close()
while os.path.exists({hold!r}):
    time.sleep(0.01)
FOUND = slow_package.part.FOUND
"""
"""A package that cannot be imported a second time where its part is there, but its own import was broken off."""


def test_a_task_that_is_stopped_while_it_imports_leaves_no_broken_worker(pool: WorkerPool, tmp_path: Path) -> None:
    begun, hold = tmp_path / "begun", tmp_path / "hold"
    (tmp_path / "slow_package").mkdir()
    (tmp_path / "slow_package" / "part.py").write_text("FOUND = 5")
    (tmp_path / "slow_package" / "__init__.py").write_text(SLOW.format(begun=str(begun), hold=str(hold)))
    hold.touch()
    work, events = submit(pool, "load", str(tmp_path), "slow_package")
    until(lambda: not ended(pool, events) and begun.exists())
    pool.withdraw(work)
    hold.unlink()
    _, again = submit(pool, "load", str(tmp_path), "slow_package")
    until(lambda: ended(pool, again))
    assert again[-2:] == [(ANSWER, 5), (DONE, None)]


def test_an_idle_worker_that_dies_is_replaced(pool: WorkerPool) -> None:
    _, first = submit(pool, "double", 1)
    until(lambda: ended(pool, first))
    (worker,) = pool.workers
    assert worker.process.pid
    os.kill(worker.process.pid, signal.SIGKILL)
    _, second = submit(pool, "double", 2)
    until(lambda: ended(pool, second))
    assert second[-1][0] in (DONE, DIED)
    _, third = submit(pool, "double", 3)
    until(lambda: ended(pool, third))
    assert third[-1] == (DONE, None)
