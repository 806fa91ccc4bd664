"""Programs for The Fruit Rage as students hand them in: small, and each in the manner of another machine or editor.

Each takes the largest group, and writes the board after gravity.
"""

from __future__ import annotations

import base64
import io
import json
import tarfile
import zipfile

PYTHON = """
import sys

def read(name):
    with open(name) as f:
        n = int(f.readline())
        types = int(f.readline())
        seconds = float(f.readline())
        return n, [list(f.readline().strip()) for _ in range(n)]

def group(board, n, r, c):
    kind, found, todo = board[r][c], set(), [(r, c)]
    while todo:
        r, c = todo.pop()
        if 0 <= r < n and 0 <= c < n and (r, c) not in found and board[r][c] == kind:
            found.add((r, c))
            todo += [(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)]
    return found

def fall(board, n, cells):
    for r, c in cells:
        board[r][c] = "*"
    for c in range(n):
        column = [board[r][c] for r in range(n) if board[r][c] != "*"]
        column = ["*"] * (n - len(column)) + column
        for r in range(n):
            board[r][c] = column[r]

def best(board, n):
    seen, most = set(), None
    for r in range(n):
        for c in range(n):
            if board[r][c] != "*" and (r, c) not in seen:
                cells = group(board, n, r, c)
                seen |= cells
                if most is None or len(cells) > len(most[1]):
                    most = ((r, c), cells)
    return most
"""

PYTHON_MAIN = """
def main():
    n, board = read("input.txt")
    (r, c), cells = best(board, n)
    fall(board, n, cells)
    with open("output.txt", "w") as out:
        out.write(chr(65 + c) + str(r + 1) + "\\n")
        for row in board:
            out.write("".join(row) + "\\n")

if __name__ == "__main__":
    main()
"""

PYTHON_2_NAMES = f"""{PYTHON}
from sys import maxint
from time import clock
import string

class Depth:
    left = 7

start, depth = clock(), Depth()
n, board = read("input.txt")
moves = []
for r in range(n):
    for c in range(n):
        if board[r][c] != "*":
            moves.append((-len(group(board, n, r, c)), r, c))
depth.left /= 2
moves.sort(cmp=lambda a, b: cmp(a[0], b[0]) or cmp(a[1:], b[1:]))
best = [-maxint, None][depth.left / 2] or moves[len(moves) / maxint]
fall(board, n, group(board, n, best[1], best[2]))
out = open("output.txt", "w")
out.write(string.uppercase[best[2]] + str(best[1] + 1) + "\\n")
out.write(string.join(["".join(row) for row in board], "\\n"))
"""
"""Nothing in it is a syntax of Python 2: only what it uses is gone."""

PYTHON_2_ORDER = """
import heapq, Queue

class Group:
    def __init__(self, cells):
        self.cells = cells
    def __cmp__(self, other):
        return cmp(len(other.cells), len(self.cells))

class Place(object):
    def __init__(self, r, c):
        self.r, self.c = r, c

f = open("input.txt", "rb")
n = int(f.readline())
f.readline(), f.readline()
board = [f.next().strip() for _ in range(n)]
first, = filter(str.isdigit, "x0y")
queue, heap, most = Queue.PriorityQueue(), [], None
for r in range(n):
    for c in range(n):
        heapq.heappush(heap, (0, Place(r, c)))  # of places that are equal, any comes first
while heap:
    todo, cells = [heapq.heappop(heap)[1]], set()
    todo = map(lambda place, _: (place.r, place.c), todo, [])
    kind = board[todo[0][0]][todo[0][1]]
    while todo:
        r, c = todo.pop()
        if 0 <= r < n and 0 <= c < n and (r, c) not in cells and board[r][c] == kind != "*":
            cells.add((r, c))
            todo += [(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)]
    if cells:
        queue.put(Group(cells))
        if most < len(cells) and (len(cells)) >= (most):
            most = len(cells)
best = queue.get().cells
assert len(best) == most
left = [["*" if (r, c) in best else board[r][c] for c in range(n)] for r in range(n)]
columns = [filter(lambda cell: cell != "*", column) for column in zip(*left)]
columns = [("*",) * (n - len(column)) + column for column in columns]
out = open("output.txt", "wb")
r, c = min(best)
print >>out, chr(65 + c) + `r + 1`
out.write("\\n".join(map("".join, zip(*columns))[int(first):]))
"""
"""Compares its own objects, and counts on lists and tuples where Python 3 has neither."""

PYTHON_2 = """#!/usr/bin/python
import sys
from Queue import Queue

class Agent:
\tdef __init__(self, n, board):
\t\tself.n = n
\t\tself.board = board
        \tself.half = n / 2

\tdef group(self, r, c):
\t\tkind = self.board[r][c]
\t\tq = Queue()
\t\tq.put((r, c))
\t\tfound = {}
\t\twhile not q.empty():
\t\t\tr, c = q.get()
\t\t\tif 0 <= r < self.n and 0 <= c < self.n and not found.has_key((r, c)) and self.board[r][c] == kind:
\t\t\t\tfound[(r, c)] = True
\t\t\t\tfor step in ((1, 0), (-1, 0), (0, 1), (0, -1)):
\t\t\t\t\tq.put((r + step[0], c + step[1]))
\t\treturn found.keys()

\tdef fall(self, cells):
\t\tfor r, c in cells:
\t\t\tself.board[r][c] = '*'
\t\tfor c in xrange(self.n):
\t\t\tcolumn = filter(lambda x: x != '*', [self.board[r][c] for r in xrange(self.n)])
\t\t\tcolumn = ['*'] * (self.n - len(column)) + column
\t\t\tfor r in xrange(self.n):
\t\t\t\tself.board[r][c] = column[r]

f = open("input.txt")
lines = f.read().split()
n = int(lines[0])
board = map(list, lines[3:3 + n])
agent = Agent(n, board)
print "half is", board[agent.half]
most = []
for r in xrange(n):
\tfor c in xrange(n):
\t\tif board[r][c] != '*':
\t\t\tcells = agent.group(r, c)
\t\t\tif len(cells) > len(most):
\t\t\t\tmost, where = cells, (r, c)
try:
\tagent.fall(most)
except IndexError, e:
\tprint e
out = open("output.txt", "w")
print >>out, chr(65 + where[1]) + str(where[0] + 1)
for row in board:
\tprint >>out, ''.join(row)
out.close()
"""

CPP_BOARD_H = """
#ifndef BOARD_H
#define BOARD_H
#include <string>
#include <utility>
#include <vector>

class Board {
 public:
  int n;
  std::vector<std::string> rows;
  std::vector<std::pair<int, int> > group(int r, int c) const;
  void fall(const std::vector<std::pair<int, int> >& cells);
};
#endif
"""

CPP_BOARD = """
#include "Board.h"
using namespace std;

vector<pair<int, int> > Board::group(int r, int c) const {
  char kind = rows[r][c];
  vector<string> seen(rows);
  vector<pair<int, int> > found, todo(1, make_pair(r, c));
  while (!todo.empty()) {
    int i = todo.back().first, j = todo.back().second;
    todo.pop_back();
    if (i < 0 || j < 0 || i >= n || j >= n || seen[i][j] != kind) continue;
    seen[i][j] = 'x';
    found.push_back(make_pair(i, j));
    int di[] = {1, -1, 0, 0}, dj[] = {0, 0, 1, -1};
    for (int k = 0; k < 4; k++) todo.push_back(make_pair(i + di[k], j + dj[k]));
  }
  return found;
}

void Board::fall(const vector<pair<int, int> >& cells) {
  for (size_t k = 0; k < cells.size(); k++) rows[cells[k].first][cells[k].second] = '*';
  for (int c = 0; c < n; c++) {
    int to = n - 1;
    for (int r = n - 1; r >= 0; r--)
      if (rows[r][c] != '*') swap(rows[to--][c], rows[r][c]);
  }
}
"""

CPP_MAIN = """
#include <fstream>
#include <iostream>
#include "Board.h"
using namespace std;

int main() {
  ifstream in("input.txt");
  Board board;
  int types;
  double seconds;
  in >> board.n >> types >> seconds;
  board.rows.resize(board.n);
  for (int r = 0; r < board.n; r++) in >> board.rows[r];
  vector<pair<int, int> > most;
  int row = 0, col = 0;
  for (int r = 0; r < board.n; r++)
    for (int c = 0; c < board.n; c++)
      if (board.rows[r][c] != '*') {
        vector<pair<int, int> > cells = board.group(r, c);
        if (cells.size() > most.size()) most = cells, row = r, col = c;
      }
  board.fall(most);
  ofstream out("output.txt");
  out << char('A' + col) << row + 1 << endl;
  for (int r = 0; r < board.n; r++) out << board.rows[r] << endl;
  return 0;
}
"""

CPP_ONE = (CPP_BOARD_H + CPP_BOARD + CPP_MAIN).replace('#include "Board.h"', "")

VISUAL_STUDIO = """#include "stdafx.h"
#include <Windows.h>
#include <conio.h>
"""
GOTO = """
void gotoxy(int x, int y) {
  COORD at = {(short)x, (short)y};
  SetConsoleCursorPosition(GetStdHandle(STD_OUTPUT_HANDLE), at);
}

void main() {
  DWORD start = GetTickCount();
  gotoxy(0, 0);
  system("cls");
  FILE* probe;
  fopen_s(&probe, "C:\\\\Users\\\\me\\\\Desktop\\\\hw2\\\\input.txt", "r");
  fclose(probe);
"""
WINDOWS = VISUAL_STUDIO + CPP_ONE.replace("int main() {", GOTO)
WINDOWS = WINDOWS.replace('in("input.txt")', 'in("C:\\\\Users\\\\me\\\\Desktop\\\\hw2\\\\input.txt")')
WINDOWS = WINDOWS.replace("  return 0;\n}", '  Sleep(3000);\n  std::system("pause");\n  _getch();\n}')
"""As Visual Studio's users write."""

JAVA_BOARD = """
import java.util.*;

class Board {
    int n;
    char[][] cells;
    List<int[]> group(int r, int c) {
        char kind = cells[r][c];
        boolean[][] seen = new boolean[n][n];
        List<int[]> found = new ArrayList<>();
        Deque<int[]> todo = new ArrayDeque<>();
        todo.push(new int[] {r, c});
        while (!todo.isEmpty()) {
            int[] at = todo.pop();
            int i = at[0], j = at[1];
            if (i < 0 || j < 0 || i >= n || j >= n || seen[i][j] || cells[i][j] != kind) continue;
            seen[i][j] = true;
            found.add(at);
            todo.push(new int[] {i + 1, j});
            todo.push(new int[] {i - 1, j});
            todo.push(new int[] {i, j + 1});
            todo.push(new int[] {i, j - 1});
        }
        return found;
    }
    void fall(List<int[]> gone) {
        for (int[] at : gone) cells[at[0]][at[1]] = '*';
        for (int c = 0; c < n; c++) {
            int to = n - 1;
            for (int r = n - 1; r >= 0; r--)
                if (cells[r][c] != '*') {
                    char kind = cells[r][c];
                    cells[r][c] = '*';
                    cells[to--][c] = kind;
                }
        }
    }
}
"""

JAVA_MAIN = """
import java.io.*;
import java.util.*;

public class homework {
    public static void main(String[] args) throws IOException {
        Scanner in = new Scanner(new File("input.txt"));
        Board board = new Board();
        board.n = in.nextInt();
        in.nextInt();
        in.next();
        board.cells = new char[board.n][];
        for (int r = 0; r < board.n; r++) board.cells[r] = in.next().toCharArray();
        List<int[]> most = new ArrayList<>();
        for (int r = 0; r < board.n; r++)
            for (int c = 0; c < board.n; c++)
                if (board.cells[r][c] != '*') {
                    List<int[]> group = board.group(r, c);
                    if (group.size() > most.size()) most = group;
                }
        PrintWriter out = new PrintWriter("output.txt");
        out.println((char) ('A' + most.get(0)[1]) + "" + (most.get(0)[0] + 1));
        board.fall(most);
        for (char[] row : board.cells) out.println(new String(row));
        out.close();
    }
}
"""

JAVA_WINDOW = """
package fruit.gui;

import javax.swing.*;
import com.intellij.uiDesigner.core.GridConstraints;

public class Window extends JFrame {
    public static void main(String[] args) { new Window().setVisible(true); }
}
"""


JAVA_ONE = JAVA_MAIN + JAVA_BOARD.replace("import java.util.*;", "")


def packaged(text: str, package: str = "fruit") -> str:
    """Put a Java source into a package."""
    return f"package {package};\n{text}"


def zipped(files: dict[str, str | bytes]) -> bytes:
    """Pack files as a zip archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def tarred(files: dict[str, str]) -> bytes:
    """Pack files as a tar.gz archive."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, text in files.items():
            item = tarfile.TarInfo(name)
            item.size = len(text.encode())
            archive.addfile(item, io.BytesIO(text.encode()))
    return made.getvalue()


BIG5 = "// 這是我的程式：功能許蓋\n".encode("big5")
"""Characters whose second byte is a backslash among them."""

NUMBA = f"""
import numba as nb
from numba import int32, njit, prange
from numba.typed import List

@njit(cache=True)
def twice(n):
    return sum(1 for _ in prange(2 * n))

@nb.jit(int32(int32, int32[:, :]), nopython=True)
def more(a, b):
    return a + b

known = List()
known.append(int32(7))
assert more(twice(2), 3) == known[0]
{PYTHON}{PYTHON_MAIN}"""
"""Would have its functions compiled."""

BESIDE_ITSELF = f"""
from pathlib import Path

import matplotlib.pyplot as plt
from colorama import Fore, init
from tqdm import tqdm

HERE = Path(__file__).resolve().parent
init()
plt.figure()
print(Fore.RED + "begins", plt.plot([1, 2]), [n for n in tqdm(range(2))])
{PYTHON}{PYTHON_MAIN}
"""
"""Looks for its input beside itself, and shows pictures that nobody sees."""

CPP_20 = CPP_ONE.replace(
    "int main() {",
    """template <std::integral T>
T* pair_of(T a, T b) {
  T both[2];
  both[0] = a;
  both[1] = b;
  return both;
}

int main() {
  int* both = pair_of(0, 7);
  if (both[1] != 7) return 1;
""",
).replace("#include <string>", "#include <concepts>\n#include <string>")
"""Of today, and with a function that returns the address of what is gone then."""


RU = "open('input.txt', 'rU').close()\ndef main"
"""A mode that Python 3 had until it took it away."""

SCORED = PYTHON_MAIN.replace("        for row", '        out.write("score 9\\n")\n        for row')
"""Writes a line between the move and the board."""

JAVA_8 = JAVA_ONE.replace("import java.util.*;", "import java.util.*;\nimport javafx.util.Pair;", 1).replace(
    "Scanner in =", "if (new Pair<>(1, 2).getValue() != 2) return;\n        Scanner in ="
)
"""Uses what came with Java once."""


LETTERS_CLASS = base64.b64decode(
    "yv66vgAAADQADAoAAgADBwAEDAAFAAYBABBqYXZhL2xhbmcvT2JqZWN0AQAGPGluaXQ+AQADKClWBwAIAQAPbGV0dGVycy9MZXR0"
    "ZXJzAQAEQ29kZQEAAm9mAQAEKEkpQwAhAAcAAgAAAAAAAgABAAUABgABAAkAAAARAAEAAQAAAAUqtwABsQAAAAAACQAKAAsAAQAJ"
    "AAAAEgACAAEAAAAGEEEaYJKsAAAAAAAA"
)
"""`public static char of(int column) { return (char) (65 + column); }` of `letters.Letters`, compiled."""


COLAB = "from google.colab import drive\ndrive.mount('/content/drive')\n"


def notebook(*cells: str) -> str:
    """Return a notebook with these cells."""
    code = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    first = {"cell_type": "code", "source": f"%matplotlib inline\n!pip install x\n{COLAB}"}
    return json.dumps({"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "# Mine"}, first, *code]})


SUBMISSIONS: dict[str, tuple[dict[str, str | bytes], str]] = {
    "modules": (
        {"homework.py": f"from board import *\n{PYTHON_MAIN}", "board.py": PYTHON, "test_board.py": "print(1)\n"},
        "homework.py",
    ),
    "other-name": (
        {
            "agent.py": f"from board import *\n{PYTHON_MAIN}",
            "board.py": PYTHON,
            "calibrate.py": "print(1)\n",
            "old/agent.py": "print(2)\n",
        },
        "agent.py",
    ),
    "package": (
        {
            "fruit/main.py": f"from .board import *\n{PYTHON_MAIN}",
            "fruit/board.py": f"from . import settings\n{PYTHON}",
            "fruit/settings.py": "A = 1\n",
            "fruit/__init__.py": "",
            "README.md": "hello",
        },
        "fruit/main.py",
    ),
    "from-the-root": (
        {"src/main.py": f"from src.board import *\n{PYTHON_MAIN}", "src/board.py": PYTHON, "README.md": "hello"},
        "src/main.py",
    ),
    "numba": ({"homework.py": NUMBA}, "homework.py"),
    "jar-beside": (
        {
            "hw/src/homework.java": "import letters.Letters;\n" + JAVA_ONE.replace("(char) ('A' + ", "Letters.of("),
            "hw/lib/letters.jar": zipped({"letters/Letters.class": LETTERS_CLASS}),
        },
        "homework.java",
    ),
    "python-2": ({"homework.py": PYTHON_2}, "homework.py"),
    "python-2-order": ({"homework.py": PYTHON_2_ORDER}, "homework.py"),
    "python-3-modes": ({"homework.py": PYTHON + PYTHON_MAIN.replace("def main", RU)}, "homework.py"),
    "python-2-names": ({"fruitRage.py": PYTHON_2_NAMES}, "fruitRage.py"),
    "python-3-clock": (
        {"homework3.py": f"import time\nstart = time.clock()\n{PYTHON}{PYTHON_MAIN}"},
        "homework3.py",
    ),
    "windows": (
        {"Source.cpp": WINDOWS, "hw2.sln": "x", "x64/Debug/Source.obj": b"\0", ".vs/x.db": b"\0"},
        "Source.cpp",
    ),
    "two-sources": ({"main.cpp": CPP_MAIN, "Board.h": CPP_BOARD_H, "Board.cpp": CPP_BOARD}, "main.cpp"),
    "cmake": (
        {
            "CMakeLists.txt": "project(x)",
            "src/agent.cpp": CPP_MAIN.replace("Board.h", "..\\Include\\board.H"),
            "src/Board.cpp": CPP_BOARD,
            "include/Board.h": CPP_BOARD_H,
            "test/runner.cpp": "#include <gtest/gtest.h>\nint main() {}\n",
            "cmake-build-debug/CMakeFiles/3.9/CompilerIdCXX/CMakeCXXCompilerId.cpp": "int main() {}\n",
        },
        "src/agent.cpp",
    ),
    "big5": ({"homework.cpp": BIG5 + CPP_ONE.encode()}, "homework.cpp"),
    "utf-16": ({"homework.java": JAVA_ONE.encode("utf-16")}, "homework.java"),
    "netbeans": (
        {
            "Fruit/src/fruit/homework.java": packaged(JAVA_MAIN),
            "Fruit/src/fruit/Board.java": packaged(JAVA_BOARD),
            "Fruit/src/fruit/gui/Window.java": JAVA_WINDOW,
            "Fruit/build/classes/fruit/homework.class": b"\xca\xfe\xba\xbe",
            "Fruit/nbproject/project.xml": "<x/>",
            "report.pdf": b"%PDF",
        },
        "Fruit/src/fruit/homework.java",
    ),
    "flat-package": ({"homework.java": packaged(JAVA_MAIN), "Other.java": packaged(JAVA_BOARD)}, "homework.java"),
    "beside-itself": (
        {"src/homework.py.txt": BESIDE_ITSELF.replace('"input.txt"', 'HERE / "input.txt"'), "report.pdf": b"%PDF"},
        "src/homework.py",
    ),
    "notebook": ({"homework.ipynb": notebook(PYTHON, SCORED), "report.pdf": b"%PDF"}, "homework.py"),
    "eclipse": (
        {
            "F/src/homework.java": JAVA_8.replace('"input.txt"', 'System.getProperty("user.dir") + "/src/input.txt"'),
            "F/.project": "x",
        },
        "src/homework.java",
    ),
    "c-plus-plus-20": ({"agent.c": CPP_20, "random_agent.c": CPP_ONE}, "agent.c"),
    "nested": (
        {
            "hw2/code.zip": zipped({"code/homework.py": PYTHON + PYTHON_MAIN, "__MACOSX/code/._homework.py": b"\0\1"}),
            "hw2/report.pdf": b"%PDF",
            "hw2/.DS_Store": b"\0",
        },
        "code/homework.py",
    ),
    "tar": ({"code.tar.gz": tarred({"hw/homework.py": PYTHON + PYTHON_MAIN})}, "homework.py"),
}
"""What is handed in, and the file that is the program."""
