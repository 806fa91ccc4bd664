"""Knockout: who loses a pairing is out.

The draw has the next power of two of places; place 1 meets the last, and places 1 and 2 can only meet in the final.
What the field lacks is byes, and they go to the first places. With `third_place=yes` those who lost the semi-finals
play for rank 3.

A tied pairing is played again up to `replays` times; if it is still tied, fewer forfeits decide, then more time left,
then the better place in the draw. An entry that withdraws loses its current or next pairing. A field of n
plays n - 1 pairings, one more for rank 3.
Ranking: how far each came; then games won, margin, fewer forfeits; then a rank is shared.
"""

from __future__ import annotations

from collections.abc import Iterable

from ludus.formats._bracket import BracketNode, Elimination, Reached
from ludus.formats._schedule import Pairing
from ludus.game import Choice


class Knockout(Elimination):
    """One loss is out."""

    name = "knockout"
    options = Elimination.options | {"third_place": Choice(("no", "yes"), "no", "whether rank 3 is played for")}

    def start(self) -> Iterable[Pairing]:
        """Draw the first round."""
        rounds = self.winners_bracket(1 << (len(self.order) - 1).bit_length(), "", "R")
        if self.settings["third_place"] == "yes" and len(rounds) > 1:
            third = self.node("third", "third place", 1)
            for slot, semi_final in enumerate(rounds[-2]):
                self.link(semi_final, third, slot, loser=True)
        return self.seat(rounds[0], self.order)

    def level(self, node: BracketNode) -> float:
        """Return the round; the contest for rank 3 comes between the semi-finals and the final."""
        return self._last - 0.75 if node.stage else node.round

    def level_name(self, level: float) -> Reached:
        """Name the last rounds, number the others."""
        named = {0.5: "won-final", 0: "final", -0.25: "won-third-place", -0.75: "fourth-place"}
        last = named.get(level - self._last)
        return Reached(last) if last else Reached("round", int(level))

    @property
    def _last(self) -> int:
        return (len(self.order) - 1).bit_length()


FORMAT = Knockout
