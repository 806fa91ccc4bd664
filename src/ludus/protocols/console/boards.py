"""Boards that a program draws: which moves explain the last one that it drew.

Nothing is assumed of the signs: a drawn board fits a state when each kind of cell has a sign of its own. Knows
screens as text and states; knows no script and no process.
"""

from __future__ import annotations

import functools
import itertools
import re
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from ludus.game import State

MOST_LINES, LONGEST_LINE = 160, 160
"""Lines from the end of a screen that are looked at, and characters of each."""
BARS = re.compile(r"[|│║┃｜]")
BOXED = re.compile(r"[\[(<{]([^\])>}]{0,4})[\])>}]")
LISTED = re.compile(r"'([^'\n]{0,3})'|\"([^\"\n]{0,3})\"|([^\s,'\"\[\](){}]{1,6})")
"""A cell of a printed list: `'X'`, or a word."""
LABEL = re.compile(r"[0-9]{1,2}|[A-Pa-p]")
"""What stands beside a row: its number or its letter."""
OFFSETS, STRIDES = range(17), (2, 3, 4, 5, 6, 1, 8)
BORDER, LONGEST_LABEL = " |│║┃｜[](){}<>+:.", 2
"""What may stand on both sides of a board, beside a label of at most that many characters."""
STEPS = (1, 2, 3)
"""One of this many lines that look like rows is one: the others may be the borders of high cells."""
MOST_SIGNS = 10
EMPTY = "."
PAGE = "\f"
"""No board begins before it and ends after it."""

Row = tuple[str, ...]
Grid = tuple[Row, ...]
Key = TypeVar("Key", bound="Hashable")


def cells_of(state: State) -> Grid:
    """Return the cells of a state, from the top."""
    return tuple(tuple(row) for row in state.text.split(" ")[0].split("/"))


@functools.lru_cache(maxsize=8)
def grids(text: str, rows: int, cols: int) -> tuple[Grid, ...]:
    """Return whatever may be a board of this size in a text, the last one first. Its rows are equally far apart."""
    numbered = [(page, line) for page, part in enumerate(text.split(PAGE)) for line in part.splitlines()][-MOST_LINES:]
    lines, pages = [line[:LONGEST_LINE].expandtabs() for _, line in numbered], [page for page, _ in numbered]
    found: list[tuple[int, Grid]] = []
    for read in READERS:
        places = [(number, cells) for number, line in enumerate(lines) if (cells := read(line, cols))]
        for step in STEPS:
            for start in range(len(places) - step * (rows - 1)):
                window = places[start : start + step * (rows - 1) + 1 : step]
                first, last = window[0][0], window[-1][0]
                apart = {below - above for (above, _), (below, _) in itertools.pairwise(window)}
                if len(apart) <= 1 and last - first < 3 * rows and pages[first] == pages[last]:
                    found.append((last, tuple(cells for _, cells in window)))
    found += _aligned(lines, rows, cols)
    ordered = sorted(found, key=lambda one: -one[0])
    return tuple(dict.fromkeys(grid for _, grid in ordered))


def _between_bars(line: str, cols: int) -> Row | None:
    """Read `|a|b|c|`, with or without a label on either side."""
    parts = BARS.split(line)
    return _stripped(parts[1:-1]) if len(parts) == cols + 2 else None


def _before_bars(line: str, cols: int) -> Row | None:
    """Read `1 a|b|c|`, where a label stands before the first cell."""
    parts = BARS.split(line)
    if len(parts) == cols and cols > 1:  # no bar after the last cell either
        return _stripped([_unlabelled(parts[0]), *parts[1:-1], _unlabelled(parts[-1][::-1])[::-1]])
    return _stripped([_unlabelled(parts[0]), *parts[1:-1]]) if len(parts) == cols + 1 else None


def _after_bars(line: str, cols: int) -> Row | None:
    """Read `1|a|b|c`."""
    parts = BARS.split(line)
    return _stripped(parts[1:]) if len(parts) == cols + 1 else None


def _among_bars(line: str, cols: int) -> Row | None:
    """Read `a|b|c` and `a|b|c|`."""
    parts = BARS.split(line.rstrip().removesuffix("|"))
    return _stripped(parts) if len(parts) == cols and cols > 1 else None


def _unlabelled(part: str) -> str:
    head, _, rest = part.strip().partition(" ")
    return rest if LABEL.fullmatch(head.strip(":.)")) else part


def _stripped(parts: Sequence[str]) -> Row:
    return tuple(part.strip() for part in parts)


def _in_boxes(line: str, cols: int) -> Row | None:
    parts = _stripped(BOXED.findall(line))
    return parts if len(parts) == cols else None


def _in_list(line: str, cols: int) -> Row | None:
    """Read a row as Python and numpy print lists: `[0, 1, 2]`, `['X', ' ']`, `[[1 2 3]`."""
    if "[" not in line:
        return None
    parts = tuple(one or other or word for one, other, word in LISTED.findall(line[line.index("[") :]))
    return parts if len(parts) == cols else None


def _words(line: str, cols: int) -> Row | None:
    words = BARS.sub(" ", line).split()
    if len(words) == cols + 2 and words[0].strip(":.)") == words[-1].strip(":.)"):
        words = words[1:-1]
    return tuple(words) if len(words) == cols else None


def _words_after_label(line: str, cols: int) -> Row | None:
    words = BARS.sub(" ", line).split()
    return tuple(words[1:]) if len(words) == cols + 1 and LABEL.fullmatch(words[0].strip(":.)")) else None


def _words_before_label(line: str, cols: int) -> Row | None:
    words = BARS.sub(" ", line).split()
    return tuple(words[:-1]) if len(words) == cols + 1 and LABEL.fullmatch(words[-1]) else None


def _packed(line: str, cols: int) -> Row | None:
    word = max(BARS.sub(" ", line).split(), key=len, default="")
    return tuple(word) if len(word) == cols else None


READERS: tuple[Callable[[str, int], Row | None], ...] = (
    *(_between_bars, _before_bars, _after_bars, _among_bars, _in_boxes, _in_list),
    *(_words, _words_after_label, _words_before_label, _packed),
)


def _aligned(lines: Sequence[str], rows: int, cols: int) -> Iterator[tuple[int, Grid]]:
    """Yield boards whose cells stand under each other, blanks being cells as well."""
    width = max((len(line) for line in lines), default=0)
    padded = [line.ljust(max(width, OFFSETS[-1] + max(STRIDES) * cols)) for line in lines]
    for stride in STRIDES:
        if (cols - 1) * stride >= width:
            continue
        for offset in OFFSETS:
            end = offset + stride * (cols - 1) + 1
            cut = [_cut(line, offset, end, stride) for line in padded]
            for step in (1, 2):
                for start in range(len(lines) - step * (rows - 1)):
                    grid = tuple(one for one in cut[start : start + step * (rows - 1) + 1 : step] if one)
                    if len(grid) == rows and 1 < len({sign for row in grid for sign in row}) <= MOST_SIGNS:
                        yield start + step * (rows - 1), grid


def _cut(line: str, offset: int, end: int, stride: int) -> Row | None:
    """Return what stands in a line where cells would be; None where words or nothing at all stand there."""
    cells = line[offset:end:stride]
    between = "".join(line[offset + step : end : stride] for step in range(1, stride)) + line[end : end + 1]
    before = line[offset - 1] if offset else " "
    if line.isspace() or any(sign.isalnum() for sign in between) or (stride == 1 and before.isalnum()):
        return None
    beside = (line[:offset].strip(BORDER), line[end:].strip(BORDER))
    return tuple(cells) if max(map(len, beside)) <= LONGEST_LABEL else None


NAMED = re.compile(r"[0-9]{1,3}|[A-Pa-p][0-9]{1,2}|[0-9]{1,2}[A-Pa-p]|[0-9]{1,2},[0-9]{1,2}")
"""What an empty cell may show instead of a sign: its number, or its name."""


def fits(grid: Grid, cells: Grid) -> bool:
    """Return whether a drawn board shows these cells: one sign for each kind, and numbers as themselves.

    Empty cells may have two signs, as on a chessboard, or each its own number or name.
    """
    signs: dict[str, str] = {}
    empty: set[str] = set()
    for drawn, row in zip(grid, cells, strict=True):
        for sign, cell in zip(drawn, row, strict=True):
            if cell == EMPTY:
                empty.add(sign)
            elif signs.setdefault(cell, sign) != sign:
                return False
    if len({*signs.values()}) != len(signs) or empty & {*signs.values()}:
        return False
    if any(sign != cell for cell, sign in signs.items() if cell.isdigit()):
        return False
    named = all(map(NAMED.fullmatch, empty)) and not any(map(NAMED.fullmatch, signs.values()))
    return len(empty) <= 1 or (len(empty) == 2 and _checkered(grid, cells)) or named


def _checkered(grid: Grid, cells: Grid) -> bool:
    """Return whether empty cells change their sign as the fields of a chessboard do."""
    colours: dict[int, str] = {}
    return all(
        colours.setdefault((at + number) % 2, sign) == sign
        for number, (drawn, row) in enumerate(zip(grid, cells, strict=True))
        for at, (sign, cell) in enumerate(zip(drawn, row, strict=True))
        if cell == EMPTY
    )


def explained(text: str, after: Mapping[tuple[str, ...], State], rows: str) -> tuple[str, ...] | None:
    """Return the moves after which the last drawn board that fits looks as it does; None where no single ones do.

    `after` holds the states that can come about, by the moves to them; `rows` says which row is drawn first.
    """
    return which(text, {moves: cells_of(state) for moves, state in after.items()}, rows)


def which(text: str, boards: Mapping[Key, Grid], rows: str) -> Key | None:
    """Return which of some boards is the last one that is drawn; None where none or several could be it."""
    if not boards:
        return None
    if rows == "bottom":
        boards = {key: cells[::-1] for key, cells in boards.items()}
    some = next(iter(boards.values()))
    counts = {key: _counts(cells) for key, cells in boards.items()}
    possible = {*counts.values()}
    for grid in grids(text, len(some), len(some[0])):
        own = _counts(grid)
        uniform = own in possible
        if not uniform and not _has_various(grid):
            continue
        found = [key for key, cells in boards.items() if (counts[key] == own or not uniform) and fits(grid, cells)]
        if len({boards[key] for key in found}) == 1:
            return found[0]
        if found:
            return None
    return None


@functools.lru_cache(maxsize=4096)
def _counts(grid: Grid) -> tuple[int, ...]:
    flat = [sign for row in grid for sign in row]
    return tuple(sorted(map(flat.count, {*flat})))


def _has_various(grid: Grid) -> bool:
    """Return whether a grid may be a board whose empty cells look different: named ones, or a chessboard's."""
    flat = [sign for row in grid for sign in row]
    return len({*flat}) <= 4 or sum(1 for sign in flat if NAMED.fullmatch(sign)) * 3 > len(flat)


def one_more(state: State, text: str, rows: str) -> tuple[int, int] | None:
    """Return the cell on which the mover has put a piece, by a drawn board, legal or not; None where none is seen."""
    cells, mark = cells_of(state), "xo"[state.side]
    boards = {
        (row, col): tuple(
            tuple(mark if (r, c) == (row, col) else cell for c, cell in enumerate(line)) for r, line in enumerate(cells)
        )
        for row, line in enumerate(cells)
        for col, cell in enumerate(line)
        if cell == EMPTY
    }
    return which(text, boards, rows)


MOST_ROWS, MOST_COLS = 12, 8


def numbered_board(text: str) -> Grid | None:
    """Return the last board of digits that a text shows, of any size; None where there is none."""
    best: tuple[int, Grid] | None = None
    lines = [line[:LONGEST_LINE].expandtabs() for line in text.splitlines()[-MOST_LINES:]]
    for cols in range(MOST_COLS, 1, -1):
        for read in (_in_list, _between_bars, _words, _packed):
            run: list[Row] = []
            for number, line in enumerate([*lines, ""]):
                cells = read(line, cols)
                if cells and all(cell.isdigit() and len(cell) == 1 for cell in cells):
                    run.append(cells)
                    continue
                if 3 <= len(run) <= MOST_ROWS and (best is None or number > best[0]):
                    best = (number, tuple(run))
                run = []
    return best[1] if best else None
