"""Tournaments of the web arena without a browser: made, followed, stopped, changed with a reason, downloaded."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import postgres
import pytest
from patience import until
from web import Served, follow, serving, signed_in

import ludus
from ludus.bots.source import File
from ludus.messages import Message
from ludus.play.result import GameResult
from ludus.store import Ledger
from ludus.store.accounts import Accounts
from ludus.store.bots import BotStore
from ludus.store.matches import Matches, StoredMatch, board_name
from ludus.store.tournaments import Tournaments

SLOW = "engine:seconds=0.03"
"""Takes more than a second for a game against itself, so that something can be done in the middle."""
SLOWER = "engine:seconds=0.15"
LONG: dict[str, Any] = {"game": "chain-reaction", "options": {}}


@pytest.fixture(scope="module")
def teacher(served: Served, database: Path) -> Iterator[httpx.Client]:
    with signed_in(served, database, "teacher", "instructor") as client:
        yield client


def wished(name: str, *players: str, **more: Any) -> dict[str, Any]:
    entries = [{"name": f"{text} {number}", "player": text} for number, text in enumerate(players)]
    return {"name": name, "game": "cantris", "options": {"rows": 4, "cols": 3}, "entries": entries, **more}


def create(client: httpx.Client, wanted: dict[str, Any]) -> int:
    answer = client.post("/api/tournaments", json=wanted)
    assert answer.status_code == 201, answer.text
    number: int = answer.json()["id"]
    return number


def begun(client: httpx.Client, number: int) -> None:
    """Wait until the first game has been played."""
    until(lambda: client.get(f"/api/tournaments/{number}/games").json(), "the first game")


def finished(view: dict[str, Any]) -> bool:
    assert view["state"] != "failed", view["error"]
    return bool(view["state"] == "finished")


def test_a_tournament_is_made_followed_and_downloaded(served: Served, teacher: httpx.Client) -> None:
    number = create(teacher, wished("Spring  cup 春季", "random:seed=1", "greedy", "minimax:depth=2", pairs=2))
    with served.client() as guest:
        shown = follow(guest, f"/api/tournaments/{number}/events", finished)
        said = shown[-1]["document"]
        assert (said["name"], said["games"], shown[-1]["may"]) == ("Spring cup 春季", 12, False)
        assert sum(line["games"] for line in said["standings"]) == 24
        assert len({view["version"] for view in shown}) == len(shown), "nothing is shown twice"
        (line,) = (one for one in guest.get("/api/tournaments").json() if one["id"] == number)
        assert (line["state"], line["games"], line["entries"]) == ("finished", 12, 3)
        assert line["leaders"] == [one["entry"] for one in said["standings"] if one["rank"] == 1]
        games = guest.get(f"/api/tournaments/{number}/games").json()
        assert len(games) == 12
        rest = guest.get(f"/api/tournaments/{number}/games?after={games[6]['id']}").json()
        assert rest == games[7:]
        match = guest.get(f"/api/matches/{games[0]['match']}").json()
        assert [seat["player"] for seat in match["seats"]] == [games[0]["first"], games[0]["second"]]
        assert len(match["plies"]) == games[0]["moves"]
        files = f"/api/tournaments/{number}/files"
        table = guest.get(f"{files}/standings.csv")
        assert "Spring-cup" in table.headers["content-disposition"]
        rows = list(csv.DictReader(io.StringIO(table.content.decode("utf-8-sig"))))
        assert [row["entry"] for row in rows] == [one["entry"] for one in said["standings"]]
        assert guest.get(f"{files}/results.json").json()["games"] == 12
        assert "春季" in guest.get(f"{files}/page.html").text
        assert guest.get(f"{files}/report.pdf").content.startswith(b"%PDF")
        packed = zipfile.ZipFile(io.BytesIO(guest.get(f"{files}/everything.zip").content))
        records = [name for name in packed.namelist() if name.startswith("tournament/records/") and name[-1] != "/"]
        assert len(records) == 12
        assert ludus.Record.parse(packed.read(records[0]).decode()).outcome is not None
        assert guest.get(f"{files}/arena.db").status_code == 404


def test_a_restart_in_the_middle_loses_and_doubles_no_game(tmp_path: Path) -> None:
    database = tmp_path / "arena.db"
    with serving(database) as server, signed_in(server, database, "teacher", "instructor") as client:
        number = create(client, wished("Long", SLOW, SLOW, SLOW, pairs=2, **LONG))
        begun(client, number)
        assert [line["id"] for line in client.get("/api/now").json()["tournaments"]] == [number]
    assert server.process.returncode == 0
    with closing(Ledger(database)) as ledger:
        before = {row.id: row.record for row in ledger.games(number)}
    assert 1 <= len(before) < 12, "it was stopped in the middle"
    with serving(database) as server, server.client() as client:
        last = follow(client, f"/api/tournaments/{number}/events", finished)[-1]
        assert last["document"]["games"] == 12
    with closing(Ledger(database)) as ledger:
        after = ledger.games(number)
    assert len(after) == 12 == len({(row.pairing, row.board, row.seats) for row in after})
    assert {row.id: row.record for row in after if row.id in before} == before


def test_stop_withdraw_take_back_and_go_on(served: Served, teacher: httpx.Client, database: Path) -> None:
    number = create(teacher, wished("Changes", SLOW, SLOW, SLOW, "greedy", **LONG))
    path = f"/api/tournaments/{number}"
    begun(teacher, number)
    assert teacher.post(f"{path}/stop", json={}).status_code == 200
    stopped = teacher.get(path).json()
    assert stopped["state"] == "stopped"
    assert number not in [line["id"] for line in teacher.get("/api/now").json()["tournaments"]], "nobody plays"
    gone = stopped["document"]["standings"][-1]["entry"]
    assert teacher.post(f"{path}/withdraw", json={"entry": gone, "reason": " "}).status_code == 422
    assert teacher.post(f"{path}/withdraw", json={"entry": "nobody", "reason": "left"}).status_code == 400
    assert teacher.post(f"{path}/withdraw", json={"entry": gone, "reason": "left the course"}).status_code == 200
    assert teacher.get(path).json()["state"] == "stopped", "what someone stopped stays so"
    teacher.post(f"{path}/resume", json={})
    last = follow(teacher, f"{path}/events", finished)[-1]
    assert [one["entry"] for one in last["document"]["standings"] if one["withdrawn"]] == [gone]
    games = teacher.get(f"{path}/games").json()
    back = teacher.post(f"{path}/take-back", json={"what": str(games[-1]["id"]), "reason": "a power cut"})
    assert back.json()["games"] == 1
    done = follow(teacher, f"{path}/events", lambda view: finished(view) and view["document"]["games"] == len(games))
    assert done[-1]["document"]["changes"] == last["document"]["changes"] + 1, (
        "a page knows that a game has another name"
    )
    again = teacher.get(f"{path}/games").json()
    assert games[-1]["match"] not in [one["match"] for one in again]
    assert teacher.get(f"/api/matches/{games[-1]['match']}").status_code == 404
    assert again[-1]["pairing"] == games[-1]["pairing"]
    changes = teacher.get(f"{path}/log").json()
    assert [(one["kind"], one["reason"]) for one in changes] == [
        ("undo", "a power cut"),
        ("withdraw", "left the course"),
    ]
    with closing(Accounts(database)) as accounts:
        noted = [entry for entry in accounts.audit() if entry.detail.get("tournament") == number]
    kinds = [entry.kind.partition(".")[2] for entry in noted]
    assert kinds == ["take-back", "resume", "withdraw", "stop", "create"]
    assert noted[0].detail["reason"] == "a power cut"
    with served.client() as guest:
        assert guest.get(f"{path}/log").status_code == 401


def under_way(view: dict[str, Any]) -> bool:
    assert view["state"] in ("waiting", "running"), view
    return bool((view["progress"] or {}).get("going"))


def over(match: dict[str, Any]) -> bool:
    return "outcome" in match["position"]


def test_a_game_is_watched_as_it_is_played_and_found_there_when_it_is_over(
    served: Served, teacher: httpx.Client, database: Path
) -> None:
    number = create(teacher, wished("Live", SLOWER, SLOWER, **LONG))
    path = f"/api/tournaments/{number}"
    with served.client() as guest:
        (going,) = follow(guest, f"{path}/events", under_way)[-1]["progress"]["going"]
        (line,) = (one for one in guest.get("/api/now").json()["tournaments"] if one["id"] == number)
        assert line["going"] == [going]
        shown = follow(guest, f"/api/matches/{going['match']}/events", over)
        assert not over(shown[0])
        assert len(shown) > 3, "moves came as they were played"
        assert [seat["player"] for seat in shown[0]["seats"]] == [going["first"], going["second"]]
        moves: list[str] = []
        for match in shown:
            moves[match.get("since", 0) :] = [ply["move"] for ply in match.get("plies", [])]
        game = guest.get(f"{path}/games").json()[0]
        final = guest.get(f"/api/matches/{going['match']}").json()
        assert (final["id"], [ply["move"] for ply in final["plies"]]) == (game["match"], moves)
        follow(guest, f"{path}/events", finished)
        assert going["match"] not in guest.get("/api/now").text
    with closing(Matches(database)) as store:
        assert not store.unfinished(10), "it was in memory only"


def test_a_tournament_that_is_stopped_has_no_game_under_way(served: Served, teacher: httpx.Client) -> None:
    number = create(teacher, wished("Halted", SLOWER, SLOWER, **LONG))
    path = f"/api/tournaments/{number}"
    with served.client() as guest:
        (going,) = follow(guest, f"{path}/events", under_way)[-1]["progress"]["going"]
        match = f"/api/matches/{going['match']}"
        follow(guest, f"{match}/events", lambda shown: "running" in shown)
        teacher.post(f"{path}/stop", json={})
        assert (guest.get(path).json()["state"], guest.get(path).json()["progress"]) == ("stopped", None)
        stopped = follow(guest, f"{match}/events", lambda shown: "running" not in shown)[-1]
        assert not over(stopped), "its clocks stand"
        teacher.post(f"{path}/resume", json={})
        again = follow(guest, f"{match}/events?seen={stopped['version']}", lambda shown: "running" in shown)[-1]
        assert again["since"] <= len(stopped.get("plies", [])), "those who waited see it start again"
        teacher.post(f"{path}/stop", json={})


def test_a_submitted_bot_plays_in_the_version_that_passed(teacher: httpx.Client, database: Path) -> None:
    source = b"def choose(state, clock):\n    return state.legal_moves[0]\n"
    with closing(BotStore(database)) as store:
        bot = store.add(999, "cantris", "First mover")
        private = store.add(999, "cantris", "Hidden")
        for one in (bot, private):
            store.add_version(one.id, {"bot.py": File(source)}, "python", "python")
            store.change_version(one.id, 1, state="passed")
        store.publish(bot.id, public=True)
        store.add_version(bot.id, {"bot.py": File(source + b"#")}, "python", "python")
    wanted = wished("With a bot", "greedy")
    hidden = wanted | {"entries": [*wanted["entries"], {"name": "x", "player": private.text}]}
    assert "no such public bot" in teacher.post("/api/tournaments", json=hidden).json()["detail"]
    number = create(teacher, wanted | {"entries": [*wanted["entries"], {"name": "Mover", "player": bot.text}]})
    last = follow(teacher, f"/api/tournaments/{number}/events", finished)[-1]["document"]
    (line,) = (one for one in last["standings"] if one["entry"] == "Mover")
    assert (line["player"], line["games"], line["failures"]) == (f"bot:{bot.id}@1", 2, 0)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"format": "lottery"}, "there is no format 'lottery'"),
        ({"format_options": {"legs": 99}}, "legs"),
        ({"clock": "soon"}, "is not a clock"),
        ({"entries": [{"name": "one", "player": "greedy"}]}, "2 to 500 entries"),
        ({"entries": [{"name": "x", "player": "greedy"}, {"name": " x ", "player": "random"}]}, "listed twice"),
        ({"entries": [{"name": "x", "player": "/etc/passwd"}, {"name": "y", "player": "greedy"}]}, "no player"),
        ({"entries": [{"name": "x", "player": "lines:id"}, {"name": "y", "player": "greedy"}]}, "no player"),
        ({"entries": [{"name": "x", "player": "human"}, {"name": "y", "player": "greedy"}]}, "no player"),
        (
            {"entries": [{"name": "x", "player": "heithoff"}, {"name": "y", "player": "greedy"}]},
            "plays only chain-reaction",
        ),
    ],
)
def test_bad_wishes_get_one_sentence(teacher: httpx.Client, more: dict[str, Any], words: str) -> None:
    answer = teacher.post("/api/tournaments", json=wished("Bad", "greedy", "random") | more)
    assert answer.status_code == 400, answer.text
    assert words in answer.json()["detail"]
    assert "Bad" not in [line["name"] for line in teacher.get("/api/tournaments").json()]


def test_a_name_is_taken_once_and_unknown_ones_are_not_there(teacher: httpx.Client) -> None:
    number = create(teacher, wished("Once", "greedy", "random:seed=1"))
    again = teacher.post("/api/tournaments", json=wished("Once", "greedy", "random:seed=1"))
    assert again.status_code == 400
    assert "choose another name" in again.json()["detail"]
    follow(teacher, f"/api/tournaments/{number}/events", finished)
    assert teacher.get("/api/tournaments/999").status_code == 404
    assert teacher.get("/api/tournaments/999/events").status_code == 404
    assert teacher.get("/api/matches/g-zzzzz00000").status_code == 404


def test_the_names_of_boards_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks for one name after the other costs nobody the time to look through all games."""
    made = list[object]()

    def counted(*what: Any) -> str:
        made.append(what)
        return board_name(*what)

    monkeypatch.setattr("ludus.store.matches.board_name", counted)
    with closing(Tournaments(tmp_path / "arena.db")) as store, closing(Matches(tmp_path / "arena.db")) as matches:
        number = store.add("Cup", {"game": "cantris"}, 1)

        def game(board: int, seed: int = 1) -> GameResult:
            return GameResult("R1.1", board, 0, "a", "b", 0, "rules", moves=3, host="here", seed=seed)

        def on_board(board: int) -> StoredMatch | None:
            return matches.load(board_name(number, "R1.1", board, 0))

        store.ledger.add(number, [game(board) for board in range(3)])
        assert [on_board(board) is None for board in (9, 0, 2, 7)] == [True, False, False, True]
        assert len(made) == 3
        store.ledger.add(number, [game(3)])
        before = on_board(3)
        assert before is not None and len(made) == 4
        store.ledger.undo(number, [4], "again")
        assert on_board(3) is None
        store.ledger.add(number, [game(4), game(3, seed=2)])  # the number of the game that is gone is another's now
        assert [on_board(board) is None for board in range(6)] == [False] * 5 + [True]
        assert on_board(3) != before


def test_the_store_says_the_same_on_postgresql() -> None:
    url = postgres.new_database()
    with closing(Tournaments(url)) as store:
        number = store.add("Cup", {"game": "cantris"}, 1)
        store.set_job(number, "job")
        fault = Message("faults.timeout")
        game = GameResult("R1.1", 0, 0, "a", "b", 0, "timeout", str(fault), fault, moves=3, host="here", seed=1)
        store.ledger.add(number, [game])
        (line,) = store.all()
        stored = line.tournament
        assert (stored.id, stored.name, stored.job, line.games) == (number, "Cup", "job", 1)
        assert store.find(number) == stored
        (listed,) = store.games(number, 0, 10)
        assert (listed.pairing, listed.fault_message) == ("R1.1", fault)
        with closing(Matches(url)) as matches:
            found = matches.load(board_name(number, "R1.1", 0, 0))
            assert found is not None
            assert found.id.startswith("g-")
            assert matches.load(found.id) == found
            assert matches.load(board_name(number, "R1.1", 0, 1)) is None
        assert store.find(number + 1) is None
