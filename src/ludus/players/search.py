"""The players that teach: `minimax` and `alphabeta` look some moves ahead, `mcts` learns from games played at random.

Compiled games are searched by native/core/teaching.hpp and mcts.hpp, the games of other packages by
`ludus.search.textbook`.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from ludus.game import MASK_64, Number
from ludus.players import Thought, no_option
from ludus.search.textbook import Textbook, TreeSearch

if TYPE_CHECKING:
    from ludus.game import State
    from ludus.play.clock import TimeLeft

DEPTH = Number(1, 100, 3, "how many moves to look ahead")
PLAYOUTS = Number(1, 10_000_000, 1000, "how many random games to play")
SEED = Number(0, MASK_64, None, "the same seed makes the same choices")
PLAIN = "plain"
"""The name that every game's own evaluation has."""


def look_ahead(state: State, method: str, depth: int, evaluator: str = PLAIN) -> Thought:
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
        raise ValueError(f"{state.game.name} has no evaluator {evaluator!r}; its only one is {PLAIN}")
    return Thought(move, value, nodes, time.perf_counter() - began, depth)


def play_out(state: State, playouts: int, seed: int) -> Thought:
    """Search an open state by so many random games; the value is the mean result of the move, from -1 to 1."""
    began = time.perf_counter()
    found = state.game.play_out(state, playouts, seed)
    move, value, nodes, depth = found or TreeSearch(seed).choose(state, playouts)
    return Thought(move, value, nodes, time.perf_counter() - began, depth)


class LookAheadPlayer:
    """Looks so many moves ahead, and tells what that took."""

    method: str

    def __init__(self, /, depth: str | None = None, evaluator: str = PLAIN, **unknown: str) -> None:
        no_option(self.method, unknown, ("depth", "evaluator"))
        self.depth = DEPTH.read("depth", DEPTH.default if depth is None else depth)
        self.evaluator = evaluator
        self.last: Thought | None = None

    def choose(self, state: State, time: TimeLeft) -> str:  # noqa: ARG002 - it takes what its depth takes
        """Search."""
        self.last = look_ahead(state, self.method, self.depth, self.evaluator)
        return self.last.move


class Minimax(LookAheadPlayer):
    """Every line of so many moves."""

    method = "minimax"


class AlphaBeta(LookAheadPlayer):
    """The same choice, without the lines that cannot matter."""

    method = "alphabeta"


class Mcts:
    """The move that so many random games speak for. With a seed, the same ones every time."""

    def __init__(self, /, playouts: str | None = None, seed: str | None = None, **unknown: str) -> None:
        no_option("mcts", unknown, ("playouts", "seed"))
        self.playouts = PLAYOUTS.read("playouts", PLAYOUTS.default if playouts is None else playouts)
        self._random = random.Random(None if seed is None else SEED.read("seed", seed))
        self.last: Thought | None = None

    def choose(self, state: State, time: TimeLeft) -> str:  # noqa: ARG002 - it takes what its play-outs take
        """Search."""
        self.last = play_out(state, self.playouts, self._random.getrandbits(64))
        return self.last.move


PLAYERS = {"minimax": Minimax, "alphabeta": AlphaBeta, "mcts": Mcts}
