"""The whole arena on PostgreSQL: accounts, games, bots and jobs, and a restart in between."""

from __future__ import annotations

import base64
from pathlib import Path

import httpx
import postgres
from patience import until
from web import begin, serving, signed_in

BOT = b"""
def choose(state, clock):
    return state.legal_moves[0]
"""


def until_checked(client: httpx.Client, bot: int) -> dict[str, object]:
    """Wait until the newest version of a bot has been checked."""

    def look() -> dict[str, object]:
        version: dict[str, object] = client.get(f"/api/bots/{bot}").json()["versions"][0]
        return {} if version["state"] in ("waiting", "checking") else version

    return until(look, "the end of the check")


def test_people_play_and_hand_in_and_nothing_is_lost_by_a_restart(tmp_path: Path) -> None:
    url = postgres.new_database()
    with serving(url, files=tmp_path / "files") as server, signed_in(server, url, "小明") as client:
        match = begin(client, "cantris", "human", "engine:level=1", seed=1)
        move = match["position"]["legal"][0]["move"]
        played = client.post(f"/api/matches/{match['id']}/moves", json={"move": move, "ply": 0})
        assert played.status_code == httpx.codes.OK, played.text
        sent = {"name": "bot.py", "data": base64.b64encode(BOT).decode()}
        body = {"name": "first", "game": "cantris", "protocol": "python", "files": [sent]}
        handed = client.post("/api/bots", json=body)
        assert handed.status_code == httpx.codes.CREATED, handed.text
        bot = handed.json()["id"]
        for path, field in (("/api/matches", "seats"), ("/api/account/sign-in", "name"), ("/api/courses", "title")):
            body = {"game": "cantris", "seats": ["human", "human"], "name": "x", "password": "y", "title": "t"}
            nul = "\0" if field != "seats" else ["human", "\0"]
            answer = client.post(path, json=body | {"preset": "nycu-cantris", field: nul})
            assert answer.status_code in (400, 403), "which PostgreSQL would not take"
        assert client.get("/api/opponents/x%00").status_code == httpx.codes.BAD_REQUEST
    with serving(url, files=tmp_path / "files") as server, signed_in(server, url, "小明") as client:
        assert until_checked(client, bot)["state"] == "passed"
        shown = client.get(f"/api/matches/{match['id']}").json()
        assert shown["plies"][0]["move"] == move
        assert shown["seats"][0]["you"]
