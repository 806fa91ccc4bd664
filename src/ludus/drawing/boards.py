"""Boards as vector drawings: SVG text that a page, a PDF and a picture viewer show alike.

Knows cells, marks and colours. How a game looks is in its own folder, in a module `drawing` with a LOOK; a game
without one is drawn as a grid of its texts, and a game that has no board as the plain text that it draws itself.

Colours are rules for paper first, since programs that make paper know no custom properties. For screens each colour can
be set by a page (`--ludus-cell: ...`), and otherwise follows the reader's choice of light or dark.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from typing import TYPE_CHECKING, NamedTuple

from ludus.drawing.palette import ACCENTS, DARK, LIGHT, TONES
from ludus.drawing.svg import FONTS, number, safe

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from ludus.drawing.text_board import Board, Mark
    from ludus.game import Game, HasText

    Cells = Collection[tuple[int, int]]

CELL = 48.0
"""The side of a cell, in the drawing's own units."""
MARGIN = 26.0
"""Room for the labels."""
EDGE = 6.0
LINE_HEIGHT = 18.0

COLOURS: Mapping[str, tuple[str, str]] = {
    **{name: (LIGHT[name], DARK[name]) for name in ("paper", "ink", "soft", "axis", "grid")},
    "cell": ("#f3f5f8", "#202732"),
    "rim": ("#cfd6df", "#3a4452"),
    "dark": ("#1b2230", "#0a0d12"),
    "shine": ("#ffffff", "#ffffff"),
    "best": ("#007a5a", "#2fd3a5"),
    "first": (ACCENTS[0], ACCENTS[0]),
    "second": (ACCENTS[1], ACCENTS[1]),
    **{f"tone{index}": (tone, tone) for index, tone in enumerate(TONES)},
}
"""What every look can draw with: a name as a class fills, with `-line` it strokes. The colours on light and on dark."""


class Marks(NamedTuple):
    """What is pointed out on a board."""

    played: Cells = ()
    """The cells of the move that was played: a solid frame."""
    best: Cells = ()
    """The cells of the best move: a dashed frame with a star."""
    numbers: Mapping[tuple[int, int], str] = {}
    """A few characters at the corner of a cell."""


class Canvas:
    """A drawing in the making. Places are relative to the cell or ground that is being drawn."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._x = self._y = 0.0

    def move_to(self, x: float, y: float) -> None:
        """Set the place that all following ones are relative to."""
        self._x, self._y = x, y

    def rect(self, x: float, y: float, wide: float, high: float, kind: str, radius: float = 0, more: str = "") -> None:
        """Draw a rectangle; `kind` is one or more classes, `more` further attributes."""
        place = f'x="{number(self._x + x)}" y="{number(self._y + y)}" width="{number(wide)}" height="{number(high)}"'
        self.parts.append(f'<rect class="{kind}" {place} rx="{number(radius)}" {more}/>')

    def circle(self, x: float, y: float, radius: float, kind: str, more: str = "") -> None:
        """Draw a circle."""
        place = f'cx="{number(self._x + x)}" cy="{number(self._y + y)}" r="{number(radius)}"'
        self.parts.append(f'<circle class="{kind}" {place} {more}/>')

    def path(self, steps: str, kind: str, more: str = "") -> None:
        """Draw a path; its steps are relative to the place as well."""
        place = f'transform="translate({number(self._x)} {number(self._y)})"'
        self.parts.append(f'<path class="{kind}" d="{steps}" {place} {more}/>')

    def text(self, x: float, y: float, words: str, kind: str = "ink", size: float = 14, anchor: str = "middle") -> None:
        """Write words; whatever they consist of, they are only words."""
        place = f'x="{number(self._x + x)}" y="{number(self._y + y)}" font-size="{number(size)}"'
        self.parts.append(f'<text class="{kind}" {place} text-anchor="{anchor}">{safe(words)}</text>')


class Look(NamedTuple):
    """How a game looks."""

    cell: Callable[[Canvas, Mark], None]
    """Draws what a cell holds, in a square of CELL by CELL."""
    ground: Callable[[Canvas, Board], None]
    """Draws what is beneath all cells, from the left upper corner of the first one."""
    colours: Mapping[str, tuple[str, str]] = {}
    """Colours of its own: on light, on dark."""


def plain_ground(canvas: Canvas, board: Board) -> None:
    """Draw a square of its own for each cell."""
    for row in range(len(board.marks)):
        for col in range(len(board.marks[0])):
            canvas.rect(col * CELL + 1.5, row * CELL + 1.5, CELL - 3, CELL - 3, "cell rim-line", 7)


def _plain_cell(canvas: Canvas, mark: Mark) -> None:
    """Write a cell's text; the second side's has a line below, so that colour is not all that tells them apart."""
    if mark.tone is not None:
        canvas.rect(4, 4, CELL - 8, CELL - 8, f"tone{mark.tone % len(TONES)}", 5)
    kind = "dark" if mark.tone is not None else "soft" if mark.side is None else "ink"
    canvas.text(CELL / 2, CELL / 2 + 6, mark.text, kind, 17)
    if mark.side is not None:
        canvas.rect(12, CELL - 11, CELL - 24, 3, ("first", "second")[mark.side])
        if mark.side == 1:
            canvas.rect(12, CELL - 16, CELL - 24, 2, "second")


GENERIC = Look(_plain_cell, plain_ground)


@functools.cache
def look(name: str) -> Look:
    """Find how a game looks, by the name of its folder; the grid of texts where it does not say."""
    module = f"ludus.games.{name.replace('-', '_')}.drawing"
    try:
        known = importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        known = False
    if not known:
        return GENERIC
    found: Look = importlib.import_module(module).LOOK
    return found


def draw_board(game: Game, shown: HasText, marks: Marks | None = None, title: str = "") -> str:
    """Draw a state, or a step of a move, as an SVG document that is also fit to stand within a page."""
    if game.look.board:
        return _draw(game.look.board(shown), look(game.name), marks or Marks(), title or f"{game.title}: {shown.text}")
    return _draw_text(game.draw(shown).splitlines(), title or game.name)  # type: ignore[arg-type]


def _draw(board: Board, how: Look, marks: Marks, title: str) -> str:
    rows, cols = len(board.marks), len(board.marks[0])
    canvas = Canvas()
    canvas.move_to(MARGIN, MARGIN)
    how.ground(canvas, board)
    for row, line in enumerate(board.marks):
        for col, mark in enumerate(line):
            canvas.move_to(MARGIN + col * CELL, MARGIN + row * CELL)
            how.cell(canvas, mark)
    canvas.move_to(MARGIN, MARGIN)
    _labels(canvas, board)
    _point_out(canvas, marks)
    return _document(canvas, cols * CELL + 2 * MARGIN, rows * CELL + MARGIN + EDGE, title, how.colours)


def _labels(canvas: Canvas, board: Board) -> None:
    for col, label in enumerate(board.col_labels):
        canvas.text((col + 0.5) * CELL, -9, label, "soft", 13)
    for row, label in enumerate(board.row_labels):
        canvas.text(-10, (row + 0.5) * CELL + 5, label, "soft", 13, "end")


def _point_out(canvas: Canvas, marks: Marks) -> None:
    """Frame moves and write numbers, over everything else."""
    wide = 'stroke-width="{}" stroke-linejoin="round" stroke-linecap="round"'
    if marks.played:
        canvas.path(outline(marks.played), "none paper-line", wide.format(6))
        canvas.path(outline(marks.played), "none ink-line", wide.format(3.2))
    if marks.best:
        inset = 4.0 if set(marks.best) & set(marks.played) else 1.5
        canvas.path(outline(marks.best, inset), "none paper-line", wide.format(6))
        canvas.path(outline(marks.best, inset), "none best-line", wide.format(3.4) + ' stroke-dasharray="7 6"')
        row, col = min(marks.best, key=lambda cell: (cell[0], -cell[1]))
        x, y = (col + 1) * CELL - 9, row * CELL + 9
        canvas.circle(x, y, 9, "best paper-line", 'stroke-width="1.5"')
        canvas.path(star(x, y, 6.2), "paper")
    for (row, col), words in marks.numbers.items():
        x, y = col * CELL + 9, row * CELL + 9
        canvas.circle(x, y, 9, "ink paper-line", 'stroke-width="1.5"')
        canvas.text(x, y + 4, words, "paper strong", 11)


def outline(cells: Cells, inset: float = 1.5) -> str:
    """Give the path around a set of cells, corner to corner; cells that touch are framed together."""
    inside = set(cells)
    return "".join(step for cell in sorted(inside) for step in _sides(cell, inside, inset))


def _sides(cell: tuple[int, int], inside: Collection[tuple[int, int]], inset: float) -> Iterator[str]:
    """Give the sides of a cell that nothing of the set lies behind; they end where the next one begins."""
    row, col = cell

    def has(down: int, right: int) -> bool:
        return (row + down, col + right) in inside

    for down, right in ((-1, 0), (0, 1), (1, 0), (0, -1)):
        if has(down, right):
            continue
        ends = []
        for way in (-1, 1):
            # Along the side: past a straight neighbour, back from a corner, out into a bend.
            along = (down + (way if right else 0), right + (way if down else 0))
            beside = (way if right else 0, way if down else 0)
            gap = -inset if has(*along) and has(*beside) else 0.0 if has(*beside) else inset
            ends.append(way * (CELL / 2 - gap))
        middle = (CELL / 2 - inset) * (down + right)
        x, y = (col + 0.5) * CELL, (row + 0.5) * CELL
        points = [(x + end, y + middle) if down else (x + middle, y + end) for end in ends]
        yield "M" + "L".join(f"{number(a)} {number(b)}" for a, b in points)


STAR = ((0.0, -1.0), (0.24, -0.32), (0.95, -0.31), (0.38, 0.12), (0.59, 0.81), (0.0, 0.4))
"""Half a star with five points, from the top downwards on the right."""


def star(x: float, y: float, size: float) -> str:
    """Give the path of a star around a point."""
    points = [*STAR, *((-a, b) for a, b in reversed(STAR[1:-1]))]
    return "M" + "L".join(f"{number(x + size * a)} {number(y + size * b)}" for a, b in points) + "Z"


def _draw_text(lines: Iterable[str], title: str) -> str:
    """Draw a board that is only known as lines of text."""
    lines = [line.replace("\t", "    ") for line in lines] or [""]
    canvas = Canvas()
    canvas.move_to(MARGIN, MARGIN)
    for index, line in enumerate(lines):
        canvas.text(0, (index + 0.7) * LINE_HEIGHT, line.replace(" ", "\u00a0"), "ink mono", 15, "start")
    wide = max(len(line) for line in lines) * 9.1
    return _document(canvas, wide + 2 * MARGIN, len(lines) * LINE_HEIGHT + 2 * MARGIN, title, {})


def _document(canvas: Canvas, wide: float, high: float, title: str, colours: Mapping[str, tuple[str, str]]) -> str:
    every = {name: both for name, both in {**COLOURS, **colours}.items() if _is_used(canvas, name)}
    size = f'width="{number(wide)}" height="{number(high)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ludus-board" role="img" {size} '
        f'viewBox="0 0 {number(wide)} {number(high)}"><title>{safe(title)}</title><style>{_style(every)}</style>\n'
        + "\n".join(canvas.parts)
        + "\n</svg>\n"
    )


def _is_used(canvas: Canvas, name: str) -> bool:
    return any(f"{quote}{name}{end}" in part for part in canvas.parts for quote in ' "' for end in (" ", '"', "-line"))


def _style(colours: Mapping[str, tuple[str, str]]) -> str:
    """Give the rules: plain colours for paper, then for screens those that pages and readers can choose."""
    board = ".ludus-board"
    plain = "".join(
        f"{board} .{name}{{fill:{light}}}{board} .{name}-line{{stroke:{light}}}" for name, (light, _) in colours.items()
    )
    screen = "".join(
        f"{board} .{name}{{fill:var(--l-{name})}}{board} .{name}-line{{stroke:var(--l-{name})}}" for name in colours
    )
    light, dark = (
        "".join(f"--l-{name}:var(--ludus-{name},{both[index]});" for name, both in colours.items()) for index in (0, 1)
    )
    return (
        f"{board} text{{font-family:{FONTS}}}{board} .mono{{font-family:'DejaVu Sans Mono',monospace}}"
        f"{board} .strong{{font-weight:700}}{board} .none{{fill:none}}{plain}"
        f"@supports (color:var(--a)){{{board}{{{light}}}{screen}}}"
        f"@media (prefers-color-scheme:dark){{{board}{{{dark}}}}}"
    )
