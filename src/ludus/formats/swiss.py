"""Swiss: in each round, players with about the same points meet, who have not met before.

A round is drawn when the one before is over. Groups of equal points are taken from the top: the upper half of a group
(by points, then by the drawn order) meets the lower half, one by one; who finds no new opponent in the group goes down
to the next. When somebody is left over at the end, pairs are opened again along the shortest chain that helps, so that
a round without any rematch is found if there is one; if there is none, the number of rematches is the least. With an
odd number the bye goes to the lowest who has had none and without whom the rest can be paired; it counts as a pairing
won. Who has been named first less often is named first.

Rounds: as given, else enough for one winner (log2 of the field, rounded up) and two more, as far as there are
opponents.
Who withdraws loses the pairing of that round, and is not drawn again.
Ranking: points (1 for a pairing won, ½ tied), Buchholz (a bye counts as an opponent level with oneself), Buchholz cut
1, head to head, Sonneborn-Berger, margin, fewer forfeits; then a rank is shared.
"""

from __future__ import annotations

from itertools import groupby

from ludus.formats import _standings as by
from ludus.formats._matching import maximum_matching
from ludus.formats._schedule import ORDER, Pairing, Rounds
from ludus.formats._standings import Standings
from ludus.formats.round_robin import TIE_BREAKS
from ludus.game import Number


class Swiss(Rounds):
    """Equal points meet."""

    name = "swiss"
    options = ORDER | {"rounds": Number(1, 499, None, "how many rounds; by default log2 of the field and two more")}

    @property
    def last_round(self) -> int:
        """As given, or enough for one winner and two more; never more than there are opponents by default."""
        size = len(self.order)
        return self.number("rounds", min((size - 1).bit_length() + 2, size - 1 + size % 2))

    def draw(self, number: int) -> list[Pairing]:
        """Pair those who are still in, from the top."""
        players = sorted(self.active(), key=lambda entry: -self.table.totals[entry].points)
        pairs, bye = self._pairs_and_bye(players)
        if bye is not None:
            self.table.bye(bye)
            self.byes.append((number, bye))
        return [
            Pairing(f"R{number}.{index}", *self._seats(one, other), number)
            for index, (one, other) in enumerate(pairs, 1)
        ]

    def _pairs_and_bye(self, players: list[str]) -> tuple[list[tuple[str, str]], str | None]:
        """Return the pairs and the bye: the lowest of those with fewest byes, or another if that avoids rematches."""
        if len(players) % 2 == 0:
            return self._pairs(players)[0], None
        fewest = min((self.table.totals[player].byes for player in players), default=0)
        candidates = [player for player in reversed(players) if self.table.totals[player].byes == fewest]
        for bye in candidates:
            pairs, rematches = self._pairs([player for player in players if player != bye])
            if rematches == 0:
                return pairs, bye
        bye = candidates[0]
        return self._pairs([player for player in players if player != bye])[0], bye

    def _pairs(self, players: list[str]) -> tuple[list[tuple[str, str]], int]:
        """Return the pairs of an even number of players, best first, and how many are rematches."""
        partner: dict[str, str] = {}
        single: list[str] = []
        for _, level in groupby(players, key=lambda player: self.table.totals[player].points):
            group = single + list(level)
            maximum_matching(self._choices(group), partner)
            single = [player for player in group if player not in partner]
        if single:
            maximum_matching(self._choices(players), partner)
            single = [player for player in players if player not in partner]
        for one in single:
            if one not in partner:
                others = [other for other in single if other not in partner and other != one]
                other = min(others, key=lambda other: self.table.met(one, other))
                partner[one], partner[other] = other, one
        seen: set[str] = set()
        pairs = []
        for player in players:
            if player not in seen:
                seen |= {player, partner[player]}
                pairs.append((player, partner[player]))
        return pairs, len(single) // 2

    def _choices(self, group: list[str]) -> dict[str, list[str]]:
        """Return the preferred opponents of each player: the one half a group away, then the nearest to that one."""
        half = len(group) // 2
        choices = {}
        for index, player in enumerate(group):
            met = self.table.against[player]
            want = index + half if index < half else index - half
            near = sorted(range(len(group)), key=lambda other: abs(other - want))
            choices[player] = [group[other] for other in near if other != index and group[other] not in met]
        return choices

    def _seats(self, one: str, other: str) -> tuple[str, str]:
        firsts = self.table.totals
        return (other, one) if firsts[one].firsts > firsts[other].firsts else (one, other)

    def standings(self) -> Standings:
        """Rank by points, then by the strength of the opponents."""
        criteria = (by.POINTS, by.BUCHHOLZ, by.BUCHHOLZ_CUT, *TIE_BREAKS)
        return by.rank(self.order, criteria, self.table, self.withdrawn)


FORMAT = Swiss
