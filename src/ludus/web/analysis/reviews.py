"""Reviews of whole games: every move judged as `ludus analyse RECORD` does it, position by position.

Each position is a question of its own to the workers, so that others have their turns in between. A review goes on
while someone follows it, stops where nobody does, and is taken up there again. Knows no HTTP.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ludus.errors import UserError
from ludus.search.analysis import JudgedMove, judge, turning_point
from ludus.web.jobs.workers import Busy, TaskFailed
from ludus.web.views import Picture

if TYPE_CHECKING:
    from ludus.game import State
    from ludus.messages import Message
    from ludus.play.record import Record
    from ludus.search.result import Analysis
    from ludus.web.jobs.workers import AsyncWorkers

NODES = 200_000
"""Positions that the engine looks at for each one of the game; a count, so that a review is the same every time."""
PATIENCE_SECONDS = 30.0
MOST_KEPT = 200
LINE = 8
"""Moves of a line that are told."""
ORDER = ("best", "good", "inaccuracy", "mistake", "blunder")


class JudgedPicture(Picture):
    """A move, judged; what the position before it is worth is the first side's."""

    number: int
    side: int
    move: str
    grade: str
    loss: float = 0.0
    points: float | None = None
    win_chance: float
    margin: float | None = None
    """Points that the first side is going to win by."""
    exact: bool = False
    plies_to_end: int | None = None
    line: list[str]
    """The best play from the position before the move."""


class ReviewPicture(Picture):
    """What has been judged since someone last looked."""

    total: int
    since: int = 0
    moves: list[JudgedPicture] = []  # noqa: RUF012 - pydantic gives each its own
    done: bool = False
    turning_point: int | None = None
    failed: str | None = None
    failure: dict[str, Any] | None = None
    """Why it failed, as a message."""


class AnswerPicture(Picture):
    """What a move that someone found is worth, beside the one that was played."""

    verdict: str
    """`good`: as good as the best; `better` than what was played; or `no`."""
    grade: str
    loss: float = 0.0
    points: float | None = None
    reply: list[str] = []  # noqa: RUF012


class Review:
    """A game and what has been judged of it."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.states: list[State] = list(record.states())
        self.judged: list[JudgedMove] = []
        self.before: Analysis | None = None
        """Of the position that comes next."""
        self.failed: Message | None = None
        self.watching = 0
        self.news = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    @property
    def done(self) -> bool:
        """Whether every move has been judged."""
        return len(self.judged) == len(self.record.moves)

    def tell(self) -> None:
        """Wake everyone who follows."""
        news, self.news = self.news, asyncio.Event()
        news.set()

    def picture(self, since: int) -> ReviewPicture:
        """Show what was judged after so many moves."""
        winner = self.record.outcome.winner if self.record.outcome else None
        turning = turning_point(self.judged, winner) if self.done else None
        return ReviewPicture(
            total=len(self.record.moves),
            since=since,
            moves=[self._shown(entry) for entry in self.judged[since:]],
            done=self.done,
            turning_point=turning.number if turning else None,
            failed=str(self.failed) if self.failed else None,
            failure=self.failed.json if self.failed else None,
        )

    def _shown(self, entry: JudgedMove) -> JudgedPicture:
        state, best = self.states[entry.number - 1], entry.analysis.lines[0]
        sign = 1 if state.side == 0 else -1
        scores = state.scores
        return JudgedPicture(
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
        """Return a review that has been begun."""
        return self._kept.get(name)

    def follow(self, name: str, record: Record, asker: str) -> Review:
        """Begin a review, or take it up again, for someone who follows it."""
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
        """Follow no more; a review that nobody follows rests."""
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
                review.tell()
        except (Busy, TaskFailed) as failure:
            review.failed = failure.message
        finally:
            if review.task is asyncio.current_task():
                review.task = None
            review.tell()

    async def answer(self, review: Review, number: int, move: str, asker: str) -> AnswerPicture:
        """Judge a move that someone would rather have played at a number of the game."""
        if not 1 <= number <= len(review.judged):
            raise UserError("web.move_not_reviewed", number=number, reached=len(review.judged))
        played, state = review.judged[number - 1], review.states[number - 1]
        after = state.play(move)
        found = await self._consider(after, asker)
        judged = judge(number, state, after, move, played.analysis, found)
        is_better = ORDER.index(judged.grade) < ORDER.index(played.grade)
        return AnswerPicture(
            verdict="good" if ORDER.index(judged.grade) <= 1 else "better" if is_better else "no",
            grade=judged.grade,
            loss=round(judged.loss, 4),
            points=judged.points,
            reply=list(found.lines[0].moves[:LINE]) if found is not None and after.side != state.side else [],
        )

    async def _consider(self, state: State, asker: str) -> Analysis | None:
        """Ask the engine about a position; None where the game is over."""
        if state.outcome is not None:
            return None
        arguments = (state.game.name, tuple(state.game.options.items()), state.text, NODES)
        found: Any = None
        async for answer in self._workers.ask(asker, "consider", *arguments, seconds=PATIENCE_SECONDS):
            found = answer
        analysis: Analysis = found
        return analysis
