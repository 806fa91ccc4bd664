"""What can still be read of a damaged database, in a new one that takes its place; the damaged one is kept beside it.

Rows are read one by one past what is damaged. A game whose checksum is wrong, and a row that refers to a lost one, are
left out: a tournament that is resumed plays its missing games again. Knows no table but that of the games.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from ludus.errors import DamagedError, UserError
from ludus.files import ScratchFolder
from ludus.store import GAMES, VERSIONS, Ledger, is_sound, open_database

ENDINGS = ("", "-wal", "-shm")
"""The files of one database."""
SINGLE_STEPS = 4096
"""Rows that are tried one by one past a damaged place; then ever more are left out."""
LAST_ROW = 1 << 40
READERS: dict[str, Callable[[Any], object]] = {"JSON": json.loads, "DATETIME": datetime.fromisoformat}
"""What SQLite stores as text and others read as more."""


class Salvaged(NamedTuple):
    """What was kept, and where the damaged file is now."""

    rows: dict[str, int]
    """Of each table that has any."""
    damaged: Path


def salvage(path: Path) -> Salvaged:
    """Replace a damaged database by what can be read of it; nothing may use it meanwhile."""
    if not path.is_file():
        raise UserError("store.no_such_file", path=path)
    with ScratchFolder(path.absolute().parent, ".salvaging-") as scratch:
        new = scratch / "new.db"
        open_database(new).dispose()
        with contextlib.closing(sqlite3.connect(new)) as target:
            _copy(path, target)
            _drop_orphans(target)
        rows = _drop_unsound(new)
        if not rows:
            raise UserError("store.nothing_salvaged", path=path)
        aside = _free_name(path)
        for ending in ENDINGS:
            with contextlib.suppress(FileNotFoundError):
                Path(f"{path}{ending}").rename(f"{aside}{ending}")
        new.rename(path)
    return Salvaged(rows, aside)


def _copy(path: Path, target: sqlite3.Connection) -> None:
    """Copy every row that can be read."""
    with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as source:
        for table in _tables(target):
            try:
                there = _columns(source, table)
            except sqlite3.DatabaseError as error:
                raise UserError("store.nothing_salvaged", path=path) from error
            kinds = {name: kind for name, kind in _columns(target, table).items() if name in there}
            if kinds:
                names, holes = ", ".join(f'"{name}"' for name in kinds), ", ".join("?" * len(kinds))
                insertion = f'INSERT OR IGNORE INTO "{table}" ({names}) VALUES ({holes})'  # noqa: S608 - our own names
                rows = _rows(source, table, names)
                target.executemany(insertion, (row for row in rows if _is_readable(row, kinds.values())))
        target.commit()


def _tables(database: sqlite3.Connection) -> list[str]:
    found = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    return [name for (name,) in found if name != VERSIONS]


def _columns(database: sqlite3.Connection, table: str) -> dict[str, str]:
    """Return the columns of a table, and what they hold."""
    return {row[1]: row[2] for row in database.execute(f'PRAGMA table_info("{table}")')}


def _is_readable(row: tuple[Any, ...], kinds: Iterable[str]) -> bool:
    """Return whether the values of a row are what their columns hold."""
    try:
        for value, kind in zip(row, kinds, strict=True):
            if value is not None and kind in READERS:
                READERS[kind](value)
    except (ValueError, TypeError):
        return False
    return True


def _rows(database: sqlite3.Connection, table: str, names: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table that can be read, in their order."""
    query = f'SELECT rowid, {names} FROM "{table}" WHERE rowid > ? ORDER BY rowid'  # noqa: S608
    last = damaged = 0
    while last < LAST_ROW:
        try:
            for number, *values in database.execute(query, (last,)):
                yield tuple(values)
                last, damaged = number, 0
        except sqlite3.DatabaseError:
            damaged += 1
            last += 1 if damaged < SINGLE_STEPS else damaged
            damaged *= 1 if damaged < SINGLE_STEPS else 2
        else:
            return


def _drop_orphans(database: sqlite3.Connection) -> None:
    """Remove rows that refer to lost ones, until there are none."""
    while orphans := database.execute("PRAGMA foreign_key_check").fetchall():
        for table, row, *_ in orphans:
            database.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (row,))  # noqa: S608
    database.commit()


def _drop_unsound(path: Path) -> dict[str, int]:
    """Remove games that are not what was stored; return how many rows each table has."""
    with contextlib.closing(Ledger(path)) as ledger, ledger.engine.connect() as connection:
        for number in connection.scalars(sa.select(GAMES.c.id)).all():
            try:
                sound = is_sound(connection.execute(sa.select(GAMES).where(GAMES.c.id == number)).mappings().one())
            except (DamagedError, ValueError):  # not even what its column can hold
                sound = False
            if not sound:
                connection.execute(sa.delete(GAMES).where(GAMES.c.id == number))
        connection.commit()
        connection.exec_driver_sql("PRAGMA journal_mode=DELETE")  # so that the file is all there is
        counts = {
            table: connection.exec_driver_sql(f'SELECT count(*) FROM "{table}"').scalar() or 0  # noqa: S608
            for table in ledger.tables
            if table != VERSIONS
        }
    return {table: count for table, count in counts.items() if count}


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.name}.damaged{number or ''}") for number in itertools.count())
    return next(name for name in names if not name.exists())
