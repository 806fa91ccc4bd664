"""The searches of the textbook in Python: a fixed-depth search in four steps from minimax to a table, and UCT.

The twins of native/core/teaching.hpp and mcts.hpp, for games that other packages bring and for reading: the tests hold
the two against each other, value by value and node by node. Knows states; knows no player and no clock.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

from ludus.game import MASK_64, State

METHODS = ("minimax", "alphabeta", "ordering", "table")
"""Searches of one and the same value: each does what the one before it does, and one thing more to save nodes."""
WIN_VALUE = 4_000_000
"""What a game won is worth, less one for each move that it takes."""
WON = 3_000_000
"""Every evaluation stays below."""
CURIOSITY = {False: 0.4, True: 0.15}
"""The weight of what is little known against what looks good, in games without and with points, in TreeSearch."""
SAMPLES = 20
"""The random moves that a play-out chooses the next one from."""


def gain(state: State, after: State) -> float:
    """Return what the mover of `state` gains: points, or in a game without points the evaluation afterwards."""
    mover = state.side
    if state.scores is not None and after.scores is not None:
        return after.scores[mover] - state.scores[mover]
    if after.outcome is not None:
        return 0.0 if after.outcome.winner is None else math.inf if after.outcome.winner == mover else -math.inf
    standing = after.evaluation
    return standing if after.side == mover else -standing


class Textbook:
    """The fixed-depth search of teaching.hpp, in Python."""

    def __init__(self, method: str, depth: int) -> None:
        self.prunes = method != "minimax"
        self.orders = method in ("ordering", "table")
        self.table: dict[tuple[State, int], tuple[float, float, str]] | None = {} if method == "table" else None
        self.depth = depth
        self.nodes = 0
        self.is_complete = True
        """Whether every line was followed to the end of the game, and no evaluation had a part in the value."""

    def choose(self, root: State, without: Collection[str] = ()) -> tuple[str, float, int]:
        """Return (move, value, nodes) of an open state, not counting moves that are known to be better."""
        moves = root.legal_moves
        best, value = len(moves), -math.inf
        for index in self.order(root, self.depth):
            if moves[index] in without:
                continue
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
        """Return the value to the side to move: exact inside the window, outside a bound on the same side."""
        if state.outcome is not None:
            if state.scores is not None or state.outcome.winner is None:
                return 0
            value = WIN_VALUE - (self.depth - depth)
            return value if state.outcome.winner == state.side else -value
        if depth == 0:
            self.is_complete = False
            return 0 if state.scores is not None else max(1 - WON, min(WON - 1, state.evaluation))
        low, high = -math.inf, math.inf
        if self.table is not None:
            low, high, _ = self.table.get((state, depth), (low, high, ""))
            if low >= beta or low == high:
                return low
            if high <= alpha:
                return high
        moves, best, best_index = state.legal_moves, -math.inf, 0
        for index in self.order(state, depth):
            found = self.follow(state, moves[index], depth, max(alpha, best), beta)
            if found > best:
                best, best_index = found, index
            if self.prunes and best >= beta:
                break
        if self.table is not None:
            bounds = (best if best > alpha else low, best if best < beta else high)
            self.table[state, depth] = (*bounds, moves[best_index])
        return best

    def order(self, state: State, depth: int) -> Iterable[int]:
        """Return the order to try moves in; one ply above the leaves ordering would cost as much as searching."""
        moves = state.legal_moves
        if not self.orders or depth == 1:
            return range(len(moves))
        return sorted(range(len(moves)), key=lambda index: -gain(state, state.play(moves[index])))


class SplitMix:
    """The random numbers of native/core/random.hpp."""

    def __init__(self, seed: int) -> None:
        self.state = seed & MASK_64

    def below(self, bound: int) -> int:
        """Return a number from 0 to bound - 1."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK_64
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK_64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK_64
        return (((z ^ (z >> 31)) >> 32) * bound) >> 32


class TreeNode:
    """A move in the tree of TreeSearch, and how the play-outs through it went for the one who makes it."""

    def __init__(self, index: int = 0, mover: int = 0) -> None:
        self.index = index
        self.mover = mover
        self.children: list[TreeNode] = []
        self.offset = 0
        self.moves = 0
        self.winner: int | None = None
        self.visits = 0
        self.sum = 0.0

    @property
    def lost(self) -> bool:
        """Whether it is proven that the one who makes the move loses."""
        return self.winner == 1 - self.mover

    @property
    def value(self) -> float:
        """The mean result, or the proven one, from -1 to 1."""
        return 2 * (self.sum / self.visits) - 1 if self.winner is None else -1.0 if self.lost else 1.0

    @property
    def merit(self) -> tuple[int, int, int]:
        """What to choose by: proven wins first and proven losses last, the visits, the game's order."""
        return 1 if self.winner is None else 0 if self.lost else 2, self.visits, -self.index

    @property
    def all_lost(self) -> bool:
        """Whether every move from here is proven to lose."""
        return len(self.children) == self.moves and all(child.lost for child in self.children)

    def best_child(self, curiosity: float) -> TreeNode:
        """Return the child with the highest upper confidence bound that is not lost; of equals the latest."""
        log_visits = math.log(self.visits)

        def bound(node: TreeNode) -> float:
            return node.sum / node.visits + curiosity * math.sqrt(log_visits / node.visits)

        return max((child for child in reversed(self.children) if not child.lost), key=bound)


class TreeSearch:
    """The Monte Carlo tree search of mcts.hpp, in Python."""

    def __init__(self, seed: int) -> None:
        self.random = SplitMix(seed)
        self.nodes = 0
        self.deepest = 0
        self.margins = 0
        self.finished = 0

    def choose(self, root: State, playouts: int) -> tuple[str, float, int, int]:
        """Return (move, value, nodes, depth) of an open state."""
        tree = TreeNode()
        for _ in range(playouts):
            if tree.winner is None:
                self.play_out(tree, root)
        best = max(tree.children, key=lambda node: node.merit)
        return root.legal_moves[best.index], best.value, self.nodes, self.deepest

    def play_out(self, tree: TreeNode, root: State) -> None:
        """Walk down the tree, add a node, play on at random, and count the result all the way up."""
        state, path, grown = root, [tree], False
        curiosity = CURIOSITY[root.scores is not None]
        while state.outcome is None and not grown:
            moves, node = state.legal_moves, path[-1]
            grown = len(node.children) < len(moves)
            path.append(self.grow(node, len(moves), state.side) if grown else node.best_child(curiosity))
            state = state.play(moves[path[-1].index])
        self.deepest = max(self.deepest, len(path) - 1)
        self.nodes += len(path) - 1
        end, decided = self.finish(state)
        first = self.result(root, end)
        for node in path:
            node.visits += 1
            node.sum += first if node.mover == 0 else 1 - first
        if decided and end.outcome is not None and end.outcome.winner is not None:
            self.settle(path, end.outcome.winner)

    def settle(self, path: Sequence[TreeNode], winner: int) -> None:
        """Note who wins at the leaf, and above it where the winner had the move or the other has no better one."""
        for node, child in zip(reversed(path), (None, *reversed(path)), strict=False):
            if child is not None and child.mover != winner and not node.all_lost:
                return
            node.winner = winner

    def grow(self, parent: TreeNode, moves: int, mover: int) -> TreeNode:
        """Add a child; they come in the game's order from a random one on."""
        if not parent.children:
            parent.offset, parent.moves = self.random.below(moves), moves
        parent.children.append(TreeNode((parent.offset + len(parent.children)) % moves, mover))
        return parent.children[-1]

    def finish(self, state: State) -> tuple[State, bool]:
        """Play to the end of the game, half at random; return its result, and whether chance had no part in who won."""
        if state.scores is None:
            end = self.win_at_once(state) if state.outcome is None else state
            if end.outcome is not None:
                return end, True
        while state.outcome is None:
            state = self.step(state)
        return state, False

    def win_at_once(self, state: State) -> State:
        """Play the first move that wins; without one, stay."""
        for move in state.legal_moves:
            after = state.play(move)
            self.nodes += 1
            if after.outcome is not None and after.outcome.winner == state.side:
                return after
        return state

    def step(self, state: State) -> State:
        """Play the one of a few random moves that gains most immediately.

        Neither side can win immediately here. If that move lets the opponent win, play the next one, from a random move
        on, that does not.
        """
        moves, loser = state.legal_moves, state.side
        sampled = [state.play(moves[self.random.below(len(moves))]) for _ in range(SAMPLES)]
        self.nodes += SAMPLES
        best = max(sampled, key=lambda after: gain(state, after))
        if state.scores is not None:
            return best
        best = self.answered(best)
        if self.is_lost(best, loser):
            offset = self.random.below(len(moves))
            for move in (*moves[offset:], *moves[:offset]):
                self.nodes += 1
                best = self.answered(state.play(move))
                if not self.is_lost(best, loser):
                    break
        return best

    def answered(self, state: State) -> State:
        """Play a winning move if there is one."""
        return state if state.outcome is not None else self.win_at_once(state)

    @staticmethod
    def is_lost(state: State, loser: int) -> bool:
        """Return whether a game is over, and lost for a side."""
        return state.outcome is not None and state.outcome.winner == 1 - loser

    def result(self, root: State, end: State) -> float:
        """Return a finished game's result for the first player, from 0 to 1."""
        if root.scores is None or end.scores is None:
            assert end.outcome is not None
            return 0.5 if end.outcome.winner is None else 1.0 - end.outcome.winner
        margin = (end.scores[0] - root.scores[0]) - (end.scores[1] - root.scores[1])
        self.margins += abs(margin)
        self.finished += 1
        return 0.5 if margin == 0 else 0.5 + 0.5 * margin / (abs(margin) + self.margins / self.finished)
