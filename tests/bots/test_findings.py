"""Findings as data: the position, the cells of a refused move, and how the terminal and a student's page show them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from bots import cave_bot
from cohorts import graded, hand_in
from english import english_in

import ludus
from ludus.bots import read_bot
from ludus.check import REJECT, Finding, boards, cells_of, check, trials
from ludus.cli import main
from ludus.cli.verbs.check import FindingPrinter
from ludus.errors import FAULTS
from ludus.messages import Message, render

BOARD = "    A B C D E F G H"
DRAWABLE = [name for name in ludus.games() if ludus.game(name).look.board is not None]
WRONG_ROWS = """\
rows = open("input.txt").read().split()[3:]
open("output.txt", "w").write("A1\\n" + "\\n".join(rows) + "\\n")
"""


def rejected(path: str, **options: int) -> list[Finding]:
    game = "fruit-rage" if options else "magnetic-cave"
    return [one for one in check(read_bot(path), path, game, options).findings if one.verdict == REJECT]


@pytest.mark.parametrize("name", DRAWABLE)
def test_the_cells_of_a_move_are_among_those_that_its_text_names(name: str) -> None:
    state = ludus.game(name).initial(1)
    assert state.game.look.board is not None
    for move in state.legal_moves:
        named = state.game.look.board(state).cells_named(move)
        assert set(named) & set(state.steps(move)[0].cells), move
        assert cells_of(state, move.lower()) == tuple(state.steps(move)[0].cells)
    assert cells_of(state, "Z99") == cells_of(state, "99,99") == cells_of(state, "") == ()


def test_a_refused_move_is_marked_on_its_position(tmp_path: Path) -> None:
    found = rejected(cave_bot(tmp_path, "if turn == 2: print('d5')"))
    first = found[0]
    assert (first.game, dict(first.options), first.cells) == ("magnetic-cave", {}, ((3, 3),))
    assert first.state is not None
    assert first.state.text == first.shows
    assert Finding.model_validate(first.model_dump(mode="json")) == first
    assert rejected(cave_bot(tmp_path, "sys.exit('no')"))[0].cells == (), "no move, no mark"


def test_a_group_is_marked_where_the_board_behind_the_move_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "homework.py"
    path.write_text(WRONG_ROWS)
    first = rejected(str(path), size=3, types=1)[0]
    assert dict(first.options) == {"size": 3, "types": 1}
    assert set(first.cells) == {(row, col) for row in range(3) for col in range(3)}


@pytest.mark.parametrize("name", ludus.games())
def test_what_was_tried_is_told_in_the_readers_language(name: str) -> None:
    """Opponents by their names and boards by their size: no text of a player, and no option as it is written."""
    protocol = "files" if name == "fruit-rage" else "lines"
    for trial in trials(boards(name, {}, protocol)):
        said = render(trial.what, "zh")
        assert english_in(said) == [], said
        assert "=" not in str(trial.what)
    small = {"size": 5} if name == "fruit-rage" else {"rows": 7}
    told = [str(trial.what) for trial in trials(boards(name, small, protocol))]
    assert any(re.search(r"on the \d+x\d+ board, moving first, against Random$", one) for one in told), told
    usual = {option: ludus.game(name).options[option] for option in small}
    assert "on the standard board" in str(next(trials(boards(name, usual, protocol))).what)


NETWORK = "import socket\ntry: socket.socket()\nexcept OSError: pass"


def test_system_calls_that_were_refused_are_named(tmp_path: Path) -> None:
    path = cave_bot(tmp_path, NETWORK)
    report = check(read_bot(path), path, "magnetic-cave", clock="20/move")
    assert report.passed, "to be refused is no fault"
    found = [one for one in report.findings if one.message.code == "check.refused_calls"]
    assert [(one.verdict, one.message.params["calls"]) for one in found] == [("warning", ("socket",))]
    record = ludus.play_match(
        ludus.game("magnetic-cave"), (cave_bot(tmp_path, f"{NETWORK}\nsys.exit(3)"), "random"), "20/move"
    )
    assert record.headers["Fault"].endswith("; the sandbox had refused these system calls: socket")


def test_system_calls_that_a_build_was_refused_are_named(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('build = "unshare --user true"\nrun = "./bot"\n')
    (tmp_path / "bot").write_text("")
    report = check(read_bot(tmp_path), "bot", "magnetic-cave")
    assert "the sandbox refused these system calls: unshare" in report.findings[-1].text


def test_a_finding_of_an_older_version_can_be_read() -> None:
    old = Finding.model_validate({"verdict": REJECT, "text": "it crashed", "shows": "../.. 1"})
    assert (old.text, old.state, old.cells) == ("it crashed", None, ())
    told = {"verdict": REJECT, "text": "x", "message": Message("check.ready").json, "command": "ludus check ./a"}
    assert Finding.model_validate(told).command == "ludus check ./a"


def test_the_terminal_draws_each_board_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = cave_bot(tmp_path, "print('D5' if side == 'first' else 'what')")
    assert main(["check", bad, "--game", "magnetic-cave"]) == 1
    said = capsys.readouterr().out
    positions = re.findall(r"^    position   (.*)", said, re.MULTILINE)
    assert said.count(BOARD) == len(set(positions)) == len(re.findall("^✗ a ", said, re.MULTILINE)) == 2, "two reasons"
    assert said.count("\n✗ the same in a ") + 2 == said.count("\n    reproduce  ") == 5
    assert said.rstrip().endswith("2 problems to fix.")
    assert said.count("5 · · ·[·]· · · ·") >= 1
    analysed = re.findall(r"^    analyse    (.*)", said, re.MULTILINE)
    assert analysed == [f"ludus analyse magnetic-cave '{position}'" for position in positions]
    assert main([*shlex.split(analysed[0])[1:], "--nodes", "100"]) == 0


def test_failures_for_one_reason_are_one_finding(tmp_path: Path) -> None:
    """Nothing of the others is lost: each has its position, its cells and its command."""
    crash, *more = rejected(cave_bot(tmp_path, "if turn == 2: sys.exit(3)"))
    assert (more, len(crash.also)) == ([], 3), "the whole games; positions are asked for one move"
    assert all(one.command and one.state for one in crash.also)
    assert [str(one.where) for one in crash.also][
        -1
    ] == "a whole game on the standard board, moving second, against Greedy"
    two = rejected(cave_bot(tmp_path, "sys.exit(3 if side == 'first' else 4)"))
    assert [len(one.also) for one in two] == [6, 1], "another exit status is another reason"
    errors = rejected(cave_bot(tmp_path, "raise KeyError if side == 'first' else IndexError"))
    assert len(errors) == 2, "and so is another error that its output names"


def test_of_large_boards_only_a_few_are_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    large, printer = ludus.game("fruit-rage", size=14), FindingPrinter()
    for seed in range(5):
        told = Finding(verdict=REJECT, message=FAULTS["illegal-move"], game="fruit-rage", options={"size": 14})
        printer.show(told.model_copy(update={"shows": large.initial(seed).text}))
    said = capsys.readouterr().out
    assert said.count("  A B C D E F G H I J K L M N") == 3
    assert "--option size=14" in next(line for line in said.splitlines() if line.startswith("    analyse "))


def test_a_dry_run_and_a_student_page_show_the_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "course.toml").write_text(
        "game = 'magnetic-cave'\nclock = '20/move'\n[report]\npdf = false\n"
        "[rubric.runs]\nkind = 'builds-and-finishes'\npoints = 30\nopponent = 'random:seed=1'\ngames = 2\n"
    )
    text = Path(cave_bot(tmp_path, "if turn == 2: print('D5')", name="ann.py")).read_text()
    assert main(["course", "try", str(tmp_path / "course.toml"), str(tmp_path / "ann.py")]) == 1
    said = capsys.readouterr().out
    assert "5 · · ·[·]· · · ·" in said
    submissions = hand_in(tmp_path / "in", {"ann.py": text})
    students = graded(tmp_path / "course.toml", submissions, tmp_path / "out")
    first = students["ann"]["check"]["findings"][0]
    assert first["cells"] == [[3, 3]]
    assert all("./ann.py" in one["command"] for one in first["also"]), "commands name the student's file"
    page = (tmp_path / "out" / "students" / "ann" / "index.html").read_text(encoding="utf-8")
    assert page.count('class="ludus-board"') == len(students["ann"]["check"]["findings"])
    assert first["shows"] in page
    assert f"The same in {len(first['also'])} more games and positions" in page
    assert all(one["shows"] in page for one in first["also"])
