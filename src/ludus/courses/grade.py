"""Grading: submissions in, points with their reasons out. Reads, examines, plays and judges; each step is kept.

Knows the order of things, groups of rules and what a person decided by hand; writes nothing for people to read.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ludus.bots.starters import given_out
from ludus.check import check_command
from ludus.courses.attempts import Attempt, Term, unknown_person
from ludus.courses.deadline import file_time
from ludus.courses.evidence import EnteredPoints, Evidence
from ludus.courses.exam import hold_exam, merged
from ludus.courses.matches import CachedPool, play_matches, play_tournament
from ludus.courses.pressure import Pressure, PressureGauge
from ludus.courses.roster import Person
from ludus.courses.rubric import Award, Case, rounded, title_of
from ludus.courses.similarity import SimilarPair, similar_pairs
from ludus.courses.submissions import Submission, changed_at, identify, missing_submissions, read_submissions
from ludus.errors import UserError, is_disk_full
from ludus.messages import Message
from ludus.play.result import PLAYED_OUT
from ludus.sandbox import check_sandbox
from ludus.store import Ledger

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from ludus.bots import File
    from ludus.courses import Course
    from ludus.courses.roster import Roster
    from ludus.courses.tables import NamedProgram, Part
    from ludus.tournament import Progress
    from ludus.tournament.pools import Pool

ProgressCallback = Callable[[str, int, int], None]
"""Called while a course is graded: with the step, how much of it is done, and of how much."""


OVERRIDE, WITHDRAWAL = "override", "override-withdrawn"
"""What the log calls these decisions."""
COUNTS = ("courses.newest_of", "courses.counts_of", "courses.best_of")
"""The remarks that say which of several attempts counts."""


class Override(NamedTuple):
    """Points that a person set by hand."""

    student: str
    rule: str
    points: float


class Withdrawal(NamedTuple):
    """An override that no longer counts: the rule's own points count again."""

    student: str
    rule: str


PART = "(part)"
"""Stands for a group where a member's part of the team's points takes some away."""


class Limit(NamedTuple):
    """What the bounds of a group or of the total, or a member's part, add or take away."""

    group: str
    """The group; empty for the total."""
    points: float
    reason: Message

    @property
    def title(self) -> Message:
        """What it is called in a table."""
        return limit_title(self.group)


def limit_title(group: str) -> Message:
    """Return the title of the limit of a group, of the total, or of a member's part."""
    if group == PART:
        return Message("courses.part_of_team")
    return Message("courses.limit_of_group", group=title_of(group)) if group else Message("courses.limit_of_total")


class GradedSubmission(NamedTuple):
    """A submission with its points: the points of the awards and of the limits add up to the total."""

    student: Submission
    awards: tuple[Award, ...]
    counted: Mapping[str, float]
    """What each rule counts in its group: in a group that takes the highest, the others count nothing."""
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
    def failed(self) -> Message | None:
        """That it fails in every game that its opponent does not lose first; None when it plays."""
        if self.ended or not self.failures:
            return None
        kinds = [
            Message("courses.failures_of_kind", kind=Message(f"faults.kind.{kind}"), count=count)
            for kind, count in self.failures.items()
        ]
        return Message(
            "courses.failed",
            games=Message("count.games", n=self.games),
            failed=sum(self.failures.values()),
            kinds=kinds,
        )

    @property
    def trouble(self) -> Message | None:
        """Why it shows little or nothing; None when it plays."""
        return self.student.trouble or self.student.doubt or self.failed


@dataclass
class GradedCourse:
    """A course that was graded."""

    course: Course
    graded: list[GradedSubmission]
    evidence: Evidence
    tournaments: dict[str, Progress]
    similar: list[SimilarPair]
    played: int = 0
    """Games that had to be played this time."""
    notes: list[Message] = field(default_factory=list)
    """What the instructor should know."""
    pressure: Pressure = field(default_factory=Pressure)
    """How busy the machine was while games were played."""

    @property
    def games(self) -> int:
        """The number of all games that the grades are based on."""
        matches = sum(len(match) for match in self.evidence.matches.values())
        return matches + sum(len(tournament.results) for tournament in self.tournaments.values())


@dataclass(frozen=True)
class GradingOptions:
    """What an instructor asks for beside the grades of a folder."""

    late: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """Days, by student and rule; the rule is empty where all rules are meant."""
    entered: Mapping[tuple[str, str], EnteredPoints] = field(default_factory=dict)
    """By student and rule."""
    overrides: tuple[Override, ...] = ()
    withdrawals: tuple[Withdrawal, ...] = ()
    only: tuple[str, ...] = ()
    """Students whose games are all played again."""
    reason: str = ""
    """Why, for all of these."""
    tournaments: bool = True
    """Whether the tournaments are played; a student's dry run does without."""
    by_student: bool = False
    """Whether a student asks, who has the submissions at the paths given."""
    base: tuple[Mapping[str, File], ...] = ()
    """What the course gave out besides the starters: it does not count as similar."""
    programs: Mapping[str, NamedProgram] = field(default_factory=dict)
    """The file that is the program, by student, where a person named it."""
    owners: Mapping[Path, str] = field(default_factory=dict)
    """The ids of submissions, where they are known otherwise than by file names."""
    attempts: Mapping[Path, Attempt] = field(default_factory=dict)
    """The same where a platform knows more of them: names and times."""
    roster: Roster | None = None
    extensions: Mapping[str, datetime] = field(default_factory=dict)
    """By student."""
    times: Mapping[Person, datetime] = field(default_factory=dict)
    """When submissions came, by who handed them in, where a table says it."""
    notes: tuple[Message, ...] = ()
    """What the instructor should know of what was read before."""
    parts: Mapping[str, Part] = field(default_factory=dict)
    """By student, where a member's part is not all of what the team has earned."""
    gauge: PressureGauge | None = None
    """What measures how busy the machine is; one that keeps its measures in the folder unless given."""

    def term(self, course: Course) -> Term:
        """Return who takes part and until when."""
        known = {
            path: Attempt(path, (Person(id_, _name(course, path)),), file_time(changed_at(path)), path.name)
            for path, id_ in self.owners.items()
        }
        deadline = course.deadline if course.deadline.at else None
        return Term(self.roster, {**known, **self.attempts}, deadline, self.extensions, self.times)


def _name(course: Course, path: Path) -> str:
    """Return the name that a file's name has."""
    return identify(course, path).people[0].name


def grade(
    course: Course,
    paths: Sequence[Path],
    out: Path,
    pool: Pool,
    options: GradingOptions | None = None,
    progress: ProgressCallback = lambda _step, _done, _total: None,
) -> GradedCourse:
    """Grade submissions; what the folder `out` has from an earlier run is not done again."""
    options = options or GradingOptions()
    check_sandbox()
    out.mkdir(parents=True, exist_ok=True)
    evidence = Evidence(late=options.late, entered=options.entered, parts=options.parts)
    jobs = min(pool.size, len(os.sched_getaffinity(0)))  # a cluster builds nothing
    students = read_submissions(
        course,
        paths,
        out / "bots",
        jobs=jobs,
        progress=partial(progress, "building"),
        term=options.term(course),
        by_student=options.by_student,
        programs=options.programs,
    )
    students += _named_elsewhere(students, options)
    gauge = options.gauge or PressureGauge(out / "pressure.json")
    cached = CachedPool(pool, Ledger(out / "ledger.db"), course.name, gauge)
    try:
        _record_decisions(course, students, cached, options)
        _examine(course, students, out / "exams", options, jobs, evidence, progress)
        playing = [student for student in students if student.plays]
        play_matches(course, playing, cached, evidence, partial(progress, "matches"))
        students = best_attempts(course, students, evidence)
        playing = [student for student in students if student.plays]
        similar = similar_pairs(
            {student.id: student.files for student in students}, [*given_out(course.game), *options.base]
        )
        graded = GradedCourse(course, [], evidence, {}, similar, notes=list(options.notes))
        for name in course.tournaments if options.tournaments else ():
            _play_tournament(graded, name, playing, cached, progress)
        graded.played = cached.played
        graded.pressure = gauge.measured
        if graded.pressure.message is not None:
            graded.notes.append(graded.pressure.message)
        _note_questions(graded, students)
        _note_duplicates(graded, students)
        _note_doubts(graded, students)
        graded.graded = _grade_all(graded, students, cached)
    finally:
        gauge.save()
        cached.ledger.close()
    return graded


def _named_elsewhere(students: list[Submission], options: GradingOptions) -> list[Submission]:
    """Return those who are named in a table and handed in nothing; one who is not on the roster is a question."""
    ids = [id_ for id_, _ in (*options.late, *options.entered)] + [*options.parts, *options.extensions]
    found = missing_submissions(ids, students)
    if options.roster is not None:
        for student in found:
            student.question = unknown_person(Person(student.id), options.roster)
    return found


def best_attempts(course: Course, students: Sequence[Submission], evidence: Evidence) -> list[Submission]:
    """Return one submission for each student: of several attempts the one with most points, the last of equal ones.

    The attempts have no tournament yet: only the best one takes part, so that nobody has two entries.
    """
    by_entry: dict[str, list[Submission]] = {}
    for student in students:
        by_entry.setdefault(student.entry, []).append(student)
    return [same[0] if len(same) == 1 else _best(course, same, evidence) for same in by_entry.values()]


def _best(course: Course, same: Sequence[Submission], evidence: Evidence) -> Submission:
    totals = {student.attempt: grade_submission(course, student, evidence).total for student in same}
    best = max(same, key=lambda student: (totals[student.attempt], student.attempt))
    by_file = {(student.source, student.at): totals[student.attempt] for student in same}
    for student in same:
        if student is not best:
            evidence.drop(student.key)
    evidence.move(best.key, best.entry)
    best.attempt = 0
    best.attempts = tuple(one._replace(total=by_file.get((one.file, one.at))) for one in best.attempts)
    best.set_aside_others("courses.best_of")
    return best


def _record_decisions(course: Course, students: list[Submission], pool: CachedPool, options: GradingOptions) -> None:
    """Write what a person decided into the log, with the reason; if one decision is refused, none is written."""
    known: dict[str, list[Submission]] = {}
    for student in students:
        for id_ in sorted(student.ids):
            known.setdefault(id_, []).append(student)
    decisions: list[Override | Withdrawal] = [*options.overrides, *options.withdrawals]
    for id_ in (*options.only, *(decision.student for decision in decisions)):
        if id_ not in known:
            raise UserError("courses.no_student", student=repr(id_), students=list(known))
    if decisions and not options.reason.strip():
        raise UserError("courses.override_needs_reason")
    for override in options.overrides:
        course.check_points(override.rule, override.points)
    standing = overrides_of(pool)
    for withdrawal in options.withdrawals:
        course.rule(withdrawal.rule)
        if (withdrawal.student, withdrawal.rule) not in standing:
            raise UserError("courses.not_overridden", student=withdrawal.student, rule=withdrawal.rule)
    for kind, decided in ((OVERRIDE, options.overrides), (WITHDRAWAL, options.withdrawals)):
        for decision in decided:
            pool.ledger.note(pool.number, kind, options.reason, **decision._asdict())
    for id_ in options.only:
        for student in known[id_]:
            pool.forget(student.versions, options.reason or "graded again")


def _examine(
    course: Course,
    students: list[Submission],
    folder: Path,
    options: GradingOptions,
    jobs: int,
    evidence: Evidence,
    progress: ProgressCallback,
) -> None:
    """Hold the exam of every bot; one that cannot be tried does not play."""
    candidates = [student for student in students if student.plays]
    done = 0

    def examine(student: Submission) -> None:
        nonlocal done
        boards = range(len(student.programs)) if len(student.programs) > 1 else (None,)
        try:
            results = []
            for board in boards:
                program, path = student.programs[board or 0], student.student_paths[board or 0]
                result = hold_exam(course, program, folder, board, again=not student.ids.isdisjoint(options.only))
                command = None
                if student.protocol:
                    game_options = course.options if board is None else course.board_options[board]
                    command = check_command(path, course.game, student.protocol, game_options, course.clock)
                results.append(result.with_paths(path, command))
        except Exception as error:  # it is this student's line that says so, and stops nobody else
            if is_disk_full(error):  # unless it has nothing to do with the student
                raise
            student.fail(error)
        else:
            evidence.exams[student.key] = merged(results)
        done += 1
        progress("checks", done, len(candidates))

    with ThreadPoolExecutor(jobs) as threads:
        list(threads.map(examine, candidates))


def _play_tournament(
    graded: GradedCourse, name: str, playing: list[Submission], pool: CachedPool, progress: ProgressCallback
) -> None:
    """Play a tournament, where there are enough submissions that can play."""
    if len(playing) < 2:
        graded.notes.append(Message("courses.too_few_submissions", tournament=name, count=len(playing)))
        return

    def playing_on(done: int, total: int) -> None:
        progress(f"tournament {name}", done, total)

    graded.tournaments[name] = play_tournament(graded.course, name, playing, pool, graded.evidence, playing_on)


def _about(student: Submission, note: Message) -> Message:
    return Message("courses.note_about", student=student.id, note=note)


def _note_questions(graded: GradedCourse, students: list[Submission]) -> None:
    """Ask the instructor whose a submission is, and how late one is that a platform only calls late."""
    for student in students:
        if student.question is not None:
            graded.notes.append(student.question)
        if student.late:
            deadline = graded.course.deadline
            code = "courses.marked_late" if deadline.at else "courses.marked_late_no_deadline"
            late = {"late": Message("courses.late", n=deadline.marked_late_days)} if deadline.at else {}
            graded.notes.append(_about(student, Message(code, file=student.source, **late)))


def _note_duplicates(graded: GradedCourse, students: list[Submission]) -> None:
    """Tell the instructor which submissions were set aside for a newer one with the same id."""
    for student in students:
        if student.set_aside:
            counts = next(remark for remark in student.findings if remark.code in COUNTS)
            code = "courses.newest" if counts.code == "courses.newest_of" else counts.code
            graded.notes.append(_about(student, Message(code, **counts.params)))


def _note_doubts(graded: GradedCourse, students: list[Submission]) -> None:
    """Record in a student's line, and for the instructor, what Ludus itself failed at."""
    for student in students:
        reasons = graded.evidence.unplayed.get(student.key, [])
        if reasons:
            student.doubt = Message(
                "courses.unplayed", games=Message("count.games", n=len(reasons)), problem=reasons[0]
            )
        if student.doubt:
            graded.notes.append(_about(student, Message("courses.try_again", doubt=student.doubt)))


def overrides_of(pool: CachedPool) -> dict[tuple[str, str], EnteredPoints]:
    """Return the points that count by hand, by student and rule; those withdrawn are in the log only."""
    found: dict[tuple[str, str], EnteredPoints] = {}
    for log in pool.ledger.log(pool.number):
        if log.kind == OVERRIDE:
            found[log.detail["student"], log.detail["rule"]] = EnteredPoints(log.detail["points"], log.reason)
        elif log.kind == WITHDRAWAL:
            found.pop((log.detail["student"], log.detail["rule"]), None)
    return found


def _grade_all(graded: GradedCourse, students: list[Submission], pool: CachedPool) -> list[GradedSubmission]:
    """Return every student's points for every rule, the best total first."""
    course, overrides = graded.course, overrides_of(pool)
    for (student, rule), override in list(overrides.items()):
        try:
            course.check_points(rule, override.points)
        except UserError as error:  # the course was changed since
            note = Message("courses.override_ignored", problem=error.message)
            graded.notes.append(Message("courses.note_about", student=student, note=note))
            del overrides[student, rule]
    found = [
        grade_submission(course, member, graded.evidence, overrides)
        for student in students
        for member in student.by_member()
    ]
    return sorted(found, key=lambda one: (-one.total, one.student.id))


def grade_submission(
    course: Course,
    student: Submission,
    evidence: Evidence,
    overrides: Mapping[tuple[str, str], EnteredPoints] | None = None,
) -> GradedSubmission:
    """Return a student's points for every rule: first the rules that stand alone, then those that need the others."""
    awards: dict[str, Award] = {}
    for last in (False, True):
        earned = counted_points(course, awards)
        for rule in course.rules:
            if rule.settings.judged_last == last:
                award = _award(Case(rule, student, evidence, earned))
                by_hand = overrides or {}
                override = by_hand.get((student.id, rule.name)) or by_hand.get((student.entry, rule.name))
                awards[rule.name] = award if override is None else _overridden(award, override)
    limits = limits_of(course, awards)
    if part := evidence.parts.get(student.id):
        limits = (*limits, *_part(part, awards, limits))
    total = rounded(sum(award.points for award in awards.values()) + sum(limit.points for limit in limits))
    results = evidence.games_of(student)
    failures = Counter(result.reason for result in results if result.failed == student.entry)
    return GradedSubmission(
        student,
        tuple(awards[rule.name] for rule in course.rules),
        counted_points(course, awards),
        limits,
        total,
        len(results),
        dict(failures.most_common()),
        sum(result.reason in PLAYED_OUT for result in results),
    )


def _part(part: Part, awards: Mapping[str, Award], limits: Sequence[Limit]) -> Iterator[Limit]:
    """Yield what a member's part of the team's points takes away."""
    total = sum(award.points for award in awards.values()) + sum(limit.points for limit in limits)
    lost = rounded(total * (part.percent - 100) / 100)
    code = "courses.part_because" if part.reason else "courses.part"
    if lost:
        yield Limit(PART, lost, Message(code, percent=part.percent, **({"reason": part.reason} if part.reason else {})))


def _award(case: Case) -> Award:
    """Return the award of a rule; what depends on games that Ludus could not play is not settled."""
    award = case.rule.settings.award(case)
    if case.student.doubt and case.rule.settings.judges_program:
        reason = Message("courses.not_settled", reason=award.reason, doubt=case.student.doubt)
        return award._replace(reason=reason, open=True)
    return award


def _overridden(award: Award, override: EnteredPoints) -> Award:
    points = rounded(override.points)
    own = {"own_points": award.points, "own_reason": award.reason}
    reason = Message("courses.set_by_hand", points=points, reason=override.reason, **own)
    return award._replace(points=points, reason=reason, open=False, by_hand=True)


def counted_points(course: Course, awards: Mapping[str, Award]) -> dict[str, float]:
    """Return what each rule counts: all of it, but in a group that takes the highest only the first of the highest."""
    found = {name: award.points for name, award in awards.items()}
    for name, group in course.groups.items():
        if group.take == "highest":
            rules = [rule.name for rule in course.rules if rule.group == name and rule.name in awards]
            best = max(rules, key=lambda rule: found[rule], default=None)
            found |= {rule: 0.0 for rule in rules if rule != best}
    return found


def limits_of(course: Course, awards: Mapping[str, Award]) -> tuple[Limit, ...]:
    """Return what the groups, and the rule that no total is below 0, change in the sum of all points."""
    found = []
    points = counted_points(course, awards)
    for name, group in course.groups.items():
        rules = [rule.name for rule in course.rules if rule.group == name]
        earned, within = sum(awards[rule].points for rule in rules), sum(points[rule] for rule in rules)
        counts = min(group.most, max(group.least, within))
        reasons = []
        if rounded(earned) != rounded(within):
            reasons.append(Message("courses.only_highest"))
        if counts < within:
            reasons.append(Message("courses.group_at_most", most=group.most))
        if counts > within:
            reasons.append(Message("courses.group_at_least", least=group.least))
        if change := rounded(counts - earned):
            both = Message("courses.two_reasons", one=reasons[0], other=reasons[-1])
            found.append(Limit(name, change, both if len(reasons) > 1 else reasons[0]))
    total = sum(award.points for award in awards.values()) + sum(limit.points for limit in found)
    if change := rounded(max(0.0, -total)):
        found.append(Limit("", change, Message("courses.not_below_zero")))
    return tuple(found)
