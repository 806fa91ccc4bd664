"""A board as a picture in characters: what each cell shows, whose it is, and the labels around it.

Knows no rules and no terminal: the terminal adds colour and motion, `plain` does without.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ludus.drawing.look import HasText

    Cells = Collection[tuple[int, int]]


class Mark(NamedTuple):
    """What one cell shows. `side` gives it a player's colour; `tone` (from 0) one of a game's own colours."""

    text: str
    side: int | None = None
    tone: int | None = None
    picture: str = ""
    """What replaces `text` where there is room and every character can be drawn."""
    strong: bool = False
    """Whether the cell is emphasised."""
    piece: str = ""
    """The symbol of the game's `pieces.svg` that shows it where it is drawn."""


EMPTY = Mark("·")
"""What a cell shows that holds nothing."""


@functools.lru_cache(1024)
def tile(text: str, empty: str) -> Mark:
    """Return the mark of a cell with a digit: a tone and a symbol for each digit."""
    return EMPTY if text == empty else Mark(text, tone=int(text), piece=text)


class TextBoard(NamedTuple):
    """Rows of marks with the labels of rows (left) and columns (top)."""

    marks: tuple[tuple[Mark, ...], ...]
    row_labels: tuple[str, ...]
    col_labels: tuple[str, ...]
    text_width: int = 1
    """What the text of a cell may need in the course of a game, so that a board keeps its width."""
    picture_width: int = 1
    """The same for pictures."""

    @property
    def cell_width(self) -> int:
        """Characters that the widest cell or column label needs."""
        texts = [mark.text for row in self.marks for mark in row] + list(self.col_labels)
        return max(self.text_width, *(len(text) for text in texts))

    def cells_named(self, name: str) -> tuple[tuple[int, int], ...]:
        """Return the cells that a move names: `C4`, `2,1` where columns are numbers, or a whole column by its label."""
        wanted, numbered = "".join(name.split()).upper(), self.col_labels[0].isdecimal()
        return tuple(
            (row, col)
            for row, down in enumerate(self.row_labels)
            for col, across in enumerate(self.col_labels)
            if wanted in (f"{down},{across}" if numbered else f"{across}{down}", across)
        )

    def plain(self, moved: Cells = (), changed: Cells = ()) -> str:
        """Draw the board without colour, a line a row: [moved] cells in brackets, a * before changed ones."""
        width = self.cell_width
        margin = max(len(label) for label in self.row_labels)
        lines = [" " * margin + " " + " ".join(label.center(width) for label in self.col_labels)]
        for row, (label, marks) in enumerate(zip(self.row_labels, self.marks, strict=True)):
            line = label.rjust(margin)
            for col, mark in enumerate(marks):
                line += _gap((row, col), moved, changed) + mark.text.center(width)
            lines.append(line + _gap((row, len(marks)), moved, changed))
        return "\n".join(line.rstrip() for line in lines)


def grid(
    mark: Callable[[str], Mark],
    row_labels: Callable[[int], Iterable[object]] = lambda rows: range(1, rows + 1),
    col_labels: Callable[[int], Iterable[object]] = lambda cols: map(chr, range(ord("A"), ord("A") + cols)),
) -> Callable[[HasText], TextBoard]:
    """Return how a board is shown whose cells are single characters; rows are numbered from the top unless given."""

    def board(shown: HasText) -> TextBoard:
        rows = shown.text.partition(" ")[0].split("/")
        labels = (tuple(map(str, row_labels(len(rows)))), tuple(map(str, col_labels(len(rows[0])))))
        marks = {cell: mark(cell) for cell in {*"".join(rows)}}
        return TextBoard(tuple(tuple(map(marks.__getitem__, row)) for row in rows), *labels)

    return board


def _gap(cell: tuple[int, int], moved: Cells, changed: Cells) -> str:
    """Return the character before a cell; brackets hold neighbours together, and a star may close them."""
    after_moved = (cell[0], cell[1] - 1) in moved
    if cell in moved:
        return " " if after_moved else "["
    return "*" if cell in changed else "]" if after_moved else " "
