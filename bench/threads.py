"""Two threads against one: the time to the same depth, or to the proof, and nodes per second, on the bench positions.

    python bench/threads.py --threads 2
    python bench/threads.py --threads 2 --processor-time      on a machine that is busy with other work

Processor time is that of all threads divided by their number: what it would take if each had a core of its own and all
were as long at work. Threads that rarely run at the same time help each other less or more than such threads would.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from typing import Any

import ludus
from ludus.search.analysis import Engine, SearchLimits
from ludus.search.bench import positions

SHORTEST_SECONDS = 0.05
"""Searches that one thread ends sooner are not compared."""


def measure(name: str, threads: int, seconds: float, clock: Callable[[], float]) -> tuple[list[float], list[float]]:
    """Return for each position how many times sooner the threads are done, and how many times the nodes a second."""
    game: Any = ludus.game(name)
    engine = Engine(game, 256, uses_proofs=False)
    sooner, faster = [], []
    for state in positions(name):
        engine.clear()
        depth = engine.think(state, SearchLimits(seconds=seconds)).depth
        taken, nodes = [], []
        for count in (1, threads):
            engine.clear()
            began = clock()
            nodes.append(engine.think(state, SearchLimits(depth=max(depth, 1), threads=count)).nodes)
            taken.append((clock() - began) / (count if clock is time.process_time else 1))
        if taken[0] > SHORTEST_SECONDS:
            sooner.append(taken[0] / taken[1])
            faster.append(nodes[1] / taken[1] / (nodes[0] / taken[0]))
    return sooner, faster


def mean(ratios: list[float]) -> float:
    """Return the geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def main() -> None:
    """Print two ratios a game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help="all games unless given")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1.0, help="what one thread takes to find the depth")
    parser.add_argument("--processor-time", action="store_true", help="instead of time by the clock on the wall")
    asked = parser.parse_args()
    clock = time.process_time if asked.processor_time else time.monotonic
    for name in asked.games or ludus.games():
        sooner, faster = measure(name, asked.threads, asked.seconds, clock)
        print(
            f"{name:<16}{asked.threads} threads are {mean(sooner):.2f} times as fast, "
            f"with {mean(faster):.2f} times the nodes per second ({len(sooner)} positions)",
            flush=True,
        )


if __name__ == "__main__":
    main()
