"""Studies that people keep: a title, who may see it, and chapters as JSON. Knows no rule and no page."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import JSON, ColumnElement, ForeignKey, delete, func, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from ludus.errors import UserError
from ludus.moments import steady
from ludus.store import Model, Store
from ludus.store.accounts import hold, on_delete, on_export

VISIBILITIES = ("private", "link", "public")
"""Who sees a study besides its owner: nobody, who has its address, or everybody, in a list."""
MOST_STUDIES = 200
"""Studies of one account."""
LISTED = 100
"""Studies in a list of public ones."""


class StudyRow(Model):
    """A study as it stands."""

    __tablename__ = "study"
    id: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    title: Mapped[str]
    game: Mapped[str]
    visibility: Mapped[str]
    chapters: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    version: Mapped[int]
    """How often it has changed."""
    touched: Mapped[datetime]


class StudySummary(NamedTuple):
    """A study in a list: everything but its chapters, which may be large."""

    id: str
    account_id: int
    title: str
    game: str
    visibility: str
    touched: datetime
    chapters: int
    """How many there are."""


class StudyContent(NamedTuple):
    """What its owner can change of a study."""

    title: str
    game: str
    visibility: str
    chapters: list[dict[str, Any]]


class Studies(Store):
    """The studies of all people."""

    def add(self, account: int, content: StudyContent) -> StudyRow:
        """Store a new study; UserError if its owner has too many."""
        with self.session.begin() as session:
            hold(session, account)
            count = session.scalar(select(func.count()).where(StudyRow.account_id == account)) or 0
            if count >= MOST_STUDIES:
                raise UserError("store.too_many_studies", most=MOST_STUDIES)
            identity = secrets.token_urlsafe(9)
            row = StudyRow(id=identity, account_id=account, version=1, touched=steady(), **content._asdict())
            session.add(row)
        return row

    def find(self, identity: str) -> StudyRow | None:
        """Return a study by its name."""
        return self.get(StudyRow, identity)

    def change(self, identity: str, version: int, content: StudyContent) -> int | None:
        """Store a change and return the new version; None if there is no study, or it has changed since a version."""
        with self.session.begin() as session:
            row = session.get(StudyRow, identity, with_for_update=True)
            if row is None or row.version != version:
                return None
            for name, value in content._asdict().items():
                setattr(row, name, value)
            row.version, row.touched = version + 1, steady()
            return version + 1

    def remove(self, identity: str) -> None:
        """Delete a study."""
        self.execute(delete(StudyRow).where(StudyRow.id == identity))

    def of(self, account: int) -> list[StudySummary]:
        """Return the studies of an account, the last changed first."""
        return self._list(StudyRow.account_id == account, MOST_STUDIES)

    def public(self) -> list[StudySummary]:
        """Return the public studies, the last changed first."""
        return self._list(StudyRow.visibility == "public", LISTED)

    def _list(self, which: ColumnElement[bool], most: int) -> list[StudySummary]:
        columns = [getattr(StudyRow, name) for name in StudySummary._fields[:-1]]
        wanted = select(*columns, func.json_array_length(StudyRow.chapters)).where(which)
        with self.session() as session:
            rows = session.execute(wanted.order_by(StudyRow.touched.desc()).limit(most))
            return [StudySummary._make(row) for row in rows]


@on_delete
def _forget(session: Session, account: int) -> None:
    """Remove the studies of a deleted account."""
    session.execute(delete(StudyRow).where(StudyRow.account_id == account))


@on_export
def _export(session: Session, account: int) -> dict[str, Any]:
    """Return the studies of an account."""
    rows = session.scalars(select(StudyRow).where(StudyRow.account_id == account).order_by(StudyRow.touched))
    return {"studies": [row.exported("id", "title", "game", "visibility", "chapters") for row in rows]}
