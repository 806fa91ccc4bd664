"""The jobs of courses: grade a course, and try a submission. Each has a folder, and continues from what is there.

Grades are stored in the database with a link to every game behind them; tables, pages and PDF files stay in the folder.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
from contextlib import closing
from typing import TYPE_CHECKING, Any

from ludus.courses.grade import GradingOptions, Override, Withdrawal, grade
from ludus.courses.output import write_all
from ludus.courses.tables import read_entered, read_late
from ludus.courses.view import course_view
from ludus.errors import UserError
from ludus.store.courses import CourseStore
from ludus.store.matches import Matches, StoredMatch
from ludus.tournament.pools import local
from ludus.web.courses.files import course_of
from ludus.web.jobs.kinds import LONG_GAMES, JobContext, job_kind
from ludus.web.jobs.kinds.tournament import DAYS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ludus.courses import Course
    from ludus.courses.grade import GradedCourse
    from ludus.courses.view import CourseView
    from ludus.store.courses import StoredCourse, StoredSubmission

DAY_SECONDS = 24 * 3600


def folder_of(files: Path, course: int) -> Path:
    """Return the folder of a course among the files of the server."""
    return files / "courses" / str(course)


@job_kind("course-grade", seconds=30 * DAYS, urgent=False)
def grade_course(
    context: JobContext,
    course: int,
    overrides: list[list[Any]],
    only: list[str],
    reason: str,
    withdrawals: Sequence[list[str]] = (),
) -> dict[str, Any]:
    """Grade all submissions that count; games that were played before are not played again."""
    with closing(CourseStore(context.database)) as store:
        stored = store.find(course)
        assert stored is not None
        place, counting = folder_of(context.folder, course), store.counting(course)
        if not counting:
            raise UserError("courses.nobody_handed_in")
        found = course_of(stored.toml)
        shutil.rmtree(place / "submissions", ignore_errors=True)
        owners = {_write(store, one, place / "submissions"): student for student, one in counting.items()}
        options = GradingOptions(
            late=late_days(stored, found, counting),
            entered=read_entered(stored.entered, "entered.csv", found) if stored.entered.strip() else {},
            overrides=tuple(Override(*one) for one in overrides),
            withdrawals=tuple(Withdrawal(*one) for one in withdrawals),
            only=tuple(only),
            reason=reason,
            owners=owners,
        )
        graded = _grade(context, found, place / "results", options, LONG_GAMES)
        for stale in _stale_folders(place / "results" / "students", graded):
            shutil.rmtree(stale)
        view = write_all(graded, place / "results", context.stage_reporter(), LONG_GAMES)
        _store_games(context, course, graded, view)
        store.change(course, grades=view.json_data)
        return {"students": len(view.students), "played": graded.played}


@job_kind("course-try", seconds=3600, urgent=True)
def try_submission(context: JobContext, submission: int) -> dict[str, Any]:
    """Grade one submission without tournaments: build, check, and every match against a fixed opponent."""
    with closing(CourseStore(context.database)) as store:
        one = store.submission(submission)
        if one is None:
            raise UserError("courses.submission_removed")
        stored, student = store.find(one.course), store.student(one.course, one.account)
        assert stored is not None
        place = folder_of(context.folder, one.course) / "tries" / str(one.account)
        found = course_of(stored.toml).without_pdf()
        path = _write(store, one, place / "submissions")
    options = GradingOptions(tournaments=False, owners={path: student or str(one.account)})
    graded = _grade(context, found, place / "results", options, 1)
    view = course_view(graded)
    _store_games(context, one.course, graded, view)
    return {"most": view.most, **view.students[0].model_dump(mode="json")}


def _grade(context: JobContext, found: Course, out: Path, options: GradingOptions, games: int) -> GradedCourse:
    with closing(local(games)) as pool:
        return grade(found, list(options.owners), out, pool, options, context.stage_reporter())


def _write(store: CourseStore, one: StoredSubmission, place: Path) -> Path:
    """Write a submission to a folder under its file name, and return its path."""
    folder = place / str(one.account)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = folder / one.name
    path.write_bytes(store.content(one.id))
    return path


def late_days(
    stored: StoredCourse, course: Course, counting: Mapping[str, StoredSubmission]
) -> dict[tuple[str, str], float]:
    """Return how many days late students were: by the deadline, unless the table of the instructor says otherwise."""
    found: dict[tuple[str, str], float] = {}
    for student, one in counting.items():
        if stored.deadline is not None and one.at > stored.deadline:
            found[student, ""] = (one.at - stored.deadline).total_seconds() / DAY_SECONDS
    return found | (read_late(stored.late, "late.csv", course) if stored.late.strip() else {})


def _stale_folders(students: Path, graded: GradedCourse) -> list[Path]:
    """Return the folders of students who are no longer in the course."""
    known = {one.student.folder for one in graded.graded}
    return [path for path in students.iterdir() if path.name not in known] if students.is_dir() else []


def _store_games(context: JobContext, course: int, graded: GradedCourse, view: CourseView) -> None:
    """Store every game behind a point as a match, and write its name into the view."""
    game = graded.course.game
    records = {one.record_file: one.record for each in graded.graded for award in each.awards for one in award.games}
    with closing(Matches(context.database)) as matches:
        for student in view.students:
            for rule in student.rules:
                for played in rule.games:
                    played.match = _store_match(matches, game, course, played.file, records[played.file])


def _store_match(matches: Matches, game: str, course: int, file: str, record: str) -> str:
    """Store a game as a match; its name is a hash of its content, which nobody can guess."""
    digest = hashlib.sha256(f"{course} {file} {record}".encode("utf-8", "replace")).digest()
    name = base64.urlsafe_b64encode(digest[:9]).decode()
    if matches.load(name) is None:
        matches.save(StoredMatch(name, game, record, [None, None], 1, None, True))
    return name
