"""Jobs: work that takes too long for a request, done a few at a time in separate processes.

A job is stored before it starts, and starts again if the server stops while it runs. Every change has a number, as in
matches. What jobs do is known in `ludus.web.jobs.kinds`.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from pydantic import Field

from ludus.messages import Message
from ludus.messages.fields import MessageField
from ludus.store import unavailable
from ludus.store.jobs import CANCELLED, DONE, FAILED, RUNNING, WAITING, Job, JobStore
from ludus.store.matches import StoredMatch
from ludus.view import View
from ludus.web.http.events import BEAT, BEAT_SECONDS, Observable, any_of, event
from ludus.web.jobs.kinds import LONG_JOBS, SHORT_JOBS, kinds
from ludus.web.jobs.workers import AsyncWorkers, Busy, TaskFailed, TookTooLong
from ludus.web.threads import Threads

LOG = logging.getLogger("ludus.web")
MOST_OF_ONE = 20
"""Unfinished jobs that one person may have."""
MOST_WAITING = 1000
"""Unfinished jobs of all people."""
SECONDS_BETWEEN_SAVES = 2.0
MOST_KEPT = 500


class JobView(View):
    """A job that is running, or how it ended."""

    state: str
    progress: Any = None
    error: str | None = None
    message: MessageField | None = Field(None, validation_alias="failure")
    """The error as data."""


class LiveJob(Observable):
    """A job, and everyone who follows it."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self.job = job
        self.task: asyncio.Task[None] | None = None
        self.matches: dict[str, StoredMatch] = {}
        """The matches that it is playing, by name. They are not in the store, and are gone when the job ends."""
        self._saved = 0.0

    def change(self, **what: Any) -> bool:
        """Change the job; return whether it should be saved now."""
        for name, value in what.items():
            setattr(self.job, name, value)
        self.job.version += 1
        due = "progress" not in what or time.monotonic() - self._saved > SECONDS_BETWEEN_SAVES
        if due:
            self._saved = time.monotonic()
        return due

    @property
    def view(self) -> JobView:
        """The job as people see it."""
        return JobView.model_validate(self.job)

    async def events(self, stopping: Callable[[], bool]) -> AsyncIterator[str]:
        """Yield the messages of a stream until the job is over."""
        seen = 0
        while not stopping():
            news, job = self.news, self.job
            if job.version != seen:
                seen = job.version
                yield event({**self.view.model_dump(), "over": job.over}, seen)
                if job.over:
                    return
            elif not await any_of([news], BEAT_SECONDS):
                yield BEAT


class Jobs:
    """All jobs of this server."""

    def __init__(self, store: JobStore, database: str, folder: Path, module: str = "ludus.web.jobs.kinds") -> None:
        self.folder = folder
        self._store = store
        self._database = database
        self._workers = AsyncWorkers(SHORT_JOBS + LONG_JOBS, module, children=True, kept=LONG_JOBS)
        self._jobs: dict[str, LiveJob] = {}
        self._threads = Threads(1, "jobs")
        self._versions = itertools.count(secrets.randbits(48))
        """Version numbers of matches that jobs play; they start at random, so that a restart repeats none."""

    async def open(self) -> None:
        """Start the jobs again that were unfinished when the server stopped."""
        for job in await self._threads.run(self._store.unfinished):
            if job.kind in kinds():
                job.state = WAITING
                self._begin(job)

    async def close(self) -> None:
        """Stop all jobs; they start again when the server is back."""
        tasks = [live.task for live in self._jobs.values() if live.task is not None and not live.task.done()]
        for task in tasks:
            task.cancel("closing")
        await asyncio.gather(*tasks, return_exceptions=True)
        self._workers.close()
        self._threads.shutdown()

    def wake(self) -> None:
        """Wake everyone who follows any job, so that streams can end."""
        for live in self._jobs.values():
            live.notify()

    async def add(self, kind: str, arguments: dict[str, Any], owner: str | None) -> str:
        """Store a new job, start it when its turn comes, and return its name."""
        if sum(live.job.owner == owner and not live.job.over for live in self._jobs.values()) >= MOST_OF_ONE:
            raise Busy("web.too_many_own_jobs")
        if sum(not live.job.over for live in self._jobs.values()) >= MOST_WAITING:
            raise Busy("web.too_many_jobs")
        assert kind in kinds()
        job = Job(secrets.token_urlsafe(9), kind, arguments, owner)
        await self._threads.run(self._store.save, job)
        self._begin(job)
        return job.id

    async def find(self, name: str | None) -> LiveJob | None:
        """Return a job by its name; None without a name, or if there is no such job."""
        if name is None:
            return None
        if name not in self._jobs:
            job = await self._threads.run(self._store.load, name)
            if job is None:
                return None
            self._keep(LiveJob(job))
        return self._jobs[name]

    def under_way(self, kind: str, arguments: dict[str, Any]) -> LiveJob | None:
        """Return an unfinished job of a kind with these arguments; None when there is none."""
        alike = (live for live in self._jobs.values() if (live.job.kind, live.job.arguments) == (kind, arguments))
        return next((live for live in alike if not live.job.over), None)

    def match(self, name: str) -> StoredMatch | None:
        """Return a match that a job is playing; None when there is none."""
        return next((live.matches[name] for live in self._jobs.values() if name in live.matches), None)

    async def done(self, name: str) -> Job:
        """Wait until a job is over, and return it."""
        live = await self.find(name)
        assert live is not None
        while not live.job.over:
            await live.news.wait()
        return live.job

    async def cancel(self, name: str) -> None:
        """Cancel a job, unless it is over."""
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
        answer: dict[str, Any] = {}
        try:
            async with contextlib.aclosing(asked) as answers:
                async for answer in answers:
                    if "progress" in answer:
                        await self._change(live, state=RUNNING, progress=answer["progress"])
                    elif "match" in answer:
                        self._show(live, *answer["match"])
        except TookTooLong as failure:
            await self._fail(live, failure.message)
            return
        except TaskFailed as failure:
            LOG.error("job failed", extra={"job": job.id, "kind": job.kind, "why": str(failure)})
            await self._fail(live, Message("web.job_failed"))
            return
        finally:
            live.matches.clear()
        if "error" in answer:
            await self._fail(live, Message.from_json(answer["error"]))
        else:
            await self._change(live, state=DONE, result=answer.get("result"))

    def _show(self, live: LiveJob, name: str, game: str, record: str | None) -> None:
        """Replace the record of a match that is being played; without a record, show it no longer."""
        live.matches.pop(name, None)
        if record is not None:
            version = next(self._versions)
            live.matches[name] = StoredMatch(name, game, record, [None, None], version, None, False, live.job.id)

    async def _fail(self, live: LiveJob, why: Message) -> None:
        await self._change(live, state=FAILED, error=str(why), message=why.json)

    async def _change(self, live: LiveJob, **what: Any) -> None:
        """Change a job and notify its followers. Progress is saved now and then, all else before anyone sees it.

        While the database cannot be written to, what is not progress waits; a job is not lost by that.
        """
        due = live.change(**what)
        while due:
            try:
                await asyncio.shield(self._threads.run(self._store.save, live.job))
                break
            except Exception as error:
                if not unavailable(error):
                    raise
                LOG.error("job not stored", extra={"job": live.job.id, "why": str(error).partition("\n")[0]})
                if "progress" in what:
                    break
                await asyncio.sleep(SECONDS_BETWEEN_SAVES)
        live.notify()
