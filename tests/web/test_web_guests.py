"""Guests: whose cookie is whose, and how much of what they leave is kept, for how long, in both kinds of database."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import create_engine, update
from sqlalchemy.orm import Session
from web import PASSWORD, Served, begin

import ludus
from ludus.play.clock import Clock
from ludus.play.match import PlayerAnswer
from ludus.play.record import Record
from ludus.store import database_url, open_database, upgrade
from ludus.store.matches import Matches, MatchRow, StoredMatch
from ludus.web.accounts.cookies import SignedCookies
from ludus.web.jobs.workers import AsyncWorkers, Busy
from ludus.web.matches import arena as matches
from ludus.web.matches import live
from ludus.web.matches.arena import Arena
from ludus.web.matches.live import LiveMatch, NotAllowed, owner_of

GAME = "magnetic-cave"
COOKIE = "ludus_guest"
pytestmark = pytest.mark.anyio
INSERT = """INSERT INTO match (id, game, record, owners, version, rematch, finished, referee, touched)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""


def test_a_cookie_that_we_made_is_a_guest_and_no_other_is(tmp_path: Path) -> None:
    guests = SignedCookies(tmp_path)
    cookie = guests.new_guest()
    secret = cookie.rpartition(".")[0]
    assert guests.guest(cookie) == owner_of(secret) != ""
    assert SignedCookies(tmp_path).guest(cookie) == guests.guest(cookie), "the key is kept"
    assert SignedCookies(tmp_path / "another").guest(cookie) == "", "another arena has another key"
    for forged in (secret, f"{secret}.", f".{cookie}"[:-1], "admin", "", ".", "名.字", f"x{cookie}", cookie[:-1] + "!"):
        assert guests.guest(forged) == ""
    assert (tmp_path / "guest.key").stat().st_mode & 0o777 == 0o600
    (tmp_path / "guest.key").write_bytes(b"short")
    assert SignedCookies(tmp_path).guest(cookie) == "", "a key that is not valid is replaced"


def test_a_forged_cookie_is_ignored_and_a_new_one_is_made(served: Served) -> None:
    with served.client() as victim, served.client() as thief:
        match = begin(victim, GAME, "human", "human")
        secret = victim.cookies[COOKIE].rpartition(".")[0]
        path = f"/api/matches/{match['id']}"
        assert victim.get(path).json()["seats"][0]["you"]
        for forged in (secret, f"{secret}.{'A' * 24}", "chosen-by-me"):
            asked = {"Cookie": f"{COOKIE}={forged}"}
            assert not thief.get(path, headers=asked).json()["seats"][0].get("you", False)
            assert thief.post(f"{path}/moves", json={"move": "A1", "ply": 0}, headers=asked).status_code == 409
            answer = thief.post("/api/matches", json={"game": GAME, "seats": ["human", "human"]}, headers=asked)
            assert answer.status_code == 201
            made = answer.cookies[COOKIE]
            assert made and made != forged and not made.startswith(secret)
        body = {"name": "thief", "password": PASSWORD, "language": "en"}
        assert (
            thief.post("/api/account/sign-up", json=body, headers={"Cookie": f"{COOKIE}={secret}"}).status_code == 201
        )
        assert victim.get(path).json()["seats"][0]["you"], "signing in takes over no stranger's games"


def test_new_guests_from_one_address_have_a_limit(served: Served) -> None:
    """A program that forgets its cookie makes a guest each time."""
    body = {"game": GAME, "seats": ["human", "human"]}
    headers = {"X-Forwarded-For": "192.0.2.66"}
    with served.client() as kept:
        assert kept.post("/api/matches", json=body, headers=headers).status_code == 201
        with httpx.Client(base_url=served.address, timeout=60) as forgetful:
            statuses = []
            for _ in range(260):
                forgetful.cookies.clear()
                statuses.append(forgetful.post("/api/matches", json=body, headers=headers).status_code)
                if statuses[-1] == 429:
                    break
        assert statuses[-1] == 429 and len(statuses) >= 190, "a class comes in, a flood does not"
        assert kept.post("/api/matches", json=body, headers=headers).status_code == 201, "a guest who is known plays on"


def aged(database: Path | str, name: str, days: float) -> None:
    """Let nobody have touched a match for some days."""
    engine = open_database(database)
    with Session(engine) as session, session.begin():
        touched = datetime.now(UTC) - timedelta(days=days)
        session.execute(update(MatchRow).where(MatchRow.id == name).values(touched=touched))
    engine.dispose()


@contextlib.asynccontextmanager
async def an_arena(where: Path | str) -> Any:
    store = Matches(where)
    arena = Arena(store, AsyncWorkers(1), lambda _: {})
    try:
        yield arena, store
    finally:
        await arena.close()
        store.close()


async def begun(arena: Arena, owner: str, *seats: str) -> LiveMatch:
    first, second = seats or ("human", "human")
    return await arena.begin(ludus.game(GAME).initial(), (first, second), Clock(), owner, 1)


async def test_what_guests_leave_goes_by_age_and_number_and_nobody_elses(
    any_database: Path | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "IDLE_SECONDS", 0.0)
    monkeypatch.setattr(matches, "MOST_OF_GUEST", 3)
    monkeypatch.setattr(matches, "MOST_OF_GUESTS", 5)
    async with an_arena(any_database) as (arena, store):
        mine = [(await begun(arena, "ada")).name for _ in range(5)]
        assert [store.load(name) is not None for name in mine] == [False, False, True, True, True]
        account = [(await begun(arena, "account:1")).name for _ in range(5)]
        shared = await begun(arena, "ada", "human", "open")
        await arena.sit(shared, "account:1")
        brought = await arena.add(Record(ludus.game(GAME).initial(), ("a", "b")), "bob")
        kept = await arena.add(Record(ludus.game(GAME).initial(), ("a", "b")), "account:1")
        refereed = StoredMatch("referee00000", GAME, kept.match.record.text, [None, None], 1, None, True, "job")
        store.save(refereed)
        theirs = [*account, shared.name, kept.name, refereed.id]
        for name in (*theirs, mine[3], brought.name):
            aged(any_database, name, 91)
        await arena.tidy()
        assert all(store.load(name) is not None for name in theirs), "accounts and referees keep theirs"
        assert [store.load(name) is not None for name in (mine[3], brought.name)] == [False, False]
        assert await arena.find(mine[3]) is None
        many = [(await begun(arena, f"guest{number}")).name for number in range(6)]
        await arena.tidy()
        assert [store.load(name) is not None for name in many] == [False, *[True] * 5]
        assert all(store.load(name) is not None for name in theirs)


async def test_a_guests_games_become_the_accounts_and_stay(any_database: Path | str) -> None:
    async with an_arena(any_database) as (arena, store):
        one = await begun(arena, "ada")
        brought = await arena.add(Record(ludus.game(GAME).initial(), ("a", "b")), "ada")
        await arena.adopt("ada", "account:7")
        for name in (one.name, brought.name):
            aged(any_database, name, 1000)
        await arena.tidy()
        assert store.load(one.name) is not None and store.load(brought.name) is not None


async def test_a_match_in_use_stays_however_old(tmp_path: Path) -> None:
    async with an_arena(tmp_path / "arena.db") as (arena, store):
        one = await begun(arena, "ada")
        one.watching = 1
        aged(tmp_path / "arena.db", one.name, 1000)
        await arena.tidy()
        assert await arena.find(one.name) is one
        assert store.load(one.name) is not None


async def test_the_oldest_go_without_waiting_for_the_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "IDLE_SECONDS", 0.0)
    monkeypatch.setattr(matches, "MOST_OF_GUESTS", 10)
    monkeypatch.setattr(matches, "NEW_BETWEEN_TIDYINGS", 4)
    async with an_arena(tmp_path / "arena.db") as (arena, store):
        names = [(await begun(arena, f"guest{number}")).name for number in range(40)]
        assert sum(store.load(name) is not None for name in names) <= 14


async def test_games_under_way_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "MOST_UNDER_WAY", 3)
    async with an_arena(tmp_path / "arena.db") as (arena, _):
        games = [await begun(arena, "ada") for _ in range(3)]
        with pytest.raises(Busy, match="you have too many games in progress; finish or resign some"):
            await begun(arena, "ada")
        await arena.resign(games[0], "ada")
        following = await arena.rematch(games[0], "ada")
        with pytest.raises(Busy):
            await begun(arena, "ada")
        await begun(arena, "bob")
        for _ in range(5):
            await begun(arena, "account:1")
        monkeypatch.setattr(matches, "MOST_IN_MEMORY", 5)
        with pytest.raises(Busy, match="too many games are in progress"):
            await begun(arena, "eve")
        await begun(arena, "account:1")
        assert (await arena.rematch(games[0], "ada")) is following


async def test_accounts_have_limits_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wider ones, since programs play with tokens; their games are kept."""
    monkeypatch.setattr(matches, "MOST_OF_ACCOUNT_UNDER_WAY", 2)
    monkeypatch.setattr(matches, "MOST_BEGUN", 4.0)
    monkeypatch.setattr(matches, "BEGUN_PER_SECOND", 0.0)
    async with an_arena(tmp_path / "arena.db") as (arena, _):
        one, _ = [await begun(arena, "account:1") for _ in range(2)]
        with pytest.raises(Busy, match="finish or resign some"):
            await begun(arena, "account:1")
        for _ in range(2):
            await arena.resign(one, "account:1")
            one = await begun(arena, "account:1")
        await arena.resign(one, "account:1")
        with pytest.raises(Busy, match="too many requests"):
            await begun(arena, "account:1")
        await begun(arena, "account:2")


async def test_people_take_turns_however_many_games_they_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with an_arena(tmp_path / "arena.db") as (arena, _):
        askers, three = list[str](), asyncio.Event()

        async def answer(_workers: AsyncWorkers, asker: str, *_: object, **__: object) -> PlayerAnswer:
            askers.append(asker)
            if len(askers) == 3:
                three.set()
            await asyncio.Event().wait()
            raise AssertionError

        monkeypatch.setattr(AsyncWorkers, "play", answer)
        for owner in ("ada", "ada", "bob"):
            await begun(arena, owner, "engine:level=1", "human")
        await three.wait()
        assert sorted(askers) == ["ada", "ada", "bob"]


async def test_a_rematch_that_was_removed_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "IDLE_SECONDS", 0.0)
    async with an_arena(tmp_path / "arena.db") as (arena, _):
        one = await begun(arena, "ada")
        await arena.resign(one, "ada")
        following = await arena.rematch(one, "ada")
        aged(tmp_path / "arena.db", following.name, 1000)
        await arena.tidy()
        assert await arena.find(following.name) is None
        assert (await arena.rematch(one, "ada")).name != following.name
        with pytest.raises(NotAllowed):
            await arena.rematch(one, "bob")


def test_a_match_remembers_only_its_last_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever moves and takes back all day long fills no memory; whoever has seen an old change is shown everything."""
    monkeypatch.setattr(live, "MOST_CHANGES", 10)
    stored = StoredMatch(
        "a" * 12, GAME, Record(ludus.game(GAME).initial(), ("human", "human")).text, ["a", "a"], 1, None, False
    )
    match = LiveMatch.restore(stored)
    match.match.play("A1", 0.1)
    match.changed(0)
    for _ in range(25):
        match.match.play("A2", 0.1)
        match.changed(1)
        match.match.undo()
        match.changed(1)
    seen = [match.since(match.version - changes) for changes in range(12)]
    assert seen == [1] * 10 + [0] * 2, "the first ply stays for someone who knows one of the last ten versions"


def test_older_matches_of_guests_are_known_after_the_upgrade(tmp_path: Path) -> None:
    engine = create_engine(database_url(tmp_path / "arena.db"))
    upgrade(engine, "0008")
    with engine.begin() as connection:
        for name, owners, referee in (
            ("guest", '["abc", null]', None),
            ("account", '["account:1", "abc"]', None),
            ("job", "[null, null]", "job"),
        ):
            values = (name, GAME, "", owners, 1, None, True, referee, "2020-01-01 00:00:00.000000")
            connection.exec_driver_sql(INSERT, values)
    upgrade(engine)
    engine.dispose()
    store = Matches(tmp_path / "arena.db")
    assert store.prune(datetime.now(UTC), 10) == ["guest"]
    assert store.load("account") is not None and store.load("job") is not None
    store.close()
