"""What pages show of courses, as typed JSON, and who sees what. Knows no HTTP.

An instructor sees everything of every course; a student their own submissions, and their own grade once it is released;
everybody else only that there is a course.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from ludus.courses import Course
from ludus.courses.anonymous import anonymous_order, code_names, read_secret
from ludus.courses.attempts import Attempt, Term
from ludus.courses.columns import COLUMNS
from ludus.courses.deadline import days_late
from ludus.courses.gradebook import GRADEBOOKS
from ludus.courses.roster import Person
from ludus.courses.view import COURSE_PDF, STUDENT_PDF, CourseView, StudentView
from ludus.messages.fields import MessageField
from ludus.store.courses import CourseStore, StoredCourse, StoredSubmission
from ludus.view import View
from ludus.web.accounts.visitors import Visitor
from ludus.web.courses.basics import Basics, basics_of
from ludus.web.courses.files import TableName, course_of, roster_of, stored_course_of, tables_of, texts_of
from ludus.web.jobs.kinds.course import folder_of
from ludus.web.jobs.service import JobView
from ludus.web.services import Services
from ludus.web.views import game_title

GRADEBOOK_FILES = tuple(f"gradebook-{platform}.csv" for platform in GRADEBOOKS)
FILES = ("grades.csv", "grades.json", "similarity.csv", COURSE_PDF, *GRADEBOOK_FILES)
"""The files of a graded course that an instructor can download."""


class PresetView(View):
    """A preset."""

    name: str
    title: str
    game: str
    game_title: str
    most: float


class RubricLineView(View):
    """A rule of the rubric."""

    name: str
    title: str
    title_message: MessageField
    points: float
    kind: str


class SubmissionView(View):
    """A submission."""

    id: int
    name: str
    at: datetime
    late: bool
    program: str = ""
    """The file that was chosen as the program; empty where it is found by itself."""
    trial: JobView | None = None
    """The job of the dry run."""
    result: dict[str, Any] | None = None
    """The grade that the dry run gave, and `most`, the points of the whole course."""


class CourseSummaryView(View):
    """A course in the list of courses."""

    id: int
    title: str
    game: str
    game_title: str
    deadline: datetime | None
    open: bool
    """Whether it can be joined without a code."""
    joined: bool
    released: bool


class ClaimView(View):
    """An account that says that a student id is its own."""

    account: int
    name: str
    submitted: bool
    """Whether it has submitted something, which does not count yet."""


class EnrolmentView(View):
    """A student as the instructor sees them."""

    student: str
    account: str
    """The account that has the student id; empty where there is none."""
    claims: list[ClaimView] = []
    """The accounts that have joined under the id and are not confirmed."""
    person: str = ""
    """The name on the roster."""
    known: bool = True
    """Whether the student is on the roster; also where there is no roster."""
    name: str | None = None
    """The name of the file that counts."""
    at: datetime | None = None
    late: bool = False
    submission: int | None = None
    program: str = ""
    """The file that was chosen as the program."""


class ReleaseView(View):
    """What happens when grades are released, and what is still open."""

    see: int
    """Students who will see their grade."""
    no_account: int
    """Students with a grade who have not joined, or whose account is not confirmed."""
    unconfirmed: int
    """Accounts that are not confirmed and have submitted something, which does not count."""
    open_students: int
    """Students for whom a rule has no points yet."""
    open_rules: list[MessageField]
    questions: int
    """Submissions of which it is not clear whose they are."""
    newer: list[str]
    """Students who handed in something after the grading."""


class InstructorView(View):
    """The part of a course that only instructors see."""

    code: str
    toml: str
    tables: dict[TableName, str]
    columns: dict[TableName, str]
    """The headings of each table."""
    base: str
    """The name of the file with what the course gave out; empty where there is none."""
    basics: Basics
    standings: bool
    in_file: bool
    """Whether the course file has the deadline."""
    students: list[EnrolmentView]
    release: ReleaseView | None
    """None before the course was graded."""
    grading: JobView | None
    graded: bool
    files: list[str]


class CoursePageView(CourseSummaryView):
    """A course as one visitor sees it."""

    clock: str
    most: float
    rules: list[RubricLineView]
    student: str | None
    confirmed: bool
    """Whether the visitor may see what belongs to the student id; an instructor confirms it."""
    submissions: list[SubmissionView]
    grade: StudentView | None
    paper: bool
    """Whether there is a PDF of the student's own grade."""
    standings: bool
    """Whether the visitor may see the standings by code names."""
    teaching: InstructorView | None


def summary(stored: StoredCourse, course: Course, *, joined: bool) -> CourseSummaryView:
    """Return a course for a list."""
    return CourseSummaryView(
        id=stored.id,
        title=stored.title,
        game=course.game,
        game_title=game_title(course.game),
        deadline=course.deadline.due if course.deadline.at else stored.deadline,
        open=not stored.code,
        joined=joined,
        released=stored.released,
    )


def page_view(services: Services, stored: StoredCourse, who: Visitor) -> CoursePageView:
    """Return a course as a visitor may see it."""
    store, course = services.courses, course_of(stored.toml)
    student = store.student(stored.id, who.account.id) if who.account else None
    own = store.submissions(stored.id, who.account.id) if who.account and student else []
    grade = own_grade(store, stored, who.account.id) if who.account else None
    is_late = _late_test(stored)
    return CoursePageView(
        **dict(summary(stored, course, joined=student is not None)),
        clock=course.clock,
        most=course.most,
        rules=[
            RubricLineView(
                name=rule.name, title=str(rule.title), title_message=rule.title, points=rule.points, kind=rule.kind
            )
            for rule in course.rules
        ],
        student=student,
        confirmed=who.account is not None and store.confirmed(stored.id, who.account.id),
        submissions=[
            _submission_view(services, one, late=is_late(student or "", own[at:])) for at, one in enumerate(own)
        ],
        grade=grade,
        paper=grade is not None and (results_folder(services, stored.id) / pdf_path(grade)).is_file(),
        standings=stored.standings and stored.released and (who.teaches or grade is not None),
        teaching=_instructor_view(services, stored) if who.teaches else None,
    )


def grade_of(store: CourseStore, stored: StoredCourse, student: str | None) -> StudentView | None:
    """Return the grade of one student; None where there is none."""
    grades = store.grades(stored.id) or {"students": []}
    for one in grades["students"]:
        if one["id"] == student:
            return StudentView.model_validate({"folder": grades.get("folders", {}).get(student, ""), **one})
    return None


def own_grade(store: CourseStore, stored: StoredCourse, account: int) -> StudentView | None:
    """Return the grade that an account may see of its own: a released one, of a student id that is confirmed."""
    if not stored.released or not store.confirmed(stored.id, account):
        return None
    return grade_of(store, stored, store.student(stored.id, account))


def pdf_path(grade: StudentView) -> str:
    """Return the path of the PDF of a grade, in the folder of the results."""
    return f"students/{grade.folder}/{STUDENT_PDF}"


def results_folder(services: Services, course: int) -> Path:
    """Return the folder of the files of a graded course."""
    return folder_of(services.jobs.folder, course) / "results"


def _submission_view(services: Services, one: StoredSubmission, *, late: bool) -> SubmissionView:
    live = services.job(one.job)
    return SubmissionView(
        id=one.id,
        name=one.name,
        at=one.at,
        late=late,
        program=one.program,
        trial=live.view if live else None,
        result=live.job.result if live else None,
    )


def _late_test(stored: StoredCourse) -> Callable[[str, list[StoredSubmission]], bool]:
    """Return what tells whether the first of a student's submissions is late; extensions and the times table count."""
    course = stored_course_of(stored)
    tables = tables_of(course, texts_of(stored))
    term = Term(tables.roster, times=tables.times)

    def is_late(student: str, own: list[StoredSubmission]) -> bool:
        one = own[0]
        if not course.deadline.at:
            return bool(one.marked_late)
        people = tuple(Person(*fields) for fields in one.people or ()) or (Person(student),)
        attempt = Attempt(Path(one.name), people, one.at, late=one.marked_late)
        if len(own) == 1 or not course.deadline.chooses:
            (attempt,) = term.with_times([attempt])
        return days_late(attempt, [attempt], course.deadline, tables.extensions.get(student)) > 0

    return is_late


def student_lines(store: CourseStore, stored: StoredCourse) -> list[EnrolmentView]:
    """Return everyone who takes part: by the roster, by joining, or by a submission that was collected."""
    own, roster, is_late = store.by_student(stored.id), roster_of(stored.roster), _late_test(stored)
    names = {person.id: person.name for person in roster.people} if roster else {}
    enrolled = store.enrolled(stored.id)
    submitted = {one.account for one in store.submissions(stored.id)}
    found = []
    for student in sorted({*names, *(one.student for one in enrolled), *own}):
        mine = [one for one in enrolled if one.student == student]
        line = EnrolmentView(student=student, account="", person=names.get(student, ""))
        line.known = roster is None or student in names
        line.account = next((one.name for one in mine if one.confirmed), "")
        line.claims = [
            ClaimView(account=one.account, name=one.name, submitted=one.account in submitted)
            for one in mine
            if not one.confirmed
        ]
        if student in own:
            last = own[student][0]
            line.name, line.at, line.submission, line.program = last.name, last.at, last.id, last.program
            line.late = is_late(student, own[student])
        found.append(line)
    return found


def _release_view(store: CourseStore, stored: StoredCourse, lines: list[EnrolmentView]) -> ReleaseView | None:
    grades = store.grades(stored.id)
    if grades is None:
        return None
    graded = [StudentView.model_validate({"folder": "", **one}) for one in grades["students"]]
    seeing = {line.student for line in lines if line.account}
    open_rules = {rule.rule: rule.title_message for one in graded for rule in one.rules if rule.open}
    known = grades.get("submissions")
    newer = [line.student for line in lines if known and line.submission not in (None, known.get(line.student))]
    return ReleaseView(
        see=sum(one.id in seeing for one in graded),
        no_account=sum(one.id not in seeing for one in graded),
        unconfirmed=sum(claim.submitted for line in lines for claim in line.claims),
        open_students=sum(any(rule.open for rule in one.rules) for one in graded),
        open_rules=[title for title in open_rules.values() if title is not None],
        questions=sum(bool(one.question) for one in graded),
        newer=newer,
    )


class AnonymousStandingView(View):
    """A line of the anonymous standings."""

    place: int
    code: str
    total: float
    own: bool
    """Whether it is the visitor's own."""


def standings(services: Services, stored: StoredCourse, student: str | None) -> list[AnonymousStandingView]:
    """Return the standings by code names; the secret behind them is in the folder of the results."""
    grades = services.courses.grades(stored.id)
    if grades is None:
        return []
    view = CourseView.model_validate(grades)
    codes = code_names([one.id for one in view.students], read_secret(results_folder(services, stored.id)))
    return [
        AnonymousStandingView(place=place, code=codes[one.id], total=one.total, own=one.id == student)
        for place, one in anonymous_order(view, codes)
    ]


def _instructor_view(services: Services, stored: StoredCourse) -> InstructorView:
    store, results = services.courses, results_folder(services, stored.id)
    students = student_lines(store, stored)
    live = services.job(stored.job)
    return InstructorView.model_validate(
        {
            **stored.values,
            "tables": texts_of(stored),
            "columns": {name: ",".join(columns) for name, columns in COLUMNS.items()},
            "base": stored.base_name,
            "basics": basics_of(stored.title, stored.toml, stored.deadline),
            "in_file": bool(course_of(stored.toml).deadline.at),
            "release": _release_view(store, stored, students),
            "students": students,
            "grading": live.view if live else None,
            "graded": store.grades(stored.id) is not None,
            "files": [name for name in FILES if (results / name).is_file()],
        }
    )
