"""Double elimination: who loses two pairings is out.

Groups (the Cantris course: programs are randomly grouped): with `groups=G` the field is first dealt at random into G
groups that play a round robin each. Nobody is out and no loss counts there; they decide the places of the bracket: all
group winners first, by score, then all second, and so on, with places of equal rank changed where two of a group would
meet at once.

Winners' bracket: a knockout; the first places get the byes. Its losers drop into the losers' bracket, which alternates
rounds among themselves with rounds against the losers of the next winners' round; a second loss there is out. A player
who drops in is sent to a part of the losers' bracket away from those whom they have beaten, so that two meet again as
late as the size allows. Empty places let the opponent through, in both brackets.
Final: the winner of the winners' bracket meets the winner of the losers' bracket. If the latter wins, both have lost
once, and a second final decides (`reset=no` does without). So a field of n plays 2n - 2 pairings, or one more.

Ties and withdrawals as in the knockout. Ranking: how far each came; then games won (the course: the more games you win,
the higher the score), margin, fewer forfeits; then a rank is shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ludus.errors import UserError
from ludus.formats import _standings as by
from ludus.formats._bracket import BracketNode, Elimination, Origin, Reached
from ludus.formats._schedule import Pairing, Result
from ludus.formats.round_robin import TIE_BREAKS, circle
from ludus.game import Choice, Number

FINAL = 900.0


def drops(rounds: int) -> list[int]:
    """Say where losers go: contest m of winners' round r drops to the part m ^ drops[r] of the losers' bracket.

    Counted from 0. Who drops in round r has beaten only people of their own block of the draw, and those who fell in
    round s are by now in the part that is m ^ (drops[s] >> (r - s)). So the parts of two who have met differ by
    drops[r] ^ (drops[s] >> (r - s)): the longer that number, the later their parts join. The choice makes the shortest
    of these as long as it can be.
    """
    chosen = [0]
    for number in range(1, rounds):
        before = [mask >> (number - index) for index, mask in enumerate(chosen)]
        parts = 1 << (rounds - 1 - number)
        chosen.append(max(range(parts), key=lambda mask: sorted((mask ^ other).bit_length() for other in before)))
    return chosen


class DoubleElimination(Elimination):
    """Two losses are out."""

    name = "double-elimination"
    options = Elimination.options | {
        "groups": Number(0, 250, 0, "how many groups play a round robin for the places of the bracket; 0 for none"),
        "reset": Choice(
            ("yes", "no"), "yes", "whether the final is played again when the winners' side loses the first"
        ),
    }

    def start(self) -> Iterable[Pairing]:
        """Draw the groups, or the bracket where there are none."""
        count = self.number("groups")
        if not count:
            return self._draw_bracket(self.order)
        if count > len(self.order) // 2:
            raise UserError("formats.too_many_groups", count=len(self.order), groups=count)
        drawn = list(self.order)
        self.lot("groups").shuffle(drawn)
        self.groups = [drawn[index::count] for index in range(count)]
        pairings = list(self._group_pairings())
        self._group_open = len(pairings)
        return pairings

    def _group_pairings(self) -> Iterator[Pairing]:
        for index, group in enumerate(self.groups, 1):
            for number, pairs in enumerate(circle(group), 1):
                for pair, (first, second) in enumerate(pairs, 1):
                    yield Pairing(f"G{index}.{number}.{pair}", first, second, number, f"group {index}")

    def follow(self, result: Result) -> Iterable[Pairing]:
        """Draw the bracket after the last result of the groups; then go on as a bracket does."""
        if not result.pairing.stage.startswith("group"):
            return super().follow(result)
        self._group_open -= 1
        return () if self._group_open else self._draw_bracket(self._places_from_groups())

    def _places_from_groups(self) -> list[str]:
        """Rank all first of the groups, then all second…; then keep those of a group apart in the first round."""
        group_of = {entry: index for index, group in enumerate(self.groups) for entry in group}
        tables = [by.rank(group, (by.SCORE, *TIE_BREAKS), self.table).rows for group in self.groups]
        finish = {row.entry: place for rows in tables for place, row in enumerate(rows)}
        ranked = sorted(self.order, key=lambda entry: (finish[entry], -self.table.totals[entry].score))
        for place in range(len(ranked)):
            equals = [other for other in range(len(ranked)) if finish[ranked[other]] == finish[ranked[place]]]
            for other in sorted(equals, key=lambda other: abs(other - place)):
                if not self._clash(ranked, place, group_of):
                    break
                ranked[place], ranked[other] = ranked[other], ranked[place]
                if self._clash(ranked, place, group_of) or self._clash(ranked, other, group_of):
                    ranked[place], ranked[other] = ranked[other], ranked[place]
        return ranked

    @staticmethod
    def _clash(ranked: list[str], place: int, group_of: dict[str, int]) -> bool:
        """Return whether a place's first opponent, in the first round or both after a bye, is of the same group."""
        size = 1 << (len(ranked) - 1).bit_length()
        rival = size - 1 - place
        if rival >= len(ranked):
            rival = size // 2 - 1 - place
            if rival < 0 or size - 1 - rival < len(ranked):
                return False
        return group_of[ranked[place]] == group_of[ranked[rival]]

    def _draw_bracket(self, ranked: Iterable[str]) -> Iterable[Pairing]:
        ranked = list(ranked)
        self.place = {entry: index for index, entry in enumerate(ranked)}
        winners = self.winners_bracket(1 << (len(ranked) - 1).bit_length(), "winners", "W")
        losers = self._losers_bracket(winners)
        final = self.node("F1", "final", 1)
        self.link(winners[-1][0], final, 0)
        if losers is None:
            self.link(winners[-1][0], final, 1, loser=True)
        else:
            self.link(losers, final, 1)
        if self.settings["reset"] == "yes":
            self.node("F2", "final", 2).sources = [Origin("if-needed"), Origin("if-needed")]
        return self.seat(winners[0], ranked)

    def _losers_bracket(self, winners: list[list[BracketNode]]) -> BracketNode | None:
        """Add the losers' bracket, link the losers of every winners' round to it, and return its last contest."""
        masks = drops(len(winners))
        number, parts = 0, winners[0]
        for round_index, dropping in enumerate(winners[1:], 1):
            number += 1  # among themselves
            among = [self.node(f"L{number}.{i + 1}", "losers", number) for i in range(len(parts) // 2)]
            for index, before in enumerate(parts):
                self.link(before, among[index // 2], index % 2, loser=round_index == 1)
            number += 1  # against those who drop in
            parts = [self.node(f"L{number}.{i + 1}", "losers", number) for i in range(len(among))]
            for index, before in enumerate(among):
                self.link(before, parts[index], 0)
                self.link(dropping[index], parts[index ^ masks[round_index]], 1, loser=True)
        return parts[0] if number else None

    def advance(self, node: BracketNode, winner: str | None, loser: str | None) -> Iterator[Pairing]:
        """Play the final again when it was the winners' side's first loss."""
        second = self.nodes.pop("F2", None) if node.key == "F1" else None
        if second is not None and node.winner == 1:
            self.nodes["F2"] = second
            for slot, entry in enumerate(node.entries):
                yield from self.fill(second, slot, entry)
        else:
            yield from super().advance(node, winner, loser)

    def level(self, node: BracketNode) -> float:
        """Return the round of the losers' bracket; the final comes after all of them."""
        return FINAL if node.stage == "final" else node.round

    def level_name(self, level: float) -> Reached:
        """Name the final, number the rounds of the losers' bracket."""
        if level >= FINAL:
            return Reached("won-final" if level > FINAL else "final")
        return Reached("losers-round", int(level))


FORMAT = DoubleElimination
