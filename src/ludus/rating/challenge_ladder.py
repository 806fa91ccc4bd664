"""The rules of a permanent ladder: the ranks, who may challenge whom, and how strong each is.

A pure function of who joined and what was played: built again from the same, it is the same. The list and its moves
are those of the format `ladder`; here is what a public arena needs besides. Knows no database and no page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from ludus.formats import Pairing, Result
from ludus.formats.ladder import MOST_WAITS, RankList
from ludus.messages import Message
from ludus.rating.bradley_terry import Rating, count, rate

REACH = 5
"""Ranks above that a bot may challenge."""
REST_HOURS = 1
"""Two who have met n times wait n hours more (n up to 8) before they meet again."""
LONGEST_REST = timedelta(hours=REST_HOURS * MOST_WAITS + 1)
MOST_A_DAY = 12
"""Rated challenges that one bot may make in 24 hours."""
PAIRS = 3
"""Pairs of games in a challenge: each opening is played from both seats."""
CLOCK = "3/move"
MOST_GAMES = 3000
"""The last rated games, on which ratings rest."""


class LadderEntry(NamedTuple):
    """A bot on the ladder."""

    name: str
    owner: int | None
    version: int
    """The one that plays now."""
    left: bool = False


class Meeting(NamedTuple):
    """A rated challenge that is over."""

    challenger: str
    challenger_version: int
    defender: str
    defender_version: int | None
    """None for a player that never changes."""
    at: datetime
    games: list[tuple[int, float]]
    """Of each game: 0 when the challenger moved first, and the challenger's points: 1, 0.5 or 0."""
    margin: int = 0
    """Points on the board that the challenger won by; they decide where games are level."""

    @property
    def result(self) -> Result:
        """The meeting as a format sees it; hours are its rounds."""
        points = Counter(points for _, points in self.games)
        paired = Pairing("", self.challenger, self.defender, hour(self.at))
        return paired.result(points[1.0], points[0.5], points[0.0], self.margin)


class LadderRow(NamedTuple):
    """An entry as the ladder shows it."""

    rank: int
    name: str
    won: int
    """Rated challenges, as challenger or challenged, with any version."""
    drawn: int
    lost: int


def hour(at: datetime) -> int:
    """Return the number of the hour."""
    return int(at.timestamp()) // 3600


def identity(name: str, version: int | None) -> str:
    """Return what is rated: a version of a bot; what it was before says little of it."""
    return name if version is None else f"{name}@{version}"


class ChallengeLadder:
    """A ladder at one moment."""

    def __init__(
        self, points: Mapping[str, float], entries: Iterable[LadderEntry], meetings: Iterable[Meeting]
    ) -> None:
        self.points = dict(points)
        """The built-in players, which never change, and their Elo: the fixed points of the scale."""
        self.entries = {entry.name: entry for entry in entries}
        self.meetings = list(meetings)
        self._list = RankList((*self.points, *self.entries), REACH, REST_HOURS)
        self._tally = {name: Counter[float]() for name in self._list.order}
        for meeting in self.meetings:
            self._list.add(meeting.result)
            for name, points_won in (
                (meeting.challenger, meeting.result.points),
                (meeting.defender, 1 - meeting.result.points),
            ):
                if name in self._tally:
                    self._tally[name][points_won] += 1
        for entry in self.entries.values():
            if entry.left:
                self._list.leave(entry.name)

    @property
    def order(self) -> tuple[str, ...]:
        """The list, the first rank first."""
        return tuple(self._list.order)

    def rank(self, name: str) -> int | None:
        """Return a rank from 1; None for who is not on the list."""
        return self._list.rank(name) if name in self._list.order else None

    def lines(self) -> list[LadderRow]:
        """Return the ladder as it is shown."""
        return [
            LadderRow(rank, name, self._tally[name][1.0], self._tally[name][0.5], self._tally[name][0.0])
            for rank, name in enumerate(self._list.order, 1)
        ]

    def _same_owner(self, one: str, other: str) -> bool:
        return one in self.entries and other in self.entries and self.entries[one].owner == self.entries[other].owner

    def free_at(self, one: str, other: str) -> datetime | None:
        """Return when two may meet again; None for those who have not met."""
        first = self._list.free_from(one, other)
        return datetime.fromtimestamp(first * 3600, UTC) if first else None

    def why_not(self, challenger: str, defender: str, now: datetime, made_today: int = 0) -> Message | None:
        """Return why a rated challenge is not allowed; None when it is."""
        mine, theirs = self.rank(challenger), self.rank(defender)
        if mine is None:
            return Message("rating.not_on_ladder")
        if theirs is None:
            return Message("rating.opponent_not_on_ladder")
        if self._same_owner(challenger, defender):
            return Message("rating.own_bots")
        if not 0 < mine - theirs <= REACH:
            return Message("rating.out_of_reach", rank=mine, reach=REACH, other=theirs)
        free = self.free_at(challenger, defender)
        if free is not None and now < free <= now + LONGEST_REST:  # later than that, the clock was set back
            return Message("rating.met_recently", time=f"{free:%H:%M}")
        if made_today >= MOST_A_DAY:
            return Message("rating.too_many_challenges", most=MOST_A_DAY)
        return None

    def ratings(self) -> dict[str, Rating]:
        """Rate every version that has played, on the last games; the fixed points hold the scale.

        What is assumed of a version before its games does not depend on which fixed points others have met.
        """
        games = [
            _seated(identity(meeting.challenger, meeting.challenger_version), defender, seat, points)
            for meeting in self.meetings
            for defender in [identity(meeting.defender, meeting.defender_version)]
            for seat, points in meeting.games
        ][-MOST_GAMES:]
        if not games:
            return {}
        met = {name for first, second, _ in games for name in (first, second)}
        anchors = {name: elo for name, elo in self.points.items() if name in met}
        centre = sum(self.points.values()) / len(self.points) if self.points else 0.0
        return dict(rate(count(games), anchors=anchors, centre=centre))


def _seated(challenger: str, defender: str, seat: int, points: float) -> tuple[str, str, float]:
    """Return a game as seats: who moved first, who second, and the points of the first."""
    return (challenger, defender, points) if seat == 0 else (defender, challenger, 1 - points)


def day_before(now: datetime) -> datetime:
    """Return the moment from which the challenges of a day count."""
    return now - timedelta(days=1)


def fixed_points(game: str) -> dict[str, float]:
    """Return the built-in players on a game's ladder and their Elo, the strongest first, from `bench/ladder.py`.

    A game without any begins with an empty ladder.
    """
    file = Path(import_module("ludus.games").__path__[0], game.replace("-", "_"), "ladder.txt")
    if not file.exists():
        return {}
    rows = [line.split() for line in file.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    return {text: float(elo) for text, elo in rows}
