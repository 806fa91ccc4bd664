"""The arena as an attacker sees it: bodies, names and headers that are none, others' secrets, and limits of space."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import socket
import threading
import zipfile
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from patience import PATIENCE
from web import PASSWORD, Served, begin, in_person

import ludus
from ludus.bots.source import File
from ludus.play.clock import Clock
from ludus.play.match import Match
from ludus.rating.bradley_terry import Rating
from ludus.store import courses as courses_module
from ludus.store.accounts import Account, Accounts
from ludus.store.bots import BotStore, StoredBot
from ludus.store.bots import read_name as read_bot_name
from ludus.store.challenges import Challenges
from ludus.store.courses import CourseStore
from ludus.store.matches import Matches
from ludus.store.person_ratings import PersonRatings
from ludus.web.accounts.visitors import Visitor
from ludus.web.http import events
from ludus.web.http.routing import read_json
from ludus.web.jobs.workers import AsyncWorkers, Busy
from ludus.web.matches import lobby as lobby_module
from ludus.web.matches.arena import Arena
from ludus.web.matches.live import ARRIVAL_SECONDS, LiveMatch, NotAllowed
from ludus.web.matches.lobby import Lobby
from ludus.web.matches.lobby_routes import show as show_lobby
from ludus.web.matches.routes import MOST_LISTED

DEEP = "[" * 100_000 + "]" * 100_000


def asked(client: httpx.Client, path: str, body: str | bytes, kind: str = "application/json") -> httpx.Response:
    content = body if isinstance(body, bytes) else body.encode()
    return client.post(path, content=content, headers={"Content-Type": kind})


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Accounts]:
    with contextlib.closing(Accounts(tmp_path_factory.mktemp("names") / "arena.db")) as found:
        yield found


@pytest.fixture
def student(served: Served, accounts: Accounts) -> Iterator[httpx.Client]:
    with in_person(served, accounts, "a student") as client:
        yield client


@pytest.fixture
def teacher(served: Served, accounts: Accounts) -> Iterator[httpx.Client]:
    with in_person(served, accounts, "a teacher", "instructor") as client:
        yield client


@pytest.fixture
def course(teacher: httpx.Client) -> str:
    made = teacher.post("/api/courses", json={"preset": "nycu-cantris", "title": "x"})
    return f"/api/courses/{made.json()['id']}"


# Bodies


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (DEEP, "nested too deeply"),
        ('{"game":' + DEEP + "}", "nested too deeply"),
        ('{"game":"cantris","seats":["human","human"],"seed":' + "9" * 10_000 + "}", "a number that is too long"),
        ('{"name":"a","password":"b"}'.encode("utf-16"), "it is not UTF-8"),
        (b'{"game":"\xed\xa0\x80"}', "it is not UTF-8"),
        ('{"game":"cantris","seats":["human","x\\u0000"]}', "a character that no text can have"),
        ('{"game":"cantris","seats":["human","x\\ud800"]}', "a character that no text can have"),
        ('{"game":"cantris","seats":["human","human"],"options":{"\\u0000":1}}', "a character that no text can have"),
    ],
    ids=["deep", "deep field", "digits", "utf-16", "raw surrogate", "nul", "surrogate", "nul in a key"],
)
def test_a_body_that_cannot_be_read_is_one_sentence(served: Served, body: str | bytes, words: str) -> None:
    with served.client() as client:
        answer = asked(client, "/api/matches", body)
        assert answer.status_code == 400
        assert words in answer.json()["detail"]
        assert answer.json()["message"]["code"].startswith("web."), "so that a page has it in its own language"


@pytest.mark.parametrize(
    "body",
    ["[]", '"text"', "null", "1", '{"game":[],"seats":{}}', '{"game":"cantris","seats":"human"}', "{", "", "{}" * 9],
)
def test_json_of_another_kind_names_the_field(served: Served, body: str) -> None:
    with served.client() as client:
        assert asked(client, "/api/matches", body).status_code == 422


def test_an_upload_reads_its_own_body_as_carefully(student: httpx.Client) -> None:
    assert asked(student, "/api/bots", DEEP).status_code == 422
    files = '"files":[{"name":"a.py","text":"print(1)"}],"game":"cantris","name":"n"'
    for field in ("source", "protocol", "name"):
        body = json.dumps({"files": [{"name": "a.py", "text": "x"}], "game": "cantris", "name": "n", field: "a\0b"})
        assert asked(student, "/api/bots", body).status_code == 400
    assert asked(student, "/api/bots", "{" + files.replace("a.py", "../../a.py") + "}").status_code == 400
    bomb = nested_bomb()
    answer = student.post("/api/courses/999999/submissions", params={"name": "x.zip"}, content=bomb)
    assert answer.status_code == 404, "before it is unpacked"


def nested_bomb() -> bytes:
    """Return a zip of 16 kB with a million files of 60 MB in it."""
    made = zipped({"a.py": b"0" * (60 << 20)})
    for _ in range(6):
        made = zipped({f"{number}.zip": made for number in range(10)})
    return made


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def test_a_bomb_in_a_bomb_is_refused(student: httpx.Client, course: str) -> None:
    student.post(f"{course}/join", json={"student": "a student"})
    answer = student.post(f"{course}/submissions", params={"name": "x.zip"}, content=nested_bomb())
    assert answer.status_code == 400
    assert "more than 8 archives" in answer.json()["detail"]


def test_json_is_read_as_usual_where_nothing_is_wrong() -> None:
    assert read_json(b'{"a": ["\\u4e2d", "\\ud83d\\ude00", 1.5, null, {"b": true}]}') == {
        "a": ["中", "😀", 1.5, None, {"b": True}]
    }


# Addresses, names and headers


@pytest.mark.parametrize(
    "path",
    ["/api/opponents/x%00", "/api/ladders/%00", "/api/positions?game=%00", "/match/%00", "/static/%00", "/api/%00"],
)
def test_no_address_has_a_nul(served: Served, path: str) -> None:
    answer = httpx.get(served.address + path)
    assert answer.status_code == 400
    assert "a character that no text can have" in answer.json()["detail"]


@pytest.mark.parametrize("path", ["/static/..%2f..%2fapp.py", "/static/../app.py", "/courses/99999999999999999999"])
def test_addresses_lead_nowhere_else(served: Served, path: str) -> None:
    assert httpx.get(served.address + path).status_code == 404


def test_the_name_of_a_file_is_no_header_and_no_path(student: httpx.Client, course: str) -> None:
    student.post(f"{course}/join", json={"student": "a student"})
    for name in ('a"\r\nSet-Cookie: stolen=1; x=".py', "../../../../etc/passwd", "..\\..\\x.py", "é\u202ecod.py"):
        made = student.post(f"{course}/submissions", params={"name": name}, content=b"x = 1\n")
        assert made.status_code == 201, made.text
        answer = student.get(f"{course}/submissions/{made.json()['id']}")
        assert answer.status_code == 200
        assert not answer.cookies
        disposition = answer.headers["content-disposition"]
        assert disposition.startswith("attachment; filename*=UTF-8''")
        assert "%2F" not in disposition and "%0D" not in disposition and "%E2%80%AE" not in disposition
    assert student.post(f"{course}/submissions", params={"name": "..."}, content=b"x").status_code == 400


def test_answers_are_for_this_site_and_for_no_cache(served: Served, student: httpx.Client) -> None:
    private = ("/api/account", "/api/account/data", "/api/account/tokens", "/api/courses", "/api/bots")
    for path in private:
        answer = student.get(path)
        assert answer.status_code == 200, path
        assert answer.headers["cache-control"] == "no-store", path
    for path in (*private, "/", "/static/page.js", "/healthz", "/nowhere"):
        headers = student.get(path).headers
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "access-control-allow-origin" not in headers
    preflight = httpx.options(
        f"{served.address}/api/account/tokens",
        headers={"Origin": "https://attacker.example", "Access-Control-Request-Headers": "x-ludus"},
    )
    assert "access-control-allow-origin" not in preflight.headers, "so no other site may send the header X-Ludus"


def test_a_failure_says_nothing_about_the_server(served: Served) -> None:
    for path in (
        "/api/nowhere",
        "/nowhere",
        "/api/matches/x",
        "/static/nowhere.js",
        "/api/positions?game=x&position=y",
    ):
        text = httpx.get(served.address + path, headers={"Accept": "application/json"}).text
        assert not any(word in text for word in ("Traceback", "/src/", "site-packages", ".py", "arena.db")), text


def test_a_web_socket_is_no_way_in(served: Served) -> None:
    url = httpx.URL(served.address)
    with socket.create_connection((url.host, url.port), PATIENCE) as made:
        upgrade = (
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n"
        )
        made.sendall(f"GET /api/account HTTP/1.1\r\nHost: localhost\r\n{upgrade}\r\n".encode())
        said = made.recv(1 << 16)
    assert said.startswith(b"HTTP/1.1 ")
    assert b" 101 " not in said.splitlines()[0]


UNSAFE = ("POST", "PUT", "PATCH", "DELETE")


@pytest.mark.parametrize("method", UNSAFE)
def test_every_way_to_change_something_is_refused_to_other_sites(
    served: Served, accounts: Accounts, method: str
) -> None:
    """Whether there is such a route or not: a new one is covered before it is written."""
    with in_person(served, accounts, "a victim") as victim:
        for path in ("/api/account/sign-out", "/api/matches", "/api/nowhere", "/"):
            for foreign in (
                {"Origin": "https://attacker.example"},
                {"Origin": "null"},
                {"Origin": "http://[", "Sec-Fetch-Site": "none"},
                {"Sec-Fetch-Site": "same-site"},
                {"Sec-Fetch-Site": "cross-site"},
            ):
                assert victim.request(method, path, json={}, headers=foreign).status_code == 403
        assert victim.get("/api/account").json()["name"] == "a victim"


# What belongs to others


def passed_bot(bots: BotStore, owner: Account | None, name: str) -> StoredBot:
    """Add a bot whose version has passed its check."""
    assert owner is not None
    bot = bots.add(owner.id, "cantris", name)
    bots.add_version(bot.id, {"bot.py": File(b"x")}, "python", "python")
    bots.change_version(bot.id, 1, state="passed")
    return bot


def test_a_private_bot_s_challenges_are_not_shown_to_others(
    served: Served, accounts: Accounts, database: Path, student: httpx.Client, teacher: httpx.Client
) -> None:
    with contextlib.closing(BotStore(database)) as bots, contextlib.closing(Challenges(database)) as challenges:
        bot = passed_bot(bots, accounts.find("a student"), "Top secret")
        made = challenges.add("cantris", (bot.id, 1), ("random", None), rated=False, pairs=1, clock="3/move")
        path = f"/api/challenges/{made.id}"
        with in_person(served, accounts, "a stranger") as stranger, served.client() as guest:
            for nosy in (stranger, guest):
                assert "Top secret" not in nosy.get("/api/ladders/cantris").text
                assert nosy.get(path).status_code == 404
                assert nosy.get(f"{path}/events").status_code == 404
            for allowed in (student, teacher):
                assert "Top secret" in allowed.get("/api/ladders/cantris").text
                assert allowed.get(path).status_code == 200
            bots.publish(bot.id, public=True)
            assert guest.get(path).status_code == 200
            assert "Top secret" in guest.get("/api/ladders/cantris").text
        challenges.finish(made.id, None)


def test_a_match_with_a_private_bot_is_listed_for_no_stranger(
    served: Served, accounts: Accounts, database: Path, student: httpx.Client
) -> None:
    with contextlib.closing(BotStore(database)) as bots:
        bot = passed_bot(bots, accounts.find("a student"), "Hidden")
    match = begin(student, "cantris", "human", bot.text)["id"]
    with contextlib.ExitStack() as watched, served.client() as guest:
        watch(watched, student, match)
        assert match in student.get("/api/matches").text
        assert "Hidden" in student.get("/api/matches").text
        assert match not in guest.get("/api/matches").text
        assert "Hidden" not in guest.get("/api/matches").text


def watch(watched: contextlib.ExitStack, client: httpx.Client, match: str) -> None:
    """Follow a match until the stack is left: a stream ends with whoever reads its lines, not with its response."""
    lines = watched.enter_context(client.stream("GET", f"/api/matches/{match}/events")).iter_lines()
    watched.callback(id, lines)  # keeps the lines, and with them the stream, until the stack is left
    next(lines)


def test_private_matches_take_no_public_one_s_place_in_the_list(
    served: Served, accounts: Accounts, database: Path, student: httpx.Client
) -> None:
    """The list is short: what a person may not see must not fill it."""
    with contextlib.closing(BotStore(database)) as bots:
        bot = passed_bot(bots, accounts.find("a student"), "Crowd")
    with contextlib.ExitStack() as watched, served.client() as guest:
        public = begin(guest, "cantris", "human", "greedy")["id"]
        watch(watched, guest, public)
        for _ in range(MOST_LISTED):
            watch(watched, student, begin(student, "cantris", "human", bot.text)["id"])
        assert [match["id"] for match in guest.get("/api/matches").json()] == [public]
        assert len(student.get("/api/matches").json()) == MOST_LISTED


def test_two_who_sit_down_at_once_share_no_seat(served: Served) -> None:
    with served.client() as owner, contextlib.ExitStack() as leaving:
        match = begin(owner, "cantris", "human", "open")["id"]
        guests = [leaving.enter_context(served.client()) for _ in range(6)]
        with ThreadPoolExecutor(6) as threads:
            path = f"/api/matches/{match}/seat"
            statuses = list(threads.map(lambda guest: guest.post(path, json={}).status_code, guests))
        assert sorted(statuses) == [200] + [409] * 5
        seats = [guest.get(f"/api/matches/{match}").json()["seats"][1].get("you", False) for guest in guests]
        assert seats.count(True) == 1


@pytest.mark.anyio
async def test_a_seat_that_is_being_withdrawn_is_nobody_s_any_more(tmp_path: Path) -> None:
    arena = Arena(Matches(tmp_path / "arena.db"), AsyncWorkers(1), lambda _: {})
    start = ludus.game("cantris").initial()
    seat = await arena.begin(start, ("human", "open"), Clock(), "account:1", 1, listed=True)
    withdrawing = asyncio.create_task(arena.close_seat(seat))
    await asyncio.sleep(0)
    with pytest.raises(NotAllowed):
        await arena.sit(seat, "account:2")
    assert await arena.find(seat.name) is None
    await withdrawing
    await arena.close()


@pytest.mark.anyio
async def test_nobody_fills_the_lobby_alone_and_seats_that_were_left_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena = Arena(Matches(tmp_path / "arena.db"), AsyncWorkers(1), lambda _: {})
    lobby = Lobby(arena, PersonRatings(tmp_path / "arena.db"))
    start = ludus.game("cantris").initial()

    async def offer(owner: str, address: str) -> LiveMatch:
        lobby.admit(owner, address)
        return await arena.begin(start, ("human", "open"), Clock.parse("60"), owner, 1, listed=True, address=address)

    monkeypatch.setattr(lobby_module, "MOST_OF_ADDRESS", 4)
    seats = [await offer(f"guest {number}", "192.0.2.1") for number in range(4)]
    with pytest.raises(Busy):
        await offer("another guest", "192.0.2.1")
    await offer("another guest", "192.0.2.2")
    for seat in seats:  # nobody came to their pages
        seat.turn_began -= ARRIVAL_SECONDS
    seats[0].arrive("guest 0")
    assert [seats[0].name in (seat.name for seat in lobby.seats()), len(lobby.seats())] == [True, 2]
    await offer("guest 1", "192.0.2.1")
    await arena.close()


@pytest.mark.anyio
async def test_the_lobby_is_read_while_seats_come_and_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seats are looked at where they change; ratings are read beside it, and a seat may be taken meanwhile."""
    arena, ratings = Arena(Matches(tmp_path / "arena.db"), AsyncWorkers(1), lambda _: {}), PersonRatings(tmp_path / "x")
    start = ludus.game("cantris").initial()
    seat = await arena.begin(start, ("human", "open"), Clock.parse("60"), "account:1", 1, listed=True)
    threads, seats = set[int](), arena.seats

    def look() -> list[LiveMatch]:
        threads.add(threading.get_ident())
        return seats()

    def read(_accounts: list[int], _game: str) -> dict[int, Rating]:
        seat.match.record.players = ("human", "human")
        return {1: Rating(1600.0, 1500.0, 1700.0, 3)}

    monkeypatch.setattr(arena, "seats", look)
    monkeypatch.setattr(ratings, "current", read)
    services: Any = SimpleNamespace(lobby=Lobby(arena, ratings))
    (shown,) = await show_lobby(services, Visitor("somebody"))
    assert (shown.id, shown.rating) == (seat.name, 1600.0)
    assert threads == {threading.get_ident()}
    await arena.close()


@pytest.mark.anyio
async def test_nobody_is_shown_what_somebody_else_may_do(tmp_path: Path) -> None:
    """What is written once for all who see the same: a guest may not sit down in a rated game, an account may."""
    arena = Arena(Matches(tmp_path / "arena.db"), AsyncWorkers(1), lambda _: {})
    start, clock = ludus.game("cantris").initial(), Clock.parse("60")
    seat = await arena.begin(start, ("human", "open"), clock, "account:1", 1, rated=True, listed=True)
    assert ['"sit"' in seat.json(who, 0) for who in ("a guest", "account:2", "a guest")] == [False, True, False]
    await arena.close()


@pytest.mark.anyio
async def test_two_people_rate_no_more_games_by_playing_them_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby_module, "MOST_RATED_A_DAY", 2)
    arena = Arena(Matches(tmp_path / "arena.db"), AsyncWorkers(1), lambda _: {})
    lobby = Lobby(arena, PersonRatings(tmp_path / "arena.db"))
    start, clock = ludus.game("cantris").initial(), Clock.parse("60")
    games = [await arena.begin(start, ("human", "open"), clock, "account:1", number, rated=True) for number in range(3)]
    for game in games[:2]:
        await lobby.take(game, "account:2")
    with pytest.raises(NotAllowed, match="2 games"):
        await lobby.take(games[2], "account:2")
    await lobby.take(games[2], "account:3")
    await arena.close()


@pytest.mark.usefixtures("student")
def test_an_imported_record_says_nothing_of_a_bot_of_ours(served: Served, accounts: Accounts, database: Path) -> None:
    """Neither its name, which may be private, nor that it has played."""
    owner = accounts.find("a student")
    assert owner is not None
    with contextlib.closing(BotStore(database)) as bots:
        bot = bots.add(owner.id, "cantris", "Incognito")
    record = Match(ludus.game("cantris").initial(1), (bot.text, f"{bot.text}@1")).record
    with served.client() as guest:
        match = guest.post("/api/records", json={"text": record.text})
        assert match.status_code == 201
        assert [seat["player"] for seat in match.json()["seats"]] == ["?", "?"]
        assert "Incognito" not in match.text + guest.get(f"/api/matches/{match.json()['id']}/record").text


@pytest.mark.usefixtures("student")
def test_a_bot_that_has_become_private_plays_strangers_no_more(
    served: Served, accounts: Accounts, database: Path
) -> None:
    with contextlib.closing(BotStore(database)) as bots, served.client() as guest:
        bot = passed_bot(bots, accounts.find("a student"), "Retired")
        bots.publish(bot.id, public=True)
        name = begin(guest, "cantris", "human", bot.text)["id"]
        guest.post(f"/api/matches/{name}/resign", json={})
        bots.publish(bot.id, public=False)
        again = guest.post(f"/api/matches/{name}/rematch", json={})
        assert again.status_code == 400 and "no player" in again.json()["detail"]


def test_one_name_makes_one_account_however_many_ask_at_once(served: Served, accounts: Accounts) -> None:
    body = {"name": "Contested", "password": PASSWORD}
    with ThreadPoolExecutor(5) as threads:
        sent = threads.map(lambda _: httpx.post(f"{served.address}/api/account/sign-up", json=body), range(5))
        assert sorted(answer.status_code for answer in sent) == [201] + [400] * 4
    assert accounts.find("Contested") is not None


@pytest.mark.parametrize(
    "name",
    [
        "Ada\ufe0f",
        "Ada\u034f",
        "A\u1160da",
        "\u0410da Lovelace",
        "Ad\u03b1",
        "\u3164Ada",
        "b\u0585b",
        "\u13aada",
        "Ad" + 5 * "a\u0301\u0323\u0331\u0338\u030f",
    ],
    ids=ascii,
)
def test_a_name_that_looks_like_another_is_refused(store: Accounts, name: str) -> None:
    with pytest.raises(ValueError, match="this name could be taken for another one"):
        store.add(name, PASSWORD)
    with pytest.raises(ValueError, match="could be taken for another one"):
        read_bot_name(name)


@pytest.mark.parametrize("name", ["\u2800", "Ada\u2800"], ids=ascii)
def test_a_bot_s_name_can_be_seen(name: str) -> None:
    with pytest.raises(ValueError, match="could be taken for another one"):
        read_bot_name(name)


@pytest.mark.parametrize(
    "name", ["Αθηνά", "Жанна", "नीला", "林小明", "Ana-María", "김철수", "שלום", "กุ้ง", "Nguyễn Thị"]
)
def test_names_in_one_script_are_names(store: Accounts, name: str) -> None:
    assert store.add(name, PASSWORD).name == name
    assert read_bot_name(name) == name


async def endless() -> AsyncIterator[str]:
    try:
        while True:
            yield "data: x\n\n"
            await asyncio.sleep(0)
    finally:
        ENDED.append("ended")


ENDED: list[str] = []


@pytest.mark.anyio
async def test_a_stream_ends_so_that_who_follows_it_must_still_be_allowed_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "LONGEST_SECONDS", 0.05)
    parts = [part async for part in events.stream(endless()).body_iterator]
    assert parts
    assert ENDED == ["ended"], "and what it counts is counted back"


# Space


def test_a_student_cannot_fill_the_disk(any_database: Path | str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(courses_module, "MOST_BYTES", 1000)
    with contextlib.closing(CourseStore(any_database)) as store:
        course = store.add(1, "x", "", "", None)
        store.hand_in(course, 7, "a.py", b"x" * 900)
        with pytest.raises(ValueError, match="all your submissions to this course have"):
            store.hand_in(course, 7, "b.py", b"x" * 200)
        store.hand_in(course, 8, "b.py", b"x" * 200)


@pytest.mark.anyio
async def test_strangers_who_come_and_go_wake_nobody() -> None:
    """Every page of a match would be sent to everybody, again and again."""
    live = LiveMatch("name", Match(ludus.game("cantris").initial(), ("human", "human")), ["first", "second"])
    news = live.news
    for number in range(3):
        live.arrive(f"guest:{number}")
        live.depart(f"guest:{number}")
    assert not news.is_set()
    live.arrive("first")
    assert news.is_set()
    assert live.watching == 1
