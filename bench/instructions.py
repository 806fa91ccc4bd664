"""Instructions per ply of random play under callgrind, each game at its usual size. Repeatable on a noisy machine."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import ludus

GAMES = {
    "magnetic-cave": (120, "rows=8 cols=8 line=5"),
    "chain-reaction": (350, "rows=5 cols=6 explosion=empties"),
    "cantris": (600, "rows=8 cols=4 tiles=4 removals=1 second_removal=required"),
    "fruit-rage": (4000, "size=10 types=4"),
}
PLAYOUTS = Path(__file__).parent.parent / "build" / "module" / "playouts"


def run(name: str, games: int, options: str) -> tuple[int, int]:
    """Play random games under callgrind; (plies, instructions)."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        command = [
            "valgrind",
            "--tool=callgrind",
            f"--callgrind-out-file={out}",
            str(PLAYOUTS),
            name,
            str(games),
            *options.split(),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    counted = re.search(r"Collected : (\d+)", done.stderr)
    if counted is None:
        sys.exit(f"callgrind did not count: {done.stderr.strip().splitlines()[-1]}")
    return int(done.stdout), int(counted[1])


def main() -> None:
    """Print the table; the difference of two runs leaves start-up out."""
    print(f"{'game':<16}{'instructions/ply':>18}{'at most':>10}")
    for name, (limit, options) in GAMES.items():
        if name not in ludus.games():
            continue
        (few_plies, few), (many_plies, many) = run(name, 100, options), run(name, 1100, options)
        print(f"{name:<16}{(many - few) / (many_plies - few_plies):>18,.0f}{limit:>10,}")


if __name__ == "__main__":
    main()
