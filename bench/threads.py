"""Two threads against one: the time to the same depth, or to the proof, on the bench positions.

python bench/threads.py --threads 2
"""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

import ludus
from ludus.search.analysis import Engine, SearchLimits
from ludus.search.bench import positions


def main() -> None:
    """Print a ratio a game: how many times sooner several threads get there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1.0, help="what one thread takes to find the depth")
    asked = parser.parse_args()
    for name in ludus.games():
        game: Any = ludus.game(name)
        engine = Engine(game, 256)
        ratios = []
        for state in positions(name):
            engine.clear()
            depth = engine.think(state, SearchLimits(seconds=asked.seconds)).depth
            taken = []
            for threads in (1, asked.threads):
                engine.clear()
                began = time.monotonic()
                engine.think(state, SearchLimits(depth=max(depth, 1), threads=threads))
                taken.append(time.monotonic() - began)
            if taken[0] > 0.05:
                ratios.append(taken[0] / taken[1])
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan
        print(f"{name:<16}{asked.threads} threads are {mean:.2f} times as fast ({len(ratios)} positions)", flush=True)


if __name__ == "__main__":
    main()
