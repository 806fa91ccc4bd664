"""Round robin: each meets each, `legs` times.

Rounds come from the circle method: one entry stays, the others go round. With an odd number one of them has a free
round each time, which counts nothing. Rounds only order the play: every pairing can be played from the start. Who is
named first evens out.

Ranking: score, the part of the game points won (or the win rate W of the courses, in which a drawn game counts nothing:
`rank_by=wins`; without draws the two are one); then head to head, Sonneborn-Berger, margin, fewer forfeits; then a rank
is shared. A pairing counts 1 in all however many games it has, so a walkover weighs as much as a pairing that was
played.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ludus.formats import _standings as by
from ludus.formats._schedule import ORDER, Pairing, Schedule
from ludus.formats._standings import Standings
from ludus.game import Choice, Number

TIE_BREAKS = (by.HEAD_TO_HEAD, by.SONNEBORN_BERGER, by.MARGIN, by.FORFEITS)
LEGS = Number(1, 20, 1, "how often two entries meet; each meeting is a pairing of its own")


def circle(entries: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """Return the rounds in which each meets each once."""
    count = len(entries)
    ring = list(range(count + count % 2))
    half = len(ring) // 2
    for _ in range(len(ring) - 1):
        pairs = []
        for one, other in zip(ring[:half], ring[: half - 1 : -1], strict=True):
            low, high = sorted((one, other))
            if high < count:  # the place beyond the last is a free round
                first, second = (low, high) if (high - low) % 2 else (high, low)  # evens out, to one at most
                pairs.append((entries[first], entries[second]))
        yield pairs
        ring.insert(1, ring.pop())


class RoundRobin(Schedule):
    """Each meets each."""

    name = "round-robin"
    options = ORDER | {
        "legs": LEGS,
        "rank_by": Choice(
            ("score", "wins"), "score", "a drawn game counts half, or nothing as in the courses' win rate W"
        ),
    }

    def start(self) -> Iterable[Pairing]:
        """Return every pairing, round by round."""
        number = 0
        for leg in range(self.number("legs")):
            for pairs in circle(self.order):
                number += 1
                for index, pair in enumerate(pairs, 1):
                    first, second = pair if leg % 2 == 0 else pair[::-1]
                    yield Pairing(f"R{number}.{index}", first, second, number)

    def standings(self) -> Standings:
        """Rank by score or win rate."""
        criterion = by.WIN_RATE if self.settings["rank_by"] == "wins" else by.SCORE
        return by.rank(self.order, (criterion, *TIE_BREAKS), self.table, self.withdrawn)


FORMAT = RoundRobin
