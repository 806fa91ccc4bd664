"""Two games in Python as other packages bring them: one that is won or lost, one with points."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import ludus


class Subtraction(NamedTuple):
    """Take one to three from a heap; who takes the last one wins."""

    game: Any
    heap: int
    side: int = 0
    scores: None = None

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return tuple(str(take) for take in (1, 2, 3) if take <= self.heap)

    @property
    def outcome(self) -> ludus.Outcome | None:
        return None if self.heap else ludus.Outcome(1 - self.side)

    @property
    def text(self) -> str:
        return f"{self.heap} {self.side + 1}"

    def play(self, move: str) -> Subtraction:
        return self._replace(heap=self.heap - int(move), side=1 - self.side)


class SubtractionGame(NamedTuple):
    heap: int = 10

    @property
    def name(self) -> str:
        return "subtraction"

    @property
    def options(self) -> dict[str, int | str]:
        return {"heap": self.heap}

    def initial(self, seed: int = 0) -> Subtraction:
        return Subtraction(self, self.heap + seed)

    def parse(self, text: str) -> Subtraction:
        heap, side = text.split()
        return Subtraction(self, int(heap), int(side) - 1)

    def draw(self, state: Subtraction) -> str:
        return "|" * state.heap


class Counters(NamedTuple):
    """Take a counter from either end of a row and have its points."""

    game: Any
    row: tuple[int, ...]
    side: int = 0
    scores: tuple[int, int] = (0, 0)

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return ("left", "right") if self.row else ()

    @property
    def outcome(self) -> ludus.Outcome | None:
        first, second = self.scores
        return None if self.row else ludus.Outcome(None if first == second else int(second > first))

    @property
    def text(self) -> str:
        return ",".join(map(str, self.row))

    def play(self, move: str) -> Counters:
        taken, row = (self.row[0], self.row[1:]) if move == "left" else (self.row[-1], self.row[:-1])
        first, second = self.scores
        scores = (first + taken, second) if self.side == 0 else (first, second + taken)
        return Counters(self.game, row, 1 - self.side, scores)


class CountersGame(NamedTuple):
    """A row of counters, drawn by the seed."""

    length: int = 8

    @property
    def name(self) -> str:
        return "counters"

    @property
    def options(self) -> dict[str, int | str]:
        return {"length": self.length}

    def initial(self, seed: int = 0) -> Counters:
        chooser = random.Random(seed)
        return Counters(self, tuple(chooser.randint(1, 9) for _ in range(self.length)))

    def parse(self, text: str) -> Counters:
        return Counters(self, tuple(map(int, text.split(","))))

    def draw(self, state: Counters) -> str:
        return state.text
