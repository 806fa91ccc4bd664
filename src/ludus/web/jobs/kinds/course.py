"""The jobs of courses: grade one, and try a student's submission. Each works in a folder of its own, and goes on there.

The grades go into the database with a link to every game behind them; tables, pages and papers stay in the folder.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import shutil
from contextlib import closing
from typing import TYPE_CHECKING, Any

from ludus.store.courses import CourseStore
from ludus.store.matches import Matches, Stored
from ludus.web.jobs.kinds import LONG_GAMES, Desk, kind
from ludus.web.jobs.kinds.tournament import DAYS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ludus.courses import Course
    from ludus.courses.grade import Graded, Grades, Wishes
    from ludus.courses.rubric import Row
    from ludus.store.courses import HandedIn, Held

DAY = 24 * 3600


def folder_of(files: Path, course: int) -> Path:
    """Give the folder of a course among the arena's files."""
    return files / "courses" / str(course)


@kind("course-grade", seconds=30 * DAYS, urgent=False)
def grade_course(
    desk: Desk,
    course: int,
    overrides: list[list[Any]],
    only: list[str],
    reason: str,
    withdrawals: Sequence[list[str]] = (),
) -> dict[str, Any]:
    """Grade everything that counts; what was played before is not played again."""
    from ludus.courses.grade import Override, Wishes, Withdrawal  # noqa: PLC0415 - the server itself does without
    from ludus.courses.output import write_all  # noqa: PLC0415
    from ludus.web.courses.files import read_held  # noqa: PLC0415

    with closing(CourseStore(desk.database)) as store:
        held = store.find(course)
        assert held is not None
        place, counting = folder_of(desk.folder, course), store.counting(course)
        if not counting:
            raise ValueError("nobody has handed in anything yet")
        found = read_held(held.toml, place)
        shutil.rmtree(place / "submissions", ignore_errors=True)
        owners = {_write(store, one, place / "submissions"): student for student, one in counting.items()}
        wishes = Wishes(
            late=_table(place / "late.csv", late_table(held, counting)),
            entered=_table(place / "entered.csv", held.entered),
            overrides=tuple(Override(*one) for one in overrides),
            withdrawals=tuple(Withdrawal(*one) for one in withdrawals),
            only=tuple(only),
            reason=reason,
            owners=owners,
        )
        grades = _grade(desk, found, place / "results", wishes, LONG_GAMES)
        for stale in _stale(place / "results" / "students", grades):
            shutil.rmtree(stale)
        write_all(grades, place / "results", desk.stages(), LONG_GAMES)
        store.change(course, grades=told(desk, course, grades))
        return {"students": len(grades.graded), "played": grades.played}


@kind("course-try", seconds=3600, urgent=True)
def try_submission(desk: Desk, submission: int) -> dict[str, Any]:
    """Try a submission as the course would: build, check, and every match against a fixed opponent."""
    from dataclasses import replace  # noqa: PLC0415

    from ludus.courses.grade import Wishes  # noqa: PLC0415
    from ludus.web.courses.files import read_held  # noqa: PLC0415

    with closing(CourseStore(desk.database)) as store:
        one = store.submission(submission)
        if one is None:
            raise ValueError("this submission has been removed")
        held, student = store.find(one.course), store.student(one.course, one.account)
        assert held is not None
        place = folder_of(desk.folder, one.course) / "tries" / str(one.account)
        found = replace(read_held(held.toml, place), pdf=False)
        path = _write(store, one, place / "submissions")
    wishes = Wishes(contests=False, owners={path: student or str(one.account)})
    grades = _grade(desk, found, place / "results", wishes, 1)
    (own,) = told(desk, one.course, grades)["students"]
    return {"most": found.most, **own}


def _grade(desk: Desk, found: Course, out: Path, wishes: Wishes, games: int) -> Grades:
    from ludus.courses.grade import grade  # noqa: PLC0415
    from ludus.tournament.pools import local  # noqa: PLC0415

    with closing(local(games)) as pool:
        return grade(found, list(wishes.owners), out, pool, wishes, desk.stages())


def _write(store: CourseStore, one: HandedIn, place: Path) -> Path:
    """Write what was handed in under its own name."""
    folder = place / str(one.account)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = folder / one.name
    path.write_bytes(store.content(one.id))
    return path


def _table(path: Path, text: str) -> Path | None:
    if not text.strip():
        return None
    path.write_text(text, encoding="utf-8")
    return path


def late_table(held: Held, counting: dict[str, HandedIn]) -> str:
    """Say who was late by how many days, by the deadline; what the instructor wrote comes after it, and so counts."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["id", "days", "rule"])
    for student, one in counting.items():
        if held.deadline is not None and one.at > held.deadline:
            writer.writerow([student, f"{(one.at - held.deadline).total_seconds() / DAY:.4f}", ""])
    own = list(csv.DictReader(io.StringIO(held.late.removeprefix("\ufeff"))))
    for row in own:
        writer.writerow([row.get("id") or "", row.get("days") or "", row.get("rule") or ""])
    return stream.getvalue()


def _stale(students: Path, grades: Grades) -> list[Path]:
    """Give the folders of students who are no longer in the course."""
    known = {one.student.folder for one in grades.graded}
    return [path for path in students.iterdir() if path.name not in known] if students.is_dir() else []


def told(desk: Desk, course: int, grades: Grades) -> dict[str, Any]:
    """Give grades as JSON, with a match to look at for every game behind a point."""
    from ludus.courses.document import document  # noqa: PLC0415

    said = document(grades)
    with closing(Matches(desk.database)) as matches:
        for student, one in zip(said["students"], grades.graded, strict=True):
            for rule, award in zip(student["rules"], one.awards, strict=True):
                rule["games"] = [_game(matches, grades.course.game, course, one, row) for row in award.games]
    said["folders"] = {one.student.id: one.student.folder for one in grades.graded}
    return said


def _game(matches: Matches, game: str, course: int, one: Graded, row: Row) -> dict[str, Any]:
    """Give a game behind a point as the student saw it."""
    from ludus.courses.rubric import own_fault, points_of  # noqa: PLC0415

    own = one.student.id
    other = row.opponent(own)
    line = {"match": _keep(matches, game, course, row), "seat": int(row.first != own), "opponent": other}
    return {**line, "points": points_of(row, own), "fault": own_fault(row, own)}


def _keep(matches: Matches, game: str, course: int, row: Row) -> str:
    """Keep a game as a match; its name follows from its content, so that nobody finds it who was not told."""
    text: str = row.record
    digest = hashlib.sha256(f"{course} {row.record_file} {text}".encode("utf-8", "replace")).digest()
    name = base64.urlsafe_b64encode(digest[:9]).decode()
    if matches.load(name) is None:
        matches.save(Stored(name, game, text, [None, None], 1, None, True))
    return name
