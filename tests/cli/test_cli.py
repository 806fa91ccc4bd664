"""The command `ludus` as scripts use it: every verb, every error with its status, plain text through pipes."""

from __future__ import annotations

import importlib
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import one_sentence, run
from patience import PATIENCE

import ludus
from ludus.cli import main, verbs
from ludus.cli.arguments import did_you_mean, find_position
from ludus.drawing.text_board import Mark, TextBoard
from ludus.errors import ParseError
from ludus.game import CourseBoard, Game, NativeGame, Outcome, State, Step, read_move, read_position
from ludus.play.record import Record

EMPTY = "....../....../....../....../......"


# The front page and wrong command lines


def test_the_first_page_lists_every_verb_and_every_name() -> None:
    page = run("--help")
    assert page.returncode == 0
    assert page.stderr == ""
    for word in (*ludus.games(), "human", "greedy", "random"):
        assert re.search(rf"\b{word}\b", page.stdout), word
    for verb in verbs.names():
        section, summary = verbs.headline(verb)["SECTION"], verbs.headline(verb)["SUMMARY"]
        assert section in verbs.SECTIONS
        assert re.search(rf"^  {verb} +{re.escape(summary)}$", page.stdout, re.MULTILINE), verb
    assert run().stdout == page.stdout


def test_the_first_page_imports_no_verb() -> None:
    program = """
import sys
from ludus.cli import main
main(["--help"])
print([name for name in sys.modules if name.startswith("ludus.cli.verbs.")])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert done.stdout.endswith("\n[]\n")


def test_every_verb_has_a_page_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    for verb in verbs.names():
        assert main([verb, "--help"]) == 0
        page = capsys.readouterr().out
        assert f"Usage: ludus {verb}" in page
        assert f"\n  ludus {verb}" in page.partition("Examples:")[2]


def test_the_installed_script_is_the_same_command() -> None:
    script = Path(sys.executable).parent / "ludus"
    shown = subprocess.run([script, "--version"], capture_output=True, check=True, text=True)
    assert re.fullmatch(r"ludus \d+\.\d+\.\d+\n", shown.stdout)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ply"], "there is no verb 'ply'; the verbs are .*; did you mean play?"),
        (["xyzzy"], "there is no verb 'xyzzy'; the verbs are .*; see ludus --help"),
        (["--colour"], "ludus has no option --colour"),
        (["play"], "ludus play needs GAME; see ludus play --help"),
        (["play", "chain"], "there is no game 'chain'; the games are .*chain-reaction.*; did you mean chain-reaction?"),
        (["play", "chain-reaction", "more"], "unexpected argument 'more'; see ludus play --help"),
        (["play", "chain-reaction", "--frist", "human"], "ludus play has no option --frist; did you mean --first?"),
        (["play", "chain-reaction", "--first"], "--first needs a value"),
        (["play", "chain-reaction", "--second", "gredy"], "there is no player 'gredy'.*; did you mean greedy?"),
        (["play", "chain-reaction", "--second", "random:speed=1"], "player random has no option 'speed'"),
        (["play", "chain-reaction", "--option", "rows"], "an option must have the form name=value, not 'rows'"),
        (["play", "chain-reaction", "--option", "row=4"], "has no option 'row'; its options are .*did you mean rows?"),
        (["play", "chain-reaction", "--option", "rows=11"], "option rows must be a whole number from 2 to 10"),
        (["play", "chain-reaction", "--clock", "soon"], "'soon' is not a clock"),
        (["play", "chain-reaction", "--seed", "x"], "--seed must be a whole number, not 'x'; see ludus play --help"),
        (["play", "chain-reaction", "--seed", "1", "--board", EMPTY], "give either --board or --seed, not both"),
        (
            ["play", "chain-reaction", "--board", "nowhere.txt"],
            "'nowhere.txt' is not a file, and not a position .column 1",
        ),
        (["play", "chain-reaction", "--board", "/" * 5000], "is not a file, and not a position"),
        (["play", "chain-reaction", "--board", ""], "is not a file, and not a position"),
        (["play", "chain-reaction", "--save", "no/such/game.txt"], "--save no/such/game.txt: there is no such folder"),
        (["replay"], "ludus replay needs FILE"),
        (["replay", "nowhere.txt"], "nowhere.txt: no such file or directory"),
        (["move", "chain-reaction", "--folder", "nowhere"], "--folder must be the name of an existing folder"),
        (["move", "chain-reaction", EMPTY, "--player", "human"], "--player human: a person cannot play here"),
        (["move", "chain-reaction", "r1x/.."], "POSITION, line 1, column 3"),
        (["move", "chain-reaction"], "standard input, line 1, column 1"),
        (["perft", "chain-reaction", "--depth", "0"], "--depth must be a whole number from 1 to 200"),
        (["perft", "chain-reaction", "--depth", "9" * 5000], "--depth must be a whole number"),
        (["perft", "chain-reaction", "q"], "'q' is not a file"),
    ],
)
def test_a_wrong_command_line_gets_one_sentence(words: list[str], said: str, tmp_path: Path) -> None:
    assert re.search(said.replace("?", r"\?"), one_sentence(run(*words, where=tmp_path)))


def test_a_sentence_stays_on_its_line_whatever_it_quotes() -> None:
    assert "there is no game" in one_sentence(run("play", "a\nb\x1b[31m\tc"))
    assert "there is no verb" in one_sentence(run("\u202e\x07"))


def test_suggestions_are_near_or_absent() -> None:
    assert str(did_you_mean("REPLAY", ["play", "replay"])) == "; did you mean replay?"
    assert did_you_mean("zzz", ["play", "replay"]) == ""


# play


def test_a_scripted_game_with_everything_a_person_can_say(tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    lines = ["", "help", "MOVES", "hint", "a1", "2 1", "zz", "f1", "undo", "save", f"save {kept}", "c3", "quit"]
    done = run("play", "chain-reaction", "--second", "greedy", "--seed", "1", text="\n".join(lines) + "\nnever read\n")
    assert done.returncode == 0
    assert done.stderr == ""
    out = done.stdout
    assert "\x1b" not in out
    assert "Type a move, or help." in out
    assert "go back to your previous turn" in out
    assert f"\n{' '.join(ludus.game('chain-reaction').initial().legal_moves)}\n" in out
    assert re.search(r"Try [A-F][1-5]\.", out)
    assert re.search(r"1\. Red A1( \(\d\.\d s\))?\n", out), "thinking about the hint takes its time"
    assert "[R1]" in out
    assert "3. Red B3\n" in out, "course coordinates"
    assert "'zz' is not a cell of this board" in out
    assert re.search(r"Red> f1\nF1 belongs to the opponent.*\. Type help", out)
    assert "Took back 2 moves." in out
    assert "Give a file name" in out
    assert f"Saved 2 moves in {kept}." in out
    assert [played.move for played in Record.load(kept).moves] == ["A1", "F1"]
    assert "3. Red C3" in out
    assert "You left after 4 moves" in out
    assert "never read" not in out
    again = re.search(r"Continue with: ludus (.*)\n", out)
    assert again is not None
    assert "--board 'r1" in again[1]


def test_undo_goes_no_further_than_the_first_turn_of_a_person() -> None:
    done = run("play", "chain-reaction", "--first", "greedy", "--second", "human", text="undo\nb2\nundo\nundo\n")
    assert done.stdout.count("You have no move to take back.") == 2
    assert done.stdout.count("Took back 2 moves.") == 1
    both = run("play", "chain-reaction", "--second", "human", text="undo\na1\nundo\n")
    assert "Took back 1 move." in both.stdout
    assert "You left" not in both.stdout, "no move is left to speak of"


def test_the_end_of_input_leaves_the_game_and_keeps_what_was_asked_for(tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    done = run("play", "chain-reaction", "--second", "greedy", "--save", kept, text="a1")
    assert done.returncode == 0
    assert f"You left after 2 moves. The game is saved in {kept}." in done.stdout
    record = Record.load(kept)
    assert record.outcome is None
    again = run("play", "chain-reaction", "--board", record.final.text, text="")
    assert again.returncode == 0
    assert "R1 ·  ·  ·  ·  B1" in again.stdout


def test_who_leaves_right_after_saving_is_told_where_the_game_is(tmp_path: Path) -> None:
    lines = "a1\nsave kept.txt\nquit\n"
    done = run("play", "chain-reaction", "--second", "greedy", text=lines, where=tmp_path)
    assert "You left after 2 moves. The game is saved in kept.txt." in done.stdout
    more = run("play", "chain-reaction", "--second", "greedy", text=f"save kept.txt\n{lines[:3]}quit\n", where=tmp_path)
    assert "Use save FILE or --save FILE to keep a game." in more.stdout


def test_bytes_that_are_no_text_are_a_bad_line_like_any_other() -> None:
    done = run("play", "chain-reaction", text=b"\xff\xfe\x00\n\x1b[A\n" + b"A" * 5000 + b"\na1\nquit\n")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert "1. Red A1" in done.stdout


@pytest.mark.parametrize("first", ["greedy", "random"])
def test_programs_play_each_other_in_every_game(name: str, first: str, tmp_path: Path) -> None:
    kept = tmp_path / "game.txt"
    done = run("play", name, "--first", first, "--second", "random:seed=4", "--seed", "5", "--save", kept)
    assert done.returncode == 0, done.stderr
    record = Record.load(kept)
    assert record.outcome is not None
    last = done.stdout.strip().splitlines()[-2]
    assert re.search(r"(wins( \d+ : \d+)?|^Draw.*)\. .*\. [\d,]+ moves?\.$", last)
    assert last.endswith(".")
    assert record.start == ludus.game(name).initial(5)
    shown = run("replay", kept)
    assert shown.returncode == 0
    assert last in shown.stdout
    assert all(f"\n{number}. " in shown.stdout for number in range(1, len(record.moves) + 1))


def test_json_is_one_document_and_the_boards_go_to_standard_error() -> None:
    done = run("play", "chain-reaction", "--first", "greedy", "--second", "greedy", "--json")
    document = json.loads(done.stdout)
    assert document["outcome"]["winner"] in (0, 1)
    assert document["result"] in ("1-0", "0-1")
    state: State = ludus.game("chain-reaction").parse(document["start"])
    for played in document["moves"]:
        state = state.play(played["move"])
    assert state.text == document["position"]
    assert "1. Red" in done.stderr


def test_a_person_who_is_too_slow_loses() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "ludus", "play", "chain-reaction", "--clock", "0.2/move"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        while "Red to move" not in process.stdout.readline():
            pass
        time.sleep(0.5)
        out, _ = process.communicate("a1\n", timeout=PATIENCE)
    assert "You lost. Red ran out of time. 0 moves." in out


def test_a_game_that_is_over_before_it_begins() -> None:
    over = run("play", "chain-reaction", "--board", "r2./.. 2 5")
    assert over.returncode == 0
    assert "You won! Blue has no orbs left. 0 moves." in over.stdout


def test_ctrl_c_saves_and_says_so(tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    command = [sys.executable, "-m", "ludus", "play", "chain-reaction", "--save", str(kept)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("a1\n")
        process.stdin.flush()
        while "2. Blue" not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err == "ludus: stopped\n"
    assert f"The game is saved in {kept}" in out
    assert len(Record.load(kept).moves) == 2


def test_a_closed_pipe_is_no_error() -> None:
    program = f"{sys.executable} -m ludus play chain-reaction --first random --second random | head -1"
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.startswith("Chain Reaction")
    assert done.stderr == ""


def test_a_terminal_of_few_characters_still_gets_a_board() -> None:
    done = run("play", "chain-reaction", text="a1\n", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "[R1]?" in done.stdout


def test_moves_are_read_in_every_spelling() -> None:
    state = ludus.game("chain-reaction").initial()
    assert [read_move(state, text) for text in ("c4", "C4", "3 2", "3,2")] == ["C4"] * 4
    with pytest.raises(ludus.IllegalMove):
        read_move(state, "ü\x1b")


# replay


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "game.txt"
    path.write_text(
        '[Game "chain-reaction"]\n[Options "rows=2 cols=2"]\n[First "a"]\n[Second "b"]\n\n'
        "1. A1 {2.1s +0.25 careful} B2\n2. A1 *\n"
    )
    return path


def test_replay_prints_every_position(record: Path) -> None:
    done = run("replay", record)
    assert done.returncode == 0
    assert done.stdout.count("  A  B") == 4
    assert "Red a against Blue b" in done.stdout
    assert "1. Red A1 (2.1 s) value +0.25 careful\n" in done.stdout
    assert "3. Red A1: 1 explosion\n" in done.stdout


def test_replay_of_one_position(record: Path) -> None:
    done = run("replay", record, "--ply", "1")
    assert done.stdout.splitlines()[-2:] == ["1[R1]·", "2 ·  ·"]
    assert "has only 3 moves" in one_sentence(run("replay", record, "--ply", "4"))
    document = json.loads(run("replay", record, "--ply", "2", "--json").stdout)
    assert [entry["position"] for entry in document["positions"]] == ["r1./.b1 1 2"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "game.txt, line 1, column 1: a record must start with its game"),
        (b"\xff", "game.txt, line 1, column 1: byte 0xff is not UTF-8 text"),
        (b'[Game "chain-reaction"]\n\n1. A1 A1', "game.txt, line 3, column 7: move 2 .* is illegal: A1 belongs"),
    ],
)
def test_a_bad_record_is_refused_with_its_place(text: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_bytes(text)
    assert re.search(said, one_sentence(run("replay", "game.txt", where=tmp_path)))


# move


def test_a_position_goes_in_and_a_move_comes_out(name: str, tmp_path: Path) -> None:
    state = ludus.game(name).initial(3)
    quick = ("--player", "random")  # the engine takes a second
    for done in (
        run("move", name, text=state.text, where=tmp_path),
        run("move", name, *quick, text=state.text + "\r\n", where=tmp_path),
        run("move", name, state.text, *quick, where=tmp_path),
        run("move", name, "-", *quick, text=state.text, where=tmp_path),
    ):
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() in state.legal_moves
    document = json.loads(run("move", name, *quick, "--json", text=state.text, where=tmp_path).stdout)
    assert state.play(document["move"]).text == document["after"]


def test_input_becomes_output(name: str, tmp_path: Path) -> None:
    """Where the course has files of its own form they are tested with their game; a position text serves them all."""
    state = ludus.game(name).initial(3)
    (tmp_path / "input.txt").write_text(state.text + "\n")
    done = run("move", name, where=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    first = (tmp_path / "output.txt").read_text().splitlines()[0]
    assert first in state.legal_moves
    elsewhere = run("move", name, "--folder", tmp_path, "--player", "random", where=Path("/"))
    assert elsewhere.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["input.txt", "output.txt"]


@pytest.mark.parametrize("text", [b"", b"\xff", b"junk", b"r1/..", b"....../....../....../....../...... 7\n"])
def test_bad_input_leaves_the_old_output_alone(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "input.txt").write_bytes(text)
    (tmp_path / "output.txt").write_text("old")
    said = one_sentence(run("move", "chain-reaction", where=tmp_path))
    assert re.match(r"ludus: input\.txt, line \d+, column \d+: ", said)
    assert (tmp_path / "output.txt").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_folder_without_input_and_a_game_that_is_over(tmp_path: Path) -> None:
    assert "input.txt: no such file" in one_sentence(run("move", "chain-reaction", "--folder", tmp_path))
    assert "the game is over" in one_sentence(run("move", "chain-reaction", "r2./.. 2 5"))


def test_an_output_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "input.txt").write_text(EMPTY)
    (tmp_path / "output.txt").mkdir()
    assert "is a directory" in one_sentence(run("move", "chain-reaction", where=tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["input.txt", "output.txt"]


# A course's files, with a game that has them


def test_course_files_are_read_and_written_in_the_form_of_the_course(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    original = ludus.game("chain-reaction")

    def read_file(game: Game, text: str, source: str) -> CourseBoard:
        seconds, *rows = text.splitlines()
        if not seconds.isdecimal():
            raise ParseError("the first line holds the seconds", 1, 1, source)
        return CourseBoard(game.parse("/".join(rows)), float(seconds))

    def write_file(state: State, move: str) -> str:
        return f"{move}\n{state.play(move).text}\n"

    course = original.course._replace(read_file=read_file, write_file=write_file)
    monkeypatch.setattr(importlib.import_module("ludus.games.chain_reaction"), "COURSE", course)
    monkeypatch.chdir(tmp_path)
    Path("input.txt").write_text("30\n..\n..\n")
    assert main(["move", "chain-reaction"]) == 0
    assert Path("output.txt").read_text() == "A1\nr1./.. 2 1\n"
    Path("input.txt").write_text("soon\n..\n..\n")
    assert main(["move", "chain-reaction"]) == 2
    assert Path("output.txt").read_text() == "A1\nr1./.. 2 1\n"
    game = ludus.game("chain-reaction")
    assert read_position(game, "30\n..\n..\n", "x").seconds == 30
    assert read_position(game, "r1./..\n", "x").state.text == "r1./.. 1 1"
    Path("position.txt").write_text("r1./..\n")
    assert find_position(game, "position.txt").state == find_position(game, "r1./..").state


# perft


def test_perft_counts_as_the_tables_do(name: str) -> None:
    game = ludus.game(name)
    state = game.initial(0)
    done = run("perft", name, "--depth", "2", "--divide", "--json")
    document = json.loads(done.stdout)
    assert [row["count"] for row in document["depths"]] == [game.perft(state, depth) for depth in (1, 2)]
    assert sum(document["divide"].values()) == document["depths"][-1]["count"]
    assert tuple(document["divide"]) == state.legal_moves
    shown = run("perft", name, state.text, "--depth", "2", "--divide")
    assert f"{document['depths'][1]['count']:,}" in shown.stdout
    assert all(move in shown.stdout for move in state.legal_moves)


def test_perft_can_be_interrupted() -> None:
    command = [sys.executable, "-m", "ludus", "perft", "chain-reaction", "--depth", "30"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while "\n    3" not in f"\n{process.stdout.readline()}":
            pass
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err == "ludus: stopped\n"


# A game of somebody else's, which has no more than the protocol asks for


class Countdown:
    """Take one or two from a heap; who takes the last one wins."""

    name = "countdown"
    options: dict[str, int | str] = {}  # noqa: RUF012 - as the protocol has it

    def initial(self, seed: int = 0) -> Heap:
        return Heap(self, 3 + seed % 2, 0)

    def parse(self, text: str) -> Heap:
        return Heap(self, int(text.split(maxsplit=1)[0]), 0)

    def draw(self, state: State) -> str:
        return f"heap of {state.text}"


class Heap:
    outcome: Outcome | None
    scores = None

    def __init__(self, game: Countdown, left: int, side: int) -> None:
        self.game, self.left, self.side, self.text = game, left, side, str(left)
        self.outcome = None if left else Outcome(1 - side)
        self.legal_moves = tuple(str(taken) for taken in (1, 2) if taken <= left)

    def play(self, move: str) -> Heap:
        if move not in self.legal_moves:
            raise ludus.IllegalMove(f"{move!r} is not 1 or 2")
        return Heap(self.game, self.left - int(move), 1 - self.side)


def test_a_game_that_only_keeps_the_protocol_can_be_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = SimpleNamespace(load=lambda: Countdown)
    monkeypatch.setattr(importlib.import_module("ludus.game"), "games_of_other_packages", lambda: {"countdown": entry})
    assert main(["play", "countdown", "--first", "greedy", "--second", "greedy", "--seed", "0"]) == 0
    out = capsys.readouterr().out
    assert "heap of 3" in out
    assert re.search(r"(First|Second) wins\. \d moves\.", out)
    assert main(["perft", "countdown", "--depth", "3", "--json"]) == 0
    assert [row["count"] for row in json.loads(capsys.readouterr().out)["depths"]] == [2, 3, 1]


def test_who_wins_can_be_all_that_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    board = ["cantris", "--option", "rows=6", "--option", "cols=3", "--seed", "3"]
    assert main(["solve", *board, "--objective", "win"]) == 0
    assert capsys.readouterr().out == "Proven: 5,2 wins.\n"
    assert main(["analyse", *board, "--objective", "win", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["value"], document["exact"]) == (1.0, True)
    assert main(["analyse", *board, "--objective", "win"]) == 0
    assert "wins (proven)" in capsys.readouterr().out
    assert main(["analyse", "fruit-rage", "--nodes", "500", "--objective", "win"]) == 0
    assert "win chance" in capsys.readouterr().out


# Plain boards


def test_a_plain_board_marks_what_moved_and_what_changed() -> None:
    board = TextBoard(
        ((Mark("1"), Mark("2"), Mark("3")), (Mark("4"), Mark("5"), Mark("6"))), ("1", "2"), ("A", "B", "C")
    )
    assert board.plain() == "  A B C\n1 1 2 3\n2 4 5 6"
    assert board.plain({(0, 0), (0, 1)}, {(1, 1)}) == "  A B C\n1[1 2]3\n2 4*5 6"
    assert board.plain({(0, 0), (0, 1)}, {(0, 0), (0, 2)}) == "  A B C\n1[1 2*3\n2 4 5 6"
    assert board.plain({(0, 2)}, {(0, 0)}) == "  A B C\n1*1 2[3]\n2 4 5 6"


def test_a_step_is_drawn_like_a_state() -> None:
    game = ludus.game("chain-reaction", rows=2, cols=2)
    assert isinstance(game, NativeGame)
    state = game.parse("r1./.b1 1 2")
    *_, last = state.steps("A1")
    assert isinstance(last, Step)
    assert game.look.board is not None
    assert game.look.board(last) == game.look.board(state.play("A1"))


# picture


def test_picture_saves_a_position_or_a_game(record: Path, tmp_path: Path) -> None:
    kinds = {"board.png": b"\x89PNG", "game.gif": b"GIF8", "board.svg": b"<svg"}
    for name, begins in kinds.items():
        done = run("picture", record, "--out", tmp_path / name)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"Saved {tmp_path / name} (")
        assert (tmp_path / name).read_bytes().startswith(begins)
    assert "has only 3 moves" in one_sentence(run("picture", record, "--ply", "4", "--out", tmp_path / "x.png"))
    assert "must end in one of .png, .svg, .gif" in one_sentence(run("picture", "cantris", "--out", "board.jpg"))
