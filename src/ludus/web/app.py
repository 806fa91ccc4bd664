"""The application: routes, pages, errors, start and end of the server. Knows no game."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import uvicorn
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from fastapi.routing import APIRoute
from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

import ludus.web
from ludus.errors import DamagedError, DiskFullError, UserError, is_disk_full, message_of
from ludus.messages import Message, render
from ludus.store import open_database, transient
from ludus.store.backup import PauseWatch
from ludus.store.integrity import BackgroundCheck
from ludus.web.accounts.admission import NotAdmitted
from ludus.web.bots.submissions import FieldMissing
from ludus.web.http.addresses import PATTERNS, STATIC, is_known
from ludus.web.http.connections import limited, most_connections
from ludus.web.http.description import describe
from ludus.web.http.guard import Guard, LineFormatter
from ludus.web.http.hosts import Hosts
from ludus.web.http.responses import error_response, invalid_field
from ludus.web.jobs.workers import Busy, TaskFailed
from ludus.web.matches.live import NotAllowed
from ludus.web.services import Services
from ludus.web.settings import ServerSettings
from ludus.web.sharing.previews import Preview, page_html, preview_of

GRACE_SECONDS = 5
SECONDS_BETWEEN_TIDYINGS = 3600.0
SECONDS_BETWEEN_CHECKS = 0.5
"""How often the server checks whether it has to pause."""
SECONDS_BETWEEN_FULL_CHECKS = 24 * 3600.0
"""How often the whole database is checked for damage; once at the start."""
STORAGE_ERRORS = (SQLAlchemyError, DiskFullError, DamagedError)
LOG = logging.getLogger("ludus.web")
SITE = Path(__file__).parent / "site"
SITE_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Lifespan:
    """Opens the services when the application starts, closes them when it ends, and pauses them for a backup."""

    def __init__(self, database: Path | str, files: Path, workers: int | None, settings: ServerSettings) -> None:
        self._database = database
        self._files = files
        self._workers = workers
        self._settings = settings

    @contextlib.asynccontextmanager
    async def __call__(self, app: FastAPI) -> AsyncIterator[None]:
        """Run while the application does."""
        try:
            await self._open(app)
        except (UserError, OSError) as error:
            app.state.failure = error
            raise
        watch = asyncio.get_running_loop().create_task(self._watch(app))
        yield
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)
        await app.state.services.close()

    async def _open(self, app: FastAPI) -> None:
        services = Services(self._database, self._files, self._workers, self._settings)
        await services.open()
        app.state.services = services

    async def _watch(self, app: FastAPI) -> None:
        """Delete old matches from time to time, and pause while a backup is restored; Guard refuses requests then."""
        engine = open_database(self._database)
        pause = PauseWatch(engine)
        tidied, checked = time.monotonic(), -math.inf
        try:
            while True:
                await asyncio.sleep(SECONDS_BETWEEN_CHECKS)
                now = time.monotonic()
                with contextlib.suppress(*STORAGE_ERRORS):  # the database may be unreachable for a moment
                    if now - checked > SECONDS_BETWEEN_FULL_CHECKS:
                        checked = now
                        await asyncio.to_thread(check_thoroughly, engine.url)
                    if now - tidied > SECONDS_BETWEEN_TIDYINGS:
                        tidied = now
                        await app.state.services.arena.tidy()
                    if await asyncio.to_thread(pause.paused):
                        await self._pause(app, pause)
        finally:
            engine.dispose()

    async def _pause(self, app: FastAPI, pause: PauseWatch) -> None:
        LOG.info("pause")
        await app.state.services.close()
        while app.state.services.stopping:
            await asyncio.sleep(SECONDS_BETWEEN_CHECKS)
            with contextlib.suppress(*STORAGE_ERRORS):
                if not await asyncio.to_thread(pause.paused):
                    await self._open(app)
        LOG.info("pause over")


def create_app(
    database: Path | str, files: Path, workers: int | None = None, settings: ServerSettings | None = None
) -> FastAPI:
    """Return the application; `files` is the folder for what is not in the database."""
    settings = settings or ServerSettings()
    app = FastAPI(
        title="Ludus",
        description="The arena for two-player board-game AI.",
        lifespan=Lifespan(database, files, workers, settings),
        docs_url=None,
        redoc_url=None,
    )
    app.state.failure = None
    app.add_middleware(GZipMiddleware, minimum_size=500, compresslevel=6)
    app.add_middleware(Guard, limits=settings.limits, hosts=Hosts(settings.host_names))
    for router in routers():
        app.include_router(router)
    _add_errors(app)
    _add_pages(app)
    app.openapi = partial(_described, app)  # type: ignore[method-assign]
    return app


def api_routes(app: FastAPI) -> list[APIRoute]:
    """Return the routes of the application, those of its routers included."""
    found = [*app.routes, *(route for router in routers() for route in router.routes)]
    return [route for route in found if isinstance(route, APIRoute)]


def _described(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI description; it is made once."""
    if app.openapi_schema is None:
        describe(FastAPI.openapi(app), api_routes(app))
    assert app.openapi_schema is not None
    return app.openapi_schema


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
            return page_response(request, None, status=status)
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

    def not_stored(request: Request, error: Exception) -> Response:
        if (why := storage_message(error)) is None:
            return unexpected(request, error)
        LOG.error("not stored", extra={"why": str(message_of(error)).partition("\n")[0]})
        return respond(request, why, 503, {"Retry-After": "10"})

    for kind in (DiskFullError, DamagedError, OSError, DBAPIError):
        app.add_exception_handler(kind, not_stored)
    app.add_exception_handler(ValueError, with_status(400))
    app.add_exception_handler(NotAdmitted, with_status(403))
    app.add_exception_handler(NotAllowed, with_status(409))
    app.add_exception_handler(TaskFailed, with_status(503))
    app.add_exception_handler(Busy, with_status(429, {"Retry-After": "2"}))


def storage_message(error: BaseException) -> Message | None:
    """Return what people are told if nothing can be stored or read; None for any other error."""
    if is_disk_full(error):
        return Message("web.no_space")
    if isinstance(error, DamagedError):
        return Message("web.damaged")
    return Message("web.no_database") if transient(error) else None


def check_thoroughly(url: URL) -> None:
    """Check the whole database while the server runs, and write into its log what is wrong with it."""
    check = BackgroundCheck(url)
    try:
        check.wait()
        check.raise_if_damaged()
    except DamagedError as error:
        LOG.error("the database is damaged", extra={"why": str(error)})
    finally:
        check.close()


def page_response(request: Request, preview: Preview | None, page: str = "home", status: int = 200) -> HTMLResponse:
    """Return the page, which reads from its address what to show; a preview is for those who show links."""
    origin, address = str(request.base_url).rstrip("/"), request.url.path
    if request.url.query:
        address += f"?{request.url.query}"
    shown = preview or Preview("Ludus", render(Message("web.preview_ludus"), language_of(request)))
    return HTMLResponse(page_html(shown, page, address, origin), status, {"Vary": "Accept, Accept-Language"})


def language_of(request: Request) -> str:
    """Return the language that a browser asks for first, if there is a catalogue of it."""
    return "zh-Hant" if request.headers.get("accept-language", "").lower().startswith("zh") else "en"


def _add_pages(app: FastAPI) -> None:
    async def page(request: Request) -> HTMLResponse:
        name, _, rest = request.scope["path"].strip("/").partition("/")
        name, rest = name or "home", rest.strip("/")
        services: Services = app.state.services
        known = services.stopping or await is_known(services, name, rest)
        preview = None
        if known and not services.stopping:
            preview = await preview_of(services, name, rest, request.query_params, language_of(request))
        return page_response(request, preview, name, 200 if known else 404)

    app.add_api_route("/", page, include_in_schema=False)
    for name in PATTERNS:
        app.add_api_route(f"/{name}", page, include_in_schema=False)
        app.add_api_route(f"/{name}/{{rest:path}}", page, include_in_schema=False)

    @app.get("/healthz", response_class=PlainTextResponse)
    def healthz() -> str:
        """Say that the server works."""
        return "ok\n"

    @app.get("/favicon.ico", include_in_schema=False)
    def icon() -> FileResponse:
        return FileResponse(STATIC / "icon.svg", media_type="image/svg+xml")

    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    if SITE.is_dir():
        app.mount("/docs", Documentation(directory=SITE, html=True), name="docs")


class Documentation(StaticFiles):
    """The site of `make docs`: our own pages, whose theme has scripts and styles in them."""

    def file_response(self, *args: Any, **settings: Any) -> Response:
        """Return a file with the policy that its theme needs."""
        response = super().file_response(*args, **settings)
        response.headers["Content-Security-Policy"] = SITE_POLICY
        return response


class Server(uvicorn.Server):
    """A server that says when it has started, and ends its streams when it stops."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then the server."""
        app: Any = self.config.app
        if app.state.failure is None:
            app.state.services.end_streams()
        await super().shutdown(sockets)


def serve(
    database: Path | str,
    files: Path,
    host: str,
    port: int,
    workers: int | None,
    ready: Callable[[str], None],
    settings: ServerSettings | None = None,
) -> None:
    """Serve until a signal stops it; call `ready` with the address. What keeps it from starting is raised."""
    settings = settings or ServerSettings()
    limits = settings.limits._replace(connections=most_connections(settings.limits.connections))
    settings = settings._replace(limits=limits, host_names=(*settings.host_names, *filter(None, [host])))
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter())
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    app = create_app(database, files, workers, settings)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=math.ceil(limits.idle_seconds),
        http=limited(limits),
        ws="none",
        proxy_headers=bool(limits.proxies),
        forwarded_allow_ips=list(limits.proxies),
    )
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    logging.getLogger("uvicorn.error").addFilter(lambda _record: app.state.failure is None)
    with contextlib.suppress(KeyboardInterrupt, SystemExit):
        asyncio.run(Server(config, lambda: ready(address)).serve(sockets=[listening]))
    if app.state.failure is not None:
        raise app.state.failure
