"""ConnectionLimits on connections: how many in all, how many from one address, and how slow. Knows nothing of routes.

Everything that a client leaves unfinished is ended: headers that do not arrive, a response that is not read, a
connection that is not used, a computer that is gone. Bodies that arrive too slowly are ended by `Guard`.
"""

from __future__ import annotations

import contextlib
import ipaddress
import resource
import socket
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ludus.errors import UserError
from ludus.messages import Message
from ludus.web.http.responses import error_response

if TYPE_CHECKING:
    import asyncio

MOST_HEAD_BYTES = 64 << 10
"""The size of all headers of a request together."""
MOST_PIPELINED = 16
"""Requests that may wait on one connection for the response to an earlier one."""
FILES_KEPT = 200
"""Open files that the server needs besides connections."""
REFUSED = {"Connection": "close", "Retry-After": "10"}
"""The headers of the response to a client that has too many connections."""


class ConnectionLimits(NamedTuple):
    """The limits of connections."""

    per_address: int = 500
    """Open requests of one address, streams included: a whole class may share one. Connections: twice as many."""
    connections: int = 4000
    """Connections of all addresses together."""
    head_seconds: float = 15.0
    """Time for the headers of a request to arrive, from its first byte or the start of the connection."""
    body_seconds: float = 20.0
    """Time for the body to arrive, plus a second for every `slowest_body` bytes of it."""
    slowest_body: float = 8 * 1024
    idle_seconds: float = 75.0
    """How long an unused connection stays open: longer than clients use theirs, so that the client closes it first."""
    write_seconds: float = 60.0
    """How long a client may read nothing of its response."""
    proxies: tuple[str, ...] = ()
    """Addresses or networks of proxies whose X-Forwarded-For header is trusted; nobody's unless it is configured."""


def network_of(address: str) -> str:
    """Return what the limits count as one address: for IPv6 the /64 network of one household or computer."""
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
    """Return an address or a network in its usual form; raise UserError for anything else."""
    try:
        return str(ipaddress.ip_network(text) if "/" in text else ipaddress.ip_address(text))
    except ValueError:
        raise UserError("web.bad_address", address=repr(text)) from None


def most_connections(wanted: int) -> int:
    """Raise the limit of open files as far as allowed, and return how many connections there can be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    aim = wanted + FILES_KEPT if hard == resource.RLIM_INFINITY else min(hard, wanted + FILES_KEPT)
    if soft != resource.RLIM_INFINITY and soft < aim:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (aim, hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return wanted if soft == resource.RLIM_INFINITY else max(1, min(wanted, soft - FILES_KEPT))


class Connection(HttpToolsProtocol):
    """A connection with limits; `limited` returns a class for given limits."""

    limits = ConnectionLimits()
    counts: ClassVar[Counter[str]] = Counter()
    """Open connections by address."""
    trusted: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...] = ()

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._network: str | None = None
        self._head_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None
        self._head_bytes: int | None = None
        """The size of the headers that are arriving; None while none are."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start, or refuse the first request where there are too many connections."""
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
            self.app = error_response(Message("web.too_many_connections"), 429, REFUSED)
            if self.counts[self._network] > each + FILES_KEPT // 4:
                transport.abort()  # a response costs something as well
        elif len(self.connections) > self.limits.connections:
            self.app = error_response(Message("web.server_full"), 503, REFUSED)
            if len(self.connections) > self.limits.connections + FILES_KEPT // 2:
                transport.abort()
        self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the connection."""
        if self._network is not None:
            self.counts[self._network] -= 1
            if not self.counts[self._network]:
                del self.counts[self._network]
            self._network = None
        self._stop_head_timer()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read some bytes; if they begin a new request, its headers must arrive soon."""
        if self._head_bytes is not None:
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEAD_BYTES:
                self._close_with(b"431 Request Header Fields Too Large")
                return
        if self._idle and self._head_timer is None:
            self._start_head_timer()
        super().data_received(data)

    def on_message_begin(self) -> None:
        """Start counting the headers of a request."""
        self._head_bytes = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Let the application respond."""
        self._head_bytes = None
        self._stop_head_timer()
        if len(self.pipeline) >= MOST_PIPELINED:
            raise RuntimeError("too many requests are sent before an answer is read")  # the parser ends the connection
        super().on_headers_complete()

    def pause_writing(self) -> None:
        """Wait for a client that does not read, but not forever."""
        super().pause_writing()
        if self._write_timer is None:
            self._write_timer = self.loop.call_later(self.limits.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Continue to send."""
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
        if self._head_bytes is None:  # no request has begun
            self.transport.close()
        else:
            self._close_with(b"408 Request Timeout")

    def _close_with(self, status: bytes) -> None:
        """Respond to an incomplete request, and close the connection."""
        if self._idle and not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 " + status + b"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        self.transport.close()


def limited(limits: ConnectionLimits) -> type[Connection]:
    """Return a class of connections with some limits and its own count."""
    networks = tuple(ipaddress.ip_network(one) for one in limits.proxies)
    return type("LimitedConnection", (Connection,), {"limits": limits, "counts": Counter(), "trusted": networks})
