"""The ground of Cantris in a drawing: a jar for each column."""

from __future__ import annotations

from ludus.drawing.canvas import CELL, Canvas
from ludus.drawing.text_board import TextBoard


def ground(canvas: Canvas, board: TextBoard) -> None:
    """Draw a jar for each column."""
    high = len(board.marks) * CELL
    for col in range(len(board.marks[0])):
        x = col * CELL
        canvas.rect(x + 0.8, 0, CELL - 1.6, high, "cell", 9)
        canvas.path(f"M{x + 1} 0V{high - 9}q0 9 9 9H{x + CELL - 10}q9 0 9 -9V0", "none rim-line", 'stroke-width="1.6"')
