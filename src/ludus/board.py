"""A board as a picture in characters: what each cell shows, whose it is, and the labels around it.

Knows no rules and no terminal: the terminal adds colour and motion, `plain` does without.
"""

from __future__ import annotations

from typing import NamedTuple


class Mark(NamedTuple):
    """What one cell shows. `side` gives it a player's colour; `tone` (from 0) one of a game's own colours."""

    text: str
    side: int | None = None
    tone: int | None = None


class Board(NamedTuple):
    """Rows of marks with the labels of rows (left) and columns (top)."""

    marks: tuple[tuple[Mark, ...], ...]
    row_labels: tuple[str, ...]
    col_labels: tuple[str, ...]

    @property
    def cell_width(self) -> int:
        """Characters that the widest cell or column label needs."""
        texts = [mark.text for row in self.marks for mark in row] + list(self.col_labels)
        return max(len(text) for text in texts)

    def plain(self) -> str:
        """Draw the board without colour, a line a row."""
        width = self.cell_width
        margin = max(len(label) for label in self.row_labels)
        lines = [" " * margin + " " + " ".join(label.center(width) for label in self.col_labels)]
        for label, row in zip(self.row_labels, self.marks, strict=True):
            lines.append(label.rjust(margin) + " " + " ".join(mark.text.center(width) for mark in row))
        return "\n".join(line.rstrip() for line in lines)
