"""What games between two players show, and how sure that is: score, Elo, likelihood of superiority, a sequential test.

Games are counted in pairs, the same board with the seats swapped: the two games of a pair depend on each other, so the
spread is that of the five sums of a pair (pentanomial), not of single games. Elo is the logistic one: 400 points are
odds of ten to one. Knows no player, no game and no storage.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from ludus.errors import UserError

SCALE = 400 / math.log(10)
"""Elo points for a factor of e in the odds."""
Z = 1.959963984540054
"""A normal variable is within this number of deviations 95 times in 100."""
UNSEEN = (1 / 2, 0, 0, 0, 1 / 2)
"""One pair more than was played, with the widest spread there is: what is assumed when few were."""


class Estimate(NamedTuple):
    """A number and its 95% interval."""

    value: float
    low: float
    high: float


def elo(score: float) -> float:
    """Return the Elo difference at which a score is expected; infinite at 0 and 1."""
    if not 0 < score < 1:
        return math.inf if score >= 1 else -math.inf
    return SCALE * math.log(score / (1 - score))


def expected_score(difference: float) -> float:
    """Return the score that is expected at an Elo difference."""
    return 0.5 * (1 + math.tanh(difference / (2 * SCALE)))


def normal(deviations: float) -> float:
    """Return the chance that a normal variable is below this number of deviations."""
    return 0.5 * (1 + math.erf(deviations / math.sqrt(2)))


class Score(NamedTuple):
    """Games of one player against another, as the first sees them."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    """How many pairs yielded 0, ½, 1, 1½ and 2 points."""
    singles: tuple[int, int, int] = (0, 0, 0)
    """How many games outside of pairs yielded 0, ½ and 1 point."""

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The part of the points won, 0 to 1; a half before the first game."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    @property
    def interval(self) -> Estimate:
        """The score with its 95% interval.

        Wilson's interval, for as many coin tosses as would spread as much as the pairs do. One pair is added when
        the spread is estimated, so that a few equal results do not pass for certainty; the score itself is left alone.
        """
        if not self.games:
            return Estimate(0.5, 0.0, 1.0)
        units = [*self._units(), *((2, index / 4, share) for index, share in enumerate(UNSEEN))]
        total = sum(weight * count for weight, _, count in units)
        mean = sum(weight * count * value for weight, value, count in units) / total
        spread = sum(count * (weight * (value - mean)) ** 2 for weight, value, count in units) / total
        tosses = self.games * mean * (1 - mean) / spread
        middle = self.score + Z * Z / (2 * tosses)
        half = Z * math.sqrt(self.score * (1 - self.score) / tosses + (Z / (2 * tosses)) ** 2)
        low, high = ((middle + sign * half) / (1 + Z * Z / tosses) for sign in (-1, 1))
        return Estimate(self.score, 0.0 if self.score == 0 else low, 1.0 if self.score == 1 else high)

    @property
    def elo(self) -> Estimate:
        """The Elo difference with its 95% interval, without end on the side where all games were won or lost."""
        score = self.interval
        return Estimate(elo(score.value), elo(score.low), elo(score.high))

    @property
    def superiority(self) -> float:
        """The likelihood of superiority: the chance that the first player is the stronger one, nothing else known."""
        lead = sum(weight * count * (value - 0.5) for weight, value, count in self._units())
        spread = sum(count * (weight * (value - 0.5)) ** 2 for weight, value, count in self._units())
        return normal(lead / math.sqrt(spread)) if spread else 0.5

    def _units(self) -> list[tuple[int, float, float]]:
        """List what is independent: (games in it, score in it, how often)."""
        pairs = [(2, index / 4, float(count)) for index, count in enumerate(self.pairs)]
        return pairs + [(1, index / 2, count) for index, count in enumerate(self.singles)]


def count_games(pairs: Iterable[Sequence[float]]) -> Score:
    """Count games given pair by pair as points (1, 0.5, 0); a pair whose second game is missing has one."""
    results = {0.0: 0, 0.5: 0, 1.0: 0}
    sums, singles = [0] * 5, [0] * 3
    for pair in pairs:
        if len(pair) not in (1, 2) or any(points not in results for points in pair):
            raise UserError("rating.bad_pair", pair=str(tuple(pair)))
        for points in pair:
            results[points] += 1
        if len(pair) == 2:
            sums[round(2 * sum(pair))] += 1
        else:
            singles[round(2 * pair[0])] += 1
    a, b, c, d, e = sums
    return Score(results[1.0], results[0.5], results[0.0], (a, b, c, d, e), (singles[0], singles[1], singles[2]))


class SprtResult(NamedTuple):
    """The state of a sequential test: it continues while the log-likelihood ratio is between the bounds."""

    llr: float
    lower: float
    upper: float
    decision: Literal["accept H0", "accept H1"] | None


class Sprt(NamedTuple):
    """A sequential test of two Elo differences: H0 that it is `low`, against H1 that it is `high`.

    The generalised test on the pentanomial model: each hypothesis is given the five probabilities that fit the pairs
    best among those that have its Elo difference, and the ratio of the two likelihoods decides. `model` says what the
    differences are: `logistic` Elo, or `normalised` Elo, in which the difference from a half is measured in deviations
    of a game, so that a test takes the same number of games whatever the share of draws.
    """

    low: float
    high: float
    alpha: float = 0.05
    """How often H1 is accepted though H0 holds."""
    beta: float = 0.05
    """How often H0 is accepted though H1 holds."""
    model: Literal["logistic", "normalised"] = "logistic"

    def test(self, pairs: Sequence[int]) -> SprtResult:
        """Return the state of the test after these numbers of pairs with 0, ½, 1, 1½ and 2 points."""
        if not self.low < self.high:
            raise UserError("rating.sprt_bounds", low=self.low, high=self.high)
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise UserError("rating.sprt_errors", alpha=self.alpha, beta=self.beta)
        lower, upper = math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)
        ratio = self.llr(pairs)
        return SprtResult(
            ratio, lower, upper, "accept H1" if ratio >= upper else "accept H0" if ratio <= lower else None
        )

    def llr(self, pairs: Sequence[int]) -> float:
        """Return the log-likelihood ratio of H1 to H0."""
        if len(pairs) != 5 or min(pairs) < 0:
            raise UserError("rating.bad_pentanomial", counts=str(tuple(pairs)))
        total = sum(pairs)
        if not total:
            return 0.0
        counts = [max(count, 1e-3) for count in pairs]  # a sum that has not occurred yet is still possible
        whole = sum(counts)
        shares = [count / whole for count in counts]
        fit = _fit_score if self.model == "logistic" else _fit_deviations
        null, other = fit(shares, self.low), fit(shares, self.high)
        return sum(count * math.log(q / p) for count, p, q in zip(counts, null, other, strict=True))


VALUES = (0.0, 0.25, 0.5, 0.75, 1.0)


def _fit_score(shares: Sequence[float], difference: float) -> list[float]:
    """Return the likeliest probabilities among those whose expected score belongs to a logistic Elo difference."""
    target = expected_score(difference)
    return _balance(shares, [value - target for value in VALUES])


def _fit_deviations(shares: Sequence[float], difference: float) -> list[float]:
    """Return the likeliest probabilities among those with a normalised Elo difference, mean minus ½ = t deviations.

    The deviation is not linear in the probabilities; so it is taken as linear near the last fit, and fitted again.
    """
    t = math.sqrt(2) * difference / (2 * SCALE)  # a pair's average has 1/√2 of a game's deviation
    fitted = list(shares)
    for _ in range(50):
        mean = sum(p * value for p, value in zip(fitted, VALUES, strict=True))
        deviation = math.sqrt(sum(p * (value - mean) ** 2 for p, value in zip(fitted, VALUES, strict=True)))
        gaps = [value - 0.5 - t * (deviation + (value - mean) ** 2 / deviation) / 2 for value in VALUES]
        before, fitted = fitted, _balance(shares, gaps)
        if max(abs(p - q) for p, q in zip(before, fitted, strict=True)) < 1e-9:
            break
    return fitted


def _balance(shares: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """Return the likeliest probabilities under which the gaps average 0: shares / (1 + x gap), x found by halving."""
    if not min(gaps) < 0 < max(gaps):
        raise UserError("rating.sprt_too_far")
    low, high = -1 / max(gaps), -1 / min(gaps)
    for _ in range(60):
        middle = (low + high) / 2
        if sum(share * gap / (1 + middle * gap) for share, gap in zip(shares, gaps, strict=True)) > 0:
            low = middle
        else:
            high = middle
    return [share / (1 + middle * gap) for share, gap in zip(shares, gaps, strict=True)]
