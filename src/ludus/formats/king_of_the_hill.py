"""King of the hill: one holds the hill, the others come up one after another.

The first of the drawn order holds it at the start, and the others queue in that order. Each round the next in the queue
challenges the king. Only a pairing won takes the hill; a tie leaves it. The loser goes to the end of the queue. After
`laps` times as many challenges as there are others, it is over; so in each lap everybody gets one turn. Who has
withdrawn gets no turn; a king who withdraws loses the hill to the next.

Ranking: who holds the hill; the longest reign (pairings won in a row as king, the one that took the hill among them);
points; margin; fewer forfeits; then a rank is shared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ludus.formats import _standings as by
from ludus.formats._schedule import ORDER, Pairing, Result, Rounds
from ludus.formats._standings import Standings
from ludus.game import Number
from ludus.messages import Message


class KingOfTheHill(Rounds):
    """The winner stays."""

    name = "king-of-the-hill"
    options = ORDER | {"laps": Number(1, 100, 1, "how many turns everybody gets")}

    def prepare(self) -> None:
        """Put the first on the hill."""
        super().prepare()
        self.king, *self.queue = self.order
        self.reign = 0
        self.longest: Counter[str] = Counter()

    @property
    def last_round(self) -> int:
        """The number of challenges in which each entry has its turns."""
        return self.number("laps") * (len(self.order) - 1)

    def draw(self, number: int) -> list[Pairing]:
        """Let the next in the queue challenge the king."""
        active = set(self.active())
        self.queue = [entry for entry in self.queue if entry in active]
        if self.king not in active and self.queue:
            self.king = self.queue.pop(0)
            self.reign = 0
        return [Pairing(f"R{number}.1", self.king, self.queue[0], number)] if self.queue else []

    def follow(self, result: Result) -> Iterable[Pairing]:
        """Let the hill change hands if the challenger won."""
        challenger = self.queue.pop(0)
        if result.points == 0:
            self.queue.append(self.king)
            self.king, self.reign = challenger, 1
        else:
            self.queue.append(challenger)
            self.reign += result.points == 1
        self.longest[self.king] = max(self.longest[self.king], self.reign)
        return super().follow(result)

    def standings(self) -> Standings:
        """Rank the king first, then by the longest reign."""
        hill = by.Criterion(
            "on the hill", Message("formats.help.on_the_hill"), lambda _, level: {e: e == self.king for e in level}
        )
        reign = by.Criterion(
            "longest reign", Message("formats.help.longest_reign"), lambda _, level: {e: self.longest[e] for e in level}
        )
        criteria = (hill, reign, by.POINTS, by.MARGIN, by.FORFEITS)
        return by.rank(self.order, criteria, self.table, self.withdrawn)


FORMAT = KingOfTheHill
