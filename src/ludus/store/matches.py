"""The matches of the web arena: one row each, written again after every move, so that a game outlives its server.

Knows records as texts only; what they mean, and who may do what, is not known here.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import JSON, DateTime, Text, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from ludus.store import GameRow, Model, TournamentRow, open_database

if TYPE_CHECKING:
    from pathlib import Path


class MatchRow(Model):
    """A match as it stands."""

    __tablename__ = "match"
    id: Mapped[str] = mapped_column(Text, primary_key=True)
    game: Mapped[str] = mapped_column(Text)
    record: Mapped[str] = mapped_column(Text)
    owners: Mapped[list[str | None]] = mapped_column(JSON)
    version: Mapped[int]
    rematch: Mapped[str | None] = mapped_column(Text)
    finished: Mapped[bool]
    touched: Mapped[datetime] = mapped_column(DateTime(timezone=True), index=True)


class Stored(NamedTuple):
    """A match as the database keeps it."""

    id: str
    game: str
    record: str
    owners: list[str | None]
    """Of the two seats: what is kept of a person's secret; None for a player of ours, and for a seat still free."""
    version: int
    """How often it has changed."""
    rematch: str | None
    finished: bool


class Matches:
    """A database of matches."""

    def __init__(self, where: Path | str) -> None:
        self._engine = open_database(where)

    def save(self, match: Stored) -> None:
        """Write a match down as it stands; an older state of it never overwrites a newer one."""
        with Session(self._engine) as session, session.begin():
            row = session.get(MatchRow, match.id)
            if row is None:
                session.add(MatchRow(**match._asdict(), touched=datetime.now(UTC)))
            elif row.version <= match.version:
                for name, value in match._asdict().items():
                    setattr(row, name, value)
                row.touched = datetime.now(UTC)

    def load(self, name: str) -> Stored | None:
        """Give a match by its name; the games of tournaments have names as well."""
        with Session(self._engine) as session:
            if (number := _ledger_game(name)) is not None:
                return _of_ledger(session, number)
            row = session.get(MatchRow, name)
            return _stored(row) if row else None

    def unfinished(self, most: int) -> list[Stored]:
        """Give the matches that go on, the latest touched first."""
        wanted = select(MatchRow).where(MatchRow.finished.is_(False)).order_by(MatchRow.touched.desc()).limit(most)
        with Session(self._engine) as session:
            return [_stored(row) for row in session.scalars(wanted)]

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()


def _stored(row: MatchRow) -> Stored:
    return Stored(*(getattr(row, name) for name in Stored._fields))


def ledger_name(game: int) -> str:
    """Give the name under which a game of the ledger can be looked at like any match."""
    return f"game-{game:07d}"


def _ledger_game(name: str) -> int | None:
    number = name.removeprefix("game-")
    return int(number) if number != name and len(number) == 7 and number.isascii() and number.isdecimal() else None


def _of_ledger(session: Session, number: int) -> Stored | None:
    wanted = select(GameRow.record, TournamentRow.config).join(TournamentRow).where(GameRow.id == number)
    row = session.execute(wanted).one_or_none()
    return Stored(ledger_name(number), row[1]["game"], row[0], [None, None], 1, None, True) if row else None
