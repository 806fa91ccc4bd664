"""What formats and ratings cost, in CPU time: pairing 500 players, keeping a table of 200, rating 200.

Prints seconds a round, and as a ratio what it would cost to make a table again from the first result each time.
"""

from __future__ import annotations

import random
import time
from itertools import permutations
from typing import TYPE_CHECKING, Any

from ludus import formats
from ludus.rating.bradley_terry import rate

if TYPE_CHECKING:
    from ludus.formats import Pairing, Result


def play(pairing: Pairing, strength: dict[str, float], rng: random.Random) -> Result:
    """Let the stronger win more often."""
    lead = strength[pairing.first] - strength[pairing.second] + rng.gauss(0, 0.7)
    return pairing.result(2) if lead > 0.2 else pairing.result(losses=2) if lead < -0.2 else pairing.result(1, 0, 1)


def run(name: str, size: int, **options: Any) -> None:
    """Play a tournament, and print what its schedule cost in all, a round, and in the slowest call."""
    entries = [f"p{index}" for index in range(size)]
    rng = random.Random(1)
    strength = {entry: rng.gauss(0, 1) for entry in entries}
    start = time.process_time()
    schedule = formats.find(name)(entries, seed=1, **options)
    calls = [time.process_time() - start]
    while not schedule.finished:
        for pairing in list(schedule.playable.values()):
            result = play(pairing, strength, rng)
            start = time.process_time()
            schedule.add(result)
            calls.append(time.process_time() - start)
    start = time.process_time()
    schedule.standings()
    table = time.process_time() - start
    print(
        f"{name} {size}{f' {options}' if options else ''}: {len(calls) - 1} pairings, {sum(calls):.3f} s in all, "
        f"{1000 * sum(calls) / schedule.round:.1f} ms a round, slowest call {1000 * max(calls):.1f} ms, "
        f"standings {1000 * table:.1f} ms; built again {1000 * rebuilt(schedule):.0f} ms, "
        f"{rebuilt(schedule) * (len(calls) - 1) / sum(calls):.0f} times the cost"
    )


def rebuilt(schedule: formats.Schedule) -> float:
    """Measure what making the schedule again from all results costs."""
    start = time.process_time()
    type(schedule)(schedule.entries, seed=1, results=schedule.results.values())
    return time.process_time() - start


def main() -> None:
    """Measure what tournaments of the largest fields cost."""
    run("swiss", 500)
    run("double-elimination", 500)
    run("knockout", 500)
    run("ladder", 500, rounds=50)
    run("round-robin", 200)
    rng = random.Random(2)
    outcomes = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    counts = {pair: rng.choice(outcomes) for pair in permutations([f"p{index}" for index in range(200)], 2)}
    rate(dict(list(counts.items())[:10]))  # imports
    start = time.process_time()
    rate(counts)
    print(f"rating 200 players, {len(counts)} games: {time.process_time() - start:.2f} s")


if __name__ == "__main__":
    main()
