"""Whether the engine ever oversteps: moves at limits from 0.05 to 3 s while other processes keep every core busy.

python bench/clock.py --moves 2000
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import time

import ludus
from ludus.bench import positions
from ludus.clock import Clock
from ludus.players import player

MARGIN = 0.05
"""What the limit leaves for the start of a process and the delay of a referee; not counted where it is most of it."""


def burn() -> None:
    """Keep a core busy."""
    while True:
        pass


def main() -> None:
    """Print how many moves were late, and by how much the nearest one was not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=1, help="of the engine")
    asked = parser.parse_args()
    others = [multiprocessing.Process(target=burn, daemon=True) for _ in range(os.cpu_count() or 1)]
    for other in others:
        other.start()
    chooser = random.Random(1)
    starts = [state for name in ludus.games() for state in positions(name)]
    late, near, nearest = 0, 0, 10.0
    thinkers = {name: player(f"engine:threads={asked.threads}") for name in ludus.games()}
    for _ in range(asked.moves):
        limit = 0.05 * 60 ** chooser.random()
        state = chooser.choice(starts)
        began = time.monotonic()
        thinkers[state.game.name].choose(state, Clock(per_move=limit).start())
        left = limit - (time.monotonic() - began)
        is_near = left < MARGIN and limit > 3 * MARGIN
        late, near, nearest = late + (left < 0), near + is_near, min(nearest, left)
        if left < 0 or is_near:
            print(f"{state.game.name}: {1000 * left:.1f} ms left of {1000 * limit:.0f} ms", flush=True)
    for other in others:
        other.kill()
    print(
        f"{asked.moves} moves: {late} late; {near} within {1000 * MARGIN:.0f} ms of a limit above {3 * MARGIN:g} s;",
        end=" ",
    )
    print(f"the nearest had {1000 * nearest:.1f} ms left")


if __name__ == "__main__":
    main()
