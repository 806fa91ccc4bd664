"""Ratings: how strong each of many players is, with what uncertainty.

`rate` fits all games at once (Bradley-Terry with Davidson's draws and an advantage of the first seat): the order of
games makes no difference, so it is the one for grades. `Online` follows games as they come, for a ladder that never
ends. Neither gives a number without its interval. Knows no tournament: games come as counts for each ordered pair of
seats.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.errors import UserError
from ludus.messages import Message
from ludus.rating.statistics import SCALE, Estimate, Z, normal

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

Counts = Mapping[tuple[str, str], tuple[int, int, int]]
"""For (first seat, second seat): games that the first won, drew and lost."""

SPREAD = 1000.0
"""Elo by which players are assumed to differ before any game: weak, but it keeps the undefeated finite."""
SEAT_SPREAD = 200.0
DRAW_SPREAD = 5.0
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
        """Those who are connected by games, the largest group first; ratings compare within a group only."""

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
    anchors = dict(anchors or {})
    names = _names(counts, anchors)
    if centre is None:
        centre = sum(anchors.values()) / len(anchors) if anchors else 0.0
    model = _Model(names, counts, anchors, centre, spread, SEAT_SPREAD if seats else 1e-6)
    parameters, covariance = model.fit()
    strengths = model.strengths(parameters) * SCALE
    spreads = model.spreads(covariance)
    games = _games(counts)
    half = {name: Z * SCALE * math.sqrt(max(0.0, float(spreads[i, i]))) for i, name in enumerate(names)}
    ratings = {}
    for index, name in enumerate(names):
        value = anchors.get(name, float(strengths[index]))
        ratings[name] = Rating(value, value - half[name], value + half[name], games[name])
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
    """Find who is connected by games."""
    leader = {name: name for name in names}

    def find(name: str) -> str:
        while leader[name] != name:
            leader[name] = name = leader[leader[name]]
        return name

    for (first, second), outcomes in counts.items():
        if sum(outcomes):
            leader[find(first)] = find(second)
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(find(name), []).append(name)
    return tuple(sorted((tuple(group) for group in groups.values()), key=lambda group: (-len(group), group)))


class _Model:
    """The log-likelihood with its prior. Parameters: strengths of those who are not anchored, the seat, and log ν.

    The odds are exponentials of linear functions of the parameters, so the log-likelihood has one top and Newton's
    steps find it.
    """

    def __init__(
        self,
        names: list[str],
        counts: Counts,
        anchors: Mapping[str, float],
        centre: float,
        spread: float,
        seat_spread: float,
    ) -> None:
        import numpy as np  # noqa: PLC0415 - slow to import

        played = [(pair, outcomes) for pair, outcomes in counts.items() if sum(outcomes)]
        index = {name: i for i, name in enumerate(names)}
        self.first = np.array([index[pair[0]] for pair, _ in played])
        self.second = np.array([index[pair[1]] for pair, _ in played])
        self.outcomes: Vector = np.array([outcomes for _, outcomes in played], dtype=float)
        self.draws = bool(self.outcomes[:, 1].any())
        self.free = np.array([i for i, name in enumerate(names) if name not in anchors], dtype=int)
        self.fixed: Vector = np.array([anchors.get(name, 0.0) / SCALE for name in names])
        self.anchored = bool(anchors)
        size = len(self.free)
        self.centres: Vector = np.concatenate([np.full(size, centre / SCALE), [0.0, 0.0]])
        deviations = [spread / SCALE] * size + [seat_spread / SCALE, DRAW_SPREAD]
        self.precision: Vector = 1 / np.array(deviations) ** 2

    def strengths(self, parameters: Vector) -> Vector:
        """Return the strengths of all players."""
        strengths = self.fixed.copy()
        strengths[self.free] = parameters[:-2]
        return strengths

    def log_chances(self, parameters: Vector) -> Vector:
        """Return the logarithms of the chances of win, draw and loss for each ordered pair."""
        import numpy as np  # noqa: PLC0415
        from scipy.special import log_softmax  # noqa: PLC0415

        strengths = self.strengths(parameters)
        half = (strengths[self.first] - strengths[self.second] + parameters[-2]) / 2
        draw = np.full_like(half, parameters[-1] if self.draws else -np.inf)
        logs: Vector = log_softmax(np.column_stack([half, draw, -half]), axis=1)
        return logs

    def value(self, parameters: Vector) -> float:
        """Return the log-likelihood, prior included."""
        import numpy as np  # noqa: PLC0415

        logs = self.log_chances(parameters)
        if not self.draws:
            logs = logs.copy()
            logs[:, 1] = 0.0
        prior = self.precision @ (parameters - self.centres) ** 2 / 2
        return float(np.sum(self.outcomes * logs) - prior)

    def slope_and_curvature(self, parameters: Vector) -> tuple[Vector, Vector]:
        """Return the gradient, and the observed information: minus the matrix of second derivatives."""
        import numpy as np  # noqa: PLC0415

        win, draw, loss = np.exp(self.log_chances(parameters)).T
        games = self.outcomes.sum(axis=1)
        lead = (win - loss) / 2
        by_strength = (self.outcomes[:, 0] - self.outcomes[:, 2]) / 2 - games * lead
        strength2 = games * ((win + loss) / 4 - lead**2)
        mixed, draw2 = -games * lead * draw, games * draw * (1 - draw)
        players = len(self.fixed)
        seat, nu = players, players + 1
        slope = np.zeros(players + 2)
        np.add.at(slope, self.first, by_strength)
        np.add.at(slope, self.second, -by_strength)
        slope[seat] = by_strength.sum()
        slope[nu] = (self.outcomes[:, 1] - games * draw).sum() if self.draws else 0.0
        curvature = np.zeros((players + 2, players + 2))
        for one, one_sign in ((self.first, 1), (self.second, -1)):
            for other, other_sign in ((self.first, 1), (self.second, -1)):
                np.add.at(curvature, (one, other), one_sign * other_sign * strength2)
        for side, sign in ((self.first, 1), (self.second, -1)):
            np.add.at(curvature[seat], side, sign * strength2)
            np.add.at(curvature[nu], side, sign * mixed)
        curvature[:players, seat:] = curvature[seat:, :players].T
        curvature[seat:, seat:] = [[strength2.sum(), mixed.sum()], [mixed.sum(), draw2.sum()]]
        kept = np.concatenate([self.free, [seat, nu]])
        slope = slope[kept] - self.precision * (parameters - self.centres)
        return slope, curvature[np.ix_(kept, kept)] + np.diag(self.precision)

    def fit(self) -> tuple[Vector, Vector]:
        """Climb to the top, and give the parameters and their covariance there."""
        import numpy as np  # noqa: PLC0415
        from scipy.linalg import cho_factor, cho_solve  # noqa: PLC0415

        parameters, value = self.centres.copy(), self.value(self.centres)
        for _ in range(100):
            slope, curvature = self.slope_and_curvature(parameters)
            step: Vector = cho_solve(cho_factor(curvature), slope)
            if np.abs(step).max() < 1e-10:
                break
            while (ahead := self.value(parameters + step)) < value - 1e-9 * abs(value):
                step = step / 2
            parameters, value = parameters + step, ahead
        _, curvature = self.slope_and_curvature(parameters)
        return parameters, cho_solve(cho_factor(curvature), np.eye(len(parameters)))

    def spreads(self, covariance: Vector) -> Vector:
        """Give the covariance of all strengths: zero for anchors; without any, that of the distances from the mean."""
        import numpy as np  # noqa: PLC0415

        players = len(self.fixed)
        full = np.zeros((players, players))
        full[np.ix_(self.free, self.free)] = covariance[:-2, :-2]
        if not self.anchored:
            full = full - full.mean(axis=0) - full.mean(axis=1)[:, None] + full.mean()
        return full

    def seat_and_draws(self, parameters: Vector, covariance: Vector) -> tuple[Estimate, float]:
        """Return what the first seat is worth, and how often equal players draw."""
        value, half = float(parameters[-2]) * SCALE, Z * SCALE * math.sqrt(float(covariance[-2, -2]))
        nu = math.exp(float(parameters[-1])) if self.draws else 0.0
        return Estimate(value, value - half, value + half), nu / (2 + nu)


class Online:
    """Ratings that follow games as they come: Weng and Lin's Bayesian Bradley-Terry, from the library openskill.

    Depends on the order of games, and forgives the past a little with each one: for a live ladder, not for grades. What
    it knows is in its ratings, so it goes on from those of an earlier time.
    """

    def __init__(
        self, ratings: Mapping[str, Rating] | None = None, *, start: float = 1500.0, spread: float = 350.0
    ) -> None:
        from openskill.models import BradleyTerryFull  # noqa: PLC0415 - slow to import

        # Two certain players: odds e^(difference / (√2 beta)), which is Elo's scale with this beta.
        self._model = BradleyTerryFull(mu=start, sigma=spread, beta=SCALE / math.sqrt(2), tau=spread / 100)
        self.ratings: dict[str, Rating] = dict(ratings or {})

    def __getitem__(self, name: str) -> Rating:
        """Return a rating; that of somebody unknown is the start, as uncertain as it gets."""
        mu, half = self._model.mu, Z * self._model.sigma
        return self.ratings.get(name) or Rating(mu, mu - half, mu + half, 0)

    def add(self, first: str, second: str, points: float) -> None:
        """Take in a game or a pairing: 1 when the first won, 0.5 for a tie, 0 when it lost."""
        if points not in (0, 0.5, 1):
            raise UserError("rating.bad_points", points=repr(points))
        sides = [[self._model.rating(mu=self[name].elo, sigma=self.deviation(name))] for name in (first, second)]
        for name, (rating,) in zip((first, second), self._model.rate(sides, scores=[points, 1 - points]), strict=True):
            half = Z * rating.sigma
            self.ratings[name] = Rating(rating.mu, rating.mu - half, rating.mu + half, self[name].games + 1)

    def deviation(self, name: str) -> float:
        """Return how uncertain a rating is, in Elo."""
        return (self[name].high - self[name].low) / (2 * Z)

    def superiority(self, one: str, other: str) -> float:
        """Return the chance that one player is stronger than another."""
        return normal((self[one].elo - self[other].elo) / math.hypot(self.deviation(one), self.deviation(other)))
