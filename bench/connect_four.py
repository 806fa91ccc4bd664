"""Solve Connect Four from the empty board, then a file of positions whose values are known; count what it takes.

python bench/connect_four.py --megabytes 2048 --positions 4040
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import ludus
from ludus.search.analysis import Engine, SearchLimits

KNOWN = Path(__file__).parents[1] / "tests" / "games" / "connect_four_positions.txt"


def main() -> None:
    """Print nodes, processor time, and how many answers are the known ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=2048)
    parser.add_argument("--positions", type=int, default=4040)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--skip-empty-board", action="store_true")
    wanted = parser.parse_args()
    game: Any = ludus.game("connect-four")
    engine, limits = Engine(game, wanted.megabytes), SearchLimits(threads=wanted.threads)
    if not wanted.skip_empty_board:
        before = time.process_time()
        found = engine.think(game.initial(), limits)
        print(f"the empty board: value {found.value:+g}, proven {found.exact}, move {found.move}")
        print(f"{found.nodes:,} nodes, {time.process_time() - before:.1f} s of processor time")

    right = distances = nodes = 0
    before = time.process_time()
    lines = [line.split() for line in KNOWN.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    for columns, value, plies in lines[: wanted.positions]:
        state = game.initial()
        for column in columns:
            state = state.play("ABCDEFG"[int(column) - 1])
        engine.clear()
        found = engine.think(state, limits)
        nodes += found.nodes
        right += found.exact and found.value == float(value)
        distances += (found.lines[0].plies_to_end or 0) == int(plies)
    print(
        f"{right} of {len(lines[: wanted.positions])} known positions right and proven; {distances} with the distance"
    )
    print(f"{nodes:,} nodes, {time.process_time() - before:.1f} s of processor time")


if __name__ == "__main__":
    main()
