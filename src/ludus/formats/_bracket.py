"""Brackets: contests whose winner, and perhaps whose loser, plays in another.

A slot of a contest is filled by a place of the draw or from another contest; if it is empty the opponent advances, so
byes need no rule of their own, whatever the number of entries. Does not know which contests a format has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ludus.formats import _standings as by
from ludus.formats._schedule import ORDER, Pairing, Result, Schedule
from ludus.formats._standings import Criterion, Standings
from ludus.game import Number
from ludus.messages import Message, known

STILL_IN = 1000.0


class Origin(NamedTuple):
    """Where an entry of a contest comes from, as data."""

    kind: str
    """`place` of the draw, `winner` or `loser` of a contest, `bye`, `if-needed`, or empty while unknown."""
    of: str = ""
    """The number of the place, or the key of the contest."""

    @property
    def message(self) -> Message:
        """What people read."""
        return Message(f"formats.origin.{self.kind or 'open'}", of=self.of)


class Reached(NamedTuple):
    """How far an entry came, as data."""

    code: str
    """`still-in`, `won-final`, `final`, `won-third-place`, `fourth-place`, `losers-round` or `round`."""
    number: int | None = None
    """Of the round, where it is one of many."""

    @property
    def message(self) -> Message:
        """What people read."""
        return Message(f"reached.{self.code}", n=self.number or 0)


class Slot(NamedTuple):
    """One side of a contest as a picture needs it."""

    entry: str | None
    """None while unknown, and for a bye."""
    source: Origin
    score: float | None
    """Game points won, over replays as well; None before the first game."""


class Contest(NamedTuple):
    """One contest of a bracket as a picture needs it."""

    key: str
    slots: tuple[Slot, Slot]
    winner: int | None
    """The slot that went on."""
    bye: bool
    """It is not played; a picture may leave it out."""
    feeds: str | None
    """The contest in which the winner plays next."""
    tie_break: str = ""
    """What decided it after as many games won as lost: `margin`, `failures`, `time-left` or `draw`; else empty."""


class BracketRound(NamedTuple):
    """One column of a picture."""

    stage: str
    round: int
    contests: tuple[Contest, ...]


def round_title(stage: str, number: int) -> Message:
    """Return what a round of a bracket is called."""
    if not stage:
        return Message("plots.round", round=number)
    return Message("plots.stage_round", stage=known(f"stage.{stage}", stage), round=number)


def tie_message(
    contest: Message, names: Sequence[Message | str], scores: Sequence[float | None], winner: int | None, by: str
) -> Message:
    """Return which tie-break decided a contest, and for whom."""
    return Message(
        "tournament.tied",
        contest=contest,
        first=names[0],
        second=names[1],
        score=" – ".join(f"{score or 0:g}" for score in scores),
        winner=names[winner or 0],
        by=Message(f"formats.tie.{by}"),
    )


class BracketNode:
    """A contest while the tournament runs."""

    def __init__(self, key: str, stage: str, number: int) -> None:
        self.key, self.stage, self.round = key, stage, number
        self.entries: list[str | None] = [None, None]
        self.sources = [Origin(""), Origin("")]
        self.filled = 0
        self.winner: int | None = None
        self.tie_break = ""
        self.winner_to: tuple[BracketNode, int] | None = None
        self.loser_to: tuple[BracketNode, int] | None = None
        self.results: list[Result] = []


def places(size: int) -> list[int]:
    """Return the places of a draw of 2, 4, 8… so that the best meet as late as possible: 0 and 1 only in the final."""
    order = [0]
    while len(order) < size:
        order = [place for index in order for place in (index, 2 * len(order) - 1 - index)]
    return order


class Elimination(Schedule):
    """What knockout and double elimination share: filling slots, deciding contests, leaving."""

    options = ORDER | {
        "replays": Number(
            0, 9, 1, "how often a tied pairing is played again before forfeits, time left and the draw decide"
        )
    }

    def prepare(self) -> None:
        """Begin with an empty bracket."""
        self.nodes: dict[str, BracketNode] = {}
        self.exits: dict[str, float] = {}
        """How far each eliminated entry came, and the winner of the tournament."""

    def node(self, key: str, stage: str, number: int) -> BracketNode:
        """Add a contest."""
        self.nodes[key] = made = BracketNode(key, stage, number)
        return made

    def winners_bracket(self, size: int, stage: str, letter: str) -> list[list[BracketNode]]:
        """Add the rounds of a plain knockout of 2, 4, 8… places."""
        rounds: list[list[BracketNode]] = []
        while size > 1:
            size //= 2
            number = len(rounds) + 1
            rounds.append([self.node(f"{letter}{number}.{index + 1}", stage, number) for index in range(size)])
            for index, before in enumerate(rounds[-2] if number > 1 else ()):
                self.link(before, rounds[-1][index // 2], index % 2)
        return rounds

    @staticmethod
    def link(before: BracketNode, after: BracketNode, slot: int, *, loser: bool = False) -> None:
        """Let the winner of a contest, or its loser, play in another."""
        if loser:
            before.loser_to = after, slot
        else:
            before.winner_to = after, slot
        after.sources[slot] = Origin("loser" if loser else "winner", before.key)

    def seat(self, first_round: Sequence[BracketNode], ranked: Sequence[str]) -> Iterator[Pairing]:
        """Put the entries, best first, on the places of a first round; the best get the byes."""
        for index, place in enumerate(places(2 * len(first_round))):
            node, slot = first_round[index // 2], index % 2
            entry = ranked[place] if place < len(ranked) else None
            node.sources[slot] = Origin("place", str(place + 1)) if entry is not None else Origin("bye")
            yield from self.fill(node, slot, entry)

    def fill(self, node: BracketNode, slot: int, entry: str | None) -> Iterator[Pairing]:
        """Fill a slot; a contest with two entries is a pairing, with one entry that entry advances."""
        node.entries[slot] = entry
        node.filled += 1
        if node.filled == 2:
            if None not in node.entries:
                yield self._pairing(node)
            else:
                yield from self._decide(node, 0 if node.entries[1] is None else 1)

    def follow(self, result: Result) -> Iterable[Pairing]:
        """Advance the winner, and the loser where losers play on; or play a tie again."""
        node = self.nodes.get(result.key.partition("+")[0])
        if node is None:
            return ()
        node.results.append(result)
        if result.points == 0.5 and len(node.results) <= self.number("replays"):
            return [self._pairing(node)]
        return self._decide(node, self._slot_of_winner(node))

    def _pairing(self, node: BracketNode) -> Pairing:
        first, second = node.entries
        assert first is not None and second is not None
        again = f"+{len(node.results)}" if node.results else ""
        return Pairing(node.key + again, first, second, node.round, node.stage)

    def _slot_of_winner(self, node: BracketNode) -> int:
        """Decide by the last pairing; if that is tied, by forfeits, time left, and the draw."""
        last = node.results[-1]
        if last.points != 0.5:
            node.tie_break = "margin" if last.wins == last.losses and not last.walkover else ""
            return int(last.points == 0)
        forfeits = sum(result.forfeits[0] - result.forfeits[1] for result in node.results)
        seconds = sum(result.seconds[1] - result.seconds[0] for result in node.results)
        first, second = node.entries
        assert first is not None and second is not None
        differences = {"failures": forfeits, "time-left": seconds, "draw": self.place[first] - self.place[second]}
        node.tie_break = next((name for name, value in differences.items() if value), "draw")
        return int(differences[node.tie_break] > 0)

    def _decide(self, node: BracketNode, slot: int) -> Iterator[Pairing]:
        node.winner = slot
        yield from self.advance(node, node.entries[slot], node.entries[1 - slot])

    def advance(self, node: BracketNode, winner: str | None, loser: str | None) -> Iterator[Pairing]:
        """Advance winner and loser to their next contests, or eliminate them."""
        if node.winner_to is not None:
            yield from self.fill(*node.winner_to, winner)
        elif winner is not None:
            self.exits[winner] = self.level(node) + 0.5
        if node.loser_to is not None:
            yield from self.fill(*node.loser_to, loser)
        elif loser is not None:
            self.exits[loser] = self.level(node)

    def level(self, node: BracketNode) -> float:
        """Return how far the loser of a contest came, as a number; the winner of a last contest has 0.5 more."""
        raise NotImplementedError

    def level_name(self, level: float) -> Reached:
        """Return the name of such a number."""
        raise NotImplementedError

    def losses(self, entry: str) -> int:
        """Return how many contests an entry has lost."""
        return sum(
            node.winner is not None and entry == node.entries[1 - node.winner] and None not in node.entries
            for node in self.nodes.values()
        )

    def reached(self) -> Criterion:
        """Return the criterion that ranks entries by how far they came, those still in first."""

        def named(value: float) -> Reached:
            return Reached("still-in") if value == STILL_IN else self.level_name(value)

        return by.Criterion(
            "reached",
            Message("formats.help.reached"),
            lambda _, level: {entry: self.exits.get(entry, STILL_IN) for entry in level},
            named,
        )

    def standings(self) -> Standings:
        """Rank by how far each came, then by the games won on the way."""
        criteria = (self.reached(), by.GAMES_WON, by.MARGIN, by.FORFEITS)
        return by.rank(self.order, criteria, self.table, self.withdrawn)

    def bracket(self) -> tuple[BracketRound, ...]:
        """Return the rounds of the bracket as plain data."""
        columns: dict[tuple[str, int], list[Contest]] = {}
        for node in self.nodes.values():
            columns.setdefault((node.stage, node.round), []).append(self._contest(node))
        return tuple(BracketRound(stage, number, tuple(contests)) for (stage, number), contests in columns.items())

    @staticmethod
    def _contest(node: BracketNode) -> Contest:
        played = [result for result in node.results if not result.walkover]
        scores: tuple[float | None, float | None] = (None, None)
        if played:
            draws = sum(result.draws for result in played) / 2
            scores = sum(result.wins for result in played) + draws, sum(result.losses for result in played) + draws
        feeds = node.winner_to[0].key if node.winner_to else None
        slots = [
            Slot(entry, Origin("bye") if entry is None and node.filled == 2 else source, score)
            for entry, source, score in zip(node.entries, node.sources, scores, strict=True)
        ]
        bye = node.filled == 2 and None in node.entries
        return Contest(node.key, (slots[0], slots[1]), node.winner, bye, feeds, node.tie_break)
