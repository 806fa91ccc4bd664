"""The ten levels of the engine: how far each looks ahead, and its Elo where that was measured.

A game's folder has them in `levels.txt`, which `bench/levels.py` writes; other games have a table that was not
measured. Knows no search and no player.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from ludus.messages import Message

FULL_STRENGTH = 10
"""The highest level."""


class Level(NamedTuple):
    """How a level sees the game."""

    plies: float
    """How many plies ahead it looks on average; below 1, the share of its moves that it sees."""
    elo: int | None = None
    """Against `random`, which is 0; None where it was not measured."""
    interval: tuple[int, int] | None = None
    """How far above the level below it is, with 95%; above `random` for the first."""

    @property
    def sees(self) -> Message:
        """What it sees of the game, in words."""
        if math.isinf(self.plies):
            return Message("level.sees.all")
        if self.plies < 1:
            return Message("level.sees.share", percent=max(1, round(100 * self.plies)))
        return Message("level.sees.plies", plies=round(self.plies, 1))


DEFAULT = tuple(Level(plies) for plies in (0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, math.inf))
PLAYERS: Mapping[str, object] = {}
"""None: `engine` has the levels as an option."""


@functools.cache
def levels(game: str) -> tuple[Level, ...]:
    """Return the levels of a game, the weakest first; the last looks as far as its time allows."""
    file = levels_file(game)
    if not file.exists():
        return DEFAULT
    rows = [line.split() for line in file.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    return tuple(Level(float(plies), int(elo), (int(low), int(high))) for _, plies, elo, low, high in rows)


def levels_file(game: str) -> Path:
    """Return where the levels of a game of this package are."""
    return Path(import_module("ludus.games").__path__[0], game.replace("-", "_"), "levels.txt")
