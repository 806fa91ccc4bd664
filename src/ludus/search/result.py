"""What a search found: lines of play with their values. The same for the compiled engine and for searches in Python."""

from __future__ import annotations

from typing import NamedTuple


class Variation(NamedTuple):
    """A line of play and its value to the side to move."""

    moves: tuple[str, ...]
    value: float
    exact: bool
    win_chance: float
    plies_to_end: int | None = None
    """Of a proven win or loss in a game without points."""


class Analysis(NamedTuple):
    """What a search found. `value` is the mover's: points still to be won by, or from -1 (lost) to +1 (won).

    The latter in games without points, and wherever the objective is to win.

    Args:
        lines: The best lines of play, the best first: each with `moves`, `value`, `exact` and `win_chance`.
        depth: How many plies the search looked ahead.
        nodes: How many positions it searched.
        seconds: How long that took.

    Example:
        >>> ludus.analyse(ludus.game("connect-four").initial(), depth=4).move
        'D'
    """

    lines: tuple[Variation, ...]
    depth: int
    nodes: int
    seconds: float

    @property
    def move(self) -> str:
        """The best move."""
        return self.lines[0].moves[0]

    @property
    def value(self) -> float:
        """What the position is worth to the side to move."""
        return self.lines[0].value

    @property
    def exact(self) -> bool:
        """Whether that is proven."""
        return self.lines[0].exact

    @property
    def win_chance(self) -> float:
        """The side to move's chance to win, a tie counting half."""
        return self.lines[0].win_chance
