"""How Cantris looks: candy tiles with their numbers, in jars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludus.drawing.boards import CELL, Look
from ludus.drawing.palette import TONES

if TYPE_CHECKING:
    from ludus.drawing.boards import Canvas
    from ludus.drawing.text_board import Board, Mark


def ground(canvas: Canvas, board: Board) -> None:
    """Draw a jar for each column."""
    high = len(board.marks) * CELL
    for col in range(len(board.marks[0])):
        x = col * CELL
        canvas.rect(x + 0.8, 0, CELL - 1.6, high, "cell", 9)
        canvas.path(f"M{x + 1} 0V{high - 9}q0 9 9 9H{x + CELL - 10}q9 0 9 -9V0", "none rim-line", 'stroke-width="1.6"')


def cell(canvas: Canvas, mark: Mark) -> None:
    """Draw a tile: a candy in its colour, with its number on a white spot."""
    if mark.tone is None:
        return
    canvas.rect(3.5, 3.5, CELL - 7, CELL - 7, f"tone{mark.tone % len(TONES)}", 11)
    canvas.path(
        "M9 15.5Q10 9 17 8.6H30", "none shine-line", 'stroke-width="3" stroke-linecap="round" stroke-opacity="0.8"'
    )
    canvas.path(
        "M15 40H31Q38 39.4 39.4 33", "none dark-line", 'stroke-width="2.6" stroke-linecap="round" stroke-opacity="0.22"'
    )
    canvas.circle(CELL / 2, CELL / 2, 11.5, "shine", 'fill-opacity="0.62"')
    canvas.text(CELL / 2, CELL / 2 + 6.8, mark.text, "dark strong", 19)


LOOK = Look(cell, ground)
