"""A course as the web keeps it: texts that are read and checked before they are believed. Knows no HTTP and no grades.

A course file of the web names players of ours only: paths and commands would be the server's own.
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from ludus.courses import PRESETS, Course, presets, read_course
from ludus.courses.grade import read_entered, read_late
from ludus.files import read_text, write_whole
from ludus.players import is_named


def preset_text(name: str) -> str:
    """Give the text of a preset, to be kept and edited."""
    if name not in presets():
        raise ValueError(f"there is no preset {name!r}; the presets are {', '.join(presets())}")
    return f'name = "{name}"\n{read_text(PRESETS / f"{name}.toml")}'


def read_held(toml: str, place: Path) -> Course:
    """Read a course from its text, by way of a folder of its own; every fault is one sentence."""
    place.mkdir(parents=True, exist_ok=True)
    path = place / "course.toml"
    write_whole(path, toml)
    try:
        course = read_course(path)
        for rule in course.rules:
            if "opponent" in rule.settings and not is_named(rule.settings["opponent"]):
                raise ValueError(f"course.toml, rubric.{rule.name}: the opponent must be a player of ours")
    except ValueError as error:
        raise ValueError(str(error).replace(f"{place}/", "")) from None
    return course


@functools.lru_cache(maxsize=256)
def shown(toml: str) -> Course:
    """Read a course that was checked before, only to show what is in it."""
    return check(toml)


def check(toml: str, late: str = "", entered: str = "") -> Course:
    """Read a course and its tables only to see whether they can be read."""
    with tempfile.TemporaryDirectory(prefix="ludus-course-") as scratch:
        place = Path(scratch)
        course = read_held(toml, place)
        for name, text, read in (("late.csv", late, read_late), ("entered.csv", entered, read_entered)):
            if text.strip():
                (place / name).write_text(text, encoding="utf-8")
                try:
                    read(place / name, course)
                except ValueError as error:
                    raise ValueError(str(error).replace(f"{place}/", "")) from None
        return course
