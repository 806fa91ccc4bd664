"""Reading what strangers send: away from the server, within limits, and never in the way of other requests."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import readers_for_tests
from web import Served, signed_in

import ludus
from ludus.display import HARMFUL
from ludus.web.http import reading
from ludus.web.http.reading import AT_ONCE, in_worker, readers
from ludus.web.http.uploads import MOST_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

HEAD = '[Game "magnetic-cave"]\n'
WORST = {
    "blanks in a comment": f"{HEAD}1. A1 {{" + " " * 150_000 + "x" + " " * 20_000,
    "headers": HEAD + "".join(f'[H{number} "{number}"]\n' for number in range(8_000)) + "[",
    "tabs": HEAD + "\t" * 100_000 + "x",
    "openings": HEAD + "1. A1 " + "{" * 150_000,
    "rows": "1 2 " * 40_000,
}


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    with served.client() as client:
        yield client


def asked(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a reading process; the loop must turn meanwhile, and the next reading must succeed."""

    async def inside() -> Any:
        turns, pool = 0, readers()

        async def turn() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        turning = asyncio.create_task(turn())
        try:
            return await in_worker(pool, "someone", function, *arguments)
        finally:
            assert turns > 10
            turning.cancel()
            assert await in_worker(pool, "someone", readers_for_tests.echo, "next") == "next"
            pool.close()

    return asyncio.run(inside())


def test_a_reading_gives_its_answer_or_its_refusal() -> None:
    long = "a long text " * 100_000
    assert asked(readers_for_tests.echo, long) == long
    with pytest.raises(ValueError, match="line 1: this makes no sense"):
        asked(readers_for_tests.refuse, "this")


@pytest.mark.parametrize(
    "function", [readers_for_tests.never_end, readers_for_tests.fill_memory, readers_for_tests.die]
)
def test_a_reading_that_takes_too_much_is_refused(
    function: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "SECONDS", 3.0)
    with pytest.raises(ValueError, match="too much time or memory"):
        asked(function)


@pytest.mark.parametrize(("length", "here"), [(AT_ONCE, True), (AT_ONCE + 1, False)])
@pytest.mark.anyio
async def test_only_a_short_text_is_read_in_the_server(length: int, *, here: bool) -> None:
    with contextlib.closing(readers()) as pool:
        process = await reading.read_text(pool, "someone", readers_for_tests.own_process, "x" * length)
    assert (process == os.getpid()) is here


def long_record() -> str:
    played = ludus.play_match(ludus.game("magnetic-cave"), ("random:seed=1", "random:seed=2"))
    return played.text.replace("{", "{ " + "a remark " * 100, 1) + " " * AT_ONCE


def test_a_long_record_is_read_as_a_short_one(client: httpx.Client) -> None:
    answer = client.post("/api/imports", json={"game": "cantris", "text": long_record()})
    assert answer.status_code == 200, answer.text
    match = client.get(f"/api/matches/{answer.json()['match']}").json()
    assert match["frame"]["game"] == "magnetic-cave"
    kept = client.post("/api/records", json={"text": long_record()})
    assert kept.status_code == 201, kept.text
    assert kept.json()["frame"]["game"] == "magnetic-cave"
    wrong = f"{HEAD}1. A1 {{{'x' * AT_ONCE}}} A1"
    for bad in (
        client.post("/api/imports", json={"game": "cantris", "text": wrong}),
        client.post("/api/records", json={"text": wrong}),
    ):
        assert bad.status_code == 400
        assert "move 2 (by the second player) is illegal" in bad.json()["detail"]
    position = client.post("/api/imports", json={"game": "cantris", "text": "1212/" * AT_ONCE})
    assert position.status_code == 400


def test_a_text_that_is_too_long_is_refused_before_it_is_read(client: httpx.Client) -> None:
    answer = client.post("/api/imports", json={"game": "cantris", "text": " " * (MOST_TEXT + 1)})
    assert answer.status_code == 413
    assert f"at most {MOST_TEXT} characters" in answer.json()["detail"]


@pytest.mark.parametrize("name", WORST)
def test_other_requests_are_answered_while_the_worst_is_read(served: Served, name: str) -> None:
    answers: list[httpx.Response] = []

    def send() -> None:
        with served.client() as client:
            answers.append(client.post("/api/imports", json={"game": "cantris", "text": WORST[name]}))

    sending = [threading.Thread(target=send) for _ in range(4)]
    for one in sending:
        one.start()
    with served.client() as client:
        while any(one.is_alive() for one in sending):
            assert client.get("/healthz").text == "ok\n"
    assert [answer.status_code for answer in answers] == [400] * 4
    assert all("\n" not in answer.json()["detail"] for answer in answers)


def test_uploads_and_settings_are_read_away_from_the_server(served: Served, database: Path) -> None:
    deep = "a = " + "[" * 60_000
    with contextlib.closing(signed_in(served, database, f"reader-{os.getpid()}", "instructor")) as client:
        course = client.post("/api/courses", json={"preset": "nycu-cantris", "title": "Readers"}).json()["id"]
        answer = client.post(f"/api/courses/{course}/settings", json={"title": "Readers", "toml": deep})
        assert answer.status_code == 400
        assert "nested too deeply" in answer.json()["detail"]
        files = [{"name": "bot.toml", "text": deep}, {"name": "main.py", "text": ""}]
        answer = client.post("/api/bots", json={"name": "deep", "game": "cantris", "files": files})
        assert answer.status_code == 400
        assert "nested too deeply" in answer.json()["detail"]
        hostile = "class A { bool makeMove(); int getX(); " + "class a " * 8_000
        files = [{"name": "main.cpp", "text": hostile}]
        answer = client.post("/api/bots", json={"name": "hostile", "game": "chain-reaction", "files": files})
        assert answer.status_code == 201, answer.text


def strings(value: Any) -> Iterator[str]:
    """Return every text in a piece of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inside in value.items() if isinstance(value, dict) else value:
            yield from strings(list(inside) if isinstance(inside, tuple) else inside)


def test_no_record_steers_the_page(client: httpx.Client) -> None:
    evil = "\x1b[2J\x1b]0;owned\x07\r\b\x9b31m\u202eevil\u2066"
    text = f'[Game "magnetic-cave"]\n[First "{evil}"]\n[Second "b"]\n[Event "{evil}"]\n\n1. A1 {{1s {evil}}} H1\n*\n'
    for brought in (text, text + " " * AT_ONCE):
        name = client.post("/api/imports", json={"game": "cantris", "text": brought}).json()["match"]
        told = str(list(strings(client.get(f"/api/matches/{name}").json())))
        assert "evil" in told
        assert not any(map(HARMFUL.search, strings(client.get(f"/api/matches/{name}").json())))
