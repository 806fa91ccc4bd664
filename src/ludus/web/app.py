"""The application: routes, pages, errors, start and end of the server. Knows no game."""

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
from fastapi.responses import FileResponse, PlainTextResponse, Response
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

import ludus.web
from ludus.errors import message_of
from ludus.messages import Message
from ludus.store import open_database
from ludus.store.backup import paused
from ludus.web.bots.submissions import FieldMissing
from ludus.web.http.addresses import PATTERNS, STATIC, is_known
from ludus.web.http.connections import ConnectionLimits, limited, most_connections
from ludus.web.http.guard import Guard, LineFormatter
from ludus.web.http.responses import error_response, invalid_field
from ludus.web.jobs.workers import Busy, TaskFailed
from ludus.web.matches.live import NotAllowed
from ludus.web.services import Services
from ludus.web.views import drawable_games

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping

    from sqlalchemy import Engine

GRACE_SECONDS = 5
SECONDS_BETWEEN_TIDYINGS = 3600.0
SECONDS_BETWEEN_CHECKS = 0.5
"""How often the server checks whether it has to pause."""
LOG = logging.getLogger("ludus.web")
LOOK_FILES = {"board.js": "text/javascript", "pieces.svg": "image/svg+xml", "style.css": "text/css"}
"""The files of a game's folder that pages load, and their types."""


class Lifespan:
    """Opens the services when the application starts, closes them when it ends, and pauses them for a backup."""

    def __init__(self, database: Path | str, files: Path, workers: int | None) -> None:
        self._database = database
        self._files = files
        self._workers = workers

    @contextlib.asynccontextmanager
    async def __call__(self, app: FastAPI) -> AsyncIterator[None]:
        """Run while the application does."""
        await self._open(app)
        watch = asyncio.get_running_loop().create_task(self._watch(app))
        yield
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)
        await app.state.services.close()

    async def _open(self, app: FastAPI) -> None:
        services = Services(self._database, self._files, self._workers)
        await services.open()
        app.state.services = services

    async def _watch(self, app: FastAPI) -> None:
        """Delete old matches from time to time, and pause while a backup is restored; Guard refuses requests then."""
        engine = open_database(self._database)
        tidied = time.monotonic()
        try:
            while True:
                await asyncio.sleep(SECONDS_BETWEEN_CHECKS)
                if time.monotonic() - tidied > SECONDS_BETWEEN_TIDYINGS:
                    tidied = time.monotonic()
                    with contextlib.suppress(SQLAlchemyError):
                        await app.state.services.arena.tidy()
                with contextlib.suppress(SQLAlchemyError):  # the database may be unreachable for a moment
                    if await asyncio.to_thread(paused, engine):
                        await self._pause(app, engine)
        finally:
            engine.dispose()

    async def _pause(self, app: FastAPI, engine: Engine) -> None:
        LOG.info("pause")
        await app.state.services.close()
        while await asyncio.to_thread(paused, engine):
            await asyncio.sleep(SECONDS_BETWEEN_CHECKS)
        await self._open(app)
        LOG.info("pause over")


def create_app(
    database: Path | str, files: Path, workers: int | None = None, limits: ConnectionLimits | None = None
) -> FastAPI:
    """Return the application; `files` is the folder for what is not in the database."""
    app = FastAPI(
        title="Ludus",
        description="The arena for two-player board-game AI.",
        lifespan=Lifespan(database, files, workers),
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(GZipMiddleware, minimum_size=500, compresslevel=6)
    app.add_middleware(Guard, limits=limits or ConnectionLimits())
    for router in routers():
        app.include_router(router)
    _add_errors(app)
    _add_pages(app)
    return app


def routers() -> Iterator[APIRouter]:
    """Yield the router of each module named `routes` or `..._routes`."""
    for module in walk_packages(ludus.web.__path__, "ludus.web."):
        if module.name.endswith("routes"):
            yield import_module(module.name).router


def _add_errors(app: FastAPI) -> None:
    """Respond to every error with one sentence; a browser that asks for a page gets the page, which shows it."""

    def respond(
        request: Request, problem: Message | str, status: int, headers: Mapping[str, str] | None = None
    ) -> Response:
        if request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", ""):
            return page_file(status)
        return error_response(problem, status, headers)

    def with_status(status: int, headers: dict[str, str] | None = None) -> Callable[[Request, Exception], Response]:
        return lambda request, error: respond(request, message_of(error), status, headers)

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        return respond(request, invalid_field({**first, "loc": first["loc"][1:] or first["loc"]}), 422)

    @app.exception_handler(StarletteHTTPException)
    def http(request: Request, error: StarletteHTTPException) -> Response:
        return respond(request, error.detail, error.status_code, error.headers)

    @app.exception_handler(FieldMissing)
    def missing(_request: Request, error: FieldMissing) -> Response:
        return error_response(error.message, 400, field=error.field)

    @app.exception_handler(Exception)
    def unexpected(request: Request, error: Exception) -> Response:
        LOG.error("failure", exc_info=error)
        return respond(request, Message("web.failure"), 500)

    app.add_exception_handler(ValueError, with_status(400))
    app.add_exception_handler(NotAllowed, with_status(409))
    app.add_exception_handler(TaskFailed, with_status(503))
    app.add_exception_handler(Busy, with_status(429, {"Retry-After": "2"}))


def page_file(status: int = 200) -> FileResponse:
    """Return the page, which reads from its address what to show."""
    return FileResponse(STATIC / "index.html", status, headers={"Vary": "Accept"})


def _add_pages(app: FastAPI) -> None:
    async def page(request: Request) -> FileResponse:
        name, _, rest = request.scope["path"].strip("/").partition("/")
        services: Services = app.state.services
        known = services.stopping or await is_known(services, name or "home", rest)
        return page_file(200 if known else 404)

    app.add_api_route("/", page, include_in_schema=False)
    for name in PATTERNS:
        app.add_api_route(f"/{name}", page, include_in_schema=False)
        app.add_api_route(f"/{name}/{{rest:path}}", page, include_in_schema=False)

    @app.get("/healthz", response_class=PlainTextResponse)
    def healthz() -> str:
        """Say that the server works."""
        return "ok\n"

    @app.get("/static/games/{name}/{file}", include_in_schema=False)
    def look(name: str, file: str) -> FileResponse:
        if name not in drawable_games() or file not in LOOK_FILES:
            raise HTTPException(404, Message("web.no_such_game"))
        path = Path(import_module("ludus.games").__path__[0], name.replace("-", "_"), file)
        if not path.exists() and file == "board.js":
            path = STATIC / "plain.js"
        if not path.exists():
            raise HTTPException(404, Message("web.no_such_game"))
        return FileResponse(path, media_type=LOOK_FILES[file])

    @app.get("/favicon.ico", include_in_schema=False)
    def icon() -> FileResponse:
        return FileResponse(STATIC / "icon.svg", media_type="image/svg+xml")

    app.mount("/static", StaticFiles(directory=STATIC), name="static")


class Server(uvicorn.Server):
    """A server that ends its streams when it stops."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then the server."""
        app: Any = self.config.app
        app.state.services.end_streams()
        await super().shutdown(sockets)


def serve(
    database: Path | str,
    files: Path,
    host: str,
    port: int,
    workers: int | None,
    ready: Callable[[str], None],
    limits: ConnectionLimits | None = None,
) -> None:
    """Serve until a signal stops it; call `ready` with the address."""
    limits = limits or ConnectionLimits()
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
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(Server(config).serve(sockets=[listening]))
