"""Kinds of programs for a person at a terminal that students hand in: each is played, or said to be what it is."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ludus.bots import ProgramUnknown, read_bot
from ludus.bots.build import build
from ludus.bots.console import Discovery, as_console, discover, search, typed_game
from ludus.bots.console.hints import Hints, seat_arguments
from ludus.bots.console.session import TriedProgram
from ludus.bots.console.several import told_apart
from ludus.bots.repair import repaired, stand_in
from ludus.check import REJECT, check
from ludus.formats import Pairing
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
from ludus.tournament import Plan

if TYPE_CHECKING:
    from collections.abc import Sequence

CAVE = game("magnetic-cave")
RULES = """
board = [["-"] * 8 for _ in range(8)]

def free(r, c):
    return 0 <= r < 8 and 0 <= c < 8 and board[r][c] == "-" and (
        c in (0, 7) or board[r][c - 1] != "-" or board[r][c + 1] != "-")

def think():
    return [(r, c) for r in range(8) for c in range(8) if free(r, c)][0]

def show():
    print("  A B C D E F G H")
    for r in range(8):
        print(8 - r, " ".join(board[r]))
"""

ONE_SEAT = """
computer = {begins}
mine, other = "XO" if computer else "OX"
while True:
    if computer:
        r, c = think()
        board[r][c] = mine
        {says}
    computer = True
    {shows}
    while True:
{reads}
        if free(r, c):
            break
        print("Not accepted!")
    board[r][c] = other
"""
CELL = 'text = input("Your move: ")\nr, c = 8 - int(text[1]), ord(text[0]) - 65'


def one_seat(begins: str, reads: str = CELL, *, shows: str = "show()", says: str = "") -> str:
    """Return a program that plays one seat: how it knows whether it begins, and how it reads the person's moves."""
    return ONE_SEAT.format(begins=begins, reads=textwrap.indent(reads, " " * 8), shows=shows, says=says)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Find scripts again, and do not use those that an earlier run has kept."""
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "cache"))


def looked_for(folder: Path, main: str) -> Discovery:
    """Return what looking for the script of a program leads to."""
    (folder / "main.py").write_text(RULES + main, encoding="utf-8")
    return discover(read_bot(folder / "main.py"), CAVE)


def found(folder: Path, main: str) -> ConsoleScript:
    """Return the script of a program."""
    made = looked_for(folder, main)
    assert made.script is not None, (str(made.why), made.log[-2000:])
    return made.script


def played(folder: Path, script: ConsoleScript, moves: Sequence[str]) -> Match:
    """Return the match in which the program of a folder answers some moves, by a script."""
    (folder / "bot.toml").write_text(f"main = 'main.py'\n{script_toml(script)}", encoding="utf-8")
    match = Match(CAVE.initial(), clock=Clock.parse("60/move"))
    with player(str(folder)) as own:
        for move in moves:
            match.play(move)
            match.ask(own)
    return match


DRAWN = """
import pygame, sys
from pygame.locals import *

pygame.init()
S = 60
screen = pygame.display.set_mode((8 * S, 9 * S))
font = pygame.font.SysFont("arial", 28)

def menu():
    places = []
    screen.fill((255, 255, 255))
    for number, text in enumerate(("Two players", "Play as Black", "Play as White")):
        box = pygame.Rect(100, 100 + 100 * number, 280, 50)
        pygame.draw.rect(screen, (200, 200, 200), box)
        drawn = font.render(text, True, (0, 0, 0))
        screen.blit(drawn, drawn.get_rect(center=box.center))
        places.append(box)
    while True:
        pygame.display.flip()
        for event in pygame.event.get():
            if event.type == QUIT:
                sys.exit()
            for number, box in enumerate(places):
                if event.type == MOUSEBUTTONDOWN and box.collidepoint(event.pos):
                    return number

computer = (None, 1, 0)[menu()]
turn = 0
while True:
    screen.fill((30, 30, 30))
    screen.blit(font.render(f"Player {turn + 1} to move", True, (255, 255, 255)), (10, 10))
    for r in range(8):
        for c in range(8):
            pygame.draw.rect(screen, (220, 180, 140), (c * S + 1, (r + 1) * S + 1, S - 2, S - 2))
            if board[r][c] != "-":
                colour = (0, 0, 0) if board[r][c] == "X" else (255, 255, 255)
                pygame.draw.rect(screen, colour, (c * S + 10, (r + 1) * S + 10, S - 20, S - 20))
    pygame.display.update()
    pygame.time.Clock().tick(60)
    moves = [think()] if turn == computer else []
    for event in pygame.event.get() if turn != computer else ():
        if event.type == MOUSEBUTTONUP:
            moves.append((event.pos[1] // S - 1, pygame.mouse.get_pos()[0] // S))
    for r, c in moves:
        if free(r, c):
            board[r][c] = "XO"[turn]
            turn = 1 - turn
"""
BUTTONS = """
import tkinter as tk

mode = input("1. Two persons\\n2. You first\\n3. Computer first\\n")
turn = 0

def press(r, c):
    global turn
    if not free(r, c):
        label.config(text="Invalid move")
        return
    board[r][c] = "XO"[turn]
    cells[r][c].config(text="\u25a0\u25a1"[turn])
    turn = 1 - turn
    label["text"] = f"Player {turn + 1}"
    if mode == "23"[1 - turn]:
        press(*think())

root = tk.Tk()
root.title("Magnetic Cave")
frame = tk.Frame(root)
frame.pack()
cells = [[tk.Button(frame, text=" ", command=lambda r=r, c=c: press(r, c)) for c in range(8)] for r in range(8)]
for r in range(8):
    frame.grid_rowconfigure(r, weight=1)
    for c in range(8):
        cells[r][c].grid(row=r + 1, column=c, sticky="nsew")
label = tk.Label(root, text="Player 1", font=("Arial", 16))
label.pack(side=tk.BOTTOM)
if mode == "3":
    press(*think())
root.mainloop()
"""
CANVAS = """
from tkinter import *
from tkinter import messagebox

class Cave:
    def __init__(self):
        self.window, self.turn = Tk(), 0
        self.menu = Frame(self.window)
        self.menu.pack()
        for text, computer in (("Two players", None), ("You are black", 1), ("You are white", 0)):
            Button(self.menu, text=text, command=lambda computer=computer: self.start(computer)).pack()
        Button(self.menu, text="Exit", command=self.window.destroy).pack()
        self.window.mainloop()

    def start(self, computer):
        self.menu.destroy()
        self.computer = computer
        self.canvas = Canvas(self.window, width=480, height=480, bg="white")
        self.canvas.pack()
        self.canvas.bind("<Button-1>", self.click)
        self.draw()
        if computer == 0:
            self.window.after(500, self.move)

    def draw(self):
        self.canvas.delete("all")
        for r in range(8):
            for c in range(8):
                self.canvas.create_rectangle(c * 60, r * 60, c * 60 + 60, r * 60 + 60, fill="beige")
                if board[r][c] != "-":
                    colour = "black" if board[r][c] == "X" else "red"
                    self.canvas.create_oval(c * 60 + 8, r * 60 + 8, c * 60 + 52, r * 60 + 52, fill=colour)

    def click(self, event):
        if not free(event.y // 60, event.x // 60):
            messagebox.showerror("Error", "Invalid move")
            return
        self.put(event.y // 60, event.x // 60)
        if self.computer is not None:
            self.window.after(300, self.move)

    def put(self, r, c):
        board[r][c] = "XO"[self.turn]
        self.turn = 1 - self.turn
        self.draw()

    def move(self):
        self.put(*think())

Cave()
"""


@pytest.mark.parametrize("main", [DRAWN, BUTTONS, CANVAS], ids=["pygame", "buttons", "canvas"])
def test_a_window_is_shown_as_text_and_clicked_by_row_and_column(tmp_path: Path, main: str) -> None:
    script = found(tmp_path, main)
    assert (script.seats, script.enter.text, script.board) == ("both", "{row} {col}", "top")
    assert [(answer.text(0), answer.text(1)) for answer in script.answers] == [("3", "2")]
    bot = read_bot(tmp_path / "main.py")
    assert str(bot.why).startswith("it opens a window with ")
    assert "takes a typed row and column as a click" in " ".join(map(str, bot.notes))


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


def test_where_no_script_is_found_the_prompt_is_named_and_lines_are_proposed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ludus.bots.console.search.MOST_STARTS", 5)
    made = looked_for(tmp_path, "name = input('Enter your name: ')\nwhile True:\n    input('Say the magic word: ')\n")
    assert made.script is None and made.why is not None and made.why.code == "protocols.console_unknown_at"
    assert made.why.params["prompt"] == "Say the magic word:"
    proposed = read_settings(ConsoleScript, tomllib.loads(made.proposal)["console"], "bot.toml")
    assert proposed.answers[0].send == "Ludus"


SWING = """import javax.swing.JFrame;
public class Cave {
    public static void main(String[] args) { new JFrame("Magnetic Cave").setVisible(true); }
}
"""


@pytest.mark.parametrize(
    ("source", "line"),
    [(SWING, 1), (SWING.replace("javax.swing.JFrame", "javafx.stage.Stage").replace("JFrame", "Stage"), 1)],
)
def test_a_program_with_a_window_is_said_to_be_one(tmp_path: Path, source: str, line: int) -> None:
    (tmp_path / "Cave.java").write_text(source)
    findings = check(read_bot(tmp_path / "Cave.java"), "Cave.java", CAVE.name).findings
    rejected = [finding.text for finding in findings if finding.verdict == REJECT]
    assert len(rejected) == 1 and "it opens a window" in rejected[0] and f"Cave.java, line {line}" in rejected[0]


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


def by_argument(default: object) -> str:
    """Return a program that an argument tells its seat; without one it takes a usual one, if it has that."""
    begins = f'{default} if len(sys.argv) < 2 else sys.argv[1] == "computer"'
    usage = 'if computer is None: sys.exit("Usage: main.py human|computer")'
    return f"import sys\n{one_seat(begins)}".replace("mine, other", f"{usage}\nmine, other", 1)


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


ENDS = {
    "pygame": """
import pygame
pygame.init()
screen = pygame.display.set_mode((400, 400))
for r in range(8):
    for c in range(8):
        pygame.draw.rect(screen, (255, 255, 255), (c * 50, r * 50, 50, 50))
pygame.draw.circle(screen, (0, 0, 0), (125, 75), 20)
for r in range(8):
    screen.blit(pygame.transform.scale(pygame.image.load("white.png"), (50, 50)), (0, r * 50))
pygame.display.update()
print("Player 1 wins!")
pygame.quit()
""",
    "tkinter": """
import tkinter as tk
root = tk.Tk()
cells = [[tk.Button(root, text=" ", command=print) for c in range(8)] for r in range(8)]
for r in range(8):
    for c in range(8):
        cells[r][c].grid(row=r, column=c)
cells[1][0].config(text="O")
cells[1][2].config(text="X")
root.destroy()
""",
}


@pytest.mark.parametrize("library", ENDS)
def test_a_window_is_shown_once_more_when_it_closes(tmp_path: Path, library: str) -> None:
    for name in ("ludus_window.py", f"{library}.py"):
        (tmp_path / name).write_text(stand_in(name), encoding="utf-8")
    (tmp_path / "main.py").write_text(ENDS[library], encoding="utf-8")
    shown = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    row = next(line for line in shown.splitlines() if line.startswith("1 "))
    assert row.split()[4:] == ["."] * 5 and len({*row.split()[1:4]}) == 3, row


EACH_MODE = {
    "modes.py": """
        import tkinter as tk, os, subprocess
        root = tk.Tk()
        tk.Button(root, text="Computer begins", command=lambda: os.system("python black.py")).pack()
        def white():
            subprocess.Popen(["python", "white.py"])
        tk.Button(root, text="You begin", command=white).pack()
        root.mainloop()
    """,
    "black.py": RULES + by_argument(True),
    "white.py": RULES + by_argument(False),
}


def test_a_window_may_start_another_program_for_each_seat(tmp_path: Path) -> None:
    for name, text in EACH_MODE.items():
        (tmp_path / name).write_text(textwrap.dedent(text), encoding="utf-8")
    bot = read_bot(tmp_path)
    assert bot.main == "modes.py"
    assert [note.params["line"] for note in bot.notes if note.code == "bots.repair_starts"] == [4]
    script = discover(bot, CAVE).script
    assert script is not None and [(one.first, one.second) for one in script.answers] == [("1", "2")]


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


def test_a_program_that_draws_lots_for_the_seat_is_said_to_do_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "CHANCES", 20)  # as many starts in the same seat are no chance
    why = looked_for(tmp_path, f"import random\n{one_seat('random.random() < 0.5')}").why
    assert why is not None and why.code == "protocols.console_chance"


AT_ANY_EVENT = """
import pygame
pygame.init()
screen = pygame.display.set_mode((400, 400))
mine = input("1. Black for me\\n2. White for me\\nYour choice: ")
turn = 0
while True:
    for event in pygame.event.get():
        if event.type == pygame.MOUSEBUTTONDOWN:
            c, r = event.pos[0] // 50, event.pos[1] // 50
            if free(r, c):
                board[r][c], turn = "XO"[turn], 1 - turn
        elif turn == 2 - int(mine):
            r, c = think()
            board[r][c], turn = "XO"[turn], 1 - turn
    for r in range(8):
        for c in range(8):
            pygame.draw.rect(screen, (255, 255, 255), (c * 50, r * 50, 50, 50))
            if board[r][c] != "-":
                colour = (0, 0, 0) if board[r][c] == "X" else (9, 9, 200)
                pygame.draw.circle(screen, colour, (c * 50 + 25, r * 50 + 25), 20)
    pygame.display.update()
"""


def test_a_window_that_moves_at_any_event_may_move_first(tmp_path: Path) -> None:
    assert found(tmp_path, AT_ANY_EVENT).seats == "both"


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


FOR_TESTS = {
    "a.py": (
        "print('opponent')\n  x, y = self.choose()\n  # [x,y] = [int(x) for x in input('Move: ').split()]\n",
        "print('opponent')\n  # x, y = self.choose()\n  [x,y] = [int(x) for x in input('Move: ').split()]\n",
    ),
    "b.py": ("#turn = int(input('order (0/1): '))\nturn=0\n", "turn = int(input('order (0/1): '))\n# turn=0\n"),
    "c.cpp": (
        'cout << "oppo";\n//cin>>xy.first>>xy.second;\n\n  xy = at_random(); // test\n',
        'cout << "oppo";\ncin>>xy.first>>xy.second;\n\n  // xy = at_random(); // test\n',
    ),
    "own.py": (  # its own move, which a comment after it would let a person type
        "print('my turn, not the opponent')\nx, y = choose()\nprint(x, y)\n# [x,y] = input('Move: ').split()\n",
        "print('my turn, not the opponent')\nx, y = choose()\nprint(x, y)\n# [x,y] = input('Move: ').split()\n",
    ),
    "idle.py": ("from anytree import Node, Tree\nimport json\nprint(json)\n", "pass\nimport json\nprint(json)\n"),
    "used.py": (
        "import nobodyhasthis as p\nimport own\np.init()\n",
        "import nobodyhasthis as p\nimport own\np.init()\n",
    ),
    "own/x.py": ("", ""),
}


def test_what_was_left_for_tests_is_put_to_use_and_idle_imports_are_left_out() -> None:
    made = repaired({name: before for name, (before, _) in FOR_TESTS.items()}, "a.py")
    assert made.texts == {name: after for name, (_, after) in FOR_TESTS.items()}
    assert [(note.code, note.params["file"], note.params["line"]) for note in made.notes] == [
        ("bots.repair_for_tests", "a.py", 3),
        ("bots.repair_for_tests", "b.py", 1),
        ("bots.repair_for_tests", "c.cpp", 2),
        ("bots.repair_idle_import", "idle.py", 1),
        ("bots.module_lacking", "used.py", 1),
    ]


def test_a_player_of_one_seat_plays_all_its_games_there() -> None:
    entries = {"a": "random:seed=1", "b": "greedy"}
    plan = Plan(name="x", game=CAVE.name, entries=entries, pairs=2, games=3, only_seats={"random:seed=1": 1})
    for pairing, seats in ((Pairing("p", "a", "b"), 1), (Pairing("p", "b", "a"), 0)):
        tasks = [*plan.tasks(pairing)]
        assert [task.entries for task in tasks] == [("b", "a")] * 3 and {task.seats for task in tasks} == {seats}
        assert len({task.key for task in tasks}) == len({task.seed for task in tasks}) == 3
    both = plan.model_copy(update={"only_seats": {"random:seed=1": 1, "greedy": 1}})
    assert [task.seats for task in both.tasks(Pairing("p", "a", "b"))] == [0, 1, 0]


def test_the_boards_of_a_course_are_taken_in_turn_in_one_seat_too() -> None:
    boards = ({"rows": 6, "cols": 3}, {"rows": 8, "cols": 4})
    plan = Plan(
        name="x",
        game="cantris",
        entries={"a": "random", "b": "greedy"},
        pairs=3,
        boards=boards,
        only_seats={"random": 0},
    )
    tasks = [*plan.tasks(Pairing("p", "a", "b"))]
    assert [task.options["rows"] for task in tasks] == [6, 6, 8, 8, 6, 6]
    assert {task.seats for task in tasks} == {0} and len({task.key for task in tasks}) == 6


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
