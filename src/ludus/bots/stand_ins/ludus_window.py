"""A window as text, for the stand-ins of libraries that open one: what is drawn is printed as a board and a list of
texts, and a typed row and column, or the number of a text, is a click of the mouse.

Knows no game: a cell is as large as the squares that the program draws, and a sign stands for a colour or a picture.
"""

import collections
import sys
from typing import Any

COVERS = 0.9
"""The part of a cell that a square covers if it is the cell's ground, and no piece."""
FEWEST = 9
"""Squares or lines that make a board."""
SIGNS = "XOZNHVTK"
signs: dict[Any, str] = {}
"""The sign of each colour and picture that was seen."""


class Nothing:
    """What only decorates a window: has every name, can be called, counted and added, and does nothing."""

    def __getattr__(self, name: Any) -> Any:
        """Have every name but those by which Python asks what a thing can do."""
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()

    def __call__(self, *_given: Any, **_more: Any) -> Any:
        """Do nothing."""
        return Nothing()

    def __iter__(self) -> Any:
        return iter(())

    def __getitem__(self, _place: Any) -> Any:
        return False

    def __bool__(self) -> Any:
        return False

    def __int__(self) -> Any:
        return 0


Shape = collections.namedtuple("Shape", "rect look kind")
"""What is drawn: where, in which colour or as which picture, and whether it is `ground`, `piece`, `text` or `line`."""
Grid = collections.namedtuple("Grid", "left top step rows columns")
"""Where the board is in a drawing: its corner, the size of a cell, and how many there are."""


def sign_of(look: Any) -> Any:
    """Return the sign of a colour or a picture."""
    return signs.setdefault(look, SIGNS[len(signs) % len(SIGNS)])


class Drawing:
    """Shapes above each other."""

    def __init__(self, size: Any) -> None:
        self.size = int(size[0]), int(size[1])
        self.shapes: list[Any] = []

    def paint(self, rect: Any, look: Any, kind: Any) -> None:
        """Draw a shape above what is there; what it covers is gone."""
        x, y, w, h = rect
        if kind != "line":
            self.shapes = [
                one
                for one in self.shapes
                if not (x <= one.rect[0] and y <= one.rect[1] and one.rect[0] + one.rect[2] <= x + w)
                or one.rect[1] + one.rect[3] > y + h
            ]
        self.shapes.append(Shape((x, y, w, h), look, kind))

    def grid(self) -> Any:
        """Return the board: of the squares of the most frequent size, or else eight by eight at the bottom.

        None where there are neither squares nor lines, but texts to choose from.
        """
        cells = [one for one in self.shapes if one.kind in ("ground", "piece") and abs(one.rect[2] - one.rect[3]) <= 2]
        grounds = {round(one.rect[2]) for one in cells if one.kind == "ground"}
        squares = [one.rect for one in cells if round(one.rect[2]) in grounds]  # a picture may cover the whole of one
        sizes = collections.Counter(round(w) for _, _, w, _ in squares if 12 <= w <= self.size[0] / 2)
        size, count = sizes.most_common(1)[0] if sizes else (0, 0)
        if count < FEWEST:
            if self.texts() and sum(one.kind == "line" for one in self.shapes) < FEWEST:
                return None
            step = min(self.size) / 8
            return Grid(0, self.size[1] - 8 * step, step, 8, 8)
        own = [(x, y) for x, y, w, _ in squares if round(w) == size]
        (left, top), (right, bottom) = (tuple(edge(one[axis] for one in own) for axis in (0, 1)) for edge in (min, max))
        columns = len({round(x) for x, _ in own})
        step = (right - left) / (columns - 1) if columns > 1 else size
        return Grid(left, top, step, round((bottom - top) / step) + 1, columns)

    def sign(self, x: Any, y: Any, size: Any) -> Any:
        """Return the sign at a point: of the topmost piece or text there, or a dot for the ground."""
        for (left, top, w, h), look, kind in reversed(self.shapes):
            if kind == "line" or not (left <= x < left + w and top <= y < top + h):
                continue
            if kind == "text":
                if len(look.strip()) == 1:
                    return look.strip()
            elif kind == "ground" and w >= COVERS * size and h >= COVERS * size:
                return "."
            else:
                return sign_of(look)
        return "."

    def board(self) -> Any:
        """Return the signs of the board by rows."""
        grid = self.grid()
        if grid is None:
            return []
        left, top, step, rows, columns = grid
        middles = [
            (top + (row + 0.5) * step, [left + (column + 0.5) * step for column in range(columns)])
            for row in range(rows)
        ]
        return [[self.sign(x, y, step) for x in xs] for y, xs in middles]

    def texts(self) -> Any:
        """Return the texts that are more than a sign, with their places."""
        return [(one.look.strip(), one.rect) for one in self.shapes if one.kind == "text" and len(one.look.strip()) > 1]

    def middle(self, row: Any, column: Any) -> Any:
        """Return the middle of a cell."""
        left, top, step, _, _ = self.grid()
        return int(left + (column + 0.5) * step), int(top + (row + 0.5) * step)


def show(board: Any) -> None:
    """Print a board."""
    print("\n  " + " ".join(str(column) for column in range(len(board[0]))) if board else "")
    for row, cells in enumerate(board):
        print(row, *cells)


def click(board: Any, texts: Any) -> Any:
    """Print a board and numbered texts, and return what is clicked on: (row, column), or (number of a text,)."""
    show(board)
    for number, text in enumerate(texts, 1):
        print(f"{number}. {text}")
    while True:
        try:
            line = input("Click (row column): " if board else "Your choice: ")
        except EOFError:
            sys.exit()
        words = line.replace(",", " ").split()
        numbers = tuple(int(word) for word in words if word.isdigit())
        if len(numbers) == len(words) == 1 and 0 < numbers[0] <= len(texts):
            return (numbers[0] - 1,)
        if len(numbers) == len(words) == 2 and board and numbers[0] < len(board) and numbers[1] < len(board[0]):
            return numbers
        print("Invalid click, try again.")
