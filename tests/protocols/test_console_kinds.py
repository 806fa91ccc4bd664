"""Kinds of programs for a person at a terminal that students hand in: each is played, or said to be what it is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from console_programs import CAVE, found, looked_for, one_seat, played

from ludus.bots import read_bot
from ludus.bots.build import build
from ludus.bots.console import as_console, discover, search, typed_game
from ludus.bots.console.session import TriedProgram
from ludus.game import game
from ludus.play.clock import Clock
from ludus.play.match import Match
from ludus.players import player
from ludus.protocols.console import ConsoleScript, script_toml
from ludus.protocols.console.prompts import (
    asks_for_setup,
    listed_notations,
    may_ask_for_move,
    notations,
    setup_answers,
)
from ludus.protocols.console.script import Board, Notation
from ludus.settings import read_settings

pytestmark = pytest.mark.usefixtures("own_cache")

LISTED = one_seat(
    'input("Play first? (y/n) ") != "y"',
    """
moves = [(r, c) for r in range(8) for c in range(8) if free(r, c)]
for number, (r, c) in enumerate(moves, 1):
    print(f"  {number}) {'ABCDEFGH'[c]}{8 - r}")
r, c = moves[int(input("Your choice: ")) - 1]
""",
)


def test_a_move_may_be_chosen_by_its_number_in_a_list(tmp_path: Path) -> None:
    script = found(tmp_path, LISTED)
    assert script.seats == "both" and script.enter.text == "{choice}) {letter}{row}"
    board = Board.of(CAVE)
    screen = "10) B7  11) H7\n12) A1\n"
    assert script.enter.typed(board.cell("H7"), board, screen) == "11"
    assert script.enter.typed(board.cell("A2"), board, screen) is None


def test_where_no_script_is_found_the_prompt_is_named_and_lines_are_proposed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ludus.bots.console.search.MOST_STARTS", 5)
    made = looked_for(tmp_path, "name = input('Enter your name: ')\nwhile True:\n    input('Say the magic word: ')\n")
    assert made.script is None and made.why is not None and made.why.code == "protocols.console_unknown_at"
    assert made.why.params["prompt"] == "Say the magic word:"
    proposed = read_settings(ConsoleScript, tomllib.loads(made.proposal)["console"], "bot.toml")
    assert proposed.answers[0].send == "Ludus"


@pytest.mark.parametrize(
    ("prompt", "answers"),
    [
        ("Choose your symbol (X goes first) X/O: ", {"X", "O"}),
        ("Choose your color (b/w): ", {"b", "w"}),
        ("Player 1 [human/computer]: ", {"human", "computer"}),
        ("Type 'human' to move first or 'computer' to let the computer move first", {"human", "computer"}),
        ("Time limit per move in seconds: ", {"3"}),
        ("Should I play black (b), white (w) or none (n)? ", {"b", "w", "n"}),
        ("Board: 1) 6x3  2) 8x4  3) 10x5: ", {"{6x3:1|8x4:2|10x5:3}"}),
        ("Board size (6x3, 8x4 or 10x5): ", {"{rows}x{cols}"}),
        ("Enter the number of rows and columns: ", {"{rows} {cols}"}),
        ("Please enter the board:", {"{board}"}),
        ("Please input the initial board row by row: ", {"{board}"}),
    ],
)
def test_a_question_about_the_game_is_not_taken_for_one_about_a_move(prompt: str, answers: set[str]) -> None:
    assert asks_for_setup(prompt, prompt) and not may_ask_for_move(prompt, prompt)
    assert answers <= {*setup_answers(prompt, prompt)}


COLOURS_ONLY = """
SIGN = {"X": "\\033[31m#\\033[0m", "O": "\\033[34m#\\033[0m", "-": "-"}

def draw():
    for r in range(8):
        print("|", *[SIGN[cell] for cell in board[r]], "|", 8 - r)
    print("  A B C D E F G H")

human, turn = int(input("1 to go first, 2 to go second: ")) - 1, 0
while True:
    draw()
    r, c = next((r, c) for r in (3, 4, 5, 6, 7, 0, 1, 2) for c in range(8) if free(r, c))
    if turn == human:
        typed = input("Your move: ")
        r, c = 8 - int(typed[1]), ord(typed[0].upper()) - ord("A")
    board[r][c] = "XO"[turn]
    turn = 1 - turn
"""


def test_pieces_that_differ_by_their_colour_only_are_told_apart(tmp_path: Path) -> None:
    script = found(tmp_path, COLOURS_ONLY)
    assert script.seats == "both" and script.board is not None
    match = played(tmp_path, script, ("A6", "A1"))
    assert match.fault is None and [one.move for one in match.record.moves] == ["A6", "A5", "A1", "B5"]


TYPED_BOARD = """
print("Choose the board: 1) 6x3  2) 8x4  3) 10x5")
rows, cols, removals = ((6, 3, 1), (8, 4, 1), (10, 5, 2))[int(input("Your choice: ")) - 1]
print("Enter the board:")
board = [[int(word) for word in input().split()] for _ in range(rows)]
seat = input("Do you go 'first' or 'second'? ")

def show():
    for row in board:
        print(*[tile or "." for tile in row])

def remove(r, c):
    for k in range(r, 0, -1):
        board[k][c] = board[k - 1][c]
    board[0][c] = 0
    while True:
        hit = {(r, c + k) for r in range(rows) for c in range(cols - 2) for k in range(3)
               if board[r][c] and board[r][c] == board[r][c + 1] == board[r][c + 2]}
        if not hit:
            return
        for r, c in sorted(hit):
            for k in range(r, 0, -1):
                board[k][c] = board[k - 1][c]
            board[0][c] = 0

def choose(board):
    return next((r, c) for r in range(rows) for c in range(cols) if board[r][c])

turn = seat == "second"
while all(board[-1]):
    for _ in range(removals):
        if turn:
            r, c = choose(board)
            print("I take", r, c)
        else:
            r, c = map(int, input("Row and column: ").split())
        remove(r, c)
        show()
        if not all(board[-1]):
            break
    turn = not turn
"""


def test_a_board_may_be_chosen_by_its_size_and_typed(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(TYPED_BOARD)
    bot = read_bot(tmp_path / "main.py")
    assert bot.protocol == "console"  # the seat is asked of a person, and this `choose` is its own
    made = discover(bot, game("cantris", rows=10, cols=5))
    assert made.script is not None, (str(made.why), made.log[-2000:])
    (tmp_path / "bot.toml").write_text(script_toml(made.script))
    for number, board in enumerate(({"rows": 6, "cols": 3}, {"rows": 8, "cols": 4}, {"rows": 10, "cols": 5})):
        match = Match(game("cantris", **board).initial(3), clock=Clock.parse("60/move"))
        other = player("random:seed=1")
        with player(str(tmp_path)) as own:
            while match.outcome is None:
                match.ask(own if match.state.side == number % 2 else other)
        assert match.fault is None, str(match.fault)


def test_cells_may_be_asked_for_by_their_number() -> None:
    assert notations("", "Cell number: ", lettered=True)[0].text == "{index}"


def test_a_prompt_may_show_by_an_example_how_a_move_is_typed() -> None:
    drawn = "".join(f"R{row}  [1] [3] [2]\n" for row in range(1, 7)) + "    C1  C2  C3\n"
    first = notations(drawn, "Pick a tile, e.g. R3C2: ", lettered=False)[0]
    assert (first.text, first.count_from) == ("R{row}C{col}", 1)
    assert notations("", "Your move, for example [3][2]: ", lettered=False)[0].text == "[{row}][{col}]"
    assert notations("", "Move (x, y), like 3;2: ", lettered=False)[0].text == "{col};{row}"
    assert listed_notations(drawn, lettered=False) == [], "a drawn board is no list of moves"


UPSIDE_DOWN = one_seat(
    'input("Does the computer play first or second? (1/2) ") == "1"',
    'c, r = int(input("x = ")), int(input("y = "))',
    shows='for r in range(7, -1, -1): print(r, " ".join(board[r]))',
    says='print("AI move: x = %d, y = %d" % (c, r))',
)


def test_a_text_that_the_drawn_board_contradicts_is_not_believed(tmp_path: Path) -> None:
    script = found(tmp_path, UPSIDE_DOWN)
    assert script.seats == "both" and script.second is None
    assert script.shows is not None and script.shows.rows == script.enter.rows != script.board


CONFIRMS = """
mode = input("Mode [pvp, pvc, cvp]: ")
mine = {"pvp": None, "pvc": "O", "cvp": "X"}[mode]
turn = "X"
while True:
    show()
    if turn == mine:
        r, c = think()
    else:
        text = input("Your move: ")
        r, c = 8 - int(text[1]), ord(text[0]) - 65
        if input("Are you sure? (yes/no) ") != "yes" or not free(r, c):
            continue
    board[r][c], turn = turn, "XO"[turn == "X"]
"""


def test_moves_may_have_to_be_confirmed(tmp_path: Path) -> None:
    script = found(tmp_path, CONFIRMS)
    assert [(answer.text(0), answer.text(1)) for answer in script.answers] == [("cvp", "pvc")]
    match = played(tmp_path, script, ("H8", "H1"))
    assert match.fault is None, str(match.fault)


SLOW = """
import select, sys, time
def asked(prompt):
    print(prompt, end="", flush=True)
    if not select.select([sys.stdin], [], [], 60)[0]:
        sys.exit("too slow")
    return sys.stdin.readline()

while True:
    show()
    text = asked("Your move, within a minute: ")
    r, c = 8 - int(text[1]), ord(text[0]) - 65
    if free(r, c):
        board[r][c] = "X"
        r, c = think()
        time.sleep(0.3)
        board[r][c] = "O"
"""


def test_a_script_that_was_hardly_tried_is_doubted_and_a_time_limit_is_no_thinking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typed_game, "THINKS_LONG", 0.2)
    made = looked_for(tmp_path, SLOW)
    assert made.script is not None and made.script.seats == "second"
    assert made.doubt is not None and made.doubt.code == "protocols.console_doubt"
    assert discover(read_bot(tmp_path / "main.py"), CAVE) == made  # as it was kept


BY_WALL = one_seat(
    'input("1. Computer first 2. Human first: ") == "1"',
    """
try:
    number, wall = input("Row (1-8) and wall (L/R): ").split()
    r = 8 - int(number)
    c = next(c for c in (range(8) if wall == "L" else range(7, -1, -1)) if free(r, c))
except (ValueError, IndexError, StopIteration):
    r = c = 8
""",
)


def test_what_fits_by_chance_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    way = Notation(text="{row} {col}", count_from=1, rows="bottom")  # right for moves at the right wall
    monkeypatch.setattr(search, "notations", lambda *_given, **_more: [way] * 4)
    assert looked_for(tmp_path, BY_WALL).script is None


LARGE = """
row, col = 10, 5
board = [[int(tile) for tile in line.split()] for line in open("board.txt")]
order = int(input("order (0: first, 1: second): "))
while True:
    if order == 0:
        print("My move:", *max((board[r][c], r, c) for r in range(row) for c in range(col))[1:])
    order = 0
    x, y = map(int, input("Enter the move: ").split())
    print(board[x][y])
"""


def test_an_error_of_a_program_for_another_board_is_said_to_be_that(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(LARGE, encoding="utf-8")
    why = discover(read_bot(tmp_path / "main.py"), game("cantris", rows=6, cols=3), seconds=2.0).why
    assert why is not None and (why.code, why.params) == ("protocols.console_size", {"rows": 10, "cols": 5})


SMALL = """
ROW, COL = 6, 3
board = [[int(tile) for tile in line.split()] for line in open("board.txt")]

def drop(r, c):
    for i in range(r, 0, -1):
        board[i][c] = board[i - 1][c]
    board[0][c] = 0

def remove(r, c):
    drop(r, c)
    runs = True
    while runs:
        runs = {(i, j + k) for i in range(ROW) for j in range(COL - 2) for k in range(3)
                if 0 != board[i][j] == board[i][j + 1] == board[i][j + 2]}
        for i, j in sorted(runs):
            drop(i, j)

mine = input("Do you want to go first? (y/n) ") == "n"
while all(board[-1]):
    if mine:
        r, c = max(((r, c) for r in range(ROW) for c in range(COL)), key=lambda one: board[one[0]][one[1]])
        print("AI removes", r, c)
    else:
        r, c = map(int, input("Your turn (row col): ").split())
    remove(r, c)
    mine = not mine
    for line in board:
        print(*line)
"""


def test_what_seems_to_play_on_part_of_another_board_is_not_believed(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(SMALL, encoding="utf-8")
    own, other = (
        discover(read_bot(tmp_path / "main.py"), game("cantris", rows=rows, cols=cols))
        for rows, cols in ((6, 3), (8, 4))
    )
    assert own.script is not None and own.script.seats == "both"
    assert other.script is None and other.why is not None and other.why.code == "protocols.console_size"


@pytest.mark.parametrize("takes", ["input()", "print(len(input()) and 'D4')"])
def test_a_program_that_replies_alike_to_everything_is_soon_given_up(tmp_path: Path, takes: str) -> None:
    (tmp_path / "main.py").write_text(f"while True:\n    {takes}\n", encoding="utf-8")
    bot = as_console(read_bot(tmp_path / "main.py"))
    program = TriedProgram(bot, build(bot), trusted=False)
    made = search.Search(program, CAVE)
    assert made.run() is None
    assert made.sure and program.starts <= 60


STERN = """
while True:
    show()
    text = input("Where? ")
    if len(text) != 2 or text[1] not in "ABCDEFGH" or not free(8 - int(text[0]), ord(text[1]) - 65):
        print("So you do not know how to play.\\nThen watch me.\\nOr begin once more.")
        input("Are you ready?")
        continue
    board[8 - int(text[0])][ord(text[1]) - 65] = "X"
    r, c = think()
    board[r][c] = "O"
"""


def test_a_way_to_type_a_move_is_found_after_many_to_which_it_replies_alike(tmp_path: Path) -> None:
    script = found(tmp_path, STERN)
    assert script.enter.text == "{row}{letter}" and script.seats == "second"
