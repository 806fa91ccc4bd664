"""How The Fruit Rage looks: ten fruits, each with a shape of its own, and the digit that position texts call it by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludus.drawing.boards import CELL, Look

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludus.drawing.boards import Canvas
    from ludus.drawing.text_board import Board, Mark

LEAF = "M24 13Q25 5 34 5.5Q33 13 24 13Z"
STEM = 'stroke-width="2.4" stroke-linecap="round"'
THIN = 'stroke-width="1.6" stroke-linecap="round" stroke-opacity="0.45"'


def ground(canvas: Canvas, board: Board) -> None:
    """Draw a crate."""
    size = len(board.marks) * CELL
    canvas.rect(-2, -2, size + 4, size + 4, "cell rim-line", 6, 'stroke-width="2"')
    for line in range(1, len(board.marks)):
        canvas.path(f"M{line * CELL} 0V{size}M0 {line * CELL}H{size}", "none rim-line", 'stroke-width="0.6"')


def _shine(canvas: Canvas, x: float = 18, y: float = 20) -> None:
    canvas.circle(x, y, 3, "shine", 'fill-opacity="0.7"')


def orange(canvas: Canvas) -> None:
    """Draw a round one with a leaf and pores."""
    canvas.circle(24, 27, 15, "tone0")
    canvas.path(LEAF, "leaf")
    for x, y in ((28, 24), (32, 30), (24, 34), (19, 29)):
        canvas.circle(x, y, 1, "dark", 'fill-opacity="0.35"')
    _shine(canvas, 18, 21)


def blueberry(canvas: Canvas) -> None:
    """Draw a round one with a crown."""
    canvas.circle(24, 25, 15, "tone1")
    canvas.path("M24 15.5l2.4 4.3 4.8-.7-2.6 4.1 2.6 4.1-4.8-.7-2.4 4.3-2.4-4.3-4.8.7 2.6-4.1-2.6-4.1 4.8.7Z", "dark",
                'fill-opacity="0.6"')  # fmt: skip


def pear(canvas: Canvas) -> None:
    """Draw a pear."""
    canvas.path("M24 9V5", "none bark-line", STEM)
    canvas.path("M24 8C30 8 29.5 16 32 21C37 27 37 41 24 41C11 41 11 27 16 21C18.5 16 18 8 24 8Z", "tone2")
    _shine(canvas, 19.5, 27)


def banana(canvas: Canvas) -> None:
    """Draw a crescent."""
    canvas.path("M10 9C10 27 20 38 40 37C42 36 42 33 40 32.5C28 32 18 24 15 9C14 6.5 10.5 6.5 10 9Z", "tone3")
    canvas.path("M13 13C16 25 24 33 36 34.5", "none bark-line", THIN)


def cherries(canvas: Canvas) -> None:
    """Draw two on their stems."""
    canvas.path("M15 30Q17 14 30 7Q30 18 33 27", "none bark-line", STEM)
    canvas.path("M30 7Q38 4 42 10Q35 13 30 7Z", "leaf")
    canvas.circle(14.5, 32, 8.8, "tone4")
    canvas.circle(33, 31, 8.8, "tone4")
    _shine(canvas, 12, 29)
    _shine(canvas, 30.5, 28)


def strawberry(canvas: Canvas) -> None:
    """Draw a heart with seeds and a green collar."""
    canvas.path("M24 43C14 37 8.5 27 10 19C11.5 12 20 11 24 14C28 11 36.5 12 38 19C39.5 27 34 37 24 43Z", "tone5")
    canvas.path("M24 17L14 13.5L20 11L24 6L28 11L34 13.5Z", "leaf")
    for x, y in ((17, 22), (24, 24), (31, 22), (20, 30), (28, 30), (24, 36)):
        canvas.circle(x, y, 1.3, "dark", 'fill-opacity="0.6"')


def grapes(canvas: Canvas) -> None:
    """Draw a bunch."""
    canvas.path("M24 12V5", "none bark-line", STEM)
    for x, y in ((14, 16), (24, 15), (34, 16), (19, 24), (29, 24), (24, 32.5)):
        canvas.circle(x, y, 6.2, "tone6 dark-line", 'stroke-width="0.9" stroke-opacity="0.5"')
    canvas.circle(24, 40, 4, "tone6 dark-line", 'stroke-width="0.9" stroke-opacity="0.5"')


def melon(canvas: Canvas) -> None:
    """Draw a slice."""
    canvas.path(
        "M5 17H43C43 31 34 40 24 40S5 31 5 17Z", "tone7 leaf-line", 'stroke-width="3.4" stroke-linejoin="round"'
    )
    for x, y in ((15, 23), (24, 23), (33, 23), (19.5, 30), (28.5, 30)):
        canvas.path(f"M{x} {y - 2}v4", "none dark-line", STEM)


def coconut(canvas: Canvas) -> None:
    """Draw a ball with three eyes."""
    canvas.circle(24, 25, 16, "tone8 dark-line", 'stroke-width="1.6" stroke-opacity="0.6"')
    for x, y in ((19, 20), (29, 20), (24, 28)):
        canvas.circle(x, y, 2.9, "dark", 'fill-opacity="0.75"')


def kiwi(canvas: Canvas) -> None:
    """Draw one cut in two, with its seeds around the middle."""
    canvas.circle(24, 25, 16.5, "tone9")
    canvas.circle(24, 25, 12.5, "tone7")
    canvas.circle(24, 25, 4, "shine", 'fill-opacity="0.85"')
    for x, y in ((0, -8), (5.7, -5.7), (8, 0), (5.7, 5.7), (0, 8), (-5.7, 5.7), (-8, 0), (-5.7, -5.7)):
        canvas.circle(24 + x, 25 + y, 1.3, "dark")


FRUITS: tuple[Callable[[Canvas], None], ...] = (
    orange, blueberry, pear, banana, cherries, strawberry, grapes, melon, coconut, kiwi,
)  # fmt: skip
"""By digit."""


def cell(canvas: Canvas, mark: Mark) -> None:
    """Draw the fruit of a cell, and its digit in the corner."""
    if mark.tone is not None:
        FRUITS[mark.tone](canvas)
        canvas.text(CELL - 3, CELL - 3, mark.text, "soft", 10, "end")


LOOK = Look(cell, ground, {"leaf": ("#2f7d4f", "#4fae74"), "bark": ("#6b4a2b", "#c59a6b")})
