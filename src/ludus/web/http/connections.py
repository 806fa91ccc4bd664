"""Connections: how many there may be, how many from one address, and how slow they may be. Knows no request's meaning.

Whatever a client leaves half done has an end: a request whose headers do not come, an answer that nobody reads, a
connection that nobody uses, a machine that has vanished. Bodies that come slowly are ended by `Guard`.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import resource
import socket
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from fastapi import HTTPException
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ludus.errors import UserError
from ludus.messages import Message
from ludus.web.http.errors import error_json

if TYPE_CHECKING:
    import asyncio

    from starlette.types import ASGIApp, Receive, Scope, Send

MOST_HEAD_BYTES = 64 << 10
"""What the headers of a request may have together."""
MOST_PIPELINED = 16
"""Requests on one connection that wait for the answer to the one before."""
FILES_KEPT = 200
"""Files that the server needs for other things than connections."""
LOCAL = ("127.0.0.1", "::1")


class Limits(NamedTuple):
    """What connections may do."""

    per_address: int = 500
    """Requests under way from one address, streams included: a class may sit behind one. Connections: twice as many."""
    connections: int = 4000
    """From all addresses together."""
    head_seconds: float = 15.0
    """For the headers of a request to arrive, from its first byte or the beginning of the connection on."""
    body_seconds: float = 20.0
    """For the body to arrive, and a second more for every `slowest_body` bytes of it."""
    slowest_body: float = 8 * 1024
    idle_seconds: float = 75.0
    """How long an unused connection stays open: longer than clients keep theirs, so that none is shut as it is used."""
    write_seconds: float = 60.0
    """How long a client may read nothing of its answer."""
    proxies: tuple[str, ...] = LOCAL
    """Addresses or networks of proxies that say in X-Forwarded-For whom they speak for."""


def network_of(address: str) -> str:
    """Return what limits count as one address: of IPv6 the /64 that one household or machine has."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def read_proxy(text: str) -> str:
    """Return an address or a network as it is written; ValueError for anything else."""
    try:
        return str(ipaddress.ip_network(text) if "/" in text else ipaddress.ip_address(text))
    except ValueError:
        raise UserError("web.bad_address", address=repr(text)) from None


def most_connections(wanted: int) -> int:
    """Let this process have as many open files as it may, and return how many connections there can be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    aim = wanted + FILES_KEPT if hard == resource.RLIM_INFINITY else min(hard, wanted + FILES_KEPT)
    if soft != resource.RLIM_INFINITY and soft < aim:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (aim, hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return wanted if soft == resource.RLIM_INFINITY else max(1, min(wanted, soft - FILES_KEPT))


def refusing(refusal: HTTPException) -> ASGIApp:
    """Return an application that answers everything with one sentence, and ends the connection."""
    body = json.dumps(error_json(refusal.detail)).encode()

    async def refuse(_scope: Scope, _receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        headers += [(b"connection", b"close"), (b"retry-after", b"10")]
        await send({"type": "http.response.start", "status": refusal.status_code, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return refuse


class Connection(HttpToolsProtocol):
    """A connection with limits; `limited` gives the class for some."""

    limits = Limits()
    counts: ClassVar[Counter[str]] = Counter()
    """Open connections by address."""
    trusted: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...] = ()

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._network: str | None = None
        self._head_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None
        self._head_bytes: int | None = None
        """Of the headers that are arriving; None while none are."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, or refuse the first request where there are too many connections."""
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        peer = transport.get_extra_info("socket")
        if peer is not None and hasattr(socket, "TCP_USER_TIMEOUT"):
            with contextlib.suppress(OSError):
                milliseconds = int(1000 * self.limits.write_seconds)
                peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)
        if not self._is_proxy(address):
            self._network = network_of(address)
            self.counts[self._network] += 1
        each = 2 * self.limits.per_address
        if self._network is not None and self.counts[self._network] > each:
            too_many = HTTPException(429, Message("web.too_many_connections"))
            self.app = refusing(too_many)
            if self.counts[self._network] > each + FILES_KEPT // 4:
                transport.abort()  # what answers costs as well
        elif len(self.connections) > self.limits.connections:
            self.app = refusing(HTTPException(503, Message("web.server_full")))
            if len(self.connections) > self.limits.connections + FILES_KEPT // 2:
                transport.abort()
        self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        if self._network is not None:
            self.counts[self._network] -= 1
            if not self.counts[self._network]:
                del self.counts[self._network]
            self._network = None
        self._stop_head_timer()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take some bytes; where they belong to no request under way, the next must be whole soon."""
        if self._head_bytes is not None:
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEAD_BYTES:
                self._close_with(b"431 Request Header Fields Too Large")
                return
        if self._idle and self._head_timer is None:
            self._start_head_timer()
        super().data_received(data)

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._head_bytes = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Begin to answer."""
        self._head_bytes = None
        self._stop_head_timer()
        if len(self.pipeline) >= MOST_PIPELINED:
            raise RuntimeError("too many requests are sent before an answer is read")  # the parser ends the connection
        super().on_headers_complete()

    def pause_writing(self) -> None:
        """Wait for a client that does not read, but not for ever."""
        super().pause_writing()
        if self._write_timer is None:
            self._write_timer = self.loop.call_later(self.limits.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on."""
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None
        if self.flow is not None:
            super().resume_writing()

    @property
    def _idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _is_proxy(self, address: str) -> bool:
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in self.trusted)

    def _start_head_timer(self) -> None:
        self._head_timer = self.loop.call_later(self.limits.head_seconds, self._head_is_late)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_is_late(self) -> None:
        self._head_timer = None
        if not self._idle:
            return
        if self._head_bytes is None:  # nobody has asked for anything
            self.transport.close()
        else:
            self._close_with(b"408 Request Timeout")

    def _close_with(self, status: bytes) -> None:
        """Answer a request that is not whole, and end the connection."""
        if self._idle and not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 " + status + b"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        self.transport.close()


def limited(limits: Limits) -> type[Connection]:
    """Return the class of connections with some limits, with a count of its own."""
    networks = tuple(ipaddress.ip_network(one) for one in limits.proxies)
    return type("LimitedConnection", (Connection,), {"limits": limits, "counts": Counter(), "trusted": networks})
