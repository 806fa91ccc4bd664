"""Gauntlet: one entry, or a few, against all the others.

The first `heroes` entries meet everybody else, `legs` times; the heroes do not meet each other, nor do the others. So
it measures a new bot against known ones with few games, or a course's named opponents against all submissions. Entries
stand as listed.

Ranking: score, the part of the game points won; then head to head, margin, fewer forfeits; then a rank is shared. Those
who beat a single hero are equal: a gauntlet compares each with the heroes, not with the others.
"""

from __future__ import annotations

from collections.abc import Iterable

from ludus.errors import UserError
from ludus.formats import _standings as by
from ludus.formats._schedule import GIVEN, Pairing, Schedule
from ludus.formats._standings import Standings
from ludus.formats.round_robin import LEGS
from ludus.game import Number


class Gauntlet(Schedule):
    """A few against all the others."""

    name = "gauntlet"
    options = GIVEN | {"heroes": Number(1, 499, 1, "how many of the first entries meet all the others"), "legs": LEGS}

    def prepare(self) -> None:
        """Part the field."""
        heroes = self.number("heroes")
        if heroes >= len(self.order):
            raise UserError("formats.gauntlet_too_small", heroes=heroes, least=heroes + 1, count=len(self.order))
        self.heroes, self.others = self.order[:heroes], self.order[heroes:]

    def start(self) -> Iterable[Pairing]:
        """Return every pairing, one of the others after another."""
        number = 0
        for leg in range(self.number("legs")):
            for turn, other in enumerate(self.others):
                number += 1
                for index, hero in enumerate(self.heroes, 1):
                    first, second = (hero, other) if (leg + turn + index) % 2 else (other, hero)
                    yield Pairing(f"R{number}.{index}", first, second, number)

    def standings(self) -> Standings:
        """Rank by score."""
        criteria = (by.SCORE, by.HEAD_TO_HEAD, by.MARGIN, by.FORFEITS)
        return by.rank(self.order, criteria, self.table, self.withdrawn)


FORMAT = Gauntlet
