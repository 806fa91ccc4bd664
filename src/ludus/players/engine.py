"""The engine as a player: `engine`, `engine:seconds=0.1`, `engine:nodes=50000,threads=2`, `engine:objective=win`.

Without an option it manages the clock that it is given (budget.py plans the time); a level below 10 plays weaker,
with slips of the kind that people make: near misses more often than nonsense.
"""

from __future__ import annotations

import math
import random
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from ludus._native import cpu_seconds
from ludus.errors import UserError
from ludus.play.budget import Budget
from ludus.play.player import Player
from ludus.players import no_option
from ludus.search.analysis import DEPTH_LIMIT, OBJECTIVES, Engine, SearchLimits, check_objective

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludus.game import State
    from ludus.play.clock import TimeLeft
    from ludus.play.player import Situation
    from ludus.search.result import Analysis

OPTIONS = ("seconds", "nodes", "depth", "threads", "level", "megabytes", "ponder", "seed", "objective")
SECONDS_WITHOUT_CLOCK = 1.0
"""How long a move takes where neither the clock nor an option says it."""


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
"""The most positions that a level below the highest looks at."""
LEVEL_LINES = 16


class AnsweredMove(NamedTuple):
    """Where a game stood when a move was asked for, and what was answered."""

    start: State
    plies: int
    move: tuple[int, str] | None = None

    def came_true(self, start: State, moves: Sequence[tuple[int, str]]) -> bool:
        """Return whether this is the same game with the answer played."""
        return self.move is not None and [*moves[self.plies : self.plies + 1]] == [self.move] and start == self.start


class EnginePlayer(Player):
    """Chooses by the engine of the game."""

    last: Analysis | None = None

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
            raise UserError("players.bad_level", level=level)
        self.level = LEVELS.get(level)
        self._random = random.Random(options.get("seed"))
        self._engine: Engine | None = None
        self.budget = Budget()
        self._answered: AnsweredMove | None = None
        self._same_game = False

    def follow(self, situation: Situation) -> None:
        """Take note of whether this is the game of the last move, so that the clocks compare."""
        start, moves = situation.start, situation.moves
        self._same_game = self._answered is not None and self._answered.came_true(start, moves)
        self._answered = AnsweredMove(start, len(moves))

    def choose(self, state: State, time: TimeLeft) -> str:
        """Think as long as the clock and the options allow, and no longer."""
        seconds_now = cpu_seconds if time.clock.cpu else monotonic
        began = seconds_now()
        if self._same_game:
            self.budget.charged(time)
        if self._engine is None or self._engine.game != state.game:
            self._engine = Engine(state.game, self.megabytes)
        ready = seconds_now()
        moves = state.legal_moves
        thought = allowed = 0.0
        found: Analysis | None = None
        if len(moves) == 1:
            self.last, move = None, moves[0]
        else:
            limits = self.limits(state, time)
            rate = limits.threads if time.clock.cpu else 1
            limits = limits._replace(seconds=limits.seconds - (seconds_now() - began) / rate)
            allowed = max(0.0, limits.seconds * rate)
            thinks = seconds_now()
            found = self.last = self._think(self._engine, state, limits)
            thought = seconds_now() - thinks
            move = self._pick(state, found)
        self.budget.spent(time, seconds_now() - ready, thought, allowed)
        if self._answered is not None:
            self._answered = self._answered._replace(move=(state.side, move))
        if self.ponder and found is not None and not time.clock.cpu:  # there pondering would be charged
            self._ponder_on(self._engine, state, found)
        return move

    def limits(self, state: State, time: TimeLeft) -> SearchLimits:
        """Decide how long to think about a position, in seconds on the wall; not at all where they are 0."""
        own_limit = self.nodes or self.depth < DEPTH_LIMIT or self.level is not None
        soft, hard = self.budget.share(state, time)
        if own_limit or self.seconds is not None:
            soft = math.inf
        elif math.isinf(hard):
            hard = SECONDS_WITHOUT_CLOCK
        if time.clock.per_move is not None and turn_may_go_on(state):
            hard *= FIRST_OF_TWO
        hard = min(hard, math.inf if self.seconds is None else self.seconds)
        level = self.level
        if level is not None:
            lines = 1 if level.slack == 0.0 else LEVEL_LINES
            return SearchLimits(hard, LEVEL_NODES, level.depth, lines=lines, objective=self.objective)
        if time.clock.cpu:
            soft, hard = soft / self.threads, hard / self.threads
        return SearchLimits(hard, self.nodes, self.depth, soft, self.threads, objective=self.objective)

    def _think(self, engine: Engine, state: State, limits: SearchLimits) -> Analysis:
        """Think; below the highest level without what was learned before."""
        if self.level is not None and limits.seconds > 0.0:
            engine.clear()
        return engine.think(state, limits)

    def _pick(self, state: State, thought: Analysis) -> str:
        """Choose the best move; below the highest level among the best moves, the better the likelier."""
        found = [line for line in thought.lines if line.moves]
        if self.level is None or self.level.slack == 0.0 or len(found) == 1:
            return found[0].moves[0]
        unit = largest_gain(state) if self.objective == "margin" else None
        losses = [
            found[0].win_chance - line.win_chance if unit is None else (found[0].value - line.value) / unit
            for line in found
        ]
        weights = [math.exp(-max(0.0, loss) / self.level.slack) for loss in losses]
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
    """Return whether the mover moves again after this, as in Cantris with two removals."""
    return state.play(state.legal_moves[0]).side == state.side


def largest_gain(state: State) -> int | None:
    """Return the most points that one move makes, at least 1; None in a game without points."""
    if state.scores is None:
        return None
    after = [state.play(move).scores for move in state.legal_moves]
    return max(1, *((scores or state.scores)[state.side] - state.scores[state.side] for scores in after))


def _number(name: str, text: str, kind: type[int] | type[float]) -> float:
    try:
        number = kind(text)
    except ValueError:
        number = -1
    if not (math.isfinite(number) and number >= (0 if name in ("nodes", "ponder") else 1e-3)):
        raise UserError("players.not_positive", name=name, text=repr(text))
    return number


PLAYERS = {"engine": EnginePlayer}
