"""An oracle by the batch: what many states are worth, whether that is proven, and the best moves: `ludus.evaluate`.

Knows `analyse`, states and arrays. Each state is searched from an empty table by one thread, so that what is found
depends on the limit alone, never on the other states or on the number of threads.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ludus.errors import UserError
from ludus.game import State, complete
from ludus.search.analysis import OBJECTIVES, analyse, check_objective

if TYPE_CHECKING:
    from numpy.typing import NDArray

NODES = 100_000
"""How many positions are searched for a state where no limit is given."""
MEGABYTES = 8
MOST_THREADS = 256


class FoundValue(NamedTuple):
    """What was found of one state; the value is the side to move's."""

    value: float
    exact: bool
    win_chance: float
    move: str | None
    """None in a game that is over."""


class Evaluation(NamedTuple):
    """What states are worth, as arrays with a row for each of them; values are those of the side to move."""

    values: NDArray[np.float64]
    """As `Analysis.value` has them; in a game that is over, its outcome, or 0 in games with points."""
    exact: NDArray[np.bool_]
    """Where the value is proven."""
    win_chances: NDArray[np.float64]
    actions: NDArray[np.int32]
    """The best move that was found, as a number of `game.actions`; -1 in a game that is over."""
    action_values: NDArray[np.float64] | None = None
    """With `every_move`, (states, actions): what each move is worth; not a number where it is not legal."""
    action_exact: NDArray[np.bool_] | None = None
    """With `every_move`, (states, actions): which of those are proven."""

    @property
    def best(self) -> NDArray[np.bool_]:
        """Return which moves are the best ones, (states, actions); it needs `every_move`."""
        if self.action_values is None:
            raise UserError("search.needs_every_move")
        values = np.where(np.isnan(self.action_values), -np.inf, self.action_values)
        best: NDArray[np.bool_] = np.isfinite(values) & (values == values.max(axis=1, keepdims=True))
        return best


def evaluate(
    states: Iterable[State],
    *,
    nodes: int | None = None,
    seconds: float | None = None,
    depth: int | None = None,
    objective: str = OBJECTIVES[0],
    every_move: bool = False,
    threads: int | None = None,
    megabytes: int = MEGABYTES,
    progress: Callable[[int, int], object] | None = None,
) -> Evaluation:
    """Return what each state of a list or a batch is worth; 100,000 nodes for each unless a limit is given.

    The limits are those of `analyse`, for each state. With `every_move` each legal move is searched as well, and the
    value of a state is that of its best move. Without `seconds` the result is the same every time. `progress` is called
    with the number of states that are done and of all, which are more than were given if `every_move` is set.
    """
    given = [complete(state) for state in states]
    if not given:
        raise UserError("search.no_states")
    game = given[0].game
    for place, state in enumerate(given):
        if state.game != game:
            raise UserError("search.mixed_games", place=place, game=repr(state.game), first=repr(game))
    check_objective(objective)
    threads = len(os.sched_getaffinity(0)) if threads is None else operator.index(threads)
    if not 1 <= threads <= MOST_THREADS:
        raise UserError("rules.batch_threads", most=MOST_THREADS, threads=threads)
    nodes = NODES if nodes is None and seconds is None and depth is None else nodes

    def look(state: State) -> FoundValue:
        if state.outcome is not None:
            return finished(state, objective)
        found = analyse(
            state, nodes=nodes, seconds=seconds, depth=depth, megabytes=megabytes, objective=objective, lines=1
        )
        return FoundValue(found.value, found.exact, found.win_chance, found.move)

    wanted: dict[State, FoundValue | None] = dict.fromkeys(given)
    if every_move:
        wanted = dict.fromkeys(child for state in given for child in children(state)) | wanted
    unique = list(wanted)
    with ThreadPoolExecutor(threads) as pool:
        try:
            for done, (state, found) in enumerate(zip(unique, pool.map(look, unique), strict=True), 1):
                wanted[state] = found
                if progress is not None:
                    progress(done, len(unique))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    known: dict[State, FoundValue] = {state: found for state, found in wanted.items() if found is not None}
    rows = [known[state] for state in given]
    actions = [-1 if row.move is None else game.actions.number(row.move) for row in rows]
    evaluation = Evaluation(
        np.array([row.value for row in rows], np.float64),
        np.array([row.exact for row in rows], np.bool_),
        np.array([row.win_chance for row in rows], np.float64),
        np.array(actions, np.int32),
    )
    return with_moves(evaluation, given, known, objective) if every_move else evaluation


def children(state: State) -> list[State]:
    """Return the states after each legal action."""
    return [complete(state.play_action(action)) for action in state.legal_actions]


def finished(state: State, objective: str) -> FoundValue:
    """Return what a game that is over is worth to the side that would be to move."""
    assert state.outcome is not None
    winner = state.outcome.winner
    result = 0.0 if winner is None else 1.0 if winner == state.side else -1.0
    by_points = state.scores is not None and objective == OBJECTIVES[0]
    return FoundValue(0.0 if by_points else result, True, (result + 1) / 2, None)


def with_moves(found: Evaluation, states: list[State], known: dict[State, FoundValue], objective: str) -> Evaluation:
    """Add what each legal move is worth: its points, and what is left after it.

    A state that the search of all its moves has proven is worth the best of them, whatever its own search found.
    """
    shape = (len(states), len(states[0].game.actions))
    values, exact = np.full(shape, np.nan), np.zeros(shape, np.bool_)
    for row, state in enumerate(states):
        for action, after in zip(state.legal_actions, children(state), strict=True):
            rest = known[after]
            gained = 0.0
            if state.scores is not None and after.scores is not None and objective == OBJECTIVES[0]:
                gained = after.scores[state.side] - state.scores[state.side]
                gained -= after.scores[1 - state.side] - state.scores[1 - state.side]
            values[row, action] = gained + (rest.value if after.side == state.side else -rest.value)
            exact[row, action] = rest.exact
        legal = list(state.legal_actions)
        if legal and not found.exact[row] and exact[row, legal].all():
            found.values[row], found.exact[row] = values[row, legal].max(), True
            found.actions[row] = legal[int(values[row, legal].argmax())]
    return found._replace(action_values=values, action_exact=exact)
