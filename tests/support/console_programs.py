"""Programs for a person at a terminal that plays Magnetic Cave, and what becomes of them."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.bots import read_bot
from ludus.bots.console import Discovery, discover
from ludus.game import game
from ludus.play.clock import Clock
from ludus.play.match import Match
from ludus.players import player
from ludus.protocols.console import ConsoleScript, script_toml

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


def by_argument(default: object) -> str:
    """Return a program that an argument tells its seat; without one it takes a usual one, if it has that."""
    begins = f'{default} if len(sys.argv) < 2 else sys.argv[1] == "computer"'
    usage = 'if computer is None: sys.exit("Usage: main.py human|computer")'
    return f"import sys\n{one_seat(begins)}".replace("mine, other", f"{usage}\nmine, other", 1)
