"""The tournaments of the server: instructors create and change them, a job plays them, anyone can follow them.

What a page shows is derived from the ledger in a worker process, once for all readers, and only after a change. Knows
no HTTP, no format and no rating.
"""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import JsonValue

from ludus.errors import UserError
from ludus.messages.fields import MessageField
from ludus.store.jobs import DONE, FAILED, RUNNING, WAITING
from ludus.store.tournaments import StoredTournament, Tournaments
from ludus.tournament import Plan, Progress
from ludus.tournament.changes import take_back, withdraw
from ludus.view import View
from ludus.web.http.events import BEAT_SECONDS, Observable, any_of
from ludus.web.jobs.service import Jobs, LiveJob
from ludus.web.jobs.workers import AsyncWorkers, TaskFailed
from ludus.web.threads import Threads

Document = dict[str, JsonValue]
"""A TournamentView as JSON, from a worker process."""
State = Literal["waiting", "running", "failed", "stopped", "finished"]
T = TypeVar("T")

STOPPED: State = "stopped"
FINISHED: State = "finished"
"""The states of a tournament besides those of its job (waiting, running, failed)."""
SECONDS_TO_DERIVE = 120.0
SECONDS_BETWEEN_NEWS = 1.0
SECONDS_BETWEEN_FILES = 20.0
"""How often its files are written at most while it is played."""
LAST_FILE = "everything.zip"
"""Written last: if it exists, all files do."""
REST = 2
"""How long to wait after deriving, in multiples of the time it took: large tournaments are updated less often."""


class TournamentState(View):
    """A tournament as everyone sees it."""

    id: int
    version: int = 0
    """A hash of all the rest."""
    state: State
    error: str | None
    message: MessageField | None
    """The error as data."""
    progress: dict[str, JsonValue] | None
    """What its job has reported, while it runs."""
    document: Document
    """What `ludus tournament --out` writes as results.json."""


class _Followed(Observable):
    """A tournament that someone follows, and its latest state."""

    def __init__(self, tournament: StoredTournament) -> None:
        super().__init__()
        self.tournament = tournament
        self.changes = 0
        self.lock = asyncio.Lock()
        self.state: TournamentState | None = None
        self.state_from: object = None
        """The version of the job and the changes that `state` was derived from."""
        self.document_from: object = None
        """The games and changes that the document was derived from."""
        self.rest_until = 0.0
        self.writing = asyncio.Lock()
        self.files: dict[str, tuple[float, str]] = {}
        """By language: when its files were last written, and where."""

    def notify(self) -> None:
        """Count a change, and wake everyone who waits for it."""
        self.changes += 1
        super().notify()


class TournamentService:
    """All tournaments of this server."""

    def __init__(self, store: Tournaments, database: str, jobs: Jobs, workers: AsyncWorkers) -> None:
        self.store = store
        self._database = database
        self._jobs = jobs
        self._workers = workers
        self._followed: dict[int, _Followed] = {}
        self._threads = Threads(1, "tournaments")

    def close(self) -> None:
        """Wait until everything is written."""
        self._threads.shutdown()

    def wake(self) -> None:
        """Wake everyone who follows any tournament, so that streams can end."""
        for followed in self._followed.values():
            followed.notify()

    async def find(self, number: int) -> StoredTournament | None:
        """Return a tournament by its number."""
        return await self._threads.run(self.store.find, number)

    async def create(self, plan: Plan, account: int, owner: str) -> int:
        """Create a tournament, start it, and return its number."""
        number = await self._threads.run(self.store.add, plan.name, plan.config, account)
        await self.resume(number, owner)
        return number

    async def resume(self, number: int, owner: str) -> None:
        """Continue a tournament; one that is being played stays as it is."""
        followed = await self._follow(number)
        if await self._is_running(followed.tournament):
            return
        job = await self._jobs.add("tournament", {"name": followed.tournament.name}, owner)
        await self._threads.run(self.store.set_job, number, job)
        followed.tournament = followed.tournament._replace(job=job)
        followed.notify()

    async def stop(self, number: int) -> bool:
        """Stop a tournament; return whether it was running."""
        followed = await self._follow(number)
        running = await self._is_running(followed.tournament)
        if running and followed.tournament.job is not None:
            await self._jobs.cancel(followed.tournament.job)
            followed.notify()
        return running

    async def withdraw(self, number: int, entry: str, reason: str, owner: str) -> None:
        """Withdraw an entry: it plays no more games."""
        await self._change(number, owner, lambda progress: withdraw(progress, entry, reason))

    async def take_back(self, number: int, what: str, reason: str, owner: str) -> int:
        """Take games back; a tournament that was being played plays them again at once."""
        return await self._change(number, owner, lambda progress: take_back(progress, what, reason))

    async def _change(self, number: int, owner: str, work: Callable[[Progress], T]) -> T:
        """Change a tournament while it is not played, then continue; if someone had stopped it, it stays stopped."""
        tournament = (await self._follow(number)).tournament
        live = await self._job(tournament)
        running = await self.stop(number) or (live is not None and live.job.state == DONE)
        plan = Plan.from_config(tournament.name, tournament.config)
        try:
            return await self._threads.run(lambda: work(Progress(plan, self.store.ledger)))
        finally:
            (await self._follow(number)).notify()
            if running:
                await self.resume(number, owner)

    async def files(self, number: int, language: str, owner: str) -> Path:
        """Write the files of a tournament, unless there are recent ones, and return their folder."""
        shown = await self.show(number)
        followed = await self._follow(number)
        async with followed.writing:
            at, folder = followed.files.get(language, (0.0, ""))
            recent = shown.state == RUNNING and time.monotonic() - at < SECONDS_BETWEEN_FILES
            if not (folder and recent):
                mark = zlib.crc32(json.dumps([shown.document, language]).encode())
                folder = f"tournaments/{number}/{mark:08x}"
            if not (self._jobs.folder / folder / LAST_FILE).exists():
                wanted = {"name": followed.tournament.name, "folder": folder, "language": language}
                job = await self._jobs.done(await self._jobs.add("tournament-files", wanted, owner))
                if job.state != DONE:
                    raise UserError(job.failure or "tournament.files_not_written")
                followed.files[language] = (time.monotonic(), folder)
        return self._jobs.folder / folder

    async def show(self, number: int) -> TournamentState:
        """Return a tournament as it stands."""
        followed = await self._follow(number)
        async with followed.lock:
            live = await self._job(followed.tournament)
            state_from = (followed.changes, live and (live.job.id, live.job.version))
            if followed.state is None or state_from != followed.state_from:
                await asyncio.sleep(max(0.0, followed.rest_until - time.monotonic()))
                live = await self._job(followed.tournament)
                followed.state_from = (followed.changes, live and (live.job.id, live.job.version))
                games = (followed.changes, live and (live.job.id, live.job.state, _games_reported(live)))
                document, took = followed.state.document if followed.state else {}, 0.0
                if games != followed.document_from:
                    document, took = await self._derive(followed)
                    followed.document_from = games
                followed.rest_until = time.monotonic() + max(SECONDS_BETWEEN_NEWS, REST * took)
                followed.state = _state(followed.tournament, live, document)
            return followed.state

    async def news(self, number: int, seen: int, stopping: Callable[[], bool]) -> AsyncIterator[TournamentState | None]:
        """Yield every new state of a tournament; None from time to time while nothing changes."""
        while not stopping():
            followed = await self._follow(number)
            job = await self._job(followed.tournament)
            # Before `show`, so that no change is missed.
            coming = [followed.news] if job is None else [followed.news, job.news]
            shown = await self.show(number)
            if shown.version != seen:
                seen = shown.version
                yield shown
            elif not await any_of(coming, BEAT_SECONDS):
                yield None

    async def _derive(self, followed: _Followed) -> tuple[Document, float]:
        """Return what a page shows, and how long it took to derive it."""
        name = followed.tournament.name
        try:
            asked = self._workers.play(f"tournament {name}", "derive", self._database, name, seconds=SECONDS_TO_DERIVE)
            document, took = await asked
        except TaskFailed:
            if followed.state is None:
                raise
            document, took = followed.state.document, 0.0
        return document, took

    async def _follow(self, number: int) -> _Followed:
        if number not in self._followed:
            tournament = await self.find(number)
            if tournament is None:
                raise LookupError(number)
            self._followed.setdefault(number, _Followed(tournament))
        return self._followed[number]

    async def _job(self, tournament: StoredTournament) -> LiveJob | None:
        return await self._jobs.find(tournament.job)

    async def _is_running(self, tournament: StoredTournament) -> bool:
        live = await self._job(tournament)
        return live is not None and not live.job.over


def _games_reported(live: LiveJob) -> object:
    """Return how many games a job has reported: if it reports only moves, nothing has to be derived."""
    return live.job.progress.get("games") if isinstance(live.job.progress, dict) else None


def state_of(job_state: str | None, *, finished: bool) -> State:
    """Return the state of a tournament, by the state of its job and by its games."""
    active: dict[str | None, State] = {WAITING: "waiting", RUNNING: "running", FAILED: "failed"}
    return active.get(job_state, FINISHED if finished else STOPPED)


def _state(tournament: StoredTournament, live: LiveJob | None, document: Document) -> TournamentState:
    job = live.job if live is not None else None
    shown = TournamentState(
        id=tournament.id,
        state=state_of(job.state if job else None, finished=bool(document["finished"])),
        error=job.error if job else None,
        message=job.failure if job else None,
        progress=job.progress if job and job.state == RUNNING else None,
        document=document,
    )
    shown.version = zlib.crc32(json.dumps(shown.model_dump(), sort_keys=True).encode())
    return shown
