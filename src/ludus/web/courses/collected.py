"""The submissions of a class in one zip archive: whose each is, as `ludus course grade` tells it. Knows no HTTP.

A stranger's archive is read here, so this runs in a separate process with limits. Nothing of it is run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from ludus.bots.languages import language_of
from ludus.bots.source import File, packed, read_file, read_source
from ludus.courses.attempts import Attempt, unknown_person
from ludus.courses.download import read_download, unpack
from ludus.courses.roster import Person, Roster
from ludus.courses.submissions import with_short_paths
from ludus.display import HARMFUL
from ludus.errors import UserError, message_of
from ludus.files import ScratchFolder
from ludus.messages import Message
from ludus.web.courses.files import roster_of, with_deadline
from ludus.web.http.uploads import MOST_UPLOADED

STUDENT = re.compile(r"[\w .@-]{0,39}\w[\w .@-]{0,39}")
LONGEST_ID = 40
MOST_GUESSED = 30
"""Strangers for whom the closest on the roster is looked for: it takes time."""


class Collected(NamedTuple):
    """A submission in the archive of a class."""

    file: str
    """The name by which people know it."""
    name: str
    """The name under which it is stored."""
    data: bytes
    student: str
    people: tuple[Person, ...]
    at: datetime
    late: bool | None
    known: bool
    """Whether it is somebody's on the roster; also where there is no roster."""
    note: Message | None = None
    """What the instructor should look at."""
    refused: bool = False
    """Whether it cannot be stored; the note says why."""
    left_out: bool = False
    """Whether the instructor does not want it."""


class ClassArchive(NamedTuple):
    """What the archive of a class holds."""

    found: list[Collected]
    notes: list[Message]
    """What the instructor should know of the whole."""


def read_collected(
    data: bytes, toml: str, deadline: datetime | None, roster: str, owners: Mapping[int, str] = MappingProxyType({})
) -> ClassArchive:
    """Return the submissions in a zip archive, in the order of their names; raise UserError where it is none.

    `owners` has the students whom the instructor named, by the place in that order; an empty one leaves something out.
    """
    course, people = with_deadline(toml, deadline), roster_of(roster)
    with ScratchFolder() as scratch:
        where = unpack(course, data, scratch / "class", "zip")
        try:
            attempts, notes = read_download(course, where, scratch / "renamed")
        except UserError as error:
            raise UserError(with_short_paths(error.message, where)) from None
        guesses = MOST_GUESSED
        found = []
        for place, attempt in enumerate(attempts):
            owner = owners.get(place)
            named = replace(attempt, people=(Person(owner),)) if owner else attempt
            one = _collected(named, people, guess=guesses > 0)
            guesses -= not one.known
            found.append(one if owner != "" else one._replace(left_out=True))
        return ClassArchive(found, notes if course.deadline.at else [])


def _collected(attempt: Attempt, roster: Roster | None, *, guess: bool) -> Collected:
    path = attempt.path
    claimed = attempt.people[0]
    meant = roster.find(claimed) if roster else (claimed,)
    student = (meant[0] if meant else claimed).id
    note, refused, content = None, False, b""
    if not meant and roster is not None:
        note = unknown_person(claimed, roster) if guess else Message("courses.not_on_roster", student=claimed.title)
    name = HARMFUL.sub("", path.name).strip().lstrip(".")[:150] or "submission"
    try:
        if path.is_dir():
            name, content = f"{name}.tar", packed(read_source(path))
        else:
            content = path.read_bytes()
            read_file(path.name, File(content), path.name)
    except ValueError as error:  # it is stored as it is, and becomes this student's finding
        note, refused = with_short_paths(message_of(error), path), path.is_dir()
    if len(student) > LONGEST_ID or not STUDENT.fullmatch(student):
        note, refused = Message("courses.collected_no_id", file=attempt.file), True
    elif len(content) > MOST_UPLOADED:
        note, refused = Message("courses.collected_too_large", file=attempt.file, megabytes=MOST_UPLOADED >> 20), True
    elif not content and not refused:
        note, refused = Message("courses.empty_file"), True
    shown = HARMFUL.sub("", attempt.file)[:200]
    return Collected(
        shown, name, content, student, attempt.people, attempt.at, attempt.late, bool(meant), note, refused
    )


def source_files(name: str, data: bytes) -> list[str]:
    """Return the files of a submission that can be a program."""
    return sorted(file for file in read_file(name, File(data), name) if language_of(file))[:200]
