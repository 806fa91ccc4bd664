"""The tournaments of the web arena: which tournaments of the ledger are shown, who made them, which job plays them.

Everything about their games is in the ledger. Knows no format and no rating.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import ForeignKey, Select, func, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from ludus.errors import UserError
from ludus.play.result import GameResult
from ludus.store import GAMES, GameRow, Ledger, Model, Store, TournamentRow, game_result
from ludus.store.accounts import on_delete
from ludus.store.jobs import JobRow

MOST_LISTED = 200
LARGE = ("record", "log_first", "log_second")
"""The columns of a game that a list of games leaves out."""


class ArenaTournamentRow(Model):
    """A tournament that the arena shows."""

    __tablename__ = "staged_tournament"
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), primary_key=True, autoincrement=False)
    account_id: Mapped[int | None] = mapped_column(index=True)
    """Who made it; None when that account was deleted."""
    job: Mapped[str | None]
    """The job that plays it, or played it last."""
    created: Mapped[datetime]


class StoredTournament(NamedTuple):
    """A tournament that the arena shows."""

    id: int
    name: str
    config: Mapping[str, object]
    """What `Plan.from_config` reads."""
    job: str | None
    created: datetime


class TournamentSummary(NamedTuple):
    """A tournament in a list."""

    tournament: StoredTournament
    games: int
    """How many were played."""
    job_state: str | None
    job_result: object


class Tournaments(Store):
    """The arena's tournaments in a database."""

    def __init__(self, where: Path | str) -> None:
        self.ledger = Ledger(where)
        self.engine, self.session = self.ledger.engine, self.ledger.session

    def add(self, name: str, config: Mapping[str, object], account: int | None) -> int:
        """Enter a new tournament, and return its number; raise UserError if the name is taken."""
        if self.ledger.find(name) is not None:
            raise UserError("tournament.name_taken", name=repr(name))
        number = self.ledger.tournament(name, config)
        with self.session.begin() as session:
            session.add(ArenaTournamentRow(tournament_id=number, account_id=account, created=datetime.now(UTC)))
        return number

    def find(self, number: int) -> StoredTournament | None:
        """Return a tournament by its number."""
        with self.session() as session:
            row = session.execute(_joined().where(TournamentRow.id == number)).one_or_none()
            return _stored(row[0], row[1]) if row else None

    def set_job(self, number: int, job: str) -> None:
        """Store which job plays a tournament."""
        self.set_values(ArenaTournamentRow, number, job=job)

    def all(self, job_state: str | None = None) -> list[TournamentSummary]:
        """List the tournaments, the newest first; or only those whose job is in a state."""
        played = select(func.count()).where(GameRow.tournament_id == TournamentRow.id).scalar_subquery()
        wanted = _joined().add_columns(played, JobRow.state, JobRow.result)
        wanted = wanted.outerjoin(JobRow, JobRow.id == ArenaTournamentRow.job)
        if job_state is not None:
            wanted = wanted.where(JobRow.state == job_state)
        with self.session() as session:
            rows = session.execute(wanted.order_by(TournamentRow.id.desc()).limit(MOST_LISTED))
            return [
                TournamentSummary(_stored(tournament, arena), games, state, result)
                for tournament, arena, games, state, result in rows
            ]

    def games(self, number: int, after: int, most: int) -> list[GameResult]:
        """Return games of a tournament in the order in which they were finished, those after a game's number.

        Records and logs are left out: a list does not show them.
        """
        shown = [column for column in GAMES.columns if column.name not in LARGE]
        wanted = select(*shown).where(GAMES.c.tournament_id == number, GAMES.c.id > after)
        with self.session() as session:
            rows = session.execute(wanted.order_by(GAMES.c.id).limit(most)).mappings()
            return [game_result(row) for row in rows]


def _joined() -> Select[TournamentRow, ArenaTournamentRow]:
    return select(TournamentRow, ArenaTournamentRow).join(
        ArenaTournamentRow, ArenaTournamentRow.tournament_id == TournamentRow.id
    )


def _stored(tournament: TournamentRow, arena: ArenaTournamentRow) -> StoredTournament:
    return StoredTournament(tournament.id, tournament.name, tournament.config, arena.job, arena.created)


@on_delete
def _forget(session: Session, account: int) -> None:
    """Keep the tournaments of a deleted account, without an owner."""
    session.execute(update(ArenaTournamentRow).where(ArenaTournamentRow.account_id == account).values(account_id=None))
