"""How Magnetic Cave looks: bricks between two magnets. The first side's are solid, the second's are hollow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludus.drawing.boards import CELL, Look

if TYPE_CHECKING:
    from ludus.drawing.boards import Canvas
    from ludus.drawing.text_board import Board, Mark

WALL = 7.0


def ground(canvas: Canvas, board: Board) -> None:
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


def cell(canvas: Canvas, mark: Mark) -> None:
    """Draw the brick of a cell, or the dust where there is none."""
    if mark.side is None:
        canvas.circle(CELL / 2, CELL / 2, 1.8, "rim")
    elif mark.side == 0:
        canvas.rect(3.5, 8, CELL - 7, CELL - 16, "first", 4)
        canvas.path("M8 13.5H40", "none shine-line", 'stroke-width="2.6" stroke-linecap="round" stroke-opacity="0.6"')
        canvas.path("M8 34.5H40", "none dark-line", 'stroke-width="2.2" stroke-linecap="round" stroke-opacity="0.25"')
    else:
        canvas.rect(5.5, 10, CELL - 11, CELL - 20, "paper second-line", 4, 'stroke-width="4"')
        canvas.rect(12.5, 17, CELL - 25, CELL - 34, "none second-line", 2, 'stroke-width="1.6"')


LOOK = Look(cell, ground, {"iron": ("#5f6875", "#8a94a3"), "pole": ("#2f3742", "#3b4450")})
