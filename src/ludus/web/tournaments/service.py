"""The tournaments that the arena shows: made, played by a job, changed with a reason, followed by anyone.

What a page shows is derived from the ledger in a worker, once for all who look, and only when something has happened.
Knows no HTTP, no format and no rating.
"""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ludus.reports.tournament import Played
from ludus.store.jobs import DONE, FAILED, RUNNING, WAITING
from ludus.tournament import Plan, Progress
from ludus.tournament.changes import take_back, withdraw
from ludus.web.http.events import BEAT_SECONDS, any_of
from ludus.web.jobs.workers import TaskFailed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from ludus.store.tournaments import Line, Staged, Tournaments
    from ludus.web.jobs.service import Jobs, LiveJob
    from ludus.web.jobs.workers import AsyncWorkers

T = TypeVar("T")

STOPPED, FINISHED = "stopped", "finished"
"""What a tournament can be, beside what its job is: waiting, running or failed."""
SECONDS_TO_DERIVE = 120.0
SECONDS_BETWEEN_NEWS = 1.0
SECONDS_BETWEEN_FILES = 20.0
"""While it is played, downloads are not put together more often than that."""
LAST_FILE = "everything.zip"
"""Written last: when it is there, all is."""
REST = 2
"""How many times as long as deriving took nothing is derived again: large tournaments are shown less often."""


class Shown(NamedTuple):
    """A tournament as everyone sees it, and the number of this state of it."""

    version: int
    picture: dict[str, Any]


class Followed:
    """A tournament that someone looks at."""

    def __init__(self, staged: Staged) -> None:
        self.staged = staged
        self.news = asyncio.Event()
        self.changes = 0
        self.lock = asyncio.Lock()
        self.shown: Shown | None = None
        self.mark: Any = None
        """What was known when it was shown."""
        self.derived: Any = None
        """What was known of its games when that was derived from them."""
        self.rest_until = 0.0
        self.writing = asyncio.Lock()
        self.files: dict[str, tuple[float, str]] = {}
        """By language: when its files were last put together, and where."""

    def tell(self) -> None:
        """Say that something was done to it."""
        self.changes += 1
        news, self.news = self.news, asyncio.Event()
        news.set()


class Stage:
    """All tournaments of this server."""

    def __init__(self, store: Tournaments, database: str, jobs: Jobs, workers: AsyncWorkers) -> None:
        self._store = store
        self._database = database
        self._jobs = jobs
        self._workers = workers
        self._followed: dict[int, Followed] = {}
        self._writer = ThreadPoolExecutor(1, "tournaments")

    def close(self) -> None:
        """Wait for what is being written."""
        self._writer.shutdown()

    def wake(self) -> None:
        """Wake everyone who follows any tournament, so that streams can end."""
        for followed in self._followed.values():
            followed.tell()

    async def all(self, state: str | None = None) -> list[Line]:
        """List the tournaments, the newest first; or only those whose job is in a state."""
        return await self._stored(lambda: self._store.all(state))

    async def games(self, number: int, after: int, most: int) -> list[dict[str, Any]]:
        """Give some games of a tournament."""
        return await self._stored(lambda: self._store.games(number, after, most))

    async def log(self, number: int) -> list[Any]:
        """Give what was done to a tournament."""
        return await self._stored(lambda: self._store.ledger.log(number))

    async def find(self, number: int) -> Staged | None:
        """Give a tournament by its number."""
        return await self._stored(lambda: self._store.find(number))

    async def create(self, plan: Plan, account: int, owner: str) -> int:
        """Enter a tournament, and begin to play it."""
        plan.schedule()
        number = await self._stored(lambda: self._store.add(plan.name, plan.settled(), account))
        await self.resume(number, owner)
        return number

    async def resume(self, number: int, owner: str) -> None:
        """Go on with a tournament; one that is played already stays as it is."""
        followed = await self._follow(number)
        if await self._under_way(followed.staged):
            return
        job = await self._jobs.add("tournament", {"name": followed.staged.name}, owner)
        await self._stored(lambda: self._store.set_job(number, job))
        followed.staged = followed.staged._replace(job=job)
        followed.tell()

    async def stop(self, number: int) -> bool:
        """Stop a tournament; say whether it was under way."""
        followed = await self._follow(number)
        going = await self._under_way(followed.staged)
        if going and followed.staged.job is not None:
            await self._jobs.cancel(followed.staged.job)
            followed.tell()
        return going

    async def withdraw(self, number: int, entry: str, reason: str, owner: str) -> None:
        """Take an entry out from now on."""
        await self._change(number, owner, lambda progress: withdraw(progress, entry, reason))

    async def take_back(self, number: int, what: str, reason: str, owner: str) -> int:
        """Take games back; a tournament that was being played plays them again at once."""
        return await self._change(number, owner, lambda progress: take_back(progress, what, reason))

    async def _change(self, number: int, owner: str, work: Callable[[Progress], T]) -> T:
        """Change something while nobody plays, then go on; one that someone had stopped stays so."""
        staged = (await self._follow(number)).staged
        live = await self._job(staged)
        going = await self.stop(number) or (live is not None and live.job.state == DONE)
        try:
            return await self._stored(lambda: work(Progress(_played(staged), self._store.ledger)))
        finally:
            (await self._follow(number)).tell()
            if going:
                await self.resume(number, owner)

    async def files(self, number: int, language: str, owner: str) -> Path:
        """Put the files of a tournament together, unless those that are there are new enough, and give their folder."""
        shown = await self.show(number)
        followed = await self._follow(number)
        async with followed.writing:
            at, folder = followed.files.get(language, (0.0, ""))
            going = shown.picture["state"] == RUNNING and time.monotonic() - at < SECONDS_BETWEEN_FILES
            if not (folder and going):
                mark = zlib.crc32(json.dumps([shown.picture["document"], language]).encode())
                folder = f"tournaments/{number}/{mark:08x}"
            if not (self._jobs.folder / folder / LAST_FILE).exists():
                wanted = {"name": followed.staged.name, "folder": folder, "language": language}
                job = await self._jobs.done(await self._jobs.add("tournament-files", wanted, owner))
                if job.state != DONE:
                    raise ValueError(job.error or "the files were not written; try again")
                followed.files[language] = (time.monotonic(), folder)
        return self._jobs.folder / folder

    async def show(self, number: int) -> Shown:
        """Show a tournament as it stands."""
        followed = await self._follow(number)
        async with followed.lock:
            live = await self._job(followed.staged)
            mark = (followed.changes, live and (live.job.id, live.job.version))
            if followed.shown is None or mark != followed.mark:
                await asyncio.sleep(max(0.0, followed.rest_until - time.monotonic()))
                live = await self._job(followed.staged)
                followed.mark = (followed.changes, live and (live.job.id, live.job.version))
                games = (followed.changes, live and (live.job.id, live.job.state, _played_games(live)))
                document, took = followed.shown.picture["document"] if followed.shown else {}, 0.0
                if games != followed.derived:
                    document, took = await self._derive(followed)
                    followed.derived = games
                followed.rest_until = time.monotonic() + max(SECONDS_BETWEEN_NEWS, REST * took)
                followed.shown = _shown(followed.staged, live, document)
            return followed.shown

    async def news(self, number: int, seen: int, stopping: Callable[[], bool]) -> AsyncIterator[Shown | None]:
        """Give every state of a tournament that is another than the last; nothing, now and then, while none is."""
        while not stopping():
            followed = await self._follow(number)
            job = await self._job(followed.staged)
            coming = [followed.news, *([job.news] if job is not None else [])]  # before looking, so that none is missed
            shown = await self.show(number)
            if shown.version != seen:
                seen = shown.version
                yield shown
            elif not await any_of(coming, BEAT_SECONDS):
                yield None

    async def _derive(self, followed: Followed) -> tuple[dict[str, Any], float]:
        """Give what a page shows, and how long it took to work it out."""
        name = followed.staged.name
        try:
            asked = self._workers.play(f"tournament {name}", "derive", self._database, name, seconds=SECONDS_TO_DERIVE)
            document, took = await asked
        except TaskFailed:
            if followed.shown is None:
                raise
            document, took = followed.shown.picture["document"], 0.0
        return document, took

    async def _follow(self, number: int) -> Followed:
        if number not in self._followed:
            staged = await self.find(number)
            if staged is None:
                raise LookupError(number)
            self._followed.setdefault(number, Followed(staged))
        return self._followed[number]

    async def _job(self, staged: Staged) -> LiveJob | None:
        return await self._jobs.find(staged.job) if staged.job else None

    async def _under_way(self, staged: Staged) -> bool:
        live = await self._job(staged)
        return live is not None and not live.job.over

    async def _stored(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._writer, work)


def _played_games(live: LiveJob) -> Any:
    """Give how many games a job has told of: while it only tells of moves, nothing has to be derived."""
    return live.job.progress.get("games") if isinstance(live.job.progress, dict) else None


def _played(staged: Staged) -> Played:
    return Played(name=staged.name, **staged.config)


def state_of(job: str | None, *, finished: bool) -> str:
    """Say in one word where a tournament stands, by its job's state and by its games."""
    if job in (WAITING, RUNNING, FAILED):
        return str(job)
    return FINISHED if finished else STOPPED


def _shown(staged: Staged, live: LiveJob | None, document: dict[str, Any]) -> Shown:
    job = live.job if live is not None else None
    picture = {
        "id": staged.id,
        "state": state_of(job.state if job else None, finished=document["finished"]),
        "error": job.error if job else None,
        "progress": job.progress if job and job.state == RUNNING else None,
        "document": document,
    }
    return Shown(zlib.crc32(json.dumps(picture, sort_keys=True).encode()), picture)
