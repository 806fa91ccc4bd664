"""Ratings: how strong each of many players is, with what uncertainty.

`rate` fits all games at once (Bradley-Terry with Davidson's draws and an advantage of the first seat): the order of
games makes no difference, so it is the one for grades. `Online` follows games as they come, for a ladder that never
ends. Neither gives a number without its interval. Knows no tournament: games come as counts for each ordered pair of
seats.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ludus.errors import UserError
from ludus.messages import Message
from ludus.rating.statistics import SCALE, Estimate, Z, normal

Counts = Mapping[tuple[str, str], tuple[int, int, int]]
"""For (first seat, second seat): games that the first won, drew and lost."""

SPREAD = 1000.0
"""Elo by which players are assumed to differ before any game: weak, but it keeps the undefeated finite."""
SEAT_SPREAD = 200.0
SHOWN = 5
"""Groups that a note names, and players of each."""


class Rating(NamedTuple):
    """A strength in Elo with its 95% interval, and the games that it rests on."""

    elo: float
    low: float
    high: float
    games: int


class Ratings(Mapping[str, Rating]):
    """The ratings of a field, the strongest first, and what was found beside them."""

    def __init__(
        self, ratings: dict[str, Rating], deviations: Deviations, seat: Estimate, draw_rate: float, groups: Groups
    ) -> None:
        self._ratings = dict(sorted(ratings.items(), key=lambda item: -item[1].elo))
        self._deviations = deviations
        self.seat = seat
        """What sitting first is worth, in Elo."""
        self.draw_rate = draw_rate
        """How often equal players draw."""
        self.groups = groups
        """Players who are connected by games, the largest group first; only ratings of one group can be compared."""

    def __getitem__(self, name: str) -> Rating:
        return self._ratings[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._ratings)

    def __len__(self) -> int:
        return len(self._ratings)

    def superiority(self, one: str, other: str) -> float:
        """Return the chance that one player is stronger than another."""
        deviation = self._deviations(one, other)
        lead = self[one].elo - self[other].elo
        return normal(lead / deviation) if deviation else 0.5 + 0.5 * math.copysign(lead != 0, lead)

    @property
    def note(self) -> Message | None:
        """What must not be compared; None when all can be."""
        if len(self.groups) < 2:
            return None
        shown = [Message("rating.group", names=_first(group)) for group in self.groups[:SHOWN]]
        return Message("rating.groups", count=len(self.groups), groups=_first([*shown, *self.groups[SHOWN:]]))


def _first(things: Sequence[object]) -> list[object]:
    return [*things[:SHOWN], *(["…"] if len(things) > SHOWN else [])]


Groups = tuple[tuple[str, ...], ...]


class Deviations:
    """How uncertain differences between players are, in Elo."""

    def __init__(self, names: list[str], covariance: Any) -> None:
        self._index = {name: index for index, name in enumerate(names)}
        self._covariance = covariance

    def __call__(self, one: str, other: str) -> float:
        """Return the deviation of the difference of two."""
        i, j = self._index[one], self._index[other]
        c = self._covariance
        return SCALE * math.sqrt(max(0.0, float(c[i, i] + c[j, j] - 2 * c[i, j])))


def count(games: Iterable[tuple[str, str, float]]) -> Counts:
    """Count games given as (first seat, second seat, points of the first: 1, 0.5 or 0)."""
    tally: Counter[tuple[str, str, float]] = Counter(games)
    counts: dict[tuple[str, str], tuple[int, int, int]] = {}
    for (first, second, points), number in tally.items():
        if points not in (0, 0.5, 1):
            raise UserError("rating.bad_points", points=repr(points))
        wins, draws, losses = counts.get((first, second), (0, 0, 0))
        new = wins + number * (points == 1), draws + number * (points == 0.5), losses + number * (points == 0)
        counts[first, second] = new
    return counts


def rate(
    counts: Counts,
    *,
    anchors: Mapping[str, float] | None = None,
    centre: float | None = None,
    seats: bool = True,
    spread: float = SPREAD,
) -> Ratings:
    """Fit ratings to all games at once.

    A game's outcomes have the odds e^(d/2) : ν : e^(-d/2), where d is the difference of strengths plus what the first
    seat is worth, and ν says how common draws are. Anchors keep the Elo that they are given, exactly; without any, the
    field's mean is 0. Intervals come from the curvature of the log-likelihood (observed Fisher information) with a weak
    normal prior of `spread` Elo around `centre`: the mean of the anchors, where it is not given. `seats=False` leaves
    the seat out.
    """
    from ludus.rating.likelihood import Likelihood  # noqa: PLC0415 - numpy and scipy are slow to import

    anchors = dict(anchors or {})
    names = _names(counts, anchors)
    if centre is None:
        centre = sum(anchors.values()) / len(anchors) if anchors else 0.0
    model = Likelihood(names, counts, anchors, centre, spread, SEAT_SPREAD if seats else 1e-6)
    parameters, covariance = model.fit()
    strengths = model.strengths(parameters) * SCALE
    spreads = model.spreads(covariance)
    games = _games(counts)
    ratings = {}
    for index, name in enumerate(names):
        deviation = SCALE * math.sqrt(max(0.0, float(spreads[index, index])))
        ratings[name] = _rating(anchors.get(name, float(strengths[index])), deviation, games[name])
    seat, draw_rate = model.seat_and_draws(parameters, covariance)
    return Ratings(ratings, Deviations(names, spreads), seat, draw_rate, _groups(names, counts))


def _games(counts: Counts) -> Counter[str]:
    games: Counter[str] = Counter()
    for pair, outcomes in counts.items():
        for name in pair:
            games[name] += sum(outcomes)
    return games


def _names(counts: Counts, anchors: Mapping[str, float]) -> list[str]:
    """Check the counts, and list the players."""
    for (first, second), outcomes in counts.items():
        if first == second:
            raise UserError("rating.against_itself", name=first)
        if len(outcomes) != 3 or min(outcomes) < 0:
            raise UserError("rating.bad_outcomes", first=first, second=second, outcomes=str(outcomes))
    names = sorted({name for pair, outcomes in counts.items() if sum(outcomes) for name in pair})
    if not names:
        raise UserError("rating.no_games")
    for name in anchors:
        if name not in names:
            raise UserError("rating.anchor_unplayed", name=repr(name))
    return names


def _groups(names: list[str], counts: Counts) -> Groups:
    """Return the groups of players who are connected by games."""
    from scipy.sparse import coo_array  # noqa: PLC0415 - slow to import
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    index = {name: i for i, name in enumerate(names)}
    games = [(index[first], index[second]) for (first, second), outcomes in counts.items() if sum(outcomes)]
    size = len(names)
    _, labels = connected_components(coo_array(([1] * len(games), tuple(zip(*games, strict=True))), shape=(size, size)))
    groups: dict[int, list[str]] = {}
    for name, label in zip(names, labels, strict=True):
        groups.setdefault(int(label), []).append(name)
    return tuple(sorted((tuple(group) for group in groups.values()), key=lambda group: (-len(group), group)))


def _rating(elo: float, deviation: float, games: int) -> Rating:
    return Rating(elo, elo - Z * deviation, elo + Z * deviation, games)


class Online:
    """Ratings that follow games as they come: Weng and Lin's Bayesian Bradley-Terry (JMLR 12, 2011).

    Depends on the order of games, and weighs old games less with each new one: for a live ladder, not for grades.
    Its whole state is its ratings, so it can continue from stored ones.
    """

    def __init__(
        self, ratings: Mapping[str, Rating] | None = None, *, start: float = 1500.0, spread: float = 350.0
    ) -> None:
        self.ratings: dict[str, Rating] = dict(ratings or {})
        self._start = _rating(start, spread, 0)
        self._drift = spread / 100
        """How much less certain a rating is by the next game, in Elo."""

    def __getitem__(self, name: str) -> Rating:
        """Return a rating; an unknown player has the start rating with the largest uncertainty."""
        return self.ratings.get(name, self._start)

    def add(self, first: str, second: str, points: float) -> None:
        """Take in a game or a pairing: 1 when the first won, 0.5 for a tie, 0 when it lost."""
        if points not in (0, 0.5, 1):
            raise UserError("rating.bad_points", points=repr(points))
        sides = [(name, self[name], math.hypot(self.deviation(name), self._drift)) for name in (first, second)]
        scale = math.hypot(SCALE, *(deviation for _, _, deviation in sides))
        chance = 1 / (1 + math.exp((sides[1][1].elo - sides[0][1].elo) / scale))
        for sign, (name, before, deviation) in zip((1, -1), sides, strict=True):
            share = deviation / scale
            elo = before.elo + sign * share * deviation * (points - chance)
            left = max(1e-4, 1 - share**3 * chance * (1 - chance))
            self.ratings[name] = _rating(elo, deviation * math.sqrt(left), before.games + 1)

    def deviation(self, name: str) -> float:
        """Return how uncertain a rating is, in Elo."""
        return (self[name].high - self[name].low) / (2 * Z)

    def superiority(self, one: str, other: str) -> float:
        """Return the chance that one player is stronger than another."""
        return normal((self[one].elo - self[other].elo) / math.hypot(self.deviation(one), self.deviation(other)))
