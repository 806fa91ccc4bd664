"""How Chain Reaction looks: orbs in their cells. The first side's are full, the second's are rings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludus.drawing.boards import CELL, Look, plain_ground

if TYPE_CHECKING:
    from ludus.drawing.boards import Canvas
    from ludus.drawing.text_board import Mark

MIDDLE = CELL / 2
PLACES = {
    1: ((0.0, 0.0),),
    2: ((-8.2, 0.0), (8.2, 0.0)),
    3: ((0.0, -8.6), (-8.8, 6.4), (8.8, 6.4)),
}
"""Where the orbs of a cell lie, around its middle; more than three are one large orb with their number."""
SIZES = {1: 10.5, 2: 8.6, 3: 7.9}
DEAD = "#"


def orb(canvas: Canvas, x: float, y: float, size: float, side: int) -> None:
    """Draw an orb: full for the first side, a ring for the second."""
    if side == 0:
        canvas.circle(x, y, size, "first")
        canvas.circle(x - size * 0.32, y - size * 0.36, size * 0.26, "shine", 'fill-opacity="0.75"')
    else:
        canvas.circle(x, y, size - 1.9, "paper second-line", 'stroke-width="3.8"')


def trembling(canvas: Canvas) -> None:
    """Draw the shiver of a cell that is one orb short of exploding: arcs at its four corners."""
    for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
        near, far = 10.5, 18.6
        x1, y1, x2, y2 = MIDDLE + a * near, MIDDLE + b * far, MIDDLE + a * far, MIDDLE + b * near
        canvas.path(
            f"M{x1} {y1}A21 21 0 0 {int(a * b < 0)} {x2} {y2}",
            "none ink-line",
            'stroke-width="1.8" stroke-linecap="round"',
        )


def cell(canvas: Canvas, mark: Mark) -> None:
    """Draw the orbs of a cell."""
    if mark.text == DEAD:
        canvas.rect(4, 4, CELL - 8, CELL - 8, "dark", 5)
        canvas.path("M14 14L34 34M34 14L14 34", "none soft-line", 'stroke-width="3" stroke-linecap="round"')
        return
    if mark.side is None:
        return
    orbs = int(mark.text[1:])
    if mark.strong:
        trembling(canvas)
    if orbs in PLACES:
        for x, y in PLACES[orbs]:
            orb(canvas, MIDDLE + x, MIDDLE + y, SIZES[orbs], mark.side)
        return
    orb(canvas, MIDDLE, MIDDLE, 14, mark.side)
    canvas.text(MIDDLE, MIDDLE + 6, str(orbs), "dark strong" if mark.side == 0 else "ink strong", 17)


LOOK = Look(cell, plain_ground)
