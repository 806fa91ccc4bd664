"""What an engine calls exact is true: the value, the move that comes with it, every line, and after every stop.

Small positions stand beside a search through everything; larger ones are played on along the answer and asked again.
"""

from __future__ import annotations

import functools
import itertools
import random
from typing import Any, NamedTuple

import pytest
from python_games import CountersGame, SubtractionGame
from random_games import after_moves, open_positions
from variants import variants

import ludus
from ludus.search.analysis import OBJECTIVES
from ludus.search.result import Analysis, Variation

STOPS = (1, 3, 10, 30, 100, 300, 1000, 100_000_000)
"""Nodes after which a search is stopped; the last one is enough for every small position."""


class Step(NamedTuple):
    """A move, and how it changes what is still to be had."""

    after: Any
    gain: int
    sign: int

    def value(self, rest: float) -> float:
        return self.gain + self.sign * rest


def step(state: Any, move: str, objective: str) -> Step:
    after = state.play(move)
    counts = objective == "margin" and state.scores is not None
    gain = after.scores[state.side] - state.scores[state.side] if counts else 0
    return Step(after, gain, 1 if after.side == state.side else -1)


def value_at_end(state: Any, objective: str) -> float:
    """What a finished game is worth to the side to move: in a game with points nothing more is to be won."""
    if objective == "margin" and state.scores is not None:
        return 0.0
    return 0.0 if state.outcome.winner is None else 1.0 if state.outcome.winner == state.side else -1.0


class Truth:
    """The value of positions by trying everything."""

    def __init__(self, objective: str) -> None:
        self.objective = objective
        self.known: dict[Any, float] = {}
        self.known_plies: dict[Any, int] = {}

    def of(self, state: Any) -> float:
        if state.outcome is not None:
            return value_at_end(state, self.objective)
        key = (getattr(state, "key", state), state.scores if self.objective == "win" else None)
        if key not in self.known:
            self.known[key] = max(self.of_move(state, move) for move in state.legal_moves)
        return self.known[key]

    def of_move(self, state: Any, move: str) -> float:
        made = step(state, move, self.objective)
        return made.value(self.of(made.after))

    def plies(self, state: Any) -> int:
        """Return how soon a won or lost game without points ends if the winner hurries and the other side delays."""
        if state.outcome is not None:
            return 0
        if state not in self.known_plies:
            value = self.of(state)
            soonest = min if value > 0 else max
            same = [move for move in state.legal_moves if self.of_move(state, move) == value]
            self.known_plies[state] = 1 + soonest(self.plies(state.play(move)) for move in same)
        return self.known_plies[state]


@functools.cache
def tiny(name: str, objective: str) -> list[tuple[Any, Truth]]:
    """Return small positions, each with its truth, which is the same for all who are asked about it."""
    return [(state, Truth(objective)) for state in open_positions(name, 60, more=3)]


def check(state: Any, found: Analysis, truth: Truth) -> None:
    """Look at every claim of an analysis: values, their order, and the play to the end of each exact line."""
    values = [line.value for line in found.lines]
    assert values == sorted(values, reverse=True)
    assert 1 <= len({line.moves[0] for line in found.lines}) == len(found.lines)
    if found.exact:
        assert found.value == truth.of(state)
        assert found.lines[0].plies_to_end is None or found.lines[0].plies_to_end == truth.plies(state)
    rest = {state.play(move): truth.of_move(state, move) for move in state.legal_moves}
    for line in itertools.takewhile(lambda line: line.exact, found.lines):
        assert line.value == max(rest.values()), "the best of what is left, whichever boards the search takes for one"
        del rest[state.play(line.moves[0])]
    for line in found.lines:
        if line.exact:
            assert truth.objective == "margin" or line.win_chance == (line.value + 1) / 2
            assert line.value == truth.of_move(state, line.moves[0])
            if line.plies_to_end is not None:
                assert len(line.moves) <= line.plies_to_end == 1 + truth.plies(state.play(line.moves[0]))
            check_line(state, line, truth)


def check_line(state: Any, line: Variation, truth: Truth) -> None:
    rest = line.value
    for move in line.moves:
        made = step(state, move, truth.objective)
        state, rest = made.after, (rest - made.gain) * made.sign
        assert truth.of(state) == rest, f"{move} of {line.moves} gives something away"


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_whenever_a_search_is_stopped_what_it_calls_exact_is_true(name: str, objective: str, threads: int) -> None:
    proven = 0
    for state, truth in tiny(name, objective):
        for nodes, lines in itertools.product(STOPS, (1, 3)):
            found = ludus.analyse(
                state, nodes=nodes, lines=lines, threads=threads, objective=objective, megabytes=1, seconds=60
            )
            check(state, found, truth)
            proven += nodes < STOPS[-1] and found.exact
        assert all(line.exact for line in found.lines), "the last search is stopped by its proof"
        assert len(found.lines) == min(3, len({state.play(move) for move in state.legal_moves}))
    assert proven > 0, "some are proven before they are stopped"


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_what_is_proven_beside_a_search_of_any_depth_is_true(name: str, objective: str) -> None:
    for state, truth in tiny(name, objective):
        for depth in range(1, 9):
            found = ludus.analyse(state, depth=depth, objective=objective, megabytes=1, seconds=60)
            check(state, found, truth)


def test_a_proof_does_not_name_a_move_that_it_has_not_asked_about() -> None:
    """The search had thought more of another move than the proof then found for all of them."""
    state = ludus.game("connect-four", rows=4, cols=4).parse("..../o.../o.../x..x 1")
    check(state, ludus.analyse(state, depth=5, megabytes=1), Truth("margin"))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_move_of_an_exact_answer_is_worth_its_value(name: str, objective: str, threads: int) -> None:
    """The rest of the line and the other lines are held to it as well, by asking again at every step of them."""
    exact = 0
    for state in open_positions(name, variants(name)["larger_positions"], "larger", more=3):
        found = ludus.analyse(
            state, nodes=200_000, seconds=20, lines=1 + exact % 3, threads=threads, objective=objective, megabytes=8
        )
        exact += found.exact
        values = [line.value for line in found.lines]
        assert values == sorted(values, reverse=True)
        for line in found.lines if found.exact else ():
            at, rest = state, line.value
            for move in line.moves if line.exact else ():
                made = step(at, move, objective)
                at, rest = made.after, (rest - made.gain) * made.sign
                if at.outcome is not None:
                    assert value_at_end(at, objective) == rest
                    break
                again = ludus.analyse(at, nodes=2_000_000, seconds=60, objective=objective, megabytes=8)
                assert again.value == rest or not again.exact, f"{move} of {line.moves} in {state.text}"
    assert exact > variants(name)["larger_positions"] // 2


@pytest.mark.parametrize(
    ("rows", "position", "value"),
    [
        (8, "3312/2242/4134/2323/1121/3413/4234/1441", 11),
        (6, "211/223/123/112/332/331", 0),
        (6, "331/113/221/123/212/332", 6),
    ],
)
def test_a_move_that_only_looked_best_is_not_named_for_a_proof(rows: int, position: str, value: int) -> None:
    """Between two parts of these proofs a look ahead preferred another move than the one that proved the value."""
    state: Any = ludus.game("cantris", rows=rows, cols=rows // 2).parse(position)
    found = ludus.analyse(state, seconds=60)
    assert (found.exact, found.value) == (True, value)
    made = step(state, found.move, "margin")
    assert made.value(ludus.analyse(made.after, seconds=60).value) == value
    assert len(found.lines[0].moves) > 1


def test_a_search_that_is_stopped_does_not_call_a_position_lost_for_its_first_move(name: str) -> None:
    """A loss takes all moves to prove: those that were not searched may still save it."""
    lost_moves = 0
    for state, truth in tiny(name, "win"):
        worst = min(truth.of_move(state, move) for move in state.legal_moves)
        lost_moves += worst < truth.of(state)
        for nodes in range(1, 40):
            found = ludus.analyse(state, nodes=nodes, objective="win", megabytes=1)
            assert not found.exact or found.value == truth.of(state)
    assert lost_moves > 0


@pytest.mark.parametrize("game", [SubtractionGame(10), CountersGame(8)], ids=["subtraction", "counters"])
def test_the_engine_for_games_in_python_keeps_to_the_same(game: Any) -> None:
    for seed in range(10):
        state = after_moves(game.initial(seed), seed % 4, random.Random(seed))
        if state.outcome is not None:
            continue
        truth = Truth("margin")
        for nodes, lines in itertools.product((10, 100, 1000, 10_000), (1, 3)):
            check(state, ludus.analyse(state, nodes=nodes, lines=lines), truth)
