"""Small boards of every game, and positions on them that a slow search can look through."""

from __future__ import annotations

import random
from typing import Any

import pytest
from variants import variants

import ludus

SMALL = [(name, options) for name in ludus.games() for options in variants(name)["small"]]
"""Games of both kinds, with sides that move once and sides that move twice."""


each_small = pytest.mark.parametrize(("name", "options"), SMALL, ids=str)


def open_positions(name: str, options: dict[str, Any], wanted: int, seed: int = 1) -> list[Any]:
    """Return positions of random games, early and late."""
    chooser = random.Random(seed)
    found: list[Any] = []
    while len(found) < wanted:
        states: list[Any] = [ludus.game(name, **options).initial(seed=len(found))]
        while states[-1].outcome is None:
            states.append(states[-1].play(chooser.choice(states[-1].legal_moves)))
        found.append(states[chooser.randrange(len(states) - 1)])
    return found


def affordable(state: Any) -> int:
    """Return the depth that a search without pruning in Python can do at once."""
    return 4 if len(state.legal_moves) <= 8 else 3 if len(state.legal_moves) <= 18 else 2
