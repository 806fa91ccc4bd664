"""The bench: fixed positions searched to a fixed number of nodes, with one thread and an empty table.

Its signature (nodes, moves and values folded into one number) is the same on every machine. A change that means to
keep the behaviour leaves it; one that means to change it shows in the tracked `signature.txt` of each game.
"""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ludus.game import State, game, games
from ludus.search.analysis import Engine, SearchLimits

NODES = 20_000
"""What each position is searched for."""
POSITIONS = 8
"""How many positions a game has, each from another game and later than the one before."""


class Bench(NamedTuple):
    """What the bench measured for one game."""

    nodes: int
    seconds: float
    nps: float
    signature: str


def positions(name: str) -> Iterator[State]:
    """Return the bench positions of a game, from games with pseudo-random moves."""
    for number in range(POSITIONS):
        state: State = game(name).initial(number)
        for ply in range(3 * number):
            moves = state.legal_moves
            after = state.play(moves[(7919 * (ply + 1) * (number + 1)) % len(moves)])
            if after.outcome is not None:
                break
            state = after
        yield state


def bench(name: str, nodes: int = NODES) -> Bench:
    """Measure one game."""
    total, seconds, folded = 0, 0.0, 0
    played: Any = game(name)
    engine = Engine(played, megabytes=16)
    for state in positions(name):
        engine.clear()
        began = time.process_time()
        found = engine.think(state, SearchLimits(seconds=math.inf, nodes=nodes))
        seconds += time.process_time() - began
        total += found.nodes
        word = f"{state.text}|{found.nodes}|{found.depth}|{found.move}|{found.value:.6f}|{found.exact}"
        folded = zlib.crc32(word.encode(), folded)
    return Bench(total, seconds, total / max(seconds, 1e-9), f"{folded:08x}")


def bench_all(nodes: int = NODES) -> Mapping[str, Bench]:
    """Measure every game."""
    return {name: bench(name, nodes) for name in games()}


def write_signatures() -> None:
    """Write the signature of each game into its folder."""
    for name, row in bench_all().items():
        folder = Path(import_module("ludus.games").__path__[0], name.replace("-", "_"))
        (folder / "signature.txt").write_text(f"{row.signature}\n")
