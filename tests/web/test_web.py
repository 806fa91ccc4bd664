"""The web arena without a browser: matches, streams, restarts, who may do what, bad input, both languages' words."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from patience import PATIENCE
from web import Served, begin, serving

import ludus
from ludus.game import Step
from ludus.messages import LANGUAGES, Message, catalogue
from ludus.play.clock import Clock, TimeLeft
from ludus.play.match import PlayerAnswer
from ludus.play.player import Player, Situation
from ludus.store.matches import Matches
from ludus.web.jobs import tasks
from ludus.web.jobs.workers import AsyncWorkers
from ludus.web.matches import live
from ludus.web.matches.arena import Arena
from ludus.web.views import board_view, game_view, game_words, steps_of

STATIC = Path(ludus.__file__).parent / "web" / "static"


def events(stream: httpx.Response) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read a stream of events: their numbers and what they say."""
    number = 0
    for line in stream.iter_lines():
        if line.startswith("id: "):
            number = int(line[4:])
        elif line.startswith("data: "):
            yield number, json.loads(line[6:])


def follow(client: httpx.Client, name: str, until: int) -> list[dict[str, Any]]:
    """Follow a match until so many moves have been played; give what a page would have: its plies."""
    plies: list[dict[str, Any]] = []
    with client.stream("GET", f"/api/matches/{name}/events") as stream:
        for _, view in events(stream):
            del plies[view.get("since", 0) :]
            plies += view.get("plies", [])
            if len(plies) >= until or "outcome" in view["position"]:
                return plies
    raise AssertionError("the stream ended")


@pytest.mark.parametrize("name", ludus.games())
def test_the_last_step_of_a_move_is_the_board_after_it(name: str) -> None:
    state = ludus.game(name).initial(5)
    for _ in range(12):
        if state.outcome is not None:
            break
        move = state.legal_moves[len(state.text) % len(state.legal_moves)]
        after = state.play(move)
        assert steps_of(state, move)[-1].board == board_view(after.game, after)
        state = after


@pytest.mark.parametrize("name", ludus.games())
def test_a_person_plays_the_engine(served: Served, name: str) -> None:
    with served.client() as client:
        match = begin(client, name, "human", "engine:level=1", seed=7)
        assert {"move", "hint", "resign"} <= set(match["may"])
        move = match["position"]["legal"][0]
        assert move["cells"]
        answer = client.post(f"/api/matches/{match['id']}/moves", json={"move": move["move"], "ply": 0})
        assert answer.status_code == 200, answer.text
        plies = follow(client, match["id"], 2)
        assert [ply["side"] for ply in plies] == [0, 1]
        again = client.post(f"/api/matches/{match['id']}/moves", json={"move": move["move"], "ply": 0})
        assert again.status_code == 200, "the same move sent twice is played once"
        shown = client.get(f"/api/matches/{match['id']}").json()
        assert len(shown["plies"]) == 2
        undone = client.post(f"/api/matches/{match['id']}/undo", json={}).json()
        assert "plies" not in undone
        assert undone["position"]["text"] == match["position"]["text"]


def test_a_stream_is_taken_up_again_without_a_gap_or_a_double(served: Served) -> None:
    with served.client() as client:
        match = begin(client, "magnetic-cave", "human", "human")
        path = f"/api/matches/{match['id']}"
        seen, plies = 0, list[dict[str, Any]]()
        for ply, move in enumerate(("A1", "H1", "A2")):
            client.post(f"{path}/moves", json={"move": move, "ply": ply})
            if ply == 1:
                client.post(f"{path}/undo", json={})
                client.post(f"{path}/moves", json={"move": "B1", "ply": 1})
            if ply == 1:
                continue  # two changes pass unseen
            with client.stream("GET", f"{path}/events", headers={"Last-Event-ID": str(seen)}) as stream:
                seen, view = next(events(stream))
            del plies[view.get("since", 0) :]
            plies += view.get("plies", [])
        assert [ply["move"] for ply in plies] == ["A1", "B1", "A2"]
        assert seen == view["version"]


def test_a_game_survives_a_restart(tmp_path: Path) -> None:
    with serving(tmp_path / "arena.db") as server, server.client() as client:
        match = begin(client, "magnetic-cave", "human", "human", clock="300")
        client.post(f"/api/matches/{match['id']}/moves", json={"move": "A1", "ply": 0})
        cookies = client.cookies
    assert server.process.returncode == 0
    with serving(tmp_path / "arena.db") as server, httpx.Client(base_url=server.address) as client:
        client.cookies.update(cookies)
        path = f"/api/matches/{match['id']}"
        assert client.get(path).json()["may"] == ["resign", "move", "hint", "undo"]
        assert client.post(f"{path}/moves", json={"move": "A2", "ply": 1}).status_code == 200
        record = ludus.Record.parse(client.get(f"{path}/record").text)
        assert [played.move for played in record.moves] == ["A1", "A2"]


def test_matches_that_nobody_follows_leave_memory_and_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "IDLE_SECONDS", 0.0)
    start = ludus.game("magnetic-cave").initial()
    store = Matches(tmp_path / "arena.db")

    async def play() -> None:
        arena = Arena(store, AsyncWorkers(1), lambda _: {})
        begun = [await arena.begin(start, ("human", "human"), Clock(), "me", 1) for _ in range(3)]
        clocked = await arena.begin(start, ("human", "human"), Clock.parse("300"), "me", 1)
        watched = await arena.begin(start, ("human", "human"), Clock(), "me", 1)
        watched.watching = 1
        for _ in range(10):
            await arena.begin(start, ("human", "human"), Clock(), "me", 1)
        assert await arena.find(clocked.name) is clocked, "its time runs"
        assert await arena.find(watched.name) is watched
        again = await arena.find(begun[0].name)
        assert again is not None
        assert again is not begun[0]
        await arena.play(again, "me", "A1", 0)
        kept = await arena.find(again.name)
        assert kept is not None
        assert [played.move for played in kept.match.record.moves] == ["A1"]
        await arena.close()

    asyncio.run(play())
    store.close()


def test_two_people_by_link_and_a_third_who_watches(served: Served) -> None:
    with served.client() as one, served.client() as two, served.client() as three:
        match = begin(one, "chain-reaction", "human", "open")
        path = f"/api/matches/{match['id']}"
        early = one.post(f"{path}/moves", json={"move": "A1", "ply": 0})
        assert (early.status_code, early.json()["detail"]) == (409, "your opponent has not joined yet")
        assert two.post(f"{path}/seat", json={}).status_code == 200
        assert three.post(f"{path}/seat", json={}).status_code == 409
        assert two.post(f"{path}/moves", json={"move": "A1", "ply": 0}).json()["detail"] == "it is not your turn"
        assert one.post(f"{path}/moves", json={"move": "A1", "ply": 0}).status_code == 200
        watcher = three.post(f"{path}/moves", json={"move": "F5", "ply": 1}).json()
        assert watcher["message"]["code"] == "web.only_watching"
        for what in ("undo", "hint"):
            assert one.post(f"{path}/{what}", json={}).status_code == 409, "not between two people"
        over = two.post(f"{path}/resign", json={}).json()
        outcome = over["position"]["outcome"]
        assert (outcome["winner"], outcome["reason"]) == (0, "resigned")
        ends = [over["ending"], *(client.get(path).json()["ending"] for client in (one, three))]
        assert [str(Message.from_json(end)) for end in ends] == [
            f"{verdict} Blue resigned. 1 move." for verdict in ("You lost.", "You won!", "Red wins.")
        ]
        first, second = (client.post(f"{path}/rematch", json={}).json()["id"] for client in (one, two))
        assert first == second
        assert one.get(f"/api/matches/{first}").json()["seats"][1]["you"], "the seats are swapped"


def test_time_runs_out(served: Served) -> None:
    with served.client() as client:
        match = begin(client, "cantris", "human", "human", clock="0.2/move")
        follow(client, match["id"], 1)
        outcome = client.get(f"/api/matches/{match['id']}").json()["position"]["outcome"]
        assert (outcome["winner"], outcome["reason"]) == (1, "timeout")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"game": "chess", "seats": ["human", "human"]}, "there is no game 'chess'"),
        ({"game": "cantris", "seats": ["human", "lines:./bot"]}, "there is no player 'lines:./bot'"),
        ({"game": "cantris", "seats": ["human", "heithoff"]}, "there is no player 'heithoff' in cantris"),
        ({"game": "cantris", "seats": ["greedy", "greedy"]}, "at least one player must be you"),
        ({"game": "cantris", "seats": ["human", "human"], "clock": "soon"}, "is not a clock"),
        ({"game": "cantris", "seats": ["human", "human"], "options": {"rows": 99}}, "option rows must be"),
        ({"game": "cantris", "seats": ["human", "human"], "start": "nonsense"}, "line 1, column"),
        ({"game": "cantris", "seats": ["human"]}, "seats"),
        ({}, "game: field required"),
    ],
)
def test_bad_wishes_get_one_sentence(served: Served, body: dict[str, Any], words: str) -> None:
    with served.client() as client:
        answer = client.post("/api/matches", json=body)
        assert 400 <= answer.status_code < 500
        assert words in answer.json()["detail"]


def test_the_catalogues_are_loaded_in_few_requests(served: Served) -> None:
    with served.client() as client:
        for language in LANGUAGES:
            texts: dict[str, str] = {}
            for name in ("common", "server", "bots"):
                path = f"/static/messages/{language}/{name}.json"
                answer = client.get(path)
                texts |= answer.json()
                known = {"If-None-Match": answer.headers["etag"]}
                assert client.get(path, headers=known).status_code == 304
            every = {**catalogue(language), **game_words(language)}
            assert texts.items() <= every.items()
            assert {"player.human", "cantris.title", "web.sign_in_first", "bots.title"} <= texts.keys()
        for missing in ("/static/messages/en/nothing.json", "/static/messages/xx/common.json"):
            assert client.get(missing).status_code == 404


def test_a_refusal_is_a_message_too(served: Served) -> None:
    with served.client() as client:
        answer = client.get("/api/ladders/chess").json()
        assert answer == {"detail": "there is no such game", "message": {"code": "web.no_such_game", "params": {}}}
        answer = client.post("/api/positions", json={"game": "chess", "rows": [["1"]], "side": 0}).json()
        assert answer["detail"] == str(Message.from_json(answer["message"]))


def test_what_is_refused(served: Served) -> None:
    with served.client() as client:
        match = begin(client, "cantris", "human", "human")
        path = f"/api/matches/{match['id']}"
        assert client.post(f"{path}/moves", json={"move": "9,9", "ply": 0}).status_code == 400
        assert client.post(f"{path}/moves", json={"move": "0,0", "ply": 5}).status_code == 409
        assert client.post(f"{path}/moves", content=b"x" * 300_000).status_code == 413
        foreign = {"Origin": "http://elsewhere.example"}
        assert client.post(f"{path}/resign", json={}, headers=foreign).status_code == 403
        for missing in ("/api/matches/aaaaaaaaaaaa", "/nowhere", "/static/games/chess.js", "/static/../app.py"):
            assert client.get(missing).status_code == 404
        assert client.get("/api/matches/x").status_code == 422
        assert client.post("/api/records", json={"text": '[Game "cantris"]\n1. Z9'}).status_code == 400
        policy = client.get("/").headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
    with served.client() as stranger:
        answer = stranger.post("/api/matches", json={"game": "cantris", "seats": ["human", "human"]})
        assert re.search(r"HttpOnly.*SameSite=strict", answer.headers["set-cookie"])


def test_a_record_can_be_brought_and_shared(served: Served) -> None:
    text = ludus.play_match(ludus.game("magnetic-cave"), ("random:seed=1", "random:seed=2")).text
    with served.client() as client:
        match = client.post("/api/records", json={"text": text}).json()
        assert client.get(f"/api/matches/{match['id']}/record").text == text
        assert client.post(f"/api/matches/{match['id']}/rematch", json={}).status_code == 409


def test_every_word_that_pages_ask_for_is_there() -> None:
    files = [*STATIC.rglob("*.js"), *(STATIC.parent.parent / "games").glob("*/board.js")]
    for file in files:
        for key in re.findall(r"""\b(?:t|tCount|actionButton)\(\s*"([\w.\-]+)\"""", file.read_text()):
            assert key in catalogue("en"), f"{file.name}: {key}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_has_its_words(name: str, language: str) -> None:
    game, words, own = game_view(name), game_words(language), name.replace("-", "_")
    made = ludus.game(name)
    assert made.look.board is not None
    wanted = [f"{own}.title", f"{own}.about", f"{own}.short", *(f"side.{side}" for side in game.sides)]
    wanted += [f"{own}.option.{option.name}" for option in game.options]
    wanted += [f"{own}.choice.{choice}" for option in game.options for choice in option.choices or ()]
    for cell in made.look.palette(made)[1:]:
        mark = made.look.board(Step("", (), 0, cell)).marks[0][0]
        wanted.append(f"{own}.cell.{mark.piece if mark.side is None else ('first', 'second')[mark.side]}")
    assert set(wanted) <= set(words)


def test_the_server_stops_while_someone_watches(tmp_path: Path) -> None:
    with serving(tmp_path / "arena.db") as server, server.client() as client:
        match = begin(client, "cantris", "human", "human")
        with client.stream("GET", f"/api/matches/{match['id']}/events") as stream:
            next(events(stream))
            server.process.send_signal(2)
            assert server.process.wait(PATIENCE) == 0


def test_the_second_removal_of_a_turn_has_what_the_first_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And its worker has time to start on a busy machine: the clock is measured inside it."""
    asked: list[tuple[str, Situation, float]] = []

    class Asked:
        async def play(self, _asker: str, _task: str, text: str, situation: Situation, seconds: float) -> PlayerAnswer:
            asked.append((text, situation, seconds))
            return PlayerAnswer(situation.state.legal_moves[0], 1.8 if len(asked) == 1 else 0.1)

    async def play() -> None:
        workers: Any = Asked()
        arena = Arena(Matches(tmp_path / "arena.db"), workers, lambda _: {})
        start = ludus.game("cantris", rows=10, cols=5).initial(1)
        live = await arena.begin(start, ("greedy", "human"), Clock.parse("3/move"), "ada", 1)
        while len(live.match.record.moves) < 2:
            await asyncio.sleep(0.001)
        await arena.close()

    asyncio.run(asyncio.wait_for(play(), PATIENCE))
    text, situation, seconds = asked[1]
    assert seconds > 1.2 + 5
    left: list[TimeLeft] = []

    class Chooser(Player):
        def choose(self, state: ludus.State, time: TimeLeft) -> str:
            left.append(time)
            return state.legal_moves[0]

    monkeypatch.setattr(tasks, "player", lambda *_: Chooser())
    tasks.choose(lambda _answer: None, text, situation)
    assert left[0].seconds == pytest.approx(1.2)
