"""Bots and ladders of the web arena without a browser: hand in, check, challenge, play against; hostile uploads; whose
logs are whose; `ludus submit`."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import re
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from bots import CAVE, LOOP, typed
from commands import one_sentence, run
from patience import until as wait_until
from web import PASSWORD, Served, new_token, serving

from ludus.bots.source import File
from ludus.bots.starters import starter
from ludus.game import game
from ludus.play.match import Match
from ludus.rating.challenge_ladder import fixed_points
from ludus.store.accounts import Accounts
from ludus.store.bots import PASSED, BotStore
from ludus.web.matches.bot_seats import turn, turn_situation

GAME = "magnetic-cave"
SAYS = 'print("a secret of mine", file=sys.stderr)'


def cave(trouble: str = "pass") -> str:
    """Return a bot for Magnetic Cave that plays the first legal move."""
    return CAVE + LOOP.replace("TROUBLE", trouble)


def person(served: Served, accounts: Accounts, name: str, role: str = "student") -> httpx.Client:
    """Return someone who asks with a token."""
    account = accounts.find(name) or accounts.add(name, PASSWORD, role)
    client = served.client()
    client.headers["Authorization"] = f"Bearer {new_token(accounts, account)}"
    return client


@pytest.fixture(scope="module")
def ada(served: Served, accounts: Accounts) -> Iterator[httpx.Client]:
    with person(served, accounts, "Ada") as client:
        yield client


@pytest.fixture(scope="module")
def grace(served: Served, accounts: Accounts) -> Iterator[httpx.Client]:
    with person(served, accounts, "Grace") as client:
        yield client


def bomb() -> str:
    """Return an archive that is small until it is unpacked."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bot.py", bytes(65 << 20))
    return base64.b64encode(made.getvalue()).decode()


def hand_in(client: httpx.Client, name: str, text: str, **more: Any) -> dict[str, Any]:
    upload = {"name": name, "game": GAME, "files": [{"name": "bot.py", "text": text}], **more}
    answer = client.post("/api/bots", json=upload)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def follow(client: httpx.Client, path: str) -> list[dict[str, Any]]:
    """Follow something until it is over."""
    with client.stream("GET", path) as stream:
        return [json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: ")]


def checked(client: httpx.Client, made: dict[str, Any]) -> dict[str, Any]:
    """Wait for a check, and give what it found."""
    path = f"/api/bots/{made['id']}/versions/{made['version']}"
    assert follow(client, f"{path}/events")[-1]["over"]
    found: dict[str, Any] = client.get(path).json()
    return found


def challenge(client: httpx.Client, bot: int, defender: str, *, rated: bool = True) -> dict[str, Any]:
    answer = client.post(f"/api/bots/{bot}/challenges", json={"defender": defender, "rated": rated})
    assert answer.status_code == 201, answer.text
    follow(client, f"/api/challenges/{answer.json()['id']}/events")
    found: dict[str, Any] = client.get(f"/api/challenges/{answer.json()['id']}").json()
    return found


@pytest.fixture(scope="module")
def deep(ada: httpx.Client) -> int:
    """Ada's bot, which has passed its check."""
    made = hand_in(ada, "Deep Cave", cave(SAYS))
    found = checked(ada, made)
    assert (found["state"], found["faults"]) == ("passed", 0), found
    assert sum(step["moves"] for step in found["histogram"]) > 10
    number: int = made["id"]
    return number


@pytest.fixture(scope="module")
def rival(grace: httpx.Client) -> int:
    """Grace's bot, on the ladder."""
    made = hand_in(grace, "Rival", cave("import random"))
    assert checked(grace, made)["state"] == "passed"
    assert grace.post(f"/api/bots/{made['id']}/enter").status_code == 200
    number: int = made["id"]
    return number


# Reports


def report_states(client: httpx.Client, path: str) -> list[str]:
    return [told["state"] for told in follow(client, f"{path}/events")]


def test_a_report_is_made_once_and_is_its_owners(served: Served, accounts: Accounts, grace: httpx.Client) -> None:
    with person(served, accounts, "Reporter") as owner, person(served, accounts, "Teacher", "instructor") as teacher:
        made = hand_in(owner, "Reported", cave())
        path = f"/api/bots/{made['id']}/report/1"
        refused = owner.post(path)
        assert (refused.status_code, checked(owner, made)["state"]) == (400, "passed"), refused.text
        games = challenge(owner, made["id"], "random", rated=False)["games"]
        assert owner.get(path).status_code == 404 and report_states(owner, path) == ["none"]
        assert grace.post(path).status_code == 404, "it is private"
        assert [owner.post(path).json() for _ in range(2)] == [{"state": "making"}] * 2
        told = follow(owner, f"{path}/events")
        assert told[-1]["state"] == "done", told
        assert {"games-played", "games-judged"} <= {one["progress"]["stage"] for one in told if one["progress"]}
        paper = owner.get(path)
        assert paper.content.startswith(b"%PDF") and paper.headers["content-type"] == "application/pdf"
        assert teacher.get(path).content == paper.content
        words = subprocess.run(["pdftotext", "-layout", "-", "-"], input=paper.content, capture_output=True, check=True)
        text = words.stdout.decode().partition("In challenges")[2]
        won, drawn = (sum(game["points"] == points for game in games) for points in (1, 0.5))
        found = re.search(r"[Rr]andom(?:, seed \d+)? +(\d+) +(\d+) +(\d+)", text)
        assert found is not None and list(map(int, found.groups())) == [won, drawn, len(games) - won - drawn]
        assert owner.post(path).json() == {"state": "ready"} and report_states(owner, path) == ["ready"]
        assert owner.get(path).content == paper.content, "it is not made again"
        owner.post(f"/api/bots/{made['id']}/public", json={"public": True})
        assert [grace.request(method, path).status_code for method in ("GET", "POST")] == [403, 403]
        accounts.set_language(accounts.find("Reporter") or pytest.fail(), "zh-Hant")
        assert report_states(owner, path) == ["old"]


@pytest.mark.parametrize("leaves", ["bot", "account"])
def test_a_report_goes_with_its_bot(
    served: Served, accounts: Accounts, database: Path, grace: httpx.Client, leaves: str
) -> None:
    with (
        person(served, accounts, f"Leaving {leaves}") as owner,
        person(served, accounts, "Teacher", "instructor") as teacher,
        contextlib.closing(BotStore(database)) as store,
    ):
        bot = hand_in(owner, f"Leaving {leaves}", cave())["id"]
        store.change_version(bot, 1, paper=b"%PDF", paper_of="en")
        path = f"/api/bots/{bot}/report/1"
        assert owner.get(path).content == teacher.get(path).content == b"%PDF"
        assert grace.get(path).status_code == 404
        if leaves == "bot":
            assert owner.post(f"/api/bots/{bot}/remove").status_code == 200
        else:
            del owner.headers["Authorization"]  # a token deletes no account
            owner.headers["X-Ludus"] = "1"
            signs_in = {"name": f"Leaving {leaves}", "password": PASSWORD}
            assert owner.post("/api/account/sign-in", json=signs_in).status_code == 200
            assert owner.post("/api/account/delete", json={"password": PASSWORD}).status_code == 200
        assert store.paper(bot, 1) is None
        assert teacher.get(path).status_code == 404
        store.change_version(bot, 1, paper=b"%PDF", paper_of="en")  # as a job would that ends a moment later
        assert store.paper(bot, 1) is None


# Handing in


def test_a_bot_is_its_owners_until_it_enters_the_ladder(
    served: Served, ada: httpx.Client, grace: httpx.Client, deep: int
) -> None:
    path = f"/api/bots/{deep}"
    assert ada.get(path).json()["sees"] == ["checks", "logs", "change", "remove"]
    with served.client() as guest:
        for other in (guest, grace):
            assert other.get(path).status_code == 404
            assert f"bot:{deep}" not in [one["player"] for one in other.get(f"/api/opponents/{GAME}").json()]
        assert f"bot:{deep}" in [one["player"] for one in ada.get(f"/api/opponents/{GAME}").json()]
        assert ada.post(f"{path}/enter").json()["entered"]
        shown = guest.get(path).json()
        assert (shown["name"], shown["versions"], shown["sees"]) == ("Deep Cave", [], [])
        assert f"bot:{deep}" in [one["player"] for one in guest.get(f"/api/opponents/{GAME}").json()]
        lines = guest.get(f"/api/ladders/{GAME}").json()["lines"]
        assert {line["player"] for line in lines} >= {f"bot:{deep}", *fixed_points(GAME)}
        tops = guest.get("/api/ladders").json()
        assert [one["game"] for one in tops] == [GAME]


def test_logs_are_their_owners(
    served: Served, accounts: Accounts, ada: httpx.Client, grace: httpx.Client, deep: int
) -> None:
    failed = hand_in(ada, "Talks and fails", cave(f'{SAYS}; print("Z99"); sys.exit()'))
    found = checked(ada, failed)
    assert found["state"] == "failed"
    fault = next(one for one in found["findings"] if one["verdict"] == "reject")
    assert "illegal move" in fault["text"]
    assert fault["command"].startswith("ludus play magnetic-cave --first ./bot.py ")
    assert "a secret of mine" in fault["log"]
    path = f"/api/bots/{failed['id']}/versions/1"
    assert fault["also"]
    assert "a secret of mine" in ada.get(f"{path}/log").text
    with served.client() as guest, person(served, accounts, "Teacher", "instructor") as teacher:
        told = teacher.get(path)
        assert told.status_code == 200
        assert "secret" not in told.text, "an instructor sees what was found, and not what the bot said"
        assert failed["id"] in [bot["id"] for bot in teacher.get("/api/bots/all").json()]
        for what in ("log", "files"):
            assert teacher.get(f"{path}/{what}").status_code == 403
            assert grace.get(f"{path}/{what}").status_code == 404
            assert grace.get(f"/api/bots/{deep}/versions/1/{what}").status_code in (403, 404)
            assert guest.get(f"{path}/{what}").status_code == 401
        assert grace.get(path).status_code == 404
    with tarfile.open(fileobj=io.BytesIO(ada.get(f"{path}/files").content)) as archive:
        assert archive.getnames() == ["bot.py"]


def test_versions(ada: httpx.Client, grace: httpx.Client) -> None:
    made = hand_in(ada, "Grows", cave())
    again = ada.post("/api/bots", json={"name": "grows", "game": GAME, "files": [{"name": "b.py", "text": cave()}]})
    assert (again.json()["id"], again.json()["version"]) == (made["id"], 2), "the same name is the same bot"
    path = f"/api/bots/{made['id']}/versions"
    same = ada.post(path, json={"files": [{"name": "b.py", "text": cave()}]})
    assert (same.status_code, same.json()["detail"]) == (400, "nothing has changed since version 2")
    assert grace.post(path, json={"files": [{"name": "b.py", "text": cave()}]}).status_code == 404
    taken = grace.post("/api/bots", json={"name": "Grows", "game": GAME, "files": [{"name": "b.py", "text": "x"}]})
    assert "there is already a bot named Grows" in taken.json()["detail"]
    for number in (1, 2):
        checked(ada, {"id": made["id"], "version": number})


@pytest.mark.parametrize(("field", "more"), [("game", {"game": None}), ("name", {"name": ""})])
def test_what_is_missing_is_named_as_data(ada: httpx.Client, field: str, more: dict[str, Any]) -> None:
    """A page leads to the field; it does not read the sentence."""
    upload = {"name": "Half", "game": GAME, "files": [{"name": "bot.py", "text": "x"}], **more}
    answer = ada.post("/api/bots", json=upload)
    assert (answer.status_code, answer.json()["field"]) == (400, field)


def test_a_nameless_bot_is_called_as_its_file_and_its_game_is_what_it_says(ada: httpx.Client) -> None:
    toml = {"name": "deep tile/bot.toml", "text": 'game = "cantris"'}
    code = {"name": "deep tile/bot.py", "text": "x"}
    made = ada.post("/api/bots", json={"files": [code, toml]}).json()
    assert (made["name"], made["game"]) == ("deep tile", "cantris")


@pytest.mark.parametrize(("name", "protocol"), [("my bot's (1).py", None), ("random.py", None), ("told.py", "lines")])
def test_a_command_that_a_check_offers_works_as_it_is_printed(
    ada: httpx.Client, tmp_path: Path, name: str, protocol: str | None
) -> None:
    """In a shell, where the file lies that was handed in; whatever the bot is called in the arena."""
    (tmp_path / name).write_text(cave('print("Z99")'))
    files = [{"name": name, "text": (tmp_path / name).read_text()}]
    upload = {"name": f"<b>{name}", "game": GAME, "files": files, "protocol": protocol}
    found = checked(ada, ada.post("/api/bots", json=upload).json())
    command = next(one["command"] for one in found["findings"] if one["verdict"] == "reject")
    done = typed(command, tmp_path)
    assert done.returncode in (0, 1), (command, done.stderr)  # 1 is a check's, for what it has found
    assert "it played 'Z99'" in done.stdout


@pytest.mark.parametrize(
    ("upload", "says"),
    [
        ({"files": []}, "no files were given"),
        ({"files": [{"name": "../bot.py", "text": "x"}]}, "points outside"),
        ({"files": [{"name": "bot.py", "data": "no base64!"}]}, "not valid base64"),
        ({"files": [{"name": "bot.zip", "text": "no zip"}]}, "cannot be read"),
        ({"files": [{"name": "bot.zip", "data": bomb()}]}, "more than 64 MB when unpacked"),
        ({"files": [{"name": "notes.txt", "text": "x"}]}, "the language of notes.txt is unknown"),
        ({"files": [{"name": "a.py", "text": "x"}, {"name": "b.py", "text": "y"}]}, "which of these files"),
        ({"files": [{"name": "bot.py", "text": "x"}], "protocol": "telepathy"}, "telepathy"),
        ({"files": [{"name": "bot.py", "text": "x"}], "game": "chess"}, "there is no game 'chess'"),
        ({"files": [{"name": "bot.py", "text": "x"}], "name": "greedy"}, "the name of a built-in player"),
        ({"files": [{"name": "bot.py", "text": "x"}], "name": "a:b"}, "no colon"),
        ({"files": [{"name": "bot.py", "text": "x"}], "game": None}, "choose the game"),
        ({"files": [{"name": "bot.py", "text": "x"}], "name": None}, "give the bot a name"),
        ({"files": [{"name": "main.py", "text": "x"}], "name": " "}, "give the bot a name"),
        ({"files": [{"name": f"{'long' * 9}.py", "text": "x"}], "name": None}, "give the bot a name"),
        ({"files": "x"}, "files: input should be a valid array"),
        (
            {"files": [{"name": "bot.py", "text": "x"}, {"name": "bot.toml", "text": "game = 'cantris'"}]},
            "plays cantris",
        ),
    ],
)
def test_bad_uploads_get_a_sentence(ada: httpx.Client, upload: dict[str, Any], says: str) -> None:
    answer = ada.post("/api/bots", json={"name": "Bad", "game": GAME, **upload})
    assert 400 <= answer.status_code < 500
    assert says in answer.json()["detail"], answer.text
    assert not [bot for bot in ada.get("/api/bots").json() if bot["name"] == "Bad"]


def test_uploads_may_be_larger_than_other_requests_but_not_any_size(served: Served, ada: httpx.Client) -> None:
    big = {
        "name": "Big",
        "game": GAME,
        "files": [{"name": "bot.py", "text": cave()}, {"name": "x", "text": "x" * 600_000}],
    }
    assert ada.post("/api/bots", json=big).status_code == 201
    assert ada.post("/api/bots", content=b"x" * (13 << 20)).status_code == 413
    with served.client() as guest:
        assert guest.post("/api/bots", json=big).status_code == 401


# Hostile programs


def test_what_a_hostile_program_does_stays_with_it(served: Served, accounts: Accounts) -> None:
    """A build without end, a fork bomb and a flood on standard error, while somebody else's bot is checked."""
    with person(served, accounts, "Mallory") as mallory, person(served, accounts, "Trent") as trent:
        config = 'run = "python3 bot.py"\nbuild = "while true; do sleep 1; done"\n'
        files = [{"name": "bot.py", "text": cave()}, {"name": "bot.toml", "text": config}]
        endless = hand_in(mallory, "Endless", "", files=files)
        forks = hand_in(mallory, "Forks", cave("[os.fork() for _ in range(1000)]"))
        floods = hand_in(mallory, "Floods", cave('sys.stderr.write("flood " * 300_000)'))
        honest = hand_in(trent, "Honest", cave())
        assert checked(trent, honest)["state"] == "passed", "others have their turn"
        assert httpx.get(f"{served.address}/healthz").text == "ok\n"
        assert mallory.get(f"/api/bots/{endless['id']}/versions/1").json()["state"] in ("waiting", "checking", "failed")
        assert checked(mallory, forks)["state"] == "failed"
        flood = checked(mallory, floods)
        assert flood["state"] == "passed"
        assert len(mallory.get(f"/api/bots/{floods['id']}/versions/1/log").content) < 1_000_000
        assert [line["name"] for line in trent.get("/api/bots").json()] == ["Honest"]


# Challenges


def test_a_rated_challenge_and_what_it_changes(served: Served, ada: httpx.Client, deep: int, rival: int) -> None:
    ada.post(f"/api/bots/{deep}/enter")
    ladder = [line["player"] for line in ada.get(f"/api/ladders/{GAME}").json()["lines"]]
    mine = ladder.index(f"bot:{deep}")
    defender = "random"
    assert 0 < mine - ladder.index(defender) <= 5
    found = challenge(ada, deep, defender)
    assert (found["state"], found["rated"], len(found["games"])) == ("done", True, 6)
    assert {(game["board"], game["seats"]) for game in found["games"]} == {(b, s) for b in range(3) for s in (0, 1)}
    before, after = found["ranks"][f"bot:{deep}"]
    won = found["score"][0] > found["score"][1]
    assert (before, after) == (mine + 1, ladder.index(defender) + 1 if won else mine + 1)
    rating = found["ratings"][f"bot:{deep}"]
    assert rating["low"] < rating["elo"] < rating["high"]
    assert rating["games"] == 6
    line = next(one for one in ada.get(f"/api/ladders/{GAME}").json()["lines"] if one["player"] == f"bot:{deep}")
    assert (line["rank"], line["won"], line["rating"]["elo"]) == (after, int(won), rating["elo"])
    shown = ada.get(f"/api/bots/{deep}").json()
    assert shown["challenges"][0]["id"] == found["id"]
    assert shown["history"][-1]["rating"] == rating
    with served.client() as guest:
        for game in found["games"]:
            match = guest.get(f"/api/matches/{game['match']}").json()
            seats = [seat.get("name") for seat in match["seats"]]
            assert seats == (["Deep Cave", None] if game["seats"] == 0 else [None, "Deep Cave"])
            assert len(match["plies"]) == game["moves"]
            assert "may" not in match
        assert '[First "Deep Cave"]' in guest.get(f"/api/matches/{found['games'][0]['match']}/record").text
    again = ada.post(f"/api/bots/{deep}/challenges", json={"defender": defender})
    assert again.status_code == 409
    assert rival


def test_logs_of_games_are_the_bots_owners(
    served: Served, accounts: Accounts, ada: httpx.Client, grace: httpx.Client, deep: int, rival: int
) -> None:
    ada.post(f"/api/bots/{deep}/enter")
    found = challenge(grace, rival, "deep cave", rated=False)
    assert (found["defender"]["player"], found["ranks"], found["logs"]) == (f"bot:{deep}", None, ["challenger"])
    path = f"/api/challenges/{found['id']}/games/0/0"
    assert "a secret of mine" in ada.get(f"{path}/defender.log").text
    assert grace.get(f"{path}/challenger.log").text == ""
    with served.client() as guest, person(served, accounts, "Teacher", "instructor") as teacher:
        for other, status in ((grace, 403), (teacher, 403), (guest, 401)):
            assert other.get(f"{path}/defender.log").status_code == status
        shown = guest.get(f"/api/challenges/{found['id']}")
        assert "secret" not in shown.text
        assert shown.json()["logs"] == []


def test_what_challenges_are_refused(ada: httpx.Client, grace: httpx.Client, deep: int, rival: int) -> None:
    ada.post(f"/api/bots/{deep}/enter")

    def refused(client: httpx.Client, bot: int, body: dict[str, Any], status: int) -> str:
        answer = client.post(f"/api/bots/{bot}/challenges", json=body)
        assert answer.status_code == status, answer.text
        detail: str = answer.json()["detail"]
        return detail

    assert "not yours" in refused(grace, deep, {"defender": "random"}, 403)
    assert "ranks above" in refused(ada, deep, {"defender": "engine:level=9"}, 409)
    assert "itself" in refused(ada, deep, {"defender": "Deep Cave", "rated": False}, 409)
    assert "there is no player" in refused(ada, deep, {"defender": "nobody", "rated": False}, 400)
    assert "there is no player" in refused(ada, deep, {"defender": "lines:sh", "rated": False}, 400)
    young = hand_in(ada, "Young", cave("time.sleep(0.01)"))
    assert "no version that passed" in refused(ada, young["id"], {"defender": "random"}, 409)
    checked(ada, young)
    assert "join the ladder first" in refused(ada, young["id"], {"defender": "random"}, 409)
    ada.post(f"/api/bots/{young['id']}/enter")
    slow = ada.post(f"/api/bots/{young['id']}/challenges", json={"defender": "greedy", "rated": False})
    assert slow.status_code == 201
    assert "open challenge" in refused(ada, young["id"], {"defender": "random", "rated": False}, 409)
    follow(ada, f"/api/challenges/{slow.json()['id']}/events")
    assert rival


def test_a_challenge_goes_on_after_a_restart_without_a_game_lost_or_doubled(tmp_path: Path) -> None:
    database = tmp_path / "arena.db"
    with serving(database) as server:
        accounts = Accounts(database)
        with person(server, accounts, "Ada") as ada:
            made = hand_in(ada, "Slow", cave("time.sleep(0.1)"))
            assert checked(ada, made)["state"] == "passed"
            name = ada.post(f"/api/bots/{made['id']}/challenges", json={"defender": "random", "rated": False}).json()[
                "id"
            ]
            live = watch(ada, name)
            before = ada.get(f"/api/challenges/{name}").json()["games"]
    with serving(database) as server, person(server, accounts, "Ada") as ada:
        follow(ada, f"/api/challenges/{name}/events")
        after = ada.get(f"/api/challenges/{name}").json()
        assert (after["state"], len(after["games"])) == ("done", 6)
        assert after["games"][: len(before)] == before
        assert live in [game["match"] for game in after["games"]]
    accounts.close()


def watch(client: httpx.Client, name: str) -> str:
    """Wait for a game to be played, see it change, and give its match."""
    match: str = wait_until(lambda: client.get(f"/api/challenges/{name}").json()["playing"])
    lengths = []
    with client.stream("GET", f"/api/matches/{match}/events") as stream:
        for line in stream.iter_lines():
            if line.startswith("data: "):
                view = json.loads(line[6:])
                lengths.append(view.get("since", 0) + len(view.get("plies", [])))
                if len(set(lengths)) > 2 or "outcome" in view["position"]:
                    break
    assert len(set(lengths)) > 1, "moves are seen as they are played"
    return match


# Playing against one, and leaving


def test_a_person_plays_a_bot_that_keeps_nothing_between_turns(served: Served, ada: httpx.Client, deep: int) -> None:
    ada.post(f"/api/bots/{deep}/enter")
    with served.client() as guest:
        for seats in (["human", f"bot:{deep}"], [f"bot:{deep}", "human"]):
            match = guest.post("/api/matches", json={"game": GAME, "seats": seats}).json()
            path, mine = f"/api/matches/{match['id']}", seats.index("human")
            for turn in range(2):
                match = until(guest, path, lambda shown: "move" in shown.get("may", []))
                plies = len(match.get("plies", []))
                assert plies == 2 * turn + mine
                move = match["position"]["legal"][0]["move"]
                assert guest.post(f"{path}/moves", json={"move": move, "ply": plies}).status_code == 200
            shown = until(guest, path, lambda shown: "move" in shown.get("may", []))
            assert shown["seats"][1 - mine]["name"] == "Deep Cave"
            assert "outcome" not in shown["position"]
        refused = guest.post("/api/matches", json={"game": "cantris", "seats": ["human", f"bot:{deep}"]})
        assert refused.status_code == 400


@pytest.mark.parametrize("protocol", ["lines", "ugi", "files", "python"])
@pytest.mark.parametrize("side", [0, 1])
def test_every_protocol_can_be_started_anew_for_a_turn(tmp_path: Path, protocol: str, side: int) -> None:
    """In a game whose turns have two moves, in both seats."""
    store = BotStore(tmp_path / "arena.db")
    bot = store.add(1, "cantris", "Fresh")
    files = {name: File(text.encode()) for name, text in starter("cantris", "python", protocol).items()}
    store.add_version(bot.id, files, protocol, "python")
    store.change_version(bot.id, 1, state=PASSED)
    store.close()
    match = Match(game("cantris", rows=10, cols=5).initial(3))
    turns = 0
    while turns < 3 and match.outcome is None:
        if match.state.side != side:
            match.play(match.state.legal_moves[-1])
            continue
        told: list[Any] = []
        turn(told.append, str(tmp_path / "arena.db"), bot.text, turn_situation(match))
        for answer in told[0]:
            match.take(answer)
        assert match.state.side != side or match.outcome is not None, "it plays its whole turn"
        turns += 1
    assert match.outcome is None or match.outcome.reason == "rules"


def until(client: httpx.Client, path: str, holds: Any) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        shown: dict[str, Any] = client.get(path).json()
        return shown if holds(shown) else None

    return wait_until(look) or {}


def test_a_bot_that_fails_against_a_person_loses_the_game(served: Served, ada: httpx.Client) -> None:
    made = hand_in(ada, "Fails late", cave('if side == "second" and board[0][0] == "o": sys.exit(3)'))
    assert checked(ada, made)["state"] == "passed"
    ada.post(f"/api/bots/{made['id']}/public", json={"public": True})
    with served.client() as guest:
        match = guest.post("/api/matches", json={"game": GAME, "seats": ["human", f"bot:{made['id']}"]}).json()
        guest.post(f"/api/matches/{match['id']}/moves", json={"move": "A8", "ply": 0})
        shown = until(guest, f"/api/matches/{match['id']}", lambda shown: "outcome" in shown["position"])
        assert shown["position"]["outcome"]["winner"] == 0
        ada.post(f"/api/bots/{made['id']}/remove")
        shown = guest.get(f"/api/matches/{match['id']}").json()
        assert shown["seats"][1] == {"player": f"bot:{made['id']}"}, "a removed bot has no name"
        assert guest.get(f"/api/bots/{made['id']}").status_code == 404
        assert (
            guest.post("/api/matches", json={"game": GAME, "seats": ["human", f"bot:{made['id']}"]}).status_code == 400
        )


def test_who_may_remove_a_bot(served: Served, accounts: Accounts, ada: httpx.Client, grace: httpx.Client) -> None:
    rude = hand_in(ada, "Rude", cave())
    checked(ada, rude)
    ada.post(f"/api/bots/{rude['id']}/public", json={"public": True})
    assert grace.post(f"/api/bots/{rude['id']}/remove").status_code == 403
    with person(served, accounts, "Root", "admin") as admin:
        assert admin.post(f"/api/bots/{rude['id']}/remove").status_code == 200
        noted = [entry for entry in admin.get("/api/audit").json() if entry["kind"] == "bot.remove"]
        assert noted[0]["detail"]["name"] == "Rude"
    with person(served, accounts, "Leaver") as leaver:
        made = hand_in(leaver, "Left behind", cave())
        checked(leaver, made)
        assert leaver.get("/api/account/data").json()["bots"][0]["name"] == "Left behind"
        account = accounts.find("Leaver")
        assert account is not None
        accounts.remove(account, None)
        assert ada.get(f"/api/bots/{made['id']}").status_code == 404


def test_starters_can_be_had_and_handed_in(served: Served, ada: httpx.Client) -> None:
    with served.client() as guest:
        assert guest.get("/api/starters").json() == ["python", "cpp", "java", "javascript"]
        given = guest.get("/api/starters/cantris/python").content
        assert guest.get("/api/starters/chess/python").status_code == 404
        assert guest.get("/api/starters/cantris/cobol").status_code == 400
    files = [{"name": "cantris-python.zip", "data": base64.b64encode(given).decode()}]
    answer = ada.post("/api/bots", json={"files": files})
    assert (answer.status_code, answer.json()["name"], answer.json()["game"]) == (201, "cantris-python", "cantris")


# The command line


def submit(served: Served, folder: Path, token: str, *words: str) -> subprocess.CompletedProcess[str]:
    own = {"LUDUS_TOKEN": token, "XDG_CONFIG_HOME": str(folder)}
    return run("submit", *words, "--to", served.address, where=folder, **own)


def test_submit(served: Served, accounts: Accounts, tmp_path: Path) -> None:
    account = accounts.add("Terminal", PASSWORD)
    token = accounts.add_token(account, "laptop", ["submit"], 1)[1]
    (tmp_path / "good.py").write_text(cave())
    (tmp_path / "bad.py").write_text("input()\nprint('Z99')\n")
    done = submit(served, tmp_path, token, "good.py", "--game", GAME, "--name", "By hand", "--challenge", "random")
    assert done.returncode == 0, done.stderr
    assert "✓ a whole game on the standard board, moving first, against Random" in done.stdout
    assert "Ready to play." in done.stdout
    assert "rank " in done.stdout
    failed = submit(served, tmp_path, token, "bad.py", "--game", GAME, "--json")
    assert failed.returncode == 1
    document = json.loads(failed.stdout)
    assert (document["state"], document["name"]) == ("failed", "bad")
    for words, wrong, says in (
        (["good.py"], token, "it is not clear which game"),
        (["none.py"], token, "none.py: there is no such file or folder"),
        (["good.py", "--game", "chess"], token, "there is no game 'chess'"),
        (["good.py", "--game", GAME], "nonsense", "this token is not valid"),
        (["good.py", "--game", GAME], "", "a token is needed"),
    ):
        assert says in one_sentence(submit(served, tmp_path, wrong, *words))
    chinese = {"LUDUS_TOKEN": "nonsense", "LUDUS_LANGUAGE": "zh"}
    refused = run("submit", "good.py", "--game", GAME, "--to", served.address, where=tmp_path, **chinese)
    assert "權杖無效" in one_sentence(refused), "the arena's answer is data, put into words here"
    nowhere = run("submit", "good.py", "--game", GAME, "--to", "http://127.0.0.1:9", "--token", "x", where=tmp_path)
    assert "no arena answers at" in one_sentence(nowhere)
    (tmp_path / "ludus").mkdir()
    (tmp_path / "ludus" / "submit.toml").write_text(f'token = "{token}"\n')
    kept = submit(served, tmp_path, "", "good.py", "--game", GAME, "--name", "By hand")
    assert "nothing has changed since version 1" in kept.stderr
