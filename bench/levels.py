"""Calibrate the ten levels of the engine: evenly spaced in Elo, each 100 to 200 above the one below.

Plays how far to look ahead against how far to look ahead, in pairs of games from random openings: first over a coarse
row of sights, then, with the sights that this suggests, level against level; these matches are the figures. While a
step is outside its limits, the sights move to where these matches put even steps, and play again from other openings.
Level 10 is the full engine, here with a fixed number of positions per move, so that its Elo does not depend on the
machine; with more time it is stronger. Where the seat decides so many games that ten steps have no room (Cantris), both
games of a pair are one result, by their points together.
Where level 1 would beat beginners so, `--first` says how far it looks ahead; the others are evenly spaced above it.
Writes `levels.txt`. With `--mend` it begins with what is there: where a step is outside its limits, it moves one of the
two levels, so that this step and the next one are even, and plays these two steps again.
Run: .venv/bin/python bench/levels.py [--mend] [--games N] [--rounds N] [--notes FILE] [GAME ...]
An interrupted run goes on from its notes.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import re
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import ludus
from ludus.game import Game, game
from ludus.play.clock import Clock
from ludus.play.openings import opening
from ludus.players import player
from ludus.players.levels import FULL_STRENGTH, levels_file
from ludus.rating.bradley_terry import count, rate
from ludus.rating.statistics import Estimate, Score, count_games, elo

TOP_NODES = 30_000
SIGHTS = (0.001, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
COARSE_GAMES = 40
COARSE, ROUND = 100_000, 1000
"""The numbers of their openings: of the coarse row, and how many there are for each round."""
MENDING = 50
"""The first round of openings that mend a file."""
THREADS = 4
"""Games at a time: the engine thinks in a thread of its own, which a busy machine makes wait."""
LEAST_STEP, MOST_STEP = 100, 200
WANTED_STEP = 175
"""At most: where the range is smaller, steps are."""
ABOVE_RANDOM = 200
"""What level 1 is above `random`, at least."""
Knots = list[tuple[float, float]]
"""Sights and their Elo, ascending in both."""


def text_of(plies: float, seed: int) -> str:
    """Return the player with this sight; `random` at 0, the full engine without end."""
    if plies == 0:
        return f"random:seed={seed}"
    return f"engine:nodes={TOP_NODES}" if math.isinf(plies) else f"engine:plies={plies},seed={seed}"


class Meeting(NamedTuple):
    """What one sight scored against another."""

    games: Score
    boards: Score
    """Where each board counts once: both games, by their points together."""


class Notes:
    """The pairs that were played, in a file, so that an interrupted run goes on; the same pair is the same games."""

    def __init__(self, file: Path) -> None:
        self._file, self._lock = file, threading.Lock()
        lines = file.read_text().splitlines() if file.exists() else []
        self._known: dict[str, tuple[list[float], float]] = {key: tuple(found) for key, found in map(json.loads, lines)}

    def pair(self, made: Game, stronger: float, weaker: float, number: int) -> tuple[list[float], float]:
        """Return the points of both games of a pair, and by how much the first was ahead in both together."""
        key = f"{made.name} {stronger} {weaker} {number} {TOP_NODES}"
        if key not in self._known:
            found = self._known[key] = play_pair(made, stronger, weaker, number)
            with self._lock, self._file.open("a") as notes:
                notes.write(json.dumps((key, found)) + "\n")
        return self._known[key]

    def coarse(self, made: Game, unit: int) -> list[tuple[float, float, float]]:
        """Return the results of the coarse row: sights and points, by games or by boards."""
        found = []
        for key, (points, lead) in self._known.items():
            name, stronger, weaker, number, nodes = key.split()
            if int(number) >= COARSE and (name, nodes) == (made.name, str(TOP_NODES)):
                counted = [board(lead)] if unit else points
                halves = [
                    half for one in counted for half in (float(one > 0.5), float(one >= 0.5))
                ]  # a draw is one each
                found += [(float(stronger), float(weaker), half) for half in halves]
        return found


def board(lead: float) -> float:
    """Return the points for both games of a pair together."""
    return 0.5 if lead == 0 else float(lead > 0)


def play_pair(made: Game, stronger: float, weaker: float, number: int) -> tuple[list[float], float]:
    """Play an opening with both seatings."""
    points, lead = [], 0.0
    for seat in (0, 1):
        sights = (stronger, weaker) if seat == 0 else (weaker, stronger)
        seats = [player(text_of(plies, 2 * number + place)) for place, plies in enumerate(sights)]
        state, clock = opening(made, number), Clock().start()
        while state.outcome is None:
            state = state.play(seats[state.side].choose(state, clock))
        winner = state.outcome.winner
        points.append(0.5 if winner is None else float(winner == seat))
        lead += state.scores[seat] - state.scores[1 - seat] if state.scores else 2 * points[-1] - 1
    return points, lead


def meet(made: Game, stronger: float, weaker: float, numbers: range, notes: Notes) -> Meeting:
    """Play pairs of games and count them as the first sees it."""
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(lambda number: notes.pair(made, stronger, weaker, number), numbers))
    boards = ([board(lead)] for _, lead in found)
    return Meeting(count_games(points for points, _ in found), count_games(boards))


def bounded(score: Score) -> Estimate:
    """Return the Elo with an end on both sides: who won throughout is taken to have missed half a point."""
    most = elo(1 - 0.5 / score.games)
    return Estimate(*(max(-most, min(most, value)) for value in score.elo))


class Step(NamedTuple):
    """A sight, and what it is above the one below: by games, by boards."""

    sight: float
    elo: tuple[Estimate, Estimate]


def climb(made: Game, sights: Sequence[float], numbers: range, notes: Notes, lowest: float = 0.0) -> Iterator[Step]:
    """Play each sight against the one below, `random` below all."""
    for below, sight in itertools.pairwise((lowest, *sights)):
        met = meet(made, sight, below, numbers, notes)
        step = Step(sight, (bounded(met.games), bounded(met.boards)))
        shown = "; ".join(f"{elo.value:+.0f} ({elo.low:+.0f} to {elo.high:+.0f})" for elo in step.elo)
        print(f"{made.name} {sight:.3f} over {below:.3f}: {shown}", flush=True)
        yield step


def curve(results: Sequence[tuple[float, float, float]]) -> Knots:
    """Return all sights that have played with their Elo over `random`, from all results, made ascending."""
    ratings = rate(
        count((str(one), str(other), points) for one, other, points in results), anchors={"0.0": 0.0}, seats=False
    )
    blocks = [([sight], ratings[str(sight)].elo) for sight in sorted({one for one, _, _ in results} | {0.0})]
    at = 1
    while at < len(blocks):  # neighbours in the wrong order share their mean
        (low, low_elo), (high, high_elo) = blocks[at - 1 : at + 1]
        if high_elo > low_elo:
            at += 1
            continue
        mean = (low_elo * len(low) + high_elo * len(high)) / len(low + high)
        blocks[at - 1 : at + 1] = [(low + high, mean)]
        at = max(1, at - 1)
    return [(sum(sights) / len(sights), elo) for sights, elo in blocks]


def sums(steps: Sequence[Step], unit: int) -> Knots:
    """Return the sights with their Elo as the sum of the steps below; a step that went down stays level."""
    elos = itertools.accumulate(max(1.0, step.elo[unit].value) for step in steps)
    return [(0.0, 0.0), *((step.sight, elo) for step, elo in zip(steps, elos, strict=True))]


def spaced(knots: Knots, first: float | None) -> list[float]:
    """Return the sights of the ten levels: evenly spaced from the first, or from above `random`, to the full engine."""
    top = knots[-1][1]
    lowest = max(ABOVE_RANDOM, top - WANTED_STEP * (FULL_STRENGTH - 1)) if first is None else elo_at(knots, first)
    wanted = [lowest + (top - lowest) * index / (FULL_STRENGTH - 1) for index in range(FULL_STRENGTH - 1)]
    return [*(sight_at(knots, elo) for elo in wanted), math.inf]


def sight_at(knots: Knots, elo: float) -> float:
    """Return the sight of an Elo, on straight lines between the knots; beyond the last measured one, a little more."""
    for (low, low_elo), (high, high_elo) in itertools.pairwise(knots):
        if elo <= high_elo:
            share = (elo - low_elo) / (high_elo - low_elo)
            return max(SIGHTS[0], round(low + share * ((low + 2 if math.isinf(high) else high) - low), 3))
    raise AssertionError(elo)


def elo_at(knots: Knots, sight: float) -> float:
    """Return the Elo of a sight, on straight lines between the knots."""
    for (low, low_elo), (high, high_elo) in itertools.pairwise(knots):
        if sight <= high < math.inf:
            return low_elo + (high_elo - low_elo) * (sight - low) / (high - low)
    raise AssertionError(sight)


def calibrate(name: str, games: int, rounds: int, first: float | None, notes: Notes) -> None:
    """Find the levels of a game, and write its file: the round whose steps are nearest to their limits."""
    made, best = game(name), math.inf
    list(climb(made, (*SIGHTS, math.inf), range(COARSE, COARSE + COARSE_GAMES // 2), notes))
    room = curve(notes.coarse(made, 0))[-1][1] - ABOVE_RANDOM
    unit = int(made.initial().scores is not None and room < 1.2 * LEAST_STEP * (FULL_STRENGTH - 1))
    knots = curve(notes.coarse(made, unit))
    for number in range(rounds):
        begin, pairs = ROUND * number, games if unit else games // 2
        sights = spaced(knots, first)
        print(f"{name}, by {UNITS[unit]}: {sights}", flush=True)
        steps = list(climb(made, sights, range(begin, begin + pairs), notes))
        text = written(steps, games, unit)
        print(f"{name}, round {number + 1}\n{text}", flush=True)
        knots = sums(steps, unit)
        missed = sum(outside(step.elo[unit].value) for step in steps[1:])
        if missed < best:
            best = missed
            levels_file(name).write_text(text)
        if not missed:
            break


def mend(name: str, rounds: int, notes: Notes) -> None:
    """Move single levels of a game's file until no step is outside its limits."""
    made, file = game(name), levels_file(name)
    steps, games, unit = read(file.read_text())
    pairs = games if unit else games // 2
    for number in range(MENDING, MENDING + rounds):
        sizes = [step.elo[unit].value for step in steps]
        worst = max(range(1, FULL_STRENGTH), key=lambda at: outside(sizes[at]))
        if not outside(sizes[worst]):
            break
        near = [at for at in (worst - 1, worst + 1) if 0 <= at < FULL_STRENGTH]
        other = (max if sizes[worst] < LEAST_STEP else min)(near, key=lambda at: sizes[at])
        moved, knots = min(worst, other), sums(steps, unit)  # the level between the two steps
        sights = [step.sight for step in steps]
        sights[moved] = sight_at(knots, knots[moved][1] + (sizes[worst] + sizes[other]) / 2)
        print(f"{name}: level {moved + 1} from {steps[moved].sight} to {sights[moved]}", flush=True)
        for at in (moved, moved + 1):
            below = sights[at - 1] if at else 0.0
            numbers = range(ROUND * number, ROUND * number + pairs)
            (steps[at],) = climb(made, [sights[at]], numbers, notes, below)
        file.write_text(written(steps, games, unit))


def outside(step: float) -> float:
    """Return how far a step is outside its limits."""
    return max(0.0, LEAST_STEP - step, step - MOST_STEP)


def read(text: str) -> tuple[list[Step], int, int]:
    """Return the steps of a file, the number of games of each, and what was counted."""
    said = re.search(r": (\d+) (games|boards)", text)
    assert said is not None, "the file says how it was measured"
    rows = [[float(word) for word in line.split()] for line in text.splitlines() if not line.startswith("#")]
    sizes = [elo - below for below, elo in itertools.pairwise([0.0, *(row[2] for row in rows)])]
    found = [Estimate(size, low, high) for size, (_, _, _, low, high) in zip(sizes, rows, strict=True)]
    steps = [Step(row[1], (elo, elo)) for row, elo in zip(rows, found, strict=True)]
    return steps, int(said[1]), int(said[2] == "boards")


UNITS = ("games", "boards (both seats, points added)")


def written(steps: Sequence[Step], games: int, unit: int) -> str:
    """Return the file."""
    head = (
        "# The levels of the engine: plies that it looks ahead (below 1, the share of its moves that it sees),\n"
        "# Elo (random is 0), and how far it is above the level below, 95%: at least, at most.\n"
        f"# Measured by bench/levels.py: {games} {UNITS[unit]} a step, level 10 with {TOP_NODES} positions a move.\n"
        "# Levels were moved, and their steps played again, until each step fell within 100 to 200:\n"
        "# steps near these limits are flattered, and their intervals do not know of it.\n"
    )
    elo, rows = 0.0, []
    for level, (sight, step) in enumerate(steps, 1):
        elo += step[unit].value
        rows.append(f"{level} {sight} {elo:.0f} {step[unit].low:.0f} {step[unit].high:.0f}\n")
    return head + "".join(rows)


def main() -> None:
    """Calibrate the games that are named, or all."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("games", nargs="*", default=ludus.games(), metavar="GAME")
    arguments.add_argument("--games", dest="count", type=int, default=200, help="games a step")
    arguments.add_argument("--rounds", type=int, default=4)
    arguments.add_argument("--first", type=float, metavar="PLIES", help="how far level 1 looks ahead")
    arguments.add_argument("--notes", type=Path, default=Path("build/levels.jsonl"), help="where played games are kept")
    arguments.add_argument(
        "--mend", action="store_true", help="move only the levels whose steps are outside the limits"
    )
    chosen = arguments.parse_args()
    for name in chosen.games:
        if chosen.mend:
            mend(name, chosen.rounds, Notes(chosen.notes))
        else:
            calibrate(name, chosen.count, chosen.rounds, chosen.first, Notes(chosen.notes))


if __name__ == "__main__":
    main()
