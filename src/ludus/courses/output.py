"""What a graded course leaves in a folder: tables, JSON, a page for the instructor and one for each student, records.

    DIR/index.html  course.pdf  grades.csv  grades.json  similarity.csv  games/GAME.txt  tournaments/NAME/
    DIR/students/ID/index.html  students/ID/report.pdf  students/ID/results.json

`results.json` has the form that Gradescope reads. Names and what bots write can be anything: none of it becomes a tag,
a formula or a path. Computes no point.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ludus.courses.grade import limit_title
from ludus.courses.pdf import write_pdfs
from ludus.courses.view import COURSE_PDF, STUDENT_PDF, course_view, gradescope_results
from ludus.display import visible
from ludus.files import write_whole
from ludus.tournament.output import Cell, table
from ludus.tournament.output import write_all as write_tournament
from ludus.tournament.templates import render_page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ludus.courses.grade import GradedCourse, ProgressCallback
    from ludus.courses.view import CourseView, StudentView

SIMILARITY_COLUMNS = ("first", "second", "language", "share", "shared")


def write_all(
    graded: GradedCourse,
    out: Path,
    progress: ProgressCallback = lambda _step, _done, _total: None,
    jobs: int = 1,
) -> CourseView:
    """Write everything, the pages last, so that what they link to is there; return the view of the course."""
    for part in ("games", "students"):
        (out / part).mkdir(parents=True, exist_ok=True)
    _write_records(graded, out / "games")
    for name, tournament in graded.tournaments.items():
        write_tournament(tournament, out / "tournaments" / name, graded.course.report.language)
    view = course_view(graded)
    write_whole(out / "grades.csv", grades_table(graded, view))
    pairs = [(pair.first, pair.second, pair.language, f"{pair.share:.2f}", pair.shared) for pair in view.alike]
    write_whole(out / "similarity.csv", table(SIMILARITY_COLUMNS, pairs))
    write_whole(out / "grades.json", _json_text(view.json_data))
    for student in view.students:
        folder = out / "students" / student.folder
        folder.mkdir(exist_ok=True)
        write_whole(folder / "results.json", _json_text(gradescope_results(student)))
        write_whole(folder / "index.html", student_page(view, student))
    graded.notes += write_pdfs(graded, view, out, lambda done, total: progress("PDF", done, total), jobs)
    view.note_messages, view.notes = graded.notes, [str(note) for note in graded.notes]
    write_whole(out / "index.html", course_page(view))
    return view


def _json_text(data: dict[str, Any]) -> str:
    return visible(json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False)) + "\n"


def _write_records(graded: GradedCourse, folder: Path) -> None:
    """Write the record of every game behind a point; a game that was played again has the same name as before."""
    records = {game.record_file: game.record for one in graded.graded for award in one.awards for game in award.games}
    known = {path.name for path in folder.iterdir()}
    for name, record in records.items():
        data = record.encode("utf-8", "replace")
        if name not in known or (folder / name).read_bytes() != data:
            (folder / name).write_bytes(data)


def grades_table(graded: GradedCourse, view: CourseView) -> str:
    """Return the grades as CSV: the points and limits of each line add up to the total."""
    limits = [*graded.course.groups, ""]
    columns = ["id", "name", "total", *(rule.name for rule in graded.course.rules)]
    columns += [*(str(limit_title(name)) for name in limits), "handed in", "set aside", "games", "failed games"]
    return table([*columns, "trouble"], [_line(student, limits) for student in view.students])


def _line(student: StudentView, limits: Sequence[str]) -> list[Cell]:
    changes = {limit.name: limit.points for limit in student.limits}
    points = [*(rule.points for rule in student.rules), *(changes.get(name, 0.0) for name in limits)]
    files: list[Cell] = [student.handed_in, "; ".join(student.set_aside), student.games, sum(student.failures.values())]
    trouble = "" if student.summary is None else str(student.summary)
    return [student.id, student.name, student.total, *points, *files, trouble]


def _page(template: str, view: CourseView, **more: object) -> str:
    files = {"course_pdf": COURSE_PDF, "student_pdf": STUDENT_PDF}
    return render_page("ludus.courses", template, view.language, course=view, **files, **more)


def course_page(view: CourseView) -> str:
    """Return the instructor's page: the standings, every student's points, what to look at."""
    return _page("course.html", view)


def student_page(view: CourseView, student: StudentView) -> str:
    """Return the page that a student may see: their own points, reasons, games and findings, and nobody else's."""
    return _page("student.html", view, student=student)
