"""Matches in The Fruit Rage: pairs of games on one board with the seats swapped, and what each pair came to.

The first to move takes the largest group of the board, and on most boards that alone decides who wins a game between
near equals. So a match is read by its pairs: the margins of both games, added, cancel what the seat was worth.

    python bench/fruit_rage.py                                       engine:seconds=0.1 and alphabeta:depth=4
    python bench/fruit_rage.py --size 26 --types 9 --clock 20 --first engine --second greedy
    python bench/fruit_rage.py --exact --seconds 1                   from where on it proves what it plays
    python bench/fruit_rage.py --proven 24 --types 5 --pairs 40      how many endgames with 24 groups left it proves
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
from ludus.players import play_match
from ludus.search.analysis import Engine, SearchLimits

if TYPE_CHECKING:
    from ludus.game import State

FEWEST_GROUPS = 6
"""Positions with fewer groups are proven at once; no evaluation is asked."""


class Game(NamedTuple):
    """A game as the measured player saw it."""

    margin: int
    seconds: float


def play(game: NativeGame, board: int, players: tuple[str, str], seat: int, clock: str) -> Game:
    """Play one game, the first of the players in that seat."""
    seats = players if seat == 0 else players[::-1]
    record = play_match(game, seats, clock, seed=board)
    assert record.outcome is not None
    if record.outcome.reason != "rules":
        sys.exit(f"board {board}: {seats[1 - (record.outcome.winner or 0)]} lost by {record.outcome.reason}")
    first, second = record.final.scores or (0, 0)
    own = [
        played.seconds or 0.0
        for state, played in zip(record.states(), record.moves, strict=False)
        if state.side == seat
    ]
    return Game(first - second if seat == 0 else second - first, sum(own))


def play_pairs(game: NativeGame, texts: tuple[str, str], clock: str, pairs: int, seed: int) -> None:
    """Play the pairs and print each, then the sums."""
    played: list[tuple[Game, Game]] = []
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


def exact_from(game: NativeGame, seconds: float, boards: int, seed: int) -> None:
    """Let the engine play both sides and print when its answers became proofs for good."""
    engine = Engine(game, 256)
    for board in range(seed, seed + boards):
        state: State = game.initial(board)
        ply = first = groups = 0
        while state.outcome is None:
            found = engine.think(state, SearchLimits(seconds=seconds))
            if not found.exact:
                first, groups = ply + 1, 0
            elif groups == 0:
                groups = len(state.legal_moves)
            state = state.play(found.move)
            ply += 1
        print(f"board {board}: exact from move {first + 1} of {ply}, {groups} groups left", flush=True)


def proven(game: NativeGame, groups: int, nodes: int, boards: int, seed: int) -> None:
    """Print how many endgames are proven from an empty table: boards after random moves, with few groups left."""
    engine, exact, began = Engine(game, 256), 0, time.process_time()
    for board in range(seed, seed + boards):
        chooser, state = random.Random(board), game.initial(board)
        while len(state.legal_moves) > groups:
            state = state.play(chooser.choice(state.legal_moves))
        engine.clear()
        exact += engine.think(state, SearchLimits(nodes=nodes)).exact
    seconds = time.process_time() - began
    print(
        f"{exact} of {boards} proven, {groups} groups left, at most {nodes:,} nodes each, {seconds:.1f} s of CPU time"
    )


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
            found = engine.think(state, SearchLimits(seconds=seconds))
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
    parser.add_argument("--clock", default="none", help="of both players, as in '20'")
    parser.add_argument("--exact", action="store_true", help="no match: where proofs begin")
    parser.add_argument("--proven", type=int, metavar="GROUPS", help="no match: endgames with so few groups left")
    parser.add_argument("--nodes", type=int, default=2_000_000, help="a position, with --proven")
    parser.add_argument("--fit", action="store_true", help="no match: fit the weight of the evaluation")
    parser.add_argument("--seconds", type=float, default=1.0, help="a move, with --exact and --fit")
    given = parser.parse_args()
    game = ludus.game("fruit-rage", size=given.size, types=given.types)
    assert isinstance(game, NativeGame)
    if given.exact:
        exact_from(game, given.seconds, given.pairs, given.seed)
    elif given.proven:
        proven(game, given.proven, given.nodes, given.pairs, given.seed)
    elif given.fit:
        fit(game, given.seconds, given.pairs, given.seed)
    else:
        play_pairs(game, (given.first, given.second), given.clock, given.pairs, given.seed)


if __name__ == "__main__":
    main()
