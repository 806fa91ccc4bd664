"""Analysis in the web arena without a browser: positions of any kind, the engine's lines, reviews, answers, trees."""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_web import events, follow
from web import Served, begin

import ludus
from ludus.game import read_options
from ludus.messages import Message, render
from ludus.search.analysis import review
from ludus.search.compare import compare_search
from ludus.web.analysis.positions import options_beside, read_any
from ludus.web.analysis.reviews import MOST_KEPT, NODES, Reviews
from ludus.web.jobs.tasks import MEGABYTES
from ludus.web.jobs.workers import AsyncWorkers


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    with served.client() as client:
        yield client


def short_game(seed: int = 1) -> ludus.Record:
    game = ludus.game("chain-reaction", rows=3, cols=3)
    return ludus.play_match(game, (f"random:seed={seed}", f"random:seed={seed + 1}"))


def brought(client: httpx.Client, text: str, game: str = "cantris") -> dict[str, Any]:
    answer = client.post("/api/imports", json={"game": game, "text": text})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


# ----------------------------------------------------------------------------------------------------------------------
# Positions


@pytest.mark.parametrize("name", ludus.games())
def test_a_position_is_shown_with_the_moves_tried(client: httpx.Client, name: str) -> None:
    state: Any = ludus.game(name).initial(4)
    moves = [state.legal_moves[0], state.play(state.legal_moves[0]).legal_moves[-1]]
    asked = {"game": name, "position": state.text, "moves": moves}
    shown = client.get("/api/positions", params=asked).json()
    assert shown["start"]["text"] == state.text
    assert [ply["move"] for ply in shown["plies"]] == moves
    assert shown["position"]["text"] == state.play(moves[0]).play(moves[1]).text
    assert client.get("/api/positions", params={"game": name, "seed": 4}).json()["start"]["text"] == state.text
    refused = client.get("/api/positions", params={**asked, "moves": ["Z99"]})
    assert refused.status_code == 400


@pytest.mark.parametrize(
    ("name", "options", "beside"),
    [
        ("chain-reaction", {"rows": 3, "cols": 4}, ""),
        ("chain-reaction", {"explosion": "dies"}, "explosion=dies"),
        ("magnetic-cave", {"rows": 6, "line": 4}, "line=4"),
        ("fruit-rage", {"size": 1, "types": 8}, "types=8"),
        ("cantris", {"rows": 10, "cols": 5, "second_removal": "optional"}, "second_removal=optional"),
    ],
)
def test_an_address_says_what_the_position_does_not(name: str, options: dict[str, Any], beside: str) -> None:
    state = ludus.game(name, **options).initial(1)
    assert options_beside(state) == beside
    assert ludus.game(name, **read_options(beside.split())).parse(state.text) == state


@pytest.mark.parametrize("name", ludus.games())
def test_a_board_is_set_up_cell_by_cell(client: httpx.Client, name: str) -> None:
    state: Any = ludus.game(name).initial(2)
    for ply in range(5):
        state = state.play(state.legal_moves[7 * ply % len(state.legal_moves)])
    shown = client.get("/api/positions", params={"game": name, "position": state.text}).json()
    cells = {piece["mark"]["text"]: piece["cell"] for piece in shown["palette"]}
    board, cols = shown["position"]["board"], shown["frame"]["cols"]
    texts = [cells[board["marks"][number]["text"]] for number in board["cells"]]
    rows = [texts[at : at + cols] for at in range(0, len(texts), cols)]
    wanted = {"game": name, "rows": rows, "side": state.side, "scores": state.scores}
    assert client.post("/api/positions", json=wanted).json()["position"]["text"] == state.text


@pytest.mark.parametrize(
    ("name", "rows", "words"),
    [
        ("magnetic-cave", [[*"...x...."], *([*"........"] for _ in range(7))], "the brick on D8 floats"),
        ("fruit-rage", [["1", "*"], ["*", "1"]], "the fruit at A1 floats above the empty cell A2"),
        ("cantris", [["1", "2"], [".", "1"]], "the tile at 0,0 floats above an empty cell"),
        ("chain-reaction", [["r1", "b9"], [".", "."]], "a cell must be one of . r1 r2 r3 b1 b2 b3, not 'b9'"),
        ("chain-reaction", [["r1"], [".", "."]], "row 2 of the board has 2 cells, but row 1 has 1"),
        ("cantris", [], "cantris has no board of this size"),
    ],
)
def test_a_board_that_cannot_be_is_refused_in_one_sentence(
    client: httpx.Client, name: str, rows: list[list[str]], words: str
) -> None:
    answer = client.post("/api/positions", json={"game": name, "rows": rows})
    assert answer.status_code == 400
    assert words in answer.json()["detail"]


INPUT = "2\r\n3\r\n123.6\r\n01\r\n21"
BOARD = "4 2 2 4\n3 1 3 4\n1 3 1 2\n"


@pytest.mark.parametrize(
    ("text", "name", "position"),
    [
        ("r1./.b1 1 2", "chain-reaction", "r1./.b1 1 2"),
        ("r1./.b1 2\n120.000\n", "chain-reaction", "r1./.b1 2 2"),
        (INPUT, "fruit-rage", "01/21 1 0-0"),
        (BOARD, "cantris", "4224/3134/1312 1 0-0 0"),
        ("4224/3134/1312 2 7-9 0", "cantris", "4224/3134/1312 2 7-9 0"),
    ],
)
def test_what_people_bring_is_read(client: httpx.Client, text: str, name: str, position: str) -> None:
    found = brought(client, text, name)["study"]
    assert (found["frame"]["game"], found["start"]["text"]) == (name, position)
    other = next(game for game in ludus.games() if game not in (name, "cantris", "fruit-rage"))
    if name not in ("cantris", "fruit-rage"):
        assert brought(client, text, other)["study"]["frame"]["game"] == name, "the game is found out"


def test_a_record_that_is_brought_is_kept(client: httpx.Client) -> None:
    record = short_game()
    name = brought(client, record.text)["match"]
    assert client.get(f"/api/matches/{name}/record").text == record.text
    assert client.get(f"/api/matches/{name}/positions").json() == [state.text for state in record.states()]


NEITHER = "this is not a game record, a position or a list of moves; a position of "
TAKEN_FOR = [
    (
        "chain-reaction",
        "garbage here",
        NEITHER + "Chain Reaction starts like ....../....../, and moves are written 1. A1 F5",
    ),
    ("cantris", "he/she", NEITHER + "Cantris starts like 2344/1231/, and moves are written 1. 0,0 7,3"),
    (
        "chain-reaction",
        "1. A1 A1",
        "this looks like a list of moves of Chain Reaction, but in line 1, column 7: move 2 (by the second player) ",
    ),
    (
        "cantris",
        "A1 F5",
        "this looks like a list of moves of Cantris, but in line 1, column 1: move 1 (by the first player) is illegal",
    ),
    ("cantris", "2344/1231/31g3", "this looks like a position of Cantris, but in line 1, column 13: expected a tile"),
    ("cantris", "......../xo....", "this looks like a position of Connect Four, but in line 1, column 1: row 2"),
    (
        "fruit-rage",
        "2\n3\n9.5\n01\n2",
        "this looks like a board file of The Fruit Rage, but in line 5, column 2: expected 2 cells",
    ),
    ("chain-reaction", "1 2 3\n1 2", "this looks like a board file of Cantris, but in line 2"),
    ("cantris", "[Game", "this looks like a game record, but in line 1, column 1: a header must have the form"),
    (
        "cantris",
        ' [Game "cantris"]\n1. Z9',
        "this looks like a game record, but in line 2, column 4: move 1 (by the first player) is illegal",
    ),
    ("cantris", '[Game "chess"]', "this looks like a game record, but "),
    ("magnetic-cave", "\x01", "this is not a game record"),
    ("magnetic-cave", "\x00", "this request contains a character that no text can have"),
    ("cantris", "", "there is no text"),
    ("cantris", "\n", "there is no text; paste a record, a position, a board file or moves"),
]


@pytest.mark.parametrize(("name", "text", "said"), TAKEN_FOR)
def test_a_refusal_says_what_the_text_was_taken_for(client: httpx.Client, name: str, text: str, said: str) -> None:
    answer = client.post("/api/imports", json={"game": name, "text": text})
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith(said)
    chinese = render(Message.from_json(answer.json()["message"]), "zh")
    assert not re.search(r"looks like|neither|in line|illegal", chinese), chinese


def test_moves_alone_are_a_game_from_the_start_or_from_the_board_that_is_shown(client: httpx.Client) -> None:
    def start(**wanted: Any) -> Any:
        found = client.post("/api/imports", json=wanted).json()
        return client.get(f"/api/matches/{found['match']}").json()

    usual = ludus.game("chain-reaction").initial()
    shown = start(game="chain-reaction", text="1. A1 F5", start="r1...../....../....../....../...... 2 1")
    assert (shown["start"]["text"], [ply["move"] for ply in shown["plies"]]) == (usual.text, ["A1", "F5"])
    shown = start(game="chain-reaction", options="rows=8 cols=8", text="h8")
    assert (shown["start"]["text"].count("/"), shown["plies"][0]["move"]) == (7, "H8")
    for name, options in (("cantris", {"rows": 10, "cols": 5}), ("fruit-rage", {"size": 6})):
        board: Any = ludus.game(name, **options).initial(77)
        words = " ".join(f"{key}={value}" for key, value in board.game.options.items())
        moves = [board.legal_moves[3], board.play(board.legal_moves[3]).legal_moves[0]]
        shown = start(game=name, options=words, start=board.text, text=", ".join(moves))
        assert (shown["start"]["text"], [ply["move"] for ply in shown["plies"]]) == (board.text, moves)


@given(st.text(alphabet="rb.12xo*0/ -\n[]G", max_size=40))
def test_reading_fails_with_a_sentence_only(text: str) -> None:
    with contextlib.suppress(ValueError):
        read_any("chain-reaction", text)


@pytest.mark.parametrize("name", ludus.games())
def test_files_to_take_away_can_be_brought_back(client: httpx.Client, name: str) -> None:
    state: Any = ludus.game(name).initial(3)
    moves = [state.legal_moves[0]]
    asked = {"game": name, "position": state.text, "moves": moves}
    after = state.play(moves[0])

    def taken(kind: str) -> httpx.Response:
        return client.get(f"/api/positions/files/{kind}", params=asked)

    assert brought(client, taken("text").text, name)["study"]["start"]["text"] == after.text
    record = ludus.Record.parse(taken("record").text)
    assert ([played.move for played in record.moves], record.final) == (moves, after)
    assert taken("picture").text.startswith("<svg")
    assert "attachment" in taken("picture").headers["content-disposition"]
    course = taken("course")
    if name in ("fruit-rage", "cantris"):
        board = brought(client, course.text, name)["study"]["start"]["text"]
        assert board.partition(" ")[0] == after.text.partition(" ")[0]
    else:
        assert (course.status_code, "has no board file" in course.text) == (400, True)


# ----------------------------------------------------------------------------------------------------------------------
# The engine


def thoughts(client: httpx.Client, **asked: Any) -> list[dict[str, Any]]:
    found = []
    with client.stream("GET", "/api/positions/events", params=asked) as stream:
        for _, thought in events(stream):
            found.append(thought)
            if thought["done"]:
                return found
    raise AssertionError("the stream ended")


def test_lines_come_ever_deeper_until_they_are_proven(client: httpx.Client) -> None:
    state: Any = ludus.game("magnetic-cave", rows=5, cols=5, line=3).initial()
    found = thoughts(client, game="magnetic-cave", options="line=3", position=state.text)
    depths = [thought["depth"] for thought in found]
    assert depths == sorted(depths)
    last = found[-1]["lines"]
    assert len(last) == 3
    assert last[0]["exact"]
    assert last[0]["value"] == ludus.analyse(state, depth=100).value
    over = client.get("/api/positions/events", params={"game": "cantris", "position": ".1/.1 1 0-0"})
    assert (over.status_code, over.json()["detail"]) == (400, "the game is over in this position")


@pytest.mark.anyio
async def test_a_question_that_is_given_up_leaves_its_worker_to_the_next() -> None:
    workers = AsyncWorkers(2)
    workers.open()
    start = ludus.game("magnetic-cave").initial()
    before = {worker.process.pid for worker in workers.workers}
    for _ in range(8):
        async with contextlib.aclosing(workers.ask("me", "look", start, 60.0, 3, seconds=90.0)) as answers:
            async for _ in answers:
                break
    whole = [answer async for answer in workers.ask("me", "consider", start, 1000, seconds=60.0)]
    assert {worker.process.pid for worker in workers.workers} == before, "no worker had to be killed"
    workers.close()
    assert whole[0].nodes >= 1000


# ----------------------------------------------------------------------------------------------------------------------
# Whole games


def reviewed(client: httpx.Client, name: str, seen: int = 0) -> list[dict[str, Any]]:
    judged: list[dict[str, Any]] = []
    headers = {"Last-Event-ID": str(seen)} if seen else {}
    with client.stream("GET", f"/api/matches/{name}/review/events", headers=headers) as stream:
        for number, news in events(stream):
            assert news.get("since", 0) == seen + len(judged), "no gap, no double"
            judged += news.get("moves", [])
            assert number == seen + len(judged)
            if news.get("done"):
                return judged
    raise AssertionError("the stream ended")


def test_moves_are_classed_as_analyse_classes_them(client: httpx.Client) -> None:
    record = short_game()
    name = brought(client, record.text)["match"]
    judged = reviewed(client, name)
    truth = list(review(record, nodes=NODES, megabytes=MEGABYTES))
    assert [(move["move"], move["grade"], move["line"][0]) for move in judged] == [
        (entry.move, entry.grade, entry.best) for entry in truth
    ]
    for move, entry in zip(judged, truth, strict=True):
        chance = entry.analysis.win_chance
        assert move["win_chance"] == pytest.approx(chance if entry.side == 0 else 1 - chance, abs=1e-4)
    assert reviewed(client, name, seen=3) == judged[3:], "taken up again, and kept"


def test_better_moves_are_judged_by_the_same_measure(client: httpx.Client) -> None:
    record = ludus.Record.parse('[Game "magnetic-cave"]\n1. A1 H1 2. A2 H2 3. A3 H3 4. A4 B1 5. A5')
    name = brought(client, record.text)["match"]
    path = f"/api/matches/{name}/review"
    assert client.post(f"{path}/8", json={"move": "A5"}).status_code == 409, "not reviewed yet"
    judged = reviewed(client, name)
    assert judged[7]["grade"] in ("mistake", "blunder")
    answers = {move: client.post(f"{path}/8", json={"move": move}).json() for move in ("A5", "B1", "H4")}
    assert answers["A5"]["verdict"] == "good"
    assert answers["B1"]["verdict"] == "no", "what was played is no better than itself"
    assert client.post(f"{path}/8", json={"move": "D4"}).status_code == 400
    assert client.post(f"{path}/99", json={"move": "A5"}).status_code == 400


def test_a_review_lets_others_ask_in_between(client: httpx.Client, served: Served) -> None:
    text = ludus.play_match(ludus.game("magnetic-cave"), ("random:seed=3", "random:seed=4")).text
    name = brought(client, text)["match"]
    with served.client() as other, client.stream("GET", f"/api/matches/{name}/review/events") as stream:
        following = events(stream)
        next(following)
        assert other.get("/api/positions/events", params={"game": "cantris", "position": "12/21 1 0-0"}).text
        _, news = next(following)
        assert not news.get("done"), "the other's question was answered long before the end"


@pytest.mark.anyio
async def test_reviews_that_nobody_follows_are_let_go_of_the_oldest_first() -> None:
    reviews = Reviews(AsyncWorkers(2))
    watched = reviews.follow("watched", ludus.Record(ludus.game("cantris").initial()), "me")
    for number in range(MOST_KEPT + 20):
        reviews.leave(reviews.follow(str(number), watched.record, "me"))
    assert reviews.find("watched") is not None
    assert reviews.find("20") is None
    assert reviews.find("21") is not None
    assert reviews.find(str(MOST_KEPT + 19)) is not None


def test_a_game_that_goes_on_is_not_analysed(client: httpx.Client) -> None:
    match = begin(client, "cantris", "human", "human")
    for path in ("review/events", "positions"):
        answer = client.get(f"/api/matches/{match['id']}/{path}")
        assert (answer.status_code, "still being played" in answer.text) == (409, True)


# ----------------------------------------------------------------------------------------------------------------------
# The search explorer


@pytest.mark.parametrize("name", ludus.games())
@pytest.mark.parametrize("method", ["minimax", "alphabeta", "ordering"])
def test_a_tree_counts_what_compare_search_counts(client: httpx.Client, name: str, method: str) -> None:
    state: Any = ludus.game(name).initial(1)
    asked = {"game": name, "position": state.text, "method": method, "depth": 2}
    tree = client.get("/api/searches", params=asked).json()
    *_, line = compare_search(state, 2)
    assert tree["counts"] == {other: thought.nodes for other, thought in line.thoughts.items()}
    assert (tree["nodes"], tree["move"], tree["values"][0]) == (tree["counts"][method], line.move, line.value)
    assert len(tree["parents"]) == tree["nodes"] + 1
    assert bool(tree["skipped"]) == (method != "minimax" and tree["nodes"] < tree["counts"]["minimax"])


def test_a_tree_that_is_too_large_is_refused_in_one_sentence(client: httpx.Client) -> None:
    asked: dict[str, Any] = {"game": "fruit-rage", "method": "minimax", "depth": 4}
    answer = client.get("/api/searches", params=asked)
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith("this search looks at more than 50,000 positions; choose")
    assert client.get("/api/searches", params={**asked, "depth": 7}).status_code == 422
    assert client.get("/api/searches", params={**asked, "method": "guess"}).status_code == 422
    over = client.get("/api/searches", params={**asked, "game": "cantris", "position": ".1/.1 1 0-0"})
    assert over.json()["detail"] == "the game is over; there is nothing to search"


def test_a_thousand_questions_starve_no_game(served: Served) -> None:
    address = urlsplit(served.address)
    assert address.hostname is not None
    with contextlib.ExitStack() as crowd:
        asking = []
        for number in range(1000):
            line = crowd.enter_context(socket.create_connection((address.hostname, address.port or 80)))
            asked = "GET /api/positions/events?game=magnetic-cave HTTP/1.1"
            line.sendall(f"{asked}\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.{number % 100}\r\n\r\n".encode())
            asking.append(line)
        with served.client() as client:
            match = begin(client, "magnetic-cave", "human", "engine:level=1")
            for ply in (0, 2, 4):
                move = client.get(f"/api/matches/{match['id']}").json()["position"]["legal"][0]["move"]
                answer = client.post(f"/api/matches/{match['id']}/moves", json={"move": move, "ply": ply})
                assert answer.status_code == httpx.codes.OK, answer.text
                assert len(follow(client, match["id"], ply + 2)) == ply + 2
                assert client.get("/healthz").text == "ok\n"
        told = []
        for line in asking:
            line.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                told.append(line.recv(1 << 20).decode())
        assert told
        assert {text.split()[1] for text in told} <= {"200", "429"}
        finished = sum('"done":true' in text for text in told)
        assert finished < 1000, "the game did not wait until all questions were answered"
