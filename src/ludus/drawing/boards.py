"""Boards as vector drawings: SVG text that a page, a PDF and a picture viewer show alike.

Knows cells, marks and colours. How a game looks is in its own folder: the symbols of its `pieces.svg`, which the page
shows too, and the ground of its LOOK. A mark without a symbol is drawn as its text, and a game that has no board as the
plain text that it draws itself.

Colours are rules for paper first, since programs that make paper know no custom properties. For screens each colour can
be set by a page (`--ludus-cell: ...`), and otherwise follows the reader's choice of light or dark.
"""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ludus.drawing.canvas import CELL, Canvas
from ludus.drawing.palette import ACCENTS, DARK, LIGHT, TONES
from ludus.drawing.svg import FONTS, number, safe
from ludus.drawing.text_board import EMPTY, Mark, TextBoard

if TYPE_CHECKING:
    from ludus.drawing.look import DrawableGame, HasText

    Cells = Collection[tuple[int, int]]

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


class Shape(NamedTuple):
    """What a person has drawn on a board: a sign on one cell, or an arrow from one cell to another."""

    cells: tuple[tuple[int, int], ...]
    colour: str = "green"


SHAPES: Mapping[str, str] = {"green": "#15803d", "red": "#c81e1e", "blue": "#1d4ed8", "amber": "#b45309"}
"""The colours of shapes. The signs of each have a form of their own (`sign`), and its arrows a line of their own."""
DASHES = {"green": "", "red": "16 8", "blue": "4 7", "amber": "20 7 4 7"}


class Marks(NamedTuple):
    """What is pointed out on a board."""

    played: Cells = ()
    """The cells of the move that was played: a solid frame."""
    best: Cells = ()
    """The cells of the best move: a dashed frame with a star."""
    numbers: Mapping[tuple[int, int], str] = {}
    """A few characters at the corner of a cell."""
    shapes: Sequence[Shape] = ()
    """What a person has drawn."""


def plain_ground(canvas: Canvas, board: TextBoard) -> None:
    """Draw a square of its own for each cell."""
    for row in range(len(board.marks)):
        for col in range(len(board.marks[0])):
            canvas.rect(col * CELL + 1.5, row * CELL + 1.5, CELL - 3, CELL - 3, "cell rim-line", 7)


def _plain_cell(canvas: Canvas, mark: Mark) -> None:
    """Write a cell's text; the second side's has a line below, so that colour is not all that tells them apart."""
    if mark == EMPTY:
        return
    if mark.tone is not None:
        canvas.rect(4, 4, CELL - 8, CELL - 8, f"tone{mark.tone % len(TONES)}", 5)
    kind = "dark" if mark.tone is not None else "soft" if mark.side is None else "ink"
    canvas.text(CELL / 2, CELL / 2 + 6, mark.text, kind, 17)
    if mark.side is not None:
        canvas.rect(12, CELL - 11, CELL - 24, 3, ("first", "second")[mark.side])
        if mark.side == 1:
            canvas.rect(12, CELL - 16, CELL - 24, 2, "second")


@functools.cache
def pieces_of(name: str) -> str:
    """Return the symbols of a game's pieces.svg, without the document around them; nothing where it has none."""
    file = Path(importlib.import_module("ludus.games").__path__[0], name.replace("-", "_"), "pieces.svg")
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return text[text.find(">", text.find("<svg")) + 1 : text.rfind("</svg>")].strip()


def draw_board(game: DrawableGame, shown: HasText, marks: Marks | None = None, title: str = "") -> str:
    """Draw a state, or a step of a move, as an SVG document that is also fit to stand within a page."""
    if game.look.board is None:
        return _draw_text(game.draw(shown).splitlines(), title or game.name)
    board = game.look.board(shown)
    canvas = Canvas()
    canvas.move_to(MARGIN, MARGIN)
    (game.look.ground or plain_ground)(canvas, board)
    for row, line in enumerate(board.marks):
        for col, mark in enumerate(line):
            canvas.move_to(MARGIN + col * CELL, MARGIN + row * CELL)
            if mark.piece:
                canvas.use(f"{game.name.replace('-', '_')}-{mark.piece}")
            else:
                _plain_cell(canvas, mark)
    canvas.move_to(MARGIN, MARGIN)
    _labels(canvas, board)
    _point_out(canvas, marks or Marks())
    if any(mark.piece for line in board.marks for mark in line):
        canvas.parts.insert(0, f"<defs>{pieces_of(game.name)}</defs>")
    wide, high = len(board.marks[0]) * CELL + 2 * MARGIN, len(board.marks) * CELL + MARGIN + EDGE
    return _document(canvas, wide, high, title or f"{game.title}: {shown.text}", game.look.colours)


def _labels(canvas: Canvas, board: TextBoard) -> None:
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
    for shape in marks.shapes:
        _draw_shape(canvas, shape)


def _draw_shape(canvas: Canvas, shape: Shape) -> None:
    """Draw what a person has drawn, with a white border, so that it is seen on every piece."""
    colour = SHAPES[shape.colour]
    (x, y), *ends = [((col + 0.5) * CELL, (row + 0.5) * CELL) for row, col in shape.cells]
    round_ends = 'stroke-linecap="round" stroke-linejoin="round" fill="none"'
    if not ends:
        steps = sign(shape.colour, x, y, CELL * 0.36)
        canvas.path(steps, "paper-line", f'stroke-width="6.5" {round_ends}')
        canvas.path(steps, "", f'stroke="{colour}" stroke-width="3.6" {round_ends}')
        return
    line, head = arrow((x, y), ends[0])
    dashes = f'stroke-dasharray="{DASHES[shape.colour]}"' if DASHES[shape.colour] else ""
    canvas.path(line + head, "paper-line", f'stroke-width="9" {round_ends}')
    canvas.path(line, "", f'stroke="{colour}" stroke-width="5.5" {dashes} {round_ends.replace("round", "butt", 1)}')
    canvas.path(head, "", f'stroke="{colour}" stroke-width="2" fill="{colour}" stroke-linejoin="round"')


def sign(colour: str, x: float, y: float, size: float) -> str:
    """Return the path of a sign around a point: each colour has a form of its own."""
    if colour == "green":
        turn = f"a{number(size)} {number(size)} 0 1 1"
        return f"M{number(x - size)} {number(y)}{turn} {number(2 * size)} 0{turn} {number(-2 * size)} 0Z"
    forms = {
        "red": (((-1, -1), (1, 1)), ((1, -1), (-1, 1))),
        "blue": (((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)),),
        "amber": (((0, -1.15), (1.15, 0), (0, 1.15), (-1.15, 0), (0, -1.15)),),
    }
    reach = size * 0.9
    return "".join(
        "M" + "L".join(f"{number(x + reach * a)} {number(y + reach * b)}" for a, b in line) for line in forms[colour]
    )


def arrow(start: tuple[float, float], end: tuple[float, float]) -> tuple[str, str]:
    """Return the paths of an arrow between the middles of two cells: its line, and its head."""
    (x1, y1), (x2, y2) = start, end
    length = math.hypot(x2 - x1, y2 - y1)
    a, b = (x2 - x1) / length, (y2 - y1) / length
    tip, neck, wide = length - CELL * 0.1, length - CELL * 0.42, CELL * 0.2

    def at(along: float, aside: float = 0.0) -> str:
        return f"{number(x1 + a * along - b * aside)} {number(y1 + b * along + a * aside)}"

    return f"M{at(CELL * 0.22)}L{at(neck)}", f"M{at(neck, wide)}L{at(tip)}L{at(neck, -wide)}Z"


def outline(cells: Cells, inset: float = 1.5) -> str:
    """Return the path around a set of cells, corner to corner; cells that touch are framed together."""
    inside = set(cells)
    return "".join(step for cell in sorted(inside) for step in _sides(cell, inside, inset))


def _sides(cell: tuple[int, int], inside: Collection[tuple[int, int]], inset: float) -> Iterator[str]:
    """Return the sides of a cell on the border of the set; they end where the next one begins."""
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
    """Return the path of a star around a point."""
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
    """Return the rules: plain colours for paper, then for screens those that pages and readers can choose."""
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
