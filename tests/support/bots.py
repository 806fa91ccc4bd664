"""Small bots for the tests: what a student might hand in, and what an attacker might."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import ludus
from ludus.game_task import Task

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


def cave_task(bot: str, clock: str = "20/move") -> Task:
    """Return a game of a tournament: a bot, which begins, against moves at random."""
    start = ludus.game("magnetic-cave").initial().text
    return Task("a-b", 0, 0, "magnetic-cave", {}, start, ("a", "b"), (bot, "random:seed=1"), clock)


def processes_with(mark: str) -> list[int]:
    """Find the processes that have a mark in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if mark.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return found


C_BOT = r"""
#include <stdio.h>
#include <string.h>
/* plays the first legal cell of an 8x8 cave; never flushes */
char board[8][9], line[128];
int main(int argc, char **argv) {
    int turn = 0;
    if (scanf("%100s %*s", line) != 1) return 2;
    for (int r = 0; r < 8; r++) memcpy(board[r], line + 9 * r, 8);
    for (;;) {
        char cell[8];
        if (strcmp(argv[1], "second") == 0 || turn) {
            if (scanf("%7s", cell) != 1) return 0;
            board['8' - cell[1]][cell[0] - 'A'] = 'o';
        }
        turn++;
        for (int r = 0; r < 8; r++)
            for (int c = 0; c < 8; c++)
                if (board[r][c] == '.' && (c == 0 || c == 7 || board[r][c - 1] != '.' || board[r][c + 1] != '.')) {
                    board[r][c] = 'x';
                    printf("%c%d\n", 'A' + c, 8 - r);
                    goto done;
                }
    done:;
    }
}
"""


JAVA_BOT = """
import java.util.Scanner;
// 磁洞: a comment in Chinese
public class Höhle {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        String[] rows = in.nextLine().split(" ")[0].split("/");
        char[][] board = new char[8][];
        for (int r = 0; r < 8; r++) board[r] = rows[r].toCharArray();
        boolean wait = args[0].equals("second");
        while (true) {
            if (wait) {
                if (!in.hasNextLine()) return;
                String cell = in.nextLine().trim();
                board['8' - cell.charAt(1)][cell.charAt(0) - 'A'] = 'o';
            }
            wait = true;
            System.out.println("My move: " + play(board));
        }
    }
    static String play(char[][] board) {
        for (int r = 0; r < 8; r++)
            for (int c = 0; c < 8; c++)
                if (board[r][c] == '.' && (c == 0 || c == 7 || board[r][c - 1] != '.' || board[r][c + 1] != '.')) {
                    board[r][c] = 'x';
                    return "" + (char) ('A' + c) + (8 - r);
                }
        return "none";
    }
}
"""


JAVASCRIPT_BOT = """
const lines = require('readline').createInterface({ input: process.stdin });
let board = null;
function answer() {
  for (let r = 0; r < 8; r++) for (let c = 0; c < 8; c++) {
    const row = board[r];
    if (row[c] === '.' && (c === 0 || c === 7 || row[c - 1] !== '.' || row[c + 1] !== '.')) {
      row[c] = 'x';
      return console.log('ABCDEFGH'[c] + (8 - r));
    }
  }
}
lines.on('line', (line) => {
  if (board === null) {
    board = line.split(' ')[0].split('/').map((row) => [...row]);
    if (process.argv[2] === 'first') answer();
  } else {
    board[8 - Number(line[1])]['ABCDEFGH'.indexOf(line[0])] = 'o';
    answer();
  }
});
"""


def typed(command: str, where: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a person does who copies it into a shell."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(  # noqa: S602 - the shell is what is tried
        f"{command} {'--no-animation' if ' play ' in command else ''}",
        shell=True,
        cwd=where,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
