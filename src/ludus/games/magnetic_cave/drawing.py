"""The ground of Magnetic Cave in a drawing: rows of stone between two magnets."""

from __future__ import annotations

from ludus.drawing.canvas import CELL, Canvas
from ludus.drawing.text_board import TextBoard

COLOURS = {"iron": ("#5f6875", "#8a94a3"), "pole": ("#2f3742", "#3b4450")}
WALL = 7.0


def ground(canvas: Canvas, board: TextBoard) -> None:
    """Draw the cave: its rows, its floor of stone, and a magnet along each side."""
    rows, cols = len(board.marks), len(board.marks[0])
    wide, high = cols * CELL, rows * CELL
    canvas.rect(0, 0, wide, high, "cell")
    for row in range(rows + 1):
        canvas.path(f"M0 {row * CELL}H{wide}", "none rim-line", 'stroke-width="1.2"')
    for col in range(1, cols):
        canvas.path(f"M{col * CELL} 0V{high}", "none rim-line", 'stroke-width="0.7" stroke-dasharray="2 4"')
    for x in (-WALL, wide):
        canvas.rect(x, -2, WALL, high + 4, "iron", 2)
        for row in range(rows):
            canvas.rect(x, (row + 0.36) * CELL, WALL, CELL * 0.28, "pole", 1)
