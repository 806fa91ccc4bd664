"""The ledger: the database that stores tournaments and their games. Tables, ratings and brackets are derived from it.

A game is one row, unique by tournament, pairing, board and seats; a second result for the same game changes nothing.
A game that is taken back leaves its row and the reason in the log. SQLite in a file, or PostgreSQL by URL. A row has a
checksum; what is damaged is noticed when it is read (`ludus.store.integrity`).
"""

from __future__ import annotations

import json
import operator
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, ProgrammingError, SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, sessionmaker

from ludus.errors import DamagedError, UserError, is_disk_full
from ludus.messages import Message
from ludus.play.result import GameResult
from ludus.store.integrity import (
    BUSY_SECONDS,
    BackgroundCheck,
    check_structure,
    checksum,
    damage,
    explain_errors,
    file_of,
    json_reader,
)

MIGRATIONS = Path(__file__).parent / "migrations"
TABLES = MIGRATIONS / "tables.sql"
"""The tables that all migrations make in SQLite; `make tables` writes it."""
IN_MEMORY = "sqlite://"
"""The place of a database that ends with its process."""
VERSIONS = "alembic_version"
"""The table that says which version the others have."""
UPGRADE_LOCK = 7_583_001
"""The number of the lock that keeps two processes from creating the same tables at once."""
BUSY_CODES = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


T = TypeVar("T")


class Moment(sa.TypeDecorator[datetime]):
    """A moment in UTC. SQLite stores no zone, so it is added to what is read."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: object) -> datetime | None:  # noqa: ARG002
        """Return a moment with its zone."""
        return value if value is None or value.tzinfo else value.replace(tzinfo=UTC)


class Model(DeclarativeBase):
    """The tables."""

    type_annotation_map: ClassVar = {str: sa.Text, datetime: Moment, dict[str, Any]: sa.JSON}

    @property
    def values(self) -> dict[str, Any]:
        """The values of the columns that were loaded, by name."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def exported(self, *names: str) -> dict[str, Any]:
        """Return some columns as JSON has them, with times as text."""
        found = {name: getattr(self, name) for name in names}
        return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in found.items()}


class TournamentRow(Model):
    """A tournament."""

    __tablename__ = "tournament"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    config: Mapped[dict[str, Any]]
    """What was fixed before its first game, as `Plan.config` gives it."""
    created: Mapped[datetime]


class GameRow(Model):
    """A game that was played: a GameResult, pairs of values in two columns."""

    __tablename__ = "game"
    __table_args__ = (sa.UniqueConstraint("tournament_id", "pairing", "board", "seats"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int] = mapped_column(sa.ForeignKey("tournament.id"), index=True)
    pairing: Mapped[str]
    board: Mapped[int]
    seats: Mapped[int]
    first: Mapped[str]
    second: Mapped[str]
    winner: Mapped[int | None]
    reason: Mapped[str]
    fault: Mapped[str]
    fault_message: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    margin: Mapped[int]
    moves: Mapped[int]
    used_first: Mapped[float]
    used_second: Mapped[float]
    left_first: Mapped[float | None]
    left_second: Mapped[float | None]
    version_first: Mapped[str]
    version_second: Mapped[str]
    stalled: Mapped[float]
    replays: Mapped[int]
    log_first: Mapped[str]
    """What a bot wrote to standard error: for its owner only, and in no table or page."""
    log_second: Mapped[str]
    host: Mapped[str]
    seed: Mapped[int]
    record: Mapped[str]
    finished: Mapped[datetime]
    checksum: Mapped[str | None]
    """Of all other columns but its number; games stored by older versions have none."""


GAMES = Model.metadata.tables["game"]
PAIRS = {"used": "used", "left": "left", "versions": "version", "logs": "log"}
"""The fields of a GameResult that two columns hold, and what the names of those begin with."""


def _columns(result: GameResult) -> dict[str, Any]:
    """Return the values of a game's columns, without its number, tournament and time."""
    elsewhere = ("id", "finished", "record_file")
    columns = {field.name: getattr(result, field.name) for field in fields(result) if field.name not in elsewhere}
    for field, column in PAIRS.items():
        columns[f"{column}_first"], columns[f"{column}_second"] = columns.pop(field)
    columns |= {name: float(columns[name]) for name in FLOATS if columns[name] is not None}
    return columns | {"fault_message": result.fault_message and result.fault_message.json}


def game_result(columns: sa.RowMapping) -> GameResult:
    """Return the game in these columns; a column that is missing has its default."""
    known = {field.name for field in fields(GameResult)}
    values = {name: value for name, value in columns.items() if name in known}
    for field, column in PAIRS.items():
        if f"{column}_first" in columns:
            values[field] = columns[f"{column}_first"], columns[f"{column}_second"]
    message = values["fault_message"]
    return GameResult(**values | {"fault_message": Message.from_json(message) if message else None})


_checked_values = operator.itemgetter(
    *(column.name for column in GAMES.columns if column.name not in ("id", "checksum"))
)
FLOATS = [column.name for column in GAMES.columns if isinstance(column.type, sa.Float)]


def is_sound(columns: Mapping[Any, Any]) -> bool:
    """Return whether a row of the table of games is what was stored."""
    return columns["checksum"] is None or columns["checksum"] == checksum(_checked_values(columns))


class LogRow(Model):
    """A change that a person made to a tournament, and why."""

    __tablename__ = "log"
    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int] = mapped_column(sa.ForeignKey("tournament.id"), index=True)
    at: Mapped[datetime]
    kind: Mapped[str]
    reason: Mapped[str]
    detail: Mapped[dict[str, Any]]


def _set_up_sqlite(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=NORMAL")  # a killed process loses nothing by it
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def database_url(where: Path | str) -> str:
    """Return the URL of a database: a URL stays as it is, anything else is a file."""
    text = str(where)
    if "://" not in text:
        return f"sqlite:///{text}"
    return text.replace("postgresql://", "postgresql+psycopg://", 1).replace("postgres://", "postgresql+psycopg://", 1)


def exists(where: Path | str) -> bool:
    """Return whether there is a database in a place, without making one; a server always has it."""
    url = sa.make_url(database_url(where))
    file = file_of(url)
    return file.is_file() if file else url.get_backend_name() != "sqlite"


def database_files(where: Path | str) -> list[Path]:
    """Return the files of an SQLite database: its own, and those that SQLite puts beside it; none for another kind."""
    file = file_of(sa.make_url(database_url(where)))
    return [Path(f"{file}{ending}") for ending in ("", "-wal", "-shm", "-journal")] if file else []


def open_database(where: Path | str) -> sa.Engine:
    """Open a database and upgrade its tables to the newest version."""
    url = database_url(where)
    if url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).absolute().parent.is_dir():
        raise UserError("ledger.no_folder", path=where)
    try:
        check_structure(sa.make_url(url))
        reader = {"json_deserializer": json_reader(sa.make_url(url))} if url.startswith("sqlite") else {}
        engine = sa.create_engine(url, pool_pre_ping=True, **reader)
        explain_errors(engine)
        if engine.dialect.name == "sqlite":
            sa.event.listen(engine, "connect", _set_up_sqlite)
        upgrade(engine)
    except ModuleNotFoundError as error:
        raise UserError("ledger.needs_package", database=_without_password(url), package=error.name) from None
    except SQLAlchemyError as error:
        raise UserError("ledger.unusable", database=_without_password(url), problem=_first_line(error)) from None
    return engine


def upgrade(engine: sa.Engine, version: str = "head") -> None:
    """Upgrade the tables to a version; if two processes try at the same time, one waits for the other."""
    found = _version(engine)
    if found == (newest() if version == "head" else version):
        return
    if found is None and version == "head" and engine.dialect.name == "sqlite" and _make_tables(engine):
        return
    migrate(engine, version)


def migrate(engine: sa.Engine, version: str = "head") -> None:
    """Run the migrations up to a version."""
    from alembic import command  # noqa: PLC0415 - slow to import
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(UPGRADE_LOCK)))
        else:
            connection.exec_driver_sql("BEGIN IMMEDIATE")  # the driver itself begins nothing before a change of tables
        config.attributes["connection"] = connection
        command.upgrade(config, version)
        connection.commit()


def _make_tables(engine: sa.Engine) -> bool:
    """Make the newest tables in an SQLite database without any: all migrations one after the other take far longer.

    Return whether it had none.
    """
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        if connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar():
            return False
        for statement in TABLES.read_text(encoding="utf-8").split(";\n"):
            connection.exec_driver_sql(statement)
        connection.commit()
    return True


def tables_of_migrations() -> str:
    """Return what TABLES must hold: the statements for the tables that all migrations make in SQLite."""
    engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    migrate(engine)
    with engine.connect() as connection:
        made = connection.exec_driver_sql(
            "SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' "
            "ORDER BY type DESC, iif(type = 'table', rowid, 0), name"
        )
        statements = [*made.scalars(), f"INSERT INTO {VERSIONS} VALUES ('{newest()}')"]  # noqa: S608 - both are ours
    return ";\n".join(statements) + "\n"


def newest() -> str:
    """Return the newest version that tables can have: migrations are numbered."""
    return max(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def _version(engine: sa.Engine) -> str | None:
    """Return the version of the tables; None where there are none."""
    try:
        with engine.connect() as connection:
            found: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    except (OperationalError, ProgrammingError):
        return None
    return found


class Store:
    """One kind of data in a database. Rows that it returns can be used after their session is closed."""

    def __init__(self, where: Path | str) -> None:
        self.engine = open_database(where)
        self.session = sessionmaker(self.engine, expire_on_commit=False)
        """`session()` reads, `session.begin()` writes."""

    def close(self) -> None:
        """Close the database."""
        self.engine.dispose()

    def rows(self, wanted: sa.Select[T]) -> list[T]:
        """Return what a query of one thing finds."""
        with self.session() as session:
            return list(session.scalars(wanted))

    def row(self, wanted: sa.Select[T]) -> T | None:
        """Return the first that a query of one thing finds."""
        with self.session() as session:
            return session.scalar(wanted)

    def get(self, model: type[T], key: Any) -> T | None:
        """Return the row of a table with a key."""
        with self.session() as session:
            return session.get(model, key)

    def execute(self, change: sa.Executable) -> None:
        """Change rows."""
        with self.session.begin() as session:
            session.execute(change)

    def set_values(self, model: type[Model], key: Any, **values: Any) -> None:
        """Set values of the row with a key, which must be there."""
        with self.session.begin() as session:
            row = session.get_one(model, key)
            for name, value in values.items():
                setattr(row, name, value)


class Ledger(Store):
    """A database of tournaments."""

    def __init__(self, where: Path | str) -> None:
        super().__init__(where)
        self._check: BackgroundCheck | None = None

    def check_in_background(self) -> None:
        """Begin to check the whole database, while it is used; `add` raises DamagedError if something is found."""
        self._check = BackgroundCheck(self.engine.url)

    def close(self) -> None:
        """Close the database."""
        if self._check is not None:
            self._check.close()
        super().close()

    @property
    def tables(self) -> Sequence[str]:
        """The names of the tables."""
        return sa.inspect(self.engine).get_table_names()

    def tournament(self, name: str, config: Mapping[str, object]) -> int:
        """Return the number of a tournament, a new one if need be; raise UserError if it has another config."""
        wanted = json.loads(json.dumps(dict(config)))
        with self.session.begin() as session:
            values = {"name": name, "config": wanted, "created": datetime.now(UTC)}
            session.execute(self._insert(TournamentRow).on_conflict_do_nothing(index_elements=["name"]), [values])
            row = session.scalars(sa.select(TournamentRow).where(TournamentRow.name == name)).one()
            before, number = dict(row.config), row.id
        for key in sorted({*before, *wanted}):
            if before.get(key) != wanted.get(key):
                changed = {"before": repr(before.get(key)), "now": repr(wanted.get(key))}
                raise UserError("ledger.changed_config", name=name, key=key, **changed)
        return number

    def _insert(self, model: type[Model]) -> Any:
        """Return an insertion that can specify what happens when the row exists."""
        dialect: Any = sqlite if self.engine.dialect.name == "sqlite" else postgresql
        return dialect.insert(model)

    def find(self, name: str) -> TournamentRow | None:
        """Return a tournament by its name."""
        return self.row(sa.select(TournamentRow).where(TournamentRow.name == name))

    def names(self) -> list[str]:
        """Return the names of all tournaments, the newest first."""
        return self.rows(sa.select(TournamentRow.name).order_by(TournamentRow.id.desc()))

    def add(self, tournament: int, games: Sequence[GameResult]) -> None:
        """Store games, all or none; one that has been stored before stays as it was."""
        if self._check is not None:
            self._check.raise_if_damaged()
        more = {"tournament_id": tournament, "finished": datetime.now(UTC)}
        unique = ["tournament_id", "pairing", "board", "seats"]
        rows = [{**_columns(game), **more} for game in games]
        for row in rows:
            row["checksum"] = checksum(_checked_values(row))
        with self.engine.begin() as connection:
            once = self._insert(GameRow).on_conflict_do_nothing(index_elements=unique)
            connection.execute(once, rows)

    def games(self, tournament: int) -> list[GameResult]:
        """Return all games of a tournament, in the order in which they were finished; DamagedError if one is not
        what was stored.
        """
        with self.session() as session:
            wanted = sa.select(GAMES).where(GAMES.c.tournament_id == tournament).order_by(GAMES.c.id)
            return [self._checked(row) for row in session.execute(wanted).mappings()]

    def _checked(self, row: sa.RowMapping) -> GameResult:
        if not is_sound(row):
            raise damage(self.engine.url, Message("ledger.other_checksum", game=row["id"]))
        return game_result(row)

    def undo(self, tournament: int, games: Iterable[int], reason: str, kind: str = "undo") -> int:
        """Remove games for a reason and return how many. The log keeps them; they can be played again."""
        if not reason.strip():
            raise UserError("ledger.undo_needs_reason")
        with self.session.begin() as session:
            wanted = (GAMES.c.tournament_id == tournament, GAMES.c.id.in_(list(games)))
            rows = session.execute(sa.select(GAMES).where(*wanted)).mappings().all()
            for row in rows:
                self._note(session, tournament, kind, reason, {**row, "finished": row["finished"].isoformat()})
            session.execute(sa.delete(GAMES).where(*wanted))
            return len(rows)

    def note(self, tournament: int, kind: str, reason: str, **detail: object) -> None:
        """Add a line to the log."""
        with self.session.begin() as session:
            self._note(session, tournament, kind, reason, detail)

    @staticmethod
    def _note(session: Session, tournament: int, kind: str, reason: str, detail: Mapping[str, object]) -> None:
        values = {"tournament_id": tournament, "at": datetime.now(UTC), "kind": kind, "reason": reason}
        session.execute(sa.insert(LogRow).values(**values, detail=dict(detail)))

    def log(self, tournament: int, kind: str | None = None) -> list[LogRow]:
        """Return what was done to a tournament, the oldest first."""
        wanted = sa.select(LogRow).where(LogRow.tournament_id == tournament).order_by(LogRow.id)
        return self.rows(wanted.where(LogRow.kind == kind) if kind else wanted)

    def withdrawals(self, tournament: int) -> dict[str, int]:
        """Return the entries that have withdrawn, and the round from which on each is out."""
        return {log.detail["entry"]: log.detail["round"] for log in self.log(tournament, "withdraw")}


def transient(error: BaseException) -> bool:
    """Return whether a database only lost its connection, or was busy: then the same may be tried again."""
    if not isinstance(error, DBAPIError):
        return False
    if isinstance(error.orig, sqlite3.OperationalError):
        return error.orig.sqlite_errorcode & 0xFF in BUSY_CODES
    return error.connection_invalidated or isinstance(error, OperationalError | InterfaceError)


def unavailable(error: BaseException) -> bool:
    """Return whether an error means that a database cannot be used now, whatever is asked of it."""
    return is_disk_full(error) or isinstance(error, DamagedError) or transient(error)


def _without_password(url: str) -> str:
    return sa.make_url(url).render_as_string(hide_password=True)


def _first_line(error: BaseException) -> str:
    return str(error.__cause__ or error).strip().splitlines()[0]
