"""The middleware around all routes: security headers, size and rate limits, the log of requests.

Knows no page and no game. Written for ASGI directly, so that streams pass through unbuffered.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fastapi import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from ludus.display import visible
from ludus.messages import Message
from ludus.web.http.connections import ConnectionLimits, network_of
from ludus.web.http.hosts import Hosts
from ludus.web.http.rate_limit import Allowance, Counts
from ludus.web.http.responses import error_response
from ludus.web.http.uploads import MOST_COLLECTED, MOST_TABLE, MOST_UPLOADED

if TYPE_CHECKING:
    from ludus.web.services import Services

LOG = logging.getLogger("ludus.web")
MOST_BYTES = 256 * 1024
UPLOADS = re.compile(r"/api/bots(/\d+/versions)?|/api/courses/\d+/(submissions|base)")
"""Where files are uploaded; these routes check who sends a file before they read it."""
COLLECTED = re.compile(r"/api/courses/\d+/collected")
"""Where an instructor uploads the submissions of a class."""
TABLES = re.compile(r"/api/courses/\d+/(tables/\w+|settings)")
RATE = 100.0
"""Changes per second that one address may make in the long run: a whole class may share an address."""
BURST = 500.0
LONGEST_PATH = 200
"""Characters of a path that are logged."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]


class LineFormatter(logging.Formatter):
    """Formats a log record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the event with all its extra fields."""
        plain = logging.makeLogRecord({}).__dict__
        more = {key: value for key, value in record.__dict__.items() if key not in plain and key != "message"}
        line = {"at": f"{record.created:.3f}", "level": record.levelname.lower(), "event": record.getMessage(), **more}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return visible(json.dumps(line, default=str, ensure_ascii=False))  # a path may contain any character


def most_bytes(path: str) -> int:
    """Return how large the body of a request may be."""
    for routes, most in ((UPLOADS, MOST_UPLOADED), (COLLECTED, MOST_COLLECTED), (TABLES, MOST_TABLE)):
        if routes.fullmatch(path):
            return most
    return MOST_BYTES


def too_large(path: str) -> HTTPException:
    """Return the error for a body that is larger.

    The connection stays open for a while, and what still arrives is dropped: a client that is still sending would not
    read the response if the connection were closed at once.
    """
    return HTTPException(413, Message("web.request_too_large", kilobytes=most_bytes(path) // 1024))


def _is_foreign(origin: str, scheme: str, host: str) -> bool:
    """Return whether an origin is another site than this one: another host, or plain http where this is encrypted."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return True
    return parts.netloc.lower() != host.lower() or (scheme == "https" and parts.scheme != "https")


class Guard:
    """Checks every request before the application sees it."""

    def __init__(self, app: ASGIApp, limits: ConnectionLimits, hosts: Hosts) -> None:
        self.app = app
        self._limits = limits
        self._hosts = hosts
        self._allowance = Allowance(BURST, RATE)
        self._open_requests = Counts[str]()
        """Open requests by address, streams included."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Admit or refuse a request, and log the result."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status, received, waited, complete = time.monotonic(), 0, 0, 0.0, False
        address = network_of((scope.get("client") or ("?",))[0])
        # Nothing personal may stay in the cache of a shared computer; static files may change with the server.
        caching = b"no-store" if scope["path"].startswith("/api/") else b"no-cache"

        async def answer(message: Event) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                await turn.aclose()  # sending takes as long as the other side likes
                status = message["status"]
                own = {key for key, _ in message["headers"]}
                more = [header for header in (*HEADERS, (b"cache-control", caching)) if header[0] not in own]
                message["headers"] = [*message["headers"], *more]
            await send(message)

        async def receive_part() -> Event:
            nonlocal received, waited, complete
            if complete:
                return await receive()
            waiting_since = time.monotonic()
            try:
                seconds = self._limits.body_seconds + received / self._limits.slowest_body - waited
                async with asyncio.timeout(max(0.0, seconds)):
                    message = await receive()
            except TimeoutError:
                if status:
                    return {"type": "http.disconnect"}
                raise HTTPException(408, Message("web.request_too_slow"), {"Connection": "close"}) from None
            waited += time.monotonic() - waiting_since
            received += len(message.get("body", b""))
            complete = not message.get("more_body", False)
            if received > most_bytes(scope["path"]):
                raise too_large(scope["path"])
            return message

        turn = contextlib.AsyncExitStack()
        try:
            with self._open_requests.one(address):
                self._admit(scope, address)
                if not scope["path"].startswith("/api/"):  # whose routes take their own turns
                    await turn.enter_async_context(scope["app"].state.services.turns_in_loop.one(address))
                await self.app(scope, receive_part, answer)
        except HTTPException as refusal:
            if status == 0:
                response = error_response(refusal.detail, refusal.status_code, refusal.headers)
                await response(scope, receive, answer)
        finally:
            await turn.aclose()
            seconds = time.monotonic() - began
            path = scope["path"][:LONGEST_PATH]
            fields = {"method": scope["method"], "path": path, "status": status, "ms": round(1000 * seconds, 1)}
            LOG.info("request", extra=fields)

    def _admit(self, scope: Scope, address: str) -> None:
        """Refuse what is for another host, changes from another site, too much at once, and the API during a pause."""
        self._hosts.check(scope["headers"], (scope.get("server") or (None,))[0])
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:
            raise HTTPException(400, Message("web.bad_character"))
        services: Services = scope["app"].state.services
        if services.stopping and scope["path"].startswith("/api/"):  # pages and files need no database
            raise HTTPException(503, Message("web.maintenance"))
        if self._open_requests[address] > self._limits.per_address:
            raise HTTPException(429, Message("web.too_many_pages"), {"Retry-After": "10"})
        if scope["method"] in ("GET", "HEAD", "OPTIONS"):
            return
        headers = dict(scope["headers"])
        if int(headers.get(b"content-length", b"0") or b"0") > most_bytes(scope["path"]):
            raise too_large(scope["path"])
        origin, host = (headers.get(name, b"").decode("latin-1") for name in (b"origin", b"host"))
        site = headers.get(b"sec-fetch-site", b"none")
        if site not in (b"same-origin", b"none") or (origin and _is_foreign(origin, scope["scheme"], host)):
            raise HTTPException(403, Message("web.other_site"))
        if not self._allowance.take(address):
            raise HTTPException(429, Message("web.too_many_requests"))
