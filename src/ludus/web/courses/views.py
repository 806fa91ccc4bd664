"""What pages show of courses, as typed JSON, and who sees what. Knows no HTTP.

An instructor sees everything of every course; a student their own submissions, and their own grade once it is released;
everybody else only that there is a course.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from ludus.courses import Course
from ludus.courses.view import COURSE_PDF, STUDENT_PDF, StudentView
from ludus.messages.fields import MessageField
from ludus.store.courses import CourseStore, StoredCourse, StoredSubmission
from ludus.view import View
from ludus.web.accounts.visitors import Visitor
from ludus.web.courses.files import course_of
from ludus.web.jobs.kinds.course import folder_of
from ludus.web.jobs.service import JobView
from ludus.web.services import Services
from ludus.web.views import game_title

FILES = ("grades.csv", "grades.json", "similarity.csv", COURSE_PDF)
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


class EnrolmentView(View):
    """A student as the instructor sees them."""

    student: str
    account: str
    name: str | None = None
    """The name of the file that counts."""
    at: datetime | None = None
    late: bool = False
    submission: int | None = None


class InstructorView(View):
    """The part of a course that only instructors see."""

    code: str
    toml: str
    late: str
    entered: str
    students: list[EnrolmentView]
    grading: JobView | None
    graded: bool
    files: list[str]


class CoursePageView(CourseSummaryView):
    """A course as one visitor sees it."""

    clock: str
    most: float
    rules: list[RubricLineView]
    student: str | None
    submissions: list[SubmissionView]
    grade: StudentView | None
    paper: bool
    """Whether there is a PDF of the student's own grade."""
    teaching: InstructorView | None


def summary(stored: StoredCourse, course: Course, *, joined: bool) -> CourseSummaryView:
    """Return a course for a list."""
    return CourseSummaryView(
        id=stored.id,
        title=stored.title,
        game=course.game,
        game_title=game_title(course.game),
        deadline=stored.deadline,
        open=not stored.code,
        joined=joined,
        released=stored.released,
    )


def page_view(services: Services, stored: StoredCourse, who: Visitor) -> CoursePageView:
    """Return a course as a visitor may see it."""
    store, course = services.courses, course_of(stored.toml)
    student = store.student(stored.id, who.account.id) if who.account else None
    own = store.submissions(stored.id, who.account.id) if who.account and student else []
    grade = grade_of(store, stored, student) if stored.released else None
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
        submissions=[_submission_view(services, stored, one) for one in own],
        grade=grade,
        paper=grade is not None and (results_folder(services, stored.id) / pdf_path(grade)).is_file(),
        teaching=_instructor_view(services, stored) if who.teaches else None,
    )


def grade_of(store: CourseStore, stored: StoredCourse, student: str | None) -> StudentView | None:
    """Return the grade of one student; None where there is none."""
    grades = store.grades(stored.id) or {"students": []}
    for one in grades["students"]:
        if one["id"] == student:
            return StudentView.model_validate({"folder": grades.get("folders", {}).get(student, ""), **one})
    return None


def pdf_path(grade: StudentView) -> str:
    """Return the path of the PDF of a grade, in the folder of the results."""
    return f"students/{grade.folder}/{STUDENT_PDF}"


def results_folder(services: Services, course: int) -> Path:
    """Return the folder of the files of a graded course."""
    return folder_of(services.jobs.folder, course) / "results"


def _submission_view(services: Services, stored: StoredCourse, one: StoredSubmission) -> SubmissionView:
    live = services.job(one.job)
    return SubmissionView(
        id=one.id,
        name=one.name,
        at=one.at,
        late=_is_late(stored, one),
        trial=live.view if live else None,
        result=live.job.result if live else None,
    )


def _is_late(stored: StoredCourse, one: StoredSubmission) -> bool:
    return stored.deadline is not None and one.at > stored.deadline


def _instructor_view(services: Services, stored: StoredCourse) -> InstructorView:
    store, results = services.courses, results_folder(services, stored.id)
    counting = store.counting(stored.id)
    students = []
    for one in store.enrolled(stored.id):
        line = EnrolmentView(student=one.student, account=one.name)
        if (last := counting.get(one.student)) is not None:
            line.name, line.at, line.submission, line.late = last.name, last.at, last.id, _is_late(stored, last)
        students.append(line)
    live = services.job(stored.job)
    return InstructorView.model_validate(
        {
            **stored.values,
            "students": students,
            "grading": live.view if live else None,
            "graded": store.grades(stored.id) is not None,
            "files": [name for name in FILES if (results / name).is_file()],
        }
    )
