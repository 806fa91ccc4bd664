"""Rubrics: small rules, each of a kind, and each kind a function from what a student showed to points with a reason.

A new kind is a new function under `@kind`; nothing else changes. Plays nothing and reads no file: the evidence is
there when it is asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.courses.schema import Key, at_least, one_of
from ludus.play.result import GameResult
from ludus.rating.statistics import Estimate, Score, count_games

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ludus.courses.exam import Exam
    from ludus.courses.intake import Submission
    from ludus.formats import Standings

Row = GameResult


class Rule(NamedTuple):
    """A line of a rubric."""

    name: str
    title: str
    kind: str
    points: float
    """The most that it brings; a penalty has fewer than none."""
    group: str | None
    settings: Mapping[str, Any]
    """What else its kind wants to know."""


class Award(NamedTuple):
    """Points for a rule, with what they are for."""

    rule: str
    title: str
    points: float
    most: float
    reason: str
    games: tuple[Row, ...] = ()
    """The games behind it."""
    interval: Estimate | None = None
    """The 95% interval of the score that it comes from, where it comes from games."""
    open: bool = False
    """Whether something is still missing: a tournament, or an entry of the instructor's."""
    by_hand: bool = False
    """Whether a person set the points."""


@dataclass
class Evidence:
    """All that is known when points are given."""

    matches: dict[tuple[str, str], list[Row]] = field(default_factory=dict)
    """By rule and student."""
    contests: dict[str, Contested] = field(default_factory=dict)
    exams: dict[str, Exam] = field(default_factory=dict)
    late: dict[tuple[str, str], float] = field(default_factory=dict)
    """Days by student and rule; the rule is empty where all rules are meant."""
    unplayed: dict[str, list[str]] = field(default_factory=dict)
    """By student, why games could not be played, where that is no program's fault."""
    entered: dict[tuple[str, str], tuple[float, str]] = field(default_factory=dict)
    """Points and why, by student and rule."""


class Contested(NamedTuple):
    """A tournament that was played."""

    standings: Standings
    games: Mapping[str, Sequence[Row]]
    """By student."""


class Case(NamedTuple):
    """One student before one rule."""

    rule: Rule
    student: Submission
    evidence: Evidence
    earned: Mapping[str, float]
    """What the other rules have brought, for kinds that are judged last."""

    def award(self, points: float, reason: str, games: Sequence[Row] = (), **more: Any) -> Award:
        """Give points."""
        rule = self.rule
        return Award(rule.name, rule.title, rounded(points), rule.points, reason, tuple(games), **more)

    def setting(self, name: str) -> Any:
        """Give one of the rule's settings."""
        return self.rule.settings[name]


class Kind(NamedTuple):
    """A kind of rule."""

    name: str
    keys: Mapping[str, Key]
    judge: Callable[[Case], Award]
    help: str
    last: bool = False
    """Whether it is judged when all others have been, since it depends on what they brought."""

    @property
    def of_program(self) -> bool:
        """Whether it is judged by what the program did."""
        return bool({"opponent", "tournament", "sizes"} & self.keys.keys())


KINDS: dict[str, Kind] = {}


def kind(name: str, *, last: bool = False, **keys: Key) -> Callable[[Callable[[Case], Award]], Callable[[Case], Award]]:
    """Enter a function as a kind of rule, with the keys that it takes beside those of all rules."""

    def enter(judge: Callable[[Case], Award]) -> Callable[[Case], Award]:
        KINDS[name] = Kind(name, keys, judge, (judge.__doc__ or "").strip(), last)
        return judge

    return enter


OPPONENT = Key(str)
GAMES = Key(int, 20, at_least(1))
TOURNAMENT = Key(str)


def points_of(row: Row, name: str) -> float:
    """Give what a game brought to one of its players."""
    if row.winner is None:
        return 0.5
    return float(row.winner_entry == name)


def own_fault(row: Row, name: str) -> str:
    """Give the failure by which a player lost a game; empty when there was none."""
    if row.reason in ("rules", "adjudicated") or points_of(row, name) == 1.0:
        return ""
    return f"{row.reason}: {row.fault}" if row.fault else str(row.reason)


def faults(rows: Sequence[Row], name: str) -> list[str]:
    """List a player's failures."""
    return [fault for row in rows if (fault := own_fault(row, name))]


def count(rows: Sequence[Row], name: str) -> Score:
    """Count a player's games, the two on one board against one opponent as a pair."""
    pairs: dict[tuple[str, int, str], list[float]] = {}
    for row in rows:
        other = row.opponent(name)
        pairs.setdefault((other, row.board, row.pairing), []).append(points_of(row, name))
    return count_games(pairs.values())


def rounded(points: float) -> float:
    """Return points as they are shown everywhere, so that what is shown adds up: in hundredths, and never -0."""
    return round(points, 2) + 0.0


def percent(share: float) -> str:
    """Write a share."""
    return f"{100 * share:.0f}%"


def in_words(score: Score) -> str:
    """Say how games went, and how sure that is."""
    points = score.wins + score.draws / 2
    low, high = score.interval.low, score.interval.high
    counts = f"{score.wins} won, {score.draws} drawn, {score.losses} lost"
    return f"{points:g} of {score.games} ({counts}; 95% interval {percent(low)} to {percent(high)})"


def _not_played(case: Case) -> str:
    return case.student.trouble or "it has not played"


def _with_failures(reason: str, found: Sequence[str]) -> str:
    return f"{reason}; {len(found)} lost by failure, the first by {found[0]}" if found else reason


@kind("builds-and-finishes", opponent=OPPONENT, games=Key(int, 2, at_least(1)), needs=Key(int, 1, at_least(1)))
def finishes(case: Case) -> Award:
    """All points when it builds and so many of its games end without a failure of its own, whoever wins."""
    rows = case.evidence.matches.get((case.rule.name, case.student.id), [])
    if not rows:
        return case.award(0, _not_played(case))
    found = faults(rows, case.student.id)
    ended = len(rows) - len(found)
    passed = ended >= case.setting("needs")
    reason = f"it builds, and {ended} of {len(rows)} games ended by the rules; {case.setting('needs')} wanted"
    return case.award(case.rule.points if passed else 0, _with_failures(reason, found), rows)


@kind(
    "beats",
    opponent=OPPONENT,
    games=GAMES,
    by=Key(str, "score", one_of("score", "wins")),
    more_than=Key(float, 0.5),
)
def beats(case: Case) -> Award:
    """All points when a match that was settled beforehand is won: more than a share of its points, or of its games."""
    rows = case.evidence.matches.get((case.rule.name, case.student.id), [])
    if not rows:
        return case.award(0, _not_played(case))
    score = count(rows, case.student.id)
    by_wins = case.setting("by") == "wins"
    share = score.wins / score.games if by_wins else score.score
    passed = share > case.setting("more_than")
    verdict = f"{'beats' if passed else 'does not beat'} {case.setting('opponent')}: {in_words(score)}"
    wanted = percent(case.setting("more_than"))
    reason = f"{verdict}; more than {wanted} of the {'games' if by_wins else 'points'} wanted"
    reason = _with_failures(reason, faults(rows, case.student.id))
    return case.award(case.rule.points if passed else 0, reason, rows, interval=score.interval)


@kind(
    "positions",
    count=Key(int, 25, at_least(1)),
    seed=Key(int, 0),
    sizes=Key(list, [], item=int),
)
def positions(case: Case) -> Award:
    """An equal part of the points for each single position that is answered by a legal move, and the right board."""
    exam = case.evidence.exams.get(case.student.id)
    if exam is None:
        return case.award(0, _not_played(case))
    answers = exam.answers[case.rule.name]
    wrong = [(number, one) for number, one in enumerate(answers, 1) if one.fault]
    right = len(answers) - len(wrong)
    reason = f"{right} of {len(answers)} positions answered right"
    if wrong:
        number, first = wrong[0]
        reason = f"{reason}; wrong first in number {number}, {first.position}: {first.fault}"
    return case.award(case.rule.points * right / len(answers), reason)


def _contested(case: Case) -> Contested | Award:
    """Give the tournament that a rule asks for, or the award where the student was not in it."""
    found = case.evidence.contests.get(case.setting("tournament"))
    if not case.student.plays:
        return case.award(0, _not_played(case))
    if found is None or case.student.id not in {row.entry for row in found.standings.rows}:
        return case.award(0, "it needs the tournament of all submissions", open=True)
    return found


@kind("win-rate", tournament=TOURNAMENT)
def win_rate(case: Case) -> Award:
    """The points times W, the part of its games that it won among all submissions; a drawn game is not won."""
    found = _contested(case)
    if isinstance(found, Award):
        return found
    row = next(row for row in found.standings.rows if row.entry == case.student.id)
    games = found.games[case.student.id]
    score = count(games, case.student.id)
    rate = row.tally.win_rate
    reason = f"W = {percent(rate)}, rank {row.rank} of {len(found.standings.rows)}: {in_words(score)}"
    reason = _with_failures(reason, faults(games, case.student.id))
    return case.award(case.rule.points * rate, reason, games, interval=score.interval)


@kind("rank", tournament=TOURNAMENT)
def rank(case: Case) -> Award:
    """A part of the points from 1 for the first of a tournament to 0 for the last, by rank; equals share theirs."""
    found = _contested(case)
    if isinstance(found, Award):
        return found
    rows = found.standings.rows
    row = next(row for row in rows if row.entry == case.student.id)
    share = (len(rows) - row.rank) / (len(rows) - 1)
    games = found.games[case.student.id]
    score = count(games, case.student.id)
    reason = f"rank {row.rank} of {len(rows)}: {in_words(score)}"
    reason = _with_failures(reason, faults(games, case.student.id))
    return case.award(case.rule.points * share, reason, games, interval=score.interval)


@kind("games-won", tournament=TOURNAMENT)
def games_won(case: Case) -> Award:
    """The points times games won, as a part of what the one with the most won: the more games, the higher."""
    found = _contested(case)
    if isinstance(found, Award):
        return found
    rows = found.standings.rows
    row = next(row for row in rows if row.entry == case.student.id)
    most = max(one.tally.wins for one in rows)
    share = row.tally.wins / most if most else 0.0
    games = found.games[case.student.id]
    score = count(games, case.student.id)
    reason = f"{row.tally.wins} games won where the most is {most}, rank {row.rank} of {len(rows)}: {in_words(score)}"
    reason = _with_failures(reason, faults(games, case.student.id))
    return case.award(case.rule.points * share, reason, games, interval=score.interval)


@kind("entered")
def entered(case: Case) -> Award:
    """What the instructor entered: entered.csv has id, rule, points and reason."""
    found = case.evidence.entered.get((case.student.id, case.rule.name))
    if found is None:
        return case.award(0, "the instructor has not entered it yet", open=True)
    points, why = found
    return case.award(points, f"entered by the instructor: {why}" if why else "entered by the instructor")


@kind(
    "late",
    last=True,
    a_day=Key(float, 0.0),
    percent_a_day=Key(float, 0.0),
    accepted_days=Key(float, float("inf")),
    of=Key(list, []),
)
def late(case: Case) -> Award:
    """Points, or a percentage of what the rules in `of` have brought, for each day begun; all of it when too late.

    late.csv has id and days, and where a course has several deadlines the rule that is meant.
    """
    days = case.evidence.late.get((case.student.id, case.rule.name), case.evidence.late.get((case.student.id, ""), 0.0))
    if days <= 0:
        return case.award(0, "in time")
    begun = -int(-days // 1)
    names = case.setting("of") or list(case.earned)
    base = sum(case.earned[name] for name in names if name in case.earned)
    when = f"{begun} day{'s' if begun > 1 else ''} late"
    if days > case.setting("accepted_days"):
        return case.award(-max(base, 0.0), f"{when}: not accepted after {case.setting('accepted_days'):g} days")
    part = min(1.0, case.setting("percent_a_day") * begun / 100)
    lost = case.setting("a_day") * begun + max(base, 0.0) * part
    return case.award(-lost, f"{when}, {lost / begun:g} points a day")


@kind("overrun", each=Key(str, "once", one_of("once", "game")))
def overrun(case: Case) -> Award:
    """A penalty for running out of time: once, or for each game lost by it."""
    rows = [row for (_, student), match in case.evidence.matches.items() if student == case.student.id for row in match]
    rows += [row for found in case.evidence.contests.values() for row in found.games.get(case.student.id, ())]
    over = [row for row in rows if row.reason == "timeout" and own_fault(row, case.student.id)]
    exam = case.evidence.exams.get(case.student.id)
    times = len(over) + (exam.timeouts if exam else 0)
    if not times:
        return case.award(0, "never out of time")
    points = case.rule.points * (times if case.setting("each") == "game" else 1)
    return case.award(points, f"out of time {times} times", over)


@kind("names")
def names(case: Case) -> Award:
    """A penalty when files are not named as the course prescribes."""
    wrong = case.student.misnamed
    return case.award(case.rule.points if wrong else 0, wrong or "named as the course prescribes")
