"""Chain Reaction's named opponents, those that its course's programs were measured against.

Each is another player's text, or a function from a state to a move. They play either colour on any board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ludus.game import State
from ludus.games.chain_reaction import cells

EMPTY, DEAD = ".", "#"


class CourseGrid:
    """A board as the course's programs were given it: who owns a cell, and how many orbs it lacks to explode."""

    def __init__(self, state: State) -> None:
        rows = cells(state.text.partition(" ")[0])
        self.rows, self.cols = len(rows), len(rows[0])
        self.me = "rb"[state.side]
        self.color = {(x, y): cell[0] for x, row in enumerate(rows) for y, cell in enumerate(row)}
        self.dist = {
            (x, y): len(list(self.near(x, y))) - int(cell[1:] or 0)
            for x, row in enumerate(rows)
            for y, cell in enumerate(row)
        }

    def near(self, x: int, y: int) -> Iterator[tuple[int, int]]:
        """Return the neighbours: above, below, left, right."""
        for nx, ny in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
            if 0 <= nx < self.rows and 0 <= ny < self.cols:
                yield nx, ny

    def of(self, color: str) -> list[tuple[int, int]]:
        """Return the cells of a colour, row by row."""
        return [cell for cell, owner in self.color.items() if owner == color]


def name(cell: tuple[int, int]) -> str:
    """Return the move that plays on a cell."""
    return f"{chr(ord('A') + cell[1])}{cell[0] + 1}"


def no_look(state: State) -> str:
    """Load the cell of one's own that is nearest to exploding, or else the empty cell that is; the first of equals."""
    view = CourseGrid(state)
    return name(min(view.of(view.me) or view.of(EMPTY), key=lambda cell: view.dist[cell]))


def point_value(view: CourseGrid, cell: tuple[int, int]) -> int:
    """Return what seed 004 thinks of playing on a cell: grow beside enemies that are slower, hold back what is full."""
    dist = view.dist[cell]
    value = 0
    for near in view.near(*cell):
        if view.color[near] in (EMPTY, DEAD):
            continue
        if view.color[near] == view.me:
            value -= view.dist[near]
        elif dist == 1:
            return 10**9 if view.dist[near] == 1 else -(10**8)
        else:
            value += 1000 if dist <= view.dist[near] else -1000
    if dist == 1:
        return -(10**7)
    return value - dist if view.color[cell] == EMPTY else value - 10 * dist


def seed_004(state: State) -> str:
    """Play the cell of the highest point value; of equals the first, but an empty one before one's own."""
    view = CourseGrid(state)
    open_cells = (cell for cell, color in view.color.items() if color in (EMPTY, view.me))
    return name(max(open_cells, key=lambda cell: (point_value(view, cell), view.color[cell] == EMPTY)))


PLAYERS: Mapping[str, str | Callable[[State], str]] = {
    "randomMove": "random",
    "noLook": no_look,
    "heithoff": "alphabeta:depth=4,evaluator=orbs",
    "rlawrenc": "alphabeta:depth=4,evaluator=prospects",
    "106062130": seed_004,
}
