"""Backups: everything that an arena stores in one zip file, written and restored while it runs.

A backup holds each table as lines of JSON, read in one transaction, and the files beside the database; it suits every
kind of database. A backup is first restored to a database of its own, which is upgraded to the newest version:
only what is valid replaces the old data, all or nothing. Meanwhile servers pause (`paused`). Knows no table by name.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import time
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Mapped, Session, mapped_column

from ludus.errors import DiskFullError, UserError, is_disk_full, no_space
from ludus.files import ScratchFolder, create_private
from ludus.store import VERSIONS, Model, open_database, upgrade
from ludus.store.integrity import explain_errors

MANIFEST = "manifest.json"
AT_ONCE = 500
"""Rows that are read or written together, if they have no more than BYTES_AT_ONCE: rows hold uploaded files too."""
BYTES_AT_ONCE = 16 << 20
LARGE_AT_ONCE = 4
"""Rows that are read together from a table that holds files."""
LONGEST_ROW = 64 << 20
LONGEST_MANIFEST = 1 << 20
PAUSE_SECONDS = 600
"""How long servers pause at most, even if the process that restores a backup dies."""
SETTLE_SECONDS = 2.0
"""How long servers have to notice that they must pause; they check more often."""

Counts = dict[str, int]


class PauseRow(Model):
    """A pause of all servers, and when it should be over; no row when they do not pause."""

    __tablename__ = "pause"
    id: Mapped[int] = mapped_column(primary_key=True)
    until: Mapped[datetime]


class PauseWatch:
    """Says whether servers of a database must pause; each measures by its own clock for how long it has."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._seen: tuple[datetime, float] | None = None

    def paused(self) -> bool:
        """Look into the database."""
        with Session(self._engine) as session:
            until = session.scalar(sa.select(PauseRow.until))
        now = time.monotonic()
        if until is None:
            self._seen = None
        elif self._seen is None or self._seen[0] != until:  # it is only compared: the clock may have been set
            self._seen = (until, now)
        return self._seen is not None and now - self._seen[1] < PAUSE_SECONDS


def back_up(database: Path | str, files: Path, out: Path) -> Counts:
    """Write everything into a zip file, and return how many rows of each table and how many files it holds."""
    engine = open_database(database)
    try:
        with ScratchFolder(out.absolute().parent, ".backing-up-") as scratch:
            counts = _write_backup(engine, files, scratch / "backup.zip")
            (scratch / "backup.zip").replace(out)
    except OSError as error:
        if is_disk_full(error):
            raise DiskFullError(no_space(out)) from None
        raise UserError("store.backup_not_written", path=out, problem=error.strerror) from None
    finally:
        engine.dispose()
    return counts


def _write_backup(engine: sa.Engine, files: Path, target: Path) -> Counts:
    counts: Counts = {}
    with (
        os.fdopen(create_private(target), "w+b") as stream,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made,
        engine.connect() as connection,
    ):
        if engine.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ")
        else:
            connection.execute(sa.text("BEGIN"))
        tables, version = _tables(connection)
        for table in tables:
            with made.open(f"tables/{table.name}.jsonl", "w") as lines:
                counts[table.name] = _write_rows(connection, table, lines)
        counts["files"] = _write_files(files, made)
        made.writestr(MANIFEST, json.dumps({"ludus": version, "made": _now(), "rows": counts}, indent=2))
    return counts


def restore(backup: Path, database: Path | str, files: Path) -> Counts:
    """Replace all data by that of a backup, all or nothing; return how many rows and files it held."""
    engine = open_database(database)
    with ScratchFolder(files.absolute().parent, ".restoring-") as scratch:
        whole, new_files = scratch / "whole.db", scratch / "files"
        counts = _unpack(backup, whole, new_files)
        source = open_database(whole)
        try:
            _set_pause(engine, PAUSE_SECONDS)
            time.sleep(SETTLE_SECONDS)
            _replace(source, engine)
            _swap(new_files, files, scratch / "before")
        finally:
            _set_pause(engine, None)
            source.dispose()
            engine.dispose()
    return counts


def content(database: Path | str) -> Counts:
    """Return how many rows the tables have, those that have any."""
    engine = open_database(database)
    try:
        with engine.connect() as connection:
            tables, _ = _tables(connection)
            count = sa.select(sa.func.count())
            counts = {table.name: connection.scalar(count.select_from(table)) or 0 for table in tables}
    finally:
        engine.dispose()
    return {name: count for name, count in counts.items() if count}


def _tables(connection: sa.Connection) -> tuple[list[sa.Table], str]:
    """Return the tables, those that others refer to first, and their version."""
    metadata = sa.MetaData()
    metadata.reflect(connection)
    version = str(connection.scalar(sa.select(metadata.tables[VERSIONS].c.version_num)))
    return [table for table in metadata.sorted_tables if table.name not in (VERSIONS, PauseRow.__tablename__)], version


def _write_rows(connection: sa.Connection, table: sa.Table, lines: IO[bytes]) -> int:
    count = 0
    for row in connection.execution_options(yield_per=_rows_at_once(table)).execute(sa.select(table)):
        lines.write(json.dumps([_plain(value) for value in row], ensure_ascii=False).encode() + b"\n")
        count += 1
    return count


def _rows_at_once(table: sa.Table) -> int:
    """Return how many rows of a table may be in memory at a time."""
    return LARGE_AT_ONCE if any(isinstance(column.type, sa.LargeBinary) for column in table.columns) else AT_ONCE


def _plain(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(value).decode()
    return _aware(value).isoformat() if isinstance(value, datetime) else value


def _aware(moment: datetime) -> datetime:
    """Return a moment with its zone: SQLite keeps none, and everything is written in UTC."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _write_files(files: Path, made: zipfile.ZipFile) -> int:
    count = 0
    for folder, folders, names in os.walk(files):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            with contextlib.suppress(FileNotFoundError):  # a running arena removes files too
                if path.is_file() and not path.is_symlink():
                    made.write(path, Path("files", path.relative_to(files)))
                    count += 1
    return count


def _unpack(backup: Path, whole: Path, files: Path) -> Counts:
    """Unpack a backup into a database and a folder of its own, and upgrade it to the newest version."""
    try:
        with zipfile.ZipFile(backup) as packed:
            with packed.open(MANIFEST) as stream:
                manifest = json.loads(stream.read(LONGEST_MANIFEST))
            _check_room(packed, files.parent)
            engine = sa.create_engine(f"sqlite:///{whole}")
            explain_errors(engine)
            upgrade(engine, manifest["ludus"])
            with engine.begin() as connection:
                for table in _tables(connection)[0]:
                    with packed.open(f"tables/{table.name}.jsonl") as lines:
                        _insert(connection, table, (_typed(table, row) for row in _rows(lines)))
            engine.dispose()
            files.mkdir(mode=0o700)
            for name in packed.namelist():
                if name.startswith("files/"):
                    packed.extract(name, files.parent)
    except FileNotFoundError:
        raise UserError("store.no_such_file", path=backup) from None
    except Exception as error:  # whatever is wrong with a backup, nothing has been touched yet
        if is_disk_full(error):
            raise DiskFullError(no_space(files.parent.parent)) from None
        raise UserError("store.backup_damaged", path=backup, problem=_first_line(error)) from None
    counts: Counts = manifest["rows"]
    return counts


def _check_room(packed: zipfile.ZipFile, folder: Path) -> None:
    """Raise UserError if the disk has no room for a backup."""
    needed, free = sum(item.file_size for item in packed.infolist()), shutil.disk_usage(folder).free
    if needed > free:
        raise UserError("store.no_space", needed=needed >> 20, free=free >> 20)


def _rows(lines: IO[bytes]) -> Iterator[list[Any]]:
    """Return the rows of a table; a line that is too long for a row is refused."""
    while line := lines.readline(LONGEST_ROW):
        if len(line) >= LONGEST_ROW:  # it may be a few bytes more than was asked for
            raise UserError("store.row_too_large", megabytes=LONGEST_ROW >> 20)
        yield json.loads(line)


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).strip().splitlines()[0]


def _typed(table: sa.Table, values: list[Any]) -> dict[str, Any]:
    row = {}
    for column, value in zip(table.columns, values, strict=True):
        if value is not None and isinstance(column.type, sa.LargeBinary):
            value = base64.b64decode(value)  # noqa: PLW2901
        elif value is not None and isinstance(column.type, sa.DateTime):
            value = datetime.fromisoformat(value)  # noqa: PLW2901
        row[column.name] = value
    return row


def _insert(connection: sa.Connection, table: sa.Table, rows: Iterator[dict[str, Any]]) -> None:
    batch: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += sum(len(value) for value in row.values() if isinstance(value, bytes | str))
        if len(batch) == AT_ONCE or size > BYTES_AT_ONCE:
            connection.execute(sa.insert(table), batch)
            batch.clear()
            size = 0
    if batch:
        connection.execute(sa.insert(table), batch)


def _set_pause(engine: sa.Engine, seconds: float | None) -> None:
    with Session(engine) as session, session.begin():
        session.execute(sa.delete(PauseRow))
        if seconds is not None:
            session.add(PauseRow(id=1, until=datetime.now(UTC) + timedelta(seconds=seconds)))


def _replace(source: sa.Engine, target: sa.Engine) -> None:
    """Replace the rows of a database by those of another in one transaction."""
    try:
        with source.connect() as reading, target.begin() as writing:
            tables, _ = _tables(writing)
            ours = sa.MetaData()
            ours.reflect(reading)
            for table in reversed(tables):
                writing.execute(sa.delete(table))
            for table in tables:
                mine = ours.tables[table.name]
                rows = reading.execution_options(yield_per=_rows_at_once(mine)).execute(sa.select(mine)).mappings()
                _insert(writing, table, (_zoned(dict(row)) for row in rows))
                _set_sequences(writing, table)
    except SQLAlchemyError as error:
        raise UserError("store.backup_not_restored", problem=_first_line(error)) from None


def _zoned(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _aware(value) if isinstance(value, datetime) else value for name, value in row.items()}


def _set_sequences(connection: sa.Connection, table: sa.Table) -> None:
    """Set PostgreSQL's counters to the last row."""
    if connection.dialect.name != "postgresql":
        return
    for column in sa.inspect(connection).get_columns(table.name):
        if "nextval" in str(column.get("default") or ""):
            name = column["name"]
            last = sa.select(sa.func.coalesce(sa.func.max(table.c[name]), 0) + 1).scalar_subquery()
            sequence = sa.func.pg_get_serial_sequence(table.name, name)
            connection.execute(sa.select(sa.func.setval(sequence, last, False)))


def _swap(new: Path, place: Path, before: Path) -> None:
    """Replace a folder by another."""
    if place.exists():
        place.rename(before)
    try:
        new.rename(place)
    except OSError:
        if before.exists():
            before.rename(place)
        raise
    shutil.rmtree(before, ignore_errors=True)
