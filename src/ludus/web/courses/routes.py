"""The routes of courses: create, join, hand in, try, grade, release, override, download; and who may see what.

An instructor sees everything of every course; a student their own submissions, and their own grade once it is released;
everybody else only that there is a course.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Path, Query, Request
from fastapi.responses import FileResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse  # noqa: TC002 - the description of the routes needs it

from ludus.bots.source import packed
from ludus.courses import presets
from ludus.courses.view import COURSE_PDF, STUDENT_PDF, CourseView, StudentView
from ludus.display import HARMFUL
from ludus.errors import UserError
from ludus.messages import Message
from ludus.tournament.view import MessageData  # noqa: TC001
from ludus.web.accounts.visitors import Instructor, Student, Visitor, Who  # noqa: TC001
from ludus.web.bots.submissions import is_readable
from ludus.web.courses.files import check, course_of, preset_text
from ludus.web.http.events import BEAT, BEAT_SECONDS, any_of, event, stream
from ludus.web.http.rate_limit import Allowance
from ludus.web.http.reading import in_worker
from ludus.web.jobs.kinds.course import folder_of
from ludus.web.views import game_title

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path as FilePath

    from ludus.courses import Course
    from ludus.courses.rubric import Rule
    from ludus.store.courses import CourseStore, StoredCourse, StoredSubmission
    from ludus.web.jobs.service import Jobs, LiveJob

router = APIRouter(prefix="/api")

Number = Annotated[int, Path(ge=1, lt=2**31)]
Title = Annotated[str, Field(min_length=1, max_length=120, pattern=r"\S")]
Code = Annotated[str, Field(max_length=64)]
Table = Annotated[str, Field(max_length=200_000)]
StudentId = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[\w .@-]*\w[\w .@-]*$")]
Reason = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]
FILES = ("grades.csv", "grades.json", "similarity.csv", COURSE_PDF)
"""The files of a graded course that an instructor can download."""
GUESSES = Allowance(10, 1 / 30)
"""How many codes one account may try, and how fast, so that nobody finds one by guessing."""


class NewCourse(BaseModel):
    """A course to create from a preset; without a code anyone may join."""

    preset: Annotated[str, Field(max_length=64)]
    title: Title
    deadline: datetime | None = None
    code: Code = ""


class Settings(BaseModel):
    """What an instructor may change; the course file and the tables are texts."""

    title: Title
    deadline: datetime | None = None
    code: Code = ""
    toml: Table
    late: Table = ""
    entered: Table = ""


class Joining(BaseModel):
    """The student id to join with, and the code where one is needed."""

    student: StudentId
    code: Code = ""


class Grading(BaseModel):
    """The students whose games are all played again, and why."""

    only: Annotated[list[StudentId], Field(max_length=500)] = []
    reason: Annotated[str, Field(max_length=500)] = ""


class NewPoints(BaseModel):
    """Points set by hand, and why."""

    student: StudentId
    rule: Annotated[str, Field(max_length=64)]
    points: Annotated[float, Field(ge=-1000, le=1000, allow_inf_nan=False)]
    reason: Reason


class OwnPoints(BaseModel):
    """A rule whose own points should count again instead of those set by hand, and why."""

    student: StudentId
    rule: Annotated[str, Field(max_length=64)]
    reason: Reason


class Release(BaseModel):
    """Whether students see their grades."""

    released: bool


class PresetView(BaseModel):
    """A preset."""

    name: str
    title: str
    game: str
    game_title: str
    most: float


class RubricLineView(BaseModel):
    """A rule of the rubric."""

    name: str
    title: str
    title_message: MessageData
    points: float
    kind: str

    model_config = ConfigDict(arbitrary_types_allowed=True)


class JobView(BaseModel):
    """A job that is running, or how it ended."""

    state: str
    progress: dict[str, Any] | None = None
    error: str | None = None
    message: dict[str, Any] | None = None
    """The error as data."""


class SubmissionView(BaseModel):
    """A submission."""

    id: int
    name: str
    at: datetime
    late: bool
    trial: JobView | None = None
    """The job of the dry run."""
    result: dict[str, Any] | None = None
    """The grade that the dry run gave, and `most`, the points of the whole course."""


class CourseListView(BaseModel):
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


class EnrolmentView(BaseModel):
    """A student as the instructor sees them."""

    student: str
    account: str
    name: str | None = None
    """The name of the file that counts."""
    at: datetime | None = None
    late: bool = False
    submission: int | None = None


class InstructorView(BaseModel):
    """The part of a course that only instructors see."""

    code: str
    toml: str
    late: str
    entered: str
    students: list[EnrolmentView]
    grading: JobView | None
    graded: bool
    files: list[str]


class CoursePageView(CourseListView):
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


class Answer(BaseModel):
    """The number of what was created or changed."""

    id: int


def store_of(request: Request) -> CourseStore:
    """Return the store of courses."""
    store: CourseStore = request.app.state.courses
    return store


def jobs_of(request: Request) -> Jobs:
    """Return the service that runs jobs."""
    jobs: Jobs = request.app.state.jobs
    return jobs


def teaches(who: Visitor) -> bool:
    """Return whether a visitor sees everything."""
    return who.role in ("instructor", "admin")


async def stored_course(request: Request, course: int) -> StoredCourse:
    """Return a course; answer 404 where there is none."""
    stored = await run_in_threadpool(store_of(request).find, course)
    if stored is None:
        raise HTTPException(404, Message("courses.no_such_course"))
    return stored


async def student_of(request: Request, course: int, who: Visitor) -> str:
    """Return the student id of a visitor; answer 403 where they do not take part."""
    student = await run_in_threadpool(store_of(request).student, course, who.signed_in.id)
    if student is None:
        raise HTTPException(403, Message("courses.join_first"))
    return student


async def note(request: Request, who: Visitor, kind: str, **detail: Any) -> None:
    """Write what an instructor did into the audit log."""
    await run_in_threadpool(request.app.state.accounts.note, who.signed_in.id, f"course.{kind}", detail)


# Courses


@router.get("/presets")
def list_presets() -> list[PresetView]:
    """List the presets."""
    read = [(name, course_of(preset_text(name))) for name in presets()]
    return [
        PresetView(name=name, title=one.title, game=one.game, game_title=game_title(one.game), most=one.most)
        for name, one in read
    ]


@router.get("/courses")
def list_courses(request: Request, who: Who) -> list[CourseListView]:
    """List the courses."""
    store = store_of(request)
    mine = store.of(who.account.id) if who.account else set()
    return [_list_view(stored, course_of(stored.toml), joined=stored.id in mine) for stored in store.all()]


def _list_view(stored: StoredCourse, course: Course, *, joined: bool) -> CourseListView:
    return CourseListView(
        id=stored.id,
        title=stored.title,
        game=course.game,
        game_title=game_title(course.game),
        deadline=stored.deadline,
        open=not stored.code,
        joined=joined,
        released=stored.released,
    )


@router.post("/courses", status_code=201)
async def create(request: Request, wanted: NewCourse, who: Instructor) -> Answer:
    """Create a course from a preset."""
    toml = preset_text(wanted.preset)
    given = (who.signed_in.id, wanted.title.strip(), toml, wanted.code.strip(), _utc(wanted.deadline))
    number = await run_in_threadpool(store_of(request).add, *given)
    await note(request, who, "create", course=number)
    return Answer(id=number)


def _utc(at: datetime | None) -> datetime | None:
    return at if at is None or at.tzinfo else at.replace(tzinfo=UTC)


@router.get("/courses/{course}")
async def look(request: Request, course: Number, who: Who) -> CoursePageView:
    """Return a course as the visitor may see it."""
    stored = await stored_course(request, course)
    store = store_of(request)
    read = await run_in_threadpool(course_of, stored.toml)
    student = await run_in_threadpool(store.student, course, who.account.id) if who.account else None
    mine = await run_in_threadpool(store.submissions, course, who.account.id) if who.account and student else []
    grade = await run_in_threadpool(_grade_of, store, stored, student) if stored.released else None
    return CoursePageView(
        **dict(_list_view(stored, read, joined=student is not None)),
        clock=read.clock,
        most=read.most,
        rules=[_rubric_line(rule) for rule in read.rules],
        student=student,
        submissions=[await _submission(request, stored, one) for one in mine],
        grade=grade,
        paper=grade is not None and (_results(request, course) / _pdf(grade)).is_file(),
        teaching=await _teaching(request, stored) if teaches(who) else None,
    )


def _grade_of(store: CourseStore, stored: StoredCourse, student: str | None) -> StudentView | None:
    """Return the grade of one student; None where there is none."""
    grades = store.grades(stored.id) or {"students": []}
    for one in grades["students"]:
        if one["id"] == student:
            return StudentView.model_validate({"folder": grades.get("folders", {}).get(student, ""), **one})
    return None


def _pdf(grade: StudentView) -> str:
    return f"students/{grade.folder}/{STUDENT_PDF}"


def _results(request: Request, course: int) -> FilePath:
    return folder_of(jobs_of(request).folder, course) / "results"


def _rubric_line(rule: Rule) -> RubricLineView:
    title = rule.title
    return RubricLineView(name=rule.name, title=str(title), title_message=title, points=rule.points, kind=rule.kind)


async def _submission(request: Request, stored: StoredCourse, one: StoredSubmission) -> SubmissionView:
    live = await jobs_of(request).find(one.job) if one.job else None
    result = live.job.result if live is not None else None
    return SubmissionView(
        id=one.id, name=one.name, at=one.at, late=_is_late(stored, one), trial=_job(live), result=result
    )


def _is_late(stored: StoredCourse, one: StoredSubmission) -> bool:
    return stored.deadline is not None and one.at > stored.deadline


def _job(live: LiveJob | None) -> JobView | None:
    if live is None:
        return None
    job = live.job
    return JobView(
        state=job.state, progress=job.progress, error=job.error, message=job.failure.json if job.failure else None
    )


async def _teaching(request: Request, stored: StoredCourse) -> InstructorView:
    store = store_of(request)
    enrolled = await run_in_threadpool(store.enrolled, stored.id)
    counting = await run_in_threadpool(store.counting, stored.id)
    live = await jobs_of(request).find(stored.job) if stored.job else None
    results = _results(request, stored.id)
    lines = []
    for one in enrolled:
        last = counting.get(one.student)
        line = EnrolmentView(student=one.student, account=one.name)
        if last is not None:
            line.name, line.at, line.submission, line.late = last.name, last.at, last.id, _is_late(stored, last)
        lines.append(line)
    return InstructorView(
        code=stored.code,
        toml=stored.toml,
        late=stored.late,
        entered=stored.entered,
        students=lines,
        grading=_job(live),
        graded=await run_in_threadpool(store.grades, stored.id) is not None,
        files=[name for name in FILES if (results / name).is_file()],
    )


@router.post("/courses/{course}/settings")
async def settle(request: Request, course: Number, wanted: Settings, who: Instructor) -> Answer:
    """Change a course; its file and tables are checked first."""
    before = await stored_course(request, course)
    tables = (wanted.toml, wanted.late, wanted.entered)
    await in_worker(request.app.state.readers, who.owner or "", check, *tables)
    changed = wanted.model_dump() | {"deadline": _utc(wanted.deadline), "title": wanted.title.strip()}
    await run_in_threadpool(lambda: store_of(request).change(course, **changed))
    old = before._asdict()
    names = [name for name, value in changed.items() if old[name] != value]
    await note(request, who, "settings", course=course, changed=names)
    return Answer(id=course)


# Taking part


@router.post("/courses/{course}/join")
async def join(request: Request, course: Number, wanted: Joining, who: Student) -> Answer:
    """Join a course."""
    stored = await stored_course(request, course)
    if stored.code:
        if not GUESSES.take(str(who.signed_in.id)):
            raise HTTPException(429, Message("courses.too_many_tries"))
        if not secrets.compare_digest(stored.code.encode(), wanted.code.strip().encode()):
            raise HTTPException(403, Message("courses.wrong_code"))
    await run_in_threadpool(store_of(request).join, course, who.signed_in.id, wanted.student.strip())
    return Answer(id=course)


@router.post("/courses/{course}/submissions", status_code=201)
async def hand_in(
    request: Request,
    course: Number,
    who: Student,
    name: Annotated[str, Query(max_length=200)] = "",
    bot: Annotated[int | None, Query(ge=1, lt=2**31)] = None,
) -> Answer:
    """Hand in a file or an archive as the body of the request, or one of the visitor's own bots."""
    await stored_course(request, course)
    await student_of(request, course, who)
    if bot is not None:
        name, data = await run_in_threadpool(_bot, request, bot, who.signed_in.id)
    else:
        name, uploads = _plain(name), request.app.state.uploads
        async with uploads.one(who.signed_in.id):
            data = await request.body()
            if not data:
                raise UserError("courses.empty_file")
            await in_worker(request.app.state.readers, who.owner or "", is_readable, name, data)
    number = await run_in_threadpool(store_of(request).hand_in, course, who.signed_in.id, name, data)
    return Answer(id=number)


def _plain(name: str) -> str:
    """Return a file's name without folders; raise UserError for one that cannot be used."""
    plain = HARMFUL.sub("", re.split(r"[/\\]", name)[-1]).strip().lstrip(".")
    if not plain or len(plain.encode()) > 200:
        raise UserError("courses.file_name")
    return plain


def _bot(request: Request, number: int, account: int) -> tuple[str, bytes]:
    """Return the name and the archive of the version of a bot that plays."""
    bots = request.app.state.bots.store
    found = bots.find(number)
    if found is None or found.owner != account:
        raise HTTPException(404, Message("courses.no_such_bot"))
    version = bots.playing(number)
    if version is None:
        raise UserError("courses.no_checked_version", bot=found.name)
    return _plain(f"{found.name}.tar"), packed(bots.files(number, version))


async def submission_of(request: Request, course: int, number: int, who: Visitor) -> StoredSubmission:
    """Return a submission to its owner or an instructor; answer 404 to others."""
    one = await run_in_threadpool(store_of(request).submission, number)
    allowed = one is not None and one.course == course and (teaches(who) or one.account == who.signed_in.id)
    if one is None or not allowed:
        raise HTTPException(404, Message("courses.no_such_submission"))
    return one


@router.get("/courses/{course}/submissions/{number}", response_class=Response)
async def give_back(request: Request, course: Number, number: Number, who: Student) -> Response:
    """Return the content of a submission."""
    one = await submission_of(request, course, number, who)
    data = await run_in_threadpool(store_of(request).content, number)
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(one.name)}"}
    return Response(data, media_type="application/octet-stream", headers=headers)


@router.post("/courses/{course}/submissions/{number}/try", status_code=202)
async def dry_run(request: Request, course: Number, number: Number, who: Student) -> Answer:
    """Try a submission as the course would grade it."""
    one = await submission_of(request, course, number, who)
    live = await jobs_of(request).find(one.job) if one.job else None
    if live is None or live.job.over:
        job = await jobs_of(request).add("course-try", {"submission": number}, who.owner)
        await run_in_threadpool(store_of(request).set_try, number, job)
    return Answer(id=number)


@router.get("/courses/{course}/paper", response_class=FileResponse)
async def own_pdf(request: Request, course: Number, who: Student) -> FileResponse:
    """Return the PDF of the student's own grade."""
    stored = await stored_course(request, course)
    student = await student_of(request, course, who)
    grade = await run_in_threadpool(_grade_of, store_of(request), stored, student) if stored.released else None
    return _file(request, course, _pdf(grade) if grade else "", "grade.pdf")


def _file(request: Request, course: int, place: str, name: str) -> FileResponse:
    path = _results(request, course) / place
    if not place or not path.is_file():
        raise HTTPException(404, Message("courses.no_such_file"))
    return FileResponse(path, filename=name)


# Grading


@router.post("/courses/{course}/grade", status_code=202)
async def grade(request: Request, course: Number, wanted: Grading, who: Instructor) -> Answer:
    """Grade everything that counts; what was played before is not played again."""
    if wanted.only and not wanted.reason.strip():
        raise UserError("courses.replay_needs_reason")
    await _begin(request, course, who, only=wanted.only, reason=wanted.reason)
    only = await _accounts(request, course, wanted.only)
    await note(request, who, "grade", course=course, only=only, reason=wanted.reason)
    return Answer(id=course)


@router.post("/courses/{course}/override", status_code=202)
async def override(request: Request, course: Number, wanted: NewPoints, who: Instructor) -> Answer:
    """Set points by hand; the rule's own result stays in the reason."""
    stored = await stored_course(request, course)
    (await run_in_threadpool(course_of, stored.toml)).check_points(wanted.rule, wanted.points)
    if await run_in_threadpool(_grade_of, store_of(request), stored, wanted.student) is None:
        raise UserError("courses.no_grade_of", student=wanted.student)
    given = [wanted.student, wanted.rule, wanted.points]
    await _begin(request, course, who, overrides=[given], reason=wanted.reason)
    accounts = await _accounts(request, course, [wanted.student])
    detail = {"accounts": accounts, "rule": wanted.rule, "points": wanted.points, "reason": wanted.reason}
    await note(request, who, "override", course=course, **detail)
    return Answer(id=course)


@router.post("/courses/{course}/override/withdraw", status_code=202)
async def withdraw_override(request: Request, course: Number, wanted: OwnPoints, who: Instructor) -> Answer:
    """Let a rule's own points count again; both decisions stay in the logs."""
    stored = await stored_course(request, course)
    grade = await run_in_threadpool(_grade_of, store_of(request), stored, wanted.student)
    if grade is None or not any(rule.rule == wanted.rule and rule.by_hand for rule in grade.rules):
        raise UserError("courses.not_overridden", student=wanted.student, rule=wanted.rule)
    await _begin(request, course, who, withdrawals=[[wanted.student, wanted.rule]], reason=wanted.reason)
    accounts = await _accounts(request, course, [wanted.student])
    detail = {"accounts": accounts, "rule": wanted.rule, "reason": wanted.reason}
    await note(request, who, "override-withdrawn", course=course, **detail)
    return Answer(id=course)


async def _accounts(request: Request, course: int, students: list[str]) -> list[int]:
    """Return the numbers of students' accounts: a log with numbers names nobody once an account is removed."""
    enrolled = await run_in_threadpool(store_of(request).enrolled, course)
    return [one.account for one in enrolled if one.student in students]


async def _begin(request: Request, course: int, who: Visitor, **wishes: Any) -> None:
    """Start grading, unless it is under way."""
    stored = await stored_course(request, course)
    live = await jobs_of(request).find(stored.job) if stored.job else None
    if live is not None and not live.job.over:
        raise HTTPException(409, Message("courses.being_graded"))
    wanted = {"course": course, "overrides": [], "only": [], "reason": "", **wishes}
    job = await jobs_of(request).add("course-grade", wanted, who.owner)
    await run_in_threadpool(lambda: store_of(request).change(course, job=job))


@router.post("/courses/{course}/stop")
async def stop(request: Request, course: Number, who: Instructor) -> Answer:
    """Stop grading; what was played stays."""
    stored = await stored_course(request, course)
    if stored.job:
        await jobs_of(request).cancel(stored.job)
    await note(request, who, "stop", course=course)
    return Answer(id=course)


@router.post("/courses/{course}/release")
async def release(request: Request, course: Number, wanted: Release, who: Instructor) -> Answer:
    """Show students their grades, or hide them."""
    await stored_course(request, course)
    await run_in_threadpool(lambda: store_of(request).change(course, released=wanted.released))
    await note(request, who, "release", course=course, released=wanted.released)
    return Answer(id=course)


@router.get("/courses/{course}/grades")
async def all_grades(request: Request, course: Number, who: Instructor) -> CourseView:  # noqa: ARG001
    """Return all grades with reasons, and which programs are similar."""
    await stored_course(request, course)
    grades = await run_in_threadpool(store_of(request).grades, course)
    if grades is None:
        raise HTTPException(404, Message("courses.not_graded"))
    return CourseView.model_validate(grades)


@router.get("/courses/{course}/grades/{student}")
async def one_grade(request: Request, course: Number, student: StudentId, who: Student) -> StudentView:
    """Return one grade with its reasons: to its owner once it is released, and to instructors."""
    stored = await stored_course(request, course)
    own = await run_in_threadpool(store_of(request).student, course, who.signed_in.id)
    if not teaches(who) and (student != own or not stored.released):
        raise HTTPException(404, Message("courses.no_grade_of_yours"))
    found = await run_in_threadpool(_grade_of, store_of(request), stored, student)
    if found is None:
        raise HTTPException(404, Message("courses.no_grade_yet"))
    return found


@router.get("/courses/{course}/files/{name}", response_class=FileResponse)
async def download(request: Request, course: Number, name: str, who: Instructor) -> FileResponse:  # noqa: ARG001
    """Return a table or the PDF of a graded course."""
    return _file(request, course, name if name in FILES else "", f"course-{course}-{name}")


@router.get("/courses/{course}/events")
async def follow(request: Request, course: Number, who: Student) -> StreamingResponse:
    """Follow the jobs of a course: the grading, for instructors; their own dry run, for students."""
    stored = await stored_course(request, course)
    return stream(_news(request, stored, who))


async def _news(request: Request, stored: StoredCourse, who: Visitor) -> AsyncIterator[str]:
    last: Any = None
    while not request.app.state.stopping:
        now = await stored_course(request, stored.id)
        mine = await run_in_threadpool(store_of(request).submissions, stored.id, who.signed_in.id)
        names = {"grading": now.job if teaches(who) else None, "trial": mine[0].job if mine else None}
        live = {key: await jobs_of(request).find(name) if name else None for key, name in names.items()}
        coming = [one.news for one in live.values() if one is not None]
        views = {key: _job(one) for key, one in live.items()}
        if views != last:
            last = views
            yield event({key: one and one.model_dump() for key, one in views.items()})
        elif not coming:
            await asyncio.sleep(BEAT_SECONDS)
            yield BEAT
        elif not await any_of(coming, BEAT_SECONDS):
            yield BEAT
