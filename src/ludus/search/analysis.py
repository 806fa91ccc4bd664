"""Analysis: what is the best move, and what is a position worth? And for a whole game: where was it lost?

Knows the engines, compiled and in Python, and states; knows no clock and no front.
"""

from __future__ import annotations

import math
import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.errors import UserError
from ludus.game import Game, State, complete
from ludus.messages import Message
from ludus.search.deepening import Deepening
from ludus.search.proven import find_proof, with_proof
from ludus.search.result import Analysis, Variation

if TYPE_CHECKING:
    from ludus import _native
    from ludus.play.record import Record

OBJECTIVES = ("margin", "win")
"""What a search of a game with points maximises: the points, or the chance to win."""
DEPTH_LIMIT = 100
MEGABYTE = 1 << 20


class SearchLimits(NamedTuple):
    """When a search ends, apart from a proof. Without any limit it continues until it is stopped."""

    seconds: float = math.inf
    nodes: int = 0
    depth: int = DEPTH_LIMIT
    soft_seconds: float = math.inf
    """After this, begin no iteration that may not end in time."""
    threads: int = 1
    lines: int = 1
    objective: str = OBJECTIVES[0]
    """One of OBJECTIVES; the same in games without points."""


class Engine:
    """The engine for one game, with a table that it keeps from one position to the next where the game is compiled.

    It thinks about one position at a time: threads that share it wait for each other, also to clear it or to ponder.
    """

    def __init__(self, game: Game, megabytes: int = 64, *, uses_proofs: bool = True) -> None:
        self.game = game
        self._uses_proofs = uses_proofs
        table_bytes = megabytes * MEGABYTE
        self._megabytes = megabytes
        self._turn = threading.Lock()
        self._searcher: Any = game.make_engine(table_bytes) or Deepening(table_bytes)

    def __reduce__(self) -> tuple[Any, ...]:
        """Make a copy, here or in another process, begin with an empty table."""
        return partial(Engine, uses_proofs=self._uses_proofs), (self.game, self._megabytes)

    def think(
        self, state: State, limits: SearchLimits, progress: Callable[[Analysis], object] | None = None
    ) -> Analysis:
        """Think about an open position; a true answer of `progress` ends it early."""
        if complete(state).game.compiled != self.game.compiled:
            raise UserError("search.other_game", name=self.game.name, name2=state.game.name)
        if state.outcome is not None:
            raise UserError("search.game_over")
        proof = self._proof(state, limits)
        if proof is not None and limits.lines == 1:
            return Analysis((proof,), 0, 0, 0.0)
        win_only = limits.objective == "win"
        as_chance = win_only and state.scores is not None
        with self._turn:
            info = self._searcher.think(
                state,
                depth=limits.depth,
                nodes=limits.nodes,
                soft_seconds=limits.soft_seconds,
                hard_seconds=limits.seconds,
                threads=limits.threads,
                lines=limits.lines,
                win_only=win_only,
                progress=None if progress is None else lambda info: progress(_analysis(info, as_chance=as_chance)),
            )
        found = _analysis(info, as_chance=as_chance)
        return found if proof is None or found.exact else with_proof(found, proof, limits.lines)

    def _proof(self, state: State, limits: SearchLimits) -> Variation | None:
        """Return what is kept of a position; searches that are limited by depth or positions look for themselves."""
        if not self._uses_proofs or limits.nodes or limits.depth < DEPTH_LIMIT:
            return None
        proof = find_proof(state)
        if proof is None or limits.objective == OBJECTIVES[0] or state.scores is None:
            return proof
        return proof._replace(value=2 * proof.win_chance - 1)

    def ponder(self, state: State, threads: int = 1) -> None:
        """Think in the background about a position that may come, until the next call."""
        if state.outcome is None:
            with self._turn:
                self._searcher.ponder(state, threads)

    def stop(self) -> None:
        """End pondering."""
        self._searcher.stop()

    def clear(self) -> None:
        """Clear the table, so that the next search does not depend on earlier ones."""
        with self._turn:
            self._searcher.clear()


def check_objective(objective: str) -> str:
    """Return an objective; raise UserError if it is none of OBJECTIVES."""
    if objective not in OBJECTIVES:
        raise UserError("search.objective", objectives=list(OBJECTIVES), objective=repr(objective))
    return objective


def _analysis(info: _native.SearchInfo | Analysis, *, as_chance: bool) -> Analysis:
    """Return what a search found; `as_chance` makes the value of a game with points one from -1 to +1."""
    lines = tuple(
        Variation(
            tuple(line.moves),
            2 * line.win_chance - 1 if as_chance else line.value,
            line.exact,
            line.win_chance,
            line.plies_to_end or None,
        )
        for line in info.lines
    )
    return Analysis(lines, info.depth, info.nodes, info.seconds)


_kept = threading.local()


def _engine(game: Game, megabytes: int) -> Engine:
    """Return an empty engine: each thread keeps its last, since a table takes longer to allocate than to clear."""
    if getattr(_kept, "key", None) != (game, megabytes):
        _kept.key, _kept.engine = (game, megabytes), Engine(game, megabytes)
    engine: Engine = _kept.engine
    engine.clear()
    return engine


def analyse(
    state: State,
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    depth: int | None = None,
    threads: int = 1,
    lines: int = 1,
    megabytes: int = 64,
    objective: str = OBJECTIVES[0],
    progress: Callable[[Analysis], object] | None = None,
) -> Analysis:
    """Return the best move and what the position is worth; one second unless a limit is given.

    With `nodes` or `depth`, and one thread, the same position gives the same answer every time.

    Args:
        state: A position that is not over.
        seconds: How long the search may take.
        nodes: How many positions it may search.
        depth: How many plies it may look ahead.
        threads: How many threads search.
        lines: How many of the best moves are returned, each with its line of play.
        megabytes: The size of the table.
        objective: `margin`, the points; or `win`: a value is +1, 0 or -1 where it is proven, and a chance in between
            otherwise, in games with points too. Who wins is proven sooner than by how much.
        progress: Called with each `Analysis` on the way; a true answer ends the search.

    Returns:
        The `Analysis`: `move`, `value`, `exact`, `win_chance`, and all `lines`.

    Raises:
        ValueError: The game is over, or a limit is not above zero.

    Example:
        >>> found = ludus.analyse(ludus.game("cantris", rows=6, cols=3).initial(seed=3), seconds=10)
        >>> found.move, found.value, found.exact
        ('5,2', 15.0, True)
    """
    whole = {"nodes": nodes, "depth": depth, "threads": threads, "lines": lines}
    numbers = {name: value if value is None else operator.index(value) for name, value in whole.items()}
    for name, value in {"seconds": seconds, **numbers}.items():
        if value is not None and not value > 0:
            raise UserError("search.more_than_zero", name=name, value=value)
    check_objective(objective)
    unlimited = seconds is None and nodes is None and depth is None
    game = complete(state).game
    engine = _engine(game, megabytes) if game.compiled else Engine(game, megabytes)
    limits = SearchLimits(
        seconds=1.0 if unlimited else math.inf if seconds is None else seconds,
        nodes=nodes or 0,
        depth=min(depth or DEPTH_LIMIT, DEPTH_LIMIT),
        threads=threads,
        lines=lines,
        objective=objective,
    )
    return engine.think(state, limits, progress)


class JudgedMove(NamedTuple):
    """A move of a game, judged."""

    number: int
    """From 1, counting every move."""
    side: int
    move: str
    best: str
    loss: float
    """What it lost against the best move, in win chance: 0 .. 1."""
    points: float | None
    """The same in points, in games that have them."""
    grade: str
    """best, good, inaccuracy, mistake or blunder."""
    analysis: Analysis
    """Of the position before the move."""
    reply: tuple[str, ...]
    """The line that it allows; empty where the same side moves on, or the game is over."""

    @property
    def why(self) -> Message:
        """What is to be said of it, in one sentence."""
        best = self.analysis.lines[0]
        if self.grade == "best":
            return Message("search.best" if best.exact else "search.to_play", move=self.move)
        gain: Message | str = ""
        if best.exact and best.plies_to_end and best.value > 0:
            gain = Message("search.wins_in", plies=best.plies_to_end)
        elif self.points:
            gain = Message("search.worth", n=round(self.points))
        reply = Message("search.allows", move=self.move, line=line_text(self.reply)) if self.reply else ""
        return Message("search.better", line=line_text(best.moves), gain=gain, reply=reply)


GRADES = ((0.02, "good"), (0.07, "inaccuracy"), (0.15, "mistake"), (math.inf, "blunder"))
"""A move that loses less than the first number of win chance is at most inaccurate, and so on; see `grade`."""


def grade(loss: float, *, is_best: bool) -> str:
    """Return the grade of a move by the win chance that it lost."""
    if is_best or loss <= 0.0:
        return "best"
    return next(name for limit, name in GRADES if loss <= limit)


def review(
    record: Record,
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    depth: int | None = None,
    threads: int = 1,
    megabytes: int = 64,
) -> Iterator[JudgedMove]:
    """Judge every move of a game, one after the other; the limits are those of `analyse`, for each position."""

    def look(state: State) -> Analysis | None:
        if state.outcome is not None:
            return None
        return analyse(state, seconds=seconds, nodes=nodes, depth=depth, threads=threads, megabytes=megabytes)

    states = list(record.states())
    before = look(states[0])
    for number, (state, after, played) in enumerate(zip(states, states[1:], record.moves, strict=False), 1):
        assert before is not None
        answer = look(after)
        yield judge(number, state, after, played.move, before, answer)
        before = answer


def judge(number: int, state: State, after: State, move: str, before: Analysis, answer: Analysis | None) -> JudgedMove:
    """Compare the move with the best one; the later analysis of the answer may correct the earlier one."""
    mover = state.side
    same_side = after.side == mover
    if answer is None:
        assert after.outcome is not None
        winner = after.outcome.winner
        chance = 0.5 if winner is None else float(winner == mover)
    else:
        chance = answer.win_chance if same_side else 1.0 - answer.win_chance
    is_best = move == before.move
    loss = 0.0 if is_best else max(0.0, before.win_chance - chance)
    points = None
    if state.scores is not None and after.scores is not None:
        gained = after.scores[mover] - state.scores[mover]
        rest = 0.0 if answer is None else answer.value if same_side else -answer.value
        points = 0.0 if is_best else max(0.0, before.value - gained - rest)
    reply = () if answer is None or same_side else answer.lines[0].moves
    return JudgedMove(number, mover, move, before.move, loss, points, grade(loss, is_best=is_best), before, reply)


def line_text(moves: Sequence[str], most: int = 4) -> str:
    """Show the first few moves of a line."""
    return " ".join(moves[:most])


def turning_point(judged: Sequence[JudgedMove], winner: int | None) -> JudgedMove | None:
    """Return the move that decided the game: the loser's most costly, or in a tie the most costly of all."""
    candidates = [entry for entry in judged if winner is None or entry.side != winner]
    dearest = max(candidates, key=lambda entry: (entry.loss, entry.points or 0.0), default=None)
    return dearest if dearest is not None and dearest.grade not in ("best", "good") else None
