"""Grades as platforms read them: the gradebooks of Moodle, Canvas and Gradescope as CSV, and Gradescope's results.json.

Texts from the view of a course. Computes no point and writes no file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ludus.courses.columns import (
    CANVAS,
    CANVAS_POSSIBLE,
    GRADESCOPE,
    MOODLE,
    MOODLE_FEEDBACK,
    MOODLE_IDENTIFIER,
)
from ludus.messages import Message, render
from ludus.tournament.output import BOM, Cell, table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ludus.courses.view import CourseView, LimitView, RuleView, StudentView

VISIBILITY = "visible"
OUTPUT_FORMAT = "text"
"""What we write is no Markdown and no HTML: a student's file names stay what they are."""


def moodle_gradebook(view: CourseView) -> str:
    """Return the table for Moodle: a grading worksheet, which an assignment takes, and so does the import of grades.

    The worksheet finds people by the participant's number; the import finds them by ID number or e-mail.
    """
    rows: list[Sequence[Cell]] = []
    for one in view.students:
        identifier = f"{MOODLE_IDENTIFIER}{one.number}" if one.number else ""
        rows.append([identifier, one.name, one.id, one.email, one.total, view.most, "", _feedback(view, one)])
    return table([*MOODLE, MOODLE_FEEDBACK], rows)


def canvas_gradebook(view: CourseView) -> str:
    """Return the table that Canvas imports: its five columns of people, the assignment, and the points possible.

    A column with the number of an assignment, as in `Bot (4711)`, fills that one; another makes a new assignment.
    """
    possible: list[Cell] = [CANVAS_POSSIBLE, "", "", "", "", view.most]
    rows: list[Sequence[Cell]] = [
        [student.name or student.id, student.number, student.id, student.email, "", student.total]
        for student in view.students
    ]
    return table([*CANVAS, view.column], [possible, *rows]).removeprefix(BOM)


def gradescope_gradebook(view: CourseView) -> str:
    """Return the table of grades as Gradescope itself exports it: people by SID and e-mail, and the score."""
    rows: list[Sequence[Cell]] = [
        [student.name or student.id, student.id, student.email, student.total, view.most] for student in view.students
    ]
    return table(GRADESCOPE, rows).removeprefix(BOM)


GRADEBOOKS: dict[str, Callable[[CourseView], str]] = {
    "moodle": moodle_gradebook,
    "canvas": canvas_gradebook,
    "gradescope": gradescope_gradebook,
}


def _said(message: Message | None, text: str, view: CourseView) -> str:
    """Return a sentence in the language of the course; grades of older versions have the English one only."""
    return text if message is None else render(message, view.language)


def _feedback(view: CourseView, student: StudentView) -> str:
    """Return the points of each rule in one line, and what went wrong."""
    points = [
        f"{_said(rule.title_message, rule.title, view)}: {'…' if rule.open else f'{rule.points:g}'}"
        + (f"/{rule.most:g}" if rule.most else "")  # a penalty gives nothing
        for rule in student.rules
    ]
    points += [f"{_said(limit.title_message, limit.title, view)}: {limit.points:g}" for limit in student.limits]
    return "; ".join([*points, *([_said(student.summary, "", view)] if student.summary else [])])


def gradescope_results(view: CourseView, student: StudentView) -> dict[str, Any]:
    """Return a student's results in the form that Gradescope reads.

    The scores of the tests add up to the whole: a stage that was passed shows its points, and what a group or the total
    does not count is a test of its own with points below 0. A rule that is open has no status, so that it is
    neither passed nor failed.
    """
    tests = [_test(view, number, rule) for number, rule in enumerate(student.rules, 1)]
    tests += [_limit_test(view, number, limit) for number, limit in enumerate(student.limits, len(tests) + 1)]
    ranks = [
        {"name": render(Message("courses.rank_in", tournament=name), view.language), "value": rank, "order": "asc"}
        for name, rank in student.ranks.items()
    ]
    points = {"name": render(Message("courses.page.points"), view.language), "value": student.total}
    remarks = [student.summary] if student.summary else student.finding_messages
    return {
        "score": student.total,
        "output": "\n".join(_said(remark, "", view) for remark in (*remarks, student.question_message) if remark),
        "output_format": OUTPUT_FORMAT,
        "test_output_format": OUTPUT_FORMAT,
        "test_name_format": OUTPUT_FORMAT,
        "visibility": VISIBILITY,
        "stdout_visibility": "hidden",
        "tests": tests,
        "leaderboard": [points, *ranks],
        "extra_data": {"course": view.course, "student": student.id, "team": student.team, "max_score": view.most},
    }


def _test(view: CourseView, number: int, rule: RuleView) -> dict[str, Any]:
    test = {
        "number": str(number),
        "name": _said(rule.title_message, rule.title, view),
        "score": rule.points,
        "max_score": max(rule.most, 0.0),
        "output": _said(rule.reason_message, rule.reason, view),
        "output_format": OUTPUT_FORMAT,
        "visibility": VISIBILITY,
        "tags": ["open"] if rule.open else [],
        "extra_data": {"rule": rule.rule, "counted": rule.counted, "open": rule.open, "by_hand": rule.by_hand},
    }
    if not rule.open:
        passed = rule.points > 0 or (rule.most <= 0 and rule.points == 0)
        test["status"] = "passed" if passed else "failed"
    elif rule.points == 0:  # without a score it is shown as neither
        del test["score"], test["max_score"]
    return test


def _limit_test(view: CourseView, number: int, limit: LimitView) -> dict[str, Any]:
    return {
        "number": str(number),
        "name": _said(limit.title_message, limit.title, view),
        "score": limit.points,
        "max_score": 0.0,
        "status": "passed",
        "output": _said(limit.reason_message, limit.reason, view),
        "output_format": OUTPUT_FORMAT,
        "visibility": VISIBILITY,
        "tags": ["limit"],
        "extra_data": {"group": limit.name},
    }
