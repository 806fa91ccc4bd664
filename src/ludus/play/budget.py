"""Time budgets: how long a player may think about a move so that its clock lasts to the end of the game.

Knows clocks, and how many moves a game may still have. Measures nothing itself: who thinks tells what each move cost.

The rule that keeps a bank: a move may take what is above the reserve, and the reserve pays for all moves to come if
they are played without thinking. So a bank that covers that at the start covers it after every move, whatever the game
does, as long as a move without thought costs no more than twice what such moves cost on average so far.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ludus.game import State
    from ludus.play.clock import TimeLeft

FIRST_FIXED = 0.005
"""What a move is taken to cost besides thinking before one has been measured."""
LEAST_FIXED = 0.002
"""What it is taken to cost at least, however fast the machine was so far."""
CAUTION = 2.0
"""How many times the average each move to come is taken to cost."""
MORE_THAN_LARGEST = 1.25
"""How many times the largest delay so far the next is taken to be, where the time of one move is all there is."""
LONGEST_STALL, SPARE_OF_A_MOVE = 0.5, 0.04
"""The delay of a machine that is kept in reserve, and its part of a move's time: a long move is hardly worse for it."""
LEAST_THINKING = 0.002
"""A search that may take no longer than this is not worth a thread."""
LONGER_THAN_RANDOM, MORE_MOVES = 1.5, 10
"""A game whose rules give no bound is taken to have at most this many times the moves of the longest of a few random
games, and a few more: random play ends a game by accident that good play draws out."""
RANDOM_GAMES = 4


class Cost:
    """What something has cost so far, in seconds: on average, recent moves counting more, and at most."""

    WEIGHT = 0.2
    FADING, FORGETTING = 0.99, 0.95

    def __init__(self, seconds: float) -> None:
        self.average = self.largest = self.latest = seconds

    def add(self, seconds: float) -> None:
        """Take another measurement."""
        self.latest = seconds
        self.average += self.WEIGHT * (seconds - self.average)
        self.largest = max(seconds, self.FADING * self.largest)

    def raise_latest(self, seconds: float) -> None:
        """Take note that the latest was larger by this much than it had seemed."""
        self.latest += seconds
        self.average += self.WEIGHT * seconds
        self.largest = max(self.largest, self.latest)

    def fade(self) -> None:
        """Let the past count less where nothing was measured, so that it is tried again."""
        self.average *= self.FORGETTING
        self.largest *= self.FADING


class LastMove(NamedTuple):
    """What a player had on its clock before its last move, and what that took by its own count."""

    bank: float
    took: float


class Budget:
    """Plans the time of one player, and learns from what its moves really cost."""

    def __init__(self) -> None:
        self.fixed = Cost(FIRST_FIXED)
        """What a move costs besides thinking."""
        self.late = Cost(0.0)
        """By how much thinking passes its limit: what a busy machine adds."""
        self._last: LastMove | None = None

    def share(self, state: State, time: TimeLeft) -> tuple[float, float]:
        """Return the (soft, hard) seconds that this move may take; (0, 0) where there is no time to think.

        From a bank: a search mostly ends near its hard limit, which is twice an even share of what is above the
        reserve. So what is left shrinks as the square of the moves left, and early and middle moves, which decide more,
        get more than late ones, which are soon proven. A single move never takes more than a fifth of the bank.
        """
        if time.bank is None or time.clock.per_move is not None:
            stall = min(LONGEST_STALL, SPARE_OF_A_MOVE * time.seconds)
            most = safe_seconds(time.seconds, max(stall, MORE_THAN_LARGEST * self.late.largest))
            return math.inf, max(most, 0.0)
        increment = time.clock.increment
        most = time.bank - self.reserve(state, increment) - max(self.late.largest, stall_seconds(time.bank))
        if most <= LEAST_THINKING:
            return 0.0, 0.0
        even = most / (expected_own_moves(state) + 2) + 0.8 * increment
        hard = min(2 * even - self.late.average, time.bank / 5, most)
        return (min(even, hard), hard) if hard > LEAST_THINKING else (0.0, 0.0)

    def reserve(self, state: State, increment: float = 0.0) -> float:
        """Return what this move and those to come cost without any thinking, less what the increments pay."""
        each = CAUTION * max(self.fixed.average, LEAST_FIXED)
        return max(each, self.fixed.largest) + max(0.0, each - increment) * most_own_moves(state)

    def spent(self, time: TimeLeft, took: float, thought: float, allowed: float) -> None:
        """Learn from a move: what it took in all, what of that was thinking, and how much thinking was planned."""
        if allowed > 0.0:
            self.late.add(max(0.0, thought - allowed))
        else:
            self.late.fade()
        self.fixed.add(took - (thought if allowed > 0.0 else 0.0))
        self._last = None if time.bank is None else LastMove(time.bank, took)

    def charged(self, time: TimeLeft) -> None:
        """Learn what the referee charged for the last move beyond what it took here; the game is the same."""
        if self._last is not None and time.bank is not None:
            charged = self._last.bank + time.clock.increment - time.bank
            if charged > self._last.took:
                self.fixed.raise_latest(charged - self._last.took)
        self._last = None


def stall_seconds(bank: float) -> float:
    """Return the reserve for a delay of the machine: up to half a second, and at most a tenth of the bank."""
    return min(LONGEST_STALL, bank / 10)


def safe_seconds(seconds: float, late: float = 0.0) -> float:
    """Return what may be used of a limit: less what waking up on a busy machine may cost."""
    return seconds - max(min(0.08, 0.6 * seconds), late) if math.isfinite(seconds) else seconds


def most_own_moves(state: State) -> int:
    """Return how many moves the side to move will make at most, this one included; an estimate in some games."""
    plies = state.most_moves
    if plies is None:
        longest = max(state.random_length(seed) for seed in range(RANDOM_GAMES))
        plies = math.ceil(LONGER_THAN_RANDOM * longest) + MORE_MOVES
    return plies // 2 + 1


def likely_own_moves(state: State) -> int:
    """Return a number of own moves that play which drags a game out hardly exceeds; the bound can be twice that."""
    longest = max(state.random_length(seed) for seed in range(RANDOM_GAMES))
    return min(most_own_moves(state), math.ceil(1.25 * longest / 2) + 3)


def expected_own_moves(state: State) -> float:
    """Return how many moves the side to move will make, more or less, as a few random games tell."""
    return max(1.0, sum(state.random_length(seed) for seed in range(RANDOM_GAMES)) / RANDOM_GAMES / 2)
