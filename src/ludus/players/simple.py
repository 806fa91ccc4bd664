"""The two simplest players: `random` plays any move, `greedy` the one that looks best one ply ahead."""

from __future__ import annotations

import random

from ludus.errors import UserError
from ludus.game import State
from ludus.play.clock import TimeLeft
from ludus.play.player import Player
from ludus.players import no_option
from ludus.search.textbook import gain


class RandomPlayer(Player):
    """Chooses any legal move, all equally likely. With a seed, the same ones every time."""

    def __init__(self, /, seed: str | None = None, **unknown: str) -> None:
        no_option("random", unknown, ("seed",))
        if seed is not None and not seed.removeprefix("-").isdecimal():
            raise UserError("players.bad_seed", seed=repr(seed))
        self._random = random.Random(seed)

    def choose(self, state: State, time: TimeLeft) -> str:  # noqa: ARG002 - it needs no time
        """Pick one."""
        return self._random.choice(state.legal_moves)


class GreedyPlayer(Player):
    """Chooses the move with the best immediate gain; the first of equals."""

    def __init__(self, /, **unknown: str) -> None:
        no_option("greedy", unknown, ())

    def choose(self, state: State, time: TimeLeft) -> str:  # noqa: ARG002 - one ply takes no time
        """Look one ply ahead."""
        return max(state.legal_moves, key=lambda move: gain(state, state.play(move)))


PLAYERS = {"random": RandomPlayer, "greedy": GreedyPlayer}
