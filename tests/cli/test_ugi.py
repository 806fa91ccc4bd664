"""`ludus engine` as a process: every command of its protocol, bad ones too, and two engines against each other."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from foreign import Foreign, play_out, situation
from variants import variants

import ludus
from ludus.protocols import protocol

COMMAND = (sys.executable, "-m", "ludus", "engine")
BEST = re.compile(r"bestmove (\S+)")


class Talk:
    """A conversation with the engine."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def say(self, *lines: str) -> None:
        assert self.process.stdin
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def until(self, word: str) -> list[str]:
        assert self.process.stdout
        heard: list[str] = []
        while not heard or not heard[-1].startswith(word):
            line = self.process.stdout.readline()
            assert line, f"it ended after {heard}"
            heard.append(line.rstrip("\n"))
        return heard

    def ask(self, *lines: str, until: str = "readyok") -> list[str]:
        self.say(*lines, *(["isready"] if until == "readyok" else []))
        return self.until(until)

    def end(self, *lines: str) -> str:
        out, errors = self.process.communicate("".join(f"{line}\n" for line in lines))
        assert errors == ""
        assert self.process.returncode == 0
        return out


@pytest.fixture
def talk() -> Iterator[Talk]:
    talking = Talk("chain-reaction")
    yield talking
    talking.process.kill()
    talking.process.communicate()


def test_it_introduces_itself(talk: Talk) -> None:
    heard = talk.ask("ugi", until="ugiok")
    assert heard[0] == "id name Ludus"
    for name in ("Threads", "Hash", "Level", "rows", "cols", "explosion"):
        assert any(line.startswith(f"option name {name} type ") for line in heard), name
    assert talk.end("quit") == ""


def test_it_tells_what_it_thinks_and_answers(talk: Talk) -> None:
    heard = talk.ask("uginewgame", "position startpos moves A1 F5", "go depth 5", until="bestmove")
    shape = r"info depth \d+ score (cp|mate) -?\d+ nodes \d+ nps \d+ time \d+ pv( [A-F][1-5])+"
    assert all(re.fullmatch(shape, line) for line in heard[:-1])
    assert len(heard) > 1
    state = ludus.game("chain-reaction").initial().play("A1").play("F5")
    assert heard[-1].split()[1] in state.legal_moves
    assert talk.ask("go nodes 2000", until="bestmove")[-1].split()[1] in state.legal_moves
    assert talk.ask("go", until="bestmove"), "without a word it takes its usual second"
    assert talk.ask("go p1time 1000 p2time 1 p1inc 0 p2inc 0 movestogo 3", until="bestmove")


def test_stop_ends_a_search_and_nothing_else_is_missed_meanwhile(talk: Talk) -> None:
    assert talk.ask("position startpos", "go infinite")[-1] == "readyok", "it hears while it thinks"
    assert BEST.match(talk.ask("stop", until="bestmove")[-1])
    assert talk.ask("stop") == ["readyok"], "there is nothing to stop"
    for _ in range(20):
        assert BEST.match(talk.ask("go infinite", "stop", until="bestmove")[-1])
    talk.say("go infinite", "go infinite", "position startpos")
    assert sum(line.startswith("bestmove") for line in talk.ask("go depth 1")) >= 2, "each is answered before the next"


def test_a_proven_position_is_answered_only_when_it_is_stopped(talk: Talk) -> None:
    won = "position fen r1b1/.. 1 2"
    assert not any(line.startswith("bestmove") for line in talk.ask(won, "go infinite"))
    assert talk.ask("stop", until="bestmove")[-1].startswith("bestmove ")
    assert any(" score mate " in line for line in talk.ask("go depth 9", until="bestmove"))


def test_whatever_cannot_be_understood_is_answered_and_changes_nothing(talk: Talk) -> None:
    talk.ask("position startpos moves A1")
    for line in (
        "xyzzy",
        "position",
        "position fen",
        "position fen rr/ 1 2",
        "position fen ./. moves",
        "position startpos moves A1 A1",
        "position startpos moves nonsense",
        "setoption",
        "setoption name Level value 11",
        "setoption name Threads value x",
        "setoption name colour value red",
        "setoption name rows value 99",
        "go movetime",
        "go depth x",
        "go movetime 0",
        "\u00e4\u00f6",
    ):
        heard = talk.ask(line)
        assert heard[0].startswith("info string "), line
        assert len(heard) == 2
    after = ludus.game("chain-reaction").initial().play("A1")
    assert talk.ask("", "   ", "go depth 1", until="bestmove")[-1].split()[1] in after.legal_moves
    over = "position fen r1r1/.. 2 4"
    assert talk.ask(over, "go depth 3", until="bestmove") == ["info string the game is over", "bestmove (none)"]


def test_options_change_the_game_and_the_player(talk: Talk) -> None:
    dead = "position fen r1#..../....../....../....../.....b1 1 2"
    assert talk.ask(dead)[0].startswith("info string ")
    assert talk.ask("setoption name explosion value dies", dead) == ["readyok"]
    assert talk.ask(
        "setoption name level value 1", "setoption name Hash value 1", "setoption name Threads value 2"
    ) == ["readyok"]
    assert talk.ask("go movetime 200", until="bestmove")[-1] != "bestmove B1"


def test_the_end_of_input_waits_for_a_search_that_ends_by_itself() -> None:
    out = Talk("cantris", "--option", "rows=6", "--option", "cols=3").end("position startpos", "go depth 3")
    assert BEST.search(out)
    assert BEST.search(Talk("magnetic-cave").end("go infinite")), "one that has no end is stopped"
    assert Talk("fruit-rage").end() == ""


def test_it_keeps_the_time_of_a_move(tmp_path: Path) -> None:
    """What the engine says it took, not what a busy machine made of it."""
    with Foreign(protocol("ugi"), tmp_path, (*COMMAND, "magnetic-cave")) as bot:
        bot.say("position startpos\ngo movetime 300\n")
        told = []
        while not (line := bot.line()).startswith("bestmove"):
            told.append(int(line.split(" time ")[1].split()[0]))
        assert max(told) < 300


@pytest.mark.parametrize("options", [{}, {"second": "small"}])
def test_two_engines_play_each_other(name: str, options: dict[str, str], tmp_path: Path) -> None:
    start = ludus.game(name, **(variants(name)["small"][-1] if options else {})).initial(7)
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    with (
        Foreign(protocol("ugi"), folders[0], (*COMMAND, name)) as first,
        Foreign(protocol("ugi"), folders[1], (*COMMAND, name)) as second,
    ):
        bots, state, moves = (first, second), start, list[tuple[int, str]]()
        while state.outcome is None:
            bot = bots[state.side]
            move = bot.ask(situation(state, "0.06/move", start=start, moves=moves))
            moves.append((state.side, move))
            state = state.play(move)
        assert first.notes == second.notes == []
    assert state.outcome is not None


def test_it_beats_random_moves_through_the_protocol(tmp_path: Path) -> None:
    start = ludus.game("chain-reaction").initial()
    with Foreign(protocol("ugi"), tmp_path, (*COMMAND, "chain-reaction"), side=1) as bot:
        for seed in range(2):
            outcome = play_out(bot, start, 1, seed, "0.5+0.02").outcome
            assert outcome is not None
            assert outcome.winner == 1
