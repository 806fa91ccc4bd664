"""The routes of courses for everybody: list, show, follow; and for students: join, submit, try, download."""

from __future__ import annotations

import re
import secrets
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import Body, Depends, HTTPException, Path, Query, Request
from fastapi.responses import FileResponse, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from ludus.bots.source import packed
from ludus.courses import presets
from ludus.courses.roster import plain
from ludus.courses.view import StudentView
from ludus.display import HARMFUL
from ludus.errors import UserError
from ludus.messages import Message
from ludus.store.courses import StoredCourse, StoredSubmission
from ludus.store.passwords import name_key
from ludus.web.accounts.visitors import Student, Visitor, Who
from ludus.web.bots.submissions import FieldMissing, check_archive
from ludus.web.courses import views
from ludus.web.courses.files import course_of, preset_text, roster_ids
from ludus.web.http.events import BEAT, BEAT_SECONDS, EventStream, any_of, event, stream
from ludus.web.http.rate_limit import Allowance
from ludus.web.http.reading import in_worker
from ludus.web.http.responses import attachment
from ludus.web.http.routing import Router
from ludus.web.services import Services, ServicesDep
from ludus.web.views import game_title

router = Router()

Number = Annotated[int, Path(ge=1, lt=2**31)]
Code = Annotated[str, Field(max_length=64)]
StudentId = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[\w .@-]*\w[\w .@-]*$")]
JoinAs = Annotated[str, Field(max_length=40, pattern=r"^([\w .@-]*\w[\w .@-]*)?$"), Body()]
JoinCode = Annotated[Code, Body()]
GUESSES = Allowance(10, 1 / 30)
"""How many codes one account may try, and how fast, so that nobody finds one by guessing."""


class Changed(BaseModel):
    """The number of what was created or changed."""

    id: int


def stored_course(services: ServicesDep, course: Number) -> StoredCourse:
    """Return a course; respond 404 where there is none."""
    stored = services.courses.find(course)
    if stored is None:
        raise HTTPException(404, Message("courses.no_such_course"))
    return stored


CourseDep = Annotated[StoredCourse, Depends(stored_course)]


def student_id(services: ServicesDep, who: Student, course: CourseDep) -> str:
    """Return the student id of a visitor; respond 403 where they do not take part."""
    student = services.courses.student(course.id, who.signed_in.id)
    if student is None:
        raise HTTPException(403, Message("courses.join_first"))
    return student


def visible_submission(services: ServicesDep, who: Student, course: Number, number: Number) -> StoredSubmission:
    """Return a submission to its owner or an instructor; respond 404 to others."""
    one = services.courses.submission(number)
    if one is None or one.course != course or not (who.teaches or who.owns(one.account)):
        raise HTTPException(404, Message("courses.no_such_submission"))
    return one


StudentIdDep = Annotated[str, Depends(student_id)]
SubmissionDep = Annotated[StoredSubmission, Depends(visible_submission)]


@router.get("/presets")
def list_presets() -> list[views.PresetView]:
    """List the presets."""
    read = [(name, course_of(preset_text(name))) for name in presets()]
    return [
        views.PresetView(name=name, title=one.title, game=one.game, game_title=game_title(one.game), most=one.most)
        for name, one in read
    ]


@router.get("/courses")
def list_courses(services: ServicesDep, who: Who) -> list[views.CourseSummaryView]:
    """List the courses."""
    joined = services.courses.of(who.account.id) if who.account else set()
    return [views.summary(one, course_of(one.toml), joined=one.id in joined) for one in services.courses.all()]


@router.get("/courses/{course}")
def show(services: ServicesDep, who: Who, course: CourseDep) -> views.CoursePageView:
    """Return a course as the visitor may see it."""
    return views.page_view(services, course, who)


@router.post("/courses/{course}/join")
def join(services: ServicesDep, who: Student, course: CourseDep, student: JoinAs = "", code: JoinCode = "") -> Changed:
    """Join a course: with a code of one's own; or under a student id, which the instructor confirms."""
    account, code = who.signed_in, code.strip()
    if code and not GUESSES.take(str(account.id)):
        raise HTTPException(429, Message("courses.too_many_tries"))
    if code and services.courses.claim(course.id, account.id, code):
        return Changed(id=course.id)
    if not secrets.compare_digest(course.code.encode(), code.encode()):
        raise HTTPException(403, Message("courses.wrong_code"))
    if not student.strip():
        raise FieldMissing("student", Message("courses.id_missing"))
    wanted = roster_ids(course.roster).get(plain(student), student.strip())
    own_name = not course.roster.strip() and name_key(wanted) == name_key(account.name)
    wanted = account.name if own_name else wanted
    own_name = own_name and not services.courses.is_reserved(course.id, wanted)
    services.courses.join(course.id, account.id, wanted, own_name=own_name)
    return Changed(id=course.id)


@router.post("/courses/{course}/submissions", status_code=201)
async def submit(
    services: ServicesDep,
    request: Request,
    who: Student,
    course: CourseDep,
    _student: StudentIdDep,
    name: Annotated[str, Query(max_length=200)] = "",
    bot: Annotated[int | None, Query(ge=1, lt=2**31)] = None,
) -> Changed:
    """Submit a file or an archive as the body of the request, or one of the visitor's own bots."""
    if bot is not None:
        name, data = await run_in_threadpool(_bot_archive, services, bot, who)
    else:
        name = plain_name(name)
        async with services.uploads.one(who.signed_in.id):
            data = await request.body()
            if not data:
                raise UserError("courses.empty_file")
            await in_worker(services.readers, who.owner, check_archive, name, data)
    number = await run_in_threadpool(services.courses.hand_in, course.id, who.signed_in.id, name, data)
    return Changed(id=number)


def plain_name(name: str) -> str:
    """Return the name of a file without folders; raise UserError for one that cannot be used."""
    plain = HARMFUL.sub("", re.split(r"[/\\]", name)[-1]).strip().lstrip(".")
    if not plain or len(plain.encode()) > 200:
        raise UserError("courses.file_name")
    return plain


def _bot_archive(services: Services, number: int, who: Visitor) -> tuple[str, bytes]:
    """Return the name and the archive of the current version of a bot."""
    bots = services.bots.store
    found = bots.find(number)
    if found is None or not who.owns(found.owner):
        raise HTTPException(404, Message("courses.no_such_bot"))
    version = bots.playing(number)
    if version is None:
        raise UserError("courses.no_checked_version", bot=found.name)
    return plain_name(f"{found.name}.tar"), packed(bots.files(number, version))


@router.get("/courses/{course}/submissions/{number}", response_class=Response)
def download_submission(services: ServicesDep, submission: SubmissionDep) -> Response:
    """Return the content of a submission."""
    data = services.courses.content(submission.id)
    return attachment(data, "application/octet-stream", submission.name)


@router.post("/courses/{course}/submissions/{number}/try", status_code=202)
def dry_run(services: ServicesDep, who: Student, submission: SubmissionDep) -> Changed:
    """Try a submission as the course would grade it."""
    live = services.job(submission.job)
    if live is None or live.job.over:
        job = services.wait_for(services.jobs.add("course-try", {"submission": submission.id}, who.owner))
        services.courses.set_try(submission.id, job)
    return Changed(id=submission.id)


@router.get("/courses/{course}/paper", response_class=FileResponse)
def download_own_pdf(services: ServicesDep, who: Student, course: CourseDep, _student: StudentIdDep) -> FileResponse:
    """Return the PDF of the student's own grade."""
    grade = views.own_grade(services.courses, course, who.signed_in.id)
    return result_file(services, course.id, views.pdf_path(grade) if grade else "", "grade.pdf")


def result_file(services: Services, course: int, path: str, name: str) -> FileResponse:
    """Return a file of a graded course; respond 404 where there is none."""
    file = views.results_folder(services, course) / path
    if not path or not file.is_file():
        raise HTTPException(404, Message("courses.no_such_file"))
    return FileResponse(file, filename=name)


@router.get("/courses/{course}/grades/{student}")
def show_grade(services: ServicesDep, who: Student, course: CourseDep, student: StudentId) -> StudentView:
    """Return one grade with its reasons: to its owner once it is released, and to instructors."""
    if who.teaches:
        found = views.grade_of(services.courses, course, student)
    else:
        own = services.courses.student(course.id, who.signed_in.id)
        if student != own or not course.released or not services.courses.confirmed(course.id, who.signed_in.id):
            raise HTTPException(404, Message("courses.no_grade_of_yours"))
        found = views.own_grade(services.courses, course, who.signed_in.id)
    if found is None:
        raise HTTPException(404, Message("courses.no_grade_yet"))
    return found


@router.get("/courses/{course}/standings")
def show_standings(services: ServicesDep, who: Student, course: CourseDep) -> list[views.AnonymousStandingView]:
    """List the standings by code names: to students with a released grade, if the instructor allows it."""
    own = views.own_grade(services.courses, course, who.signed_in.id)
    if not who.teaches and (own is None or not course.standings):
        raise HTTPException(404, Message("courses.no_standings"))
    return views.standings(services, course, own.id if own else None)


@router.get("/courses/{course}/events", response_class=EventStream)
async def follow(services: ServicesDep, who: Student, course: CourseDep) -> EventStream:
    """Follow the jobs of a course: the grading, for instructors; their own dry run, for students."""
    return stream(_news(services, course.id, who))


async def _news(services: Services, course: int, who: Visitor) -> AsyncIterator[str]:
    last: Any = None
    while not services.stopping:
        now = await run_in_threadpool(stored_course, services, course)
        own = await run_in_threadpool(services.courses.submissions, course, who.signed_in.id)
        names = {"grading": now.job if who.teaches else None, "trial": own[0].job if own else None}
        live = {key: await services.jobs.find(name) for key, name in names.items()}
        coming = [one.news for one in live.values() if one is not None]
        views = {key: one and one.view.model_dump() for key, one in live.items()}
        if views != last:
            last = views
            yield event(views)
        elif not await any_of(coming, BEAT_SECONDS):
            yield BEAT
