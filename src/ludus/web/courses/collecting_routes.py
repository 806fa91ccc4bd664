"""The routes by which an instructor uploads what the arena does not get from students: submissions and tables."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

from fastapi import HTTPException, Query, Request
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from ludus.courses.columns import WHO, decoded, read_rows
from ludus.courses.roster import plain
from ludus.errors import UserError
from ludus.messages import Message
from ludus.messages.fields import MessageField
from ludus.store.courses import CollectedSubmission, StoredCourse
from ludus.view import View
from ludus.web.accounts.visitors import Instructor, Student
from ludus.web.bots.submissions import check_archive
from ludus.web.courses.collected import LONGEST_ID, STUDENT, Collected, read_collected, source_files
from ludus.web.courses.files import TableName, check, roster_ids, roster_of, texts_of
from ludus.web.courses.routes import Changed, CourseDep, StudentId, SubmissionDep, plain_name
from ludus.web.courses.views import student_lines
from ludus.web.http.reading import in_worker
from ludus.web.http.routing import Router
from ludus.web.services import Services, ServicesDep

router = Router()

MOST_CHARACTERS = 200_000
"""Of a table."""
MOST_CODES = 2000


State = Literal["new", "replaces", "older", "same", "refused", "left-out"]
OWNER = re.compile(r"(\d{1,5}):(.*)", re.DOTALL)
"""The place of a submission in the archive, and the student whose it is."""


class CollectedView(View):
    """A submission in an uploaded archive, and what becomes of it."""

    file: str
    student: str
    name: str
    """The person's name, where the file or the platform has it."""
    account: str
    """The account that has joined as this student; empty where there is none."""
    at: datetime | None
    """When it came; None where nobody says it."""
    known: bool
    """Whether the student is on the roster; also where there is no roster."""
    state: State
    """Whether it is the first of a student, replaces another one, is older than the one that counts, is stored
    already, cannot be stored, or is left out as the instructor wants it."""
    note: str = ""
    note_message: MessageField | None = None


class CollectionView(View):
    """The submissions in an uploaded archive."""

    plan: str
    """What the table shows, as a short text: it is sent back to accept exactly this."""
    rows: list[CollectedView]
    notes: list[MessageField]
    """What the instructor should know of the whole archive."""
    stored: bool


class TableLines(View):
    """How many lines a stored table has, and accounts that a roster names and that do not exist."""

    lines: int
    unknown: list[str] = []


class ChosenProgram(BaseModel):
    """The file that is the program of a submission; empty to let it be found."""

    file: Annotated[str, Field(max_length=500)]


class ConfirmedStudent(BaseModel):
    """A student id, and the number of the account that has claimed it; without one, the only account that has."""

    student: StudentId
    account: Annotated[int | None, Field(ge=1, lt=2**31)] = None


class NewCodes(BaseModel):
    """Whom codes are for, and for how many days; no students for all who have no account here."""

    students: Annotated[list[StudentId], Field(max_length=MOST_CODES)] = []
    days: Annotated[int, Field(ge=1, le=366)] = 30


class StudentCode(View):
    """The code with which a student claims an id; it is shown only this once."""

    student: str
    name: str
    """The person's name on the roster."""
    code: str


@router.post("/courses/{course}/collected")
async def collect(
    services: ServicesDep,
    request: Request,
    who: Instructor,
    course: CourseDep,
    accept: Annotated[str, Query(max_length=64)] = "",
    owner: Annotated[list[Annotated[str, Query(max_length=80)]], Query(max_length=500)] = [],  # noqa: B006 - not changed
) -> CollectionView:
    """Read a zip archive with the submissions of a class, sent as the body; show whose each is.

    `owner` is `3:106062130` for the fourth submission of the answer where it is another student's, and `3:` to leave it
    out. With the `plan` of that answer as `accept`, and the same archive and owners, they are stored.
    """
    owners = dict(map(_owner, owner))
    async with services.uploads.one(who.signed_in.id):
        data = await request.body()
        if not data:
            raise UserError("courses.empty_file")
        read = (data, course.toml, course.deadline, course.roster, owners)
        found, notes = await in_worker(services.readers, who.owner, read_collected, *read)
    rows = await run_in_threadpool(_rows, services, course, found)
    plan = _plan(rows)
    if accept and accept != plan:
        raise HTTPException(409, Message("courses.collection_changed"))
    if accept:
        unwanted = ("same", "refused", "left-out")
        kept = [one for one, row in zip(found, rows, strict=True) if row.state not in unwanted]
        await run_in_threadpool(services.courses.collect, course.id, list(map(_stored, kept)))
        await run_in_threadpool(services.note, who, "course.collect", course=course.id, submissions=len(kept))
    return CollectionView(plan=plan, rows=rows, notes=notes, stored=bool(accept))


def _owner(text: str) -> tuple[int, str]:
    """Return the place of a submission and the student whom the instructor named."""
    read = OWNER.fullmatch(text)
    student = read[2].strip() if read else ""
    if read is None or len(student) > LONGEST_ID or (student and not STUDENT.fullmatch(student)):
        raise UserError("courses.owner_no_id", student=repr(student or text))
    return int(read[1]), student


def _stored(one: Collected) -> CollectedSubmission:
    people = [list(person) for person in one.people]
    return CollectedSubmission(one.name, one.data, one.student, people, one.at, one.late)


def _rows(services: Services, course: StoredCourse, found: Sequence[Collected]) -> list[CollectedView]:
    """Return what becomes of each submission."""
    accounts = {one.student: one.name for one in services.courses.enrolled(course.id) if one.confirmed}
    own = services.courses.by_student(course.id)
    rows = []
    for one in found:
        before = own.get(one.student, [])
        state: State = "replaces" if before else "new"
        if one.left_out:
            state = "left-out"
        elif one.refused:
            state = "refused"
        elif any(old.name == one.name and services.courses.content(old.id) == one.data for old in before):
            state = "same"
        elif before and before[0].at > one.at:
            state = "older"
        row = CollectedView(
            file=one.file,
            student=one.student,
            name=one.people[0].name,
            account=accounts.get(one.student, ""),
            at=one.at if one.late is None else None,
            known=one.known,
            state=state,
        )
        if one.note is not None:
            row.note, row.note_message = str(one.note), one.note
        rows.append(row)
    return rows


def _plan(rows: Sequence[CollectedView]) -> str:
    shown = [[row.file, row.student, row.account, row.state, row.known] for row in rows]
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:32]


@router.post("/courses/{course}/tables/{table}")
async def change_table(
    services: ServicesDep, request: Request, who: Instructor, course: CourseDep, table: TableName
) -> TableLines:
    """Store a table of the course, sent as CSV; it is checked first. An empty body removes the table."""
    text = decoded(await request.body(), f"{table}.csv")
    if len(text) > MOST_CHARACTERS:
        raise UserError("courses.table_too_long", source=f"{table}.csv", most=MOST_CHARACTERS)
    if "\0" in text:
        raise UserError("courses.no_encoding", place=Message("courses.line", source=f"{table}.csv", line=1))
    texts = texts_of(course) | {table: text}
    await in_worker(services.readers, who.owner, check, course.toml, course.deadline, texts)
    unknown = await run_in_threadpool(store_tables, services, course, {table: text})
    await run_in_threadpool(services.note, who, "course.table", course=course.id, table=table)
    return TableLines(lines=line_count(text), unknown=unknown)


def store_tables(services: Services, course: StoredCourse, texts: dict[str, str]) -> list[str]:
    """Store tables that were checked; return the accounts that a roster names and that do not exist.

    A new roster gives its ids to those who wrote theirs in another way, and to the accounts that it names.
    """
    services.courses.change(course.id, **texts)
    unknown = []
    if "roster" in texts and (ids := roster_ids(texts["roster"])):
        known = {
            *services.courses.by_student(course.id),
            *(one.student for one in services.courses.enrolled(course.id)),
        }
        services.courses.rename(course.id, {student: ids[plain(student)] for student in known if plain(student) in ids})
        services.courses.doubt(course.id, ids.values())
        roster = roster_of(texts["roster"])
        for person in roster.people if roster else ():
            account = services.accounts.find(person.account) if person.account else None
            if account is not None:
                services.courses.assign(course.id, person.id, account.id)
            elif person.account:
                unknown.append(person.account)
    return unknown


def line_count(text: str) -> int:
    """Return how many lines a table has below its headings."""
    return len(read_rows(text.encode(), "", (WHO,))) if text.strip() else 0


@router.post("/courses/{course}/base")
async def change_base(
    services: ServicesDep,
    request: Request,
    who: Instructor,
    course: CourseDep,
    name: Annotated[str, Query(max_length=200)] = "",
) -> Changed:
    """Store what the course gave out, a file or an archive sent as the body; an empty body removes it."""
    async with services.uploads.one(who.signed_in.id):
        data = await request.body()
        name = plain_name(name) if data else ""
        if data:
            await in_worker(services.readers, who.owner, check_archive, name, data)
    await run_in_threadpool(services.courses.change, course.id, base_name=name, base=data or None)
    await run_in_threadpool(services.note, who, "course.base", course=course.id, file=name)
    return Changed(id=course.id)


@router.post("/courses/{course}/confirm")
def confirm(services: ServicesDep, who: Instructor, course: CourseDep, wanted: ConfirmedStudent) -> Changed:
    """Give a student id to an account that has claimed it."""
    claims = services.courses.claims(course.id, wanted.student)
    account = wanted.account if wanted.account is not None else claims[0] if len(claims) == 1 else None
    if account not in claims:
        raise HTTPException(404, Message("courses.nobody_joined_as"))
    services.courses.assign(course.id, wanted.student, account)
    services.note(who, "course.confirm", course=course.id, accounts=[account])
    return Changed(id=course.id)


@router.post("/courses/{course}/codes", status_code=201)
def make_codes(services: ServicesDep, who: Instructor, course: CourseDep, wanted: NewCodes) -> list[StudentCode]:
    """Create the codes with which students claim their ids; each serves once, and ends earlier codes of the student."""
    lines = student_lines(services.courses, course)
    names = {line.student: line.person for line in lines if line.known}
    students = wanted.students or [line.student for line in lines if line.known and not line.account]
    for student in students:
        if student not in names:
            raise UserError("courses.no_such_student", student=student)
    codes = services.courses.add_codes(course.id, students[:MOST_CODES], wanted.days)
    services.note(who, "course.codes", course=course.id, codes=len(codes))
    return [StudentCode(student=student, name=names[student], code=code) for student, code in codes.items()]


@router.get("/courses/{course}/submissions/{number}/files")
async def list_files(services: ServicesDep, who: Student, submission: SubmissionDep) -> list[str]:
    """List the files of a submission that can be its program."""
    data = await run_in_threadpool(services.courses.content, submission.id)
    found: list[str] = await in_worker(services.readers, who.owner, source_files, submission.name, data)
    return found


@router.post("/courses/{course}/submissions/{number}/program")
async def choose_program(
    services: ServicesDep, who: Student, submission: SubmissionDep, wanted: ChosenProgram
) -> Changed:
    """Choose the file that is the program of a submission; it stays chosen when the course is graded again."""
    if wanted.file:
        data = await run_in_threadpool(services.courses.content, submission.id)
        files = await in_worker(services.readers, who.owner, source_files, submission.name, data)
        if wanted.file not in files:
            raise UserError("courses.no_such_program", file=repr(wanted.file), files=files[:20])
    await run_in_threadpool(services.courses.choose_program, submission.id, wanted.file)
    if not who.owns(submission.account):
        detail = {"course": submission.course, "submission": submission.id, "file": wanted.file}
        await run_in_threadpool(lambda: services.note(who, "course.program", **detail))
    return Changed(id=submission.id)
