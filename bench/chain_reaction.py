"""The engine against Chain Reaction's named opponents: games from random openings, each opening from both seats.

python bench/chain_reaction.py --games 100 --seconds 0.1
python bench/chain_reaction.py --player engine:nodes=100000 --opponent rlawrenc --records lost.txt
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING

import ludus
from ludus.match import play_match

if TYPE_CHECKING:
    from ludus.game import Game, State

OPPONENTS = ("rlawrenc", "heithoff", "106062130", "noLook")
OPENING_PLIES = 4


def opening(game: Game, seed: int) -> State:
    """Give the position after random moves."""
    chooser = random.Random(seed)
    state = game.initial()
    for _ in range(OPENING_PLIES):
        state = state.play(chooser.choice(state.legal_moves))
    return state


def main() -> None:
    """Print a line an opponent as it is done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.1, help="the engine's time a move (0.1)")
    parser.add_argument("--player", help="another player in the engine's place, such as engine:nodes=100000")
    parser.add_argument("--games", type=int, default=100, help="games against each opponent, an even number (100)")
    parser.add_argument("--seed", type=int, default=0, help="of the first opening (0)")
    parser.add_argument("--opponent", action="append", help="an opponent, instead of all; may be repeated")
    parser.add_argument("--explosion", default="empties", help="the rule of explosions (empties)")
    parser.add_argument("--records", type=Path, help="a file to write the games that were not won to")
    asked = parser.parse_args()
    hero = asked.player or f"engine:seconds={asked.seconds:g}"
    game = ludus.game("chain-reaction", explosion=asked.explosion)
    records = []
    print(f"{'player':<28}{'opponent':<28}{'games':>6}{'score':>8}{'plies':>7}{'minutes':>9}")
    for opponent in asked.opponent or OPPONENTS:
        score, plies, began = 0.0, 0, time.monotonic()
        for number in range(asked.games):
            seat = number % 2
            players = (hero, opponent) if seat == 0 else (opponent, hero)
            record = play_match(game, players, start=opening(game, asked.seed + number // 2))
            assert record.outcome is not None
            won = 0.5 if record.outcome.winner is None else float(record.outcome.winner == seat)
            score += won
            plies += OPENING_PLIES + len(record.moves)
            if won < 1:
                records.append(record)
        minutes = (time.monotonic() - began) / 60
        print(
            f"{hero:<28}{opponent:<28}{asked.games:>6}{score:>8g}{plies / asked.games:>7.1f}{minutes:>9.1f}", flush=True
        )
    if asked.records:
        asked.records.write_text("\n".join(record.text for record in records), encoding="utf-8")


if __name__ == "__main__":
    main()
