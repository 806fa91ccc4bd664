"""What the sandbox costs, side by side: starting a program in it and bare; a line's round trip in it and bare, and
with and without the pause in the opponent's turn; and what an opponent loses to a neighbour that burns every core.

bench/sandbox.py [--starts 40] [--trips 5000] [--rounds 10]
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
TURN_SECONDS = 0.5
WORKER = f"""
import sys, time
for line in sys.stdin:
    until, count = time.monotonic() + {TURN_SECONDS}, 0
    while time.monotonic() < until: count += 1
    print(count, flush=True)
"""
BURNER = """
import os, sys
sys.stdin.readline()
print("done", flush=True)
if sys.argv[1] == "burn":
    for _ in range(os.cpu_count() or 1):
        if os.fork() == 0: break
    while True: pass
sys.stdin.readline()
"""
"""Answers, and then keeps every core busy, or waits to be asked again."""


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


def python(text: str, *words: str, pondering: bool = False) -> sandbox.Process:
    """Start a Python program in the sandbox."""
    return sandbox.start(("python3", "-c", text, *words), view=sandbox.python(), pondering=pondering)


def ask(process: sandbox.Process) -> str:
    """Ask a program, as in a turn of its own."""
    process.start_clock()
    process.send("go\n")
    line = process.line(LIMIT)
    process.answered()
    return line


def work_beside(worker: sandbox.Process, how: str, *, pondering: bool) -> int:
    """Let a program work beside another whose turn it is not; give what it got done."""
    with python(BURNER, how, pondering=pondering) as neighbour:
        ask(neighbour)
        time.sleep(0.05)
        return int(ask(worker))


def main() -> None:
    """Measure both, turn by turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=40)
    parser.add_argument("--trips", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=10)
    given = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        pairs = [(start(folder, trusted=False), start(folder, trusted=True)) for _ in range(given.starts)]
        caged, bare = (statistics.median(column) for column in zip(*pairs, strict=True))
        print(f"start: {caged:.1f} ms in the sandbox, {bare:.1f} ms bare: {caged - bare:.1f} ms more")
        inside = sandbox.start(ECHO, folder=folder, view=sandbox.python())
        outside = sandbox.start(ECHO, folder=folder, view=sandbox.python(), trusted=True)
        free = sandbox.start(ECHO, folder=folder, view=sandbox.python(), pondering=True)
        with inside, outside, free:
            trips = [(trip(inside), trip(free), trip(outside)) for _ in range(given.trips)]
        caged, unpaused, bare = (statistics.median(column) for column in zip(*trips, strict=True))
        print(f"round trip: {caged:.1f} µs in the sandbox, {bare:.1f} µs bare: {caged - bare:.1f} µs more")
        print(f"round trip: {unpaused:.1f} µs where it may ponder: the pause costs {caged - unpaused:.1f} µs")
    with python(WORKER) as worker:
        ask(worker)
        rounds = [
            (
                work_beside(worker, "wait", pondering=False),
                work_beside(worker, "burn", pondering=False),
                work_beside(worker, "burn", pondering=True),
            )
            for _ in range(given.rounds)
        ]
    quiet, paused, pondering = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"work beside a neighbour that burns: {paused / quiet:.0%} where it is paused, {pondering / quiet:.0%} not")


if __name__ == "__main__":
    main()
