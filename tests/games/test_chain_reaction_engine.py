"""The engine on Chain Reaction: known values of small boards, proofs that agree with plain minimax, repeatability."""

from __future__ import annotations

import random
from typing import Any

import pytest
from random_games import after_moves

import ludus
from ludus.game import State
from ludus.search.analysis import Engine, SearchLimits
from ludus.search.result import Analysis, Variation

RULES = ("empties", "keeps-surplus", "dies")


def think(state: State, megabytes: int = 1, **limits: Any) -> Analysis:
    """Return what a new engine finds."""
    return Engine(state.game, megabytes).think(state, SearchLimits(**limits))


def winner(state: State) -> int | None:
    assert state.outcome is not None
    return state.outcome.winner


class Minimax:
    """Every line of a game to a fixed depth; nothing is left out but what has been looked at before."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, int], int] = {}

    def mate(self, state: State, plies: int) -> int:
        """Return n for a win in n plies, -n for a loss in n plies, 0 if neither is forced within `plies`."""
        value = self.value(state, plies)
        return 100 - value if value > 0 else -100 - value if value < 0 else 0

    def value(self, state: State, plies: int) -> int:
        """Return 100 less the plies of a win, the plies of a loss less 100, or 0."""
        if state.outcome is not None:
            return 0 if winner(state) is None else 100 if winner(state) == state.side else -100
        if plies == 0:
            return 0
        key = (state.text, plies)
        if key not in self.known:
            best = max(-self.value(state.play(move), plies - 1) for move in state.legal_moves)
            self.known[key] = best - 1 if best > 0 else best + 1 if best < 0 else 0
        return self.known[key]


def random_positions(game: Any, number: int, seed: int, most_plies: int = 30) -> list[State]:
    """Return open positions from random games."""
    chooser = random.Random(seed)
    found: list[State] = []
    while len(found) < number:
        state = after_moves(game.initial(), chooser.randint(2, most_plies), chooser)
        if state.outcome is None:
            found.append(state)
    return found


def plies_to_win(state: State, line: Variation) -> int:
    """Follow a proven line, and those that the engine then proves, to the end; return the plies that it took.

    A line may be shorter than the game: the engine sees some wins without playing them out.
    """
    hero = state.side if line.value > 0 else 1 - state.side
    plies = 0
    while state.outcome is None:
        if plies:
            line = think(state, nodes=5_000_000, megabytes=32).lines[0]
        assert line.exact
        for move in line.moves:
            state = state.play(move)
            plies += 1
    assert winner(state) == hero
    return plies


@pytest.mark.parametrize("explosion", ["empties", "keeps-surplus"])
@pytest.mark.parametrize(
    ("rows", "cols", "first_wins"),
    [(2, 2, False), (2, 3, True), (3, 2, True), (2, 4, False), (2, 5, True), (3, 3, True)],
)
def test_small_boards_are_solved(rows: int, cols: int, first_wins: bool, explosion: str) -> None:
    game = ludus.game("chain-reaction", rows=rows, cols=cols, explosion=explosion)
    line = think(game.initial(), nodes=5_000_000, megabytes=32).lines[0]
    assert line.exact
    assert line.value == (1.0 if first_wins else -1.0)
    assert plies_to_win(game.initial(), line) % 2 == int(first_wins)


@pytest.mark.parametrize("explosion", ["empties", "keeps-surplus"])
def test_three_by_four_is_a_first_player_win(explosion: str) -> None:
    game = ludus.game("chain-reaction", rows=3, cols=4, explosion=explosion)
    line = think(game.initial(), nodes=60_000_000, megabytes=256).lines[0]
    assert line.exact
    assert line.value == 1.0


@pytest.mark.parametrize("explosion", RULES)
@pytest.mark.parametrize(("rows", "cols"), [(2, 2), (2, 3)])
def test_every_position_of_a_tiny_board_has_its_true_value(rows: int, cols: int, explosion: str) -> None:
    game: Any = ludus.game("chain-reaction", rows=rows, cols=cols, explosion=explosion)
    minimax = Minimax()
    for state in random_positions(game, 40, seed=rows * cols):
        line = think(state, nodes=200_000).lines[0]
        assert line.exact, state.text
        true = minimax.mate(state, 14)
        assert true != 0, state.text
        assert line.value == (1.0 if true > 0 else -1.0), state.text
        assert line.plies_to_end in (None, abs(true)), state.text


@pytest.mark.parametrize("explosion", RULES)
def test_mates_are_proven_with_their_length(explosion: str) -> None:
    """What minimax proves in 5 plies the engine proves, and it claims no mate in 5 that minimax does not see."""
    game: Any = ludus.game("chain-reaction", rows=3, cols=3, explosion=explosion)
    minimax = Minimax()
    lengths = set()
    for state in random_positions(game, 60, seed=5, most_plies=16):
        true = minimax.mate(state, 5)
        line = think(state, depth=12, megabytes=4).lines[0]
        if true == 0:
            assert not line.exact or (line.plies_to_end or 6) > 5, state.text
            continue
        assert line.exact, state.text
        assert line.value == (1.0 if true > 0 else -1.0), state.text
        assert line.plies_to_end == abs(true), state.text
        assert plies_to_win(state, line) == abs(true), state.text
        lengths.add(abs(true))
    assert lengths >= {1, 2, 3}


def test_a_mate_beyond_the_last_ply_is_a_tie() -> None:
    """A board with a mate in three, with three plies left and with two: the table must not confuse them."""
    game: Any = ludus.game("chain-reaction", rows=3, cols=3)
    minimax = Minimax()
    state = next(state for state in random_positions(game, 100, seed=9) if minimax.mate(state, 3) == 3)
    board = state.text.rsplit(" ", 1)[0]
    engine = Engine(game, megabytes=1)
    in_time, too_late, in_time_again = (
        engine.think(game.parse(f"{board} {ply}"), SearchLimits(depth=8)).lines[0] for ply in (997, 998, 997)
    )
    assert (in_time.value, in_time.exact, in_time.plies_to_end) == (1.0, True, 3)
    assert (too_late.value, too_late.exact, too_late.plies_to_end) == (0.0, True, None)
    assert (in_time_again.value, in_time_again.exact, in_time_again.plies_to_end) == (1.0, True, 3)
