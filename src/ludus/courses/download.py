"""The submissions of a class as they come: a folder, a zip archive, or the download of a platform in one of them.

An archive is read within limits and written to a folder, with the times that it has. Runs nothing.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ludus.bots.source import ArchiveLimits, read_zip
from ludus.courses import SubmissionSettings
from ludus.courses.platforms import MARK, Download, collect, detect
from ludus.courses.submissions import find_submissions, identify, write_files

if TYPE_CHECKING:
    from pathlib import Path

    from ludus.courses import Course

LIMITS = ArchiveLimits(files=8000, size=160 << 20)
"""Of the archive of a class; each submission in it has the limits of any other."""
OLDEST = datetime(2000, 1, 1, tzinfo=UTC)
"""A file with an earlier time has none."""


def read_download(course: Course, where: Path, staging: Path, platform: str | None = None) -> Download:
    """Return what a folder holds: attempts as a platform or the names of files tell them."""
    root = _inside_folder(where)
    found = collect(root, staging, platform)
    return found if found.attempts else Download([identify(course, path) for path in find_submissions(root)], [])


def _inside_folder(where: Path) -> Path:
    """Return the folder with the submissions: a download may have one folder around everything."""
    items = [path for path in where.iterdir() if path.name[0] not in "._"] if where.is_dir() else []
    alone = len(items) == 1 and items[0].is_dir() and detect(where) is None
    return items[0] if alone and detect(items[0]) is not None else where


def unpack(course: Course, data: bytes, folder: Path, source: str, limits: ArchiveLimits = LIMITS) -> Path:
    """Write a zip archive to a folder that is not there yet; return the folder in it that has the submissions.

    Times in a zip have no zone: they are read in that of the course.
    """
    files, times = read_zip(data, source, limits)
    write_files(files, folder)
    for name, at in times.items():
        _set_time(folder / name, at.replace(tzinfo=course.deadline.timezone))
    return _inside_archive(course, folder)


def _set_time(path: Path, at: datetime) -> None:
    """Give a file the time that the archive has for it; now, where that cannot be true."""
    if path.is_file() and OLDEST <= at <= datetime.now(UTC):
        os.utime(path, (at.timestamp(), at.timestamp()))


def _inside_archive(course: Course, root: Path) -> Path:
    """Return the folder with the submissions: many archives have one folder around everything."""
    items = [path for path in root.iterdir() if path.name[0] not in "._"]
    if len(items) != 1 or not items[0].is_dir() or MARK in items[0].name:
        return root
    own_pattern = course.submission.ids != SubmissionSettings().ids
    return root if own_pattern and identify(course, items[0]).misnamed is None else items[0]
