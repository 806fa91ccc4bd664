"""Requests for other hosts: a stranger's page whose name points to this machine reaches nothing here."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from fastapi import HTTPException
from web import Served, serving

from ludus.web.http.hosts import Hosts, read_host_name


def asked(served: Served, host: str, path: str = "/api/games", **headers: str) -> httpx.Response:
    return httpx.get(served.address + path, headers={"Host": host, **headers})


def test_a_name_that_points_here_is_not_this_server(served: Served) -> None:
    """What a browser sends after DNS rebinding: to it, the page and this server are one site."""
    port = httpx.URL(served.address).port
    rebound = f"attacker.example:{port}"
    for path in ("/", "/api/games", "/api/account", "/static/page.js", "/healthz"):
        answer = asked(served, rebound, path, Origin=f"http://{rebound}")
        assert answer.status_code == 421
        assert answer.json()["detail"].startswith("this server is not attacker.example; open it under its own name")
    body = {"name": "rebound", "password": "correct horse"}
    headers = {"Host": rebound, "Origin": f"http://{rebound}", "X-Ludus": "1", "Sec-Fetch-Site": "same-origin"}
    assert httpx.post(f"{served.address}/api/account/sign-up", json=body, headers=headers).status_code == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.:8000", "127.0.0.1:1", "127.9.9.9", "[::1]:8000"])
def test_the_names_of_this_machine_are_its_own(served: Served, host: str) -> None:
    assert asked(served, host).status_code == 200


@pytest.mark.parametrize("host", ["", "a b", "user@localhost", "localhost/x", "localhost:x", "[::1", "[localhost]"])
def test_what_is_no_host_is_refused(served: Served, host: str) -> None:
    answer = asked(served, host)
    assert answer.status_code == 400
    assert "one Host header" in answer.json()["detail"]


def test_one_request_has_one_host() -> None:
    with pytest.raises(HTTPException) as refusal:
        Hosts().check([(b"host", b"localhost"), (b"host", b"attacker.example")], "127.0.0.1")
    assert refusal.value.status_code == 400
    with pytest.raises(HTTPException):
        Hosts().check([], "127.0.0.1")


@pytest.mark.parametrize(
    ("host", "server", "allowed"),
    [
        ("192.0.2.5", "192.0.2.5", True),
        ("192.0.2.6", "192.0.2.5", False),
        ("192.0.2.5", "::ffff:192.0.2.5", True),
        ("[2001:db8::5]:80", "2001:0db8::5", True),
        ("192.0.2.5", None, False),
        ("arena.example", "192.0.2.5", True),
        ("arena.example.attacker.example", "192.0.2.5", False),
        ("xn--p0t93q.example:443", "192.0.2.5", True),
    ],
)
def test_a_server_knows_its_address_and_the_names_it_was_given(host: str, server: str | None, allowed: bool) -> None:
    hosts = Hosts(["Arena.Example.", "弈林.example"])
    status = 200
    try:
        hosts.check([(b"host", host.encode())], server)
    except HTTPException as refusal:
        status = refusal.status_code
    assert status == (200 if allowed else 421)


@pytest.mark.parametrize("text", ["", "http://arena.example", "arena.example:80", "*.example", "a..b", "-a", "a b"])
def test_the_option_takes_names_only(text: str) -> None:
    with pytest.raises(ValueError, match="is not a host name; write for example "):
        read_host_name(text)


def test_serve_answers_to_the_names_it_is_given(tmp_path: Path) -> None:
    with serving(tmp_path / "arena.db", "--host-name", "arena.example") as server:
        assert asked(server, "arena.example").status_code == 200
        assert asked(server, "other.example").status_code == 421
