"""The routes of courses: make, join, hand in, try, grade, release, override, download. Who may see what is said here.

An instructor sees everything of every course; a student what they handed in themselves, and their own grade once it is
released; others that there is a course.
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
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse  # noqa: TC002 - the description of the routes needs it

from ludus.bots.source import packed
from ludus.courses import presets
from ludus.display import HARMFUL
from ludus.web.accounts.visitors import Instructor, Student, Visitor, Who  # noqa: TC001
from ludus.web.bots.submissions import is_readable
from ludus.web.courses.files import check, preset_text, shown
from ludus.web.http.events import BEAT, BEAT_SECONDS, any_of, event, stream
from ludus.web.http.rate_limit import Allowance
from ludus.web.http.reading import in_worker
from ludus.web.jobs.kinds.course import folder_of
from ludus.web.views import game_title

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path as FilePath

    from ludus.courses import Course
    from ludus.store.courses import CourseStore, HandedIn, Held
    from ludus.web.jobs.service import Jobs, LiveJob

router = APIRouter(prefix="/api")

Number = Annotated[int, Path(ge=1, lt=2**31)]
Title = Annotated[str, Field(min_length=1, max_length=120, pattern=r"\S")]
Code = Annotated[str, Field(max_length=64)]
Table = Annotated[str, Field(max_length=200_000)]
StudentId = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[\w .@-]*\w[\w .@-]*$")]
Reason = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]
FILES = ("grades.csv", "grades.json", "similarity.csv", "course.pdf")
"""What an instructor can download of a graded course."""
GUESSES = Allowance(10, 1 / 30)
"""A code is not found by trying."""


class NewCourse(BaseModel):
    """A course as an instructor wants it: a preset with a title; without a code anyone may join."""

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
    """Under which id someone takes part, and the code where one is needed."""

    student: StudentId
    code: Code = ""


class Grading(BaseModel):
    """Whose games are all played again, and why; nobody's unless said."""

    only: Annotated[list[StudentId], Field(max_length=500)] = []
    reason: Annotated[str, Field(max_length=500)] = ""


class NewPoints(BaseModel):
    """Points set by hand, and why."""

    student: StudentId
    rule: Annotated[str, Field(max_length=64)]
    points: Annotated[float, Field(ge=-1000, le=1000, allow_inf_nan=False)]
    reason: Reason


class OwnPoints(BaseModel):
    """A rule whose own points are to count again, instead of those set by hand, and why."""

    student: StudentId
    rule: Annotated[str, Field(max_length=64)]
    reason: Reason


class Release(BaseModel):
    """Whether students see their grades."""

    released: bool


class PresetPicture(BaseModel):
    """A course to begin from."""

    name: str
    title: str
    game: str
    game_title: str
    most: float


class RulePicture(BaseModel):
    """A rule of the rubric."""

    name: str
    title: str
    points: float
    kind: str


class JobPicture(BaseModel):
    """Work that goes on, or how it ended."""

    state: str
    progress: dict[str, Any] | None = None
    error: str | None = None


class SubmissionPicture(BaseModel):
    """Something that was handed in."""

    id: int
    name: str
    at: datetime
    late: bool
    trial: JobPicture | None = None
    """The dry run."""
    result: dict[str, Any] | None = None
    """What the dry run found."""


class CourseLine(BaseModel):
    """A course in a list."""

    id: int
    title: str
    game: str
    game_title: str
    deadline: datetime | None
    open: bool
    """Whether it can be joined without a code."""
    joined: bool
    released: bool


class StudentLine(BaseModel):
    """A student as the instructor sees them."""

    student: str
    account: str
    name: str | None = None
    """Of the file that counts."""
    at: datetime | None = None
    late: bool = False
    submission: int | None = None


class Teaching(BaseModel):
    """What only instructors see of a course."""

    code: str
    toml: str
    late: str
    entered: str
    students: list[StudentLine]
    grading: JobPicture | None
    graded: bool
    files: list[str]


class CoursePicture(CourseLine):
    """A course as one person sees it."""

    clock: str
    most: float
    rules: list[RulePicture]
    student: str | None
    submissions: list[SubmissionPicture]
    grade: dict[str, Any] | None
    paper: bool
    """Whether there is a PDF of the own grade."""
    teaching: Teaching | None


class Answer(BaseModel):
    """The number of what was made."""

    id: int


def store_of(request: Request) -> CourseStore:
    """Give the courses."""
    store: CourseStore = request.app.state.courses
    return store


def jobs_of(request: Request) -> Jobs:
    """Give the jobs."""
    jobs: Jobs = request.app.state.jobs
    return jobs


def teaches(who: Visitor) -> bool:
    """Tell whether someone sees everything."""
    return who.role in ("instructor", "admin")


async def held_of(request: Request, course: int) -> Held:
    """Give a course, or answer that there is none."""
    held = await run_in_threadpool(store_of(request).find, course)
    if held is None:
        raise HTTPException(404, "there is no such course here")
    return held


async def student_of(request: Request, course: int, who: Visitor) -> str:
    """Give the id of someone who takes part, or refuse."""
    student = await run_in_threadpool(store_of(request).student, course, who.signed_in.id)
    if student is None:
        raise HTTPException(403, "join this course first")
    return student


async def note(request: Request, who: Visitor, kind: str, **detail: Any) -> None:
    """Write into the audit log what an instructor did."""
    await run_in_threadpool(request.app.state.accounts.note, who.signed_in.id, f"course.{kind}", detail)


# Courses


@router.get("/presets")
def list_presets() -> list[PresetPicture]:
    """List the courses that one can begin from."""
    read = [(name, shown(preset_text(name))) for name in presets()]
    return [
        PresetPicture(name=name, title=one.title, game=one.game, game_title=game_title(one.game), most=one.most)
        for name, one in read
    ]


@router.get("/courses")
def list_courses(request: Request, who: Who) -> list[CourseLine]:
    """List the courses."""
    store = store_of(request)
    mine = store.of(who.account.id) if who.account else set()
    return [CourseLine(**_line(held, shown(held.toml)), joined=held.id in mine) for held in store.all()]


def _line(held: Held, course: Course) -> dict[str, Any]:
    return {
        "id": held.id,
        "title": held.title,
        "game": course.game,
        "game_title": game_title(course.game),
        "deadline": held.deadline,
        "open": not held.code,
        "released": held.released,
    }


@router.post("/courses", status_code=201)
async def create(request: Request, wanted: NewCourse, who: Instructor) -> Answer:
    """Make a course from a preset."""
    toml = preset_text(wanted.preset)
    given = (who.signed_in.id, wanted.title.strip(), toml, wanted.code.strip(), _utc(wanted.deadline))
    number = await run_in_threadpool(store_of(request).add, *given)
    await note(request, who, "create", course=number)
    return Answer(id=number)


def _utc(at: datetime | None) -> datetime | None:
    return at if at is None or at.tzinfo else at.replace(tzinfo=UTC)


@router.get("/courses/{course}")
async def look(request: Request, course: Number, who: Who) -> CoursePicture:
    """Show a course to someone."""
    held = await held_of(request, course)
    store = store_of(request)
    read = await run_in_threadpool(shown, held.toml)
    student = await run_in_threadpool(store.student, course, who.account.id) if who.account else None
    mine = await run_in_threadpool(store.submissions, course, who.account.id) if who.account and student else []
    grade = await run_in_threadpool(_grade_of, store, held, student) if held.released else None
    return CoursePicture(
        **_line(held, read),
        joined=student is not None,
        clock=read.clock,
        most=read.most,
        rules=[RulePicture(name=r.name, title=r.title, points=r.points, kind=r.kind) for r in read.rules],
        student=student,
        submissions=[await _submission(request, held, one) for one in mine],
        grade=grade,
        paper=grade is not None and (_results(request, course) / _paper(grade)).is_file(),
        teaching=await _teaching(request, held) if teaches(who) else None,
    )


def _grade_of(store: CourseStore, held: Held, student: str | None) -> dict[str, Any] | None:
    """Give what the grades say of one student."""
    grades = store.grades(held.id) or {"students": [], "folders": {}}
    found = next((one for one in grades["students"] if one["id"] == student), None)
    return found and {**found, "folder": grades["folders"].get(student, "")}


def _paper(grade: dict[str, Any]) -> str:
    return f"students/{grade['folder']}/report.pdf"


def _results(request: Request, course: int) -> FilePath:
    return folder_of(jobs_of(request).folder, course) / "results"


async def _submission(request: Request, held: Held, one: HandedIn) -> SubmissionPicture:
    live = await jobs_of(request).find(one.job) if one.job else None
    result = live.job.result if live is not None else None
    return SubmissionPicture(
        id=one.id, name=one.name, at=one.at, late=_is_late(held, one), trial=_job(live), result=result
    )


def _is_late(held: Held, one: HandedIn) -> bool:
    return held.deadline is not None and one.at > held.deadline


def _job(live: LiveJob | None) -> JobPicture | None:
    if live is None:
        return None
    return JobPicture(state=live.job.state, progress=live.job.progress, error=live.job.error)


async def _teaching(request: Request, held: Held) -> Teaching:
    store = store_of(request)
    enrolled = await run_in_threadpool(store.enrolled, held.id)
    counting = await run_in_threadpool(store.counting, held.id)
    live = await jobs_of(request).find(held.job) if held.job else None
    results = _results(request, held.id)
    lines = []
    for one in enrolled:
        last = counting.get(one.student)
        line = StudentLine(student=one.student, account=one.name)
        if last is not None:
            line.name, line.at, line.submission, line.late = last.name, last.at, last.id, _is_late(held, last)
        lines.append(line)
    return Teaching(
        code=held.code,
        toml=held.toml,
        late=held.late,
        entered=held.entered,
        students=lines,
        grading=_job(live),
        graded=await run_in_threadpool(store.grades, held.id) is not None,
        files=[name for name in FILES if (results / name).is_file()],
    )


@router.post("/courses/{course}/settings")
async def settle(request: Request, course: Number, wanted: Settings, who: Instructor) -> Answer:
    """Change a course; its file and tables are read before they are believed."""
    before = await held_of(request, course)
    tables = (wanted.toml, wanted.late, wanted.entered)
    await in_worker(request.app.state.readers, who.owner or "", check, *tables)
    changed = wanted.model_dump() | {"deadline": _utc(wanted.deadline), "title": wanted.title.strip()}
    await run_in_threadpool(lambda: store_of(request).change(course, **changed))
    names = [name for name, value in changed.items() if getattr(before, name) != value]
    await note(request, who, "settings", course=course, changed=names)
    return Answer(id=course)


# Taking part


@router.post("/courses/{course}/join")
async def join(request: Request, course: Number, wanted: Joining, who: Student) -> Answer:
    """Take part in a course."""
    held = await held_of(request, course)
    if held.code:
        if not GUESSES.take(str(who.signed_in.id)):
            raise HTTPException(429, "too many tries; wait a minute")
        if not secrets.compare_digest(held.code.encode(), wanted.code.strip().encode()):
            raise HTTPException(403, "this is not the code of the course; your instructor has it")
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
    """Hand in a file or an archive as the body of the request, or a bot of one's own."""
    await held_of(request, course)
    await student_of(request, course, who)
    if bot is not None:
        name, data = await run_in_threadpool(_bot, request, bot, who.signed_in.id)
    else:
        name, uploads = _plain(name), request.app.state.uploads
        async with uploads.one(who.signed_in.id):
            data = await request.body()
            if not data:
                raise ValueError("there is nothing in this file")
            await in_worker(request.app.state.readers, who.owner or "", is_readable, name, data)
    number = await run_in_threadpool(store_of(request).hand_in, course, who.signed_in.id, name, data)
    return Answer(id=number)


def _plain(name: str) -> str:
    """Give a file's name that is no path."""
    plain = HARMFUL.sub("", re.split(r"[/\\]", name)[-1]).strip().lstrip(".")
    if not plain or len(plain.encode()) > 200:
        raise ValueError("a file needs a name of its own, as in homework3.py")
    return plain


def _bot(request: Request, number: int, account: int) -> tuple[str, bytes]:
    """Pack the version of someone's bot that plays."""
    bots = request.app.state.bots.store
    found = bots.find(number)
    if found is None or found.owner != account:
        raise HTTPException(404, "you have no such bot")
    version = bots.playing(number)
    if version is None:
        raise ValueError(f"{found.name} has no version that passed its check")
    return _plain(f"{found.name}.tar"), packed(bots.files(number, version))


async def submission_of(request: Request, course: int, number: int, who: Visitor) -> HandedIn:
    """Give a submission to whoever may see it: its owner, and instructors."""
    one = await run_in_threadpool(store_of(request).submission, number)
    allowed = one is not None and one.course == course and (teaches(who) or one.account == who.signed_in.id)
    if one is None or not allowed:
        raise HTTPException(404, "there is no such submission of yours")
    return one


@router.get("/courses/{course}/submissions/{number}", response_class=Response)
async def give_back(request: Request, course: Number, number: Number, who: Student) -> Response:
    """Give what was handed in."""
    one = await submission_of(request, course, number, who)
    data = await run_in_threadpool(store_of(request).content, number)
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(one.name)}"}
    return Response(data, media_type="application/octet-stream", headers=headers)


@router.post("/courses/{course}/submissions/{number}/try", status_code=202)
async def dry_run(request: Request, course: Number, number: Number, who: Student) -> Answer:
    """Try a submission as the course would."""
    one = await submission_of(request, course, number, who)
    live = await jobs_of(request).find(one.job) if one.job else None
    if live is None or live.job.over:
        job = await jobs_of(request).add("course-try", {"submission": number}, who.owner)
        await run_in_threadpool(store_of(request).set_try, number, job)
    return Answer(id=number)


@router.get("/courses/{course}/paper", response_class=FileResponse)
async def own_paper(request: Request, course: Number, who: Student) -> FileResponse:
    """Give the PDF of one's own grade."""
    held = await held_of(request, course)
    student = await student_of(request, course, who)
    grade = await run_in_threadpool(_grade_of, store_of(request), held, student) if held.released else None
    return _file(request, course, _paper(grade) if grade else "", "grade.pdf")


def _file(request: Request, course: int, place: str, name: str) -> FileResponse:
    path = _results(request, course) / place
    if not place or not path.is_file():
        raise HTTPException(404, "there is no such file yet")
    return FileResponse(path, filename=name)


# Grading


@router.post("/courses/{course}/grade", status_code=202)
async def grade(request: Request, course: Number, wanted: Grading, who: Instructor) -> Answer:
    """Grade everything that counts; what was played before is not played again."""
    if wanted.only and not wanted.reason.strip():
        raise ValueError("games are played again only with a reason")
    await _begin(request, course, who, only=wanted.only, reason=wanted.reason)
    only = await _accounts(request, course, wanted.only)
    await note(request, who, "grade", course=course, only=only, reason=wanted.reason)
    return Answer(id=course)


@router.post("/courses/{course}/override", status_code=202)
async def override(request: Request, course: Number, wanted: NewPoints, who: Instructor) -> Answer:
    """Set points by hand; the rule's own verdict stays in the reason."""
    held = await held_of(request, course)
    (await run_in_threadpool(shown, held.toml)).check_points(wanted.rule, wanted.points)
    if await run_in_threadpool(_grade_of, store_of(request), held, wanted.student) is None:
        raise ValueError(f"there is no grade of {wanted.student} yet; grade the course first")
    given = [wanted.student, wanted.rule, wanted.points]
    await _begin(request, course, who, overrides=[given], reason=wanted.reason)
    accounts = await _accounts(request, course, [wanted.student])
    detail = {"accounts": accounts, "rule": wanted.rule, "points": wanted.points, "reason": wanted.reason}
    await note(request, who, "override", course=course, **detail)
    return Answer(id=course)


@router.post("/courses/{course}/override/withdraw", status_code=202)
async def withdraw_override(request: Request, course: Number, wanted: OwnPoints, who: Instructor) -> Answer:
    """Let a rule's own points count again; both decisions stay in the logs."""
    held = await held_of(request, course)
    grade = await run_in_threadpool(_grade_of, store_of(request), held, wanted.student)
    rules = grade["rules"] if grade else []
    if not any(one["rule"] == wanted.rule and one.get("by_hand") for one in rules):
        raise ValueError(f"the points of {wanted.student} for {wanted.rule} are not set by hand; nothing is withdrawn")
    await _begin(request, course, who, withdrawals=[[wanted.student, wanted.rule]], reason=wanted.reason)
    accounts = await _accounts(request, course, [wanted.student])
    detail = {"accounts": accounts, "rule": wanted.rule, "reason": wanted.reason}
    await note(request, who, "override-withdrawn", course=course, **detail)
    return Answer(id=course)


async def _accounts(request: Request, course: int, students: list[str]) -> list[int]:
    """Give the numbers of students' accounts: a log that names people by numbers forgets them when they leave."""
    enrolled = await run_in_threadpool(store_of(request).enrolled, course)
    return [one.account for one in enrolled if one.student in students]


async def _begin(request: Request, course: int, who: Visitor, **wishes: Any) -> None:
    """Begin to grade, unless that is being done."""
    held = await held_of(request, course)
    live = await jobs_of(request).find(held.job) if held.job else None
    if live is not None and not live.job.over:
        raise HTTPException(409, "this course is being graded; wait until that is done")
    wanted = {"course": course, "overrides": [], "only": [], "reason": "", **wishes}
    job = await jobs_of(request).add("course-grade", wanted, who.owner)
    await run_in_threadpool(lambda: store_of(request).change(course, job=job))


@router.post("/courses/{course}/stop")
async def stop(request: Request, course: Number, who: Instructor) -> Answer:
    """Stop grading; what was played stays."""
    held = await held_of(request, course)
    if held.job:
        await jobs_of(request).cancel(held.job)
    await note(request, who, "stop", course=course)
    return Answer(id=course)


@router.post("/courses/{course}/release")
async def release(request: Request, course: Number, wanted: Release, who: Instructor) -> Answer:
    """Let students see their grades, or no longer."""
    await held_of(request, course)
    await run_in_threadpool(lambda: store_of(request).change(course, released=wanted.released))
    await note(request, who, "release", course=course, released=wanted.released)
    return Answer(id=course)


@router.get("/courses/{course}/grades")
async def all_grades(request: Request, course: Number, who: Instructor) -> dict[str, Any]:  # noqa: ARG001
    """Give all grades with reasons, and which programs are alike."""
    await held_of(request, course)
    grades = await run_in_threadpool(store_of(request).grades, course)
    if grades is None:
        raise HTTPException(404, "this course has not been graded yet")
    return grades


@router.get("/courses/{course}/grades/{student}")
async def one_grade(request: Request, course: Number, student: StudentId, who: Student) -> dict[str, Any]:
    """Give one grade with its reasons: to its owner once it is released, and to instructors."""
    held = await held_of(request, course)
    own = await run_in_threadpool(store_of(request).student, course, who.signed_in.id)
    if not teaches(who) and (student != own or not held.released):
        raise HTTPException(404, "there is no such grade of yours")
    found = await run_in_threadpool(_grade_of, store_of(request), held, student)
    if found is None:
        raise HTTPException(404, "there is no such grade yet")
    return found


@router.get("/courses/{course}/files/{name}", response_class=FileResponse)
async def download(request: Request, course: Number, name: str, who: Instructor) -> FileResponse:  # noqa: ARG001
    """Give a table or the paper of a graded course."""
    return _file(request, course, name if name in FILES else "", f"course-{course}-{name}")


@router.get("/courses/{course}/events")
async def follow(request: Request, course: Number, who: Student) -> StreamingResponse:
    """Follow what is being worked on: the grading, for instructors; the own dry run, for students."""
    held = await held_of(request, course)
    return stream(_news(request, held, who))


async def _news(request: Request, held: Held, who: Visitor) -> AsyncIterator[str]:
    last: Any = None
    while not request.app.state.stopping:
        now = await held_of(request, held.id)
        mine = await run_in_threadpool(store_of(request).submissions, held.id, who.signed_in.id)
        names = {"grading": now.job if teaches(who) else None, "trial": mine[0].job if mine else None}
        live = {key: await jobs_of(request).find(name) if name else None for key, name in names.items()}
        coming = [one.news for one in live.values() if one is not None]
        pictures = {key: _job(one) for key, one in live.items()}
        if pictures != last:
            last = pictures
            yield event({key: one and one.model_dump() for key, one in pictures.items()})
        elif not coming:
            await asyncio.sleep(BEAT_SECONDS)
            yield BEAT
        elif not await any_of(coming, BEAT_SECONDS):
            yield BEAT
