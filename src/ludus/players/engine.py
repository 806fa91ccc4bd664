"""The engine as a player: `engine`, `engine:seconds=0.1`, `engine:nodes=50000,threads=2`, `engine:objective=win`.

Without an option it manages the clock that it is given (budget.py plans the time). A level below 10 looks only a few
plies ahead, as `engine:plies=1.6` does: in six turns of ten two plies, in the others one, so that it overlooks what
comes later. Below one ply it sees only a part of its moves, but always one that wins at once. It counts positions and
no time: a level plays alike on every machine. The game's `levels.txt` has the plies of each level and its Elo.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from time import monotonic
from typing import NamedTuple

from ludus._native import cpu_seconds
from ludus.errors import UserError
from ludus.game import State
from ludus.play.budget import Budget
from ludus.play.clock import TimeLeft
from ludus.play.player import Player, Situation
from ludus.players import no_option
from ludus.players.levels import FULL_STRENGTH, levels
from ludus.search.analysis import DEPTH_LIMIT, OBJECTIVES, Engine, SearchLimits, check_objective
from ludus.search.result import Analysis

OPTIONS = ("seconds", "nodes", "depth", "threads", "level", "plies", "megabytes", "ponder", "seed", "objective")
SECONDS_WITHOUT_CLOCK = 1.0
"""How long a move takes where neither the clock nor an option says it."""


LEVEL_NODES = 20_000
"""The most positions that a search of limited sight looks at."""
LEVEL_MEGABYTES = 4
"""Its table: one size, so that it plays alike everywhere, and small, since it is cleared before each move."""


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
        if not 1 <= level <= FULL_STRENGTH:
            raise UserError("players.bad_level", level=level)
        self.level = level
        self.plies = float(_number("plies", options["plies"], float)) if "plies" in options else None
        self._random = random.Random(options.get("seed"))
        self._engine: Engine | None = None
        self.budget = Budget()
        self._answered: AnsweredMove | None = None
        self._same_game = False

    @property
    def weaker(self) -> bool:
        """Whether it plays below its full strength."""
        return self.plies is not None or self.level < FULL_STRENGTH

    def sight(self, state: State) -> float:
        """Return how many plies ahead it looks on average in a game; without end at full strength."""
        return levels(state.game.name)[self.level - 1].plies if self.plies is None else self.plies

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
            self._engine = Engine(state.game, LEVEL_MEGABYTES if self.weaker else self.megabytes)
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
        own_limit = self.nodes or self.depth < DEPTH_LIMIT or self.weaker
        soft, hard = self.budget.share(state, time)
        if own_limit or self.seconds is not None:
            soft = math.inf
        elif math.isinf(hard):
            hard = SECONDS_WITHOUT_CLOCK
        if time.clock.per_move is not None and turn_may_go_on(state):
            hard *= FIRST_OF_TWO
        hard = min(hard, math.inf if self.seconds is None else self.seconds)
        if self.weaker:
            plies = self.sight(state)
            depth = max(1, int(plies) + (self._random.random() < plies % 1))
            lines = len(state.legal_moves) if plies < 1 else 1
            return SearchLimits(hard, LEVEL_NODES, depth, lines=lines, objective=self.objective)
        if time.clock.cpu:
            soft, hard = soft / self.threads, hard / self.threads
        return SearchLimits(hard, self.nodes, self.depth, soft, self.threads, objective=self.objective)

    def _think(self, engine: Engine, state: State, limits: SearchLimits) -> Analysis:
        """Think; below full strength without what was learned before."""
        if self.weaker and limits.seconds > 0.0:
            engine.clear()
        return engine.think(state, limits)

    def _pick(self, state: State, thought: Analysis) -> str:
        """Choose the best move; with less than one ply of sight the best of those that it sees."""
        found = [line.moves[0] for line in thought.lines if line.moves]
        if not self.weaker or (sight := self.sight(state)) >= 1:
            return found[0]
        seen = [move for move in found if self._random.random() < sight]
        won = next((move for move in found if _wins(state, move)), None)
        return won or (seen[0] if seen else self._random.choice(found))

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


def _wins(state: State, move: str) -> bool:
    outcome = state.play(move).outcome
    return outcome is not None and outcome.winner == state.side


def _number(name: str, text: str, kind: type[int] | type[float]) -> float:
    try:
        number = kind(text)
    except ValueError:
        number = -1
    if not (math.isfinite(number) and number >= (0 if name in ("nodes", "ponder") else 1e-3)):
        raise UserError("players.not_positive", name=name, text=repr(text))
    return number


PLAYERS = {"engine": EnginePlayer}
