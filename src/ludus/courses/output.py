"""What a graded course leaves in a folder: tables, JSON, a page for the instructor and one for each student, records.

    DIR/index.html  course.pdf  grades.csv  grades.json  similarity.csv  games/GAME.txt  tournaments/NAME/
    DIR/similar/ID+ID.html
    DIR/gradebook-moodle.csv  gradebook-canvas.csv  gradebook-gradescope.csv  anonymous/
    DIR/students/ID/index.html  students/ID/report.pdf  students/ID/results.json

`results.json` has the form that Gradescope reads. Names and what bots write can be anything: none of it becomes a tag,
a formula or a path. Computes no point.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from ludus.courses.anonymous import FOLDER, anonymous_order, anonymous_table, code_names, read_secret
from ludus.courses.grade import PART, limit_title
from ludus.courses.gradebook import GRADEBOOKS, gradescope_results
from ludus.courses.pdf import write_pdfs
from ludus.courses.rubric import title_of
from ludus.courses.similarity import segments, source_text
from ludus.courses.view import COURSE_PDF, STUDENT_PDF, course_view
from ludus.display import visible
from ludus.drawing.boards import Marks, draw_board
from ludus.files import write_whole
from ludus.tournament.output import Cell, table
from ludus.tournament.output import write_all as write_tournament
from ludus.tournament.templates import render_page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ludus.check import Finding
    from ludus.courses.grade import GradedCourse, ProgressCallback
    from ludus.courses.similarity import SimilarPair
    from ludus.courses.view import CourseView, StudentView

SIMILARITY_COLUMNS = ("first", "second", "language", "share", "shared")


def write_all(
    graded: GradedCourse,
    out: Path,
    progress: ProgressCallback = lambda _step, _done, _total: None,
    jobs: int = 1,
    *,
    anonymous: bool = False,
) -> CourseView:
    """Write everything, the pages last, so that what they link to is there; return the view of the course."""
    for part in ("games", "students", "similar"):
        (out / part).mkdir(parents=True, exist_ok=True)
    _write_records(graded, out / "games")
    for name, tournament in graded.tournaments.items():
        write_tournament(tournament, out / "tournaments" / name, graded.course.report.language)
    view = course_view(graded)
    if anonymous:
        _write_anonymous(view, out)
    write_whole(out / "grades.csv", grades_table(graded, view))
    pairs = [(pair.first, pair.second, pair.language, f"{pair.share:.2f}", pair.shared) for pair in view.alike]
    write_whole(out / "similarity.csv", table(SIMILARITY_COLUMNS, pairs))
    for shown, pair in zip(view.alike, graded.similar, strict=True):
        if shown.page:
            write_whole(out / shown.page, similar_page(graded, view, pair))
    write_whole(out / "grades.json", json_text(view.json_data))
    for platform, gradebook in GRADEBOOKS.items():
        write_whole(out / f"gradebook-{platform}.csv", gradebook(view))
    for student in view.students:
        folder = out / "students" / student.folder
        folder.mkdir(exist_ok=True)
        write_whole(folder / "results.json", json_text(gradescope_results(view, student)))
        write_whole(folder / "index.html", student_page(view, student))
    graded.notes += write_pdfs(graded, view, out, partial(progress, "PDF"), jobs)
    view.note_messages, view.notes = graded.notes, [str(note) for note in graded.notes]
    write_whole(out / "index.html", course_page(view))
    return view


def _write_anonymous(view: CourseView, out: Path) -> None:
    """Write the standings without names, and each student's code name into the student's view."""
    codes = code_names([student.id for student in view.students], read_secret(out))
    folder = out / FOLDER
    folder.mkdir(exist_ok=True)
    write_whole(folder / "grades.csv", anonymous_table(view, codes))
    places = anonymous_order(view, codes)
    write_whole(folder / "index.html", _page("anonymous.html", view, codes=codes, places=places))
    for student in view.students:
        student.code = codes[student.id]


def json_text(data: dict[str, Any]) -> str:
    """Return JSON as a file holds it: nothing in it can be taken for a sign of the terminal."""
    return visible(json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False)) + "\n"


def _write_records(graded: GradedCourse, folder: Path) -> None:
    """Write the record of every game behind a point; a game that was played again has the same name as before."""
    records = {game.record_file: game.record for one in graded.graded for award in one.awards for game in award.games}
    known = {path.name for path in folder.iterdir()}
    for name, record in records.items():
        data = record.encode("utf-8", "replace")
        if name not in known or (folder / name).read_bytes() != data:
            write_whole(folder / name, data, synced=False)


def grades_table(graded: GradedCourse, view: CourseView) -> str:
    """Return the grades as CSV: the points and limits of each line add up to the total."""
    limits = [*graded.course.groups, ""]
    if any(limit.name == PART for student in view.students for limit in student.limits):
        limits.append(PART)
    columns = ["id", "name", "team", "total", *(rule.name for rule in graded.course.rules)]
    columns += [*(str(limit_title(name)) for name in limits), "handed in", "at", "days late", "set aside"]
    return table(
        [*columns, "games", "failed games", "trouble", "question"],
        [_line(student, limits) for student in view.students],
    )


def _line(student: StudentView, limits: Sequence[str]) -> list[Cell]:
    changes = {limit.name: limit.points for limit in student.limits}
    points = [*(rule.points for rule in student.rules), *(changes.get(name, 0.0) for name in limits)]
    files: list[Cell] = [student.handed_in, student.handed_in_at, student.days_late, "; ".join(student.set_aside)]
    games: list[Cell] = [student.games, sum(student.failures.values())]
    trouble = "" if student.summary is None else str(student.summary)
    own: list[Cell] = [student.id, student.name, student.team, student.total]
    return [*own, *points, *files, *games, trouble, student.question]


def similar_page(graded: GradedCourse, view: CourseView, pair: SimilarPair) -> str:
    """Return the page of two similar programs: both side by side, with what they have in common marked."""
    sides = []
    for student, anchors in ((pair.first, "ab"), (pair.second, "ba")):
        spans: dict[str, list[tuple[int, int, int]]] = {}
        for number, passage in enumerate(pair.passages, 1):
            name, start, end = passage.first if anchors == "ab" else passage.second
            spans.setdefault(name, []).append((start, end, number))
        files = next(one.student.files for one in graded.graded if one.student.entry == student)
        parts = [(name, segments(source_text(files[name]), found)) for name, found in sorted(spans.items())]
        sides.append(
            (
                student,
                [(name, [part._replace(text=visible(part.text)) for part in cut]) for name, cut in parts],
                *anchors,
            )
        )
    return _page("similar.html", view, pair=pair, sides=sides, passages=len(pair.passages))


def _page(template: str, view: CourseView, **more: object) -> str:
    files = {"course_pdf": COURSE_PDF, "student_pdf": STUDENT_PDF, "gradebooks": list(GRADEBOOKS)}
    return render_page("ludus.courses", template, view.language, course=view, title_of=title_of, **files, **more)


def course_page(view: CourseView) -> str:
    """Return the instructor's page: the standings, every student's points, what to look at."""
    return _page("course.html", view)


def student_page(view: CourseView, student: StudentView) -> str:
    """Return the page that a student may see: their own points, reasons, games and findings, and nobody else's."""
    boards = [_board_of(finding) for finding in (student.check.findings if student.check else ())]
    return _page("student.html", view, student=student, boards=boards)


def _board_of(finding: Finding) -> str:
    """Return the position of a finding as a drawing with the cells marked; nothing where it has none."""
    state = finding.state
    return "" if state is None else draw_board(state.game, state, Marks(played=finding.cells), title=state.text)
