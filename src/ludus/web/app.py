"""The application: routes, pages, errors, and what begins and ends with the server. Knows no game."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import socket
import sys
import time
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any

import uvicorn
from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

import ludus.web
from ludus.errors import message_of
from ludus.messages import Message
from ludus.store import open_database
from ludus.store.accounts import Accounts
from ludus.store.backup import paused
from ludus.store.bots import BotStore
from ludus.store.challenges import Challenges
from ludus.store.courses import CourseStore
from ludus.store.jobs import JobStore
from ludus.store.matches import Matches
from ludus.store.tournaments import Tournaments
from ludus.web.accounts.guests import Guests
from ludus.web.accounts.login import Door
from ludus.web.analysis.reviews import Reviews
from ludus.web.bots.service import Bots
from ludus.web.bots.submissions import FieldMissing
from ludus.web.http.addresses import PATTERNS, STATIC, is_known
from ludus.web.http.connections import Limits, limited, most_connections
from ludus.web.http.errors import error_json, invalid_field
from ludus.web.http.guard import Guard, LineFormatter
from ludus.web.http.rate_limit import Allowance
from ludus.web.http.reading import readers
from ludus.web.http.uploads import Uploads
from ludus.web.jobs.service import Jobs
from ludus.web.jobs.workers import AsyncWorkers, Busy, TaskFailed
from ludus.web.matches.arena import Arena
from ludus.web.matches.bot_seats import BotSeats
from ludus.web.matches.live import NotAllowed
from ludus.web.tournaments.service import TournamentService
from ludus.web.views import drawable_games

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping

    from sqlalchemy import Engine

GRACE_SECONDS = 5
NEW_GUESTS, NEW_GUESTS_A_SECOND = 200.0, 0.2
"""Guests without a cookie that come from one address at once, and in the long run: a class may sit behind one."""
SECONDS_BETWEEN_TIDYINGS = 3600.0
SECONDS_BETWEEN_LOOKS = 0.5
"""How often the server looks whether it is to pause."""
LOG = logging.getLogger("ludus.web")
LOOK_FILES = {"board.js": "text/javascript", "pieces.svg": "image/svg+xml", "style.css": "text/css"}
"""What a game's folder has for the page, and its type."""


class Files(StaticFiles):
    """Our files; browsers ask each time whether they have changed, and are told no in a few bytes."""

    async def get_response(self, path: str, scope: Any) -> Any:
        """Answer with a file."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response


class House:
    """What lives as long as the server: the database, the workers, the matches and the jobs."""

    def __init__(self, database: Path | str, files: Path, workers: int | None) -> None:
        self._database = database
        self._files = files
        self._workers = workers
        self._closing: list[Any] = []
        """What is to be closed at the end, in this order."""

    async def open(self, app: FastAPI) -> None:
        """Open everything, and go on with what was under way."""
        app.state.workers = AsyncWorkers(self._workers)
        app.state.workers.open()
        app.state.readers = readers()
        accounts, matches, jobs = Accounts(self._database), Matches(self._database), JobStore(self._database)
        bots, challenges, seats = BotStore(self._database), Challenges(self._database), BotSeats(str(self._database))
        tournaments, courses = Tournaments(self._database), CourseStore(self._database)
        self._closing = [seats, accounts, matches, jobs, bots, challenges, tournaments, courses]

        def names(texts: Iterable[str | None]) -> dict[str, str]:
            known = list(texts)
            return accounts.names(known) | bots.names(known)

        app.state.accounts = accounts
        app.state.uploads = Uploads()
        app.state.guests = Guests(self._files)
        app.state.newcomers = Allowance(NEW_GUESTS, NEW_GUESTS_A_SECOND)
        app.state.door = Door(accounts)
        app.state.bots = Bots(bots, challenges, names)
        app.state.jobs = Jobs(jobs, str(self._database), self._files)
        app.state.arena = Arena(matches, app.state.workers, names, seats, app.state.jobs.match)
        app.state.reviews = Reviews(app.state.workers)
        app.state.courses = courses
        app.state.tournaments = TournamentService(tournaments, str(self._database), app.state.jobs, app.state.workers)
        await app.state.arena.open()
        await app.state.jobs.open()
        app.state.stopping = False

    async def close(self, app: FastAPI) -> None:
        """End streams and work; everything has been stored already."""
        app.state.stopping = True
        app.state.arena.wake()
        app.state.jobs.wake()
        await app.state.jobs.close()
        app.state.tournaments.close()
        await app.state.arena.close()
        app.state.workers.close()
        app.state.readers.close()
        app.state.door.close()
        for one in self._closing:
            one.close()

    async def watch(self, app: FastAPI) -> None:
        """Tidy now and then; pause while a backup is brought back, then open everything anew.

        Guard refuses requests meanwhile.
        """
        engine = open_database(self._database)
        tidied = time.monotonic()
        try:
            while True:
                await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
                if time.monotonic() - tidied > SECONDS_BETWEEN_TIDYINGS:
                    tidied = time.monotonic()
                    with contextlib.suppress(SQLAlchemyError):
                        await app.state.arena.tidy()
                with contextlib.suppress(SQLAlchemyError):  # a database that is away for a moment is no reason to end
                    if await asyncio.to_thread(paused, engine):
                        await self._pause(app, engine)
        finally:
            engine.dispose()

    async def _pause(self, app: FastAPI, engine: Engine) -> None:
        LOG.info("pause")
        await self.close(app)
        while await asyncio.to_thread(paused, engine):
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        await self.open(app)
        LOG.info("pause over")


def create_app(database: Path | str, files: Path, workers: int | None = None, limits: Limits | None = None) -> FastAPI:
    """Put the application together; what is no table is kept in the folder `files`."""

    house = House(database, files, workers)

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        await house.open(app)
        watch = asyncio.get_running_loop().create_task(house.watch(app))
        yield
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)
        await house.close(app)

    app = FastAPI(
        title="Ludus",
        description="The arena for two-player board-game AI.",
        lifespan=life,
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(GZipMiddleware, minimum_size=500, compresslevel=6)
    app.add_middleware(Guard, limits=limits or Limits())
    for router in routers():
        app.include_router(router)
    _add_errors(app)
    _add_pages(app)
    return app


def routers() -> Iterator[APIRouter]:
    """Find the routes of every concern: modules named `routes` or `..._routes`, each with a `router`."""
    for module in walk_packages(ludus.web.__path__, "ludus.web."):
        if module.name.endswith("routes"):
            yield import_module(module.name).router


def _add_errors(app: FastAPI) -> None:
    """Answer every error with one sentence; a browser that asks for a page gets the page, which says it."""

    def told(
        request: Request, problem: Message | str, status: int, headers: Mapping[str, str] | None = None
    ) -> Response:
        if request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", ""):
            return page_file(status)
        return JSONResponse(error_json(problem), status, headers)

    def answer(status: int, headers: dict[str, str] | None = None) -> Callable[[Request, Exception], Response]:
        return lambda request, error: told(request, message_of(error), status, headers)

    def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        return told(request, invalid_field({**first, "loc": first["loc"][1:] or first["loc"]}), 422)

    def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, StarletteHTTPException)
        return told(request, error.detail, error.status_code, error.headers)

    def missing(_request: Request, error: Exception) -> Response:
        assert isinstance(error, FieldMissing)
        return JSONResponse({**error_json(error.message), "field": error.field}, 400)

    def unforeseen(request: Request, error: Exception) -> Response:
        LOG.error("failure", exc_info=error)
        return told(request, Message("web.failure"), 500)

    app.add_exception_handler(ValueError, answer(400))
    app.add_exception_handler(FieldMissing, missing)
    app.add_exception_handler(NotAllowed, answer(409))
    app.add_exception_handler(TaskFailed, answer(503))
    app.add_exception_handler(Busy, answer(429, {"Retry-After": "2"}))
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(StarletteHTTPException, http)
    app.add_exception_handler(Exception, unforeseen)


def page_file(status: int = 200) -> FileResponse:
    """Answer with the page, which finds out itself what there is to show at its address."""
    return FileResponse(STATIC / "index.html", status, headers={"Cache-Control": "no-cache", "Vary": "Accept"})


def _add_pages(app: FastAPI) -> None:
    async def page(request: Request) -> FileResponse:
        name, _, rest = request.scope["path"].strip("/").partition("/")
        known = app.state.stopping or await is_known(app.state, name or "home", rest)
        return page_file(200 if known else 404)

    app.add_api_route("/", page, include_in_schema=False)
    for name in PATTERNS:
        app.add_api_route(f"/{name}", page, include_in_schema=False)
        app.add_api_route(f"/{name}/{{rest:path}}", page, include_in_schema=False)

    @app.get("/healthz", response_class=PlainTextResponse)
    def healthz() -> str:
        """Say that the server is well."""
        return "ok\n"

    @app.get("/static/games/{name}/{file}", include_in_schema=False)
    def look(name: str, file: str) -> FileResponse:
        if name not in drawable_games() or file not in LOOK_FILES:
            raise HTTPException(404, Message("web.no_such_game"))
        its = Path(import_module("ludus.games").__path__[0], name.replace("-", "_"), file)
        if not its.exists() and file == "board.js":
            its = STATIC / "plain.js"
        if not its.exists():
            raise HTTPException(404, Message("web.no_such_game"))
        return FileResponse(its, media_type=LOOK_FILES[file], headers={"Cache-Control": "no-cache"})

    @app.get("/favicon.ico", include_in_schema=False)
    def icon() -> FileResponse:
        return FileResponse(STATIC / "icon.svg", media_type="image/svg+xml")

    app.mount("/static", Files(directory=STATIC), name="static")


class Server(uvicorn.Server):
    """A server that lets its streams end when it stops."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then the rest."""
        app: Any = self.config.app
        app.state.stopping = True
        app.state.arena.wake()
        app.state.jobs.wake()
        app.state.tournaments.wake()
        await super().shutdown(sockets)


def serve(
    database: Path | str,
    files: Path,
    host: str,
    port: int,
    workers: int | None,
    ready: Callable[[str], None],
    limits: Limits | None = None,
) -> None:
    """Serve until told to stop; `ready` is told the address."""
    limits = limits or Limits()
    limits = limits._replace(connections=most_connections(limits.connections))
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter())
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    app = create_app(database, files, workers, limits)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=math.ceil(limits.idle_seconds),
        http=limited(limits),
        forwarded_allow_ips=list(limits.proxies),
    )
    shown = f"[{host}]" if ":" in host else host
    ready(f"http://{shown}:{listening.getsockname()[1]}/")
    with contextlib.suppress(KeyboardInterrupt):  # Ctrl-C is how it ends
        asyncio.run(Server(config).serve(sockets=[listening]))
