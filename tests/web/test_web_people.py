"""People in the arena: one's own games, profiles, the lobby, offers between two people, and their ratings."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import create_engine
from web import PASSWORD, Served, begin, follow, in_person

import ludus
from ludus.game import Outcome
from ludus.play.record import Record
from ludus.store import database_url, upgrade
from ludus.store.accounts import Accounts, owner_of_account
from ludus.store.matches import Matches, StoredMatch
from ludus.store.person_ratings import PersonRatings
from ludus.store.played import GameFilter, PlayedGames

GAME = "magnetic-cave"
CLOCK = "600+5"


def played(client: httpx.Client, name: str, *moves: str) -> dict[str, Any]:
    """Play moves of one client, and return the match as it then is."""
    view: dict[str, Any] = client.get(f"/api/matches/{name}").json()
    for move in moves:
        ply = len(client.get(f"/api/matches/{name}").json().get("plies", []))
        answer = client.post(f"/api/matches/{name}/moves", json={"move": move, "ply": ply})
        assert answer.status_code == 200, answer.text
    return view


def seated(one: httpx.Client, other: httpx.Client, **terms: Any) -> str:
    """Let one person offer a seat on the first side, and another take it; return the name of the match."""
    made = one.post("/api/lobby", json={"game": GAME, "clock": CLOCK, "side": "first", **terms})
    assert made.status_code == 201, made.text
    name = str(made.json()["id"])
    taken = other.post(f"/api/matches/{name}/seat", json={})
    assert taken.status_code == 200, taken.text
    return name


def test_a_guest_finds_the_own_games_and_nobody_else_does(served: Served) -> None:
    with served.client() as guest, served.client() as stranger:
        first = begin(guest, GAME, "human", "engine:level=2")["id"]
        both = begin(guest, "cantris", "human", "human")["id"]
        found = guest.get("/api/my/games").json()
        assert [one["id"] for one in found["games"]] == [both, first] and found["count"] == 2
        assert {one["result"] for one in found["games"]} == {"open"}
        assert [one["opponent"].get("here", False) for one in found["games"]] == [True, False]
        guest.post(f"/api/matches/{first}/resign", json={})
        results = {one["id"]: one["result"] for one in guest.get("/api/my/games").json()["games"]}
        assert results == {first: "lost", both: "open"}
        assert stranger.get("/api/my/games").json()["count"] == 0
        for query, ids in (
            ("game=cantris", [both]),
            ("result=lost", [first]),
            ("opponent=engine", [first]),
            ("opponent=self", [both]),
            ("opponent=person", []),
            ("name=2", [first]),
            ("name=level", [first]),
            ("name=%25", []),
            (f"since={datetime.now(UTC).date() + timedelta(2)}", []),
            (f"until={datetime.now(UTC).date() + timedelta(1)}&game=cantris", [both]),
            ("page=1", []),
        ):
            assert [one["id"] for one in guest.get(f"/api/my/games?{query}").json()["games"]] == ids, query
        assert guest.get("/api/my/games?since=yesterday").status_code == 422


def test_games_of_a_guest_come_along_and_go_with_the_account(served: Served, accounts: Accounts) -> None:
    with served.client() as client:
        name = begin(client, GAME, "human", "engine:level=1")["id"]
        body = {"name": "Newcomer", "password": PASSWORD, "language": "en"}
        assert client.post("/api/account/sign-up", json=body, headers={"X-Ludus": "1"}).status_code == 201
        assert [one["id"] for one in client.get("/api/my/games").json()["games"]] == [name]
        exported = client.get("/api/account/data").json()
        assert [one["id"] for one in exported["matches"]] == [name]
        assert exported["profile"] == {"public": True, "shows": ["games", "ratings", "bots"]}
        account = accounts.find("Newcomer")
        assert account is not None
        deleted = client.post("/api/account/delete", json={"password": PASSWORD}, headers={"X-Ludus": "1"})
        assert deleted.status_code == 200
        with contextlib.closing(PlayedGames(str(accounts.engine.url))) as games:
            assert games.find(owner_of_account(account.id), GameFilter()) == ([], 0)


def test_a_rated_game_counts_once_for_both_and_shows_on_the_profile(served: Served, accounts: Accounts) -> None:
    with in_person(served, accounts, "Rated One") as one, in_person(served, accounts, "Rated Two") as two:
        name = seated(one, two, rated=True)
        before = one.get(f"/api/matches/{name}").json()
        assert before["rated"]
        assert [(seat["rating"], seat.get("change")) for seat in before["seats"]] == [(1500, None)] * 2
        played(one, name, "A1")
        played(two, name, "H1")
        assert "takeback" not in one.get(f"/api/matches/{name}").json()["may"], "rated games take nothing back"
        assert two.post(f"/api/matches/{name}/resign", json={}).status_code == 200
        seats = one.get(f"/api/matches/{name}").json()["seats"]
        assert [(seat["rating"], seat["change"]) for seat in seats] == [(1617, 117), (1383, -117)]
        profiles = [one.get(f"/api/people/{who}").json() for who in ("Rated One", "Rated Two")]
        elos = [profile["ratings"][0]["points"][0]["rating"]["elo"] for profile in profiles]
        assert elos[0] > 1500 > elos[1]
        assert [game["result"] for game in profiles[0]["games"]["games"]] == ["won"]
        assert profiles[1]["totals"] == [{"game": GAME, "title": "Magnetic Cave", "won": 0, "drawn": 0, "lost": 1}]
        assert one.get("/api/my/games?name=rated%20tw").json()["count"] == 1, "found by a part of the name"
        points = profiles[0]["ratings"][0]["points"]
        assert [point["match"] for point in points] == [name]
        two.post("/api/profile", json={"public": True, "shows": ["ratings"]})
        points = one.get("/api/people/Rated Two").json()["ratings"][0]["points"]
        assert [point["match"] for point in points] == [None], "a rating does not lead to games that are not shown"


def test_a_game_that_ends_before_both_have_moved_is_not_rated(served: Served, accounts: Accounts) -> None:
    with in_person(served, accounts, "Early One") as one, in_person(served, accounts, "Early Two") as two:
        name = seated(one, two, rated=True)
        played(one, name, "A1")
        two.post(f"/api/matches/{name}/resign", json={})
        assert not one.get(f"/api/matches/{name}").json().get("rated", False)
        assert one.get("/api/people/Early One").json()["ratings"] == []


def test_rated_games_are_for_accounts_with_a_clock_and_the_usual_board(served: Served, accounts: Accounts) -> None:
    with served.client() as guest, in_person(served, accounts, "Ruled") as one:
        terms = {"game": GAME, "clock": CLOCK, "rated": True}
        assert guest.post("/api/lobby", json=terms).status_code == 409
        assert one.post("/api/lobby", json={**terms, "clock": "none"}).status_code == 400
        assert one.post("/api/lobby", json={**terms, "options": {"size": 6}}).status_code == 400
        name = one.post("/api/lobby", json=terms).json()["id"]
        assert "may" not in guest.get(f"/api/matches/{name}").json()
        assert guest.post(f"/api/matches/{name}/seat", json={}).status_code == 409
        assert one.post(f"/api/lobby/{name}/withdraw", json={}).status_code == 200
        assert one.get(f"/api/matches/{name}").status_code == 404


def test_a_profile_shows_what_its_owner_says(served: Served, accounts: Accounts) -> None:
    with in_person(served, accounts, "Shy") as shy, served.client() as stranger:
        begin(shy, GAME, "human", "engine:level=3")
        shown = stranger.get("/api/people/shy").json()
        assert (shown["levels"], shown["games"]["count"], shown["totals"]) == (None, 0, [])
        assert shy.post("/api/profile", json={"public": True, "shows": ["levels"]}).status_code == 200
        shown = stranger.get("/api/people/Shy").json()
        assert (shown["levels"], shown["games"], shown["ratings"], shown["bots"]) == ([], None, None, None)
        assert stranger.get("/api/people/Shy/games").status_code == 404
        shy.post("/api/profile", json={"public": False, "shows": []})
        assert stranger.get("/api/people/Shy").status_code == 404
        assert stranger.get("/person/Shy", headers={"Accept": "text/html"}).status_code == 404
        assert shy.get("/api/people/Shy").json()["mine"], "the owner sees it"
        assert shy.post("/api/profile", json={"public": True, "shows": ["password"]}).status_code == 422


def test_a_draw_and_a_takeback_are_offered_answered_and_recorded(served: Served) -> None:
    with served.client() as one, served.client() as two, served.client() as third:
        name = seated(one, two)
        path = f"/api/matches/{name}"
        assert one.post(f"{path}/offer", json={"what": "draw"}).status_code == 409, "not before both have moved"
        played(one, name, "A1")
        played(two, name, "H1")
        offered = two.post(f"{path}/offer", json={"what": "takeback"}).json()
        assert offered["offer"] == {"what": "takeback", "side": 1} and "withdraw" in offered["may"]
        assert "answer" in one.get(path).json()["may"]
        assert third.post(f"{path}/offer/answer", json={"accept": True}).status_code == 409
        after = one.post(f"{path}/offer/answer", json={"accept": True}).json()
        assert [ply["move"] for ply in after["plies"]] == ["A1"] and "offer" not in after
        played(two, name, "H2")
        one.post(f"{path}/offer", json={"what": "draw"})
        assert two.post(f"{path}/offer/answer", json={"accept": False}).status_code == 200
        assert one.post(f"{path}/offer", json={"what": "draw"}).status_code == 409, "not again at once"
        two.post(f"{path}/offer", json={"what": "draw"})
        played(one, name, "A2")
        assert "offer" not in two.get(path).json(), "a move withdraws it"
        played(two, name, "H3")
        one.post(f"{path}/offer", json={"what": "draw"})
        ended = two.post(f"{path}/offer/answer", json={"accept": True}).json()
        assert ended["position"]["outcome"]["reason"] == "agreed"
        record = Record.parse(one.get(f"{path}/record").text)
        assert record.outcome == (None, "agreed")
        ends = [words.rpartition(" ")[2] for words in record.headers["Offers"].split(", ")]
        assert ends == ["accepted", "declined", "withdrawn", "accepted"]


def test_the_lobby_shows_seats_pairs_people_and_has_limits(served: Served) -> None:
    with served.client() as one, served.client() as two:
        asked = {"game": "cantris", "clock": "none"}
        first = one.post("/api/lobby/pair", json=asked).json()
        assert first["waits"]
        assert one.post("/api/lobby/pair", json=asked).json() == first, "nobody plays themselves, or waits twice"
        seats: Any = follow(two, "/api/lobby/events", bool)[-1]
        assert [(seat["id"], seat.get("mine", False)) for seat in seats if seat["game"] == "cantris"] == [
            (first["id"], False)
        ]
        assert two.post("/api/lobby/pair", json=asked).json() == {"id": first["id"], "waits": False}
        assert one.get("/api/lobby").json() == []
        made = [one.post("/api/lobby", json={**asked, "game": GAME}).status_code for _ in range(4)]
        assert made == [201, 201, 201, 429]
        hidden = one.post("/api/lobby", json={**asked, "listed": False})
        assert hidden.status_code == 201 and hidden.json()["id"] not in {
            seat["id"] for seat in two.get("/api/lobby").json()
        }
        for seat in one.get("/api/lobby").json():
            assert two.post(f"/api/lobby/{seat['id']}/withdraw", json={}).status_code == 409
            assert one.post(f"/api/lobby/{seat['id']}/withdraw", json={}).status_code == 200
        assert one.get("/api/lobby").json() == []


def test_two_people_rate_a_few_games_a_day_against_each_other(served: Served, accounts: Accounts) -> None:
    with in_person(served, accounts, "Friend A") as one, in_person(served, accounts, "Friend B") as two:
        both = [accounts.find(name) for name in ("Friend A", "Friend B")]
        owners: list[str | None] = [owner_of_account(account.id) for account in both if account]
        record = Record(ludus.game(GAME).initial(), ("human", "human"))
        for move in ("A1", "H1"):
            record.play(move)
        record.outcome = Outcome(0, "resigned")
        with contextlib.closing(Matches(str(accounts.engine.url))) as matches:
            for number in range(12):
                stored = StoredMatch(f"rated{number:07}", GAME, record.text, owners, 1, None, True, rated=True)
                matches.save(stored)
                matches.save(stored)
        with contextlib.closing(PersonRatings(str(accounts.engine.url))) as ratings:
            assert len(ratings.history(both[0].id if both[0] else 0)) == 12, "each counts once"
        name = one.post("/api/lobby", json={"game": GAME, "clock": CLOCK, "rated": True}).json()["id"]
        refused = two.post(f"/api/matches/{name}/seat", json={})
        assert refused.status_code == 409 and "12 games" in refused.json()["detail"]


def test_games_of_older_versions_are_listed_after_the_upgrade(tmp_path: Path) -> None:
    engine = create_engine(database_url(tmp_path / "arena.db"))
    upgrade(engine, "0016")
    record = Record(ludus.game(GAME).initial(), ("human", "engine:level=4"))
    record.play("A1")
    values = ("a" * 12, GAME, record.text, '["someone", null]', 1, None, False, None, "2026-01-01 00:00:00.000000")
    with engine.begin() as connection:
        columns = "id, game, record, owners, version, rematch, finished, referee, touched"
        connection.exec_driver_sql(f"INSERT INTO match ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)  # noqa: S608
    upgrade(engine)
    engine.dispose()
    with contextlib.closing(PlayedGames(tmp_path / "arena.db")) as games:
        (row,), count = games.find("someone", GameFilter())
        assert (count, row.opponent, row.result, row.moves) == (1, "engine:level=4", "open", 1)
