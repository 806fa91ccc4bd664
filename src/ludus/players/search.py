"""The players that teach: `minimax` and `alphabeta` look some moves ahead, `mcts` learns from random games."""

from __future__ import annotations

import random

from ludus.game import MASK_64, Number, State
from ludus.play.clock import TimeLeft
from ludus.play.player import Player
from ludus.players import no_option
from ludus.search.teaching import DEPTH, PLAIN, SearchResult, look_ahead, play_out

PLAYOUTS = Number(1, 10_000_000, 1000, "how many random games to play")
SEED = Number(0, MASK_64, None, "the same seed makes the same choices")


class LookAheadPlayer(Player):
    """Looks a number of moves ahead."""

    method: str
    last: SearchResult | None = None

    def __init__(self, /, depth: str | None = None, evaluator: str = PLAIN, **unknown: str) -> None:
        no_option(self.method, unknown, ("depth", "evaluator"))
        self.depth = DEPTH.read("depth", DEPTH.default if depth is None else depth)
        self.evaluator = evaluator

    def choose(self, state: State, time: TimeLeft) -> str:  # noqa: ARG002 - it takes what its depth takes
        """Search."""
        found = self.last = look_ahead(state, self.method, self.depth, self.evaluator)
        return found.move


class Minimax(LookAheadPlayer):
    """Looks at every line."""

    method = "minimax"


class AlphaBeta(LookAheadPlayer):
    """Makes the same choice, without the lines that cannot matter."""

    method = "alphabeta"


class Mcts(Player):
    """Chooses the move that does best in random games. With a seed, the same ones every time."""

    last: SearchResult | None = None

    def __init__(self, /, playouts: str | None = None, seed: str | None = None, **unknown: str) -> None:
        no_option("mcts", unknown, ("playouts", "seed"))
        self.playouts = PLAYOUTS.read("playouts", PLAYOUTS.default if playouts is None else playouts)
        self._random = random.Random(None if seed is None else SEED.read("seed", seed))

    def choose(self, state: State, time: TimeLeft) -> str:  # noqa: ARG002 - it takes what its play-outs take
        """Search."""
        found = self.last = play_out(state, self.playouts, self._random.getrandbits(64))
        return found.move


PLAYERS = {"minimax": Minimax, "alphabeta": AlphaBeta, "mcts": Mcts}
