"""Measure the fixed points of the ladders: how strong the players of ours are that stand on them from the start.

Everyone meets everyone in pairs of games from random openings; `random` is 0 Elo, and the levels of the engine have the
Elo of `levels.txt`, so that a ladder and *Play* say the same of them. Writes `ladder.txt` of each game.
Run: .venv/bin/python bench/ladder.py [--pairs N] [GAME ...]
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

import ludus
from ludus.game import game
from ludus.play.openings import opening
from ludus.players import play_match
from ludus.players.levels import levels
from ludus.rating.bradley_terry import count, rate

LEVELS = {f"engine:level={level}": level for level in (1, 3, 5, 7, 9)}
POINTS = ("random", "greedy", "minimax:depth=2", *LEVELS)


def measure(name: str, pairs: int) -> str:
    """Play, rate, and give the text of the file."""
    made, played = game(name), []
    texts = (*POINTS, *made.course.ladder)
    for number, (one, other) in enumerate(itertools.combinations(texts, 2)):
        for pair in range(pairs):
            start = opening(made, 1000 * number + pair)
            for seats in ((one, other), (other, one)):
                winner = play_match(made, seats, start=start).outcome.winner  # type: ignore[union-attr]
                played.append((*seats, 0.5 if winner is None else float(winner == 0)))
    known = {text: levels(name)[level - 1].elo for text, level in LEVELS.items()}
    ratings = rate(
        count(played), anchors={"random": 0.0, **{text: elo for text, elo in known.items() if elo is not None}}
    )
    head = (
        f"# The players of ours on the ladder, the strongest first, with their Elo; random is 0.\n"
        f"# Measured by bench/ladder.py: {len(played)} games, everyone against everyone in {pairs} pairs.\n"
    )
    return head + "".join(f"{text} {rating.elo:.0f}\n" for text, rating in ratings.items())


def main() -> None:
    """Measure the games that are named, or all."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("games", nargs="*", default=ludus.games())
    arguments.add_argument("--pairs", type=int, default=3)
    chosen = arguments.parse_args()
    for name in chosen.games:
        text = measure(name, chosen.pairs)
        Path(ludus.__file__).parent.joinpath("games", name.replace("-", "_"), "ladder.txt").write_text(text)
        print(f"{name}\n{text}")


if __name__ == "__main__":
    main()
