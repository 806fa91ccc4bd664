"""Boards in the terminal: colour, room, motion. Knows the characters of a board and what a Step is, but no game.

The roomiest layout that fits is taken. Colour never stands alone: owners differ in their marks, the cells of the last
move are reversed, changed ones are underlined where there is no colour. Off a terminal everything is plain text.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from rich.live import Live
from rich.style import Style
from rich.text import Text

from ludus.cli.console import SafeConsole
from ludus.cli.output import rendered
from ludus.drawing.palette import ACCENTS, TONES

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ludus.drawing.look import HasText
    from ludus.drawing.text_board import Mark, TextBoard
    from ludus.game import Game, State, Step
    from ludus.messages import Message

    Cells = Collection[tuple[int, int]]

QUIET = Style(color="bright_black")
CHANGED = Style(bgcolor="#3a3a3a")
CHANGED_WITHOUT_COLOUR = Style(underline=True)

SECONDS_A_STEP = 0.3
SECONDS_A_MOVE = 4.0
"""A long chain is shown faster, so that it does not try anybody's patience."""
LINES_BESIDE_THE_BOARD = 6
"""The story of the move, the state of play, the prompt, and air."""


class Layout(NamedTuple):
    """How much room a cell has: blanks around its text, lines, and whether lines are drawn between cells."""

    left: int
    right: int
    lines: int = 1
    rules: bool = False
    frame: bool = False
    pictures: bool = True

    def cell_width(self, board: TextBoard) -> int:
        """Return the columns of a cell without its rule."""
        if not self.pictures:
            return self.left + board.cell_width + self.right
        texts = [mark.picture or mark.text for row in board.marks for mark in row] + list(board.col_labels)
        return self.left + max(board.picture_width, *(len(text) for text in texts)) + self.right

    def size(self, board: TextBoard) -> tuple[int, int]:
        """Return the columns and lines that the board takes."""
        rows, cols = len(board.marks), len(board.marks[0])
        edges = 2 * (self.rules or self.frame)
        margin = max(len(label) for label in board.row_labels) + 1
        width = margin + cols * self.cell_width(board) + (cols - 1) * self.rules + edges
        return width, 1 + rows * self.lines + (rows - 1) * self.rules + edges


LAYOUTS = (
    Layout(3, 3, lines=3, rules=True),
    Layout(2, 2, rules=True),
    Layout(1, 1, rules=True),
    Layout(0, 0, rules=True),
    Layout(1, 1, frame=True),
    Layout(0, 1, frame=True),
    Layout(0, 1, pictures=False),
    Layout(0, 0, pictures=False),
)
"""From the roomiest to the one for a board of 26 columns in a narrow terminal."""


def layout_for(board: TextBoard, columns: int, lines: int) -> Layout:
    """Return the roomiest layout that fits; where none does, the lowest whose lines do not wrap."""
    sizes = [(layout, *layout.size(board)) for layout in LAYOUTS]
    narrow = [(layout, height) for layout, width, height in sizes if width <= columns]
    fitting = [layout for layout, height in narrow if height <= lines]
    if fitting:
        return fitting[0]
    return min(narrow, key=lambda candidate: candidate[1])[0] if narrow else LAYOUTS[-1]


def style_of(mark: Mark, *, moved: bool, changed: bool, colour: bool) -> Style:
    """Return a cell's colours."""
    style = Style(bold=mark.strong or moved, reverse=moved)
    if changed and not moved:
        style += CHANGED if colour and mark.tone is None else CHANGED_WITHOUT_COLOUR
    if mark.tone is not None:
        return style + Style(color="#000000", bgcolor=TONES[mark.tone % len(TONES)])
    if mark.side is not None:
        return style + Style(color=ACCENTS[mark.side])
    return style if moved else style + QUIET


def picture(board: TextBoard, layout: Layout, moved: Cells = (), changed: Cells = (), *, colour: bool = True) -> Text:
    """Draw a board."""
    width = layout.cell_width(board)
    margin = max(len(label) for label in board.row_labels)
    cols = len(board.col_labels)
    edge = "│" if layout.rules or layout.frame else ""

    def rule(left: str, middle: str, right: str) -> None:
        crossing = middle if layout.rules else ""
        text.append(" " * (margin + 1) + left + crossing.join(["─" * width] * cols) + right + "\n", QUIET)

    text = Text(no_wrap=True, overflow="crop")
    gap = " " if layout.rules else ""
    text.append(" " * (margin + 1 + len(edge)), QUIET)
    text.append(gap.join(padded(label, width, layout) for label in board.col_labels).rstrip() + "\n", QUIET)
    if edge:
        rule("┌", "┬", "┐")
    for row, (label, marks) in enumerate(zip(board.row_labels, board.marks, strict=True)):
        if row and layout.rules:
            rule("├", "┼", "┤")
        for line in range(layout.lines):
            middle = line == layout.lines // 2
            text.append(f"{label if middle else '':>{margin}} {edge}", QUIET)
            for col, mark in enumerate(marks):
                if col and layout.rules:
                    text.append("│", QUIET)
                shown = (mark.picture or mark.text if layout.pictures else mark.text) if middle else ""
                cell = (row, col)
                style = style_of(mark, moved=cell in moved, changed=cell in changed, colour=colour)
                text.append(padded(shown, width, layout), style)
            text.append(f"{edge}\n", QUIET)
    if edge:
        rule("└", "┴", "┘")
    text.right_crop(1)
    return text


def padded(shown: str, width: int, layout: Layout) -> str:
    """Put a text into the middle of its cell, or to the left of a tight one."""
    return f"{shown:^{width}}" if layout.pictures else f"{shown:<{width}}"


class TerminalScreen:
    """Where boards and sentences appear: standard output, or standard error when that must stay free for JSON."""

    def __init__(self, *, on_error_stream: bool = False, animation: bool = True) -> None:
        self.stream = sys.stderr if on_error_stream else sys.stdout
        self.console = SafeConsole(file=self.stream)
        self.animation = animation and self.console.is_interactive

    @property
    def is_terminal(self) -> bool:
        """Whether a person looks at it."""
        return self.console.is_terminal

    def say(self, sentence: Message | str | Text = "", *, whole: bool = False) -> None:
        """Print a line; break a long one between words, unless it must stay whole to be copied."""
        text = sentence if isinstance(sentence, Text) else rendered(sentence)
        self.console.print(text, soft_wrap=whole or not self.is_terminal)

    def board(self, state: State, moved: Cells = (), before: State | None = None) -> None:
        """Print a board; what differs from `before` is marked as changed."""
        drawn = board_of(state.game, state)
        if drawn is None:
            self.console.print(state.game.draw(state), soft_wrap=True)
            return
        was = board_of(state.game, before) if before is not None else None
        changed = differences(was, drawn) if was is not None else frozenset()
        if self.is_terminal:
            self.console.print(self._picture(drawn, moved, changed), soft_wrap=True)
        else:
            self.console.print(drawn.plain(moved, changed), soft_wrap=True)

    def move(self, before: State, move: str, *, motion: bool = True) -> Cells:
        """Show what a move does, step by step where that is wanted; return the cells that it begins with."""
        steps = before.steps(move)
        if motion:
            self.animate(before, steps)
        return frozenset(steps[0].cells) if steps else frozenset()

    def animate(self, before: State, steps: Sequence[Step]) -> None:
        """Show a move step by step, where there is something to see and a place to see it."""
        was = board_of(before.game, before)
        if not self.animation or was is None or not steps:
            return
        seconds = min(SECONDS_A_STEP, SECONDS_A_MOVE / len(steps))
        with Live(console=self.console, auto_refresh=False, transient=True) as live:
            for step in steps:
                now = board_of(before.game, step)
                assert now is not None
                moved = frozenset(step.cells)
                live.update(self._picture(was, moved), refresh=True)
                time.sleep(seconds / 2)
                live.update(self._picture(now, moved, differences(was, now)), refresh=True)
                time.sleep(seconds / 2)
                was = now

    def _picture(self, board: TextBoard, moved: Cells = (), changed: Cells = ()) -> Text:
        columns, lines = self.console.size
        layout = layout_for(board, columns, lines - LINES_BESIDE_THE_BOARD)
        return picture(board, layout, moved, changed, colour=not self.console.no_color)


def board_of(game: Game, shown: HasText) -> TextBoard | None:
    """Return the picture of a state or a step; None for a game that draws only plain text."""
    return game.look.board(shown) if game.look.board else None


def differences(was: TextBoard, now: TextBoard) -> frozenset[tuple[int, int]]:
    """Return the cells that show something else than before."""
    return frozenset(
        (row, col)
        for row, (old, new) in enumerate(zip(was.marks, now.marks, strict=True))
        for col, (before, after) in enumerate(zip(old, new, strict=True))
        if before.text != after.text
    )
