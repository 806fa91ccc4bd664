"""The ground of The Fruit Rage in a drawing: a crate."""

from __future__ import annotations

from ludus.drawing.canvas import CELL, Canvas
from ludus.drawing.text_board import TextBoard


def ground(canvas: Canvas, board: TextBoard) -> None:
    """Draw a crate."""
    size = len(board.marks) * CELL
    canvas.rect(-2, -2, size + 4, size + 4, "cell rim-line", 6, 'stroke-width="2"')
    for line in range(1, len(board.marks)):
        canvas.path(f"M{line * CELL} 0V{size}M0 {line * CELL}H{size}", "none rim-line", 'stroke-width="0.6"')
