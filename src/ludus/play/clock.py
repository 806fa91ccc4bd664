"""Clocks: how they are written, and how much time a player has. Knows no game and measures nothing itself."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from ludus.errors import UserError

NUMBER = r"(\d{1,9}(?:\.\d{1,9})?)"


class Clock(NamedTuple):
    """The time control of a game, in seconds. Without any limit it is `none`.

    Args:
        per_move: How long a turn may take.
        bank: What a player has for the whole game.
        increment: What is added to the bank after each turn.
        cpu: Whether CPU time counts.

    Example:
        >>> ludus.Clock.parse("60+1").bank
        60.0
    """

    per_move: float | None = None
    bank: float | None = None
    increment: float = 0.0
    cpu: bool = False
    """Whether it is the bot's CPU time that counts, not the time on the wall."""

    @classmethod
    def parse(cls, text: str) -> Clock:
        """Read a clock text."""
        if text == "none":
            return cls()
        matched = re.fullmatch(rf"(cpu:)?{NUMBER}(?:(/move)|\+{NUMBER})?", text, re.ASCII)
        if matched is None or float(matched[2]) == 0.0:
            raise UserError("play.not_a_clock", text=repr(text))
        seconds, cpu = float(matched[2]), matched[1] is not None
        if matched[3]:
            return cls(per_move=seconds, cpu=cpu)
        return cls(bank=seconds, increment=float(matched[4] or 0.0), cpu=cpu)

    @property
    def text(self) -> str:
        """The clock as `parse` reads it."""
        prefix = "cpu:" if self.cpu else ""
        if self.per_move is not None:
            return f"{prefix}{short(self.per_move)}/move"
        if self.bank is not None:
            return f"{prefix}{short(self.bank)}" + (f"+{short(self.increment)}" if self.increment else "")
        return "none"

    def start(self) -> TimeLeft:
        """Return what a player has before the first move."""
        return TimeLeft(self, self.bank)


class TimeLeft(NamedTuple):
    """What one player has left on a clock."""

    clock: Clock
    bank: float | None
    used: float = 0.0
    """What the turn has taken so far, where a turn has several moves: they share the time of one."""

    @property
    def seconds(self) -> float:
        """What the next move may take at the very most; infinite without a clock."""
        if self.clock.per_move is not None:
            return self.clock.per_move - self.used
        return math.inf if self.bank is None else self.bank

    def after(self, seconds: float, *, turn_goes_on: bool = False) -> TimeLeft | None:
        """Return what is left after a move that took this time; None when it took too long.

        A bank that reaches zero is lost; a turn may take just as long as `per_move` says.
        """
        if self.clock.per_move is not None:
            used = self.used + seconds
            return self._replace(used=used if turn_goes_on else 0.0) if used <= self.clock.per_move else None
        if self.bank is None:
            return self
        left = self.bank - seconds
        return self._replace(bank=left + self.clock.increment) if left > 0 else None


def short(seconds: float) -> str:
    """Write a number of seconds without needless zeros."""
    return f"{seconds:.9f}".rstrip("0").rstrip(".")
