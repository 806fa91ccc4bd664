"""Course files of the web: texts that are read and checked before they are stored. Knows no HTTP and no grades.

A course file of the web may name Ludus' own players only: paths and commands would be the server's own.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from ludus.courses import PRESETS, Course, parse_course, presets
from ludus.courses.columns import COLUMNS
from ludus.courses.deadline import DeadlineSettings
from ludus.courses.roster import Roster, plain, read_roster
from ludus.courses.tables import Tables, TableText, read_tables
from ludus.errors import UserError
from ludus.files import read_text
from ludus.players import is_named
from ludus.store.courses import StoredCourse

FILE = "course.toml"
"""What errors call a course file."""
TableName = Literal["roster", "extensions", "times", "late", "entered", "programs", "parts"]


def preset_text(name: str) -> str:
    """Return the text of a preset, to be stored and edited."""
    if name not in presets():
        raise UserError("courses.no_preset", preset=repr(name), presets=list(presets()))
    return f'name = "{name}"\n{read_text(PRESETS / f"{name}.toml")}'


@functools.lru_cache(maxsize=256)
def course_of(toml: str) -> Course:
    """Return the course in a text; every problem is one sentence."""
    course = parse_course(toml, FILE)
    for rule in course.rules:
        if (match := rule.settings.match) is not None and not is_named(match.opponent):
            raise UserError("courses.foreign_opponent", file=FILE, rule=rule.name)
    return course


def with_deadline(toml: str, deadline: datetime | None) -> Course:
    """Return the course in a text; a deadline that is stored beside it counts where the text has none."""
    course = course_of(toml)
    if course.deadline.at or deadline is None:
        return course
    return course.model_copy(update={"deadline": DeadlineSettings(at=deadline.isoformat())})


def stored_course_of(stored: StoredCourse) -> Course:
    """Return a stored course with its deadline."""
    return with_deadline(stored.toml, stored.deadline)


def tables_of(course: Course, texts: Mapping[str, str]) -> Tables:
    """Return what the tables of a course say, by their names; an empty text is no table."""
    return read_tables(course, {name: TableText(text.encode(), f"{name}.csv") for name, text in texts.items()})


@functools.lru_cache(maxsize=256)
def roster_of(text: str) -> Roster | None:
    """Return the roster in a text that was checked before; None where it is empty."""
    return read_roster(text.encode(), "roster.csv") if text.strip() else None


def roster_ids(text: str) -> dict[str, str]:
    """Return the ids of a roster by how they are compared: without capitals and signs."""
    roster = roster_of(text)
    return {plain(person.id): person.id for person in roster.people} if roster else {}


def texts_of(stored: StoredCourse) -> dict[str, str]:
    """Return the texts of a course's tables."""
    return {name: stored.values[name] for name in COLUMNS}


def check(toml: str, deadline: datetime | None, texts: Mapping[str, str]) -> None:
    """Raise UserError where a course or one of its tables cannot be read."""
    tables_of(with_deadline(toml, deadline), texts)
