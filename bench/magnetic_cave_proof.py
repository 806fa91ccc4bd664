"""How many random positions of Magnetic Cave the engine proves within a time limit, from an empty table each.

python bench/magnetic_cave_proof.py --positions 100 --empty 30 --seconds 3
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from typing import Any

import ludus
from ludus.search.analysis import Engine, SearchLimits


def random_position(game: Any, chooser: random.Random, empty: int) -> Any:
    """Return a position with `empty` empty cells, reached by random moves that made no line."""
    while True:
        state = game.initial()
        while state.outcome is None and state.text.count(".") > empty:
            state = state.play(chooser.choice(state.legal_moves))
        if state.outcome is None:
            return state


def main() -> None:
    """Print the count, the outcomes, and the time taken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--empty", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    game: Any = ludus.game("magnetic-cave")
    engine = Engine(game, 256)
    chooser = random.Random(wanted.seed)
    outcomes: dict[float, int] = {1.0: 0, 0.0: 0, -1.0: 0}
    taken, nodes, processor = [], 0, time.process_time()
    for _ in range(wanted.positions):
        state = random_position(game, chooser, wanted.empty)
        engine.clear()
        found = engine.think(state, SearchLimits(seconds=wanted.seconds, threads=wanted.threads))
        nodes += found.nodes
        taken.append(found.seconds if found.exact else math.inf)
        if found.exact:
            outcomes[found.value] += 1
    solved = sum(outcomes.values())
    print(f"{solved} of {wanted.positions} positions with {wanted.empty} empty cells proven in {wanted.seconds} s each")
    print(f"won {outcomes[1.0]}, tied {outcomes[0.0]}, lost {outcomes[-1.0]}; median {statistics.median(taken):.3f} s")
    print(f"{nodes:,} nodes, {time.process_time() - processor:.1f} s of processor time")


if __name__ == "__main__":
    main()
