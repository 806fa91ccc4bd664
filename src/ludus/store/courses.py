"""Courses of the web arena: what an instructor decided, who takes part, what was handed in, and the grades.

Knows a course as the text of its file and grades as JSON; what both mean, and who may see them, is decided elsewhere.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import JSON, DateTime, ForeignKey, LargeBinary, Text, UniqueConstraint, delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, Session, deferred, mapped_column

from ludus.errors import UserError
from ludus.store import Model, open_database
from ludus.store.accounts import AccountRow, on_delete, on_export

if TYPE_CHECKING:
    from pathlib import Path

GradesJson = dict[str, Any]
"""Grades as they are stored: what `ludus.courses.view` makes, and `folders` in grades of older versions."""
MOST_SUBMISSIONS = 200
"""Submissions that one student may hand in to a course."""


class CourseRow(Model):
    """A course."""

    __tablename__ = "course"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012 - SQLAlchemy's way
    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int | None] = mapped_column(index=True)
    """Who made it; None when that account was removed."""
    title: Mapped[str] = mapped_column(Text)
    toml: Mapped[str] = mapped_column(Text)
    code: Mapped[str] = mapped_column(Text)
    """What a student needs to join; empty when anyone may."""
    deadline: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    late: Mapped[str] = mapped_column(Text)
    """A table of late days, as `ludus course` reads it."""
    entered: Mapped[str] = mapped_column(Text)
    released: Mapped[bool]
    """Whether students see their grades."""
    grades: Mapped[GradesJson | None] = deferred(mapped_column(JSON))
    job: Mapped[str | None] = mapped_column(Text)
    """The job that grades it, or did so last."""
    created: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class EnrolmentRow(Model):
    """Someone who takes part in a course."""

    __tablename__ = "enrolment"
    __table_args__ = (UniqueConstraint("course_id", "student"),)
    course_id: Mapped[int] = mapped_column(ForeignKey("course.id"), primary_key=True, autoincrement=False)
    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, index=True)
    student: Mapped[str] = mapped_column(Text)
    """The id under which grades are given."""
    joined: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class SubmissionRow(Model):
    """A submission."""

    __tablename__ = "submission"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012
    id: Mapped[int] = mapped_column(primary_key=True)
    course_id: Mapped[int] = mapped_column(ForeignKey("course.id"), index=True)
    account_id: Mapped[int] = mapped_column(index=True)
    name: Mapped[str] = mapped_column(Text)
    data: Mapped[bytes] = deferred(mapped_column(LargeBinary))
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    job: Mapped[str | None] = mapped_column(Text)
    """The job that tries it."""


class StoredCourse(NamedTuple):
    """A course as it is stored, without its grades."""

    id: int
    title: str
    toml: str
    code: str
    deadline: datetime | None
    late: str
    entered: str
    released: bool
    job: str | None
    created: datetime


class Enrolment(NamedTuple):
    """Someone who takes part."""

    account: int
    name: str
    student: str


class StoredSubmission(NamedTuple):
    """A submission as it is stored, without its content."""

    id: int
    course: int
    account: int
    name: str
    at: datetime
    job: str | None


class CourseStore:
    """A database of courses."""

    def __init__(self, where: Path | str) -> None:
        self._engine = open_database(where)

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def add(self, account: int, title: str, toml: str, code: str, deadline: datetime | None) -> int:
        """Add a course; return its number."""
        with Session(self._engine) as session, session.begin():
            row = CourseRow(account_id=account, title=title, toml=toml, code=code, deadline=deadline, late="")
            row.entered, row.released, row.created = "", False, datetime.now(UTC)
            session.add(row)
            session.flush()
            return row.id

    def find(self, course: int) -> StoredCourse | None:
        """Return a course by its number; None where there is none."""
        with Session(self._engine) as session:
            row = session.get(CourseRow, course)
            return _stored_course(row) if row else None

    def all(self) -> list[StoredCourse]:
        """Return all courses, the newest first."""
        with Session(self._engine) as session:
            return [_stored_course(row) for row in session.scalars(select(CourseRow).order_by(CourseRow.id.desc()))]

    def change(self, course: int, **what: Any) -> None:
        """Change fields of a course."""
        with Session(self._engine) as session, session.begin():
            session.execute(update(CourseRow).where(CourseRow.id == course).values(**what))

    def grades(self, course: int) -> GradesJson | None:
        """Return the grades of a course; None before it was graded."""
        with Session(self._engine) as session:
            return session.scalar(select(CourseRow.grades).where(CourseRow.id == course))

    # Who takes part

    def join(self, course: int, account: int, student: str) -> None:
        """Enrol an account under a student id; raise UserError for an id that another account has."""
        try:
            with Session(self._engine) as session, session.begin():
                now = datetime.now(UTC)
                session.add(EnrolmentRow(course_id=course, account_id=account, student=student, joined=now))
        except IntegrityError:
            if self.student(course, account) is None:
                raise UserError("courses.id_taken", student=student) from None

    def student(self, course: int, account: int) -> str | None:
        """Return the student id of an account; None when it does not take part."""
        with Session(self._engine) as session:
            row = session.get(EnrolmentRow, (course, account))
            return row.student if row else None

    def of(self, account: int) -> set[int]:
        """Return the courses that an account takes part in."""
        with Session(self._engine) as session:
            wanted = select(EnrolmentRow.course_id).where(EnrolmentRow.account_id == account)
            return set(session.scalars(wanted))

    def enrolled(self, course: int) -> list[Enrolment]:
        """Return all enrolments, in the order of the student ids."""
        wanted = (
            select(EnrolmentRow.account_id, AccountRow.name, EnrolmentRow.student)
            .join(AccountRow, AccountRow.id == EnrolmentRow.account_id)
            .where(EnrolmentRow.course_id == course)
            .order_by(EnrolmentRow.student)
        )
        with Session(self._engine) as session:
            return [Enrolment(*row) for row in session.execute(wanted)]

    # What is handed in

    def hand_in(self, course: int, account: int, name: str, data: bytes) -> int:
        """Store a submission; return its number."""
        mine = (SubmissionRow.course_id == course, SubmissionRow.account_id == account)
        with Session(self._engine) as session, session.begin():
            count = session.scalar(select(func.count()).select_from(SubmissionRow).where(*mine))
            if (count or 0) >= MOST_SUBMISSIONS:
                raise UserError("courses.too_many_submissions", most=MOST_SUBMISSIONS)
            now = datetime.now(UTC)
            row = SubmissionRow(course_id=course, account_id=account, name=name, data=data, at=now)
            session.add(row)
            session.flush()
            return row.id

    def submissions(self, course: int, account: int | None = None) -> list[StoredSubmission]:
        """Return the submissions of one account or of all, the newest first."""
        wanted = select(SubmissionRow).where(SubmissionRow.course_id == course).order_by(SubmissionRow.id.desc())
        if account is not None:
            wanted = wanted.where(SubmissionRow.account_id == account)
        with Session(self._engine) as session:
            return [_stored_submission(row) for row in session.scalars(wanted)]

    def submission(self, number: int) -> StoredSubmission | None:
        """Return a submission by its number; None where there is none."""
        with Session(self._engine) as session:
            row = session.get(SubmissionRow, number)
            return _stored_submission(row) if row else None

    def content(self, number: int) -> bytes:
        """Return the content of a submission."""
        with Session(self._engine) as session:
            return session.scalars(select(SubmissionRow.data).where(SubmissionRow.id == number)).one()

    def set_try(self, number: int, job: str) -> None:
        """Set the job that tries a submission."""
        with Session(self._engine) as session, session.begin():
            session.get_one(SubmissionRow, number).job = job

    def counting(self, course: int) -> dict[str, StoredSubmission]:
        """Return the submission that counts for each student: the last."""
        last: dict[int, StoredSubmission] = {}
        for one in self.submissions(course):
            last.setdefault(one.account, one)
        return {who.student: last[who.account] for who in self.enrolled(course) if who.account in last}


@on_delete
def _remove(session: Session, account: int) -> None:
    """Remove an account's submissions and grades; courses that it made stay, without an owner."""
    rows = session.scalars(select(EnrolmentRow).where(EnrolmentRow.account_id == account)).all()
    for row in rows:
        course = session.get_one(CourseRow, row.course_id)
        if course.grades:
            course.grades = without(course.grades, row.student)
        session.delete(row)
    session.execute(delete(SubmissionRow).where(SubmissionRow.account_id == account))
    session.execute(update(CourseRow).where(CourseRow.account_id == account).values(account_id=None))


def without(grades: GradesJson, student: str) -> GradesJson:
    """Return grades without a student."""
    students = [one for one in grades["students"] if one["id"] != student]
    alike = [pair for pair in grades["alike"] if student not in (pair["first"], pair["second"])]
    folders = {one: folder for one, folder in grades.get("folders", {}).items() if one != student}
    return {**grades, "students": students, "alike": alike, "folders": folders}


@on_export
def _export(session: Session, account: int) -> dict[str, Any]:
    """Return the courses that an account takes part in, what it handed in, and the grades that it may see."""
    found = []
    for row in session.scalars(select(EnrolmentRow).where(EnrolmentRow.account_id == account)).all():
        course = session.get_one(CourseRow, row.course_id)
        grades = (course.grades or {}).get("students", []) if course.released else []
        mine = (SubmissionRow.course_id == row.course_id, SubmissionRow.account_id == account)
        handed_in = session.scalars(select(SubmissionRow).where(*mine).order_by(SubmissionRow.id))
        found.append(
            {
                "course": course.title,
                "student": row.student,
                "submissions": [{"name": one.name, "at": _utc(one.at).isoformat()} for one in handed_in],
                "grade": next((one for one in grades if one["id"] == row.student), None),
            }
        )
    return {"courses": found}


def _utc(at: datetime) -> datetime:
    """Return a time with its zone, which SQLite does not store."""
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _stored_course(row: CourseRow) -> StoredCourse:
    deadline = _utc(row.deadline) if row.deadline else None
    rest = (row.late, row.entered, row.released, row.job, _utc(row.created))
    return StoredCourse(row.id, row.title, row.toml, row.code, deadline, *rest)


def _stored_submission(row: SubmissionRow) -> StoredSubmission:
    return StoredSubmission(row.id, row.course_id, row.account_id, row.name, _utc(row.at), row.job)
