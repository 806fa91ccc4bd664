"""The log-likelihood of games under Bradley-Terry with draws and a first seat, and its maximum. Knows only numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array
from scipy.special import log_softmax

from ludus.rating.statistics import SCALE, Estimate, Z

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ludus.rating.bradley_terry import Counts

    Vector = NDArray[np.float64]

DRAW_SPREAD = 5.0


class Likelihood:
    """The log-likelihood with its prior. Parameters: strengths of those who are not anchored, the seat, and log ν.

    The odds are exponentials of linear functions of the parameters, so the log-likelihood has one maximum and Newton's
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
        played = [(pair, outcomes) for pair, outcomes in counts.items() if sum(outcomes)]
        index = {name: i for i, name in enumerate(names)}
        seat, rows = len(names), np.arange(len(played))
        columns = np.array([(index[first], index[second], seat) for (first, second), _ in played])
        signs = np.tile([1.0, -1.0, 1.0], (len(played), 1))
        leads = csr_array((signs.ravel(), (rows.repeat(3), columns.ravel())), shape=(len(played), seat + 1))
        self.outcomes: Vector = np.array([outcomes for _, outcomes in played], dtype=float)
        self.draws = bool(self.outcomes[:, 1].any())
        self.free = np.array([i for i, name in enumerate(names) if name not in anchors], dtype=int)
        self.fixed: Vector = np.array([anchors.get(name, 0.0) / SCALE for name in names])
        self.anchored = bool(anchors)
        self.lead = leads[:, [*self.free, seat]]
        """How the lead of the first seat depends on the free strengths and the seat, for each ordered pair."""
        self.fixed_lead = leads[:, :seat] @ self.fixed
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
        half = (self.lead @ parameters[:-1] + self.fixed_lead) / 2
        draw = np.full_like(half, parameters[-1] if self.draws else -np.inf)
        logs: Vector = log_softmax(np.column_stack([half, draw, -half]), axis=1)
        return logs

    def value(self, parameters: Vector) -> float:
        """Return the log-likelihood, prior included."""
        logs = self.log_chances(parameters)
        if not self.draws:
            logs[:, 1] = 0.0
        prior = self.precision @ (parameters - self.centres) ** 2 / 2
        return float(np.sum(self.outcomes * logs) - prior)

    def slope_and_curvature(self, parameters: Vector) -> tuple[Vector, Vector]:
        """Return the gradient, and the observed information: minus the matrix of second derivatives."""
        win, draw, loss = np.exp(self.log_chances(parameters)).T
        games = self.outcomes.sum(axis=1)
        lead = (win - loss) / 2
        by_lead = (self.outcomes[:, 0] - self.outcomes[:, 2]) / 2 - games * lead
        by_draw = (self.outcomes[:, 1] - games * draw).sum() if self.draws else 0.0
        slope = np.append(self.lead.T @ by_lead, by_draw)
        weights = (games * ((win + loss) / 4 - lead**2))[:, None]
        lead2 = (self.lead.T @ self.lead.multiply(weights)).toarray()
        mixed = (self.lead.T @ (-games * lead * draw))[:, None]
        curvature = np.block([[lead2, mixed], [mixed.T, (games * draw * (1 - draw)).sum()]])
        return slope - self.precision * (parameters - self.centres), curvature + np.diag(self.precision)

    def fit(self) -> tuple[Vector, Vector]:
        """Find the maximum by Newton's method, and return the parameters and their covariance."""
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
        """Return the covariance of all strengths: zero for anchors; without any, of the distances from the mean."""
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
