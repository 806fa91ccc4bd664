"""Small classes of students for the tests: what people hand in, good and bad, for each course."""

from __future__ import annotations

import io
import json
import re
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bots import C_BOT, CAVE, JAVA_BOT, JAVASCRIPT_BOT, LOOP

import ludus
from ludus.cli import main
from ludus.courses import PRESETS
from ludus.errors import FAULTS
from ludus.messages import Message

STUDENT_004 = Path(__file__).parents[2] / "examples" / "chain_reaction" / "106062130" / "student.h"

CHAIN_CLASS = """
#include <cstdlib>
#include <unistd.h>
// 連環爆: 下在第一個可以下的地方
class Student {
    int x = 0, y = 0, turn = 0;
public:
    void makeMove(int Record[5][6], int Max[5][6], Color color[5][6], Color inputColor) {
        turn++;
        TROUBLE
        for (x = 0; x < 5; x++)
            for (y = 0; y < 6; y++)
                if (color[x][y] == White || color[x][y] == inputColor) return;
    }
    int getX() { return x; }
    int getY() { return y; }
};
"""
"""Plays the first cell that it may, after some trouble."""

CHAIN_PYTHON = """
# 弱: plays the last cell that it may
import sys
grid = {(y, x): ["", 0] for y in range(5) for x in range(6)}
def near(y, x):
    return [cell for cell in ((y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)) if cell in grid]
def put(cell, who):
    grid[cell] = [who, grid[cell][1] + 1]
    while True:
        full = [one for one in grid if grid[one][1] >= len(near(*one))]
        if not full or len({owner for owner, _ in grid.values() if owner}) == 1:
            return
        for one in full:
            grid[one] = ["", 0]
        for one in full:
            for other in near(*one):
                grid[other] = [who, grid[other][1] + 1]
for y, row in enumerate(input().split()[0].split("/")):
    x = 0
    while row:
        grid[y, x] = ["", 0] if row[0] == "." else [row[0], int(row[1])]
        row, x = row[1 if row[0] == "." else 2:], x + 1
own, other = ("r", "b") if sys.argv[1] == "first" else ("b", "r")
waits = sys.argv[1] == "second"
while True:
    if waits:
        move = input().strip()
        put((int(move[1]) - 1, "ABCDEF".index(move[0])), other)
    waits = True
    cell = max(cell for cell in grid if grid[cell][0] in ("", own))
    put(cell, own)
    print("ABCDEF"[cell[1]] + str(cell[0] + 1), flush=True)
"""

CHAIN_JAVASCRIPT = """
const fs = require('fs');
fs.readFileSync('input.txt', 'utf8');
fs.writeFileSync('output.txt', 'Z9\\n');
"""

FRUIT_PYTHON = """
# 水果: claims the largest group, or the first one
n, p, left, *rows = open("input.txt").read().split()
n = int(n)
grid = [list(row) for row in rows]
def group(r, c):
    kind, found, todo = grid[r][c], {(r, c)}, [(r, c)]
    while todo:
        a, b = todo.pop()
        for x, y in ((a + 1, b), (a - 1, b), (a, b + 1), (a, b - 1)):
            if 0 <= x < n and 0 <= y < n and (x, y) not in found and grid[x][y] == kind:
                found.add((x, y)); todo.append((x, y))
    return found
cells = [(r, c) for r in range(n) for c in range(n) if grid[r][c] != "*"]
r, c = CHOICE
TROUBLE
for x, y in group(r, c):
    grid[x][y] = "*"
for y in range(n):
    column = [grid[x][y] for x in range(n) if grid[x][y] != "*"]
    for x in range(n):
        grid[x][y] = "*" if x < n - len(column) else column[x - n + len(column)]
open("output.txt", "w").write("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[c] + str(r + 1) + "\\n" + "\\n".join(map("".join, grid)))
"""
FRUIT_CPP = r"""
#include <fstream>
#include <string>
#include <vector>
using namespace std;
int n; vector<string> g;
void take(int r, int c, char k) {
    if (r < 0 || c < 0 || r >= n || c >= n || g[r][c] != k) return;
    g[r][c] = '*';
    take(r + 1, c, k); take(r - 1, c, k); take(r, c + 1, k); take(r, c - 1, k);
}
int main() {
    ifstream in("input.txt"); int p; double left; in >> n >> p >> left; g.resize(n);
    for (auto &row : g) in >> row;
    int r = 0, c = 0;
    for (int i = n * n - 1; i >= 0; i--) if (g[i / n][i % n] != '*') { r = i / n; c = i % n; }
    take(r, c, g[r][c]);
    GRAVITY
    ofstream out("output.txt"); out << char('A' + c) << r + 1 << "\n";
    for (auto &row : g) out << row << "\n";
}
"""
FALL = r"""
    for (int y = 0; y < n; y++) {
        int to = n - 1;
        for (int x = n - 1; x >= 0; x--) if (g[x][y] != '*') { char k = g[x][y]; g[x][y] = '*'; g[to--][y] = k; }
    }
"""
FRUIT_JAVA = """
import java.nio.file.*;
import java.util.*;
class homework {
    static int n; static char[][] g;
    static void take(int r, int c, char k) {
        if (r < 0 || c < 0 || r >= n || c >= n || g[r][c] != k) return;
        g[r][c] = '*';
        take(r + 1, c, k); take(r - 1, c, k); take(r, c + 1, k); take(r, c - 1, k);
    }
    public static void main(String[] a) throws Exception {
        List<String> in = Files.readAllLines(Path.of("input.txt"));
        n = Integer.parseInt(in.get(0).trim()); g = new char[n][];
        for (int i = 0; i < n; i++) g[i] = in.get(3 + i).trim().toCharArray();
        int r = 0, c = 0;
        for (int i = n * n - 1; i >= 0; i--) if (g[i / n][i % n] != '*') { r = i / n; c = i % n; }
        take(r, c, g[r][c]);
        for (int y = 0; y < n; y++) {
            int to = n - 1;
            for (int x = n - 1; x >= 0; x--) if (g[x][y] != '*') { char k = g[x][y]; g[x][y] = '*'; g[to--][y] = k; }
        }
        StringBuilder out = new StringBuilder("" + (char) ('A' + c) + (r + 1) + "\\n");
        for (char[] row : g) out.append(row).append("\\n");
        Files.writeString(Path.of("output.txt"), out.toString());
    }
}
"""

CANTRIS_CPP = r"""
#include <cstdio>
#include <cstring>
// 糖果: always the lowest tile of a column; the game is over before that column is empty
int main(int argc, char **argv) {
    char line[256];
    if (!fgets(line, sizeof line, stdin)) return 2;
    int rows = 1, cols = 0;
    for (char *cell = line; *cell != ' '; cell++) { if (*cell == '/') rows++; else if (rows == 1) cols++; }
    int removals = rows == 10 && cols == 5 ? 2 : 1;
    bool waits = strcmp(argv[1], "second") == 0;
    for (int turn = 1;; turn++) {
        for (int n = 0; waits && n < removals; n++) if (!fgets(line, sizeof line, stdin)) return 0;
        waits = true;
        TROUBLE
        for (int n = 0; n < removals; n++) printf("%d %d\n", rows - 1, COLUMN);
        fflush(stdout);
    }
}
"""
CANTRIS_PYTHON = """
# 貪心: the removal that scores most
def choose(state, clock):
    own = state.side
    return max(state.legal_moves, key=lambda move: state.play(move).scores[own])
"""
HARM = {
    "bot.toml": 'protocol = "files"\nmain = "a.py"\n'
    'build = "echo harm > /etc/x; cat /etc/shadow; python3 -m py_compile a.py"\n',
    "a.py": "import os, socket\nsocket.create_connection(('10.0.0.1', 80), 1)\nos.system('rm -rf / ~')\n",
}
"""Writes where it may not, reads what it may not, calls out, and deletes everything."""


def zipped(**files: str) -> bytes:
    """Pack files as students do: names have `__` for the dot, and stand in a folder."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in files.items():
            archive.writestr("my project/" + name.replace("__", "."), text)
    return made.getvalue()


def hand_in(folder: Path, submissions: Mapping[str, str | bytes | dict[str, str]]) -> Path:
    """Write a class's submissions into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, what in submissions.items():
        if isinstance(what, bytes):
            (folder / name).write_bytes(what)
        elif isinstance(what, str):
            (folder / name).write_text(what, encoding="utf-8")
        else:
            (folder / name).mkdir()
            for inner, text in what.items():
                (folder / name / inner).write_text(text, encoding="utf-8")
    return folder


def chain_class(trouble: str = "") -> str:
    return CHAIN_CLASS.replace("TROUBLE", trouble)


Handed = dict[str, str | bytes | dict[str, str]]

CHAIN: Handed = {
    "106062130_邱詠智.zip": zipped(student__h=STUDENT_004.read_text(encoding="utf-8"), report__pdf="%PDF"),
    "106000001.cpp": chain_class(),
    "106000002_陳.py": CHAIN_PYTHON,
    "106000003.js": CHAIN_JAVASCRIPT,
    "106000004.cpp": chain_class("for (volatile long i = 0; turn == 2; i++) {}"),
    "106000005.cpp": chain_class("if (turn == 3) abort();"),
    "106000006.cpp": chain_class("if (turn == 2) { x = 7; y = 9; return; }"),
    "106000007": HARM,
    "106000008.cpp": "class Student { void makeMove( this does not compile; getX(); }",
    "106000009.zip": b"PK\x03\x04 this is no archive",
    "homework final (2).cpp": chain_class("turn += 0;"),
}
CAVE_GOOD = (
    CAVE
    + """
def lines(r, c):
    for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for start in range(-4, 1):
            cells = [(r + (start + i) * dr, c + (start + i) * dc) for i in range(5)]
            if all(0 <= a < 8 and 0 <= b < 8 for a, b in cells):
                yield [board[a][b] for a, b in cells]

def worth(move):
    r, c = 8 - int(move[1:]), "ABCDEFGH".index(move[0])
    total = 0
    for line in lines(r, c):
        x, o = line.count("x"), line.count("o")
        total += 10 ** x * 3 if not o else 0
        total += 10 ** o * 2 if not x else 0
    return total
"""
    + LOOP.replace("TROUBLE", "pass").replace("next(legal())", "max(legal(), key=worth)")
)
CAVE_SLOW = "[0 for _ in iter(int, 1)] if turn == 2 and side == 'second' else None"
CAVE_COHORT: Handed = {
    "a1_40000001_40000009.py": CAVE_GOOD,
    "a1_40000002 陳小明.java": JAVA_BOT,
    "a1_40000003.py": CAVE + LOOP.replace("TROUBLE", CAVE_SLOW),
    "a1_40000004.js": JAVASCRIPT_BOT.replace("function answer() {", "function answer() {\n  process.exit(3);"),
    "a1_40000005.py": "# 違規\ndef choose(state, clock):\n    return 'H9' if len(state.legal_moves) else ''\n",
    "a1_40000006": HARM,
    "a1_40000007.c": C_BOT.replace("int turn", "inf turn"),
}
"""Good, weak, slow, crashing, illegal (by a Python module), hostile, not compiling."""

FRUIT_GREEDY = FRUIT_PYTHON.replace("CHOICE", "max(cells, key=lambda cell: len(group(*cell)))")
FRUIT_WEAK = FRUIT_CPP.replace("GRAVITY", FALL)
FRUIT_COHORT: Handed = {
    "ann_安.zip": zipped(
        homework3__py=FRUIT_GREEDY.replace("TROUBLE", "assert open('calibration.txt').read() == '好'"),
        calibrate__py="open('calibration.txt', 'w').write('好')",
    ),
    "bob": {"homework11.cpp": FRUIT_WEAK},
    "cid": {"homework.java": FRUIT_JAVA.replace("int r = 0", "if (n == 4) System.exit(3);\n        int r = 0")},
    "dee": {
        "homework.cpp": FRUIT_CPP.replace("GRAVITY", "").replace(
            "int i = n * n - 1; i >= 0; i--", "int i = 0; i < n * n; i++"
        )
    },
    "eve": {"homework.js": "process.exit(0)"},
    "fay": {"homework.py": FRUIT_GREEDY.replace("TROUBLE", "").replace("str(r + 1)", "str(r + 1 if n != 4 else 9)")},
    "gus": {
        "homework.cpp": FRUIT_WEAK.replace(
            "take(r, c, g", "for (volatile int i = 0; SLOW; i = i + 1) {}\n    take(r, c, g"
        )
    },
    "ivy": {"homework.py": HARM["a.py"]},
    "joe": {"homework.cpp": FRUIT_WEAK.replace("int main", "int mein(")},
}
"""Good and calibrated, weak, crashing, wrong board, wrong language, illegal, slow, hostile, not compiling."""

CANTRIS_WEAK = CANTRIS_CPP.replace("TROUBLE", "").replace("COLUMN", "0")


def three(id_: str, ending: str, text: str, **more: str) -> bytes:
    """Pack the three programs that the Cantris course wants."""
    return zipped(**{f"{id_}_{number}__{ending}": text for number in (1, 2, 3)}, **more)


CANTRIS_COHORT: Handed = {
    "309515001_王.zip": three("309515001", "py", CANTRIS_PYTHON, **{"309515001__pdf": "%PDF"}),
    "309515002.zip": three("309515002", "cpp", CANTRIS_WEAK),
    "309515003.zip": three("309515003", "cpp", CANTRIS_WEAK.replace("removals", "zuege").replace("rows", "reihen")),
    "309515004.cpp": CANTRIS_CPP.replace(
        "TROUBLE", "for (volatile int i = 0; rows == 6 && turn == 2; i = i + 1) {}"
    ).replace("COLUMN", "cols - 1"),
    "309515005.zip": zipped(**{"309515005_1__py": "print(1)", "309515005_2__py": "print(1)"}),
    "309515006": HARM,
    "309515007.zip": three("309515007", "py", "print('9 9', flush=True)\ninput()\ninput()\nprint('9 9')\n"),
    "309515008.cpp": CANTRIS_WEAK.replace("char line", "chr line"),
    "309515009.java": JAVA_BOT,
}
"""Good (as Python modules), weak, its copy, slow, incomplete, hostile, illegal, not compiling, in another language."""


# --- grading ----------------------------------------------------------------------------------------------------------


def small(folder: Path, preset: str, *changes: tuple[str, str]) -> Path:
    """Write a preset with its numbers made small, and its clock in CPU time, which a busy machine does not shorten."""
    text = (PRESETS / f"{preset}.toml").read_text(encoding="utf-8")
    for pattern, new in changes:
        text, count = re.subn(pattern, new, text, flags=re.MULTILINE)
        assert count, pattern
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "course.toml").write_text(text, encoding="utf-8")
    return folder / "course.toml"


class GradedClass(NamedTuple):
    """A class that was graded."""

    course: Path
    submissions: Path
    out: Path
    students: dict[str, Any]

    def copied(self, to: Path) -> Path:
        """Copy the results, to grade the class again without changing what other tests look at."""
        return Path(shutil.copytree(self.out, to))


def graded(course: Path, submissions: Path, out: Path, *more: str) -> dict[str, Any]:
    """Grade by the command, and give the students by id."""
    status = main(["course", "grade", str(course), str(submissions), "--out", str(out), "--jobs", "1", *more])
    assert status == 0
    return students_of(out)


def students_of(out: Path) -> dict[str, Any]:
    """Return the students by id, as they were graded."""
    students: list[Any] = json.loads((out / "grades.json").read_text(encoding="utf-8"))["students"]
    return {student["id"]: student for student in students}


def rules(student: dict[str, Any]) -> dict[str, float]:
    return {rule["rule"]: rule["points"] for rule in student["rules"]}


def played(out: Path, student: dict[str, Any], rule: str) -> list[tuple[float, str]]:
    """Count a rule's games again from the records: (points, reason) of each."""
    (found,) = [one for one in student["rules"] if one["rule"] == rule]
    games = []
    entry = student["team"] or student["id"]
    for name in found["games"]:
        record = ludus.Record.load(out / name)
        assert record.outcome is not None
        points = 0.5 if record.outcome.winner is None else float(record.players[record.outcome.winner] == entry)
        games.append((points, record.outcome.reason))
    return games


def beaten(out: Path, student: dict[str, Any], rule: str) -> bool:
    games = played(out, student, rule)
    return sum(points for points, _ in games) > len(games) / 2


def failed(student: dict[str, Any]) -> set[str]:
    """Return the kinds of failure that a student's reasons name."""
    said = " ".join(rule["reason"] for rule in student["rules"]) + student["trouble"]
    return {kind for kind in FAULTS if f"{Message(f'faults.kind.{kind}')}:" in said}
