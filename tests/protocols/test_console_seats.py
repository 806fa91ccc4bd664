"""How a program for a person learns which seat it plays: asked, told by an argument, or a program for each seat."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from console_programs import CAVE, RULES, by_argument, found, looked_for, one_seat, played

from ludus.bots import ProgramUnknown, read_bot
from ludus.bots.console import discover, search
from ludus.bots.console.hints import Hints, seat_arguments
from ludus.bots.console.several import told_apart
from ludus.game import game
from ludus.protocols.console import ConsoleScript, script_toml
from ludus.settings import read_settings

pytestmark = pytest.mark.usefixtures("own_cache")

TWO_SIDES = one_seat(
    'input("1. Computer first\\n2. Human first\\nYour choice: ") == "1"',
    """
typed = input(f"Player {other}, your move (A1 to H8): ")
r = 8 - int(typed[1]) if other == "O" else int(typed[1]) - 1
c = ord(typed[0]) - ord("A")
""",
)


def test_rows_may_be_counted_otherwise_in_each_seat(tmp_path: Path) -> None:
    script = found(tmp_path, TWO_SIDES)
    assert script.seats == "both" and script.second is not None
    first, second = script.moves(0), script.moves(1)
    assert (first.enter.rows == second.enter.rows) != (first.board == second.board)


TWICE_THE_MENU = """
automatic = []
for number in (1, 2):
    print(f"Mode of player {number}:")
    print("1. Manual")
    automatic.append(input("2. Automatic\\n") == "2")
turn = 0
while True:
    show()
    if automatic[turn]:
        r, c = think()
    else:
        typed = input("Enter your move: (example: A1)")
        r, c = 8 - int(typed[1]), ord(typed[0].upper()) - ord("A")
        if not free(r, c) {or_else}:
            print("Invalid move. Please try again.")
            continue
    board[r][c] = "XO"[turn]
    turn = 1 - turn
"""


def test_the_same_choices_may_be_asked_for_twice(tmp_path: Path) -> None:
    script = found(tmp_path, TWICE_THE_MENU.replace("{or_else}", ""))
    assert script.seats == "both"
    assert [answer.text(0) for answer in script.answers] == ["2", "1"]
    assert [answer.text(1) for answer in script.answers] == ["1", "2"]


def test_a_program_that_refuses_legal_moves_is_played_until_it_does(tmp_path: Path) -> None:
    script = found(tmp_path, TWICE_THE_MENU.replace("{or_else}", "or 0 < c < 7"))
    match = played(tmp_path, script, ("H8", "G8"))
    assert match.fault is not None and match.fault.message is not None
    assert match.fault.message.code == "protocols.console_refused" and match.fault.message.params["move"] == "G8"


@pytest.mark.parametrize("default", [None, True])
def test_an_argument_may_tell_the_seat(tmp_path: Path, default: object) -> None:
    script = found(tmp_path, by_argument(default))
    assert (script.seats, script.answers) == ("both", [])
    given = [*script.given(0), "none"][:1], script.given(1)
    assert given == (["none" if default else "computer"], ["human"])
    assert read_settings(ConsoleScript, tomllib.loads(script_toml(script))["console"], "bot.toml") == script


SILENT = f"""
import argparse, sys
parser = argparse.ArgumentParser()
parser.add_argument("-m", choices=["manual", "black", "white"], default="manual")
mode, turn = parser.parse_args().m, 0
{RULES}
while True:
    if mode == ("black", "white")[turn]:
        r, c = think()
        print("XO"[turn], "plays", "ABCDEFGH"[c] + str(8 - r))
    else:
        text = sys.stdin.readline().strip()
        if not text:
            sys.exit()
        r, c = 8 - int(text[1:]), "ABCDEFGH".find(text[0])
        if not free(r, c):
            print("bad move, again:")
            continue
    board[r][c] = "XO"[turn]
    show()
    turn = 1 - turn
"""
"""Shows nothing before it is told a move: with another argument, nothing again."""


def test_an_argument_may_tell_the_seat_to_a_program_that_shows_nothing_at_first(tmp_path: Path) -> None:
    script = found(tmp_path, SILENT)
    assert (script.given(0), script.given(1)) == (["-m", "black"], ["-m", "white"])


def test_only_arguments_that_a_source_reads_are_tried() -> None:
    assert seat_arguments(["static void main(String[] args) {}", "int main(int argc, char* argv[]) {}"]) == []
    assert seat_arguments(["if (args.length < 1) System.out.println('Usage: java Cave <black|white>');"])[:2] == [
        "black",
        "white",
    ]


@pytest.mark.parametrize(
    ("name", "reads"),
    [
        ("Cave.java", 'static void main(String[] parts) { if (parts[0].equals("black")) first = true; }'),
        ("cave.cs", 'static void Main(string[] given) { if (given.Length > 0 && given[0] == "black") first = true; }'),
        ("cave.c", 'int main(int n, char **words) { if (n > 1 && !strcmp(words[1], "black")) first = 1; }'),
    ],
)
def test_arguments_are_found_whatever_main_calls_them(name: str, reads: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(reads)
    hints = Hints.of(read_bot(tmp_path / name, "console"), game("cantris"))
    assert (hints.seats[:1], hints.file_arguments) == (["black"], [("board.txt",), ()])


def test_a_program_that_has_moved_is_not_taken_for_one_that_moves_second(tmp_path: Path) -> None:
    assert found(tmp_path, one_seat("True")).seats == "first"


EACH_SEAT = {"me_first.py": RULES + one_seat("False"), "computer_first.py": RULES + one_seat("True")}


def test_programs_for_one_seat_each_are_one_bot(tmp_path: Path) -> None:
    for name, text in EACH_SEAT.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ProgramUnknown) as unknown:
        read_bot(tmp_path)
    bot = told_apart(unknown.value, CAVE)
    assert bot.mains == ("computer_first.py", "me_first.py")
    assert [note.code for note in bot.notes] == ["bots.program_by_seat"]
    script = discover(bot, CAVE).script
    assert script is not None and [(one.first, one.second) for one in script.answers] == [("1", "2")]
    (tmp_path / "bot.toml").write_text(f"main = {[*bot.mains]}\n")
    assert read_bot(tmp_path).mains == bot.mains


def test_two_programs_that_both_play_stay_a_question(tmp_path: Path) -> None:
    text = RULES + one_seat("False")
    (tmp_path / "minimax.py").write_text(text, encoding="utf-8")
    (tmp_path / "heuristic.py").write_text(f"{text}# other\n", encoding="utf-8")
    with pytest.raises(ProgramUnknown) as unknown:
        read_bot(tmp_path)
    with pytest.raises(ProgramUnknown, match="not clear which"):
        told_apart(unknown.value, CAVE)


def test_a_program_that_draws_lots_for_the_seat_is_said_to_do_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "CHANCES", 20)  # as many starts in the same seat are no chance
    why = looked_for(tmp_path, f"import random\n{one_seat('random.random() < 0.5')}").why
    assert why is not None and why.code == "protocols.console_chance"
