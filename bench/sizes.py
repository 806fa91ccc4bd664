"""The value of small boards of a game from the start: a row of a table for the game's README each.

python bench/sizes.py magnetic-cave --least 5 --cells 30 --vary line=4,5
python bench/sizes.py chain-reaction --least 2 --cells 12 --vary explosion=empties,keeps-surplus,dies --wide

For games that always start from the same board, with the options `rows` and `cols`.
"""

from __future__ import annotations

import argparse
import itertools
from typing import Any

import ludus
from ludus.search.analysis import Engine, SearchLimits

MOST = 16
VALUES = {1.0: "the first player wins", 0.0: "a tie", -1.0: "the second player wins"}


def main() -> None:
    """Print a row for each size, the smallest first; a size that takes too long is said to be open."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=ludus.games())
    parser.add_argument("--least", type=int, required=True, help="the fewest rows and columns")
    parser.add_argument("--cells", type=int, required=True, help="of the largest board")
    parser.add_argument("--vary", default="", help="an option, each of whose values is tried: NAME=VALUE,VALUE")
    parser.add_argument("--wide", action="store_true", help="leave out boards that are higher than wide")
    parser.add_argument("--seconds", type=float, default=600.0, help="limit for each")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--megabytes", type=int, default=1024)
    asked = parser.parse_args()
    name, _, values = asked.vary.partition("=")
    sizes = [
        size
        for size in itertools.product(range(asked.least, MOST + 1), repeat=2)
        if size[0] * size[1] <= asked.cells and (size[0] <= size[1] or not asked.wide)
    ]
    print(f"| rows x columns | {name} | value | nodes |\n| --- | --- | --- | --- |")
    for (rows, cols), value in itertools.product(sorted(sizes, key=lambda s: s[0] * s[1]), values.split(",")):
        options = {name: int(value) if value.isdigit() else value} if name else {}
        game: Any = ludus.game(asked.game, rows=rows, cols=cols, **options)
        limits = SearchLimits(seconds=asked.seconds, threads=asked.threads)
        found = Engine(game, asked.megabytes).think(game.initial(), limits)
        worth = VALUES[found.value] if found.exact else "open"
        if found.exact and (plies := found.lines[0].plies_to_end):
            worth += f" in {plies}"
        print(f"| {rows} x {cols} | {value} | {worth} | {found.nodes:,} |", flush=True)


if __name__ == "__main__":
    main()
