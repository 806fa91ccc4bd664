"""Matches in The Fruit Rage: pairs of games on one board with the seats swapped, and what each pair came to.

The first to move takes the largest group of the board, and on most boards that alone decides who wins a game between
near equals. So a match is read by its pairs: the margins of both games, added, cancel what the seat was worth.

    python bench/fruit_rage.py                                       engine:seconds=0.1 and alphabeta:depth=4
    python bench/fruit_rage.py --size 26 --types 9 --clock 20 --first engine --second greedy
    python bench/fruit_rage.py --exact --seconds 1                   from where on it proves what it plays
    python bench/fruit_rage.py --fit --seconds 0.01                  what part of the alternating sum a search confirms
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

import ludus
from ludus.game import NativeGame
from ludus.play.clock import Clock
from ludus.players import player
from ludus.search.analysis import Engine, Limits

if TYPE_CHECKING:
    from ludus.game import Game, State

FEWEST_GROUPS = 6
"""Positions with fewer groups are proven at once; no evaluation is asked."""


class Played(NamedTuple):
    """A game as the measured player saw it."""

    margin: int
    seconds: float
    left: float | None
    """On its clock."""


def play(game: Game, seed: int, texts: tuple[str, str], seat: int, clock: Clock) -> Played:
    """Play one game, the first of the texts in that seat and by the clock; the other takes its time."""
    measured, other = (player(text) for text in texts)
    state, left, spent = game.initial(seed), clock.start(), 0.0
    while state.outcome is None:
        if state.side != seat:
            state = state.play(other.choose(state, Clock().start()))
            continue
        began = time.monotonic()
        move = measured.choose(state, left)
        taken = time.monotonic() - began
        after = left.after(taken)
        if after is None:
            sys.exit(f"{texts[0]} overstepped its clock on board {seed}: {taken:.3f} s with {left.seconds:.3f} s left")
        state, left, spent = state.play(move), after, spent + taken
    assert state.scores is not None
    return Played(state.scores[seat] - state.scores[1 - seat], spent, left.bank)


def play_pairs(game: Game, texts: tuple[str, str], clock: Clock, pairs: int, seed: int) -> None:
    """Play the pairs and print each, then the sums."""
    played: list[tuple[Played, Played]] = []
    for board in range(seed, seed + pairs):
        pair = tuple(play(game, board, texts, seat, clock) for seat in (0, 1))
        played.append((pair[0], pair[1]))
        ahead, behind = pair[0].margin, pair[1].margin
        print(f"board {board}: {ahead:+d} as first, {behind:+d} as second, {ahead + behind:+d} together", flush=True)
    sums = [first.margin + second.margin for first, second in played]
    games = [each for pair in played for each in pair]
    won, lost = sum(each > 0 for each in sums), sum(each < 0 for each in sums)
    points = sum(0.5 if each.margin == 0 else each.margin > 0 for each in games)
    print(f"{texts[0]} against {texts[1]}: pairs {won} won, {lost} lost of {pairs}; games {points:g} of {2 * pairs}")
    longest = max(each.seconds for each in games)
    print(f"mean margin {sum(sums) / len(games):+.1f} points; at most {longest:.1f} s for a game")
    if clock.bank is not None:
        print(f"least left on the clock {min(each.left or 0.0 for each in games):.1f} s of {clock.bank:g}")


def exact_from(game: NativeGame, seconds: float, boards: int, seed: int) -> None:
    """Let the engine play both sides and print when its answers became proofs for good."""
    engine = Engine(game, 256)
    for board in range(seed, seed + boards):
        state: State = game.initial(board)
        ply = first = groups = 0
        while state.outcome is None:
            found = engine.think(state, Limits(seconds=seconds))
            if not found.exact:
                first, groups = ply + 1, 0
            elif groups == 0:
                groups = len(state.legal_moves)
            state = state.play(found.move)
            ply += 1
        print(f"board {board}: exact from move {first + 1} of {ply}, {groups} groups left", flush=True)


def fit(game: NativeGame, seconds: float, boards: int, seed: int) -> None:
    """Fit the evaluation's one weight: the least squares slope of what a search finds over the plain evaluation.

    Every eighth move is a random one, so that the positions are not all of one kind.
    """
    engine, chooser = Engine(game, 64), random.Random(seed)
    plain: list[int] = []
    deep: list[float] = []
    for board in range(seed, seed + boards):
        state = game.initial(board)
        while state.outcome is None:
            found = engine.think(state, Limits(seconds=seconds))
            if len(state.legal_moves) >= FEWEST_GROUPS:
                plain.append(state.evaluation)
                deep.append(found.value)
            state = state.play(chooser.choice(state.legal_moves) if chooser.random() < 1 / 8 else found.move)
    slope = sum(x * y for x, y in zip(plain, deep, strict=True)) / sum(x * x for x in plain)
    print(f"{slope:.2f} of the alternating sum, from {len(plain)} positions")


def main() -> None:
    """Read the options and play."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=10)
    parser.add_argument("--types", type=int, default=4)
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1, help="of the first board")
    parser.add_argument("--first", default="engine:seconds=0.1", help="the player to be measured")
    parser.add_argument("--second", default="alphabeta:depth=4")
    parser.add_argument("--clock", default="none", help="of the player to be measured, as in '20'")
    parser.add_argument("--exact", action="store_true", help="no match: where proofs begin")
    parser.add_argument("--fit", action="store_true", help="no match: fit the weight of the evaluation")
    parser.add_argument("--seconds", type=float, default=1.0, help="a move, with --exact and --fit")
    given = parser.parse_args()
    game = ludus.game("fruit-rage", size=given.size, types=given.types)
    assert isinstance(game, NativeGame)
    if given.exact:
        exact_from(game, given.seconds, given.pairs, given.seed)
    elif given.fit:
        fit(game, given.seconds, given.pairs, given.seed)
    else:
        play_pairs(game, (given.first, given.second), Clock.parse(given.clock), given.pairs, given.seed)


if __name__ == "__main__":
    main()
