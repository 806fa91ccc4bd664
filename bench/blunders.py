"""Whether the engine ever gives away what is proven: its moves, each under a judge with a hundred times the time.

python bench/blunders.py magnetic-cave --games 200 --seconds 1
python bench/blunders.py magnetic-cave --games 20 --nodes 20000 --opponent alphabeta:depth=6 --opponent ./older-version

The engine plays numbered openings, each from both seats, against one opponent after the other. Then the judge, an
engine with one table for the whole game, goes through it from the end, since the proof of a later position helps with
the one before; once a few in a row resist it, the rest is left out. A move is printed when the position before it is
proven to be worth more than the one after it: `1` a win, `0` a tie, `-1` a loss; points with `--objective margin`.
Ctrl-C ends it with what was found until then.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import ludus
from ludus.play.openings import opening
from ludus.players import play_match
from ludus.search.analysis import OBJECTIVES, Engine, SearchLimits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ludus.play.record import Record
    from ludus.search.result import Analysis

OPPONENTS = ("alphabeta:depth=6", "mcts", "engine:level=9")


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=ludus.games())
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="number of the first opening")
    parser.add_argument("--plies", type=int, default=4, help="random plies of an opening")
    parser.add_argument("--seconds", type=float, default=1.0, help="what the engine has for a move")
    parser.add_argument("--nodes", type=int, default=0, help="nodes for a move instead: the same games every time")
    parser.add_argument("--times", type=float, default=100.0, help="how many times as much the judge has")
    parser.add_argument("--patience", type=int, default=2, help="positions in a row that the judge may fail to prove")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no game after that")
    parser.add_argument("--threads", type=int, default=1, help="threads of the judge")
    parser.add_argument("--megabytes", type=int, default=512, help="the judge's table")
    parser.add_argument("--objective", choices=OBJECTIVES, default="win")
    parser.add_argument("--opponent", action="append", help=f"any player; unless given {', '.join(OPPONENTS)}")
    return parser.parse_args()


def judged(states: Sequence[Any], judge: Engine, limits: SearchLimits, patience: int) -> dict[int, Analysis]:
    """Return what is proven of the positions of a game, by their number."""
    proven: dict[int, Analysis] = {}
    failed = 0
    judge.clear()
    for number in reversed(range(len(states))):
        if states[number].outcome is None:
            found = judge.think(states[number], limits)
            if found.exact:
                proven[number] = found
            failed = 0 if found.exact else failed + 1
            if failed == patience:
                break
    return proven


def worth(state: Any, after: Any, answer: Analysis | None, objective: str) -> float | None:
    """Return the proven worth of a move to its mover, None where it is not proven."""
    points = objective == "margin" and state.scores is not None
    gained = after.scores[state.side] - state.scores[state.side] if points else 0
    if after.outcome is not None:
        winner = after.outcome.winner
        return float(gained if points else 0 if winner is None else 1 if winner == state.side else -1)
    return None if answer is None else gained + (answer.value if after.side == state.side else -answer.value)


def blunders(record: Record, proven: dict[int, Analysis], side: int, objective: str) -> Iterator[tuple[int, str]]:
    """Yield each move of a side that gave something away: its number, and a sentence."""
    states = record.states()
    for number, before in sorted(proven.items()):
        state, after = states[number], states[number + 1]
        value = worth(state, after, proven.get(number + 1), objective)
        if state.side == side and value is not None and value < before.value:
            move = record.moves[number].move
            yield (
                number + 1,
                f"{move} is worth {value:+g}, {before.move} {before.value:+g} in {state.text}",
            )


def main() -> None:
    """Play, judge, and print."""
    asked = parse()
    game: Any = ludus.game(asked.game)
    limit = f"nodes={asked.nodes}" if asked.nodes else f"seconds={asked.seconds}"
    engine = f"engine:{limit},objective={asked.objective}"
    limits = SearchLimits(
        seconds=math.inf if asked.nodes else asked.times * asked.seconds,
        nodes=int(asked.times * asked.nodes),
        threads=asked.threads,
        objective=asked.objective,
    )
    judge = Engine(game, asked.megabytes)
    opponents = asked.opponent or OPPONENTS
    seen: Counter[str] = Counter()
    until = time.monotonic() + 60 * asked.minutes
    try:
        for number in range(asked.games):
            if time.monotonic() > until:
                break
            side, opponent = number % 2, opponents[number // 2 % len(opponents)]
            seats = (opponent, engine) if side else (engine, opponent)
            record = play_match(game, seats, start=opening(game, asked.first + number // 2, asked.plies))
            winner = record.final.outcome.winner if record.final.outcome is not None else None
            end = "drawn" if winner is None else "won" if winner == side else "lost"
            proven = judged(record.states(), judge, limits, asked.patience)
            own = [ply for ply, state in enumerate(record.states()[:-1]) if state.side == side]
            seen.update({"games": 1, end: 1, "moves": len(own), "proven": sum(ply in proven for ply in own)})
            for ply, what in blunders(record, proven, side, asked.objective):
                seen["blunders"] += 1
                print(f"game {number + 1}, {end} against {opponent}, move {ply}: {what}", flush=True)
            if end == "lost" and proven:
                earliest = record.states()[min(proven)].text
                print(f"game {number + 1}, lost against {opponent}, proven from here on: {earliest}", flush=True)
    except KeyboardInterrupt:
        print("interrupted")
    print(
        f"{seen['blunders']} blunders in {seen['games']} games of {engine}: {seen['won']} won, {seen['drawn']} drawn, "
        f"{seen['lost']} lost; {seen['proven']} of {seen['moves']} moves were made in positions that the judge proved"
    )


if __name__ == "__main__":
    main()
