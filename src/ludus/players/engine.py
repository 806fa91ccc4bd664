"""The engine as a player: `engine`, `engine:seconds=0.1`, `engine:nodes=50000,threads=2`, `engine:objective=win`.

Knows how to spend a clock. Without an option it manages the clock that it is given; a level below 10 plays weaker,
with slips of the kind that people make: near misses more often than nonsense.
"""

from __future__ import annotations

import math
import random
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from ludus.analysis import DEPTH_LIMIT, OBJECTIVES, Analysis, Engine, Limits, check_objective
from ludus.players import no_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludus.clock import TimeLeft
    from ludus.game import State

OPTIONS = ("seconds", "nodes", "depth", "threads", "level", "megabytes", "ponder", "seed", "objective")
UNTIMED_SECONDS = 1.0
"""What a move takes when nobody says how long it may take."""


class Level(NamedTuple):
    """How a level plays: how far it looks, and how often it takes a lesser move."""

    depth: int
    slack: float
    """The loss at which a lesser move is 1/e as likely as the best: in win chance, or where there are points as a share
    of the most that one move can gain."""


LEVELS = {
    1: Level(1, 1.2),
    2: Level(1, 0.5),
    3: Level(1, 0.2),
    4: Level(2, 0.1),
    5: Level(3, 0.05),
    6: Level(4, 0.02),
    7: Level(5, 0.0),
    8: Level(7, 0.0),
    9: Level(9, 0.0),
}
LEVEL_NODES = 300_000
"""No level below the last thinks about more positions than that."""
LEVEL_LINES = 16


class EnginePlayer:
    """Chooses by the engine of the game."""

    def __init__(self, /, **options: str) -> None:
        no_option("engine", {name: value for name, value in options.items() if name not in OPTIONS}, OPTIONS)
        self.seconds = _number("seconds", options["seconds"], float) if "seconds" in options else None
        self.nodes = int(_number("nodes", options.get("nodes", "0"), int))
        self.depth = int(_number("depth", options.get("depth", str(DEPTH_LIMIT)), int))
        self.threads = int(_number("threads", options.get("threads", "1"), int))
        self.megabytes = int(_number("megabytes", options.get("megabytes", "64"), int))
        self.ponder = bool(_number("ponder", options.get("ponder", "0"), int))
        self.objective = check_objective(options.get("objective", OBJECTIVES[0]))
        level = int(_number("level", options.get("level", "10"), int))
        if not 1 <= level <= 10:
            raise ValueError(f"level of player engine goes from 1 to 10, not {level}")
        self.level = LEVELS.get(level)
        self._random = random.Random(options.get("seed"))
        self._engine: Engine | None = None
        self.last: Analysis | None = None
        """What it thought of the last position."""
        self._lateness = 0.0
        """By how many seconds it has been late of late: what a busy machine adds to each move."""

    def choose(self, state: State, time: TimeLeft) -> str:
        """Think as long as the clock and the options allow, and no longer."""
        began = monotonic()
        if self._engine is None or self._engine.game != state.game:
            self._engine = Engine(state.game, self.megabytes)
        moves = state.legal_moves
        if len(moves) == 1:
            self.last = None
            return moves[0]
        if self.level is not None:
            return self._choose_at(self.level, self._engine, state, time)
        limits = self.limits(state, time)
        self.last = self._engine.think(state, limits._replace(seconds=limits.seconds - (monotonic() - began)))
        self._lateness += 0.2 * (max(0.0, monotonic() - began - limits.seconds) - self._lateness)
        if self.ponder:
            self._ponder_on(self._engine, state, self.last)
        return self.last.move

    def limits(self, state: State, time: TimeLeft) -> Limits:
        """Decide how long to think about a position."""
        own_limit = self.nodes or self.depth < DEPTH_LIMIT
        soft = math.inf
        if self.seconds is not None:
            hard = self.seconds
        elif time.clock.per_move is not None:
            hard = math.inf
        elif time.bank is not None and not own_limit:
            soft, hard = bank_share(state, time.bank, time.clock.increment, self._lateness)
        else:
            hard = math.inf if own_limit else UNTIMED_SECONDS
        share = FIRST_OF_TWO if time.clock.per_move is not None and turn_may_go_on(state) else 1.0
        hard = min(hard, share * safe_seconds(time.seconds))
        return Limits(hard, self.nodes, self.depth, soft, self.threads, objective=self.objective)

    def _choose_at(self, level: Level, engine: Engine, state: State, time: TimeLeft) -> str:
        """Choose among the best moves, the better the likelier."""
        engine.clear()
        lines = 1 if level.slack == 0.0 else LEVEL_LINES
        limits = Limits(safe_seconds(time.seconds), LEVEL_NODES, level.depth, lines=lines, objective=self.objective)
        self.last = engine.think(state, limits)
        found = [line for line in self.last.lines if line.moves]
        if lines == 1:
            return found[0].moves[0]
        unit = largest_gain(state) if self.objective == "margin" else None
        losses = [
            found[0].win_chance - line.win_chance if unit is None else (found[0].value - line.value) / unit
            for line in found
        ]
        weights = [math.exp(-max(0.0, loss) / level.slack) for loss in losses]
        return self._random.choices(found, weights)[0].moves[0]

    def _ponder_on(self, engine: Engine, state: State, thought: Analysis) -> None:
        """Go on thinking about the answer that is expected, while the opponent does."""
        line = thought.lines[0].moves
        after = state.play(line[0])
        if len(line) > 1 and after.outcome is None:
            engine.ponder(after.play(line[1]), self.threads)


FIRST_OF_TWO = 0.6
"""How much of a turn's time its first move may take, where a turn has two."""


def turn_may_go_on(state: State) -> bool:
    """Tell whether the mover moves again after this, as in Cantris with two removals."""
    return state.play(state.legal_moves[0]).side == state.side


def largest_gain(state: State) -> int | None:
    """Give the most points that one move makes, at least 1; None in a game without points."""
    if state.scores is None:
        return None
    after = [state.play(move).scores for move in state.legal_moves]
    return max(1, *((scores or state.scores)[state.side] - state.scores[state.side] for scores in after))


def safe_seconds(seconds: float) -> float:
    """Give what may be used of a hard limit: less what waking up on a busy machine may cost."""
    return seconds - min(0.08, 0.6 * seconds) if math.isfinite(seconds) else seconds


OVERHEAD_SECONDS = 0.01
"""What a move costs besides thinking."""


def bank_share(state: State, bank: float, increment: float, lateness: float = 0.0) -> tuple[float, float]:
    """Give (soft, hard) seconds for this move out of a bank.

    The game's length is measured by a few games of random moves. What every move to come will cost besides thinking is
    kept back. A search mostly ends near its hard limit, which is twice an even share of the rest: what is left shrinks
    as the square of the moves left, so that early and middle moves, which decide more, get more than late ones, which
    are soon proven. A single move never takes more than a fifth.
    """
    lengths = [random_length(state, seed) for seed in range(4)]
    own_moves = max(1.0, sum(lengths) / len(lengths) / 2)
    spendable = max(bank - (OVERHEAD_SECONDS + 2 * lateness) * own_moves, bank / 50)
    share = spendable / (own_moves + 2) + 0.8 * increment
    return min(share, bank / 5), min(2 * share, bank / 5)


def random_length(state: State, seed: int) -> int:
    """Give how many moves a game of random moves from here takes; a compiled game tells it fast."""
    compiled: Callable[[int], int] | None = getattr(state, "random_length", None)
    if compiled is not None:
        return compiled(seed)
    chooser, length = random.Random(seed), 0
    while state.outcome is None:
        state, length = state.play(chooser.choice(state.legal_moves)), length + 1
    return length


def _number(name: str, text: str, kind: type[int] | type[float]) -> float:
    try:
        number = kind(text)
    except ValueError:
        number = -1
    if not (math.isfinite(number) and number >= (0 if name in ("nodes", "ponder") else 1e-3)):
        raise ValueError(f"{name} of player engine must be a number above 0, not {text!r}")
    return number


PLAYERS = {"engine": EnginePlayer}
