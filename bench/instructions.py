"""Instructions per ply of random play and per node of the engine's search, under callgrind: repeatable on any machine.

python bench/instructions.py            the table
python bench/instructions.py --costs    and where the search of each game spends them
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import ludus

PROGRAMS = Path(__file__).parent.parent / "build" / "module"


def folder_of(name: str) -> Path:
    """Return the folder of a game; its variants.toml says how many instructions a ply of random play may take."""
    return Path(ludus.__file__).parent / "games" / name.replace("-", "_")


def run(program: str, name: str, amount: int, options: str, out: Path) -> tuple[int, int]:
    """Run a program under callgrind; what it counted (plies or nodes), and the instructions."""
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
    command += [str(PROGRAMS / program), name, str(amount), *options.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    counted = re.search(r"Collected : (\d+)", done.stderr)
    if counted is None:
        sys.exit(f"callgrind did not count: {done.stderr.strip().splitlines()[-1]}")
    return int(done.stdout), int(counted[1])


def per_unit(program: str, name: str, amounts: tuple[int, int], options: str, out: Path) -> float:
    """Return the instructions per ply or node; the difference of two runs leaves start-up out."""
    (few_units, few), (many_units, many) = (run(program, name, amount, options, out) for amount in amounts)
    return (many - few) / max(many_units - few_units, 1)


def costs(out: Path) -> list[str]:
    """Return the functions that took most, with their share."""
    done = subprocess.run(["callgrind_annotate", str(out)], capture_output=True, text=True, check=True)
    rows = re.findall(r"\(\s*([\d.]+)%\)\s+\S*?:(\S.*?) \[", done.stdout)
    return [f"{share:>6}%  {short(function)[:90]}" for share, function in rows[:3]]


def short(function: str) -> str:
    """Return a function's name without its templates' and its own arguments."""
    while (shorter := re.sub(r"<[^<>]*>|\([^()]*\)( const)?$", "", function)) != function:
        function = shorter
    return function


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--costs", action="store_true", help="the three largest costs of each search")
    wanted = parser.parse_args()
    print(f"{'game':<16}{'per ply':>10}{'at most':>10}{'per node':>12}")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        for name in ludus.games():
            limit = int(tomllib.loads(folder_of(name).joinpath("variants.toml").read_text())["instructions"])
            options = " ".join(f"{option}={value}" for option, value in ludus.game(name).options.items())
            ply = per_unit("playouts", name, (100, 1100), options, out)
            node = per_unit("searches", name, (1000, 5000), options, out)
            print(f"{name:<16}{ply:>10,.0f}{limit:>10,}{node:>12,.0f}", flush=True)
            for line in costs(out) if wanted.costs else ():
                print("    " + line, flush=True)


if __name__ == "__main__":
    main()
