"""Programs that play on an arena over the network: `ludus.client`, and the examples that use it or do without."""

from __future__ import annotations

import http.server
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest
from patience import PATIENCE
from web import PASSWORD, Served

from ludus.client import ArenaClient, UnreachableError
from ludus.errors import UserError
from ludus.store.accounts import Accounts

EXAMPLES = Path(__file__).parents[2] / "examples" / "arena"


@pytest.fixture(scope="module")
def token(accounts: Accounts) -> str:
    account = accounts.find("robot") or accounts.add("robot", PASSWORD)
    return accounts.add_token(account, "test", ("read", "play"), 1)[1]


def test_a_game_against_a_player_of_the_arena(served: Served, token: str) -> None:
    match = ArenaClient(served.address, token).begin("cantris", "random", side=1, rows=12, cols=3)
    turns = 0
    for state, seconds in match.turns():
        assert state.side == match.side == 1 and seconds is None
        match.play(state.legal_moves[-1])
        turns += 1
    assert turns > 1
    assert match.outcome is not None and match.outcome.reason == "rules"
    assert match.state.outcome == match.outcome
    assert len(match.moves) == 2 * turns or len(match.moves) == 2 * turns + 1


def test_the_example_of_the_page_plays_to_the_end(
    served: Served, token: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (EXAMPLES.parents[1] / "docs" / "arena.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    program = block.replace("https://arena.example", served.address)
    assert program != block
    exec(compile(program, "arena.md", "exec"), {"token": token})  # noqa: S102
    assert capsys.readouterr().out.startswith("Outcome(winner=")


def test_two_programs_meet_in_the_lobby(served: Served, token: str, accounts: Accounts) -> None:
    other = accounts.add_token(accounts.add("second robot", PASSWORD), "test", ("play",), 1)[1]
    ends = []

    def play(secret: str) -> None:
        match = ArenaClient(served.address, secret).pair("connect-four", "300")
        for state, seconds in match.turns():
            assert seconds is not None and seconds <= 300
            match.play(state.legal_moves[0])
        ends.append((match.side, match.outcome, match.moves))

    threads = [threading.Thread(target=play, args=(secret,)) for secret in (token, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {side for side, *_ in ends} == {0, 1}
    assert ends[0][1:] == ends[1][1:]


def test_refusals_are_one_sentence(served: Served, token: str) -> None:
    arena = ArenaClient(served.address, token)
    match = arena.begin("connect-four", "random")
    with pytest.raises(UserError, match="no column 'Z'"):
        match.play("Z")
    match.resign()
    assert match.outcome is not None and match.outcome.winner == 1
    with pytest.raises(UserError, match="no player"):
        arena.begin("connect-four", "nobody")
    with pytest.raises(UnreachableError, match="no arena answers"):
        ArenaClient("http://127.0.0.1:9", token).match("x" * 12)


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """A server that is no arena any more, and says where the arena is."""

    place = ""
    asked: list[str | None]

    def do_GET(self) -> None:
        self.asked.append(self.headers["Authorization"])
        self.send_response(302 if self.place else 200)
        if self.place:
            self.send_header("Location", self.place + self.path)
        self.end_headers()
        self.wfile.write(b"{}")

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("body", [None, {}])
def test_a_token_is_sent_to_the_arena_it_is_for_and_nowhere_else(body: object) -> None:
    """Who can answer in its place could else lead the program to a server of their own."""
    asked: list[str | None] = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Other", (Elsewhere,), {"asked": asked})) as other:
        there = f"http://127.0.0.1:{other.server_port}"
        told = type("Told", (Elsewhere,), {"asked": [], "place": there})
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), told) as arena:
            for server in (other, arena):
                threading.Thread(target=server.serve_forever, daemon=True).start()
            client = ArenaClient(f"http://127.0.0.1:{arena.server_port}", "secret")
            with pytest.raises(UserError, match=f"redirects to {there}/api/account"):
                client.ask("/api/account", body)
            for server in (other, arena):
                server.shutdown()
    assert asked == []


class Forwarder(http.server.BaseHTTPRequestHandler):
    """A way to the arena on which answers to moves are lost, and which is sometimes closed for a while."""

    arena: str
    requests: list[str]

    def do_GET(self) -> None:
        self.forward(None)

    def do_POST(self) -> None:
        self.forward(self.rfile.read(int(self.headers["Content-Length"])))

    def forward(self, body: bytes | None) -> None:
        self.requests.append(self.path)
        if len(self.requests) % 5 == 0:
            self.send_error(502)
            return
        sent = {
            name: self.headers[name]
            for name in ("Authorization", "Content-Type", "Last-Event-ID")
            if self.headers[name]
        }
        with httpx.stream(self.command, self.arena + self.path, content=body, headers=sent, timeout=PATIENCE) as answer:
            if self.path.endswith("/moves") and self.requests.count(self.path) == 1:
                return  # played, but nobody hears of it
            self.send_response(answer.status_code)
            self.end_headers()
            for line in answer.iter_lines():
                self.wfile.write(f"{line}\n".encode())
                if self.path.endswith("/events") and line.startswith("data: "):
                    return

    def log_message(self, *_: object) -> None:
        pass


def test_a_game_outlives_its_connections(served: Served, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.client.PAUSE_SECONDS", 0.01)
    requests: list[str] = []
    handler = type("Handler", (Forwarder,), {"arena": served.address, "requests": requests})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as way:
        threading.Thread(target=way.serve_forever, daemon=True).start()
        arena = ArenaClient(f"http://127.0.0.1:{way.server_port}", token)
        match = arena.begin("connect-four", "random")
        for state, _ in match.turns():
            match.play(state.legal_moves[0])
        way.shutdown()
    assert match.outcome is not None and match.outcome.reason == "rules"
    assert match.moves == ArenaClient(served.address, token).match(match.id).moves
    assert len(requests) > 10, "each event came by a connection of its own"


def run_example(served: Served, token: str, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LUDUS_ARENA": served.address, "LUDUS_TOKEN": token}
    return subprocess.run(
        command, cwd=EXAMPLES, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
    )


def test_the_example_in_shell_says_why_it_was_refused(served: Served) -> None:
    refused = run_example(served, "wrong", "./bot.sh", "connect-four", "random")
    assert refused.returncode == 1
    assert "this token is not valid" in refused.stderr
    assert not refused.stdout


@pytest.mark.parametrize("command", [(sys.executable, "bot.py"), ("./bot.sh",)], ids=["python", "shell"])
def test_the_example_bots_play_to_the_end(served: Served, token: str, command: tuple[str, ...]) -> None:
    played = run_example(served, token, *command, "connect-four", "random")
    assert played.returncode == 0, played.stderr
    assert played.stdout.split("\n")[1] in ("won", "lost", "a draw"), played.stdout
