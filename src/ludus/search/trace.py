"""The tree of a search of the textbook: what it looked at and in which order, its bounds, what it left out and why.

The search is `Textbook` itself, watched at its two doors, so that what is shown is what is searched. Values and bounds
are those of the side that searches, including the points won on the way: it is Max, its opponent is Min.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ludus.errors import UserError
from ludus.game import State
from ludus.search.textbook import METHODS, Textbook

TRACED = METHODS[:3]
"""The searches whose work is a tree; a table makes it a net."""
KINDS = ("inner", "leaf", "end")
"""A node is searched on, judged since the depth is reached, or the end of a game."""


class Visit:
    """A node of the tree; nodes are known by their number in the order of the search, the root is 0."""

    __slots__ = ("alpha", "alpha_by", "best", "beta", "beta_by", "kind", "move", "parent", "side", "skipped", "value")

    def __init__(self, parent: int, move: str) -> None:
        self.parent = parent
        self.move = move
        self.side = 0
        """Who moves next."""
        self.alpha, self.beta = -math.inf, math.inf
        """What Max and Min can already be sure of elsewhere, when the search comes here."""
        self.alpha_by: int | None = None
        self.beta_by: int | None = None
        """The nodes that they are sure of."""
        self.value = 0.0
        self.best: int | None = None
        """The child that the value comes from."""
        self.kind = KINDS[0]
        self.skipped: tuple[str, ...] = ()
        """The moves that were not looked at, since what was found reached beyond a bound."""


class SearchTree(NamedTuple):
    """A whole search."""

    root: State
    method: str
    depth: int
    move: str
    visits: list[Visit]

    @property
    def nodes(self) -> int:
        """What the search counts: the moves played."""
        return len(self.visits) - 1


def trace(root: State, method: str, depth: int, most_nodes: int) -> SearchTree:
    """Search an open state and return the tree; raise UserError if it has too many nodes."""
    if method not in TRACED:
        raise UserError("search.not_traceable", method=repr(method), traced=list(TRACED))
    if root.outcome is not None:
        raise UserError("search.nothing_to_search")
    watched = _Watched(root, method, depth, most_nodes)
    move, _, _ = watched.choose(root)
    top = watched.visits[0]
    top.best = next(index for index, visit in enumerate(watched.visits) if visit.parent == 0 and visit.move == move)
    top.value = watched.visits[top.best].value
    return SearchTree(root, method, depth, move, watched.visits)


class _Watched(Textbook):
    """The textbook's search, which records each visit."""

    def __init__(self, root: State, method: str, depth: int, most_nodes: int) -> None:
        super().__init__(method, depth)
        self.root = root
        self.most_nodes = most_nodes
        self.visits = [Visit(-1, "")]
        self.visits[0].side = root.side
        self.path = [0]

    def follow(self, state: State, move: str, depth: int, alpha: float, beta: float) -> float:
        """Play a move and search on; see whether it is the best so far."""
        if self.nodes >= self.most_nodes:
            code = "search.too_large" if self.prunes else "search.too_large_without_pruning"
            raise UserError(code, nodes=f"{self.most_nodes:,}")
        index, parent = len(self.visits), self.path[-1]
        above, visit = self.visits[parent], Visit(parent, move)
        is_max = above.side == self.root.side
        visit.alpha_by, visit.beta_by = above.alpha_by, above.beta_by
        if above.best is not None:
            so_far = self.visits[above.best].value
            if is_max and so_far > above.alpha:
                visit.alpha_by = above.best
            elif not is_max and so_far < above.beta:
                visit.beta_by = above.best
        self.visits.append(visit)
        self.path.append(index)
        found = super().follow(state, move, depth, alpha, beta)
        self.path.pop()
        if above.best is None or (visit.value - self.visits[above.best].value) * (1 if is_max else -1) > 0:
            above.best = index
        return found

    def search(self, state: State, depth: int, alpha: float, beta: float) -> float:
        """Search a node, and note its window, its value, and what was left out."""
        index = self.path[-1]
        visit, made = self.visits[index], self.made(state)
        is_max = state.side == self.root.side
        visit.side = state.side
        visit.alpha, visit.beta = (made + alpha, made + beta) if is_max else (made - beta, made - alpha)
        value = super().search(state, depth, alpha, beta)
        visit.value = made + value if is_max else made - value
        if state.outcome is not None:
            visit.kind = "end"
        elif depth == 0:
            visit.kind = "leaf"
        elif self.prunes:
            tried = {child.move for child in self.visits[index + 1 :] if child.parent == index}
            if len(tried) < len(state.legal_moves):
                moves = [state.legal_moves[number] for number in self.order(state, depth)]
                visit.skipped = tuple(move for move in moves if move not in tried)
        return value

    def made(self, state: State) -> float:
        """Return the points that the searching side has won since the root, minus its opponent's."""
        if state.scores is None or self.root.scores is None:
            return 0
        mine, theirs = (state.scores[side] - self.root.scores[side] for side in (self.root.side, 1 - self.root.side))
        return mine - theirs
