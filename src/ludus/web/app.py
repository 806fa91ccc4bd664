"""The application: routes, pages, errors, and what begins and ends with the server. Knows no game."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

import uvicorn
from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

from ludus.store.accounts import Accounts
from ludus.store.bots import BotStore
from ludus.store.challenges import Challenges
from ludus.store.courses import CourseStore
from ludus.store.jobs import JobStore
from ludus.store.matches import Matches
from ludus.store.tournaments import Tournaments
from ludus.web import routes
from ludus.web.bots import Bots
from ludus.web.door import Door
from ludus.web.guard import Guard, LineFormatter
from ludus.web.jobs import Jobs
from ludus.web.matches import Arena, NotAllowed
from ludus.web.pictures import drawable_games
from ludus.web.seats import BotSeats
from ludus.web.stage import Stage
from ludus.web.workers import Busy, TaskFailed, Workers

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable

STATIC = Path(__file__).parent / "static"
PAGES = {file.stem for file in (STATIC / "pages").glob("*.js")}
"""The first words of the addresses that the page itself makes sense of."""
GRACE_SECONDS = 5
LOG = logging.getLogger("ludus.web")


class Files(StaticFiles):
    """Our files; browsers ask each time whether they have changed, and are told no in a few bytes."""

    async def get_response(self, path: str, scope: Any) -> Any:
        """Answer with a file."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response


def create_app(database: Path | str, files: Path, workers: int | None = None) -> FastAPI:
    """Put the application together; what is no table is kept in the folder `files`."""

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        store = Matches(database)
        app.state.workers = Workers(workers)
        app.state.workers.open()
        accounts = app.state.accounts = Accounts(database)
        app.state.door = Door(accounts)
        seats, bot_store, challenges = BotSeats(str(database)), BotStore(database), Challenges(database)

        def names(texts: Iterable[str | None]) -> dict[str, str]:
            known = list(texts)
            return accounts.names(known) | bot_store.names(known)

        app.state.bots = Bots(bot_store, challenges, names)
        app.state.arena = Arena(store, app.state.workers, names, seats)
        job_store = JobStore(database)
        app.state.jobs = Jobs(job_store, str(database), files)
        staged, courses = Tournaments(database), CourseStore(database)
        app.state.courses = courses
        app.state.stage = Stage(staged, str(database), app.state.jobs, app.state.workers)
        app.state.stopping = False
        await app.state.arena.open()
        await app.state.jobs.open()
        yield
        await app.state.jobs.close()
        app.state.stage.close()
        await app.state.arena.close()
        app.state.workers.close()
        seats.close()
        for kept in (job_store, bot_store, challenges, staged, courses):
            kept.close()
        app.state.door.close()
        app.state.accounts.close()
        store.close()

    app = FastAPI(
        title="Ludus",
        description="The arena for two-player board-game AI.",
        lifespan=life,
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(GZipMiddleware, minimum_size=500, compresslevel=6)
    app.add_middleware(Guard)
    for module in iter_modules(routes.__path__, "ludus.web.routes."):
        app.include_router(import_module(module.name).router)
    _add_errors(app)
    _add_pages(app)
    return app


def _add_errors(app: FastAPI) -> None:
    """Answer every error with one sentence."""

    def answer(status: int, headers: dict[str, str] | None = None) -> Callable[[Request, Exception], JSONResponse]:
        return lambda _request, error: JSONResponse({"detail": str(error)}, status, headers)

    def invalid(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:] or first["loc"])
        return JSONResponse({"detail": f"{place}: {first['msg'].lower()}"}, 422)

    def http(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, StarletteHTTPException)
        return JSONResponse({"detail": error.detail}, error.status_code, error.headers)

    def unforeseen(_request: Request, error: Exception) -> JSONResponse:
        LOG.error("failure", exc_info=error)
        return JSONResponse({"detail": "something went wrong here; it has been written down"}, 500)

    app.add_exception_handler(ValueError, answer(400))
    app.add_exception_handler(NotAllowed, answer(409))
    app.add_exception_handler(TaskFailed, answer(503))
    app.add_exception_handler(Busy, answer(429, {"Retry-After": "2"}))
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(StarletteHTTPException, http)
    app.add_exception_handler(Exception, unforeseen)


def _add_pages(app: FastAPI) -> None:
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers={"Cache-Control": "no-cache"})

    app.add_api_route("/", page, include_in_schema=False)
    for name in PAGES:
        app.add_api_route(f"/{name}", page, include_in_schema=False)
        app.add_api_route(f"/{name}/{{rest:path}}", page, include_in_schema=False)

    @app.get("/healthz", response_class=PlainTextResponse)
    def healthz() -> str:
        """Say that the server is well."""
        return "ok\n"

    @app.get("/static/games/{name}/board.js", include_in_schema=False)
    def look(name: str) -> FileResponse:
        if name not in drawable_games():
            raise HTTPException(404, "there is no such game")
        its = Path(import_module("ludus.games").__path__[0], name.replace("-", "_"), "board.js")
        file = its if its.exists() else STATIC / "plain.js"
        return FileResponse(file, media_type="text/javascript", headers={"Cache-Control": "no-cache"})

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
        app.state.stage.wake()
        await super().shutdown(sockets)


def serve(
    database: Path | str, files: Path, host: str, port: int, workers: int | None, ready: Callable[[str], None]
) -> None:
    """Serve until told to stop; `ready` is told the address."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter())
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    app = create_app(database, files, workers)
    config = uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=GRACE_SECONDS)
    shown = f"[{host}]" if ":" in host else host
    ready(f"http://{shown}:{listening.getsockname()[1]}/")
    with contextlib.suppress(KeyboardInterrupt):  # Ctrl-C is how it ends
        asyncio.run(Server(config).serve(sockets=[listening]))
