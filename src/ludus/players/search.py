"""The players that teach: `minimax` and `alphabeta` look some moves ahead, `mcts` learns from games played at random.

Compiled games are searched by native/core/teaching.hpp and mcts.hpp. The same searches stand here in Python, for games
that other packages bring and for reading: the tests hold the two against each other, value by value and node by node.
"""

from __future__ import annotations

import math
import random
import time
from typing import TYPE_CHECKING

from ludus import _native
from ludus.game import MASK_64, Number
from ludus.players import Thought, no_option
from ludus.players.simple import gain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ludus.clock import TimeLeft
    from ludus.game import State

METHODS = ("minimax", "alphabeta", "ordering", "table")
"""Searches of one and the same value: each does what the one before it does, and one thing more to save nodes."""

DEPTH = Number(1, 100, 3, "how many moves to look ahead")
PLAYOUTS = Number(1, 10_000_000, 1000, "how many random games to play")
SEED = Number(0, MASK_64, None, "the same seed makes the same choices")
CURIOSITY = 0.4
"""The weight of what is little known against what looks good, in `mcts`."""
PLAIN = "plain"
"""The name that every game's own evaluation has."""

WIN_VALUE = 4_000_000
"""What a game won is worth, less one for each move that it takes."""
WON = 3_000_000
"""Every evaluation stays below."""


def look_ahead(state: State, method: str, depth: int, evaluator: str = PLAIN) -> Thought:
    """Search an open state to a fixed depth by one of the METHODS.

    The value is the side to move's: in scored games the points it makes less those of the opponent, in others the
    evaluation at the end of the line, or a win beyond all evaluations. Of equal moves the first is chosen.
    """
    began = time.perf_counter()
    if isinstance(state, _native.State):
        move, value, nodes, _ = _native.look_ahead(state, method, depth, evaluator)
    elif evaluator == PLAIN:
        move, value, nodes = Textbook(method, depth).choose(state)
    else:
        raise ValueError(f"{state.game.name} has no evaluator {evaluator!r}; its only one is {PLAIN}")
    return Thought(move, value, nodes, time.perf_counter() - began, depth)


def play_out(state: State, playouts: int, seed: int) -> Thought:
    """Search an open state by so many random games; the value is the mean result of the move, from -1 to 1."""
    began = time.perf_counter()
    if isinstance(state, _native.State):
        move, value, nodes, depth = _native.play_out(state, playouts, seed)
    else:
        move, value, nodes, depth = TreeSearch(seed).choose(state, playouts)
    return Thought(move, value, nodes, time.perf_counter() - began, depth)


class Textbook:
    """The fixed-depth search of teaching.hpp, in Python."""

    def __init__(self, method: str, depth: int) -> None:
        self.prunes = method != "minimax"
        self.orders = method in ("ordering", "table")
        self.table: dict[tuple[State, int], tuple[float, float]] | None = {} if method == "table" else None
        self.depth = depth
        self.nodes = 0

    def choose(self, root: State) -> tuple[str, float, int]:
        """Give (move, value, nodes) of an open state."""
        moves = root.legal_moves
        best, value = len(moves), -math.inf
        for index in self.order(root, self.depth):
            found = self.follow(root, moves[index], self.depth, value - (index < best), math.inf)
            if found > value or (found == value and index < best):
                best, value = index, found
        return moves[best], value, self.nodes

    def follow(self, state: State, move: str, depth: int, alpha: float, beta: float) -> float:
        """Play a move and search on; window and value are the mover's."""
        self.nodes += 1
        after = state.play(move)
        points = gain(state, after) if state.scores is not None else 0
        if after.side == state.side:
            return points + self.search(after, depth - 1, alpha - points, beta - points)
        return points - self.search(after, depth - 1, points - beta, points - alpha)

    def search(self, state: State, depth: int, alpha: float, beta: float) -> float:
        """Give the value to the side to move: exact inside the window, outside a bound on the same side."""
        if state.outcome is not None:
            if state.scores is not None or state.outcome.winner is None:
                return 0
            value = WIN_VALUE - (self.depth - depth)
            return value if state.outcome.winner == state.side else -value
        if depth == 0:
            return 0 if state.scores is not None else max(1 - WON, min(WON - 1, getattr(state, "evaluation", 0)))
        low, high = -math.inf, math.inf
        if self.table is not None:
            low, high = self.table.get((state, depth), (low, high))
            if low >= beta or low == high:
                return low
            if high <= alpha:
                return high
        moves, best = state.legal_moves, -math.inf
        for index in self.order(state, depth):
            best = max(best, self.follow(state, moves[index], depth, max(alpha, best), beta))
            if self.prunes and best >= beta:
                break
        if self.table is not None:
            self.table[state, depth] = (best if best > alpha else low, best if best < beta else high)
        return best

    def order(self, state: State, depth: int) -> Iterable[int]:
        """Give the order to try moves in; one ply above the leaves ordering would cost as much as searching."""
        moves = state.legal_moves
        if not self.orders or depth == 1:
            return range(len(moves))
        return sorted(range(len(moves)), key=lambda index: -gain(state, state.play(moves[index])))


class SplitMix:
    """The random numbers of native/core/random.hpp."""

    def __init__(self, seed: int) -> None:
        self.state = seed & MASK_64

    def below(self, bound: int) -> int:
        """Give a number from 0 to bound - 1."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK_64
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK_64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK_64
        return (((z ^ (z >> 31)) >> 32) * bound) >> 32


class Node:
    """A move in the tree of TreeSearch, and how the play-outs through it went for the one who makes it."""

    def __init__(self, index: int = 0, mover: int = 0) -> None:
        self.index = index
        self.mover = mover
        self.children: list[Node] = []
        self.offset = 0
        self.visits = 0
        self.sum = 0.0

    def best_child(self) -> Node:
        """Give the child with the highest upper confidence bound; of equals the latest."""
        log_visits = math.log(self.visits)

        def bound(node: Node) -> float:
            return node.sum / node.visits + CURIOSITY * math.sqrt(log_visits / node.visits)

        return max(reversed(self.children), key=bound)


class TreeSearch:
    """The Monte Carlo tree search of mcts.hpp, in Python."""

    def __init__(self, seed: int) -> None:
        self.random = SplitMix(seed)
        self.nodes = 0
        self.deepest = 0
        self.margins = 0
        self.finished = 0

    def choose(self, root: State, playouts: int) -> tuple[str, float, int, int]:
        """Give (move, value, nodes, depth) of an open state."""
        tree = Node()
        for _ in range(playouts):
            self.play_out(tree, root)
        best = max(tree.children, key=lambda node: (node.visits, -node.index))
        return root.legal_moves[best.index], 2 * (best.sum / best.visits) - 1, self.nodes, self.deepest

    def play_out(self, tree: Node, root: State) -> None:
        """Walk down the tree, add a node, play on at random, and count the result all the way up."""
        state, path, grown = root, [tree], False
        while state.outcome is None and not grown:
            moves, node = state.legal_moves, path[-1]
            grown = len(node.children) < len(moves)
            path.append(self.grow(node, len(moves), state.side) if grown else node.best_child())
            state = state.play(moves[path[-1].index])
        self.deepest = max(self.deepest, len(path) - 1)
        self.nodes += len(path) - 1
        first = self.result(root, self.finish(state))
        for node in path:
            node.visits += 1
            node.sum += first if node.mover == 0 else 1 - first

    def grow(self, parent: Node, moves: int, mover: int) -> Node:
        """Add a child; they come in the game's order from a random one on."""
        if not parent.children:
            parent.offset = self.random.below(moves)
        parent.children.append(Node((parent.offset + len(parent.children)) % moves, mover))
        return parent.children[-1]

    def finish(self, state: State) -> State:
        """Play at random to the end of the game, but win where one move wins."""
        while state.outcome is None:
            moves, side = state.legal_moves, state.side
            after = state.play(moves[self.random.below(len(moves))])
            self.nodes += 1
            for move in moves if state.scores is None else ():
                if after.outcome is not None and after.outcome.winner == side:
                    break
                self.nodes += 1
                other = state.play(move)
                if other.outcome is not None and other.outcome.winner == side:
                    after = other
            state = after
        return state

    def result(self, root: State, end: State) -> float:
        """Give a finished game's result for the first player, from 0 to 1."""
        if root.scores is None or end.scores is None:
            assert end.outcome is not None
            return 0.5 if end.outcome.winner is None else 1.0 - end.outcome.winner
        margin = (end.scores[0] - root.scores[0]) - (end.scores[1] - root.scores[1])
        self.margins += abs(margin)
        self.finished += 1
        return 0.5 if margin == 0 else 0.5 + 0.5 * margin / (abs(margin) + self.margins / self.finished)


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
