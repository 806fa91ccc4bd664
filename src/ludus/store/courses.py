"""Courses of the web arena: what an instructor decided, who takes part, what was handed in, and the grades.

Knows a course as the text of its file and grades as JSON; what both mean, and who may see them, is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import JSON, ColumnElement, ForeignKey, LargeBinary, and_, delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, Session, mapped_column

from ludus.errors import UserError
from ludus.store import Model, Store
from ludus.store.accounts import AccountRow, hold, on_delete, on_export
from ludus.store.codes import code_hash, new_code

GradesJson = dict[str, Any]
"""Grades as they are stored: what `ludus.courses.view` makes, and `folders` in grades of older versions."""
MOST_SUBMISSIONS = 200
"""Submissions that one student may hand in to a course."""
MOST_BYTES = 256 << 20
"""What all of them may have together: anyone who can join can fill the disk otherwise."""
OWN_NAME = "name"
NOBODY = 0
"""Stands for the account of a student who has none."""


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
    """The table with late submissions, as `ludus course` reads it."""
    entered: Mapped[str]
    roster: Mapped[str] = mapped_column(default="")
    extensions: Mapped[str] = mapped_column(default="")
    programs: Mapped[str] = mapped_column(default="")
    parts: Mapped[str] = mapped_column(default="")
    times: Mapped[str] = mapped_column(default="")
    base_name: Mapped[str] = mapped_column(default="")
    """The file with what the course gave out, which does not count as similar; empty where there is none."""
    base: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True, default=None)
    standings: Mapped[bool] = mapped_column(default=False)
    """Whether students see the standings by code names, once the grades are released."""
    released: Mapped[bool]
    """Whether students see their grades."""
    grades: Mapped[GradesJson | None] = mapped_column(deferred=True)
    job: Mapped[str | None]
    """The job that grades it, or did so last."""
    created: Mapped[datetime]


class EnrolmentRow(Model):
    """Someone who takes part in a course. Of those who are confirmed, no two have the same id."""

    __tablename__ = "enrolment"
    course_id: Mapped[int] = mapped_column(ForeignKey("course.id"), primary_key=True, autoincrement=False)
    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, index=True)
    student: Mapped[str]
    """The id under which grades are given."""
    joined: Mapped[datetime]
    confirmed: Mapped[bool]
    """Whether the account has the id: by a code of its own, the roster, or the word of an instructor. Until then it
    only says so: that keeps nobody else from the id, shows nothing that belongs to it, and lets nothing count."""
    proof: Mapped[str] = mapped_column(default="")
    """`OWN_NAME` where the id is only the account's own name."""


class ClaimCode(Model):
    """A code with which one student claims an id, once."""

    __tablename__ = "claim_code"
    course_id: Mapped[int] = mapped_column(ForeignKey("course.id"), primary_key=True, autoincrement=False)
    student: Mapped[str] = mapped_column(primary_key=True)
    hash: Mapped[str] = mapped_column(unique=True)
    expires: Mapped[datetime]


class StoredSubmission(Model):
    """A submission, without its content."""

    __tablename__ = "submission"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012
    id: Mapped[int] = mapped_column(primary_key=True)
    course: Mapped[int] = mapped_column("course_id", ForeignKey("course.id"), index=True)
    account: Mapped[int] = mapped_column("account_id", index=True)
    """Whose it is; NOBODY where an instructor uploaded it and the student has no account."""
    name: Mapped[str]
    student: Mapped[str] = mapped_column(default="")
    """The id of the student where an instructor uploaded it; empty for a student's own upload."""
    people: Mapped[list[list[str]] | None] = mapped_column(JSON, default=None)
    """Who handed it in, as its name or the platform says: the fields of each person."""
    marked_late: Mapped[bool | None] = mapped_column(default=None)
    """Whether the platform calls it late."""
    program: Mapped[str] = mapped_column(default="")
    """The file that a person chose as the program; empty where it is found by itself."""
    data: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    at: Mapped[datetime]
    job: Mapped[str | None]
    """The job that tries it."""


class Enrolment(NamedTuple):
    """Someone who takes part."""

    account: int
    name: str
    student: str
    confirmed: bool


class CollectedSubmission(NamedTuple):
    """A submission that an instructor uploads for a student."""

    name: str
    data: bytes
    student: str
    people: list[list[str]]
    at: datetime
    marked_late: bool | None


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

    def base(self, course: int) -> bytes:
        """Return the content of what a course gave out; nothing where there is none."""
        return self.row(select(StoredCourse.base).where(StoredCourse.id == course)) or b""

    # Who takes part

    def join(self, course: int, account: int, student: str, *, own_name: bool = False) -> None:
        """Enrol an account that says that a student id is its own; it has the id at once if that is its `own_name`.

        An account that takes part already stays as it is. Raise UserError for an id that another account has.
        """
        if self.student(course, account) is not None:
            return
        try:
            with self.session.begin() as session:
                taken = _enrolled_as(course, student), EnrolmentRow.confirmed
                if session.scalar(select(EnrolmentRow.account_id).where(*taken)) is not None:
                    raise UserError("courses.id_taken", student=student)
                row = EnrolmentRow(course_id=course, account_id=account, student=student, joined=datetime.now(UTC))
                row.confirmed, row.proof = own_name, OWN_NAME if own_name else ""
                session.add(row)
        except IntegrityError:  # two requests at once
            if self.student(course, account) is None:
                raise UserError("courses.id_taken", student=student) from None

    def assign(self, course: int, student: str, account: int) -> None:
        """Give a student id to an account, as the instructor decides; another account that has it loses it."""
        try:
            with self.session.begin() as session:
                _assign(session, course, student, account)
        except IntegrityError:  # two decisions at once
            raise UserError("courses.id_taken", student=student) from None

    def doubt(self, course: int, students: Iterable[str]) -> None:
        """Let accounts have ids no longer that are only their own names: the instructor means somebody by these ids."""
        with self.session.begin() as session:
            _doubt(session, course, students)

    def claims(self, course: int, student: str) -> list[int]:
        """Return the accounts that say that a student id is their own, and do not have it."""
        chosen = (_enrolled_as(course, student), ~EnrolmentRow.confirmed)
        return self.rows(select(EnrolmentRow.account_id).where(*chosen).order_by(EnrolmentRow.joined))

    def add_codes(self, course: int, students: Iterable[str], days: float) -> dict[str, str]:
        """Create a code for each student, in place of an earlier one; the codes are returned and not stored."""
        codes = {student: new_code() for student in students}
        expires = datetime.now(UTC) + timedelta(days=days)
        with self.session.begin() as session:
            for student, code in codes.items():
                row = ClaimCode(course_id=course, student=student, hash=code_hash(code), expires=expires)
                session.merge(row)
            _doubt(session, course, codes)
        return codes

    def has_code(self, code: str) -> bool:
        """Return whether a code is one that a student can claim an id with, in any course."""
        return self.row(select(ClaimCode.student).where(*_valid(code))) is not None

    def claim(self, course: int, account: int, code: str) -> bool:
        """Give an account the id of a code of this course, and end the code; return whether there is such a code."""
        with self.session.begin() as session:
            return use_code(session, code, account, course)

    def is_reserved(self, course: int, student: str) -> bool:
        """Return whether an id is meant for somebody: a code was made for it, or something was uploaded for it."""
        held = select(StoredSubmission.id).where(*_held(course, student)).limit(1)
        return self.get(ClaimCode, (course, student)) is not None or self.row(held) is not None

    def student(self, course: int, account: int) -> str | None:
        """Return the student id of an account; None when it does not take part."""
        row = self.get(EnrolmentRow, (course, account))
        return row.student if row else None

    def confirmed(self, course: int, account: int) -> bool:
        """Return whether an account may see what belongs to its student id."""
        row = self.get(EnrolmentRow, (course, account))
        return row is not None and row.confirmed

    def rename(self, course: int, names: Mapping[str, str]) -> None:
        """Give students the ids that a roster has for them, where no other account has that id."""
        with self.session.begin() as session:
            rows = session.scalars(select(EnrolmentRow).where(EnrolmentRow.course_id == course)).all()
            taken = {row.student for row in rows if row.confirmed}
            for row in rows:
                wanted = names.get(row.student, row.student)
                if not row.confirmed or wanted not in taken:
                    row.student = wanted
                    taken |= {wanted} if row.confirmed else set()
            for one in session.scalars(select(StoredSubmission).where(StoredSubmission.course == course)).all():
                if one.student:
                    one.student = names.get(one.student, one.student)

    def of(self, account: int) -> set[int]:
        """Return the courses that an account takes part in."""
        return set(self.rows(select(EnrolmentRow.course_id).where(EnrolmentRow.account_id == account)))

    def enrolled(self, course: int) -> list[Enrolment]:
        """Return all enrolments, in the order of the student ids."""
        wanted = (
            select(EnrolmentRow.account_id, AccountRow.name, EnrolmentRow.student, EnrolmentRow.confirmed)
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
            hold(session, account)
            _check_count(session, *mine)
            size = session.scalar(select(func.sum(func.length(StoredSubmission.data))).where(*mine)) or 0
            if size + len(data) > MOST_BYTES:
                raise UserError("courses.submissions_too_large", megabytes=MOST_BYTES >> 20)
            now = datetime.now(UTC)
            row = StoredSubmission(course=course, account=account, name=name, data=data, at=now)
            session.add(row)
            session.flush()
            return row.id

    def collect(self, course: int, collected: Sequence[CollectedSubmission]) -> None:
        """Store submissions that an instructor uploads, all or none; a confirmed account has those of its id."""
        self.doubt(course, {one.student for one in collected})
        accounts = {one.student: one.account for one in self.enrolled(course) if one.confirmed}
        with self.session.begin() as session:
            for one in collected:
                account = accounts.get(one.student, NOBODY)
                _check_count(session, StoredSubmission.course == course, StoredSubmission.student == one.student)
                session.add(StoredSubmission(course=course, account=account, **one._asdict()))
                session.flush()

    def submissions(self, course: int, account: int | None = None) -> list[StoredSubmission]:
        """Return the submissions of one account or of all, the newest first."""
        newest = (StoredSubmission.at.desc(), StoredSubmission.id.desc())
        wanted = select(StoredSubmission).where(StoredSubmission.course == course).order_by(*newest)
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

    def choose_program(self, number: int, file: str) -> None:
        """Set the file that is the program of a submission."""
        self.set_values(StoredSubmission, number, program=file)

    def by_student(self, course: int) -> dict[str, list[StoredSubmission]]:
        """Return what each student handed in, the newest first; an account that is not confirmed stands for nobody."""
        students = {one.account: one.student for one in self.enrolled(course) if one.confirmed}
        found: dict[str, list[StoredSubmission]] = {}
        for one in self.submissions(course):
            if student := students.get(one.account) or one.student:
                found.setdefault(student, []).append(one)
        return dict(sorted(found.items()))

    def counting(self, course: int) -> dict[str, StoredSubmission]:
        """Return the last submission of each student."""
        return {student: own[0] for student, own in self.by_student(course).items()}


def _enrolled_as(course: int, student: str) -> ColumnElement[bool]:
    return and_(EnrolmentRow.course_id == course, EnrolmentRow.student == student)


def _assign(session: Session, course: int, student: str, account: int) -> None:
    """Give an id to an account, with what was uploaded for it; nobody else has or claims it any longer."""
    others = EnrolmentRow.account_id != account
    session.execute(delete(EnrolmentRow).where(_enrolled_as(course, student), others))
    session.execute(delete(ClaimCode).where(ClaimCode.course_id == course, ClaimCode.student == student))
    uploaded = (StoredSubmission.course == course, StoredSubmission.student == student)
    session.execute(update(StoredSubmission).where(*uploaded).values(account=account))
    row = session.get(EnrolmentRow, (course, account)) or EnrolmentRow(
        course_id=course, account_id=account, joined=datetime.now(UTC)
    )
    row.student, row.confirmed, row.proof = student, True, ""
    session.add(row)


def _doubt(session: Session, course: int, students: Iterable[str]) -> None:
    own_names = (EnrolmentRow.course_id == course, EnrolmentRow.proof == OWN_NAME)
    chosen = update(EnrolmentRow).where(*own_names, EnrolmentRow.student.in_(list(students)))
    session.execute(chosen.values(confirmed=False, proof=""))


def _valid(code: str) -> tuple[ColumnElement[bool], ...]:
    return ClaimCode.hash == code_hash(code), ClaimCode.expires > datetime.now(UTC)


def use_code(session: Session, code: str, account: int, course: int | None = None) -> bool:
    """Give an account the id of a code, of a course or of any; return whether there is such a code. It serves once."""
    wanted = delete(ClaimCode).where(*_valid(code))
    if course is not None:
        wanted = wanted.where(ClaimCode.course_id == course)
    for number, student in session.execute(wanted.returning(ClaimCode.course_id, ClaimCode.student)).all():
        _assign(session, number, student, account)
        return True
    return False


def _held(course: int, student: str) -> tuple[ColumnElement[bool], ...]:
    """Return which submissions an instructor uploaded for a student without an account."""
    mine = StoredSubmission.course == course, StoredSubmission.student == student
    return (*mine, StoredSubmission.account == NOBODY)


def _check_count(session: Session, *mine: ColumnElement[bool]) -> None:
    """Raise UserError where a student has handed in too often."""
    count = session.scalar(select(func.count()).select_from(StoredSubmission).where(*mine))
    if (count or 0) >= MOST_SUBMISSIONS:
        raise UserError("courses.too_many_submissions", most=MOST_SUBMISSIONS)


@on_delete
def _remove(session: Session, account: int) -> None:
    """Remove an account's submissions and grades; courses that it made stay, without an owner."""
    rows = session.scalars(select(EnrolmentRow).where(EnrolmentRow.account_id == account)).all()
    for row in rows:
        course = session.get_one(StoredCourse, row.course_id)
        if course.grades and row.confirmed:
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
        grades = (course.grades or {}).get("students", []) if course.released and row.confirmed else []
        mine = (StoredSubmission.course == row.course_id, StoredSubmission.account == account)
        handed_in = session.scalars(select(StoredSubmission).where(*mine).order_by(StoredSubmission.id))
        found.append(
            {
                "course": course.title,
                "student": row.student,
                "submissions": [one.exported("name", "at") for one in handed_in],
                "grade": next((one for one in grades if one["id"] == row.student), None),
            }
        )
    return {"courses": found}
