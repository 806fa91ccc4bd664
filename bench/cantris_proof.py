"""How soon Cantris is proven: random boards of the three course sizes, from the first move.

6x3 and 8x4: how many first moves were proven, and what that took. 10x5: the game is played on with the engine's own
moves until its end, and the turn is reported from which every answer was proven.
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

import ludus
from ludus.search.analysis import Engine, SearchLimits

FIRST_SHARE = 0.8
"""The first removal's part of a turn: what it leaves the second is easier, and half known already."""


def first_moves(rows: int, cols: int, boards: int, arguments: argparse.Namespace) -> None:
    """Prove first moves; a new engine for each board."""
    game: Any = ludus.game("cantris", rows=rows, cols=cols)
    reports = []
    for seed in range(arguments.first, arguments.first + boards):
        limits = SearchLimits(seconds=arguments.seconds, threads=arguments.threads)
        reports.append(Engine(game, arguments.memory).think(game.initial(seed), limits))
        if arguments.each:
            report = reports[-1]
            proven = "proven" if report.exact else "not proven"
            print(
                f"  board {seed}: {report.value:+.0f} {proven}, {report.seconds:.2f} s, {report.nodes:,} nodes",
                flush=True,
            )
    exact = sum(report.exact for report in reports)
    seconds = [report.seconds for report in reports]
    nodes = [report.nodes for report in reports]
    print(
        f"{rows}x{cols}: {exact} of {boards} first moves proven; seconds: median {statistics.median(seconds):.3f}, "
        f"most {max(seconds):.3f}; nodes: median {statistics.median(nodes):,.0f}, most {max(nodes):,}",
        flush=True,
    )


def whole_games(boards: int, arguments: argparse.Namespace) -> None:
    """Play 10x5 on from the first move; both removals of a turn share the limit, the first with up to 0.8 of it."""
    game: Any = ludus.game("cantris", rows=10, cols=5)
    turns = []
    for seed in range(arguments.first, arguments.first + boards):
        state, engine, turn, proven_from = game.initial(seed), Engine(game, arguments.memory), 0, 1
        side, left, share = None, 0.0, 1.0
        while state.outcome is None:
            if side != state.side:
                side, turn, left, share = state.side, turn + 1, arguments.seconds, FIRST_SHARE
            report = engine.think(state, SearchLimits(seconds=share * left, threads=arguments.threads))
            left, share = left - report.seconds, 1.0
            if not report.exact:
                proven_from = turn + 1
            state = state.play(report.move)
        turns.append(proven_from)
        if arguments.each:
            print(f"  board {seed}: proven from turn {proven_from} of {turn}", flush=True)
    print(
        f"10x5: every answer proven from turn {statistics.median(turns):.0f} on (median), {max(turns)} at the latest; "
        f"from the first turn on {sum(turn == 1 for turn in turns)} of {boards} boards"
    )


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=["6x3", "8x4", "10x5"], choices=["6x3", "8x4", "10x5"])
    parser.add_argument("--boards", type=int, help="boards of each size; 100, 100 and 20 unless given")
    parser.add_argument("--first", type=int, default=0, help="seed of the first board")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=30, help="limit for a turn")
    parser.add_argument("--memory", type=int, default=1024, help="megabytes for the engine's tables")
    parser.add_argument("--each", action="store_true", help="a line for each board too")
    arguments = parser.parse_args()
    for size in arguments.sizes:
        if size == "10x5":
            whole_games(arguments.boards or 20, arguments)
        else:
            rows, cols = map(int, size.split("x"))
            first_moves(rows, cols, arguments.boards or 100, arguments)


if __name__ == "__main__":
    main()
