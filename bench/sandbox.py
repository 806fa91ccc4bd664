"""What the sandbox costs: starting a program in it and bare, and a line's round trip in it and bare, side by side.

bench/sandbox.py [--starts 40] [--trips 5000]
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from ludus import sandbox

ECHO = ("sh", "-c", "exec cat")
LIMIT = 10.0


def start(folder: Path, *, trusted: bool) -> float:
    """Start a program, wait for its first line, and give the milliseconds that this took."""
    began = time.perf_counter()
    process = sandbox.start(ECHO, folder=folder, view=sandbox.python(), trusted=trusted)
    process.start_clock()
    process.send("hello\n")
    process.line(LIMIT)
    took = time.perf_counter() - began
    process.close()
    return 1000 * took


def trip(process: sandbox.Process) -> float:
    """Send a line and wait for its echo; give the microseconds."""
    began = time.perf_counter()
    process.start_clock()
    process.send("D7\n")
    process.line(LIMIT)
    process.answered()
    return 1e6 * (time.perf_counter() - began)


def main() -> None:
    """Measure both, turn by turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=40)
    parser.add_argument("--trips", type=int, default=5000)
    given = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        pairs = [(start(folder, trusted=False), start(folder, trusted=True)) for _ in range(given.starts)]
        caged, bare = (statistics.median(column) for column in zip(*pairs, strict=True))
        print(f"start: {caged:.1f} ms in the sandbox, {bare:.1f} ms bare: {caged - bare:.1f} ms more")
        inside = sandbox.start(ECHO, folder=folder, view=sandbox.python())
        outside = sandbox.start(ECHO, folder=folder, view=sandbox.python(), trusted=True)
        with inside, outside:
            trips = [(trip(inside), trip(outside)) for _ in range(given.trips)]
        caged, bare = (statistics.median(column) for column in zip(*trips, strict=True))
        print(f"round trip: {caged:.1f} µs in the sandbox, {bare:.1f} µs bare: {caged - bare:.1f} µs more")


if __name__ == "__main__":
    main()
