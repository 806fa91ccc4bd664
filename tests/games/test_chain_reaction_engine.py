"""The engine on Chain Reaction: known values of small boards, proofs that agree with plain minimax, repeatability."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import ludus
from ludus.game import State

RULES = ("empties", "keeps-surplus", "dies")
UNLIMITED = math.inf


def think(
    game: Any, state: State, nodes: int = 0, depth: int = 100, lines: int = 1, megabytes: int = 1, engine: Any = None
) -> Any:
    engine = engine or game._rules.make_engine(megabytes << 20)
    return engine.think(
        state,
        depth=depth,
        nodes=nodes,
        soft_seconds=UNLIMITED,
        hard_seconds=UNLIMITED,
        threads=1,
        lines=lines,
        win_only=False,
        progress=None,
    )


def winner(state: State) -> int | None:
    assert state.outcome is not None
    return state.outcome.winner


class Minimax:
    """Every line of a game to a fixed depth; nothing is left out but what has been looked at before."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], int] = {}

    def mate(self, state: State, plies: int) -> int:
        """Give n for a win in n plies, -n for a loss in n plies, 0 if neither is forced within `plies`."""
        value = self._value(state, plies)
        return 100 - value if value > 0 else -100 - value if value < 0 else 0

    def _value(self, state: State, plies: int) -> int:
        """Give 100 less the plies of a win, the plies of a loss less 100, or 0."""
        if state.outcome is not None:
            return 0 if winner(state) is None else 100 if winner(state) == state.side else -100
        if plies == 0:
            return 0
        key = (state.text, plies)
        if key not in self._known:
            best = max(-self._value(state.play(move), plies - 1) for move in state.legal_moves)
            self._known[key] = best - 1 if best > 0 else best + 1 if best < 0 else 0
        return self._known[key]


def random_positions(game: Any, number: int, seed: int, most_plies: int = 30) -> list[State]:
    """Give open positions from random games."""
    chooser = random.Random(seed)
    found: list[State] = []
    while len(found) < number:
        state = game.initial()
        for _ in range(chooser.randint(2, most_plies)):
            if state.outcome is not None:
                break
            state = state.play(chooser.choice(state.legal_moves))
        if state.outcome is None:
            found.append(state)
    return found


def check_line(state: State, line: Any) -> None:
    """Follow a proven line: it must end the game, for the side that it promises it to, after the plies that it says."""
    hero = state.side if line.value > 0 else 1 - state.side
    assert (line.plies_to_end % 2 == 1) == (line.value > 0)
    for move in line.moves:
        state = state.play(move)
    if state.outcome is not None:
        assert winner(state) == hero


@pytest.mark.parametrize("explosion", ["empties", "keeps-surplus"])
@pytest.mark.parametrize(
    ("rows", "cols", "first_wins"),
    [(2, 2, False), (2, 3, True), (3, 2, True), (2, 4, False), (2, 5, True), (3, 3, True)],
)
def test_small_boards_are_solved(rows: int, cols: int, first_wins: bool, explosion: str) -> None:
    game = ludus.game("chain-reaction", rows=rows, cols=cols, explosion=explosion)
    line = think(game, game.initial(), nodes=5_000_000, megabytes=32).lines[0]
    assert line.exact
    assert line.value == (1.0 if first_wins else -1.0)
    check_line(game.initial(), line)


@pytest.mark.parametrize("explosion", ["empties", "keeps-surplus"])
def test_three_by_four_is_a_first_player_win(explosion: str) -> None:
    game = ludus.game("chain-reaction", rows=3, cols=4, explosion=explosion)
    line = think(game, game.initial(), nodes=60_000_000, megabytes=256).lines[0]
    assert line.exact
    assert line.value == 1.0


@pytest.mark.parametrize("explosion", RULES)
@pytest.mark.parametrize(("rows", "cols"), [(2, 2), (2, 3)])
def test_every_position_of_a_tiny_board_has_its_true_value(rows: int, cols: int, explosion: str) -> None:
    game: Any = ludus.game("chain-reaction", rows=rows, cols=cols, explosion=explosion)
    minimax = Minimax()
    for state in random_positions(game, 40, seed=rows * cols):
        line = think(game, state, nodes=200_000).lines[0]
        assert line.exact, state.text
        true = minimax.mate(state, 14)
        assert true != 0, state.text
        assert line.value == (1.0 if true > 0 else -1.0), state.text
        if true > 0:
            assert line.plies_to_end >= true, state.text


@pytest.mark.parametrize("explosion", RULES)
def test_mates_are_proven_with_their_length(explosion: str) -> None:
    """What minimax proves in 5 plies the engine proves, and it claims no mate in 5 that minimax does not see."""
    game: Any = ludus.game("chain-reaction", rows=3, cols=3, explosion=explosion)
    minimax = Minimax()
    lengths = set()
    for state in random_positions(game, 60, seed=5, most_plies=16):
        true = minimax.mate(state, 5)
        line = think(game, state, depth=12, megabytes=4).lines[0]
        if true == 0:
            assert not line.exact or line.plies_to_end > 5, state.text
            continue
        assert line.exact, state.text
        assert line.value == (1.0 if true > 0 else -1.0), state.text
        assert line.plies_to_end == abs(true), state.text
        check_line(state, line)
        lengths.add(abs(true))
    assert lengths >= {1, 2, 3}


@pytest.mark.parametrize("explosion", RULES)
@pytest.mark.parametrize(("rows", "cols"), [(5, 6), (4, 4), (2, 10), (10, 10)])
def test_the_same_search_twice_gives_the_same_answer(rows: int, cols: int, explosion: str) -> None:
    game: Any = ludus.game("chain-reaction", rows=rows, cols=cols, explosion=explosion)
    state = random_positions(game, 1, seed=3)[0]
    first, second = (think(game, state, nodes=20_000, lines=3) for _ in range(2))
    assert (first.nodes, first.depth) == (second.nodes, second.depth)
    assert first.nodes <= 20_000
    told = [[(line.moves, line.value, line.exact) for line in report.lines] for report in (first, second)]
    assert told[0] == told[1]


def test_a_mate_beyond_the_last_ply_is_a_tie() -> None:
    """A board with a mate in three, with three plies left and with two: the table must not confuse them."""
    game: Any = ludus.game("chain-reaction", rows=3, cols=3)
    minimax = Minimax()
    state = next(state for state in random_positions(game, 100, seed=9) if minimax.mate(state, 3) == 3)
    board = state.text.rsplit(" ", 1)[0]
    engine = game._rules.make_engine(1 << 20)
    in_time, too_late, in_time_again = (
        think(game, game.parse(f"{board} {ply}"), depth=8, engine=engine).lines[0] for ply in (997, 998, 997)
    )
    assert (in_time.value, in_time.exact, in_time.plies_to_end) == (1.0, True, 3)
    assert (too_late.value, too_late.exact, too_late.plies_to_end) == (0.0, True, 0)
    assert (in_time_again.value, in_time_again.exact, in_time_again.plies_to_end) == (1.0, True, 3)
