"""Reviews of whole games: every move is judged as `ludus analyse RECORD` does it. Knows no HTTP.

Each position is a separate question to the workers, so that others have their turns in between. A review runs while
someone follows it, stops when nobody does, and continues from there later.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from ludus.errors import UserError
from ludus.game import State
from ludus.messages import Message
from ludus.messages.fields import MessageField
from ludus.play.record import Record
from ludus.search.analysis import JudgedMove, judge, turning_point
from ludus.search.result import Analysis
from ludus.view import View
from ludus.web.http.events import Observable
from ludus.web.jobs.workers import AsyncWorkers, Busy, TaskFailed

NODES = 200_000
"""Nodes that the engine searches for each position; a count, so that a review is repeatable."""
PATIENCE_SECONDS = 30.0
MOST_KEPT = 200
LINE = 8
"""Moves of a line that are shown."""
ORDER = ("best", "good", "inaccuracy", "mistake", "blunder")


class JudgedMoveView(View):
    """A judged move; the value of the position before it is that of the first side."""

    number: int
    side: int
    move: str
    grade: str
    loss: float = 0.0
    points: float | None = None
    win_chance: float
    margin: float | None = None
    """The points by which the first side is expected to win."""
    exact: bool = False
    plies_to_end: int | None = None
    line: list[str]
    """The best play from the position before the move."""


class ReviewView(View):
    """What has been judged since the last message."""

    total: int
    since: int = 0
    moves: list[JudgedMoveView] = []
    done: bool = False
    turning_point: int | None = None
    failed: str | None = None
    failure: MessageField | None = None
    """Why it failed, as data."""


class AnswerView(View):
    """How good a suggested move is, compared with the one that was played."""

    verdict: str
    """`good`: as good as the best; `better` than the move that was played; or `no`."""
    grade: str
    loss: float = 0.0
    points: float | None = None
    reply: list[str] = []


class Review(Observable):
    """A game and its moves that have been judged."""

    def __init__(self, record: Record) -> None:
        super().__init__()
        self.record = record
        self.states: list[State] = list(record.states())
        self.judged: list[JudgedMove] = []
        self.before: Analysis | None = None
        """The analysis of the next position."""
        self.failed: Message | None = None
        self.watching = 0
        self.task: asyncio.Task[None] | None = None

    @property
    def done(self) -> bool:
        """Whether every move has been judged."""
        return len(self.judged) == len(self.record.moves)

    def view(self, since: int) -> ReviewView:
        """Return the moves that were judged after the first `since`."""
        winner = self.record.outcome.winner if self.record.outcome else None
        turning = turning_point(self.judged, winner) if self.done else None
        return ReviewView(
            total=len(self.record.moves),
            since=since,
            moves=[self._move_view(entry) for entry in self.judged[since:]],
            done=self.done,
            turning_point=turning.number if turning else None,
            failed=str(self.failed) if self.failed else None,
            failure=self.failed,
        )

    def _move_view(self, entry: JudgedMove) -> JudgedMoveView:
        state, best = self.states[entry.number - 1], entry.analysis.lines[0]
        sign = 1 if state.side == 0 else -1
        scores = state.scores
        return JudgedMoveView(
            number=entry.number,
            side=entry.side,
            move=entry.move,
            grade=entry.grade,
            loss=round(entry.loss, 4),
            points=entry.points,
            win_chance=round(best.win_chance if sign == 1 else 1 - best.win_chance, 4),
            margin=None if scores is None else scores[0] - scores[1] + sign * best.value,
            exact=best.exact,
            plies_to_end=best.plies_to_end,
            line=list(best.moves[:LINE]),
        )


class Reviews:
    """The latest reviews."""

    def __init__(self, workers: AsyncWorkers) -> None:
        self._workers = workers
        self._kept: OrderedDict[str, Review] = OrderedDict()

    def find(self, name: str) -> Review | None:
        """Return a review that was started; None when there is none."""
        return self._kept.get(name)

    def follow(self, name: str, record: Record, asker: str) -> Review:
        """Start or continue a review for someone who follows it."""
        review = self._kept.get(name) or Review(record)
        self._kept[name] = review
        self._kept.move_to_end(name)
        review.watching += 1
        for old in [key for key, kept in self._kept.items() if not kept.watching]:
            if len(self._kept) <= MOST_KEPT:
                break
            del self._kept[old]
        if review.task is None and not review.done:
            review.failed = None
            review.task = asyncio.get_running_loop().create_task(self._judge(review, asker))
        return review

    def leave(self, review: Review) -> None:
        """Stop following a review; it pauses when nobody follows it."""
        review.watching -= 1
        if not review.watching and review.task is not None:
            review.task.cancel()
            review.task = None

    async def _judge(self, review: Review, asker: str) -> None:
        """Judge one move after the other."""
        try:
            if review.before is None:
                review.before = await self._consider(review.states[0], asker)
            while not review.done:
                ply = len(review.judged)
                before, move = review.before, review.record.moves[ply].move
                assert before is not None
                answer = await self._consider(review.states[ply + 1], asker)
                judged = judge(ply + 1, review.states[ply], review.states[ply + 1], move, before, answer)
                review.judged.append(judged)
                review.before = answer
                review.notify()
        except (Busy, TaskFailed) as failure:
            review.failed = failure.message
        finally:
            if review.task is asyncio.current_task():
                review.task = None
            review.notify()

    async def answer(self, review: Review, number: int, move: str, asker: str) -> AnswerView:
        """Judge a move that someone suggests in place of the move with a number."""
        if not 1 <= number <= len(review.judged):
            raise UserError("web.move_not_reviewed", number=number, reached=len(review.judged))
        played, state = review.judged[number - 1], review.states[number - 1]
        after = state.play(move)
        found = await self._consider(after, asker)
        judged = judge(number, state, after, move, played.analysis, found)
        is_better = ORDER.index(judged.grade) < ORDER.index(played.grade)
        return AnswerView(
            verdict="good" if ORDER.index(judged.grade) <= 1 else "better" if is_better else "no",
            grade=judged.grade,
            loss=round(judged.loss, 4),
            points=judged.points,
            reply=list(found.lines[0].moves[:LINE]) if found is not None and after.side != state.side else [],
        )

    async def _consider(self, state: State, asker: str) -> Analysis | None:
        """Return the analysis of a position; None where the game is over."""
        if state.outcome is not None:
            return None
        analysis: Analysis = await self._workers.ask_once(asker, "consider", state, NODES, seconds=PATIENCE_SECONDS)
        return analysis
