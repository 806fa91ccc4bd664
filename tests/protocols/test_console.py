"""Programs for a person at a terminal: scripts, drawn boards, how a script is found, and whole games by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.bots import read_bot
from ludus.bots.console import discover
from ludus.check import REJECT, check
from ludus.errors import UserError
from ludus.formats import Pairing
from ludus.game import game
from ludus.play.clock import Clock
from ludus.play.match import Match
from ludus.play.openings import DrawnMoves, for_players
from ludus.players import play_match, player
from ludus.protocols import Source, recognised_protocol
from ludus.protocols.console import ConsoleScript, script_toml, tells_start, turns, without_prompt
from ludus.protocols.console.boards import explained
from ludus.protocols.console.prompts import asks_for_setup, may_ask_for_move, setup_answers
from ludus.protocols.console.screen import decoded
from ludus.protocols.console.script import Board, Cell, Notation
from ludus.settings import read_settings
from ludus.tournament import Plan

PROGRAMS = Path(__file__).parent / "console"
CAVE, CANTRIS = "magnetic-cave", "cantris"


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Find scripts again, and do not use those that an earlier run has kept."""
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path_factory.getbasetemp() / "console"))


@pytest.mark.parametrize(
    ("text", "count_from", "rows", "typed"),
    [
        ("{letter}{row}", 1, "bottom", "D7"),
        ("{lower}{row}", 1, "top", "d2"),
        ("{row} {col}", 0, "top", "1 3"),
        ("({col},{row})", 1, "bottom", "(4,7)"),
    ],
)
def test_a_notation_writes_and_reads_the_same_cell(text: str, count_from: int, rows: str, typed: str) -> None:
    board = Board.of(game(CAVE))
    notation = Notation.model_validate({"text": text, "count_from": count_from, "rows": rows})
    assert board.cell("D7") == Cell(1, 3) and board.move(Cell(1, 3)) == "D7"
    assert notation.write(Cell(1, 3), board) == typed
    assert [*notation.read(f"talk\n {typed} \n", board)] == [Cell(1, 3)]


def test_numbers_alone_are_no_move_within_a_line() -> None:
    notation = Notation(text="{row} {col}")
    assert [*notation.read("3 2 1 4\npoints 3 2\n", Board.of(game(CANTRIS)))] == []


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({}, "enter"),
        ({"enter": {"text": "move"}}, "{row}"),
        ({"enter": {"text": "{row}{x}"}}, "'x'"),
        ({"enter": {"text": "{row} {col}", "count_from": 2}}, "at most 1"),
        ({"enter": {"text": "{row} {col}"}, "turn": "twice"}, "line"),
    ],
)
def test_a_wrong_script_is_one_sentence_with_its_place(table: dict[str, object], problem: str) -> None:
    with pytest.raises(UserError) as raised:
        read_settings(ConsoleScript, table, "bot.toml, [console]")
    assert str(raised.value).startswith("bot.toml, [console]") and problem in str(raised.value)


def test_a_script_is_written_as_it_is_read(tmp_path: Path) -> None:
    script = ConsoleScript.model_validate(
        {
            "files": ["board.txt"],
            "answers": [
                {"after": '先手 "?"', "first": "0", "second": "1"},
                {"after": "key", "send": "", "always": True},
            ],
            "enter": {"text": "{row}\n{col}"},
            "shows": {"text": "My move: {letter}{row}", "count_from": 1, "rows": "bottom"},
        }
    )
    (tmp_path / "main.py").write_text("print('x')\n")
    (tmp_path / "bot.toml").write_text(script_toml(script), encoding="utf-8")
    bot = read_bot(tmp_path)
    assert (bot.protocol, bot.console) == ("console", script)
    (tmp_path / "bot.toml").write_text('protocol = "console"\n')
    assert read_bot(tmp_path).content != bot.content


BOARDS = {
    "words": "8 . . . . . . . .\n7 X . . . . . . .\n"
    + "".join(f"{n} . . . . . . . .\n" for n in (6, 5, 4, 3, 2))
    + "1 . . . . . . . O\n  A B C D E F G H\n",
    "blanks": "  A B C D E F G H\n8                 8\n7 ■               7\n"
    + "".join(f"{n}                 {n}\n" for n in (6, 5, 4, 3, 2))
    + "1               □ 1\n  A B C D E F G H\n",
    "boxes": "[ ][ ][ ][ ][ ][ ][ ][ ]\n[B][ ][ ][ ][ ][ ][ ][ ]\n"
    + "[ ][ ][ ][ ][ ][ ][ ][ ]\n" * 5
    + "[ ][ ][ ][ ][ ][ ][ ][W]\n",
    "bars": "+---+\n| | | | | | | | |\n+---+\n|1| | | | | | | |\n"
    + "+---+\n| | | | | | | | |\n" * 5
    + "+---+\n| | | | | | | |2|\n",
    "packed": "........\n#.......\n" + "........\n" * 5 + ".......@\n",
}


@pytest.mark.parametrize("kind", BOARDS)
def test_the_move_is_found_in_a_drawn_board(kind: str) -> None:
    state = game(CAVE).initial().play("A7")
    drawn = f"Thinking...\n{BOARDS[kind]}Your move: "
    assert explained(drawn, turns(state), "top") == ("H1",)
    assert explained(drawn, turns(state), "bottom") is None
    assert explained("Your move: ", turns(state), "top") is None


def test_no_board_is_read_across_two_drawings() -> None:
    """The last row of one and the first seven of the next look like a board whose pieces are one row lower."""
    empty = [f"{row}  " + "   | " * 8 for row in range(1, 9)]
    played = ["1  x  | " + "   | " * 6 + "o  | ", *empty[1:]]
    screen = "\n=====\n".join(empty) + "\n=====\nBlack to move\n" + "\n=====\n".join(played) + "\nWhite to move\n"
    start = game(CAVE).initial()
    assert explained(screen, turns(start.play("A8")), "top") == ("H8",)
    assert explained(screen, turns(start.play("A7")), "top") is None


def test_a_screen_is_read_in_any_of_its_encodings() -> None:
    assert decoded("\x1b[2J\x1b[31m先手\x1b[0m\r\n".encode()) == "\n先手\n"
    assert decoded("請輸入：".encode("cp950")) == "請輸入："
    assert decoded(b"\xb3\xdb\xb3 \xff") == "│█│ \xa0"


def test_the_sign_is_a_program_that_asks_a_person() -> None:
    for path in sorted(PROGRAMS.iterdir()):
        source = Source(path.name, path.suffix, path.read_text(encoding="utf-8"))
        assert recognised_protocol(source)[0] == "console", path.name
    lines = Source("bot.py", "python", 'import sys\nside = sys.argv[1] == "first"\nprint("Enter"); input()')
    assert recognised_protocol(lines)[0] == "lines"


@pytest.mark.parametrize(
    ("name", "board", "options"),
    [
        ("cantris_order.cpp", CANTRIS, {}),
        ("cantris_chinese.py", CANTRIS, {"rows": 10, "cols": 5}),
        ("CaveMenu.java", CAVE, {}),
        ("cave_colours.py", CAVE, {}),
        ("cave_xy.c", CAVE, {}),
        ("cave_random.py", CAVE, {}),
        ("CaveDashes.java", CAVE, {}),
        ("cave_names.py", CAVE, {}),
        ("cave_lists.py", CAVE, {}),
    ],
)
def test_a_script_is_found_and_plays_both_seats(name: str, board: str, options: dict[str, int]) -> None:
    report = check(read_bot(PROGRAMS / name), name, board, options, "60/move")
    assert report.passed, [finding.text for finding in report.findings if finding.verdict == REJECT]
    assert len(report.games) == 4
    codes = [finding.message.code for finding in report.findings]
    assert "check.console_found" in codes


def test_what_was_found_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    bot, made = read_bot(PROGRAMS / "cave_xy.c"), game(CAVE)
    found = discover(bot, made).script
    assert found is not None and found.seats == "both"
    monkeypatch.setattr("ludus.bots.console.search.MOST_STARTS", -1)  # nothing can be tried any more
    assert discover(bot, made).script == found


def test_an_example_of_a_move_is_no_move() -> None:
    assert without_prompt("Computer: A3\nYour turn (e.g. B4)\nMove: ") == "Computer: A3\n"


@pytest.mark.parametrize(
    ("prompt", "answers"),
    [
        ("Start? (yes/no) ", ["yes", "no"]),
        ("First (Y/N)? ", ["Y", "N"]),
        ("Choose your player (1 or -1): ", ["1", "-1"]),
        ("Do you want black (first) or white (second)? ", ["black", "white"]),
        ("Mode [pvp, pvc, cvp]: ", ["pvp", "pvc", "cvp"]),
        ("Difficulty (easy/normal/extreme)? ", ["extreme", "normal", "easy"]),
        ("請輸入先手(1)或後手(2)：", ["1", "2"]),
    ],
)
def test_a_question_is_answered_in_its_own_words(prompt: str, answers: list[str]) -> None:
    assert setup_answers(prompt, prompt)[: len(answers)] == answers


def test_rows_and_columns_in_chinese_are_of_a_move() -> None:
    prompt = "對手的選擇 (列 行)："
    assert may_ask_for_move(prompt, prompt) and not asks_for_setup(prompt, prompt)


def test_a_program_that_always_lets_the_person_begin_is_told_so(tmp_path: Path) -> None:
    source = (PROGRAMS / "cave_colours.py").read_text(encoding="utf-8")
    own = tmp_path / "always_second.py"
    own.write_text(source.replace('input("Do you want to start? (y/n) ").lower().startswith("y")', "True"))
    report = check(read_bot(own), "always_second.py", CAVE, clock="60/move")
    assert "check.console_never_first" in [finding.message.code for finding in report.findings]
    assert report.passed and len(report.games) == 2  # those in the seat that it has


BROKEN = """
n = 0
while True:
    move = input("Enter your move: ")
    n += 1
    {what}
    print("My move: H" + str(n))
"""
SCRIPT = {
    "enter": {"text": "{letter}{row}", "count_from": 1, "rows": "bottom"},
    "shows": {"text": "My move: {letter}{row}", "count_from": 1, "rows": "bottom"},
}


@pytest.mark.parametrize(
    ("what", "fault", "shown"),
    [
        ("1 / 0 if n == 2 else 0", "crash", "ZeroDivisionError"),
        ("if n == 2: raise SystemExit", "no-answer", "ended"),
        ("if n == 2: print('X wins!'); raise SystemExit", "no-answer", "game is over"),
        ("if n == 2: print('Invalid move, try again'); continue", "bad-output", "Invalid move"),
        ("if n == 2: print('hello'); continue", "bad-output", "hello"),
        ("while n == 2: pass", "timeout", ""),
        ("while n == 2: print('x' * 500)", "too-much-output", ""),
        ("while n == 2: input('Press any key')", "bad-output", "Press any key"),
    ],
)
def test_each_failure_at_a_terminal_is_told(tmp_path: Path, what: str, fault: str, shown: str) -> None:
    (tmp_path / "main.py").write_text(BROKEN.replace("{what}", what))
    (tmp_path / "bot.toml").write_text(script_toml(ConsoleScript.model_validate(SCRIPT)))
    match = Match(game(CAVE).initial(), clock=Clock.parse("2/move"))
    with player(str(tmp_path)) as own:
        for move in ("A1", "A2"):
            match.play(move)
            match.ask(own)
        log = own.log
    assert match.outcome is not None and match.outcome.reason == fault
    assert match.fault is not None and shown in str(match.fault.message)
    assert "«A2»" in log


def test_a_program_that_thinks_before_its_first_question_pays_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may see the board by then."""
    monkeypatch.setattr("ludus.protocols.console.Console.free_start_seconds", 0.0)
    (tmp_path / "main.py").write_text("import time\ntime.sleep(3)\n" + BROKEN.replace("{what}", "pass"))
    (tmp_path / "bot.toml").write_text(script_toml(ConsoleScript.model_validate(SCRIPT)))
    match = Match(game(CAVE).initial(), clock=Clock.parse("1/move"))
    with player(str(tmp_path)) as own:
        match.play("A1")
        match.ask(own)
        assert own.spent is not None and own.spent > 1
    assert match.outcome is not None and match.outcome.reason == "timeout"


def test_a_start_that_cannot_be_told_is_refused() -> None:
    cave, cantris = game(CAVE), game(CANTRIS)
    assert tells_start(None, cave.initial()) and not tells_start(None, cave.initial().play("A1"))
    with_file = ConsoleScript.model_validate({"files": ["board.txt"], **SCRIPT})
    assert tells_start(with_file, cantris.initial(5))
    assert not tells_start(with_file, cantris.initial(5).play("0,0"))
    assert not tells_start(ConsoleScript.model_validate(SCRIPT), cantris.initial(5))


def test_the_first_moves_of_the_opponent_are_drawn_instead_of_an_opening() -> None:
    plan = Plan(name="x", game=CAVE, entries={"a": str(PROGRAMS / "cave_xy.c"), "b": "random:seed=1"}, seed=7)
    tasks = [*plan.tasks(Pairing("p", "a", "b"))]
    assert {task.start for task in tasks} == {game(CAVE).initial().text}
    assert [task.drawn for task in tasks] == [(0, 2), (2, 0)]
    both = Plan(name="x", game=CAVE, entries={"a": str(PROGRAMS / "cave_xy.c"), "b": str(PROGRAMS / "cave_colours.py")})
    assert [task.drawn for task in both.tasks(Pairing("p", "a", "b"))] == [(0, 0), (0, 0)]
    start, usual = game(CAVE).initial().play("A1"), game(CAVE).initial()
    assert for_players(start, usual, (True, True), 4) == (start, (0, 0))


@pytest.mark.parametrize("side", [0, 1])
def test_drawn_moves_are_the_same_again_and_the_player_goes_on_from_there(side: int) -> None:
    def moves(seed: int) -> list[str]:
        match = Match(game(CAVE).initial())
        seats = [player("greedy"), player("greedy")]
        seats[side] = DrawnMoves(player("greedy"), seed, 3)
        match.run(seats)
        assert match.record.outcome is not None and match.record.outcome.reason == "rules"
        return [move for _, move in match.moves]

    assert moves(1) == moves(1)
    assert len({tuple(moves(seed)) for seed in range(4)}) > 1


def test_two_programs_at_terminals_play_each_other() -> None:
    programs = str(PROGRAMS / "cave_xy.c"), str(PROGRAMS / "cave_colours.py")
    record = play_match(game(CAVE), programs, "60/move")
    assert record.outcome is not None and record.outcome.reason == "rules"
