"""Ratings: against an independent implementation, against the truth of simulated games, and at the limits."""

from __future__ import annotations

import itertools
import math
import random

import choix
import numpy as np
import pytest

from ludus.rating.bradley_terry import Counts, Online, Rating, count, rate
from ludus.rating.likelihood import Likelihood
from ludus.rating.statistics import SCALE


def simulated(strengths: dict[str, float], games: int, seat: float = 0.0, nu: float = 0.0, seed: int = 1) -> Counts:
    """Play a number of games for each ordered pair; strengths and seat in Elo."""
    rng = random.Random(seed)
    counts = {}
    for first, second in itertools.permutations(strengths, 2):
        half = (strengths[first] - strengths[second] + seat) / SCALE / 2
        drawn = rng.choices(range(3), [math.exp(half), nu, math.exp(-half)], k=games)
        counts[first, second] = (drawn.count(0), drawn.count(1), drawn.count(2))
    return counts


FIELD = {name: 80.0 * index - 280 for index, name in enumerate("abcdefgh")}


def test_without_draws_and_seats_it_is_what_choix_finds() -> None:
    counts = simulated(FIELD, 6)
    index = {name: i for i, name in enumerate(FIELD)}
    data = []
    for (first, second), (wins, _, losses) in counts.items():
        data += [(index[first], index[second])] * wins + [(index[second], index[first])] * losses
    spread = 700.0
    for expected, prior in (
        (choix.ilsr_pairwise(len(FIELD), data), 1e6),
        (choix.opt_pairwise(len(FIELD), data, alpha=(SCALE / spread) ** 2 / 2, tol=1e-10), spread),
    ):
        found = rate(counts, seats=False, spread=prior)
        strengths = np.array([found[name].elo / SCALE for name in FIELD])
        assert strengths == pytest.approx(expected - expected.mean(), abs=2e-4)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    held = pairs = 0
    for seed in range(15):
        found = rate(simulated(FIELD, 10, seat=60, nu=0.8, seed=seed))
        held += sum(found[name].low <= FIELD[name] <= found[name].high for name in FIELD)
        pairs += len(FIELD)
        assert found.seat.low - 25 < 60 < found.seat.high + 25
        assert found.draw_rate == pytest.approx(0.8 / 2.8, abs=0.06)
    assert held / pairs >= 0.90


def test_intervals_shrink_with_the_games() -> None:
    few, many = (rate(simulated(FIELD, games, nu=0.5)) for games in (5, 80))
    for name in FIELD:
        ratio = (few[name].high - few[name].low) / (many[name].high - many[name].low)
        assert ratio == pytest.approx(4, rel=0.2)
    assert few["a"].games == 5 * 2 * 7


def test_anchors_stay_and_set_the_scale() -> None:
    counts = simulated(FIELD, 40, seat=30, nu=0.3)
    free, anchored = rate(counts), rate(counts, anchors={"c": 2000.0})
    assert anchored["c"] == Rating(2000.0, 2000.0, 2000.0, 560)
    for name in FIELD:
        assert anchored[name].elo - 2000 == pytest.approx(free[name].elo - free["c"].elo, abs=1.5)
    both = rate(counts, anchors={"a": 0.0, "h": 560.0})
    assert (both["a"].elo, both["h"].elo) == (0.0, 560.0)
    assert all(both[name].low < both[name].elo < both[name].high for name in "bcdefg")
    assert list(free) == sorted(free, key=lambda name: -free[name].elo)


def test_the_curvature_is_the_slope_of_the_slope() -> None:
    model = Likelihood(sorted(FIELD), simulated(FIELD, 3, seat=20, nu=0.7), {"d": 100.0}, 100.0, 800, 200)
    rng = np.random.default_rng(3)
    at = rng.normal(size=len(model.centres)) / 2
    slope, curvature = model.slope_and_curvature(at)
    for index in range(len(at)):
        step = np.zeros_like(at)
        step[index] = 1e-5
        assert (model.value(at + step) - model.value(at - step)) / 2e-5 == pytest.approx(slope[index], abs=1e-4)
        change = (model.slope_and_curvature(at + step)[0] - model.slope_and_curvature(at - step)[0]) / 2e-5
        assert -change == pytest.approx(curvature[index], abs=1e-4)


def test_the_undefeated_stay_finite_and_uncertain() -> None:
    found = rate({("a", "b"): (10, 0, 0), ("b", "c"): (3, 1, 2)})
    assert found["a"].elo < 1500
    assert found["a"].high - found["a"].low > 300
    assert next(iter(found)) == "a"
    only_draws = rate({("a", "b"): (0, 9, 0)})
    assert only_draws["a"].elo == pytest.approx(only_draws["b"].elo, abs=1e-6)
    assert only_draws.draw_rate > 0.8


def test_superiority_is_the_chance_to_be_stronger() -> None:
    found = rate(simulated(FIELD, 20))
    assert found.superiority("h", "a") > 0.999
    assert found.superiority("b", "c") == pytest.approx(1 - found.superiority("c", "b"))
    assert found.superiority("a", "a") == 0.5
    fixed = rate(simulated(FIELD, 20), anchors={"a": 0.0, "b": 10.0})
    assert (fixed.superiority("b", "a"), fixed.superiority("a", "b")) == (1.0, 0.0)


def test_groups_that_never_met_are_said_plainly() -> None:
    found = rate({("a", "b"): (1, 1, 1), ("c", "d"): (2, 0, 1), ("e", "d"): (1, 0, 0), ("a", "c"): (0, 0, 0)})
    assert found.groups == (("c", "d", "e"), ("a", "b"))
    assert str(found.note) == "2 groups never met, so compare ratings only inside each group: (c, d, e), (a, b)"
    assert rate({("a", "b"): (1, 0, 1)}).note is None


def test_games_are_counted_by_seat() -> None:
    counts = count([("a", "b", 1), ("a", "b", 0.5), ("b", "a", 0), ("a", "b", 1)])
    assert counts == {("a", "b"): (2, 1, 0), ("b", "a"): (0, 0, 1)}
    with pytest.raises(ValueError, match=r"the points of a game must be 1, 0.5 or 0, not 2"):
        count([("a", "b", 2)])


def test_bad_counts_are_named() -> None:
    for counts, anchors, sentence in (
        ({}, {}, "there are no games to rate"),
        ({("a", "a"): (1, 0, 0)}, {}, "games of a against itself cannot be rated"),
        ({("a", "b"): (1, 0, -1)}, {}, "must be three numbers of at least 0"),
        ({("a", "b"): (1, 0, 1)}, {"z": 0.0}, "anchor 'z' has played no games; remove it"),
    ):
        with pytest.raises(ValueError, match=sentence):
            rate(counts, anchors=anchors)


def test_two_hundred_players_are_rated_at_once() -> None:
    truth = {f"p{index}": 4.0 * index - 398 for index in range(200)}
    found = rate(simulated(truth, 1, seat=40, nu=0.4))
    assert len(found) == 200
    held = sum(found[name].low <= truth[name] <= found[name].high for name in truth)
    assert held >= 180
    assert found.superiority("p199", "p0") > 0.999999


def test_the_online_rating_follows_the_games_and_goes_on_from_where_it_was() -> None:
    rng = random.Random(2)
    first = Online()
    first.add("a", "b", 1)  # the figures of Weng and Lin's Algorithm 1
    assert first["a"][:3] == pytest.approx((1616.76789, 956.70803, 2276.827751), abs=1e-6)
    online = Online()
    assert online["a"].elo == 1500
    assert online["a"].games == 0
    for _ in range(400):
        online.add("a", "b", 1 if rng.random() < 0.75 else 0)
    assert online["a"].elo - online["b"].elo == pytest.approx(190, abs=60)
    assert online["a"].games == 400
    assert online["a"].high - online["a"].low < Online()["a"].high - Online()["a"].low
    assert online.superiority("a", "b") > 0.9
    again = Online(online.ratings)
    for one in (online, again):
        one.add("a", "c", 0.5)
    assert again["a"] == pytest.approx(online["a"])
    assert again["c"].elo > 1500
    with pytest.raises(ValueError, match=r"the points of a game must be 1, 0.5 or 0, not 3"):
        online.add("a", "b", 3)
