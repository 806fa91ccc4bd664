"""A tournament as its readers see it: everything that is derived from its games, as typed data.

results.json, the CSV tables, the HTML page, the PDF and the page of the web arena are all made from `TournamentView`.
Computes nothing that formats and ratings know, and knows nothing of files, HTML or languages.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, Field

from ludus.errors import FAULTS
from ludus.formats import Row, Standings, round_title, tie_message
from ludus.messages import Message, known
from ludus.messages.fields import MessageField
from ludus.messages.names import entry_message
from ludus.play.clock import Clock
from ludus.play.result import GameResult
from ludus.rating.bradley_terry import Ratings, rate
from ludus.tournament import Progress
from ludus.view import View

SENTENCES_SHOWN = 3
"""Different sentences that are kept for the failures of one kind."""


def interval_text(value: float, low: float, high: float) -> str:
    """Return a number in Elo with half of its interval: `+12 ±30`."""
    return f"{value:+.0f} ±{(high - low) / 2:.0f}"


def clock_words(text: str) -> Message:
    """Return a clock in words."""
    clock = Clock.parse(text)
    if clock.per_move is not None:
        words = Message("tournament.page.per_move", seconds=clock.per_move)
    elif clock.bank is not None:
        words = Message("tournament.page.bank", seconds=text.removeprefix("cpu:"))
    else:
        words = Message("tournament.page.no_clock")
    return Message("tournament.page.cpu", clock=words) if text.startswith("cpu:") else words


class CriterionView(View):
    """A criterion that the standings are ranked by."""

    name: str
    help: Annotated[str, BeforeValidator(str)]
    """In English."""
    help_message: MessageField = Field(validation_alias="help")

    @property
    def title(self) -> Message | str:
        """What it is called."""
        return known(f"criterion.{self.name}", self.name)


class RatingView(View):
    """A strength in Elo with its 95% interval, and the number of games that it rests on."""

    elo: float
    low: float
    high: float
    games: int

    @property
    def text(self) -> str:
        """The rating with half of its interval."""
        return interval_text(self.elo, self.low, self.high)


class ReachedView(View):
    """How far an entry came in a bracket, as data."""

    code: str
    number: int | None

    @property
    def message(self) -> Message:
        """What people read."""
        return Message(f"reached.{self.code}", n=self.number or 0)


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
    """By the name of the criterion, those that were needed to find the place, in English."""
    codes: dict[str, ReachedView]
    """The same as data, where a criterion has codes."""
    decided_by: str
    explanation: str
    """In English."""
    explanation_message: MessageField
    withdrawn: bool

    @property
    def title(self) -> Message | str:
        """The name of the entry: its own, or that of its player where it has none."""
        return entry_message(self.entry, self.player)

    def shown(self, criterion: str) -> Message | str:
        """Return what it has by a criterion."""
        return self.codes[criterion].message if criterion in self.codes else self.criteria.get(criterion, "")


class EstimateView(View):
    """A number with its 95% interval."""

    value: float
    low: float
    high: float

    @property
    def text(self) -> str:
        """The number with half of its interval."""
        return interval_text(self.value, self.low, self.high)


class RatingNotes(View):
    """What was found beside the ratings."""

    seat: EstimateView
    """What moving first is worth, in Elo."""
    draw_rate: float
    note: Annotated[str, BeforeValidator(lambda note: str(note or ""))]
    """What must not be compared, in English; empty when all can be."""
    note_message: MessageField | None = Field(validation_alias="note")


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


class CrossCell(NamedTuple):
    """Game points of one entry against another, and the games that they are of."""

    points: float
    games: int


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
    source: Annotated[str, BeforeValidator(lambda origin: str(origin.message))]
    """Where the entry comes from, in English."""
    score: float | None
    origin: OriginView = Field(validation_alias="source")


class ContestView(View):
    """A contest of a bracket."""

    key: str
    slots: tuple[SlotView, SlotView]
    winner: int | None
    bye: bool
    feeds: str | None
    tie_break: str
    """What decided it after a tie, as `ludus.formats.Contest` has it; empty where the games did."""


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

    @property
    def shown(self) -> list[Message | str]:
        """What happened, as data where it is known."""
        return [message or text for message, text in zip(self.messages, self.sentences, strict=True)]


def default_name(form: str, entries: int) -> str:
    """Return the name of a tournament that nobody has named."""
    return f"{form} of {entries}"


class TournamentView(View):
    """A tournament."""

    name: str
    game: str
    game_title: str
    """In English."""
    game_title_message: MessageField
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
    def format_title(self) -> Message:
        """What the format is called."""
        return known(f"format.{self.format}", self.format)

    @property
    def title(self) -> Message | str:
        """Its name; in words where nobody has named it."""
        entries = len(self.standings)
        if self.name != default_name(self.format, entries):
            return self.name
        return Message("tournament.default_title", format=self.format_title, n=entries)

    @property
    def leaders(self) -> list[StandingView]:
        """Those at rank 1: one, unless nothing separates them."""
        return [line for line in self.standings if line.rank == 1]

    @property
    def reached(self) -> CriterionView | None:
        """The first criterion where its values are words, which a table shows in a column of their own."""
        first = self.criteria[0] if self.criteria else None
        return first if first and any(first.name in line.codes for line in self.standings) else None

    @property
    def decided(self) -> Message | None:
        """What decided the first place, where that was a tie-break."""
        winners = {line.entry for line in self.leaders}
        finals = [
            self._tied(one, contest)
            for one, contest in self._tied_contests()
            if contest.feeds is None and contest.slots[contest.winner or 0].entry in winners
        ]
        if finals or not self.finished or len(winners) != 1 or len(self.standings) == 1:
            return finals[-1] if finals else None
        return next(iter(self._tied_places(self.standings[:2])), None)

    @property
    def ties(self) -> list[Message]:
        """What decided each tie: in a contest of the bracket, or between two places."""
        return [self._tied(*found) for found in self._tied_contests()] + self._tied_places(self.standings)

    def _tied_contests(self) -> list[tuple[RoundView, ContestView]]:
        return [(one, contest) for one in self.bracket for contest in one.contests if contest.tie_break]

    def _tied(self, one: RoundView, contest: ContestView) -> Message:
        names = [self._titles.get(slot.entry, "") for slot in contest.slots]
        scores = [slot.score for slot in contest.slots]
        return tie_message(round_title(one.stage, one.round), names, scores, contest.winner, contest.tie_break)

    def _tied_places(self, standings: Sequence[StandingView]) -> list[Message]:
        """Return what decided between places that are level on the first criterion."""
        first = self.criteria[0].name if self.criteria else ""
        return [
            Message(message.code, **{name: self._titles.get(value, value) for name, value in message.params.items()})
            for above, line in itertools.pairwise(standings)
            if line.rank == above.rank or line.decided_by not in ("", first)
            for message in [line.explanation_message]
        ]

    @property
    def _titles(self) -> dict[Any, Message | str]:
        return {line.entry: line.title for line in self.standings}

    @property
    def cross(self) -> list[list[CrossCell | None]]:
        """The game points of each entry against each, in the order of the standings; None where two have not met."""
        order = [line.entry for line in self.standings]
        cells: dict[tuple[str, str], CrossCell] = {}
        for meeting in self.met:
            first, second = meeting.points
            cells[meeting.first, meeting.second] = CrossCell(first, meeting.games)
            cells[meeting.second, meeting.first] = CrossCell(second, meeting.games)
        return [[cells.get((one, other)) for other in order] for one in order]


def tournament_view(progress: Progress) -> TournamentView:
    """Return everything that is derived from the games of a tournament."""
    plan, schedule, results = progress.plan, progress.schedule, progress.results.values()
    made = plan.make_game()
    ratings = rate(progress.counts) if progress.counts else None
    standings = schedule.standings()
    return TournamentView.model_validate(
        {
            **plan.model_dump(include={"name", "game", "format", "clock", "pairs", "seed"}),
            "game_title": str(made.title),
            "game_title_message": made.title,
            "options": dict(made.options),
            "format_options": dict(schedule.settings),
            "finished": progress.done,
            "games": len(results),
            "draws": sum(result.winner is None for result in results),
            "moves": sum(result.moves for result in results),
            "replayed": progress.replays,
            "criteria": standings.criteria,
            "standings": _standings(progress, standings, ratings),
            "rating": ratings and {"seat": ratings.seat, "draw_rate": ratings.draw_rate, "note": ratings.note},
            "met": _met(progress.counts),
            "pairings": [one.pairing._asdict() | one._asdict() for one in schedule.results.values()],
            "open_pairings": schedule.playable.values(),
            "bracket": schedule.bracket(),
            "failures": failures(results),
        }
    )


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
        explanation = standings.explain(row.entry) if begun else Message("tournament.by-rating")
        lines.append(
            StandingView(
                rank=row.rank if begun else place,
                entry=row.entry,
                player=progress.plan.entries[row.entry],
                points=row.tally.points,
                **vars(own),
                games=own.games,
                score=own.score,
                byes=row.tally.byes,
                rating=None if rating is None else RatingView.model_validate(rating),
                stronger_than_next=_stronger(ratings, row.entry, below),
                criteria=words,
                codes=codes,
                decided_by=row.decided_by if begun else "rating" if place > 1 else "",
                explanation=str(explanation),
                explanation_message=explanation,
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
            words[criterion.name] = str(criterion.shown(value))
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
