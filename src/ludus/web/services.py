"""Everything that requests share, in one typed object: databases, worker processes, matches, jobs. Knows no route."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import Depends, Request

from ludus.store.accounts import Accounts
from ludus.store.bots import BotStore
from ludus.store.challenges import Challenges
from ludus.store.courses import CourseStore
from ludus.store.invitations import Invitations
from ludus.store.jobs import JobStore
from ludus.store.matches import Matches
from ludus.store.person_ratings import PersonRatings
from ludus.store.played import PlayedGames
from ludus.store.profiles import Profiles
from ludus.store.studies import Studies
from ludus.store.tournaments import Tournaments
from ludus.web.accounts.admission import Admission
from ludus.web.accounts.cookies import SignedCookies
from ludus.web.accounts.login import LoginService
from ludus.web.analysis.reviews import Reviews
from ludus.web.bots.service import Bots
from ludus.web.http.rate_limit import Allowance, Turns
from ludus.web.http.reading import readers
from ludus.web.http.uploads import Uploads
from ludus.web.jobs.service import Jobs, LiveJob
from ludus.web.jobs.workers import AsyncWorkers
from ludus.web.matches.arena import Arena
from ludus.web.matches.bot_seats import BotSeats
from ludus.web.matches.lobby import Lobby
from ludus.web.settings import ServerSettings
from ludus.web.sharing.pictures import Pictures
from ludus.web.tournaments.service import TournamentService

if TYPE_CHECKING:
    from ludus.web.accounts.visitors import Visitor

T = TypeVar("T")

IN_THREADS, IN_LOOP = 6, 24
"""Requests of one address that are worked at together, in threads (of which there are 40) and in the event loop: both
are everybody's. A class that shares an address waits no longer: more at a time are not done sooner."""
NEW_GUESTS, NEW_GUESTS_PER_SECOND = 200.0, 0.2
"""New guests from one address, at once and in the long run: a whole class may share an address."""


class Services:
    """The parts of the server, from its start to its end, or to a pause."""

    def __init__(
        self, database: Path | str, files: Path, workers: int | None, settings: ServerSettings | None = None
    ) -> None:
        settings = settings or ServerSettings()
        self.stopping = False
        """Whether the server stops or pauses: streams end, and API requests are refused."""
        self.accounts, bots, matches = Accounts(database), BotStore(database), Matches(database)
        jobs, challenges, tournaments = JobStore(database), Challenges(database), Tournaments(database)
        bot_seats = BotSeats(str(database))

        def names(texts: Iterable[str | None]) -> dict[str, str]:
            """Return the names of those owners and players that have one."""
            known = list(texts)
            return self.accounts.names(known) | bots.names(known)

        self.names = names
        self.courses = CourseStore(database)
        self.played, self.ratings, self.profiles = PlayedGames(database), PersonRatings(database), Profiles(database)
        self.workers = AsyncWorkers(workers)
        self.readers = readers()
        self.pictures = Pictures()
        self.studies = Studies(database)
        self.uploads = Uploads()
        self.cookies = SignedCookies(files)
        self.turns_in_threads, self.turns_in_loop = Turns(IN_THREADS), Turns(IN_LOOP)
        self.new_guests = Allowance(NEW_GUESTS, NEW_GUESTS_PER_SECOND)
        self.admission = Admission(Invitations(database), self.courses, settings.sign_up)
        self.login = LoginService(self.accounts, self.admission)
        self.bots = Bots(bots, challenges, names)
        self.jobs = Jobs(jobs, str(database), files)
        self.arena = Arena(matches, self.workers, names, bot_seats, self.jobs.match, self.ratings.beside)
        self.lobby = Lobby(self.arena, self.ratings)
        self.reviews = Reviews(self.workers)
        self.tournaments = TournamentService(tournaments, str(database), self.jobs, self.workers)
        stores = (bot_seats, self.accounts, matches, jobs, bots, challenges, tournaments, self.courses)
        people = (self.played, self.ratings, self.profiles, self.studies)
        self._stores = (*stores, self.admission.invitations, *people)

    async def open(self) -> None:
        """Start the workers, and continue unfinished matches and jobs."""
        self._loop = asyncio.get_running_loop()
        self.workers.open()
        await self.arena.open()
        await self.jobs.open()

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the event loop, for a route that runs in a thread, and return its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def job(self, name: str | None) -> LiveJob | None:
        """Return a job by its name, for a route that runs in a thread."""
        return self.wait_for(self.jobs.find(name))

    def note(self, who: Visitor, kind: str, **detail: Any) -> None:
        """Write what someone did into the audit log."""
        self.accounts.note(who.signed_in.id, kind, detail)

    def end_streams(self) -> None:
        """Let all streams end."""
        self.stopping = True
        self.arena.wake()
        self.jobs.wake()
        self.tournaments.wake()

    async def close(self) -> None:
        """Stop all work; everything is stored already."""
        self.end_streams()
        await self.jobs.close()
        self.tournaments.close()
        await self.arena.close()
        self.workers.close()
        self.readers.close()
        self.pictures.close()
        self.login.close()
        for store in self._stores:
            store.close()


async def _services_of(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


ServicesDep = Annotated[Services, Depends(_services_of)]
"""A parameter of a route or a dependency: the services of this server."""
