"""Courses of the web arena: what an instructor decided, who takes part, what was handed in, and the grades.

Knows a course as the text of its file and grades as JSON; what both mean, and who may see them, is decided elsewhere.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import ForeignKey, LargeBinary, UniqueConstraint, delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, Session, mapped_column

from ludus.errors import UserError
from ludus.store import Model, Store
from ludus.store.accounts import AccountRow, on_delete, on_export

GradesJson = dict[str, Any]
"""Grades as they are stored: what `ludus.courses.view` makes, and `folders` in grades of older versions."""
MOST_SUBMISSIONS = 200
"""Submissions that one student may hand in to a course."""


class StoredCourse(Model):
    """A course, without its grades."""

    __tablename__ = "course"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012 - SQLAlchemy's way
    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int | None] = mapped_column(index=True)
    """Who made it; None when that account was removed."""
    title: Mapped[str]
    toml: Mapped[str]
    code: Mapped[str]
    """What a student needs to join; empty when anyone may."""
    deadline: Mapped[datetime | None]
    late: Mapped[str]
    """A table of late days, as `ludus course` reads it."""
    entered: Mapped[str]
    released: Mapped[bool]
    """Whether students see their grades."""
    grades: Mapped[GradesJson | None] = mapped_column(deferred=True)
    job: Mapped[str | None]
    """The job that grades it, or did so last."""
    created: Mapped[datetime]


class EnrolmentRow(Model):
    """Someone who takes part in a course."""

    __tablename__ = "enrolment"
    __table_args__ = (UniqueConstraint("course_id", "student"),)
    course_id: Mapped[int] = mapped_column(ForeignKey("course.id"), primary_key=True, autoincrement=False)
    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, index=True)
    student: Mapped[str]
    """The id under which grades are given."""
    joined: Mapped[datetime]


class StoredSubmission(Model):
    """A submission, without its content."""

    __tablename__ = "submission"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012
    id: Mapped[int] = mapped_column(primary_key=True)
    course: Mapped[int] = mapped_column("course_id", ForeignKey("course.id"), index=True)
    account: Mapped[int] = mapped_column("account_id", index=True)
    name: Mapped[str]
    data: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    at: Mapped[datetime]
    job: Mapped[str | None]
    """The job that tries it."""


class Enrolment(NamedTuple):
    """Someone who takes part."""

    account: int
    name: str
    student: str


class CourseStore(Store):
    """A database of courses."""

    def add(self, account: int, title: str, toml: str, code: str, deadline: datetime | None) -> int:
        """Add a course; return its number."""
        with self.session.begin() as session:
            row = StoredCourse(account_id=account, title=title, toml=toml, code=code, deadline=deadline, late="")
            row.entered, row.released, row.created = "", False, datetime.now(UTC)
            session.add(row)
            session.flush()
            return row.id

    def find(self, course: int) -> StoredCourse | None:
        """Return a course by its number; None where there is none."""
        return self.get(StoredCourse, course)

    def all(self) -> list[StoredCourse]:
        """Return all courses, the newest first."""
        return self.rows(select(StoredCourse).order_by(StoredCourse.id.desc()))

    def change(self, course: int, **what: Any) -> None:
        """Change fields of a course."""
        self.execute(update(StoredCourse).where(StoredCourse.id == course).values(**what))

    def grades(self, course: int) -> GradesJson | None:
        """Return the grades of a course; None before it was graded."""
        return self.row(select(StoredCourse.grades).where(StoredCourse.id == course))

    # Who takes part

    def join(self, course: int, account: int, student: str) -> None:
        """Enrol an account under a student id; raise UserError for an id that another account has."""
        try:
            with self.session.begin() as session:
                now = datetime.now(UTC)
                session.add(EnrolmentRow(course_id=course, account_id=account, student=student, joined=now))
        except IntegrityError:
            if self.student(course, account) is None:
                raise UserError("courses.id_taken", student=student) from None

    def student(self, course: int, account: int) -> str | None:
        """Return the student id of an account; None when it does not take part."""
        row = self.get(EnrolmentRow, (course, account))
        return row.student if row else None

    def of(self, account: int) -> set[int]:
        """Return the courses that an account takes part in."""
        return set(self.rows(select(EnrolmentRow.course_id).where(EnrolmentRow.account_id == account)))

    def enrolled(self, course: int) -> list[Enrolment]:
        """Return all enrolments, in the order of the student ids."""
        wanted = (
            select(EnrolmentRow.account_id, AccountRow.name, EnrolmentRow.student)
            .join(AccountRow, AccountRow.id == EnrolmentRow.account_id)
            .where(EnrolmentRow.course_id == course)
            .order_by(EnrolmentRow.student)
        )
        with self.session() as session:
            return [Enrolment(*row) for row in session.execute(wanted)]

    # What is handed in

    def hand_in(self, course: int, account: int, name: str, data: bytes) -> int:
        """Store a submission; return its number."""
        mine = (StoredSubmission.course == course, StoredSubmission.account == account)
        with self.session.begin() as session:
            count = session.scalar(select(func.count()).select_from(StoredSubmission).where(*mine))
            if (count or 0) >= MOST_SUBMISSIONS:
                raise UserError("courses.too_many_submissions", most=MOST_SUBMISSIONS)
            now = datetime.now(UTC)
            row = StoredSubmission(course=course, account=account, name=name, data=data, at=now)
            session.add(row)
            session.flush()
            return row.id

    def submissions(self, course: int, account: int | None = None) -> list[StoredSubmission]:
        """Return the submissions of one account or of all, the newest first."""
        wanted = select(StoredSubmission).where(StoredSubmission.course == course).order_by(StoredSubmission.id.desc())
        if account is not None:
            wanted = wanted.where(StoredSubmission.account == account)
        return self.rows(wanted)

    def submission(self, number: int) -> StoredSubmission | None:
        """Return a submission by its number; None where there is none."""
        return self.get(StoredSubmission, number)

    def content(self, number: int) -> bytes:
        """Return the content of a submission."""
        with self.session() as session:
            return session.scalars(select(StoredSubmission.data).where(StoredSubmission.id == number)).one()

    def set_try(self, number: int, job: str) -> None:
        """Set the job that tries a submission."""
        self.set_values(StoredSubmission, number, job=job)

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
        course = session.get_one(StoredCourse, row.course_id)
        if course.grades:
            course.grades = without(course.grades, row.student)
        session.delete(row)
    session.execute(delete(StoredSubmission).where(StoredSubmission.account == account))
    session.execute(update(StoredCourse).where(StoredCourse.account_id == account).values(account_id=None))


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
        course = session.get_one(StoredCourse, row.course_id)
        grades = (course.grades or {}).get("students", []) if course.released else []
        mine = (StoredSubmission.course == row.course_id, StoredSubmission.account == account)
        handed_in = session.scalars(select(StoredSubmission).where(*mine).order_by(StoredSubmission.id))
        found.append(
            {
                "course": course.title,
                "student": row.student,
                "submissions": [{"name": one.name, "at": one.at.isoformat()} for one in handed_in],
                "grade": next((one for one in grades if one["id"] == row.student), None),
            }
        )
    return {"courses": found}
