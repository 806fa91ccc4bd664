"""Hostile bots and games that fail: each costs whoever caused it a game, and ends nothing else."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import multiprocessing
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from patience import until
from rich.table import Table
from rich.text import Text

import ludus
from ludus import game_task as tasks
from ludus.cli import main
from ludus.cli.console import SafeConsole
from ludus.display import HARMFUL
from ludus.errors import Fault
from ludus.game_task import Task, perform
from ludus.play.clock import Clock
from ludus.play.player import Situation
from ludus.play.result import UNPLAYED, GameResult
from ludus.protocols import protocol, protocols, read_answer
from ludus.store import Ledger
from ludus.tournament import MOST_UNPLAYED, Plan, Progress, pools, run
from ludus.tournament.changes import take_back_unplayed
from ludus.tournament.output import table
from ludus.tournament.pools import LocalPool, ThisProcess


def call(*words: str) -> tuple[int, str, str]:
    """Run the command line here; give its status and what it wrote."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(words)
    return status, out.getvalue(), err.getvalue()


def hostile(folder: Path, line: str) -> str:
    """Write a bot in the protocol `python` that writes a line of its own into the referee's pipe."""
    path = folder / "hostile.py"
    path.write_text(
        "import os\n"
        "pipe = [n for n in range(3, 64) if os.path.exists(f'/proc/self/fd/{n}')"
        " and os.readlink(f'/proc/self/fd/{n}').startswith('pipe:')][-1]\n"
        "def choose(state, clock):\n"
        f"    os.write(pipe, ({line}).encode() + b'\\n')\n"
        "    return state.legal_moves[0]\n"
    )
    return str(path)


# Reading a bot

LINES = (
    "[" * 60_000,
    '{"move": ' + "[" * 60_000,
    '{"move": ' + "[" * 300 + "]" * 300 + "}",
    '{"thing": ' + "9" * 5_000 + "}",
    '{"move": 1e999}',
    "9" * 60_000,
    "bestmove " + "9" * 60_000,
    "answer 0 " + "A" * 60_000,
    "-1 " + "9" * 5_000,
    "\ud800\udfff\x00\x1b[2J\ufffd",
    "²²",
)


@pytest.mark.parametrize("name", protocols())
@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_no_line_of_a_bot_makes_the_referee_fail(name: str, line: str) -> None:
    state = ludus.game("chain-reaction").initial()
    left = Clock.parse("1/move").start()
    with contextlib.suppress(Fault):
        assert read_answer(protocol(name), Situation(state, (), state, (left, left)), line, []) is None


@pytest.mark.parametrize("name", ludus.games())
def test_no_game_takes_moves_in_other_digits(name: str) -> None:
    state = ludus.game(name).initial(seed=1)
    left = Clock.parse("1/move").start()
    for text in (*state.legal_moves, "2,1", "0 0"):
        for zero in "０٠०":
            other = "".join(chr(ord(zero) + int(sign)) if sign.isdecimal() else sign for sign in text)
            if other != text:
                with pytest.raises(Fault):
                    read_answer(
                        protocol("python"), Situation(state, (), state, (left, left)), json.dumps({"move": other}), []
                    )


def test_whatever_a_protocol_raises_is_bad_output() -> None:
    class Broken:
        def read(self, *_: object) -> str:
            raise self.error  # type: ignore[attr-defined]

    state = ludus.game("magnetic-cave").initial()
    left = Clock.parse("1/move").start()
    for error in (RecursionError(), MemoryError(), OverflowError(), UnicodeError(), ValueError(), KeyError("x")):
        speech: Any = Broken()
        speech.error = error
        with pytest.raises(Fault) as fault:
            read_answer(speech, Situation(state, (), state, (left, left)), "a line", [])
        assert (fault.value.kind, fault.value.sentence) == ("bad-output", "it wrote 'a line', which cannot be read")


def test_a_bot_that_writes_brackets_loses_its_games_and_ends_nothing(tmp_path: Path) -> None:
    bot = hostile(tmp_path, "'[' * 60_000")
    status, out, err = call("play", "magnetic-cave", "--first", bot, "--second", "greedy", "--clock", "10/move")
    assert (status, "which cannot be read" in out) == (0, True), (out, err)
    status, out, _ = call("check", bot, "--game", "magnetic-cave", "--json")
    assert status == 1
    assert all("bad output" in one["text"] for one in json.loads(out)["findings"] if one["verdict"] == "reject")
    status, out, _ = call("match", "magnetic-cave", bot, "greedy", "--games", "2", "--clock", "10/move", "--json")
    assert (status, json.loads(out)["forfeits"]) == (0, {"A": {"bad-output": 2}})
    (tmp_path / "t.toml").write_text(
        f'game = "magnetic-cave"\nclock = "10/move"\n[entries]\nhostile = "{bot}"\na = "greedy"\nb = "random:seed=1"\n'
    )
    for more in ((), ("--resume",)):
        status, out, _ = call("tournament", str(tmp_path / "t.toml"), "--json", *more)
        told = json.loads(out)
        assert (status, told["games"], told["failures"]) == (0, 6, {"bad-output": 4})


# Games that fail

ENTRIES = {"a": "greedy", "b": "random:seed=1", "c": "random:seed=2", "d": "random:seed=3"}


def plan(**more: Any) -> Plan:
    return Plan(**{"name": "t", "game": "magnetic-cave", "entries": ENTRIES, "seed": 1, **more})


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException | None = None) -> None:
    """Let the games of `a` against `b` fail."""

    def broken(task: Task, *more: Any) -> GameResult:
        if {*task.entries} == {"a", "b"}:
            raise error or TypeError("a bug")
        return perform(task, *more)

    monkeypatch.setattr(tasks, "perform", broken)


@pytest.mark.parametrize("form", ["round-robin", "swiss", "knockout", "double-elimination", "king-of-the-hill"])
def test_a_game_that_fails_never_ends_a_tournament(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settled, ledger = plan(format=form), Ledger(tmp_path / "games.db")
    failing(monkeypatch)
    progress = Progress(settled, ledger)
    run(progress, ThisProcess())
    assert progress.done
    assert all({row.first, row.second} == {"a", "b"} for row in progress.unplayed)
    assert all(row.fault == "an error in Ludus: TypeError: a bug" for row in progress.unplayed)
    assert not {("a", "b"), ("b", "a")} & progress.counts.keys(), "it rates nobody"
    monkeypatch.setattr(tasks, "perform", perform)
    whole = Progress(settled, Ledger("sqlite://"))
    run(whole, ThisProcess())
    again = Progress(settled, ledger)
    assert take_back_unplayed(again) == len(progress.unplayed)
    again = Progress(settled, ledger)
    run(again, ThisProcess())
    assert not again.unplayed
    standings = [one.schedule.standings().rows for one in (again, whole)]
    assert [(row.rank, row.entry, row.values) for row in standings[0]] == [
        (row.rank, row.entry, row.values) for row in standings[1]
    ]


def test_a_bot_that_is_gone_costs_only_its_own_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "MOST_TRIES", 2)
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "main.py").write_text("def choose(state, clock):\n    return state.legal_moves[0]\n")
    settled = plan(entries={**ENTRIES, "bot": str(tmp_path / "bot")})
    shutil.rmtree(tmp_path / "bot")
    for pool in (ThisProcess(), LocalPool(1)):
        progress = Progress(settled, Ledger("sqlite://"))
        try:
            run(progress, pool)
        finally:
            pool.close()
        assert progress.done
        assert len(progress.unplayed) == 8
        assert {row.fault for row in progress.unplayed} == {f"{tmp_path / 'bot'}: there is no such file or folder"}


def test_a_game_that_kills_its_workers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "MOST_TRIES", 2)
    made = plan()
    (pairing, *_) = made.schedule().playable.values()
    (task, other) = made.tasks(pairing)
    deadly = task._replace(clock="none", players=("engine:seconds=30", "engine:seconds=30"))

    def kill(playing: Task, _record: str) -> None:
        if playing.key == deadly.key:
            for child in multiprocessing.active_children():
                child.kill()

    pool = LocalPool(1, watcher=kill)
    rows: list[GameResult] = []

    def played() -> int:
        rows.extend(pool.results(0.1))
        return len(rows)

    try:
        pool.submit(deadly)
        until(played, "the end of the game that kills")
        pool.submit(other)
        until(lambda: played() == 2, "the end of the other game")
    finally:
        pool.close()
    assert [row.reason for row in rows] == [UNPLAYED, "rules"]
    assert rows[0].fault == "this game crashed its worker process 2 times"


def test_a_tournament_in_which_nothing_can_be_played_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "perform", lambda *_: (_ for _ in ()).throw(ValueError("there is no sandbox")))
    progress = Progress(plan(pairs=10), Ledger("sqlite://"))
    with pytest.raises(
        ValueError, match=f"none of the first {MOST_UNPLAYED} games could be played: there is no sandbox"
    ):
        run(progress, ThisProcess())


def test_the_command_line_says_which_games_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.toml").write_text(
        'game = "magnetic-cave"\n[entries]\na = "greedy"\nb = "random"\nc = "random:seed=2"\n'
    )
    failing(monkeypatch)
    status, _, err = call("tournament", str(tmp_path / "t.toml"), "--jobs", "1", "--json")
    assert status == 1
    assert "2 games could not be played and count as draws: an error in Ludus: TypeError: a bug" in err
    monkeypatch.setattr(tasks, "perform", perform)
    status, out, err = call("tournament", str(tmp_path / "t.toml"), "--jobs", "1", "--json", "--resume")
    assert (status, json.loads(out)["games"]) == (0, 6)
    assert "could not be played" not in err
    failing(monkeypatch)
    match = ("match", "magnetic-cave", "greedy", "random", "--games", "2", "--jobs", "1", "--json")
    monkeypatch.setattr(tasks, "perform", lambda *_: (_ for _ in ()).throw(RecursionError("too deep")))
    status, out, err = call(*match)
    assert (status, json.loads(out)["games"], "2 games could not be played" in err) == (1, 0, True)


# What is shown

EVIL = "\x1b[2J\x1b]0;owned\x07\r\b\x9b31m\x9d\u202eevil\u2066\u200f\u2028[/red]"
SHOWING = (
    f"import sys\nsys.stderr.write({EVIL!r} + '\\n')\ndef choose(state, clock):\n    print({EVIL!r})\n    return {{}}\n"
)


def clean(*texts: str) -> bool:
    """Tell whether nothing is left that a terminal obeys, and something was there."""
    assert any("evil" in text for text in texts), texts
    return not any(HARMFUL.search(text) for text in texts)


def evil_bot(folder: Path, answer: str) -> str:
    """Write a bot whose file, name, output and answers all try to steer a terminal."""
    place = folder / "\x1b[31mbot\u202e"
    place.mkdir()
    (place / "main.py").write_text(SHOWING.replace("{}", answer))
    escaped = EVIL.replace("\x07", "\\u0007").encode("unicode_escape").decode().replace("\\x", "\\u00")
    (place / "bot.toml").write_text(f'name = "{escaped}"\ngame = "magnetic-cave"\n'.replace("\\\\u", "\\u"))
    return str(place)


@pytest.mark.parametrize("answer", [repr(EVIL), "state.legal_moves[0]", "1/0"])
def test_no_bot_steers_the_terminal(answer: str, tmp_path: Path) -> None:
    bot = evil_bot(tmp_path, answer)
    record = str(tmp_path / "game.txt")
    clock = ("--clock", "10/move")
    _, out, err = call("play", "magnetic-cave", "--first", bot, "--second", "greedy", *clock, "--save", record)
    assert out
    assert not HARMFUL.search(out + err)
    assert not HARMFUL.search(Path(record).read_text())
    _, out, err = call("replay", record)
    assert not HARMFUL.search(out + err)
    _, out, err = call("check", bot)
    assert clean(out, err)
    _, out, err = call("match", "magnetic-cave", bot, "greedy", "--games", "2", *clock, "--out", str(tmp_path / "m"))
    assert not HARMFUL.search(out + err)
    for file in (tmp_path / "m").rglob("*.*"):
        assert not HARMFUL.search(file.read_text().removeprefix("\ufeff")), file


def test_a_record_of_a_stranger_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    record = tmp_path / "\x1b[31mevil.txt"
    record.write_text(f'[Game "magnetic-cave"]\n[First "{EVIL}"]\n[Second "{EVIL}"]\n\n1. A1 {{1s {EVIL}}} H1\n*\n')
    read = ludus.Record.load(record)
    assert not HARMFUL.search(read.text)
    assert not HARMFUL.search("".join([*read.players, *(move.comment for move in read.moves)]))
    for words in (("replay", str(record)), ("analyse", str(record), "--nodes", "100"), ("replay", f"{record}gone")):
        _, out, err = call(*words)
        assert out or err
        assert not HARMFUL.search(out + err), words


def test_tables_and_boards_keep_our_own_colours_only() -> None:
    stream = io.StringIO()
    console = SafeConsole(file=stream, force_terminal=True, color_system="truecolor", width=200)
    made = Table(title=EVIL)
    made.add_column(EVIL)
    made.add_row(EVIL)
    made.add_row(Text(EVIL, "red"))
    console.print(made)
    console.print(EVIL, style="bold")
    told = stream.getvalue()
    assert "\x1b[31m" in told
    assert "\x1b[1m" in told
    assert "[/red]" in told
    assert clean(re.sub(r"\x1b\[[0-9;]*m", "", told))
    assert "\x1b[2J" not in told
    assert "\x1b]" not in told


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@a", " =1", "\t=1", "＝1", "\r=1", EVIL])
def test_no_cell_of_a_table_is_computed(text: str) -> None:
    for made in (table(["a"], [[text]]), table(["a"], [[f"{text}x"]])):
        ((_, (cell,))) = list(csv.reader(io.StringIO(made.removeprefix("\ufeff"))))
        assert not HARMFUL.search(cell)
        assert cell.lstrip()[0] not in "=+-@＝\t\r"


def test_a_course_shows_hostile_submissions_safely(tmp_path: Path) -> None:
    handed = tmp_path / "handed"
    handed.mkdir()
    (handed / "=106\u202eevil.py").write_text(SHOWING.replace("{}", "'A1'"))
    out = tmp_path / "out"
    _, said, err = call("course", "grade", "usc-fruit-rage", str(handed), "--out", str(out), "--no-pdf")
    assert not HARMFUL.search(said + err)
    for file in (one for one in out.rglob("*") if one.suffix in (".csv", ".html")):
        assert not HARMFUL.search(file.read_text().removeprefix("\ufeff")), file
        assert "\n=" not in file.read_text()
