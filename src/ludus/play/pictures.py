"""Positions and games as drawings and pictures: the board after each move, with the last move framed.

Knows no file and no page. What makes pixels takes a while, and is called in a process apart by the web arena.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ludus.drawing.boards import Marks, Shape, draw_board
from ludus.drawing.pictures import card, gif, png
from ludus.drawing.text_board import EMPTY
from ludus.game import State

PlayedMoves = tuple[State, tuple[str, ...]]
"""A start, and the moves that were played from it."""
MOST_FRAMES, LEAST_FRAMES, MOST_CELLS = 120, 12, 30_000
"""Of a GIF: frames, and cells in all of them, which take about six seconds."""


def drawing(state: State, before: State | None = None, move: str = "", shapes: Sequence[Shape] = ()) -> str:
    """Return a position as SVG; the cells where the move that led to it put something are framed."""
    return draw_board(state.game, state, Marks(played=_placed(before, move) if before else (), shapes=shapes))


def drawings(
    line: PlayedMoves, shapes: Sequence[Sequence[Shape]] = (), plies: Collection[int] | None = None
) -> list[str]:
    """Return a game as SVG: its start and the position after each move, or some of these, with what is drawn there."""
    before: State | None = None
    state, found = line[0], list[str]()
    for ply, move in enumerate(("", *line[1])):
        if move:
            before, state = state, state.play(move)
        if plies is None or ply in plies:
            found.append(drawing(state, before, move, shapes[ply] if shapes else ()))
    return found


def frames(line: PlayedMoves) -> list[int]:
    """Return the plies that a GIF shows: all; fewer of a long game or a large board, and always the last."""
    start, moves = line
    board = start.game.look.board
    cells = sum(map(len, board(start).marks)) if board else 1
    most = min(MOST_FRAMES, max(LEAST_FRAMES, MOST_CELLS // cells))
    return [*range(0, len(moves), -(-(len(moves) + 1) // most)), len(moves)]


def _last(line: PlayedMoves, shapes: Sequence[Shape]) -> str:
    """Return the drawing of the position after the last move."""
    before, state = None, line[0]
    for move in line[1]:
        before, state = state, state.play(move)
    return drawing(state, before, line[1][-1] if line[1] else "", shapes)


def position_png(line: PlayedMoves, shapes: Sequence[Shape] = ()) -> bytes:
    """Return the position after some moves as a PNG."""
    return png(_last(line, shapes))


def game_gif(line: PlayedMoves, shapes: Sequence[Sequence[Shape]] = ()) -> bytes:
    """Return a game as a GIF that shows one position after the other."""
    return gif(drawings(line, shapes, frames(line)))


def position_card(line: PlayedMoves, shapes: Sequence[Shape], title: str, words: Sequence[str]) -> bytes:
    """Return the card of a link: the position after some moves beside a title and some words."""
    return card(_last(line, shapes), title, words)


def _placed(state: State, move: str) -> list[tuple[int, int]]:
    """Return the cells where the first step of a move leaves something; what was removed leaves nothing to frame."""
    look = state.game.look
    steps = state.steps(move)
    if look.board is None or not steps:
        return []
    marks = look.board(steps[0]).marks
    return [(row, col) for row, col in steps[0].cells if marks[row][col] != EMPTY]
