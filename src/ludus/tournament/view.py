"""A tournament as its readers see it: everything that is derived from its games, as typed data.

results.json, the CSV tables, the HTML page, the PDF and the page of the web arena are all made from `TournamentView`.
Computes nothing that formats and ratings know, and knows nothing of files, HTML or languages.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from ludus.errors import FAULTS
from ludus.messages import Message
from ludus.messages.fields import MessageField
from ludus.rating.bradley_terry import rate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ludus.formats import Result, Row, Slot, Standings
    from ludus.play.result import GameResult
    from ludus.rating.bradley_terry import Ratings
    from ludus.tournament import Progress

SENTENCES_SHOWN = 3
"""Different sentences that are kept for the failures of one kind."""


class View(BaseModel):
    """A part of the view; `model_validate` makes it from an object of formats or ratings with the same attributes."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class CriterionView(View):
    """A criterion that the standings are ranked by."""

    name: str
    help: str


class RatingView(View):
    """A strength in Elo with its 95% interval, and the number of games that it rests on."""

    elo: float
    low: float
    high: float
    games: int


class ReachedView(View):
    """How far an entry came in a bracket, as data."""

    code: str
    number: int | None


class StandingView(View):
    """One line of the standings. Games of pairings that are still being played count here too."""

    rank: int
    entry: str
    player: str
    """The text of its player."""
    points: float
    games: int
    wins: int
    draws: int
    losses: int
    margin: int
    failures: int
    seconds: float
    score: float | None
    """The part of the game points that it won; None before its first game."""
    byes: int
    rating: RatingView | None
    stronger_than_next: float | None
    """The probability that it is stronger than the next entry, where games connect the two."""
    criteria: dict[str, str]
    """By the name of the criterion, those that were needed to find the place, in words."""
    codes: dict[str, ReachedView]
    """The same as data, where a criterion has codes."""
    decided_by: str
    explanation: str
    withdrawn: bool


class EstimateView(View):
    """A number with its 95% interval."""

    value: float
    low: float
    high: float


class RatingNotes(View):
    """What was found beside the ratings."""

    seat: EstimateView
    """What moving first is worth, in Elo."""
    draw_rate: float
    note: str
    """What must not be compared; empty when all can be."""


class MeetingView(View):
    """All games between two entries, as the first sees them."""

    first: str
    second: str
    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """How many games they played."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> tuple[float, float]:
        """The game points of both."""
        return self.wins + self.draws / 2, self.losses + self.draws / 2


class PairingView(View):
    """Two entries that meet."""

    key: str
    first: str
    second: str
    round: int
    stage: str


class PairingResultView(PairingView):
    """A pairing that was played, as its first entry sees it."""

    wins: int
    draws: int
    losses: int
    margin: int
    walkover: bool


class OriginView(View):
    """Where an entry of a contest comes from, as data."""

    kind: str
    of: str


class SlotView(View):
    """One side of a contest."""

    entry: str | None
    source: str
    """Where the entry comes from, in words."""
    score: float | None
    origin: OriginView


class ContestView(View):
    """A contest of a bracket."""

    key: str
    slots: tuple[SlotView, SlotView]
    winner: int | None
    bye: bool
    feeds: str | None


class RoundView(View):
    """A column of a bracket."""

    stage: str
    round: int
    contests: list[ContestView]


class FailureView(View):
    """The games that an entry lost by failures of one kind, with what happened."""

    entry: str
    kind: str
    games: int
    sentences: list[str]
    """In English."""
    messages: list[MessageField | None]
    """The same as data; games stored by older versions have none."""


class TournamentView(View):
    """A tournament."""

    name: str
    game: str
    game_title: str
    options: dict[str, int | str]
    format: str
    format_options: dict[str, int | str]
    clock: str
    pairs: int
    seed: int
    finished: bool
    games: int
    draws: int
    moves: int
    replayed: int
    criteria: list[CriterionView]
    standings: list[StandingView]
    rating: RatingNotes | None
    met: list[MeetingView]
    """Every two entries that have met."""
    pairings: list[PairingResultView]
    open_pairings: list[PairingView]
    bracket: list[RoundView]
    failures: list[FailureView]

    @property
    def leaders(self) -> list[StandingView]:
        """Those at rank 1: one, unless nothing separates them."""
        return [line for line in self.standings if line.rank == 1]


def tournament_view(progress: Progress) -> TournamentView:
    """Return everything that is derived from the games of a tournament."""
    plan, schedule = progress.plan, progress.schedule
    made = plan.make_game()
    ratings = rate(progress.counts) if progress.counts else None
    standings = schedule.standings()
    return TournamentView(
        name=plan.name,
        game=plan.game,
        game_title=str(made.title),
        options=dict(made.options),
        format=plan.format,
        format_options=dict(schedule.settings),
        clock=plan.clock,
        pairs=plan.pairs,
        seed=plan.seed,
        finished=progress.done,
        games=len(progress.results),
        draws=sum(result.winner is None for result in progress.results.values()),
        moves=sum(result.moves for result in progress.results.values()),
        replayed=progress.replays,
        criteria=[CriterionView.model_validate(criterion) for criterion in standings.criteria],
        standings=_standings(progress, standings, ratings),
        rating=None if ratings is None else _rating_notes(ratings),
        met=_met(progress.counts),
        pairings=[_pairing_result(result) for result in schedule.results.values()],
        open_pairings=[PairingView.model_validate(pairing) for pairing in schedule.playable.values()],
        bracket=_bracket(progress),
        failures=failures(progress.results.values()),
    )


def _pairing_result(result: Result) -> PairingResultView:
    return PairingResultView(
        key=result.key,
        first=result.pairing.first,
        second=result.pairing.second,
        round=result.pairing.round,
        stage=result.pairing.stage,
        wins=result.wins,
        draws=result.draws,
        losses=result.losses,
        margin=result.margin,
        walkover=result.walkover,
    )


def _bracket(progress: Progress) -> list[RoundView]:
    return [
        RoundView(
            stage=column.stage,
            round=column.round,
            contests=[
                ContestView(
                    key=contest.key,
                    slots=(_slot(contest.slots[0]), _slot(contest.slots[1])),
                    winner=contest.winner,
                    bye=contest.bye,
                    feeds=contest.feeds,
                )
                for contest in column.contests
            ],
        )
        for column in progress.schedule.bracket()
    ]


def _slot(slot: Slot) -> SlotView:
    origin = OriginView.model_validate(slot.source)
    return SlotView(entry=slot.entry, source=str(slot.source), score=slot.score, origin=origin)


def _standings(progress: Progress, standings: Standings, ratings: Ratings | None) -> list[StandingView]:
    """Return the lines of the table; before the first complete pairing they are ordered by rating."""
    rows = list(standings.rows)
    begun = bool(progress.schedule.results)
    if not begun and ratings is not None:
        rows.sort(key=lambda row: -ratings[row.entry].elo if row.entry in ratings else math.inf)
    totals = _totals(progress.results.values(), progress.plan.entries)
    lines: list[StandingView] = []
    for place, row in enumerate(rows, 1):
        own, rating = totals[row.entry], ratings.get(row.entry) if ratings else None
        below = rows[place].entry if place < len(rows) else None
        words, codes = _criteria(row, standings)
        lines.append(
            StandingView(
                rank=row.rank if begun else place,
                entry=row.entry,
                player=progress.plan.entries[row.entry],
                points=row.tally.points,
                games=own.games,
                wins=own.wins,
                draws=own.draws,
                losses=own.losses,
                margin=own.margin,
                failures=own.failures,
                seconds=own.seconds,
                score=own.score,
                byes=row.tally.byes,
                rating=None if rating is None else RatingView.model_validate(rating),
                stronger_than_next=_stronger(ratings, row.entry, below),
                criteria=words,
                codes=codes,
                decided_by=row.decided_by if begun else "rating" if place > 1 else "",
                explanation=standings.explain(row.entry) if begun else "no pairing is complete; ordered by rating",
                withdrawn=row.withdrawn,
            )
        )
    return lines


def _criteria(row: Row, standings: Standings) -> tuple[dict[str, str], dict[str, ReachedView]]:
    """Return the values of the criteria that placed an entry: in words, and as codes."""
    words: dict[str, str] = {}
    codes: dict[str, ReachedView] = {}
    for criterion in standings.criteria:
        value = row.values.get(criterion.name)
        if value is not None:
            words[criterion.name] = criterion.words(value)
            if criterion.coded is not None:
                codes[criterion.name] = ReachedView.model_validate(criterion.coded(value))
    return words, codes


def _stronger(ratings: Ratings | None, one: str, other: str | None) -> float | None:
    """Return the probability that one is stronger than another, where games connect the two."""
    if ratings is None or other is None:
        return None
    together = any(one in group and other in group for group in ratings.groups)
    return ratings.superiority(one, other) if together else None


class _Total:
    """The games of one entry, added up."""

    def __init__(self) -> None:
        self.wins = self.draws = self.losses = self.margin = self.failures = 0
        self.seconds = 0.0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float | None:
        return (self.wins + self.draws / 2) / self.games if self.games else None


def _totals(results: Iterable[GameResult], entries: Iterable[str]) -> dict[str, _Total]:
    """Add up each entry's games, also those of pairings that are still being played."""
    totals = {entry: _Total() for entry in entries}
    for result in results:
        for side, entry in enumerate(result.entries):
            own = totals[entry]
            own.wins += result.winner == side
            own.draws += result.winner is None
            own.losses += result.winner == 1 - side
            own.margin += -result.margin if side else result.margin
            own.failures += result.failed == entry
            own.seconds += result.used[side]
    return totals


def _rating_notes(ratings: Ratings) -> RatingNotes:
    return RatingNotes(seat=EstimateView.model_validate(ratings.seat), draw_rate=ratings.draw_rate, note=ratings.note)


def _met(counts: Mapping[tuple[str, str], tuple[int, int, int]]) -> list[MeetingView]:
    """Add up the games of every two entries, whichever moved first."""
    met: dict[tuple[str, str], list[int]] = {}
    for (first, second), (wins, draws, losses) in counts.items():
        one, other = sorted((first, second))
        own = met.setdefault((one, other), [0, 0, 0])
        for index, number in enumerate((wins, draws, losses) if one == first else (losses, draws, wins)):
            own[index] += number
    return [
        MeetingView(first=first, second=second, wins=wins, draws=draws, losses=losses)
        for (first, second), (wins, draws, losses) in met.items()
    ]


def failures(results: Iterable[GameResult]) -> list[FailureView]:
    """Count failures by entry and kind, the most frequent first, with what happened."""
    games: dict[tuple[str, str], int] = {}
    found: dict[tuple[str, str], dict[str, Message | None]] = {}
    for result in results:
        if result.failed is None:
            continue
        key = result.failed, result.reason
        games[key] = games.get(key, 0) + 1
        message = result.fault_message if result.fault else FAULTS.get(result.reason)
        sentences = found.setdefault(key, {})
        if len(sentences) < SENTENCES_SHOWN:
            sentences.setdefault(result.fault or str(message or result.reason), message)
    lines = [
        FailureView(entry=entry, kind=kind, games=count, sentences=list(said), messages=list(said.values()))
        for ((entry, kind), count), said in zip(games.items(), found.values(), strict=True)
    ]
    return sorted(lines, key=lambda line: (-line.games, line.entry, line.kind))
