"""Rubrics: rules, each of a kind, and each kind a class that turns what a student showed into points with a reason.

A new kind is a new class under `@kind`; nothing else changes. Plays nothing and reads no file: the evidence is there
when points are given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, TypeVar

from pydantic import Field

from ludus.courses.evidence import Evidence, TournamentEvidence, failures, score_of
from ludus.errors import FAULTS, named_fault
from ludus.messages import Message, catalogue, verbatim
from ludus.messages.names import player_message
from ludus.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ludus.courses.submissions import Submission
    from ludus.formats import Row as StandingsRow
    from ludus.play.result import GameResult
    from ludus.rating.statistics import Estimate, Score


class MatchTerms(NamedTuple):
    """The match that a rule asks for."""

    opponent: str
    games: int
    own_seat: bool
    """Whether a program that can move only first, or only second, does so in all games."""


class PositionTerms(NamedTuple):
    """The single positions that a rule asks for."""

    number: int
    seed: int
    sizes: tuple[int, ...]


class RuleSettings(Settings):
    """A table of a rubric. Each kind of rule is a subclass: its own keys, and how it gives points."""

    kind: str
    points: float = 0.0
    """The most points that it gives; negative for a penalty."""
    title: str = ""
    group: str = ""

    judged_last: ClassVar[bool] = False
    """Whether it needs the points of the other rules."""

    @property
    def match(self) -> MatchTerms | None:
        """The match that it asks for."""
        return None

    @property
    def positions(self) -> PositionTerms | None:
        """The single positions that it asks for."""
        return None

    @property
    def tournament_name(self) -> str | None:
        """The tournament that it asks for."""
        return None

    @property
    def depends_on(self) -> Sequence[str]:
        """The rules whose points it looks at."""
        return ()

    @property
    def unbounded(self) -> bool:
        """Whether it can take away more than `points`."""
        return False

    @property
    def judges_program(self) -> bool:
        """Whether it depends on what the program did."""
        return bool(self.match or self.positions or self.tournament_name)

    def award(self, case: Case) -> Award:
        """Return the points of a student, with the reason."""
        raise NotImplementedError


@dataclass(frozen=True)
class Rule:
    """A line of a rubric."""

    name: str
    settings: RuleSettings
    title: Message

    @property
    def points(self) -> float:
        """The most points that it gives; negative for a penalty."""
        return self.settings.points

    @property
    def group(self) -> str:
        """The group that it counts in; empty for none."""
        return self.settings.group

    @property
    def kind(self) -> str:
        """The name of its kind."""
        return self.settings.kind


class Award(NamedTuple):
    """Points for a rule, and what they are for."""

    rule: Rule
    points: float
    reason: Message
    games: tuple[GameResult, ...] = ()
    """The games that it is based on."""
    interval: Estimate | None = None
    """The 95% interval of the score, where it comes from games."""
    open: bool = False
    """Whether something is still missing: a tournament, or an entry of the instructor's."""
    by_hand: bool = False
    """Whether a person set the points."""

    @property
    def most(self) -> float:
        """The most points that the rule gives."""
        return self.rule.points

    @property
    def full(self) -> bool:
        """Whether nothing was lost."""
        return self.points >= self.most if self.most > 0 else self.points >= 0


class Case(NamedTuple):
    """One student and one rule."""

    rule: Rule
    student: Submission
    evidence: Evidence
    earned: Mapping[str, float]
    """The points of the other rules, for kinds that are judged last."""

    def award(
        self,
        points: float,
        reason: Message,
        games: Sequence[GameResult] = (),
        interval: Estimate | None = None,
        *,
        open: bool = False,  # noqa: A002 - the field's name
    ) -> Award:
        """Return an award of the rule."""
        return Award(self.rule, rounded(points), reason, tuple(games), interval, open)

    @property
    def is_missing(self) -> bool:
        """Whether nothing was submitted: then nothing is to be said about it."""
        trouble = self.student.trouble
        return trouble is not None and trouble.code == "courses.nothing_handed_in"

    def none(self) -> Award:
        """Return the award of a program that has not played: no points, and why."""
        return self.award(0, self.student.trouble or Message("courses.not_played"))

    def from_games(self, points: float, reason: Message, games: Sequence[GameResult], score: Score | None) -> Award:
        """Return an award that is based on games; the reason names the failures among them."""
        failed = failures(games, self.student.entry)
        if failed:
            reason = Message(
                "courses.lost_by_failure", reason=reason, count=len(failed), fault=fault_message(failed[0])
            )
        return self.award(points, reason, games, score.interval if score else None)


KINDS: dict[str, type[RuleSettings]] = {}
K = TypeVar("K", bound=type[RuleSettings])


def kind(name: str) -> Callable[[K], K]:
    """Register a class as a kind of rule."""

    def register(settings: K) -> K:
        KINDS[name] = settings
        return settings

    return register


def title_of(text: str) -> Message:
    """Return the title of a rule, a tournament or a group.

    Those of the presets are in the catalogue, an instructor's own are shown as they are.
    """
    codes = {known: code for code, known in catalogue("en").items() if code.startswith("courses.titles.")}
    return Message(codes[text]) if text in codes else verbatim(text)


def fault_message(result: GameResult) -> Message:
    """Return by what failure a game was lost: its kind, and what happened where that is known."""
    detail = result.fault_message or (verbatim(result.fault) if result.fault else FAULTS.get(result.reason))
    return named_fault(result.reason, detail) if detail else Message(f"faults.kind.{result.reason}")


def rounded(points: float) -> float:
    """Return points as they are shown everywhere, so that what is shown adds up: in hundredths, and never -0."""
    return round(points, 2) + 0.0


def percent(share: float) -> str:
    """Return a share in percent."""
    return f"{100 * share:.0f}%"


def score_message(score: Score) -> Message:
    """Return how games went, and how certain that is."""
    counts = {"wins": score.wins, "draws": score.draws, "losses": score.losses, "games": score.games}
    interval = {"low": percent(score.interval.low), "high": percent(score.interval.high)}
    return Message("courses.score", points=score.wins + score.draws / 2, **counts, **interval)


class MatchRule(RuleSettings):
    """A rule about a match against a fixed opponent."""

    opponent: str
    games: int = Field(default=20, ge=1)
    seats: Literal["own", "both"] = "own"
    """A program with only one seat plays all games there (`own`), or loses those of the other seat (`both`)."""

    @property
    def match(self) -> MatchTerms:
        """The match that it asks for."""
        return MatchTerms(self.opponent, self.games, self.seats == "own")

    def award(self, case: Case) -> Award:
        """Return the points of a student, with the reason."""
        games = case.evidence.matches.get((case.rule.name, case.student.key), [])
        return self.judge(case, games) if games else case.none()

    def judge(self, case: Case, games: Sequence[GameResult]) -> Award:
        """Return the points for the games of the match, with the reason."""
        raise NotImplementedError


@kind("builds-and-finishes")
class BuildsAndFinishes(MatchRule):
    """All points if the program builds and `needs` of its games, won or lost, end without a failure of the program."""

    games: int = Field(default=2, ge=1)
    needs: int = Field(default=1, ge=1)

    def judge(self, case: Case, games: Sequence[GameResult]) -> Award:
        """Return the points for the games of the match, with the reason."""
        ended = len(games) - len(failures(games, case.student.entry))
        reason = Message("courses.finishes", ended=ended, games=Message("count.games", n=len(games)), needed=self.needs)
        return case.from_games(self.points if ended >= self.needs else 0, reason, games, None)


@kind("beats")
class Beats(MatchRule):
    """All points if the program wins a match: more than a share of the points, or of the games."""

    by: Literal["score", "wins"] = "score"
    more_than: float = 0.5
    """The share of the points, or with `by = "wins"` of the games, that must be exceeded."""

    def judge(self, case: Case, games: Sequence[GameResult]) -> Award:
        """Return the points for the games of the match, with the reason."""
        score = score_of(games, case.student.entry)
        share = score.wins / score.games if self.by == "wins" else score.score
        passed = share > self.more_than
        code = "courses.beats" if passed else "courses.does_not_beat"
        verdict = Message(code, opponent=player_message(self.opponent), score=score_message(score))
        wanted = "courses.wins_wanted" if self.by == "wins" else "courses.points_wanted"
        reason = Message(wanted, verdict=verdict, share=percent(self.more_than))
        return case.from_games(self.points if passed else 0, reason, games, score)


@kind("positions")
class Positions(RuleSettings):
    """An equal part of the points for each single position that is answered by a legal move and the right board."""

    count: int = Field(default=25, ge=1)
    seed: int = 0
    sizes: list[int] = Field(default_factory=list)
    """Sizes of the boards, in turn."""

    @property
    def positions(self) -> PositionTerms:
        """The single positions that it asks for."""
        return PositionTerms(self.count, self.seed, tuple(self.sizes))

    def award(self, case: Case) -> Award:
        """Return the points of a student, with the reason."""
        exam = case.evidence.exams.get(case.student.key)
        if exam is None:
            return case.none()
        answers = exam.answers[case.rule.name]
        wrong = [(number, answer) for number, answer in enumerate(answers, 1) if answer.fault]
        right = len(answers) - len(wrong)
        reason = Message("courses.positions", right=right, count=len(answers))
        if wrong:
            number, first = wrong[0]
            place = {"number": number, "position": first.position, "fault": first.fault}
            reason = Message("courses.positions_wrong", right=reason, **place)
        return case.award(self.points * right / len(answers), reason)


class TournamentRule(RuleSettings):
    """A rule about a tournament of all submissions."""

    tournament: str

    @property
    def tournament_name(self) -> str:
        """The tournament that it asks for."""
        return self.tournament

    def award(self, case: Case) -> Award:
        """Return the points of a student, with the reason; open while the tournament was not played."""
        if not case.student.plays:
            return case.none()
        found = case.evidence.tournaments.get(self.tournament)
        row = next((row for row in found.standings.rows if row.entry == case.student.entry), None) if found else None
        if found is None or row is None:
            return case.award(0, Message("courses.needs_tournament"), open=True)
        games = found.games[case.student.entry]
        score = score_of(games, case.student.entry)
        share, reason = self.share(found, row, score)
        return case.from_games(self.points * share, reason, games, score)

    def share(self, found: TournamentEvidence, row: StandingsRow, score: Score) -> tuple[float, Message]:
        """Return the part of the points that a student gets, and why."""
        raise NotImplementedError


def _rank(found: TournamentEvidence, row: StandingsRow, score: Score) -> dict[str, object]:
    return {"rank": row.rank, "count": len(found.standings.rows), "score": score_message(score)}


@kind("win-rate")
class WinRate(TournamentRule):
    """The points times W, the share of the games in the tournament that the program won; a draw is not a win."""

    def share(self, found: TournamentEvidence, row: StandingsRow, score: Score) -> tuple[float, Message]:
        """Return the part of the points that a student gets, and why."""
        rate = row.tally.win_rate
        return rate, Message("courses.win_rate", rate=percent(rate), **_rank(found, row, score))


@kind("rank")
class Rank(TournamentRule):
    """All points for the first of a tournament, none for the last, in equal steps by rank; equal ranks get the same."""

    def share(self, found: TournamentEvidence, row: StandingsRow, score: Score) -> tuple[float, Message]:
        """Return the part of the points that a student gets, and why."""
        count = len(found.standings.rows)
        return (count - row.rank) / (count - 1), Message("courses.rank", **_rank(found, row, score))


@kind("games-won")
class GamesWon(TournamentRule):
    """The points times the games won, divided by the most games that any entry won."""

    def share(self, found: TournamentEvidence, row: StandingsRow, score: Score) -> tuple[float, Message]:
        """Return the part of the points that a student gets, and why."""
        most = max(other.tally.wins for other in found.standings.rows)
        wins = row.tally.wins
        reason = Message(
            "courses.games_won", wins=Message("count.games", n=wins), most=most, **_rank(found, row, score)
        )
        return wins / most if most else 0.0, reason


@kind("entered")
class Entered(RuleSettings):
    """The points that the instructor entered in entered.csv (id, rule, points, reason)."""

    def award(self, case: Case) -> Award:
        """Return the points of a student, with the reason."""
        found = case.evidence.entered_points(case.student, case.rule.name)
        if found is None:
            return case.award(0, Message("courses.not_entered"), open=True)
        if not found.reason:
            return case.award(found.points, Message("courses.entered"))
        return case.award(found.points, Message("courses.entered_because", reason=found.reason))


@kind("late")
class Late(RuleSettings):
    """A penalty for each day that has started: points, or a percentage of the rules in `of`; all after `accepted_days`.

    The course's deadline says how late. late.csv says otherwise: it has id and days, and where a course has several
    deadlines the rule that is meant.
    """

    a_day: float = 0.0
    percent_a_day: float = 0.0
    accepted_days: float = float("inf")
    of: list[str] = Field(default_factory=list)

    judged_last: ClassVar[bool] = True

    @property
    def depends_on(self) -> Sequence[str]:
        """The rules whose points it looks at."""
        return self.of

    @property
    def unbounded(self) -> bool:
        """Whether it can take away more than `points`."""
        return True

    def award(self, case: Case) -> Award:
        """Return the points of a student, with the reason."""
        days = case.evidence.days_late(case.student, case.rule.name)
        if days <= 0:
            return case.none() if case.is_missing else case.award(0, Message("courses.in_time"))
        begun = math.ceil(days)
        base = max(0.0, sum(case.earned.get(name, 0.0) for name in self.of or case.earned))
        when = Message("courses.late", n=begun)
        if days > self.accepted_days:
            return case.award(-base, Message("courses.not_accepted", late=when, days=self.accepted_days))
        lost = self.a_day * begun + base * min(1.0, self.percent_a_day * begun / 100)
        return case.award(
            -lost, Message("courses.late_points", late=when, points=Message("count.points", n=lost / begun))
        )


@kind("overrun")
class Overrun(RuleSettings):
    """A penalty for running out of time: once, or for each game lost by it."""

    each: Literal["once", "game"] = "once"

    @property
    def unbounded(self) -> bool:
        """Whether it can take away more than `points`."""
        return self.each == "game"

    def award(self, case: Case) -> Award:
        """Return the points of a student, with the reason."""
        student, evidence = case.student, case.evidence
        games = [game for (_, who), match in evidence.matches.items() if who == student.key for game in match]
        games += [game for found in evidence.tournaments.values() for game in found.games.get(student.entry, ())]
        over = [game for game in games if game.reason == "timeout" and game.failed == student.entry]
        exam = evidence.exams.get(student.key)
        times = len(over) + (exam.timeouts if exam else 0)
        if not times:
            return case.none() if case.is_missing else case.award(0, Message("courses.never_out_of_time"))
        points = self.points * (times if self.each == "game" else 1)
        return case.award(points, Message("courses.out_of_time", n=times), over)


@kind("names")
class Names(RuleSettings):
    """A penalty if files do not have the names that the course prescribes."""

    def award(self, case: Case) -> Award:
        """Return the points of a student, with the reason."""
        if case.is_missing:
            return case.none()
        wrong = case.student.misnamed
        return case.award(self.points if wrong else 0, wrong or Message("courses.named_right"))
