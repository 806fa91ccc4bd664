"""Plies per second of random play and of perft, each game beside its Python reference in the same run."""

from __future__ import annotations

import importlib
import random
import time
from typing import Any

import ludus


def seconds(work: Any) -> tuple[int, float]:
    """Run `work`, which gives a number of plies; that number and the CPU seconds it took."""
    start = time.process_time()
    plies = work()
    return plies, time.process_time() - start


def reference_games(name: str, games: int) -> int:
    """Play random games with the slow twin."""
    module = importlib.import_module(f"ludus.games.{name.replace('-', '_')}.reference")
    game, chooser, plies = ludus.game(name), random.Random(1), 0
    for seed in range(games):
        state = module.Reference.parse(game.initial(seed).text, **game.options)
        while moves := state.legal_moves:
            state = state.play(chooser.choice(moves))
            plies += 1
    return plies


def perft_plies(game: Any, depth: int) -> int:
    """Count the plies that a perft of that depth plays."""
    state = game.initial(seed=1)
    return sum(game.perft(state, d) for d in range(1, depth + 1))


def main() -> None:
    """Print the table."""
    print(f"{'game':<16}{'random plies/s':>16}{'reference':>12}{'ratio':>8}{'perft plies/s':>16}")
    for name in ludus.games():
        game: Any = ludus.game(name)
        plies, taken = seconds(lambda game=game: game.random_plies(20_000, 1))
        twin_plies, twin_taken = seconds(lambda name=name: reference_games(name, 5))
        depth = 3
        while (counted := seconds(lambda game=game, depth=depth: perft_plies(game, depth)))[1] < 0.3:
            depth += 1
        fast, slow = plies / taken, twin_plies / twin_taken
        print(f"{name:<16}{fast:>16,.0f}{slow:>12,.0f}{fast / slow:>8,.0f}{counted[0] / counted[1]:>16,.0f}")


if __name__ == "__main__":
    main()
