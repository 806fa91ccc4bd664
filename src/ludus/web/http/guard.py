"""What every answer and every request goes through: security headers, size and rate limits, the log.

Knows no page and no game. Written for ASGI directly, so that streams pass untouched.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fastapi import HTTPException

from ludus.display import visible
from ludus.messages import Message
from ludus.web.http.connections import Limits, network_of
from ludus.web.http.errors import error_json
from ludus.web.http.rate_limit import Allowance
from ludus.web.http.uploads import MOST_UPLOADED

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send
    from starlette.types import Message as Event

LOG = logging.getLogger("ludus.web")
MOST_BYTES = 256 * 1024
UPLOADS = re.compile(r"/api/bots(/\d+/versions)?|/api/courses/\d+/submissions")
"""Where files come in; those routes read nothing before they know who sends it."""
RATE = 100.0
"""Changes a second that one address may make in the long run: a class may sit behind one."""
BURST = 500.0
LONGEST_PATH = 200
"""Characters of an address that are written down."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]


class LineFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Write what happened, and all that was said about it."""
        plain = logging.makeLogRecord({}).__dict__
        more = {key: value for key, value in record.__dict__.items() if key not in plain and key != "message"}
        line = {"at": f"{record.created:.3f}", "level": record.levelname.lower(), "event": record.getMessage(), **more}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return visible(json.dumps(line, default=str, ensure_ascii=False))  # an address may hold anything


def most_bytes(path: str) -> int:
    """Say how large a request may be."""
    return MOST_UPLOADED if UPLOADS.fullmatch(path) else MOST_BYTES


def too_large(path: str) -> HTTPException:
    """Refuse a request that is larger.

    What still comes of it is passed over for a while (`Connection`): a client that sends would not hear the answer
    where the connection ended at once.
    """
    return HTTPException(413, Message("web.request_too_large", kilobytes=most_bytes(path) // 1024))


class Guard:
    """Stands before the application."""

    def __init__(self, app: ASGIApp, limits: Limits | None = None) -> None:
        self.app = app
        self._limits = limits or Limits()
        self._allowance = Allowance(BURST, RATE)
        self._under_way: Counter[str] = Counter()
        """Requests by the addresses that they come from, streams included."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in or refuse it, and write down how it went."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status, taken, waited, whole = time.monotonic(), 0, 0, 0.0, False
        address = network_of((scope.get("client") or ("?",))[0])

        async def answer(message: Event) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *HEADERS]
                if scope["path"].startswith("/api/") and not any(
                    key == b"cache-control" for key, _ in message["headers"]
                ):
                    message["headers"].append((b"cache-control", b"no-store"))  # the next person at this machine
            await send(message)

        async def counted() -> Event:
            nonlocal taken, waited, whole
            if whole:
                return await receive()
            asked = time.monotonic()
            try:
                patience = self._limits.body_seconds + taken / self._limits.slowest_body - waited
                async with asyncio.timeout(max(0.0, patience)):
                    message = await receive()
            except TimeoutError:
                if status:
                    return {"type": "http.disconnect"}
                raise HTTPException(408, Message("web.request_too_slow"), {"Connection": "close"}) from None
            waited += time.monotonic() - asked
            taken += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if taken > most_bytes(scope["path"]):
                raise too_large(scope["path"])
            return message

        self._under_way[address] += 1
        try:
            self._admit(scope, address)
            await self.app(scope, counted, answer)
        except HTTPException as refusal:
            if status == 0:
                await refuse(answer, refusal)
        finally:
            self._under_way[address] -= 1
            if not self._under_way[address]:
                del self._under_way[address]
            seconds = time.monotonic() - began
            told = {
                "method": scope["method"],
                "path": scope["path"][:LONGEST_PATH],
                "status": status,
                "ms": round(1000 * seconds, 1),
            }
            LOG.info("request", extra=told)

    def _admit(self, scope: Scope, address: str) -> None:
        """Refuse changes from another site, too many changes or requests at once, and every question during a pause."""
        if scope["app"].state.stopping and scope["path"].startswith("/api/"):  # pages and files need no database
            raise HTTPException(503, Message("web.maintenance"))
        if self._under_way[address] > self._limits.per_address:
            raise HTTPException(429, Message("web.too_many_pages"), {"Retry-After": "10"})
        if scope["method"] in ("GET", "HEAD", "OPTIONS"):
            return
        headers = dict(scope["headers"])
        if int(headers.get(b"content-length", b"0") or b"0") > most_bytes(scope["path"]):
            raise too_large(scope["path"])
        origin = headers.get(b"origin", b"").decode("latin-1")
        foreign = origin and urlsplit(origin).netloc != headers.get(b"host", b"").decode("latin-1")
        if foreign or headers.get(b"sec-fetch-site", b"none") not in (b"same-origin", b"none"):
            raise HTTPException(403, Message("web.other_site"))
        if not self._allowance.take(address):
            raise HTTPException(429, Message("web.too_many_requests"))


async def refuse(send: Any, refusal: HTTPException) -> None:
    """Answer with one sentence."""
    body = json.dumps(error_json(refusal.detail)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in (refusal.headers or {}).items()]
    await send({"type": "http.response.start", "status": refusal.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": body})
