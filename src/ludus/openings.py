"""Openings: starts that differ, so that deterministic players do not play one game a hundred times."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ludus.game import Game, State

PLIES = 4
"""Random plies before a game that always starts from the same board."""


def opening(game: Game, number: int, plies: int = PLIES) -> State:
    """Give the start with this number: a random board where the game has them, else the board after random plies.

    The same number gives the same start on every machine. A board on which the game is over is passed over.
    """
    start = game.initial(number)
    if start.text != game.initial(number + 1).text:
        return start
    chooser = random.Random(number)
    while True:
        state = start
        for _ in range(plies):
            if state.outcome is None:
                state = state.play(chooser.choice(state.legal_moves))
        if state.outcome is None:
            return state
        plies = max(0, plies - 1)
