"""What pruning saves: the searches of the textbook side by side, on one position, depth by depth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ludus.errors import UserError
from ludus.game import State
from ludus.search.teaching import DEPTH, SearchResult, look_ahead
from ludus.search.textbook import METHODS


class Comparison(NamedTuple):
    """One depth: what each method thought. All agree on move and value; nodes and seconds are what differs."""

    depth: int
    thoughts: Mapping[str, SearchResult]

    @property
    def move(self) -> str:
        """The best move."""
        return self.thoughts[METHODS[0]].move

    @property
    def value(self) -> float:
        """What it is worth to the side to move."""
        return self.thoughts[METHODS[0]].value

    @property
    def ratio(self) -> float:
        """How many times fewer nodes the last method needs than the first."""
        return self.thoughts[METHODS[0]].nodes / self.thoughts[METHODS[-1]].nodes


def compare_search(state: State, depth: int) -> Iterator[Comparison]:
    """Search an open state by every method, at every depth up to the one given."""
    DEPTH.read("depth", depth)
    if state.outcome is not None:
        raise UserError("search.nothing_to_search")
    for ply in range(1, depth + 1):
        yield Comparison(ply, {method: look_ahead(state, method, ply) for method in METHODS})
