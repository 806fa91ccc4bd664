"""The searches that teach, compiled where the game is, in Python elsewhere: some moves ahead, or random games.

Compiled games are searched by native/core/teaching.hpp and mcts.hpp, the games of other packages by
`ludus.search.textbook`. Knows states; knows no player and no clock.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from ludus.errors import UserError
from ludus.game import Number, State
from ludus.search.textbook import Textbook, TreeSearch

DEPTH = Number(1, 100, 3, "how many moves to look ahead")
PLAIN = "plain"
"""The name that every game's own evaluation has."""


class SearchResult(NamedTuple):
    """What a search found, and what that took."""

    move: str
    value: float
    """To the side to move, in the search's own measure."""
    nodes: int
    """The moves that it played to find out."""
    seconds: float
    depth: int
    """The longest line that it looked at, the search's tree only."""
    exact: bool = False
    """Whether the value is proven: these searches do not say."""


def look_ahead(state: State, method: str, depth: int, evaluator: str = PLAIN) -> SearchResult:
    """Search an open state to a fixed depth by one of the METHODS.

    The value is the side to move's: in scored games the points it makes less those of the opponent, in others the
    evaluation at the end of the line, or a win beyond all evaluations. Of equal moves the first is chosen.
    """
    began = time.perf_counter()
    found = state.game.look_ahead(state, method, depth, evaluator)
    if found is not None:
        move, value, nodes, _ = found
    elif evaluator == PLAIN:
        move, value, nodes = Textbook(method, depth).choose(state)
    else:
        raise UserError("players.no_such_evaluator", game=state.game.name, evaluator=repr(evaluator), only=PLAIN)
    return SearchResult(move, value, nodes, time.perf_counter() - began, depth)


def play_out(state: State, playouts: int, seed: int) -> SearchResult:
    """Search an open state by this many random games; the value is the mean result of the move, from -1 to 1."""
    began = time.perf_counter()
    found = state.game.play_out(state, playouts, seed)
    move, value, nodes, depth = found or TreeSearch(seed).choose(state, playouts)
    return SearchResult(move, value, nodes, time.perf_counter() - began, depth)
