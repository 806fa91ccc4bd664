"""What is wrong with a database in one sentence: its disk is full, or it is damaged; and how that is noticed.

SQLite is checked when it is opened (its structure, a moment per 100 MB), and then thoroughly in the background. Rows of
the ledger have a checksum besides: no check of SQLite's notices a changed letter in a record. Knows no table.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import shlex
import sqlite3
import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from ludus.errors import DamagedError, DiskFullError, is_disk_full, no_space
from ludus.messages import Message

NO_ROOM = 64 * 1024
"""Bytes: with less, a file system counts as full. SQLite reports it as other errors too, when it makes its files."""
FULL_STATES = ("53100",)
DAMAGED_STATES = ("XX001", "XX002")
"""PostgreSQL's codes."""
KEPT_CHECKS = 64
BUSY_SECONDS = 30


def explain_errors(engine: sa.Engine) -> None:
    """Let every error of a database that means a full disk or damage say so, wherever it comes up."""

    @sa.event.listens_for(engine, "handle_error")
    def explain(context: sa.ExceptionContext) -> None:
        problem = storage_problem(context.original_exception, engine.url)
        if problem is not None:
            raise problem from None


def storage_problem(error: BaseException, url: sa.URL) -> DiskFullError | DamagedError | None:
    """Return what an error of a driver means; None for everything that is neither a full disk nor damage."""
    state = getattr(error, "sqlstate", None)
    if state in FULL_STATES or is_disk_full(error):
        return DiskFullError(no_space(shown(url)))
    if state in DAMAGED_STATES:
        return damage(url, error)
    if not isinstance(error, sqlite3.Error):
        return None
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # the driver's own: a text that is not UTF-8
        return damage(url, error) if type(error) is sqlite3.OperationalError else None
    match code & 0xFF:
        case sqlite3.SQLITE_FULL:
            return DiskFullError(no_space(shown(url)))
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY if not _has_room(url):
            return DiskFullError(no_space(shown(url)))
        case sqlite3.SQLITE_CORRUPT:
            return damage(url, error)
        case sqlite3.SQLITE_NOTADB:
            return DamagedError("ledger.not_a_database", path=shown(url))
    return None


def _has_room(url: sa.URL) -> bool:
    file = file_of(url)
    try:
        found = os.statvfs(file.absolute().parent) if file else None
    except OSError:
        return True
    return found is None or (found.f_bavail * found.f_frsize >= NO_ROOM and (found.f_favail > 0 or not found.f_files))


def file_of(url: sa.URL) -> Path | None:
    """Return the file of a database; None for one in memory or on a server."""
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def shown(url: sa.URL) -> str:
    """Return the name of a database for people: its file, or its URL without the password."""
    return str(file_of(url) or url.render_as_string(hide_password=True))


def damage(url: sa.URL, problem: object) -> DamagedError:
    """Return the error of a damaged database, which says what to do."""
    what = problem if isinstance(problem, Message) else str(problem).strip().partition("\n")[0]
    if file_of(url) is None:
        return DamagedError("ledger.damaged_server", path=shown(url), problem=what)
    return DamagedError("ledger.damaged", path=shown(url), problem=what, command=salvaging(shown(url)))


def salvaging(path: str) -> str:
    """Return the command that keeps what can be read of a damaged file."""
    return shlex.join(["ludus", "salvage", path])


def json_reader(url: sa.URL) -> Any:
    """Return a function that reads the JSON of a database; what is none of it any more is damage."""

    def read(text: str) -> Any:
        try:
            return json.loads(text)
        except ValueError as error:
            raise damage(url, error) from None

    return read


def check_structure(url: sa.URL) -> None:
    """Check the structure of a file, unless this process has just done so; raise DamagedError."""
    file = file_of(url)
    if file is None or not file.exists():
        return
    found = file.stat()
    try:
        problem = _quick_check(str(file.absolute()), found.st_ino, found.st_size, found.st_mtime_ns)
    except sqlite3.Error as error:
        if meaning := storage_problem(error, url):
            raise meaning from None
        return  # it is busy, or may not be read: its next user finds that out
    if problem:
        raise damage(url, problem)


@functools.lru_cache(KEPT_CHECKS)
def _quick_check(file: str, *_state: int) -> str:
    """Return what is wrong. A server opens its database a dozen times: one check is enough while it is the same."""
    with contextlib.closing(sqlite3.connect(file, timeout=BUSY_SECONDS)) as database:
        return _first_problem(database, "quick_check")


def _first_problem(database: sqlite3.Connection, check: str) -> str:
    """Return the first problem that a check finds; empty if there is none."""
    found = str(database.execute(f"PRAGMA {check}(1)").fetchone()[0])
    return "" if found == "ok" else found.removeprefix("*** in database main ***\n")


class BackgroundCheck:
    """A thorough check of a file in a thread, while it is used; it takes about a second per GB."""

    def __init__(self, url: sa.URL) -> None:
        self._url = url
        self._problem: DamagedError | None = None
        self._database: sqlite3.Connection | None = None
        self._thread: threading.Thread | None = None
        file = file_of(url)
        if file is not None and file.exists():
            self._database = sqlite3.connect(file, timeout=BUSY_SECONDS, check_same_thread=False)
            self._thread = threading.Thread(target=self._run, args=(self._database,), daemon=True)
            self._thread.start()

    def _run(self, database: sqlite3.Connection) -> None:
        try:
            if problem := _first_problem(database, "integrity_check"):
                self._problem = damage(self._url, problem)
        except sqlite3.Error as error:  # that it was interrupted, among others
            meaning = storage_problem(error, self._url)
            self._problem = meaning if isinstance(meaning, DamagedError) else None

    def raise_if_damaged(self) -> None:
        """Raise DamagedError if it has found something."""
        if self._problem is not None:
            raise self._problem

    def wait(self) -> None:
        """Wait for its end."""
        if self._thread is not None:
            self._thread.join()

    def close(self) -> None:
        """Stop it."""
        if self._database is not None:
            self._database.interrupt()
            self.wait()
            self._database.close()


def checksum(values: Iterable[Any]) -> str:
    """Return a short digest of the values of a row, the same in every kind of database."""
    return hashlib.blake2b(json.dumps([*values], default=_moment).encode(), digest_size=8).hexdigest()


def _moment(value: datetime) -> str:
    return value.astimezone(UTC).isoformat()
