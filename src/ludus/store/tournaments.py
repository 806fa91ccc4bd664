"""The tournaments of the web arena: which of the ledger's are shown, who made them, which job plays them.

Everything about their games is in the ledger; what they mean is not known here.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import DateTime, ForeignKey, Text, func, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from ludus.store import GameRow, Ledger, Model, TournamentRow
from ludus.store.accounts import on_delete
from ludus.store.jobs import JobRow

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MOST_LISTED = 200
GAME_COLUMNS = (
    "id",
    "pairing",
    "board",
    "seats",
    "first",
    "second",
    "winner",
    "reason",
    "fault",
    "margin",
    "moves",
    "finished",
)
"""What a page shows of a game in a list; logs of bots are not among it."""


class StagedRow(Model):
    """A tournament that the arena shows."""

    __tablename__ = "staged_tournament"
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), primary_key=True, autoincrement=False)
    account_id: Mapped[int | None] = mapped_column(index=True)
    """Who made it; nobody when that account has gone."""
    job: Mapped[str | None] = mapped_column(Text)
    """The job that plays it, or did so last."""
    created: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class Staged(NamedTuple):
    """A tournament as the arena knows it."""

    id: int
    name: str
    config: dict[str, Any]
    job: str | None
    created: datetime


class Line(NamedTuple):
    """A tournament in a list."""

    staged: Staged
    games: int
    """Those that were played."""
    state: str | None
    """The job's."""
    result: Any
    """The job's."""


class Tournaments:
    """A database of tournaments, as the arena sees it."""

    def __init__(self, where: Path | str) -> None:
        self.ledger = Ledger(where)
        self._engine = self.ledger.engine

    def close(self) -> None:
        """Let go of the database."""
        self.ledger.close()

    def add(self, name: str, settled: Mapping[str, Any], account: int | None) -> int:
        """Enter a new tournament, and give its number; a name that is taken is a ValueError."""
        if self.ledger.find(name) is not None:
            raise ValueError(f"there is a tournament {name!r} already; give this one another name")
        number = self.ledger.tournament(name, settled)
        with Session(self._engine) as session, session.begin():
            session.add(StagedRow(tournament_id=number, account_id=account, created=datetime.now(UTC)))
        return number

    def find(self, number: int) -> Staged | None:
        """Give a tournament by its number."""
        wanted = _staged().where(TournamentRow.id == number)
        with Session(self._engine) as session:
            row = session.execute(wanted).one_or_none()
            return _made(row) if row else None

    def set_job(self, number: int, job: str) -> None:
        """Say which job plays a tournament."""
        with Session(self._engine) as session, session.begin():
            session.get_one(StagedRow, number).job = job

    def all(self, state: str | None = None) -> list[Line]:
        """List the tournaments, the newest first; or only those whose job is in a state."""
        played = select(func.count()).where(GameRow.tournament_id == TournamentRow.id).scalar_subquery()
        wanted = _staged().add_columns(played, JobRow.state, JobRow.result)
        wanted = wanted.outerjoin(JobRow, JobRow.id == StagedRow.job)
        if state is not None:
            wanted = wanted.where(JobRow.state == state)
        with Session(self._engine) as session:
            rows = session.execute(wanted.order_by(TournamentRow.id.desc()).limit(MOST_LISTED))
            return [Line(_made(row[:5]), *row[5:]) for row in rows]

    def games(self, number: int, after: int, most: int) -> list[dict[str, Any]]:
        """Give some games of a tournament from behind a game's number on, in the order in which they were finished."""
        columns = [getattr(GameRow, name) for name in GAME_COLUMNS]
        wanted = select(*columns).where(GameRow.tournament_id == number, GameRow.id > after)
        with Session(self._engine) as session:
            rows = session.execute(wanted.order_by(GameRow.id).limit(most))
            return [dict(zip(GAME_COLUMNS, row, strict=True)) for row in rows]


def _staged() -> Any:
    columns = (TournamentRow.id, TournamentRow.name, TournamentRow.config, StagedRow.job, StagedRow.created)
    return select(*columns).join(StagedRow, StagedRow.tournament_id == TournamentRow.id)


def _made(row: Any) -> Staged:
    number, name, config, job, created = row
    return Staged(number, name, config, job, created if created.tzinfo else created.replace(tzinfo=UTC))


@on_delete
def _forget(session: Session, account: int) -> None:
    """Leave the tournaments of someone who goes to the arena."""
    session.execute(update(StagedRow).where(StagedRow.account_id == account).values(account_id=None))
