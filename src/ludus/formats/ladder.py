"""Ladder: a rank list on which entries challenge those above, as in the Chain Reaction course.

A challenge goes to one of the `reach` ranks above. If the challenger wins the pairing, they take the defender's place,
and everybody from there to the challenger's old place moves down one; a tie or a loss changes nothing. Against trying
until luck helps, and against two friends who lift each other: only upwards, only within reach, and two who have met n
times wait n times `rest` rounds (n up to 8) before they meet again.

As a tournament: in each round everybody challenges once or is challenged once, as far as the rules let them. Who has
waited longest for a challenge of their own chooses first (lots decide between equals), and takes the highest within
reach who is free. The pairings of a round count from the top of the list down when all are in. Entries stand as listed
at the start. Who withdraws leaves the list.
Rounds: as given, else four times as many as the last needs at best to climb to the top, and eight more, since one is
often challenged instead.
Ranking: the list. Nothing is ever tied.
"""

from __future__ import annotations

from collections.abc import Iterable

from ludus.errors import UserError
from ludus.formats import _standings as by
from ludus.formats._schedule import GIVEN, Pairing, Result, Rounds
from ludus.formats._standings import Standings
from ludus.game import Number
from ludus.messages import Message

MOST_WAITS = 8


class RankList:
    """The list and its rules, for a tournament in rounds and for an arena where people challenge at will.

    Results count in the order in which they are added. Rounds may be those of a tournament, or
    hours.
    """

    def __init__(self, entries: Iterable[str], reach: int = 5, rest: int = 1) -> None:
        self.order = list(entries)
        self.reach = reach
        self.rest = rest
        self._meetings: dict[frozenset[str], tuple[int, int]] = {}

    def rank(self, entry: str) -> int:
        """Return the rank of an entry, from 1."""
        return self.order.index(entry) + 1

    def join(self, entry: str) -> None:
        """Add a new entry at the end."""
        if entry in self.order:
            raise UserError("formats.ladder_listed", entry=entry, rank=self.rank(entry))
        self.order.append(entry)

    def leave(self, entry: str) -> None:
        """Remove an entry from the list."""
        self.order.remove(entry)

    def open_to(self, challenger: str, round_number: int) -> tuple[str, ...]:
        """Return the entries that an entry may challenge now, the highest first."""
        place = self.order.index(challenger)
        above = self.order[max(0, place - self.reach) : place]
        return tuple(entry for entry in above if self.free_from(challenger, entry) <= round_number)

    def why_not(self, challenger: str, defender: str, round_number: int) -> Message | None:
        """Return why a challenge is not allowed; None when it is."""
        for entry in (challenger, defender):
            if entry not in self.order:
                return Message("formats.ladder_not_listed", entry=entry)
        ahead = self.rank(challenger) - self.rank(defender)
        if not 0 < ahead <= self.reach:
            at, above = self.rank(challenger), self.rank(defender)
            return Message("formats.ladder_out_of_reach", challenger=challenger, at=at, reach=self.reach, above=above)
        free = self.free_from(challenger, defender)
        if free > round_number:
            return Message("formats.ladder_met_recently", challenger=challenger, defender=defender, round=free)
        return None

    def free_from(self, one: str, other: str) -> int:
        """Return the first round in which two may meet again."""
        times, last = self._meetings.get(frozenset((one, other)), (0, 0))
        return last + 1 + self.rest * min(times, MOST_WAITS) if times else 0

    def add(self, result: Result) -> None:
        """Add a challenge, the challenger named first. A challenger that is already above the defender stays there."""
        challenger, defender = result.pairing.first, result.pairing.second
        both = frozenset((challenger, defender))
        self._meetings[both] = self._meetings.get(both, (0, 0))[0] + 1, result.pairing.round
        if challenger in self.order and defender in self.order and result.points == 1:
            place = self.order.index(defender)
            if self.order.index(challenger) > place:
                self.order.remove(challenger)
                self.order.insert(place, challenger)


class Ladder(Rounds):
    """A rank list in rounds."""

    name = "ladder"
    options = GIVEN | {
        "rounds": Number(1, 5000, None, "how many rounds; by default enough for the last to climb to the top"),
        "reach": Number(1, 499, 5, "how many ranks above one may challenge"),
        "rest": Number(0, 100, 1, "how many rounds two wait after they have met, for each time they have"),
    }

    def prepare(self) -> None:
        """Create the list."""
        super().prepare()
        self.list = RankList(self.order, self.number("reach"), self.number("rest"))
        self.challenged = dict.fromkeys(self.order, 0)
        """The round of each entry's last challenge."""
        self._pending: list[Result] = []

    @property
    def last_round(self) -> int:
        """As given, or four times what a climb from the end takes at best, and a few more."""
        return self.number("rounds", 8 + 4 * -(-(len(self.order) - 1) // self.number("reach")))

    def draw(self, number: int) -> list[Pairing]:
        """Choose a defender for each entry, those who waited longest first."""
        active = set(self.active())
        for entry in [entry for entry in self.list.order if entry not in active]:
            self.list.leave(entry)
        lots = list(self.list.order)
        self.lot("round", number).shuffle(lots)
        taken: set[str] = set()
        pairs = []
        for challenger in sorted(lots, key=self.challenged.__getitem__):
            if challenger not in taken:
                defender = next((e for e in self.list.open_to(challenger, number) if e not in taken), None)
                if defender is not None:
                    taken |= {challenger, defender}
                    self.challenged[challenger] = number
                    pairs.append((self.list.rank(defender), challenger, defender))
        return [Pairing(f"R{number}.{i}", one, other, number) for i, (_, one, other) in enumerate(sorted(pairs), 1)]

    def follow(self, result: Result) -> Iterable[Pairing]:
        """Change the list when the round is over, from the top down, whatever the order of the results."""
        self._pending.append(result)
        if self._open == 1:
            for settled in sorted(self._pending, key=lambda result: int(result.key.partition(".")[2])):
                self.list.add(settled)
            self._pending = []
        return super().follow(result)

    def standings(self) -> Standings:
        """Rank by the list; withdrawn entries come last."""
        place = {entry: index for index, entry in enumerate(self.list.order, 1) if entry not in self.withdrawn}
        last = len(self.order)
        on_list = by.Criterion(
            "rank list",
            Message("formats.help.rank_list"),
            lambda _, level: {e: -place.get(e, last + self.place[e] + 1) for e in level},
        )
        return by.rank(self.order, (on_list,), self.table, self.withdrawn)


FORMAT = Ladder
