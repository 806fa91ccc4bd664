"""Jobs of the web arena: kept before they are begun, told about, ended, and started again after a restart."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import jobs_for_tests
import pytest
from patience import PATIENCE

from ludus.store.jobs import JobStore
from ludus.web.jobs.kinds import LONG_GAMES, LONG_JOBS, SHORT_JOBS, kinds
from ludus.web.jobs.service import MOST_OF_ONE, Jobs, LiveJob
from ludus.web.jobs.workers import Busy

pytestmark = pytest.mark.anyio


@contextlib.asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Jobs]:
    """Return the jobs of a server that runs."""
    store = JobStore(folder / "arena.db")
    jobs = Jobs(store, str(folder / "arena.db"), folder, jobs_for_tests.__name__)
    await jobs.open()
    try:
        yield jobs
    finally:
        await jobs.close()
        store.close()


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[Jobs]:
    async with opened(tmp_path) as made:
        yield made


async def until(jobs: Jobs, name: str, holds: Callable[[LiveJob], bool]) -> LiveJob:
    """Follow a job until something holds of it."""
    live = await jobs.find(name)
    assert live is not None
    async with asyncio.timeout(PATIENCE):
        while not holds(live):
            await live.news.wait()
    return live


async def test_a_job_is_done_and_kept(tmp_path: Path) -> None:
    async with opened(tmp_path) as jobs:
        name = await jobs.add("count", {"to": 3}, "someone")
        job = (await until(jobs, name, lambda live: live.job.over)).job
        assert (job.state, job.result, job.progress) == ("done", {"counted": 3}, 2)
    async with opened(tmp_path) as jobs:
        live = await jobs.find(name)
        assert live is not None
        assert (live.job.state, live.job.result, live.job.owner) == ("done", {"counted": 3}, "someone")
        assert await jobs.find("nothing") is None


@pytest.mark.parametrize(
    ("kind", "says"),
    [("refuse", "there is nothing to do"), ("break", "server error"), ("die", "server error"), ("late", "0.2 s")],
)
async def test_a_job_that_fails_says_why_and_others_go_on(jobs: Jobs, kind: str, says: str) -> None:
    failing = await jobs.add(kind, {}, "someone")
    other = await jobs.add("count", {"to": 1}, "someone")
    job = (await until(jobs, failing, lambda live: live.job.over)).job
    assert job.state == "failed"
    assert says in (job.error or "")
    assert "secret" not in (job.error or "")
    assert (await until(jobs, other, lambda live: live.job.over)).job.state == "done"


async def test_long_jobs_leave_a_place_for_urgent_ones_and_can_be_cancelled(tmp_path: Path, jobs: Jobs) -> None:
    first = await jobs.add("sleep", {"marks": "first"}, "someone")
    second = await jobs.add("sleep", {"marks": "second"}, "another")
    await until(jobs, first, lambda live: live.job.progress == "asleep")
    quick = await jobs.add("count", {"to": 1}, "third")
    await until(jobs, quick, lambda live: live.job.over)
    assert not (tmp_path / "second").exists()
    await jobs.cancel(first)
    assert (await until(jobs, first, lambda live: live.job.over)).job.state == "cancelled"
    await until(jobs, second, lambda live: live.job.progress == "asleep")
    await jobs.cancel(second)


async def test_short_jobs_do_not_keep_a_long_one_waiting_nor_are_kept_by_it(tmp_path: Path, jobs: Jobs) -> None:
    naps = [await jobs.add("nap", {"marks": "naps"}, f"student {one}") for one in range(SHORT_JOBS + LONG_JOBS + 2)]
    for name in naps[: SHORT_JOBS + LONG_JOBS]:
        await until(jobs, name, lambda live: live.job.progress == "asleep")  # with no long one, they have its place
    long = await jobs.add("sleep", {"marks": "long"}, "teacher")
    later = await jobs.add("sleep", {"marks": "later"}, "teacher")
    await jobs.cancel(naps[0])
    await until(jobs, long, lambda live: live.job.progress == "asleep")
    assert (tmp_path / "naps").read_text() == "begun\n" * (SHORT_JOBS + LONG_JOBS), "the long one had its turn first"
    await jobs.cancel(naps[1])
    await until(jobs, naps[SHORT_JOBS + LONG_JOBS], lambda live: live.job.progress == "asleep")
    assert not (tmp_path / "later").exists(), "there is one long one at a time"
    for name in [*naps, long, later]:
        await jobs.cancel(name)


def test_a_report_and_a_check_run_beside_a_tournament() -> None:
    urgent = {name for name, kind in kinds().items() if kind.urgent}
    assert {"check", "challenge", "report", "course-try", "tournament-files"} <= urgent
    assert not urgent & {"tournament", "course-grade"}
    games, cores = LONG_GAMES + SHORT_JOBS, len(os.sched_getaffinity(0))
    assert games <= max(2, cores)


async def test_a_job_under_way_begins_anew_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as jobs:
        name = await jobs.add("sleep", {"marks": "marks", "seconds": 1.0}, "someone")
        await until(jobs, name, lambda live: live.job.progress == "asleep")
    async with opened(tmp_path) as jobs:
        assert (await until(jobs, name, lambda live: live.job.over)).job.result == "awake"
    assert (tmp_path / "marks").read_text() == "begun\n" * 2


async def test_nobody_has_too_many_jobs(jobs: Jobs) -> None:
    names = [await jobs.add("sleep", {"marks": "marks"}, "someone") for _ in range(MOST_OF_ONE)]
    with pytest.raises(Busy):
        await jobs.add("sleep", {"marks": "marks"}, "someone")
    names.append(await jobs.add("sleep", {"marks": "marks"}, "another"))
    for name in names:
        await jobs.cancel(name)
