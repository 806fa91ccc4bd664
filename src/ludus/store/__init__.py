"""The ledger: the database that is the truth about tournaments. Everything else (tables, ratings, brackets) is derived.

A game is one row, unique by tournament, pairing, board and seats, and its result goes in once: whoever comes second
with the same game changes nothing. What is taken back leaves its row and its reason in the log. SQLite in a file, or
PostgreSQL by URL.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    JSON,
    DateTime,
    ForeignKey,
    Text,
    UniqueConstraint,
    create_engine,
    delete,
    event,
    func,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError, SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Engine

MIGRATIONS = Path(__file__).parent / "migrations"
BUSY_SECONDS = 30
UPGRADE_LOCK = 7_583_001
"""Any number that is ours: two processes do not make the same tables at once."""


class Model(DeclarativeBase):
    """The tables."""


class TournamentRow(Model):
    """A tournament: its name, and everything that was settled before its first game."""

    __tablename__ = "tournament"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(Text, unique=True)
    config: Mapped[dict[str, Any]] = mapped_column(JSON)
    created: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class GameRow(Model):
    """A game that was played."""

    __tablename__ = "game"
    __table_args__ = (UniqueConstraint("tournament_id", "pairing", "board", "seats"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), index=True)
    pairing: Mapped[str] = mapped_column(Text)
    board: Mapped[int]
    seats: Mapped[int]
    """0 when the pairing's first entry moved first, 1 when its second did."""
    first: Mapped[str] = mapped_column(Text)
    """The entry that moved first."""
    second: Mapped[str] = mapped_column(Text)
    winner: Mapped[int | None]
    """The side that won: 0 first, 1 second; nothing for a draw."""
    reason: Mapped[str] = mapped_column(Text)
    fault: Mapped[str] = mapped_column(Text, default="")
    margin: Mapped[int] = mapped_column(default=0)
    """Points of the first side beyond the second's, in games with points."""
    moves: Mapped[int]
    used_first: Mapped[float]
    """Seconds."""
    used_second: Mapped[float]
    left_first: Mapped[float | None]
    left_second: Mapped[float | None]
    version_first: Mapped[str] = mapped_column(Text)
    """What played: a bot's content, or a player's text."""
    version_second: Mapped[str] = mapped_column(Text)
    stalled: Mapped[float] = mapped_column(default=0.0)
    """Seconds for which the referee itself was held up."""
    replays: Mapped[int] = mapped_column(default=0)
    """How often it was played again, since a time loss fell together with a stall of the referee."""
    log_first: Mapped[str] = mapped_column(Text, default="")
    """What a bot wrote on standard error: for its owner only, and in no table or page."""
    log_second: Mapped[str] = mapped_column(Text, default="")
    host: Mapped[str] = mapped_column(Text)
    seed: Mapped[int]
    record: Mapped[str] = mapped_column(Text)
    finished: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class LogRow(Model):
    """Something that a person did to a tournament, and why."""

    __tablename__ = "log"
    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), index=True)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    kind: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    detail: Mapped[dict[str, Any]] = mapped_column(JSON)


def _set_up_sqlite(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=NORMAL")  # a killed process loses nothing by it
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def database_url(where: Path | str) -> str:
    """Give the URL of a database: a URL stays as it is, anything else is a file."""
    text = str(where)
    if "://" not in text:
        return f"sqlite:///{text}"
    return text.replace("postgresql://", "postgresql+psycopg://", 1).replace("postgres://", "postgresql+psycopg://", 1)


def open_database(where: Path | str) -> Engine:
    """Open a database, and bring its tables to the newest form."""
    url = database_url(where)
    if url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).absolute().parent.is_dir():
        raise ValueError(f"{where}: there is no such folder for the database; make it first")
    try:
        engine = create_engine(url, pool_pre_ping=True)
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _set_up_sqlite)
        upgrade(engine)
    except ModuleNotFoundError as error:
        raise ValueError(
            f"the database {_shown(url)} needs the package {error.name}: pip install ludus[postgres]"
        ) from None
    except SQLAlchemyError as error:
        raise ValueError(f"the database {_shown(url)} cannot be used: {_first_line(error)}") from None
    return engine


def upgrade(engine: Engine, version: str = "head") -> None:
    """Bring the tables to a form, the newest; of two processes that try at the same time, one waits for the other."""
    if _version(engine) == (newest() if version == "head" else version):
        return
    from alembic import command  # noqa: PLC0415 - slow to import
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(UPGRADE_LOCK)))
        else:
            connection.exec_driver_sql("BEGIN IMMEDIATE")  # the driver itself begins nothing before a change of tables
        config.attributes["connection"] = connection
        command.upgrade(config, version)
        connection.commit()


def newest() -> str:
    """Give the newest form that tables can have: migrations are numbered."""
    return max(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def _version(engine: Engine) -> str | None:
    """Give the form that the tables have; nothing where there are none."""
    try:
        with engine.connect() as connection:
            found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    except (OperationalError, ProgrammingError):
        return None
    return found


class Ledger:
    """A database of tournaments."""

    def __init__(self, where: Path | str) -> None:
        self.where = str(where)
        self._engine = open_database(where)

    @property
    def engine(self) -> Engine:
        """The open database, for others who keep something beside the ledger."""
        return self._engine

    @property
    def tables(self) -> Sequence[str]:
        """The names of the tables."""
        return inspect(self._engine).get_table_names()

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def tournament(self, name: str, config: Mapping[str, Any]) -> int:
        """Find a tournament, or make it; one that was settled otherwise is a ValueError that says what differs."""
        settled = json.loads(json.dumps(dict(config)))
        with Session(self._engine) as session, session.begin():
            values = {"name": name, "config": settled, "created": datetime.now(UTC)}
            session.execute(self._insert(TournamentRow).on_conflict_do_nothing(index_elements=["name"]), [values])
            row = session.scalars(select(TournamentRow).where(TournamentRow.name == name)).one()
            before, number = dict(row.config), row.id
        for key in sorted({*before, *settled}):
            if before.get(key) != settled.get(key):
                raise ValueError(
                    f"tournament {name} began with {key} = {before.get(key)!r}, and now it is {settled.get(key)!r}; "
                    "give it another name, or set it back"
                )
        return number

    def _insert(self, model: type[Model]) -> Any:
        """Give an insertion that knows what to do about a row that is already there."""
        dialect: Any = sqlite if self._engine.dialect.name == "sqlite" else postgresql
        return dialect.insert(model)

    def find(self, name: str) -> tuple[int, dict[str, Any]] | None:
        """Give a tournament's number and how it was settled; None when there is none of that name."""
        with Session(self._engine) as session:
            row = session.scalars(select(TournamentRow).where(TournamentRow.name == name)).one_or_none()
            return (row.id, dict(row.config)) if row else None

    def names(self) -> list[str]:
        """Give the names of all tournaments, the newest first."""
        with Session(self._engine) as session:
            return list(session.scalars(select(TournamentRow.name).order_by(TournamentRow.id.desc())))

    def add(self, tournament: int, games: Sequence[Mapping[str, Any]]) -> None:
        """Write games down, all or none; one that has been written before, by whomever, stays as it was."""
        more = {"tournament_id": tournament, "finished": datetime.now(UTC)}
        unique = ["tournament_id", "pairing", "board", "seats"]
        with self._engine.begin() as connection:
            once = self._insert(GameRow).on_conflict_do_nothing(index_elements=unique)
            connection.execute(once, [{**game, **more} for game in games])

    def games(self, tournament: int) -> list[GameRow]:
        """Give all games of a tournament, in the order in which they were finished."""
        with Session(self._engine) as session:
            rows = list(
                session.scalars(select(GameRow).where(GameRow.tournament_id == tournament).order_by(GameRow.id))
            )
            session.expunge_all()
            return rows

    def undo(self, tournament: int, games: Iterable[int], reason: str, kind: str = "undo") -> int:
        """Take games back, for a reason; they go into the log as they were, and can be played again."""
        if not reason.strip():
            raise ValueError("a result is taken back only with a reason; say it with --reason")
        with Session(self._engine) as session, session.begin():
            wanted = list(games)
            rows = session.scalars(
                select(GameRow).where(GameRow.tournament_id == tournament, GameRow.id.in_(wanted))
            ).all()
            for row in rows:
                detail = {column.name: getattr(row, column.name) for column in GameRow.__table__.columns}
                detail["finished"] = row.finished.isoformat()
                self._note(session, tournament, kind, reason, detail)
            session.execute(delete(GameRow).where(GameRow.id.in_([row.id for row in rows])))
            return len(rows)

    def note(self, tournament: int, kind: str, reason: str, **detail: Any) -> None:
        """Write something into the log."""
        with Session(self._engine) as session, session.begin():
            self._note(session, tournament, kind, reason, detail)

    @staticmethod
    def _note(session: Session, tournament: int, kind: str, reason: str, detail: Mapping[str, Any]) -> None:
        values = {"tournament_id": tournament, "at": datetime.now(UTC), "kind": kind, "reason": reason}
        session.execute(insert(LogRow).values(**values, detail=dict(detail)))

    def log(self, tournament: int, kind: str | None = None) -> list[LogRow]:
        """Give what was done to a tournament, the first first."""
        with Session(self._engine) as session:
            wanted = select(LogRow).where(LogRow.tournament_id == tournament).order_by(LogRow.id)
            rows = list(session.scalars(wanted.where(LogRow.kind == kind) if kind else wanted))
            session.expunge_all()
            return rows


def transient(error: BaseException) -> bool:
    """Tell whether a database only lost its connection, or was busy: then the same may be tried again."""
    return isinstance(error, DBAPIError) and (
        error.connection_invalidated or "locked" in str(error) or "closed" in str(error)
    )


def _shown(url: str) -> str:
    """Give a URL without its password."""
    from sqlalchemy.engine import make_url  # noqa: PLC0415

    return make_url(url).render_as_string(hide_password=True)


def _first_line(error: BaseException) -> str:
    return str(error.__cause__ or error).strip().splitlines()[0]
