"""What each person shows of themselves to others. Who has chosen nothing has the defaults. Knows no page."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import ForeignKey, delete
from sqlalchemy.orm import Mapped, Session, mapped_column

from ludus.store import Model, Store
from ludus.store.accounts import on_delete, on_export

PARTS = ("games", "ratings", "bots", "levels")
"""What a profile can show: games that anybody could find, ratings, public bots, results against the engine's levels."""
DEFAULT = ("games", "ratings", "bots")
"""Games against the engine are nobody else's business unless the person says so."""


class ProfileRow(Model):
    """The choices of a person."""

    __tablename__ = "profile"
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), primary_key=True)
    public: Mapped[bool]
    shows: Mapped[str]
    """The parts with blanks between them."""


class Profile(NamedTuple):
    """What a person shows: nothing where it is not public, else the parts."""

    public: bool = True
    shows: tuple[str, ...] = DEFAULT


class Profiles(Store):
    """The choices of all people."""

    def of(self, account: int) -> Profile:
        """Return what a person shows."""
        row = self.get(ProfileRow, account)
        return _profile(row) if row else Profile()

    def set(self, account: int, profile: Profile) -> None:
        """Store what a person shows."""
        shows = " ".join(part for part in PARTS if part in profile.shows)
        with self.session.begin() as session:
            session.merge(ProfileRow(account_id=account, public=profile.public, shows=shows))


def _profile(row: ProfileRow) -> Profile:
    return Profile(row.public, tuple(row.shows.split()))


@on_delete
def _forget(session: Session, account: int) -> None:
    """Remove the choices of a deleted account."""
    session.execute(delete(ProfileRow).where(ProfileRow.account_id == account))


@on_export
def _export(session: Session, account: int) -> dict[str, Any]:
    """Return the choices of an account."""
    row = session.get(ProfileRow, account)
    found = _profile(row) if row else Profile()
    return {"profile": {"public": found.public, "shows": list(found.shows)}}
