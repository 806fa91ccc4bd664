"""Traced searches: the tree is that of the search itself, its values are minimax's, and what is cut cannot matter."""

from __future__ import annotations

import math
from typing import Any

import pytest
from small_games import affordable, each_small, open_positions

import ludus
from ludus.search.teaching import look_ahead
from ludus.search.textbook import WIN_VALUE, WON
from ludus.search.trace import TRACED, SearchTree, trace

MANY = 10**6


def exhaustive(root: Any, state: Any, depth: int, ply: int = 0) -> float:
    """Return minimax the slow and obvious way, to the side that moves at the root."""
    me = root.side
    if root.scores is not None:
        made = [state.scores[side] - root.scores[side] for side in (0, 1)]
        if state.outcome is not None or depth == 0:
            return float(made[me] - made[1 - me])
    elif state.outcome is not None:
        winner = state.outcome.winner
        return 0.0 if winner is None else float(WIN_VALUE - ply) * (1 if winner == me else -1)
    elif depth == 0:
        seen = max(1 - WON, min(WON - 1, state.evaluation))
        return float(seen if state.side == me else -seen)
    values = [exhaustive(root, state.play(move), depth - 1, ply + 1) for move in state.legal_moves]
    return max(values) if state.side == me else min(values)


def states(tree: SearchTree) -> list[tuple[Any, int]]:
    """Return the state at each node, and the depth that is left there."""
    found: list[tuple[Any, int]] = [(tree.root, tree.depth)]
    for visit in tree.visits[1:]:
        state, left = found[visit.parent]
        found.append((state.play(visit.move), left - 1))
    return found


@each_small
def test_the_tree_is_that_of_the_search(name: str, options: dict[str, Any]) -> None:
    for state in open_positions(name, options, 4, seed=3):
        depth = affordable(state)
        for method in TRACED:
            tree, thought = trace(state, method, depth, MANY), look_ahead(state, method, depth)
            found = (tree.move, tree.visits[0].value, tree.nodes)
            assert found == (thought.move, thought.value, thought.nodes), (method, state.text)


@each_small
def test_minimax_has_the_exhaustive_value_at_every_node(name: str, options: dict[str, Any]) -> None:
    for root in open_positions(name, options, 2, seed=4):
        tree = trace(root, "minimax", 2, MANY)
        for visit, (state, left) in zip(tree.visits, states(tree), strict=True):
            assert visit.value == exhaustive(root, state, left, tree.depth - left), (root.text, visit.move)
            assert not visit.skipped


@each_small
@pytest.mark.parametrize("method", ["alphabeta", "ordering"])
def test_values_are_right_within_the_window_and_bounds_outside(name: str, options: dict[str, Any], method: str) -> None:
    for root in open_positions(name, options, 2, seed=5):
        depth = min(3, affordable(root))
        tree = trace(root, method, depth, MANY)
        for visit, (state, left) in zip(tree.visits, states(tree), strict=True):
            truth = exhaustive(root, state, left, depth - left)
            if visit.alpha < visit.value < visit.beta or visit.kind != "inner":
                assert visit.value == truth
            elif visit.value <= visit.alpha:
                assert truth <= visit.value
            else:
                assert truth >= visit.value


@each_small
def test_what_is_cut_is_all_that_was_not_tried_and_the_bound_says_why(name: str, options: dict[str, Any]) -> None:
    for root in open_positions(name, options, 3, seed=6):
        tree = trace(root, "alphabeta", affordable(root), MANY)
        tried: dict[int, list[str]] = {}
        for visit in tree.visits[1:]:
            tried.setdefault(visit.parent, []).append(visit.move)
        for index, (visit, (state, left)) in enumerate(zip(tree.visits, states(tree), strict=True)):
            assert (visit.kind == "inner") == (state.outcome is None and left > 0)
            moves = state.legal_moves if visit.kind == "inner" else ()
            assert (*tried.get(index, []), *visit.skipped) == moves
            if visit.skipped:
                bound, by = (visit.beta, visit.beta_by) if state.side == root.side else (visit.alpha, visit.alpha_by)
                assert by is not None
                assert tree.visits[by].value == bound, "the bound is the value of the node that it is said to come from"
                assert visit.value >= bound if state.side == root.side else visit.value <= bound


def test_nothing_is_sure_at_the_root() -> None:
    tree = trace(ludus.game("magnetic-cave").initial(), "alphabeta", 2, MANY)
    assert (tree.visits[0].alpha, tree.visits[0].beta) == (-math.inf, math.inf)
    assert tree.visits[1].alpha_by is None
    assert tree.visits[tree.visits[0].best or 0].move == tree.move


def test_what_cannot_be_traced_is_refused_in_one_sentence() -> None:
    state = ludus.game("chain-reaction").initial()
    with pytest.raises(ValueError, match=r"more than 500 positions; choose a smaller depth, or alpha-beta$"):
        trace(state, "minimax", 3, 500)
    with pytest.raises(ValueError, match=r"choose a smaller depth$"):
        trace(state, "alphabeta", 4, 500)
    with pytest.raises(ValueError, match="no search 'table' to show"):
        trace(state, "table", 2, MANY)
    with pytest.raises(ValueError, match="the game is over"):
        trace(ludus.game("cantris").parse(".1/.1 1 0-0"), "minimax", 2, MANY)
