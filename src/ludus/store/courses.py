"""Courses of the web arena: what an instructor settled, who takes part, what was handed in, and the grades.

Knows a course as the text of its file and grades as JSON; what both mean, and who may see them, is not known here.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import JSON, DateTime, ForeignKey, LargeBinary, Text, UniqueConstraint, delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, Session, deferred, mapped_column

from ludus.store import Model, open_database
from ludus.store.accounts import AccountRow, on_delete, on_export

if TYPE_CHECKING:
    from pathlib import Path

MOST_SUBMISSIONS = 200
"""Submissions that one student may hand in to a course."""


class CourseRow(Model):
    """A course."""

    __tablename__ = "course"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012 - SQLAlchemy's way
    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int | None] = mapped_column(index=True)
    """Who made it; nobody when that account has gone."""
    title: Mapped[str] = mapped_column(Text)
    toml: Mapped[str] = mapped_column(Text)
    code: Mapped[str] = mapped_column(Text)
    """What a student needs to join; empty when anyone may."""
    deadline: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    late: Mapped[str] = mapped_column(Text)
    """A table, as `ludus course` reads it."""
    entered: Mapped[str] = mapped_column(Text)
    released: Mapped[bool]
    """Whether students see their grades."""
    grades: Mapped[dict[str, Any] | None] = deferred(mapped_column(JSON))
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
    """What someone handed in at one time."""

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


class Held(NamedTuple):
    """A course that is held here."""

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


class Enrolled(NamedTuple):
    """Someone who takes part."""

    account: int
    name: str
    student: str


class HandedIn(NamedTuple):
    """What someone handed in, without its content."""

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
        """Let go of the database."""
        self._engine.dispose()

    def add(self, account: int, title: str, toml: str, code: str, deadline: datetime | None) -> int:
        """Make a course, and give its number."""
        with Session(self._engine) as session, session.begin():
            row = CourseRow(account_id=account, title=title, toml=toml, code=code, deadline=deadline, late="")
            row.entered, row.released, row.created = "", False, datetime.now(UTC)
            session.add(row)
            session.flush()
            return row.id

    def find(self, course: int) -> Held | None:
        """Give a course by its number."""
        with Session(self._engine) as session:
            row = session.get(CourseRow, course)
            return _held(row) if row else None

    def all(self) -> list[Held]:
        """Give all courses, the newest first."""
        with Session(self._engine) as session:
            return [_held(row) for row in session.scalars(select(CourseRow).order_by(CourseRow.id.desc()))]

    def change(self, course: int, **what: Any) -> None:
        """Change what is settled, or known, about a course."""
        with Session(self._engine) as session, session.begin():
            session.execute(update(CourseRow).where(CourseRow.id == course).values(**what))

    def grades(self, course: int) -> dict[str, Any] | None:
        """Give the grades of a course; None before it was graded."""
        with Session(self._engine) as session:
            return session.scalar(select(CourseRow.grades).where(CourseRow.id == course))

    # Who takes part

    def join(self, course: int, account: int, student: str) -> None:
        """Let someone take part under an id; an id that another one has is a ValueError."""
        try:
            with Session(self._engine) as session, session.begin():
                now = datetime.now(UTC)
                session.add(EnrolmentRow(course_id=course, account_id=account, student=student, joined=now))
        except IntegrityError:
            if self.student(course, account) is None:
                raise ValueError(
                    f"someone takes part as {student} already; tell your instructor if it is yours"
                ) from None

    def student(self, course: int, account: int) -> str | None:
        """Give the id under which someone takes part; None when they do not."""
        with Session(self._engine) as session:
            row = session.get(EnrolmentRow, (course, account))
            return row.student if row else None

    def of(self, account: int) -> set[int]:
        """Give the courses that someone takes part in."""
        with Session(self._engine) as session:
            wanted = select(EnrolmentRow.course_id).where(EnrolmentRow.account_id == account)
            return set(session.scalars(wanted))

    def enrolled(self, course: int) -> list[Enrolled]:
        """Give all who take part, in the order of their ids."""
        wanted = (
            select(EnrolmentRow.account_id, AccountRow.name, EnrolmentRow.student)
            .join(AccountRow, AccountRow.id == EnrolmentRow.account_id)
            .where(EnrolmentRow.course_id == course)
            .order_by(EnrolmentRow.student)
        )
        with Session(self._engine) as session:
            return [Enrolled(*row) for row in session.execute(wanted)]

    # What is handed in

    def hand_in(self, course: int, account: int, name: str, data: bytes) -> int:
        """Keep a submission, and give its number."""
        mine = (SubmissionRow.course_id == course, SubmissionRow.account_id == account)
        with Session(self._engine) as session, session.begin():
            count = session.scalar(select(func.count()).select_from(SubmissionRow).where(*mine))
            if (count or 0) >= MOST_SUBMISSIONS:
                raise ValueError(f"{MOST_SUBMISSIONS} submissions are the most; speak to your instructor")
            now = datetime.now(UTC)
            row = SubmissionRow(course_id=course, account_id=account, name=name, data=data, at=now)
            session.add(row)
            session.flush()
            return row.id

    def submissions(self, course: int, account: int | None = None) -> list[HandedIn]:
        """Give what was handed in, by one or by all, the newest first."""
        wanted = select(SubmissionRow).where(SubmissionRow.course_id == course).order_by(SubmissionRow.id.desc())
        if account is not None:
            wanted = wanted.where(SubmissionRow.account_id == account)
        with Session(self._engine) as session:
            return [_handed_in(row) for row in session.scalars(wanted)]

    def submission(self, number: int) -> HandedIn | None:
        """Give a submission by its number."""
        with Session(self._engine) as session:
            row = session.get(SubmissionRow, number)
            return _handed_in(row) if row else None

    def content(self, number: int) -> bytes:
        """Give what is in a submission."""
        with Session(self._engine) as session:
            return session.scalars(select(SubmissionRow.data).where(SubmissionRow.id == number)).one()

    def set_try(self, number: int, job: str) -> None:
        """Say which job tries a submission."""
        with Session(self._engine) as session, session.begin():
            session.get_one(SubmissionRow, number).job = job

    def counting(self, course: int) -> dict[str, HandedIn]:
        """Give the submission that counts for each student: the last."""
        last: dict[int, HandedIn] = {}
        for one in self.submissions(course):
            last.setdefault(one.account, one)
        return {who.student: last[who.account] for who in self.enrolled(course) if who.account in last}


@on_delete
def _forget(session: Session, account: int) -> None:
    """Remove what someone handed in, and their grades; leave the courses that they made to the arena."""
    rows = session.scalars(select(EnrolmentRow).where(EnrolmentRow.account_id == account)).all()
    for row in rows:
        course = session.get_one(CourseRow, row.course_id)
        if course.grades:
            course.grades = without(course.grades, row.student)
        session.delete(row)
    session.execute(delete(SubmissionRow).where(SubmissionRow.account_id == account))
    session.execute(update(CourseRow).where(CourseRow.account_id == account).values(account_id=None))


def without(grades: dict[str, Any], student: str) -> dict[str, Any]:
    """Give grades in which a student is not named."""
    students = [one for one in grades["students"] if one["id"] != student]
    alike = [pair for pair in grades["alike"] if student not in (pair["first"], pair["second"])]
    folders = {one: folder for one, folder in grades["folders"].items() if one != student}
    return {**grades, "students": students, "alike": alike, "folders": folders}


@on_export
def _tell(session: Session, account: int) -> dict[str, Any]:
    """Give the courses that someone takes part in, what they handed in, and the grades that they may see."""
    told = []
    for row in session.scalars(select(EnrolmentRow).where(EnrolmentRow.account_id == account)).all():
        course = session.get_one(CourseRow, row.course_id)
        grades = (course.grades or {}).get("students", []) if course.released else []
        mine = (SubmissionRow.course_id == row.course_id, SubmissionRow.account_id == account)
        handed_in = session.scalars(select(SubmissionRow).where(*mine).order_by(SubmissionRow.id))
        told.append(
            {
                "course": course.title,
                "student": row.student,
                "submissions": [{"name": one.name, "at": _utc(one.at).isoformat()} for one in handed_in],
                "grade": next((one for one in grades if one["id"] == row.student), None),
            }
        )
    return {"courses": told}


def _utc(at: datetime) -> datetime:
    """SQLite forgets the zone."""
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _held(row: CourseRow) -> Held:
    deadline = _utc(row.deadline) if row.deadline else None
    rest = (row.late, row.entered, row.released, row.job, _utc(row.created))
    return Held(row.id, row.title, row.toml, row.code, deadline, *rest)


def _handed_in(row: SubmissionRow) -> HandedIn:
    return HandedIn(row.id, row.course_id, row.account_id, row.name, _utc(row.at), row.job)
