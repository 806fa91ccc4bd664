"""A graded course as people and programs see it: the one model behind grades.json, the tables, the HTML pages, the PDF
files and the web's JSON.

A field such as `reason` is the English sentence, and `reason_message` beside it is the same as data, for other
languages; grades that older versions stored have the sentence only. Computes no point and writes no file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field, model_serializer

from ludus.check import WARNING, Finding, verdict_of
from ludus.courses.exam import ExamAnswer
from ludus.courses.pressure import Pressure
from ludus.courses.rubric import Overrun, fault_message
from ludus.messages import Message
from ludus.messages.fields import MessageField
from ludus.view import View

if TYPE_CHECKING:
    from ludus.check import Verdict
    from ludus.courses.deadline import DeadlineSettings
    from ludus.courses.evidence import Evidence
    from ludus.courses.exam import ExamResult
    from ludus.courses.grade import GradedCourse, GradedSubmission
    from ludus.courses.rubric import Award
    from ludus.courses.similarity import SimilarPair
    from ludus.play.result import GameResult

COURSE_PDF = "course.pdf"
STUDENT_PDF = "report.pdf"


class CourseGameView(View):
    """A game behind a point, as the student saw it."""

    match: str = ""
    """Its name on the web, where it is kept as a match."""
    seat: int = 0
    """0 when the student moved first, 1 otherwise."""
    opponent: str = ""
    points: float = 0.0
    fault: str = ""
    """The failure by which the student lost it; empty when there was none."""
    fault_message: MessageField | None = None
    kind: str = ""
    """The kind of that failure."""
    file: str = ""
    """The file of its record, in the folder games."""

    @model_serializer
    def _json(self) -> str | dict[str, Any]:
        """Return a match of the web with all that is known of it, and any other game as the path of its record."""
        if not self.match:
            return f"games/{self.file}"
        names = ("match", "seat", "opponent", "points", "fault")
        message = self.fault_message and self.fault_message.json
        return {**{name: getattr(self, name) for name in names}, "fault_message": message}


class RuleView(View):
    """The points of a rule, with the reason."""

    rule: str
    title: str
    title_message: MessageField | None = None
    points: float
    counted: float = 0.0
    most: float
    reason: str
    reason_message: MessageField | None = None
    open: bool
    by_hand: bool = False
    full: bool = False
    """Whether nothing was lost."""
    score: float | None = None
    """The share of the points of its games, where it comes from games."""
    interval: tuple[float, float] | None = None
    """The 95% interval of the score."""
    games: list[CourseGameView]


class LimitView(View):
    """What the bounds of a group, or of the total, add or take away."""

    name: str = ""
    """The group; empty for the total."""
    title: str
    title_message: MessageField | None = None
    points: float
    reason: str
    reason_message: MessageField | None = None


class CheckView(View):
    """What `ludus check` found."""

    passed: bool
    problems: int | None = None
    notes: int | None = None
    findings: list[Finding]


class AttemptView(View):
    """An attempt of a student who made several."""

    file: str
    at: str
    counts: bool
    total: float | None = None
    """Its points without tournaments, where the best attempt counts and this one was graded."""


class StudentView(View):
    """A student's grade."""

    id: str
    name: str
    team: str = ""
    """The team that shares the submission; empty for a student alone."""
    total: float
    handed_in: str
    handed_in_at: str = ""
    """When, in the zone of the course, where the course has a deadline and the time is known."""
    days_late: float = 0.0
    attempts: list[AttemptView] = []
    """All attempts, the oldest first, where there are several."""
    question: str = ""
    """What the instructor should look at: it is not clear whose the submission is."""
    question_message: MessageField | None = None
    set_aside: list[str] = []
    versions: list[str] = []
    trouble: str
    trouble_message: MessageField | None = None
    doubt: str = ""
    doubt_message: MessageField | None = None
    failed: str = ""
    failed_message: MessageField | None = None
    games: int = 0
    failures: dict[str, int] = {}
    findings: list[str]
    finding_messages: list[MessageField] = []
    check: CheckView | None
    ranks: dict[str, int]
    rules: list[RuleView]
    limits: list[LimitView] = []
    folder: str = ""
    """The name of the student's folder among the results."""
    code: str = Field(default="", exclude=True)
    """The code name in the anonymous standings, where there are such."""
    entry: str = Field(default="", exclude=True)
    """The name of its program in games."""

    @property
    def lateness(self) -> Message | None:
        """How late the submission was, in days or else in hours; None if it was in time."""
        if not self.days_late:
            return None
        if self.days_late < 1:
            return Message("courses.page.hours_late", hours=f"{self.days_late * 24:.2g}")
        return Message("courses.page.days_late", n=1 if self.days_late == 1 else f"{self.days_late:.3g}")

    email: str = Field(default="", exclude=True)
    number: str = Field(default="", exclude=True)
    """The number that a platform has for the student."""
    answers: list[ExamAnswer] = Field(default=[], exclude=True)
    summary: MessageField | None = Field(default=None, exclude=True)
    """Why the program shows little or nothing."""
    verdict: MessageField | None = Field(default=None, exclude=True)
    """What the check comes to."""

    @property
    def title(self) -> str:
        """The id, and the name where it is known."""
        return f"{self.id} {self.name}".strip()

    @property
    def open_rules(self) -> list[Message]:
        """The titles of the rules that are not settled."""
        return [rule.title_message for rule in self.rules if rule.open and rule.title_message]


class SimilarView(View):
    """Two programs that have much in common."""

    first: str
    second: str
    language: str
    share: float
    shared: int
    page: str = ""
    """The page that shows both side by side, in the folder of the results; empty where there is none."""


class CourseView(View):
    """A graded course."""

    course: str
    title: str
    most: float
    games: int
    students: list[StudentView]
    alike: list[SimilarView]
    notes: list[str]
    note_messages: list[MessageField] = []
    pressure: Pressure | None = None
    tournaments: list[str] = Field(default=[], exclude=True)
    """The tournaments that were played."""
    pdf: bool = Field(default=False, exclude=True)
    language: str = Field(default="en", exclude=True)
    """Of the pages and the PDF files."""
    column: str = Field(default="", exclude=True)
    """What the grade is called in the gradebooks of platforms."""

    @property
    def limits(self) -> dict[str, Message | str]:
        """The limits that changed anyone's points, with their titles: a column each, so that tables add up."""
        found = [limit for student in self.students for limit in student.limits]
        return {limit.name: limit.title_message or limit.title for limit in found}

    @property
    def json_data(self) -> dict[str, Any]:
        """The whole view as grades.json holds it, and the web stores it."""
        return self.model_dump(mode="json")


def _similar_view(graded: GradedCourse, pair: SimilarPair) -> SimilarView:
    folders = {one.student.entry: one.student.folder for one in graded.graded}
    page = f"similar/{folders[pair.first]}+{folders[pair.second]}.html" if pair.passages else ""
    return SimilarView(**{name: value for name, value in pair._asdict().items() if name != "passages"}, page=page)


def course_view(graded: GradedCourse) -> CourseView:
    """Return the view of a graded course."""
    course = graded.course
    return CourseView(
        course=course.name,
        title=course.title,
        most=course.most,
        games=graded.games,
        students=[student_view(one, graded.evidence, course.deadline) for one in graded.graded],
        alike=[_similar_view(graded, pair) for pair in graded.similar],
        notes=[str(note) for note in graded.notes],
        note_messages=graded.notes,
        pressure=graded.pressure if graded.pressure.games else None,
        tournaments=list(graded.evidence.tournaments),
        pdf=course.report.pdf,
        language=course.report.language,
        column=course.report.column or course.title,
    )


def student_view(graded: GradedSubmission, evidence: Evidence, deadline: DeadlineSettings) -> StudentView:
    """Return the view of a student's grade; times are shown where the course has a deadline."""
    student = graded.student
    exam = evidence.exams.get(student.key)
    verdict, findings = check_of(graded, exam) if exam else (None, ())
    return StudentView(
        id=student.id,
        name=student.name,
        team=student.team,
        total=graded.total,
        handed_in=student.source,
        handed_in_at=deadline.shown(student.at) if deadline.at and student.at and student.late is None else "",
        days_late=round(evidence.days_late(student, ""), 3),
        attempts=[
            AttemptView(
                file=one.file, at=deadline.shown(one.at) if one.timed else "", counts=one.counts, total=one.total
            )
            for one in (student.attempts if deadline.at else ())
        ],
        set_aside=list(student.set_aside),
        versions=list(student.versions),
        **_both(trouble=student.trouble, doubt=student.doubt, failed=graded.failed, question=student.question),
        games=graded.games,
        failures=dict(graded.failures),
        findings=[str(remark) for remark in student.remarks],
        finding_messages=student.remarks,
        check=verdict
        and CheckView(
            passed=verdict.ready,
            problems=verdict.problems,
            notes=verdict.notes,
            findings=list(findings),
        ),
        ranks=evidence.rank_of(student.entry),
        rules=[_rule_view(graded, award) for award in graded.awards],
        limits=[
            LimitView(name=limit.group, points=limit.points, **_both(title=limit.title, reason=limit.reason))
            for limit in graded.limits
        ],
        folder=student.folder,
        entry=student.entry,
        email=student.person.email if student.person else "",
        number=student.person.number if student.person else "",
        answers=[answer for answers in (exam.answers.values() if exam else ()) for answer in answers],
        summary=graded.trouble,
        verdict=verdict.message if verdict else None,
    )


def check_of(graded: GradedSubmission, exam: ExamResult) -> tuple[Verdict, tuple[Finding, ...]]:
    """Return what a student's check comes to in the course, and its findings.

    A program that failed in no game and no position lost nothing by what the check found: those are only notes, unless
    a rule takes points for the time that it needed there.
    """
    wrong = any(answer.fault for answers in exam.answers.values() for answer in answers)
    findings = exam.findings
    overrun = exam.timeouts and any(isinstance(award.rule.settings, Overrun) for award in graded.awards)
    if graded.games and not graded.failures and not wrong and not overrun:
        findings = tuple(finding.model_copy(update={"verdict": WARNING}) for finding in findings)
    return verdict_of(finding.verdict for finding in findings), findings


def _text(message: Message | None) -> str:
    return "" if message is None else str(message)


def _both(**messages: Message | None) -> dict[str, Any]:
    """Return each message by its name as a sentence, and as data: `reason` and `reason_message`."""
    found: dict[str, Any] = {name: _text(message) for name, message in messages.items()}
    return found | {f"{name}_message": message for name, message in messages.items()}


def _rule_view(graded: GradedSubmission, award: Award) -> RuleView:
    interval = award.interval
    return RuleView(
        rule=award.rule.name,
        **_both(title=award.rule.title, reason=award.reason),
        points=award.points,
        counted=graded.counted[award.rule.name],
        most=award.most,
        open=award.open,
        by_hand=award.by_hand,
        full=award.full,
        score=interval.value if interval else None,
        interval=(round(interval.low, 6), round(interval.high, 6)) if interval else None,
        games=[_game_view(game, graded.student.entry) for game in award.games],
    )


def _game_view(result: GameResult, student: str) -> CourseGameView:
    fault = fault_message(result) if result.failed == student else None
    return CourseGameView(
        seat=result.side(student),
        opponent=result.opponent(student),
        points=result.points(student),
        **_both(fault=fault),
        kind=result.reason if fault else "",
        file=result.record_file,
    )
