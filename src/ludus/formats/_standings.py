"""Standings: all results between entries, and the ranks that follow from them.

`CrossTable` takes results one at a time and keeps sums, so that a table never starts again from the first game.
Knows no future pairings; the format decides which criteria rank it, and in which order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ludus.messages import Message, known

if TYPE_CHECKING:
    from ludus.formats._schedule import Result


@dataclass(slots=True, eq=False)
class Tally:
    """Sums over pairings, from one side: all of an entry's, or those against one opponent."""

    pairings: int = 0
    """Pairings with a result, walkovers among them."""
    points: float = 0.0
    """1 for a pairing won, 0.5 for one tied; a bye counts as won where a format says so."""
    share: float = 0.0
    """The parts of the game points that were won, a pairing counting 1 in all, whatever its number of games."""
    won: float = 0.0
    """The same with drawn games counting nothing: divided by `pairings` it is the win rate W."""
    wins: int = 0
    """Games played and won; a walkover has none."""
    draws: int = 0
    losses: int = 0
    margin: int = 0
    forfeits: int = 0
    byes: int = 0
    firsts: int = 0
    """Pairings in which the entry was named first."""

    def take(self, result: Result, side: int) -> None:
        """Add a result as one side sees it."""
        wins, losses = (result.wins, result.losses) if side == 0 else (result.losses, result.wins)
        share = result.share if side == 0 else 1 - result.share
        self.pairings += 1
        self.points += result.points if side == 0 else 1 - result.points
        self.share += share
        self.firsts += side == 0
        if result.walkover:
            self.won += wins
            return
        self.won += wins / result.games
        self.wins += wins
        self.draws += result.draws
        self.losses += losses
        self.margin += result.margin if side == 0 else -result.margin
        self.forfeits += result.forfeits[side]

    @property
    def games(self) -> int:
        """The games that were played."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The part of the game points that was won, 0 to 1; 0 before the first."""
        return self.share / self.pairings if self.pairings else 0.0

    @property
    def win_rate(self) -> float:
        """W of the courses: the part of the games that was won, 0 to 1; 0 before the first."""
        return self.won / self.pairings if self.pairings else 0.0


class CrossTable:
    """All results between entries, updated with each result."""

    def __init__(self, entries: Iterable[str]) -> None:
        self.totals: dict[str, Tally] = {entry: Tally() for entry in entries}
        self.against: dict[str, dict[str, Tally]] = {entry: defaultdict(Tally) for entry in self.totals}

    def add(self, result: Result) -> None:
        """Take one result in; the order of results makes no difference."""
        first, second = result.pairing.first, result.pairing.second
        for side, entry, other in ((0, first, second), (1, second, first)):
            self.totals[entry].take(result, side)
            self.against[entry][other].take(result, side)

    def bye(self, entry: str) -> None:
        """Count a free round as a pairing won."""
        self.totals[entry].byes += 1
        self.totals[entry].points += 1

    def met(self, one: str, other: str) -> int:
        """Return the number of pairings of two entries so far."""
        return self.against[one][other].pairings if other in self.against[one] else 0

    def rows(self, order: Iterable[str]) -> list[list[Tally | None]]:
        """Return the table as plain data in an order of entries; None on the diagonal and where two have not met."""
        order = list(order)
        return [[self.against[one].get(other) for other in order] for one in order]


class CodedValue(Protocol):
    """What a value means: a code, and a number where the code has many."""

    @property
    def code(self) -> str:
        """What data calls it."""

    @property
    def number(self) -> int | None:
        """Which of many."""

    @property
    def message(self) -> Message:
        """What people read."""


class Criterion(NamedTuple):
    """One way to tell entries apart, the higher value first."""

    name: str
    """What data calls it."""
    help: Message
    values: Callable[[CrossTable, Sequence[str]], Mapping[str, float]]
    """The values of entries that are level on all criteria before this one."""
    coded: Callable[[float], CodedValue] | None = None
    """What a value means, where it is no plain number."""

    @property
    def title(self) -> Message:
        """What people read; a criterion of another package has only its name."""
        return known(f"criterion.{self.name}", self.name)

    def shown(self, value: float) -> Message | str:
        """Return a value as people read it."""
        return self.coded(value).message if self.coded else f"{value:g}"


def _each(value: Callable[[CrossTable, str], float]) -> Callable[[CrossTable, Sequence[str]], Mapping[str, float]]:
    return lambda table, level: {entry: value(table, entry) for entry in level}


def _head_to_head(table: CrossTable, level: Sequence[str]) -> Mapping[str, float]:
    """Sum the points among entries that are level, where each has met each equally often; else tell none apart."""
    among = {a: [table.against[a][b] for b in level if b in table.against[a]] for a in level}
    meetings = [table.met(a, b) for i, a in enumerate(level) for b in level[:i]]
    if len(set(meetings)) != 1:
        return dict.fromkeys(level, 0.0)
    return {entry: sum(tally.share for tally in tallies) for entry, tallies in among.items()}


def _opponents(table: CrossTable, entry: str) -> list[float]:
    """List the points of the opponents; a bye counts as an opponent level with the entry itself."""
    met = [table.totals[other].points for other, tally in table.against[entry].items() for _ in range(tally.pairings)]
    return sorted(met + [table.totals[entry].points] * table.totals[entry].byes)


def _sonneborn(table: CrossTable, entry: str) -> float:
    return sum(tally.points * table.totals[other].points for other, tally in table.against[entry].items())


SCORE = Criterion("score", Message("formats.help.score"), _each(lambda table, entry: table.totals[entry].score))
WIN_RATE = Criterion(
    "win rate",
    Message("formats.help.win_rate"),
    _each(lambda table, entry: table.totals[entry].win_rate),
)
POINTS = Criterion("points", Message("formats.help.points"), _each(lambda table, entry: table.totals[entry].points))
HEAD_TO_HEAD = Criterion("head to head", Message("formats.help.head_to_head"), _head_to_head)
SONNEBORN_BERGER = Criterion("Sonneborn-Berger", Message("formats.help.sonneborn_berger"), _each(_sonneborn))
BUCHHOLZ = Criterion(
    "Buchholz", Message("formats.help.buchholz"), _each(lambda table, entry: sum(_opponents(table, entry)))
)
BUCHHOLZ_CUT = Criterion(
    "Buchholz cut 1",
    Message("formats.help.buchholz_cut_1"),
    _each(lambda table, entry: sum(_opponents(table, entry)[1:])),
)
GAMES_WON = Criterion(
    "games won", Message("formats.help.games_won"), _each(lambda table, entry: table.totals[entry].wins)
)
MARGIN = Criterion("margin", Message("formats.help.margin"), _each(lambda table, entry: table.totals[entry].margin))
FORFEITS = Criterion(
    "fewer forfeits",
    Message("formats.help.fewer_forfeits"),
    _each(lambda table, entry: -table.totals[entry].forfeits),
)


class Row(NamedTuple):
    """One line of a table. Entries that no criterion tells apart share a rank."""

    rank: int
    entry: str
    tally: Tally
    values: Mapping[str, float]
    """By the name of the criterion, those that were needed to find the place."""
    decided_by: str
    """The criterion that puts the entry below the one before; empty in the first line and for a shared rank."""
    withdrawn: bool


class Standings(NamedTuple):
    """A ranked table, and the criteria that ranked it."""

    rows: tuple[Row, ...]
    criteria: tuple[Criterion, ...]

    @property
    def leaders(self) -> tuple[str, ...]:
        """Those at rank 1: one, unless nothing tells them apart."""
        return tuple(row.entry for row in self.rows if row.rank == 1)

    def explain(self, entry: str) -> Message:
        """Return what put an entry below the one before it."""
        index = next(i for i, row in enumerate(self.rows) if row.entry == entry)
        row, above = self.rows[index], self.rows[index - 1]
        if index == 0:
            return Message("tournament.leads", entry=entry)
        if not row.decided_by:
            return Message("tournament.level", entry=entry, above=above.entry, rank=row.rank)
        criterion = next(criterion for criterion in self.criteria if criterion.name == row.decided_by)
        mine, theirs = (criterion.shown(one.values[criterion.name]) for one in (row, above))
        by = criterion.title
        return Message("tournament.behind", entry=entry, above=above.entry, by=by, mine=mine, theirs=theirs)


def rank(
    entries: Iterable[str], criteria: Sequence[Criterion], table: CrossTable, withdrawn: Iterable[str] = ()
) -> Standings:
    """Order entries by the first criterion, those level on it by the second, and so on; the rest share a rank."""
    left = frozenset(withdrawn)
    rows: list[Row] = []
    values: dict[str, dict[str, float]] = {entry: {} for entry in entries}
    for decided_by, level in _levels(list(values), list(criteria), table, values, ""):
        place = len(rows) + 1
        for index, entry in enumerate(level):
            by = decided_by if index == 0 else ""
            rows.append(Row(place, entry, table.totals[entry], values[entry], by, entry in left))
    return Standings(tuple(rows), tuple(criteria))


def _levels(
    level: list[str], criteria: list[Criterion], table: CrossTable, values: dict[str, dict[str, float]], decided_by: str
) -> Iterator[tuple[str, list[str]]]:
    """Split entries that are level into groups that nothing tells apart, each with what sets it below the last."""
    if len(level) == 1 and decided_by:
        yield decided_by, level
        return
    if not criteria:
        yield decided_by, level
        return
    criterion, *rest = criteria
    split: dict[float, list[str]] = defaultdict(list)
    for entry, value in criterion.values(table, level).items():
        # Sums of shares in another order may differ in the last bits; that must not decide a place.
        values[entry][criterion.name] = rounded = round(value, 9)
        split[rounded].append(entry)
    for value in sorted(split, reverse=True):
        yield from _levels(split[value], rest, table, values, decided_by)
        decided_by = criterion.name
