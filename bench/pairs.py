"""A match of pairs: the same random opening, or the same random board, played with the seats swapped.

python bench/pairs.py chain-reaction engine:seconds=0.1 rlawrenc heithoff 106062130 noLook
python bench/pairs.py magnetic-cave engine:seconds=0.1 alphabeta:depth=6 --records not_won.txt
python bench/pairs.py cantris engine:level=4 engine:level=3 --games 40
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING

import ludus
from ludus.game import read_options
from ludus.players import player

if TYPE_CHECKING:
    from ludus.game import Game, State
    from ludus.play.record import Record


def opening(game: Game, seed: int, plies: int) -> State:
    """Give a start of its own for each pair: random moves, or where boards are random the board alone."""
    chooser = random.Random(seed)
    state = game.initial(seed)
    for _ in range(plies if state.scores is None else 0):
        state = state.play(chooser.choice(state.legal_moves))
    return state


def main() -> None:
    """Print a line an opponent as it is done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=ludus.games())
    parser.add_argument("player", help="whose score is counted, such as engine:seconds=0.1")
    parser.add_argument("opponents", nargs="+")
    parser.add_argument("--option", action="append", default=[], help="of the game, name=value; may be repeated")
    parser.add_argument("--games", type=int, default=100, help="against each opponent, an even number (100)")
    parser.add_argument("--opening", type=int, default=4, help="random moves before a game without points (4)")
    parser.add_argument("--seed", type=int, default=0, help="of the first opening (0)")
    parser.add_argument("--clock", default="none")
    parser.add_argument("--records", type=Path, help="a file to write the games that were not won to")
    asked = parser.parse_args()
    game = ludus.game(asked.game, **read_options(asked.option))
    player(asked.player, game)
    not_won: list[Record] = []
    print(f"{'player':<24}{'opponent':<24}{'won':>5}{'drawn':>6}{'lost':>5}{'points':>8}{'margin':>8}{'minutes':>9}")
    for opponent in asked.opponents:
        count, margin, began = {1.0: 0, 0.5: 0, 0.0: 0}, 0, time.monotonic()
        for number in range(asked.games):
            seat = number % 2
            seats = (asked.player, opponent) if seat == 0 else (opponent, asked.player)
            start = opening(game, asked.seed + number // 2, asked.opening)
            record = ludus.play_match(game, seats, asked.clock, start=start)
            assert record.outcome is not None
            won = 0.5 if record.outcome.winner is None else float(record.outcome.winner == seat)
            count[won] += 1
            scores = record.final.scores or (0, 0)
            margin += scores[seat] - scores[1 - seat]
            if won < 1:
                not_won.append(record)
        minutes, points = (time.monotonic() - began) / 60, count[1.0] + count[0.5] / 2
        row = f"{count[1.0]:>5}{count[0.5]:>6}{count[0.0]:>5}{points:>8g}{margin / asked.games:>+8.1f}{minutes:>9.1f}"
        print(f"{asked.player:<24}{opponent:<24}{row}", flush=True)
    if asked.records:
        asked.records.write_text("\n".join(record.text for record in not_won), encoding="utf-8")


if __name__ == "__main__":
    main()
