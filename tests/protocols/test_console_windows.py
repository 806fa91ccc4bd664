"""Programs that open a window: it is shown as text and clicked, or the program is said to have one."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from console_programs import CAVE, RULES, by_argument, found

from ludus.bots import read_bot
from ludus.bots.console import discover
from ludus.bots.repair import stand_in
from ludus.check import REJECT, check

pytestmark = pytest.mark.usefixtures("own_cache")

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
