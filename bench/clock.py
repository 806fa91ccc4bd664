"""Whether the engine ever oversteps: moves at limits from 0.05 to 3 s while other processes keep every core busy.

python bench/clock.py --moves 2000
python bench/clock.py --games 8 --bank 5 --burners 16

The second plays whole games of The Fruit Rage, 26x26 with 9 types, from a bank.

Beside the engine stands a process that only sleeps. Where it too was held up for as long as a move was late, the
machine stood still for everybody, which no margin covers; such moves are counted apart.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import time
from typing import TYPE_CHECKING

import ludus
from ludus.play.clock import Clock
from ludus.play.match import Match
from ludus.players import player
from ludus.search.bench import positions

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

MARGIN = 0.05
"""What the limit leaves for the start of a process and the delay of a referee; not counted where it is most of it."""


def burn() -> None:
    """Keep a core busy."""
    while True:
        pass


NAP = 0.005
HELD_UP = 0.02


def sleep_on(tell: Connection) -> None:
    """Tell (from, to) whenever a nap took much longer than it should."""
    while True:
        began = time.monotonic()
        time.sleep(NAP)
        if time.monotonic() - began > NAP + HELD_UP:
            tell.send((began + NAP, time.monotonic()))


def play_games(games: int, bank: str, threads: int, heard: Connection) -> None:
    """Print how each game ended for the engine, what it had left, and its longest move beside the longest nap."""
    for number in range(games):
        match = Match(ludus.game("fruit-rage", size=26, types=9).initial(number // 2), clock=Clock.parse(bank))
        seats = [player(f"engine:threads={threads}"), player("random:seed=1")]
        own = number % 2
        match.run(seats[::-1] if own else seats)
        assert match.outcome is not None
        longest = max(move.seconds or 0.0 for move in match.record.moves[own::2])
        napped = 0.0
        while heard.poll():
            since, to = heard.recv()
            napped = max(napped, to - since)
        lost = match.outcome == ludus.Outcome(1 - own, "timeout")
        left = 0.0 if lost else match.time_left(own).bank or 0.0
        print(
            f"game {number + 1}: {'lost on time' if lost else 'kept its bank'} with {left:.2f} s left after "
            f"{len(match.record.moves)} moves; longest move {longest:.2f} s, longest nap {napped:.2f} s",
            flush=True,
        )


def main() -> None:
    """Print how many moves were late, and by how much the nearest one was not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=1, help="of the engine")
    parser.add_argument("--games", type=int, default=0, help="whole games from a bank instead of moves")
    parser.add_argument("--bank", default="5", help="the clock of those games")
    parser.add_argument("--burners", type=int, default=os.cpu_count() or 1, help="processes that keep cores busy")
    asked = parser.parse_args()
    heard, tell = multiprocessing.Pipe(duplex=False)
    others = [multiprocessing.Process(target=burn, daemon=True) for _ in range(asked.burners)]
    others.append(multiprocessing.Process(target=sleep_on, args=(tell,), daemon=True))
    for other in others:
        other.start()
    if asked.games:
        play_games(asked.games, asked.bank, asked.threads, heard)
        for other in others:
            other.kill()
        return
    chooser = random.Random(1)
    starts = [state for name in ludus.games() for state in positions(name)]
    thinkers = {name: player(f"engine:threads={asked.threads}") for name in ludus.games()}
    naps: list[tuple[float, float]] = []
    late, near, excused, nearest = 0, 0, 0, 10.0
    for _ in range(asked.moves):
        limit = 0.05 * 60 ** chooser.random()
        state = chooser.choice(starts)
        began = time.monotonic()
        thinkers[state.game.name].choose(state, Clock(per_move=limit).start())
        ended = time.monotonic()
        left = began + limit - ended
        missing = (MARGIN if limit > 3 * MARGIN else 0.0) - left
        if missing > 0:
            time.sleep(2 * NAP)
            while heard.poll():
                naps.append(heard.recv())
            held_up = sum(max(0.0, min(to, ended) - max(since, began)) for since, to in naps)
            line = f"{state.game.name}: {1000 * left:.1f} ms left of {1000 * limit:.0f} ms"
            print(f"{line}; a sleeper was held up for {1000 * held_up:.1f} ms of it", flush=True)
            excused += held_up >= missing
            late, near = late + (left < 0 and held_up < missing), near + (left >= 0 and held_up < missing)
        if missing <= 0 or held_up < missing:
            nearest = min(nearest, left)
    for other in others:
        other.kill()
    print(
        f"{asked.moves} moves: {late} late; {near} within {1000 * MARGIN:.0f} ms of a limit above {3 * MARGIN:g} s; "
        f"{excused} while the machine stood still; the nearest of the others had {1000 * nearest:.1f} ms left"
    )


if __name__ == "__main__":
    main()
