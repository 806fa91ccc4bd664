"""Grading: submissions in, points with their reasons out. Takes in, examines, plays, judges; each stage is kept.

Knows the order of things, groups of rules and what a person decided by hand; writes nothing for people to read.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ludus.check import check_command
from ludus.courses.evidence import Memory, play_contest, play_matches
from ludus.courses.exam import addressed, hold, joined
from ludus.courses.intake import Submission, absent, take_in
from ludus.courses.rubric import KINDS, Award, Case, Evidence, own_fault, rounded
from ludus.courses.similarity import Alike, alike
from ludus.files import read_text
from ludus.sandbox import see_that_it_works
from ludus.store import Ledger

if TYPE_CHECKING:
    from pathlib import Path

    from ludus.courses import Course
    from ludus.courses.rubric import Row
    from ludus.tournament import Progress
    from ludus.tournament.pools import Pool

Seen = Callable[[str, int, int], None]
"""Told what goes on: the stage, how much of it is done, of how much."""


class Override(NamedTuple):
    """Points that a person set by hand."""

    student: str
    rule: str
    points: float


class Withdrawal(NamedTuple):
    """Points set by hand that no longer count: the rule's own count again."""

    student: str
    rule: str


class Limit(NamedTuple):
    """What the bounds of a group, or of the total, add or take away."""

    name: str
    """The group; empty for the total."""
    points: float
    reason: str

    @property
    def title(self) -> str:
        """What it is called in a table."""
        return limit_title(self.name)


def limit_title(group: str) -> str:
    """Name the limit of a group, or of the total."""
    return f"limit of group {group}" if group else "limit of the total"


class Graded(NamedTuple):
    """A student with what the rubric says: the points of the awards and of the limits add up to the total."""

    student: Submission
    awards: tuple[Award, ...]
    counted: Mapping[str, float]
    """What each rule counts in its group: of a group that takes the highest, the others count nothing."""
    limits: tuple[Limit, ...]
    """Those that change something."""
    total: float
    games: int = 0
    """The games that it played."""
    failures: Mapping[str, int] = {}
    """How many of them it lost by a failure of its own, by kind."""
    ended: int = 0
    """How many of them ended by the rules."""

    @property
    def failed(self) -> str:
        """Say that it fails in every game that its opponent does not lose first; empty when it plays."""
        if self.ended or not self.failures:
            return ""
        kinds = ", ".join(f"{kind} {count}" for kind, count in self.failures.items())
        return f"none of its {self.games} games ended by the rules; it failed in {sum(self.failures.values())}: {kinds}"

    @property
    def trouble(self) -> str:
        """Say in a sentence why it shows little or nothing; empty when it plays."""
        return self.student.trouble or self.student.doubt or self.failed


@dataclass
class Grades:
    """A course that was graded."""

    course: Course
    graded: list[Graded]
    evidence: Evidence
    progress: dict[str, Progress]
    """The tournaments."""
    alike: list[Alike]
    played: int = 0
    """Games that had to be played this time."""
    notes: list[str] = field(default_factory=list)
    """What the instructor should know."""

    @property
    def games(self) -> int:
        """All games behind the grades."""
        rows = [row for match in self.evidence.matches.values() for row in match]
        return len(rows) + sum(len(progress.results) for progress in self.progress.values())


@dataclass(frozen=True)
class Wishes:
    """What an instructor asks for beside the grades of a folder."""

    late: Path | None = None
    """A CSV file: id, days, and where a course has several deadlines the rule."""
    entered: Path | None = None
    """A CSV file: id, rule, points, reason."""
    overrides: tuple[Override, ...] = ()
    withdrawals: tuple[Withdrawal, ...] = ()
    only: tuple[str, ...] = ()
    """Students whose games are all played again."""
    reason: str = ""
    """Why, for all of these."""
    contests: bool = True
    """Whether the tournaments are played; a student's dry run does without."""
    own: bool = False
    """Whether a student asks, who has the submissions at the paths given."""
    owners: Mapping[Path, str] = field(default_factory=dict)
    """Whose submissions are, where that is known otherwise than by the names of the files."""


def grade(
    course: Course,
    paths: Sequence[Path],
    out: Path,
    pool: Pool,
    wishes: Wishes | None = None,
    seen: Seen = lambda _stage, _done, _total: None,
) -> Grades:
    """Grade submissions; what the folder `out` has from before is not done again."""
    wishes = wishes or Wishes()
    see_that_it_works()
    out.mkdir(parents=True, exist_ok=True)
    evidence = Evidence()
    if wishes.late is not None:
        evidence.late = read_late(wishes.late, course)
    if wishes.entered is not None:
        evidence.entered = read_entered(wishes.entered, course)
    building: Callable[[int, int], None] = lambda done, total: seen("building", done, total)  # noqa: E731
    students = take_in(course, paths, out / "bots", pool.size, building, wishes.owners, own=wishes.own)
    students += absent([id_ for id_, _ in (*evidence.late, *evidence.entered)], students)
    memory = Memory(pool, Ledger(out / "ledger.db"), course.name)
    try:
        _decide(course, students, memory, wishes)
        _examine(course, students, out / "exams", wishes, pool.size, evidence, seen)
        playing = [one for one in students if one.plays]
        play_matches(course, playing, memory, evidence, lambda done, total: seen("matches", done, total))
        made = Grades(course, [], evidence, {}, alike({one.id: one.files for one in students}))
        for contest in course.contests.values() if wishes.contests else ():
            _contest(made, contest.name, playing, memory, seen)
        made.played = memory.played
        duplicates(made, students)
        doubts(made, students)
        made.graded = judge_all(made, students, memory)
    finally:
        memory.ledger.close()
    return made


def _decide(course: Course, students: list[Submission], memory: Memory, wishes: Wishes) -> None:
    """Write down what a person decided, with the reason; where one decision is refused, none is written."""
    known = {one.id: one for one in students}
    decided: list[Override | Withdrawal] = [*wishes.overrides, *wishes.withdrawals]
    for student in (*wishes.only, *(one.student for one in decided)):
        if student not in known:
            raise ValueError(f"there is no student {student!r}; the students are {', '.join(known)}")
    if decided and not wishes.reason.strip():
        raise ValueError("points are set by hand, or no longer so, only with a reason; say it with --reason")
    for change in wishes.overrides:
        course.check_points(change.rule, change.points)
    standing = by_hand(memory)
    for back in wishes.withdrawals:
        course.rule(back.rule)
        if back not in standing:
            raise ValueError(f"the points of {back.student} for {back.rule} are not set by hand; nothing is withdrawn")
    for one in decided:
        kind = "override" if isinstance(one, Override) else "override-withdrawn"
        memory.ledger.note(memory.number, kind, wishes.reason, **one._asdict())
    for student in wishes.only:
        memory.forget(known[student].versions, wishes.reason or "graded again")


def _examine(
    course: Course,
    students: list[Submission],
    kept: Path,
    wishes: Wishes,
    jobs: int,
    evidence: Evidence,
    seen: Seen,
) -> None:
    """Let every bot sit its exam; one that cannot even be tried does not play."""
    done = 0

    def examine(student: Submission) -> None:
        nonlocal done
        boards = range(len(student.programs)) if len(student.programs) > 1 else (None,)
        try:
            again = student.id in wishes.only
            exams = []
            for board in boards:
                exam = hold(course, student.programs[board or 0], kept, board, again=again)
                path, whole = student.at_hand[board or 0], None
                if student.protocol:
                    options = {**course.options, **(course.boards[board] if board is not None else {})}
                    whole = check_command(path, course.game, student.protocol, options, course.clock)
                exams.append(addressed(exam, path, whole))
        except Exception as error:  # it is this student's line that says so, and stops nobody else
            student.fail(error)
        else:
            evidence.exams[student.id] = joined(exams)
        done += 1
        seen("checks", done, len(sitting))

    sitting = [one for one in students if one.plays]
    with ThreadPoolExecutor(jobs) as rooms:
        list(rooms.map(examine, sitting))


def _contest(made: Grades, name: str, playing: list[Submission], memory: Memory, seen: Seen) -> None:
    """Play a tournament, where there are enough who can."""
    if len(playing) < 2:
        made.notes.append(f"tournament {name}: it needs two submissions that play, and there are {len(playing)}")
        return
    contest = made.course.contests[name]

    def told(done: int, total: int) -> None:
        seen(f"tournament {name}", done, total)

    made.progress[name] = play_contest(made.course, contest, playing, memory, made.evidence, told)


def duplicates(made: Grades, students: list[Submission]) -> None:
    """Tell the instructor which submissions were set aside for a newer one with the same id."""
    for student in students:
        if student.set_aside:
            aside = ", ".join(student.set_aside)
            made.notes.append(f"{student.id}: {student.source} counts, the newest with this id; set aside: {aside}")


def doubts(made: Grades, students: list[Submission]) -> None:
    """Say in a student's line, and to the instructor, what Ludus itself failed at."""
    for student in students:
        faults = made.evidence.unplayed.get(student.id, [])
        if faults:
            student.doubt = f"{len(faults)} games could not be played, and no program is to blame: {faults[0]}"
        if student.doubt:
            made.notes.append(f"{student.id}: {student.doubt}; the same command tries again, and only what is missing")


def by_hand(memory: Memory) -> dict[tuple[str, str], tuple[float, str]]:
    """Return the points that count by hand, with why, by student and rule: what was withdrawn is in the log only."""
    found: dict[tuple[str, str], tuple[float, str]] = {}
    for log in memory.ledger.log(memory.number):
        if log.kind == "override":
            found[log.detail["student"], log.detail["rule"]] = (log.detail["points"], log.reason)
        elif log.kind == "override-withdrawn":
            found.pop((log.detail["student"], log.detail["rule"]), None)
    return found


def judge_all(made: Grades, students: list[Submission], memory: Memory) -> list[Graded]:
    """Give every student points for every rule, the best total first."""
    course, standing = made.course, by_hand(memory)
    for (student, rule), (points, _) in list(standing.items()):
        try:
            course.check_points(rule, points)
        except ValueError as error:  # the course was changed since
            made.notes.append(f"{student}: points set by hand do not count: {error}")
            del standing[student, rule]
    graded = [judge(course, student, made.evidence, standing) for student in students]
    return sorted(graded, key=lambda one: (-one.total, one.student.id))


def judge(
    course: Course,
    student: Submission,
    evidence: Evidence,
    standing: Mapping[tuple[str, str], tuple[float, str]] | None = None,
) -> Graded:
    """Give a student points for every rule: first those that stand alone, then those that depend on others."""
    awards: dict[str, Award] = {}
    for last in (False, True):
        earned = counted(course, awards)
        for rule in course.rules:
            if KINDS[rule.kind].last == last:
                award = _judged(Case(rule, student, evidence, earned))
                points, why = (standing or {}).get((student.id, rule.name), (None, ""))
                if points is not None:
                    said = f"set by hand to {rounded(points):g}: {why} (the rule gave {award.points:g}: {award.reason})"
                    award = award._replace(points=rounded(points), reason=said, open=False, by_hand=True)
                awards[rule.name] = award
    limits = limits_of(course, awards)
    total = rounded(sum(award.points for award in awards.values()) + sum(limit.points for limit in limits))
    rows = games_of(student.id, evidence)
    failures = Counter(row.reason for row in rows if own_fault(row, student.id))
    ended = sum(row.reason in ("rules", "adjudicated") for row in rows)
    ordered = tuple(awards[rule.name] for rule in course.rules)
    kinds = dict(failures.most_common())
    return Graded(student, ordered, counted(course, awards), limits, total, len(rows), kinds, ended)


def games_of(student: str, evidence: Evidence) -> list[Row]:
    """Return a student's games, each once."""
    rows = [row for (_, who), match in evidence.matches.items() if who == student for row in match]
    rows += [row for found in evidence.contests.values() for row in found.games.get(student, ())]
    return list({row.record_file: row for row in rows}.values())


def _judged(case: Case) -> Award:
    """Give points for a rule; what hangs on games that Ludus could not play is not settled."""
    award = KINDS[case.rule.kind].judge(case)
    if case.student.doubt and KINDS[case.rule.kind].of_program:
        return award._replace(reason=f"{award.reason} (not settled: {case.student.doubt})", open=True)
    return award


def counted(course: Course, awards: Mapping[str, Award]) -> dict[str, float]:
    """Say what each rule counts: all of it, but in a group that takes the highest only the first of the highest."""
    found = {name: award.points for name, award in awards.items()}
    for group in course.groups.values():
        if group.take == "highest":
            names = [rule.name for rule in course.rules if rule.group == group.name and rule.name in awards]
            best = max(names, key=lambda name: found[name], default=None)
            found |= {name: 0.0 for name in names if name != best}
    return found


def limits_of(course: Course, awards: Mapping[str, Award]) -> tuple[Limit, ...]:
    """Return what the groups, and the rule that no total is below 0, change in the sum of all points."""
    found = []
    points = counted(course, awards)
    for group in course.groups.values():
        names = [rule.name for rule in course.rules if rule.group == group.name]
        earned, within = sum(awards[name].points for name in names), sum(points[name] for name in names)
        counts = min(group.most, max(group.least, within))
        reasons = []
        if rounded(earned) != rounded(within):
            reasons.append("only the highest of the group counts")
        if counts < within:
            reasons.append(f"the group counts at most {group.most:g}")
        if counts > within:
            reasons.append(f"the group counts at least {group.least:g}")
        found.append(Limit(group.name, rounded(counts - earned), "; ".join(reasons)))
    total = sum(award.points for award in awards.values()) + sum(limit.points for limit in found)
    found.append(Limit("", rounded(max(0.0, -total)), "no total is below 0"))
    return tuple(limit for limit in found if limit.points)


def read_late(path: Path, course: Course) -> dict[tuple[str, str], float]:
    """Read who was late, by how many days."""
    found = {}
    for place, row in _rows(path, ("id", "days"), ("rule", "reason")):
        if row["rule"]:
            course.rule(row["rule"])
        found[row["id"], row["rule"]] = _number(row["days"], place, "days")
    return found


def read_entered(path: Path, course: Course) -> dict[tuple[str, str], tuple[float, str]]:
    """Read what the instructor entered."""
    found = {}
    for place, row in _rows(path, ("id", "rule", "points"), ("reason",)):
        rule = course.rule(row["rule"])
        points = _number(row["points"], place, "points")
        if rule.kind != "entered" or not 0 <= points <= rule.points:
            wanted = f"from 0 to {rule.points:g}" if rule.kind == "entered" else "only for rules of the kind entered"
            raise ValueError(f"{place}: {row['points']} for {rule.name}: points are entered {wanted}")
        found[row["id"], row["rule"]] = points, row["reason"]
    return found


def _rows(path: Path, needed: Sequence[str], more: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Read a CSV file with a line of headings; spaces around values do not count, and empty lines are passed over."""
    reader = csv.DictReader(io.StringIO(read_text(path).removeprefix("\ufeff")))
    headings = [heading.strip() for heading in reader.fieldnames or ()]
    for name in needed:
        if name not in headings:
            raise ValueError(f"{path}, line 1: the column {name} is missing; the columns are {', '.join(needed)}")
    reader.fieldnames = headings
    found = []
    for row in reader:
        plain = {name: (row.get(name) or "").strip() for name in (*needed, *more)}
        if plain["id"]:
            found.append((f"{path}, line {reader.line_num}", plain))
    return found


def _number(text: str, place: str, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) < 1e6:
        raise ValueError(f"{place}: {name} must be a number, not {text!r}")
    return value + 0.0  # never -0
