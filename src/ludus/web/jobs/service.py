"""Jobs: work that takes longer than anyone waits for a page, done a few at a time in processes of their own.

Knows that a job is kept before it is begun, whose turn it is, and who is to be told; what jobs do is known in
`ludus.web.jobs.kinds`. Every change has a number, as in matches. A job under way when the server stops is begun anew.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from ludus.messages import Message
from ludus.store.jobs import CANCELLED, DONE, FAILED, RUNNING, WAITING, Job
from ludus.store.matches import StoredMatch
from ludus.web.jobs.kinds import LONG_JOBS, SHORT_JOBS, kinds
from ludus.web.jobs.workers import AsyncWorkers, Busy, TaskFailed, TookTooLong

if TYPE_CHECKING:
    from pathlib import Path

    from ludus.store.jobs import JobStore

LOG = logging.getLogger("ludus.web")
MOST_OF_ONE = 20
"""Jobs that one person may have waiting."""
MOST_WAITING = 1000
"""Jobs of all people that may wait."""
SECONDS_BETWEEN_SAVES = 2.0
MOST_KEPT = 500


class LiveJob:
    """A job, and everyone who follows it."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.news = asyncio.Event()
        self.task: asyncio.Task[None] | None = None
        self.matches: dict[str, StoredMatch] = {}
        """Those that it plays now, by their names: they are nowhere else, and gone when it ends, however it does."""
        self._saved = 0.0

    def change(self, **what: Any) -> bool:
        """Change what is known, and say whether it is time to write it down."""
        for name, value in what.items():
            setattr(self.job, name, value)
        self.job.version += 1
        due = "progress" not in what or time.monotonic() - self._saved > SECONDS_BETWEEN_SAVES
        if due:
            self._saved = time.monotonic()
        return due

    def tell(self) -> None:
        """Wake everyone who follows."""
        news, self.news = self.news, asyncio.Event()
        news.set()


class Jobs:
    """All jobs of this server."""

    def __init__(self, store: JobStore, database: str, folder: Path, module: str = "ludus.web.jobs.kinds") -> None:
        self.folder = folder
        self._store = store
        self._database = database
        self._workers = AsyncWorkers(SHORT_JOBS + LONG_JOBS, module, children=True, kept=LONG_JOBS)
        self._jobs: dict[str, LiveJob] = {}
        self._writer = ThreadPoolExecutor(1, "jobs")
        self._versions = itertools.count(time.time_ns() // 1_000_000)
        """Of matches that jobs play; by the time, so that a restart gives none that somebody has seen."""

    async def open(self) -> None:
        """Go on with what was not over when the server stopped."""
        for job in await self._stored(self._store.unfinished):
            if job.kind in kinds():
                job.state = WAITING
                self._begin(job)

    async def close(self) -> None:
        """End what is under way; it begins anew when the server is back."""
        tasks = [live.task for live in self._jobs.values() if live.task is not None and not live.task.done()]
        for task in tasks:
            task.cancel("closing")
        await asyncio.gather(*tasks, return_exceptions=True)
        self._workers.close()
        self._writer.shutdown()

    def wake(self) -> None:
        """Wake everyone who follows any job, so that streams can end."""
        for live in self._jobs.values():
            live.tell()

    async def add(self, kind: str, arguments: dict[str, Any], owner: str | None) -> str:
        """Ask for a job, and give its name; it is written down before this returns."""
        if sum(live.job.owner == owner and not live.job.over for live in self._jobs.values()) >= MOST_OF_ONE:
            raise Busy("web.too_many_own_jobs")
        if sum(not live.job.over for live in self._jobs.values()) >= MOST_WAITING:
            raise Busy("web.too_many_jobs")
        assert kind in kinds()
        job = Job(secrets.token_urlsafe(9), kind, arguments, owner)
        await self._stored(self._store.save, job)
        self._begin(job)
        return job.id

    async def find(self, name: str) -> LiveJob | None:
        """Return a job by its name, None when there is none."""
        if name not in self._jobs:
            job = await self._stored(self._store.load, name)
            if job is None:
                return None
            self._keep(LiveJob(job))
        return self._jobs[name]

    def under_way(self, kind: str, arguments: dict[str, Any]) -> LiveJob | None:
        """Return a job that does just this and is not over; None when there is none."""
        alike = (live for live in self._jobs.values() if (live.job.kind, live.job.arguments) == (kind, arguments))
        return next((live for live in alike if not live.job.over), None)

    def match(self, name: str) -> StoredMatch | None:
        """Return a match that a job plays now; None when there is none."""
        return next((live.matches[name] for live in self._jobs.values() if name in live.matches), None)

    async def done(self, name: str) -> Job:
        """Wait until a job is over, and give it."""
        live = await self.find(name)
        assert live is not None
        while not live.job.over:
            await live.news.wait()
        return live.job

    async def cancel(self, name: str) -> None:
        """End a job; one that is over stays as it is."""
        live = await self.find(name)
        if live is not None and not live.job.over:
            if live.task is not None:
                live.task.cancel()
                await asyncio.gather(live.task, return_exceptions=True)
            await self._change(live, state=CANCELLED)

    def _keep(self, live: LiveJob) -> None:
        if len(self._jobs) >= MOST_KEPT:
            for old in [old for old in self._jobs.values() if old.job.over][:100]:
                del self._jobs[old.job.id]
        self._jobs[live.job.id] = live

    def _begin(self, job: Job) -> None:
        live = LiveJob(job)
        self._keep(live)
        live.task = asyncio.get_running_loop().create_task(self._run(live))

    async def _run(self, live: LiveJob) -> None:
        job, kind = live.job, kinds()[live.job.kind]
        arguments = (job.kind, self._database, str(self.folder), job.arguments)
        asked = self._workers.do(job.owner or "", "perform", *arguments, seconds=kind.seconds, urgent=kind.urgent)
        told: dict[str, Any] = {}
        try:
            async with contextlib.aclosing(asked) as answers:
                async for told in answers:
                    if "progress" in told:
                        await self._change(live, state=RUNNING, progress=told["progress"])
                    elif "match" in told:
                        self._show(live, *told["match"])
        except TookTooLong as failure:
            await self._fail(live, failure.message)
            return
        except TaskFailed as failure:
            LOG.error("job failed", extra={"job": job.id, "kind": job.kind, "why": str(failure)})
            await self._fail(live, Message("web.job_failed"))
            return
        finally:
            live.matches.clear()
        if "error" in told:
            await self._fail(live, Message.from_json(told["error"]))
        else:
            await self._change(live, state=DONE, result=told.get("result"))

    def _show(self, live: LiveJob, name: str, game: str, record: str | None) -> None:
        """Take how a match stands, or that it is shown no longer."""
        live.matches.pop(name, None)
        if record is not None:
            version = next(self._versions)
            live.matches[name] = StoredMatch(name, game, record, [None, None], version, None, False, live.job.id)

    async def _fail(self, live: LiveJob, why: Message) -> None:
        await self._change(live, state=FAILED, error=str(why), message=why.json)

    async def _change(self, live: LiveJob, **what: Any) -> None:
        """Change a job, and tell everyone; progress is written down now and then, all else before anybody is told."""
        if live.change(**what):
            await asyncio.shield(self._stored(self._store.save, live.job))
        live.tell()

    async def _stored(self, work: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._writer, work, *arguments)
