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
    """What states are worth, as arrays with a row for each of them; values are those of the side to move.

    Args:
        values: What each state is worth.
        exact: Where that is proven.
        win_chances: The chance to win, a tie counting half.
        actions: The best moves that were found.
        action_values: With `every_move`, what each move is worth.
        action_exact: With `every_move`, which of those are proven.

    Example:
        >>> batch = ludus.batch("connect-four", 2)
        >>> ludus.evaluate(batch, depth=2).actions.shape
        (2,)
    """

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
        """Return which moves are the best ones, (states, actions); it needs `every_move`.

        Where the value is proven, these are the moves that are proven to be worth as much.
        """
        if self.action_values is None or self.action_exact is None:
            raise UserError("search.needs_every_move")
        best: NDArray[np.bool_] = self.action_values == self.values[:, None]  # not a number is not equal
        return best & (self.action_exact | ~self.exact[:, None])


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

    Without `seconds` the result is the same every time.

    Args:
        states: States of one game, or a batch; games that are over are worth their outcome.
        nodes: How many positions may be searched for each state.
        seconds: How long the search of each state may take.
        depth: How many plies it may look ahead.
        objective: `margin` or `win`, as `analyse` has them.
        every_move: Search each legal move as well; the value of a state is that of its best move then.
        threads: How many states are searched at a time; all cores unless given.
        megabytes: The size of the table of each search.
        progress: Called with the number of states that are done and of all, which are more than were given if
            `every_move` is set.

    Returns:
        The `Evaluation`: an array for each of its fields, with a row for each state.

    Raises:
        ValueError: There is no state, the states are of several games, or a limit is wrong.

    Example:
        >>> small = ludus.game("cantris", rows=6, cols=3)
        >>> found = ludus.evaluate([small.initial(seed) for seed in range(3)])
        >>> found.values, found.exact
        (array([...]), array([ True,  True,  True]))
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
    """Add what each legal move is worth: its points, and what is left after it. A state is worth its best move.

    Where the value of a state is proven, no move that is not is worth more, and the move that proved it is worth that.
    """
    shape = (len(states), len(states[0].game.actions))
    values, exact = np.full(shape, np.nan), np.zeros(shape, np.bool_)
    by_points = states[0].scores is not None and objective == OBJECTIVES[0]
    for row, state in enumerate(states):
        legal, chances = list(state.legal_actions), {}
        for action, after in zip(legal, children(state), strict=True):
            rest = known[after]
            gained = 0.0
            if by_points and state.scores is not None and after.scores is not None:
                gained = after.scores[state.side] - state.scores[state.side]
                gained -= after.scores[1 - state.side] - state.scores[1 - state.side]
            ours = after.side == state.side
            values[row, action] = gained + (rest.value if ours else -rest.value)
            exact[row, action] = rest.exact
            chances[action] = rest.win_chance if ours else 1 - rest.win_chance
        if found.exact[row] and legal:
            estimates = [action for action in legal if not exact[row, action]]
            values[row, estimates] = np.minimum(values[row, estimates], found.values[row])
            values[row, found.actions[row]], exact[row, found.actions[row]] = found.values[row], True
        elif legal:
            best = found.actions[row] = legal[int(values[row, legal].argmax())]
            found.values[row], found.win_chances[row] = values[row, best], chances[best]
            found.exact[row] = exact[row, legal].all() or (
                exact[row, best] and not by_points and values[row, best] == 1
            )
    return found._replace(action_values=values, action_exact=exact)
