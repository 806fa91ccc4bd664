"""The tables that an instructor fills in: who was late, and the points that people give. CSV texts in, data out."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, NamedTuple

from ludus.courses.evidence import EnteredPoints
from ludus.errors import UserError
from ludus.messages import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludus.courses import Course


class Line(NamedTuple):
    """A line of a table."""

    place: Message
    values: dict[str, str]


def read_late(text: str, source: str, course: Course) -> dict[tuple[str, str], float]:
    """Return how many days late students were, by student and rule; `source` names the table in errors."""
    found = {}
    for place, values in _lines(text, source, ("id", "days"), ("rule", "reason")):
        if values["rule"]:
            course.rule(values["rule"])
        found[values["id"], values["rule"]] = _number(values["days"], place, "days")
    return found


def read_entered(text: str, source: str, course: Course) -> dict[tuple[str, str], EnteredPoints]:
    """Return the points that the instructor entered, by student and rule; `source` names the table in errors."""
    found = {}
    for place, values in _lines(text, source, ("id", "rule", "points"), ("reason",)):
        rule = course.rule(values["rule"])
        points = _number(values["points"], place, "points")
        given = {"place": place, "points": values["points"], "rule": rule.name}
        if rule.kind != "entered":
            raise UserError("courses.entered_for_other_kind", **given)
        if not 0 <= points <= rule.points:
            raise UserError("courses.entered_out_of_bounds", **given, most=rule.points)
        found[values["id"], rule.name] = EnteredPoints(points, values["reason"])
    return found


def _lines(text: str, source: str, needed: Sequence[str], more: Sequence[str]) -> list[Line]:
    """Return the lines of a CSV text with headings; spaces around values and empty lines do not count."""
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    headings = [heading.strip() for heading in reader.fieldnames or ()]
    for name in needed:
        if name not in headings:
            raise UserError("courses.column_missing", source=source, column=name, columns=list(needed))
    reader.fieldnames = headings
    found = []
    for row in reader:
        values = {name: (row.get(name) or "").strip() for name in (*needed, *more)}
        if values["id"]:
            found.append(Line(Message("courses.line", source=source, line=reader.line_num), values))
    return found


def _number(text: str, place: Message, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) < 1e6:
        raise UserError("courses.not_a_number", place=place, name=name, value=repr(text))
    return value + 0.0  # never -0
