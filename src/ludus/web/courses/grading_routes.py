"""The routes of courses for instructors: create, change, grade, override points, release, download."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Body, HTTPException
from fastapi.responses import FileResponse, HTMLResponse
from pydantic import AfterValidator, BaseModel, Field
from starlette.concurrency import run_in_threadpool

from ludus.courses.view import CourseView
from ludus.errors import UserError
from ludus.messages import Message
from ludus.store.courses import StoredCourse
from ludus.web.accounts.visitors import Instructor, Visitor
from ludus.web.courses.files import check, course_of, preset_text, texts_of
from ludus.web.courses.routes import Changed, Code, CourseDep, Number, StudentId, result_file
from ludus.web.courses.views import FILES, grade_of, results_folder
from ludus.web.http.reading import in_worker
from ludus.web.http.routing import Router
from ludus.web.services import Services, ServicesDep

router = Router()

PAGE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Of a page that shows what students wrote: it has a style of its own, and runs and loads nothing."""

Title = Annotated[str, Field(min_length=1, max_length=120, pattern=r"\S"), AfterValidator(str.strip)]
Deadline = Annotated[datetime, AfterValidator(lambda at: at if at.tzinfo else at.replace(tzinfo=UTC))]
Table = Annotated[str, Field(max_length=200_000)]
Reason = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]


class NewCourse(BaseModel):
    """A course to create from a preset; without a code anyone may join."""

    preset: Annotated[str, Field(max_length=64)]
    title: Title
    deadline: Deadline | None = None
    code: Code = ""


class CourseSettings(BaseModel):
    """What an instructor may change; the course file is a text, and so are the tables, which stay if none is given."""

    title: Title
    deadline: Deadline | None = None
    code: Code = ""
    toml: Table
    late: Table | None = None
    entered: Table | None = None


class Grading(BaseModel):
    """The students whose games are all played again, and why."""

    only: Annotated[list[StudentId], Field(max_length=500)] = []
    reason: Annotated[str, Field(max_length=500)] = ""


class OwnPoints(BaseModel):
    """A rule whose own points should count again instead of those set by hand, and why."""

    student: StudentId
    rule: Annotated[str, Field(max_length=64)]
    reason: Reason


class NewPoints(OwnPoints):
    """Points set by hand, and why."""

    points: Annotated[float, Field(ge=-1000, le=1000, allow_inf_nan=False)]


@router.post("/courses", status_code=201)
def create(services: ServicesDep, wanted: NewCourse, who: Instructor) -> Changed:
    """Create a course from a preset."""
    toml = preset_text(wanted.preset)
    number = services.courses.add(who.signed_in.id, wanted.title, toml, wanted.code.strip(), wanted.deadline)
    services.note(who, "course.create", course=number)
    return Changed(id=number)


@router.post("/courses/{course}/settings")
async def change(services: ServicesDep, who: Instructor, course: CourseDep, wanted: CourseSettings) -> Changed:
    """Change a course; its file and tables are checked first."""
    values = {name: value for name, value in wanted if name not in ("late", "entered") or value is not None}
    texts = texts_of(course) | {name: str(value) for name, value in values.items() if name in ("late", "entered")}
    await in_worker(services.readers, who.owner, check, wanted.toml, wanted.deadline, texts)
    await run_in_threadpool(services.courses.change, course.id, **values)
    changed = [name for name, value in values.items() if course.values[name] != value]
    await run_in_threadpool(services.note, who, "course.settings", course=course.id, changed=changed)
    return Changed(id=course.id)


@router.post("/courses/{course}/grade", status_code=202)
def grade(services: ServicesDep, who: Instructor, course: CourseDep, wanted: Grading) -> Changed:
    """Grade everything that counts; what was played before is not played again."""
    if wanted.only and not wanted.reason.strip():
        raise UserError("courses.replay_needs_reason")
    _grade(services, course, who, only=wanted.only, reason=wanted.reason)
    only = _accounts(services, course, wanted.only)
    services.note(who, "course.grade", course=course.id, only=only, reason=wanted.reason)
    return Changed(id=course.id)


@router.post("/courses/{course}/override", status_code=202)
def override(services: ServicesDep, who: Instructor, course: CourseDep, wanted: NewPoints) -> Changed:
    """Set points by hand; the rule's own result stays in the reason."""
    course_of(course.toml).check_points(wanted.rule, wanted.points)
    if grade_of(services.courses, course, wanted.student) is None:
        raise UserError("courses.no_grade_of", student=wanted.student)
    _grade(services, course, who, overrides=[[wanted.student, wanted.rule, wanted.points]], reason=wanted.reason)
    _note_points(services, who, "course.override", course, wanted)
    return Changed(id=course.id)


@router.post("/courses/{course}/override/withdraw", status_code=202)
def withdraw_override(services: ServicesDep, who: Instructor, course: CourseDep, wanted: OwnPoints) -> Changed:
    """Let a rule's own points count again; both decisions stay in the logs."""
    grade = grade_of(services.courses, course, wanted.student)
    if grade is None or not any(rule.rule == wanted.rule and rule.by_hand for rule in grade.rules):
        raise UserError("courses.not_overridden", student=wanted.student, rule=wanted.rule)
    _grade(services, course, who, withdrawals=[[wanted.student, wanted.rule]], reason=wanted.reason)
    _note_points(services, who, "course.override-withdrawn", course, wanted)
    return Changed(id=course.id)


def _note_points(services: Services, who: Visitor, kind: str, course: StoredCourse, wanted: OwnPoints) -> None:
    accounts = _accounts(services, course, [wanted.student])
    services.note(who, kind, course=course.id, accounts=accounts, **wanted.model_dump(exclude={"student"}))


def _accounts(services: Services, course: StoredCourse, students: list[str]) -> list[int]:
    """Return the numbers of students' accounts: a log with numbers names nobody once an account is removed."""
    enrolled = services.courses.enrolled(course.id)
    return [one.account for one in enrolled if one.confirmed and one.student in students]


def _grade(services: Services, course: StoredCourse, who: Visitor, **wishes: Any) -> None:
    """Start grading, unless it is running."""
    live = services.job(course.job)
    if live is not None and not live.job.over:
        raise HTTPException(409, Message("courses.being_graded"))
    wanted = {"course": course.id, "overrides": [], "only": [], "reason": "", **wishes}
    job = services.wait_for(services.jobs.add("course-grade", wanted, who.owner))
    services.courses.change(course.id, job=job)


@router.post("/courses/{course}/stop")
def stop(services: ServicesDep, who: Instructor, course: CourseDep) -> Changed:
    """Stop grading; what was played stays."""
    if course.job:
        services.wait_for(services.jobs.cancel(course.job))
    services.note(who, "course.stop", course=course.id)
    return Changed(id=course.id)


@router.post("/courses/{course}/release")
def release(
    services: ServicesDep, who: Instructor, course: CourseDep, released: Annotated[bool, Body(embed=True)]
) -> Changed:
    """Show students their grades, or hide them."""
    services.courses.change(course.id, released=released)
    services.note(who, "course.show-grades" if released else "course.hide-grades", course=course.id)
    return Changed(id=course.id)


@router.get("/courses/{course}/grades")
def all_grades(services: ServicesDep, _who: Instructor, course: CourseDep) -> CourseView:
    """Return all grades with reasons, and which programs are similar."""
    grades = services.courses.grades(course.id)
    if grades is None:
        raise HTTPException(404, Message("courses.not_graded"))
    return CourseView.model_validate(grades)


@router.get("/courses/{course}/similar/{name}", response_class=HTMLResponse)
def similar(services: ServicesDep, _who: Instructor, course: Number, name: str) -> HTMLResponse:
    """Return the page that shows two similar programs side by side."""
    grades = services.courses.grades(course) or {"alike": []}
    pages = {pair.get("page") for pair in grades["alike"]} - {"", None}
    file = results_folder(services, course) / "similar" / name
    if f"similar/{name}" not in pages or not file.is_file():
        raise HTTPException(404, Message("courses.no_such_file"))
    text = file.read_text(encoding="utf-8").replace('href="../index.html"', f'href="/courses/{course}"', 1)
    return HTMLResponse(text, headers={"Content-Security-Policy": PAGE_POLICY})


@router.get("/courses/{course}/files/{name}", response_class=FileResponse)
def download(services: ServicesDep, _who: Instructor, course: Number, name: str) -> FileResponse:
    """Return a table or the PDF of a graded course."""
    return result_file(services, course, name if name in FILES else "", f"course-{course}-{name}")
