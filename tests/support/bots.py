"""Small bots for the tests: what a student might hand in, and what an attacker might."""

from __future__ import annotations

import contextlib
import os
import textwrap
from pathlib import Path

CAVE = """
import os, sys, time
side = sys.argv[1]
board = [list(row) for row in input().split()[0].split("/")]

def legal():
    for r, row in enumerate(board):
        for c, cell in enumerate(row):
            if cell == "." and (c in (0, len(row) - 1) or row[c - 1] != "." or row[c + 1] != "."):
                yield "ABCDEFGHIJKLMNOP"[c] + str(len(board) - r)

def put(move, mark):
    board[len(board) - int(move[1:])]["ABCDEFGHIJKLMNOP".index(move[0])] = mark

def answer(move):
    put(move, "x")
    print(move)
"""
"""A Magnetic Cave bot in the protocol `lines`, up to the loop in which it plays."""

LOOP = """
turn = 0
while True:
    if side == "second" or turn:
        put(input().strip(), "o")
    turn += 1
    TROUBLE
    answer(next(legal()))
"""


def cave_bot(folder: Path, trouble: str = "pass", name: str = "bot.py") -> str:
    """Write a bot that plays the first legal move, after some trouble in every turn (`turn` counts from 1)."""
    body = textwrap.indent(textwrap.dedent(trouble).strip(), "    ").strip()
    path = folder / name
    path.write_text(CAVE + LOOP.replace("TROUBLE", body))
    return str(path)


def processes_with(mark: str) -> list[int]:
    """Find the processes that have a mark in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if mark.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return found
