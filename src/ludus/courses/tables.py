"""The tables that an instructor fills in: who takes part, who was late, who has more time, when something came, points
that people give, and which file is whose program.

Texts in, data out. `columns` has what the columns are called. Every error names the file and the line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.courses.columns import WHO, TableLine, number_of, read_rows
from ludus.courses.deadline import DeadlineSettings
from ludus.courses.evidence import EnteredPoints
from ludus.courses.roster import Person, Roster, read_roster
from ludus.errors import UserError

if TYPE_CHECKING:
    from datetime import datetime

    from ludus.courses import Course
    from ludus.courses.rubric import Rule
    from ludus.messages import Message


class NamedProgram(NamedTuple):
    """A file that a person named as a student's program, and where it is named."""

    file: str
    place: Message


def _with_id(data: bytes, source: str, needed: tuple[str, ...], more: tuple[str, ...]) -> list[TableLine]:
    """Return the lines of a table that have an id; the others are notes of people's."""
    return [line for line in read_rows(data, source, needed, more) if line.values["id"]]


def read_programs(data: bytes, source: str) -> dict[str, NamedProgram]:
    """Return which file is the program of a student; `source` names the table in errors."""
    found: dict[str, NamedProgram] = {}
    for place, values in _with_id(data, source, ("id", "file"), ("reason",)):
        if not values["file"]:
            raise UserError("courses.program_not_named", place=place)
        found[values["id"]] = NamedProgram(values["file"].replace("\\", "/").removeprefix("./"), place)
    return found


def read_late(data: bytes, source: str, course: Course) -> dict[tuple[str, str], float]:
    """Return how many days late students were, by student and rule; `source` names the table in errors."""
    found = {}
    for place, values in _with_id(data, source, ("id", "days"), ("rule", "reason")):
        if values["rule"]:
            _rule(course, values["rule"], place)
        found[values["id"], values["rule"]] = _number(values["days"], place, "days")
    return found


def read_entered(data: bytes, source: str, course: Course) -> dict[tuple[str, str], EnteredPoints]:
    """Return the points that the instructor entered, by student and rule; `source` names the table in errors."""
    found = {}
    for place, values in _with_id(data, source, ("id", "rule", "points"), ("reason",)):
        rule = _rule(course, values["rule"], place)
        points = _number(values["points"], place, "points")
        given = {"place": place, "points": values["points"], "rule": rule.name}
        if rule.kind != "entered":
            raise UserError("courses.entered_for_other_kind", **given)
        if not 0 <= points <= rule.points:
            raise UserError("courses.entered_out_of_bounds", **given, most=rule.points)
        found[values["id"], rule.name] = EnteredPoints(points, values["reason"])
    return found


def _rule(course: Course, name: str, place: Message) -> Rule:
    try:
        return course.rule(name)
    except UserError as error:
        raise UserError("courses.at", place=place, problem=error.message) from None


def read_extensions(data: bytes, source: str, deadline: DeadlineSettings | None) -> dict[str, datetime]:
    """Return until when students have time who have more of it than others, by student."""
    found = {}
    for place, values in read_rows(data, source, ("id", "until"), ("reason",)):
        if deadline is None:
            raise UserError("courses.extension_without_deadline", place=place)
        try:
            found[values["id"]] = deadline.moment(values["until"])
        except UserError as error:
            raise UserError("courses.at", place=place, problem=error.message) from None
    return found


def read_times(data: bytes, source: str, deadline: DeadlineSettings) -> dict[Person, datetime]:
    """Return when submissions came, by who handed them in; Moodle's grading worksheet is such a table."""
    found = {}
    for place, values in read_rows(data, source, (WHO, "at"), ("name",)):
        if values["at"].strip("-– "):  # Moodle has a dash for nothing
            number = number_of(values["platform id"])
            id_ = values["id"] or values["login"] or number or values["email"]
            try:
                at = deadline.moment(values["at"])
            except UserError as error:
                raise UserError("courses.at", place=place, problem=error.message) from None
            found[Person(id_, values["name"], values["email"], number=number)] = at
    return found


class Part(NamedTuple):
    """A member's part of what the team has earned."""

    percent: float
    reason: str


def read_parts(data: bytes, source: str) -> dict[str, Part]:
    """Return the parts of members whose part is not all of their team's points, by student."""
    found = {}
    for place, values in read_rows(data, source, ("id", "percent"), ("reason",)):
        percent = _number(values["percent"].removesuffix("%").strip(), place, "percent")
        if not 0 <= percent <= 100:
            raise UserError("courses.percent_out_of_bounds", place=place, percent=values["percent"])
        found[values["id"]] = Part(percent, values["reason"])
    return found


def _number(text: str, place: Message, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) < 1e6:
        raise UserError("courses.not_a_number", place=place, name=name, value=repr(text))
    return value + 0.0  # never -0


class Tables(NamedTuple):
    """What the tables of a course say; the names of the fields are those of the tables."""

    roster: Roster | None = None
    extensions: Mapping[str, datetime] = {}
    times: Mapping[Person, datetime] = {}
    late: Mapping[tuple[str, str], float] = {}
    entered: Mapping[tuple[str, str], EnteredPoints] = {}
    programs: Mapping[str, NamedProgram] = {}
    parts: Mapping[str, Part] = {}


class TableText(NamedTuple):
    """The content of a table, and what errors call it."""

    data: bytes
    source: str


def read_tables(course: Course, given: Mapping[str, TableText]) -> Tables:
    """Return what the tables of a course say, by their names; an empty one says nothing."""
    deadline = course.deadline if course.deadline.at else None
    readers: dict[str, Callable[[bytes, str], Any]] = {
        "roster": read_roster,
        "extensions": lambda data, source: read_extensions(data, source, deadline),
        "times": lambda data, source: read_times(data, source, course.deadline),
        "late": lambda data, source: read_late(data, source, course),
        "entered": lambda data, source: read_entered(data, source, course),
        "programs": read_programs,
        "parts": read_parts,
    }
    return Tables(**{name: readers[name](*table) for name, table in given.items() if table.data.strip()})
