"""Connections that are left half done, that come in crowds, or that are slow: a real server with small limits."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from patience import PATIENCE, until
from uvicorn import Config
from uvicorn.server import ServerState
from web import Served, begin, running_server, serving

from ludus.web.http.connections import ConnectionLimits, limited, most_connections, network_of, read_proxy

SERVER = """
import sys
from pathlib import Path
from ludus.web.app import serve
from ludus.web.http.connections import ConnectionLimits
from ludus.web.settings import ServerSettings

folder = Path(sys.argv[1])
settings = ServerSettings(ConnectionLimits(**eval(sys.argv[2])))
serve(folder / "arena.db", folder, "127.0.0.1", 0, 2, lambda at: print(at, flush=True), settings)
"""


def limited_server(folder: Path, **limits: object) -> contextlib.AbstractContextManager[Served]:
    """Run a server with limits of its own; what is sent from here may say that it comes through a proxy."""
    limits = {"proxies": ("127.0.0.1",), **limits}
    return running_server(["-c", SERVER, str(folder), repr(limits)], folder / "log")


def connected(server: Served) -> socket.socket:
    """Open a connection."""
    url = httpx.URL(server.address)
    return socket.create_connection((url.host, url.port), PATIENCE)


def everything(made: socket.socket) -> bytes:
    """Read until the other side ends the connection."""
    read = b""
    with contextlib.suppress(ConnectionError):
        while data := made.recv(1 << 16):
            read += data
    return read


def healthy(made: socket.socket) -> bool:
    """Ask whether the server is well, and tell whether it said so; the connection stays open."""
    made.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    read = b""
    while not read.endswith(b"\r\n\r\nok\n") and (some := made.recv(1 << 16)):
        read += some
    return b"HTTP/1.1 200 " in read


def drip(made: socket.socket, data: bytes, pause: float = 0.1) -> bytes:
    """Send a little now and then until the other side ends the connection, and give what it said."""
    made.settimeout(pause)
    read, ends = b"", time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        with contextlib.suppress(ConnectionError):
            made.sendall(data)
        try:
            if not (some := made.recv(1 << 16)):
                return read
            read += some
        except TimeoutError:
            continue
        except ConnectionError:
            return read
    raise AssertionError("it listens for ever")


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that waits for half a second at most."""
    seconds = {"head_seconds": 0.5, "body_seconds": 0.5, "idle_seconds": 1, "write_seconds": 1.0}
    with limited_server(tmp_path_factory.mktemp("impatient"), **seconds, slowest_body=1e6) as server:
        yield server


def test_a_connection_that_says_nothing_ends(impatient: Served) -> None:
    with connected(impatient) as made:
        assert everything(made) == b""


def test_headers_that_trickle_are_not_waited_for(impatient: Served) -> None:
    with connected(impatient) as made:
        made.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
        assert drip(made, b"X-Long: x\r\n").startswith(b"HTTP/1.1 408 ")
    with connected(impatient) as made:
        made.sendall(b"GET /heal")
        assert drip(made, b"t").startswith(b"HTTP/1.1 408 ")


def test_the_next_request_on_a_connection_is_not_waited_for_either(impatient: Served) -> None:
    with connected(impatient) as made:
        assert healthy(made)
        assert drip(made, b"\r\n") == b""
    with connected(impatient) as made:
        assert healthy(made)
        made.sendall(b"GET /healthz HTTP/1.1\r\n")
        assert b"HTTP/1.1 408 " in drip(made, b"X: y\r\n")


def test_an_idle_connection_ends(impatient: Served) -> None:
    with connected(impatient) as made:
        made.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert everything(made).count(b"HTTP/1.1 200") == 1


@pytest.mark.parametrize("kind", [b"Content-Length: 1000", b"Transfer-Encoding: chunked"])
def test_a_body_that_trickles_is_refused(impatient: Served, kind: bytes) -> None:
    with connected(impatient) as made:
        made.sendall(
            b"POST /api/matches HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + kind + b"\r\n\r\n"
        )
        said = drip(made, b"1\r\nx\r\n" if b"chunked" in kind else b"x")
    assert said.startswith(b"HTTP/1.1 408 ")
    assert b"the request took too long to arrive; try again" in said


def test_a_body_without_its_length_is_counted_and_refused_before_it_has_all_come(impatient: Served) -> None:
    """It goes on for as long as it is listened to: that is not long."""
    with connected(impatient) as made:
        made.sendall(b"POST /api/matches HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        said, sent = b"", 0
        made.settimeout(PATIENCE)
        with contextlib.suppress(ConnectionError):
            while sent < 64 << 20 and b"\r\n\r\n" not in said:
                made.sendall(chunk)
                sent += len(chunk)
                made.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    said += made.recv(1 << 16)
                made.settimeout(PATIENCE)
        with contextlib.suppress(ConnectionError):
            said += everything(made)
    assert sent < 64 << 20
    assert not said or b"HTTP/1.1 413 " in said  # the answer may be lost where more was sent meanwhile


def test_endless_headers_are_refused(impatient: Served) -> None:
    with connected(impatient) as made:
        made.sendall(b"GET /healthz HTTP/1.1\r\nX-Long: ")
        assert b"HTTP/1.1 431 " in drip(made, b"x" * 2000, pause=0.001)


class Unread(asyncio.Transport):
    """The transport of a client that reads nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.aborted = asyncio.Event()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("192.0.2.1", 1) if name == "peername" else default

    def abort(self) -> None:
        self.aborted.set()


@pytest.mark.anyio
async def test_an_answer_that_nobody_reads_is_not_kept() -> None:
    protocol = limited(ConnectionLimits(write_seconds=0.05))
    reads, stands_still = Unread(), Unread()
    for transport in (reads, stands_still):
        made = protocol(Config(lambda: None), ServerState(), {})
        made.connection_made(transport)
        made.pause_writing()
        if transport is reads:
            made.resume_writing()
    await asyncio.wait_for(stands_still.aborted.wait(), PATIENCE)
    assert not reads.aborted.is_set(), "it reads again"
    made.connection_lost(ConnectionError())
    assert sum(made.counts.values()) == 1


def test_requests_that_wait_behind_another_have_a_limit(impatient: Served) -> None:
    """Thousands fit into what is read at once, and each would take memory."""
    asked = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connected(impatient) as made:
        made.sendall(asked * 10)
        said = everything(made)
    assert said.count(b"HTTP/1.1 200 ") == 10
    with connected(impatient) as made:
        with contextlib.suppress(ConnectionError):
            made.sendall(asked * 3000)
        said = everything(made)
    assert said.count(b"HTTP/1.1 200 ") < 100


def test_streams_of_one_address_are_capped_and_go_on_when_one_ends(tmp_path: Path) -> None:
    with limited_server(tmp_path, per_address=4) as server, server.client() as client, contextlib.ExitStack() as stack:
        path = f"/api/matches/{begin(client, 'cantris', 'human', 'human')['id']}/events"
        opened = []
        for _ in range(4):
            one = stack.enter_context(contextlib.ExitStack())
            assert one.enter_context(client.stream("GET", path)).status_code == 200
            opened.append(one)
        refused = client.get("/api/games")
        assert refused.status_code == 429
        assert refused.json()["detail"] == "too many pages are open from your network; close some and try again"
        assert refused.headers["retry-after"]
        elsewhere = {"X-Forwarded-For": "192.0.2.7"}
        assert client.get("/api/games", headers=elsewhere).status_code == 200, "the proxy is this machine"
        opened[0].close()
        until(lambda: client.get("/api/games").status_code == 200)


def test_ipv6_addresses_of_one_network_count_as_one(tmp_path: Path) -> None:
    with limited_server(tmp_path, per_address=2) as server, server.client() as client, contextlib.ExitStack() as stack:
        path = f"/api/matches/{begin(client, 'cantris', 'human', 'human')['id']}/events"
        for number in range(2):
            headers = {"X-Forwarded-For": f"2001:db8:0:1::{number}"}
            assert stack.enter_context(client.stream("GET", path, headers=headers)).status_code == 200
        for address, status in (("2001:db8:0:1:ffff::9", 429), ("2001:db8:0:2::9", 200)):
            assert client.get("/api/games", headers={"X-Forwarded-For": address}).status_code == status


def test_nobody_s_forwarded_address_is_believed_unless_a_proxy_is_configured(tmp_path: Path) -> None:
    """Whoever can choose the address that is counted has no limit, and uses up the limits of others."""
    limits = {"per_address": 2, "proxies": ()}
    with limited_server(tmp_path, **limits) as server, server.client() as client, contextlib.ExitStack() as stack:
        path = f"/api/matches/{begin(client, 'cantris', 'human', 'human')['id']}/events"
        for number in range(2):
            headers = {"X-Forwarded-For": f"192.0.2.{number}", "Forwarded": f"for=192.0.2.{number}"}
            assert stack.enter_context(client.stream("GET", path, headers=headers)).status_code == 200
        assert client.get("/api/games", headers={"X-Forwarded-For": "192.0.2.9"}).status_code == 429


def test_connections_are_capped_by_address_and_in_all(tmp_path: Path) -> None:
    ask = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for limits, status, code in (
        ({"per_address": 2, "proxies": ("192.0.2.1",)}, b"429", b"web.too_many_connections"),
        ({"connections": 4}, b"503", b"web.server_full"),
    ):
        with limited_server(tmp_path, **limits) as server, contextlib.ExitStack() as stack:
            many = [stack.enter_context(connected(server)) for _ in range(4)]
            for one in many:
                assert healthy(one)
            late = stack.enter_context(connected(server))
            late.sendall(ask)
            said = everything(late)
            assert said.startswith(b"HTTP/1.1 " + status) and code in said
            many[0].close()
            until(lambda: healthy(stack.enter_context(connected(server))))


def test_addresses_are_counted_by_network() -> None:
    assert network_of("192.0.2.1") == "192.0.2.1" == network_of("::ffff:192.0.2.1")
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1") != network_of("2001:db8:0:1::1")
    assert network_of("fe80::1%eth0") == network_of("fe80::2")
    assert network_of("?") == "?"


def test_proxies_are_addresses_or_networks() -> None:
    assert read_proxy("10.0.0.2") == "10.0.0.2"
    assert read_proxy("fd00::/8") == "fd00::/8"
    with pytest.raises(ValueError, match="'front' is not an IP address or network; write for example"):
        read_proxy("front")


def test_there_are_never_more_connections_than_files_may_be_open() -> None:
    assert most_connections(10) == 10
    assert 1 <= most_connections(10**9) < 10**9
    assert limited(ConnectionLimits()).counts is not limited(ConnectionLimits()).counts


def test_serve_takes_the_limit_from_its_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_PER_ADDRESS", "1")
    with serving(tmp_path / "arena.db") as served, served.client() as client:
        path = f"/api/matches/{begin(client, 'cantris', 'human', 'human')['id']}/events"
        with client.stream("GET", path) as stream:
            assert stream.status_code == 200
            assert client.get("/api/games").status_code == 429
