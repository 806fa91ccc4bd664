"""The jobs of courses: grade a course, and try a submission. Each has a folder, and continues from what is there.

Grades are stored in the database with a link to every game behind them; tables, pages and PDF files stay in the folder.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from ludus.bots.source import File, read_file
from ludus.courses import Course
from ludus.courses.attempts import Attempt, Term, entrants
from ludus.courses.deadline import choose
from ludus.courses.grade import GradedCourse, GradingOptions, Override, Withdrawal, grade
from ludus.courses.output import write_all
from ludus.courses.roster import Person
from ludus.courses.submissions import identify
from ludus.courses.tables import NamedProgram, Tables
from ludus.courses.view import CourseView, course_view
from ludus.errors import UserError
from ludus.messages import Message
from ludus.store.courses import NOBODY, CourseStore, StoredSubmission
from ludus.store.matches import Matches, StoredMatch
from ludus.tournament.pools import local
from ludus.web.courses.files import stored_course_of, tables_of, texts_of
from ludus.web.jobs.kinds import LONG_GAMES, JobContext, job_kind
from ludus.web.jobs.kinds.tournament import DAYS


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
        found = stored_course_of(stored)
        tables, base = tables_of(found, texts_of(stored)), store.base(course)
        options = GradingOptions(
            overrides=tuple(Override(*one) for one in overrides),
            withdrawals=tuple(Withdrawal(*one) for one in withdrawals),
            only=tuple(only),
            reason=reason,
            base=(read_file(stored.base_name, File(base), stored.base_name),) if base else (),
            attempts=_attempts(store, course, found, tables, place / "submissions"),
            **tables._replace(programs=_programs(counting, tables))._asdict(),
        )
        graded = _grade(context, found, place / "results", options, LONG_GAMES)
        for stale in _stale_folders(place / "results" / "students", graded):
            shutil.rmtree(stale)
        view = write_all(graded, place / "results", context.stage_reporter(), LONG_GAMES)
        _store_games(context, course, graded, view)
        graded_submissions = {student: one.id for student, one in counting.items()}
        store.change(course, grades={**view.json_data, "submissions": graded_submissions})
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
        place = (
            folder_of(context.folder, one.course)
            / "tries"
            / (str(one.account) if one.account != NOBODY else f"collected-{one.id}")
        )
        found = stored_course_of(stored).without_pdf()
        path = place / "submissions" / one.name
        _write(store, one, path)
    id_ = one.student or student or str(one.account)
    attempt = Attempt(path, (Person(id_),), one.at, one.name)
    options = GradingOptions(tournaments=False, attempts={path: attempt}, programs=_chosen(id_, one))
    graded = _grade(context, found, place / "results", options, 1)
    view = course_view(graded)
    _store_games(context, one.course, graded, view)
    return {"most": view.most, **view.students[0].model_dump(mode="json")}


def _grade(context: JobContext, found: Course, out: Path, options: GradingOptions, games: int) -> GradedCourse:
    with closing(local(games)) as pool:
        return grade(found, list(options.attempts), out, pool, options, context.stage_reporter())


def _attempts(store: CourseStore, course: int, found: Course, tables: Tables, place: Path) -> dict[Path, Attempt]:
    """Return what was handed in, by path; only what counts is written to the folder.

    Where no rule of the deadline chooses among attempts, the last one of each student is all there is.
    """
    shutil.rmtree(place, ignore_errors=True)
    deadline = found.deadline if found.deadline.at else None
    numbers: dict[Path, StoredSubmission] = {}
    attempts = []
    for student, own in store.by_student(course).items():
        for one in own if found.deadline.chooses else own[:1]:
            path = place / str(one.id) / one.name
            people = tuple(Person(*fields) for fields in one.people or ()) or (Person(student),)
            attempts.append(Attempt(path, people, one.at, one.name, one.marked_late))
            numbers[path] = one
    term = Term(tables.roster, deadline=deadline, extensions=tables.extensions)
    for entrant in entrants(attempts, tables.roster):
        for attempt in choose(entrant.attempts, deadline, term.extension(entrant)):
            _write(store, numbers[attempt.path], attempt.path)
    return {attempt.path: _named(found, attempt) for attempt in attempts}


def _named(found: Course, attempt: Attempt) -> Attempt:
    """Return an attempt with the name that its file's name has, where nothing else says it."""
    (first, *others) = attempt.people
    if first.name or not attempt.path.is_file():
        return attempt
    name = identify(found, attempt.path).people[0].name
    return replace(attempt, people=(first._replace(name=name), *others))


def _chosen(student: str, one: StoredSubmission) -> dict[str, NamedProgram]:
    """Return the file that a person chose as the program of a submission."""
    return {student: NamedProgram(one.program, Message("courses.chosen_place"))} if one.program else {}


def _programs(counting: Mapping[str, StoredSubmission], tables: Tables) -> dict[str, NamedProgram]:
    """Return the programs that people named, of those who handed in something; the table comes first."""
    found: dict[str, NamedProgram] = {}
    for student, one in counting.items():
        found |= _chosen(student, one)
    known = {*counting, *(person.id for person in (tables.roster.people if tables.roster else ()))}
    return found | {student: program for student, program in tables.programs.items() if student in known}


def _write(store: CourseStore, one: StoredSubmission, path: Path) -> None:
    """Write a submission to a folder that has nothing else."""
    shutil.rmtree(path.parent, ignore_errors=True)
    path.parent.mkdir(parents=True)
    path.write_bytes(store.content(one.id))


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
