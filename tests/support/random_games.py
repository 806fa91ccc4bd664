"""Games at random, which give tests positions of every kind."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Any

from variants import variants

import ludus

if TYPE_CHECKING:
    from collections.abc import Iterator


def random_game(state: Any, chooser: random.Random) -> Iterator[Any]:
    """Yield the states of a game at random, the first and the final one too."""
    yield state
    while state.outcome is None:
        state = state.play(chooser.choice(state.legal_moves))
        yield state


def after_moves(state: Any, moves: int, chooser: random.Random) -> Any:
    """Return the state after some moves at random, or the final one if the game ends earlier."""
    return list(itertools.islice(random_game(state, chooser), moves + 1))[-1]


def open_positions(name: str, count: int, size: str = "tiny", more: int = 5) -> list[Any]:
    """Return open positions on boards of a size, as the game's variants have it: early and late by less than `more`."""
    known, found = variants(name), list[Any]()
    for seed, options in zip(itertools.count(), itertools.cycle(known[size])):
        start = ludus.game(name, **options).initial(seed)
        state = after_moves(start, known[f"{size}_moves"] + seed % more, random.Random(seed))
        found += [state] if state.outcome is None else []
        if len(found) == count:
            return found
    raise AssertionError
