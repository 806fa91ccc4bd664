"""Course files of the web: texts that are read and checked before they are stored. Knows no HTTP and no grades.

A course file of the web may name Ludus' own players only: paths and commands would be the server's own.
"""

from __future__ import annotations

import functools

from ludus.courses import PRESETS, Course, parse_course, presets
from ludus.courses.tables import read_entered, read_late
from ludus.errors import UserError
from ludus.files import read_text
from ludus.players import is_named

FILE = "course.toml"
"""What errors call a course file."""


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


def check(toml: str, late: str = "", entered: str = "") -> None:
    """Raise UserError where a course or one of its tables cannot be read."""
    course = course_of(toml)
    if late.strip():
        read_late(late, "late.csv", course)
    if entered.strip():
        read_entered(entered, "entered.csv", course)
