"""Statistics of a match: published figures, limits, and error rates by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from ludus.rating.statistics import VALUES, Score, Sprt, count_games, elo, expected_score

counts = st.tuples(*[st.integers(0, 60)] * 5).filter(lambda pairs: sum(pairs) > 0)


def score_of(pairs: tuple[int, int, int, int, int]) -> Score:
    """Make a score of pairs alone, with one point taken as two draws."""
    a, b, c, d, e = pairs
    return Score(2 * e + d, b + 2 * c + d, 2 * a + b, pairs)


def test_games_are_counted_in_pairs() -> None:
    score = count_games([(1, 1), (1, 0), (0.5, 0.5), (0, 0.5), (1,), (0, 0)])
    assert score == Score(4, 3, 4, (1, 1, 2, 0, 1), (0, 0, 1))
    assert score.games == 11
    assert score.score == 0.5
    with pytest.raises(ValueError, match=r"a pair must be the points of two games, each 1, 0.5 or 0, not \(2, 0\)"):
        count_games([(2, 0)])
    assert count_games([]).elo == (0.0, -math.inf, math.inf)
    assert count_games([]).superiority == 0.5


@pytest.mark.parametrize(
    ("score", "difference"), [(0.5, 0), (0.75, 190.85), (0.64, 99.95), (0.25, -190.85), (10 / 11, 400)]
)
def test_elo_is_the_logistic_one(score: float, difference: float) -> None:
    assert elo(score) == pytest.approx(difference, abs=0.005)
    assert expected_score(elo(score)) == pytest.approx(score)


@pytest.mark.parametrize(
    ("pairs", "value", "half"),
    [
        ((352, 579, 1264, 743, 464), 19.83, 6.77),
        ((1, 10, 78, 48, 13), 72.85, 22.33),
        ((2410, 367, 5075, 327, 2605), 5.6, 4.5),
    ],
)
def test_elo_and_its_interval_agree_with_published_matches(
    pairs: tuple[int, int, int, int, int], value: float, half: float
) -> None:
    found = score_of(pairs).elo
    assert found.value == pytest.approx(value, abs=0.05)
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=0.02)


def test_superiority_of_single_games_is_the_known_formula() -> None:
    for wins, draws, losses in ((10, 5, 5), (300, 100, 280), (3, 0, 7)):
        known = 0.5 * (1 + math.erf((wins - losses) / math.sqrt(2 * (wins + losses))))
        assert Score(wins, draws, losses, singles=(losses, draws, wins)).superiority == pytest.approx(known)
    assert score_of((0, 0, 9, 0, 0)).superiority == 0.5


@given(pairs=counts)
def test_intervals_hold_the_estimate_and_mirror(pairs: tuple[int, int, int, int, int]) -> None:
    score, mirrored = score_of(pairs), score_of(pairs[::-1])
    value, low, high = score.elo
    assert low < high
    assert low <= value <= high
    assert (value, low, high) == pytest.approx((-mirrored.elo.value, -mirrored.elo.high, -mirrored.elo.low), abs=1e-6)
    assert score.superiority == pytest.approx(1 - mirrored.superiority)
    assert (score.superiority > 0.5) == (score.score > 0.5)


def test_all_won_has_an_end_on_the_inner_side_that_grows_with_the_games() -> None:
    lows = [score_of((0, 0, 0, 0, pairs)).elo.low for pairs in (1, 4, 16, 64)]
    assert lows == sorted(lows)
    assert 0 < lows[1] < lows[-1] < math.inf
    assert lows[0] < 50
    assert score_of((0, 0, 0, 0, 9)).elo.high == math.inf


@pytest.mark.parametrize(
    "probabilities", [(0.1, 0.2, 0.4, 0.2, 0.1), (0.0, 0.02, 0.1, 0.28, 0.6), (0.3, 0, 0.2, 0, 0.5)]
)
@pytest.mark.parametrize(("number", "least"), [(8, 0.90), (100, 0.93)])
def test_the_interval_holds_the_truth_about_as_often_as_it_says(
    probabilities: tuple[float, ...], number: int, least: float
) -> None:
    rng = np.random.default_rng(5)
    truth = elo(float(np.dot(probabilities, VALUES)))
    held = 0
    for pairs in rng.multinomial(number, probabilities, size=600).tolist():
        _, low, high = score_of(tuple(pairs)).elo
        held += low <= truth <= high
    assert held / 600 >= least


def fitted_by_force(pairs: tuple[int, ...], constraint: object) -> float:
    shares = np.maximum(pairs, 1e-3)
    found = minimize(
        lambda p: -float(shares @ np.log(p)),
        np.full(5, 0.2),
        method="SLSQP",
        bounds=[(1e-9, 1)] * 5,
        constraints=[{"type": "eq", "fun": lambda p: p.sum() - 1}, {"type": "eq", "fun": constraint}],
        options={"maxiter": 500, "ftol": 1e-12},
    )
    return float(-found.fun)


@pytest.mark.parametrize("pairs", [(3, 20, 50, 30, 8), (10, 5, 30, 9, 22), (1, 4, 6, 9, 2)])
def test_the_ratio_is_that_of_the_likeliest_distributions(pairs: tuple[int, ...]) -> None:
    values = np.array(VALUES)

    def scored(difference: float) -> object:
        return lambda p: p @ values - expected_score(difference)

    def deviating(difference: float) -> object:
        t = difference * math.log(10) / 800 * math.sqrt(2)
        return lambda p: p @ values - 0.5 - t * math.sqrt(p @ (values - p @ values) ** 2)

    for model, constraint in (("logistic", scored), ("normalised", deviating)):
        by_force = fitted_by_force(pairs, constraint(40)) - fitted_by_force(pairs, constraint(-10))
        found = Sprt(-10, 40, model=model).llr(pairs)  # type: ignore[arg-type]
        assert found == pytest.approx(by_force, abs=2e-3)


def test_the_ratio_agrees_with_published_tests() -> None:
    long = Sprt(9, 16, alpha=0.01, beta=0.01, model="normalised").test((352, 579, 1264, 743, 464))
    assert (round(long.llr, 2), round(long.lower, 2), round(long.upper, 2)) == (4.60, -4.60, 4.60)
    assert long.decision == "accept H1"
    short = Sprt(0, 50, model="normalised").test((0, 0, 1, 8, 1))
    assert (round(short.llr, 2), round(short.lower, 2), round(short.upper, 2)) == (1.24, -2.94, 2.94)
    assert short.decision is None


def probabilities_at(difference: float) -> list[float]:
    """Return the five sums for two games that both lean by a difference and share the luck of their board."""
    win = expected_score(difference)
    alone = [(1 - win) ** 2, 0, 2 * win * (1 - win), 0, win**2]
    ties = [0, (1 - win) * 0.5, 0.5, win * 0.5, 0]
    return [0.6 * a + 0.4 * t for a, t in zip(alone, ties, strict=True)]


@pytest.mark.parametrize(("strong", "wrong"), [(False, "accept H1"), (True, "accept H0")])
def test_the_error_rates_hold(strong: bool, wrong: str) -> None:
    sprt = Sprt(-60, 60)
    probabilities = np.array(probabilities_at(200 if strong else -200))
    score = float(probabilities @ VALUES)
    wanted = expected_score(60 if strong else -60)
    mixed = (wanted - 0.5) / (score - 0.5)  # so that the true difference is exactly the bound
    probabilities = mixed * probabilities + (1 - mixed) * np.array(probabilities_at(0))
    rng = np.random.default_rng(11)
    errors = 0
    for _ in range(200):
        pairs = np.zeros(5, dtype=int)
        verdict = None
        while verdict is None:
            pairs += rng.multinomial(1, probabilities)
            verdict = sprt.test(pairs.tolist()).decision
        errors += verdict == wrong
    assert errors <= 20  # 5% of 200 and more than three deviations


def test_bad_tests_are_named() -> None:
    with pytest.raises(ValueError, match="LOW must be less than HIGH, not 5,5"):
        Sprt(5, 5).test((1, 1, 1, 1, 1))
    with pytest.raises(ValueError, match=r"alpha and beta must be between 0 and 0.5"):
        Sprt(0, 5, alpha=0.9).test((1, 1, 1, 1, 1))
    with pytest.raises(ValueError, match="the pentanomial counts must be five numbers of at least 0"):
        Sprt(0, 5).llr((1, 2, 3))
    assert Sprt(0, 5).test((0, 0, 0, 0, 0)).llr == 0
