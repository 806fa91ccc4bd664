"""Who may sign up: anyone, those who have an invitation, or nobody; and the invitations.

An invitation is a code with a role, a number of accounts and an end. It is used up in the transaction that creates the
account, so that it never serves one more. Knows no HTTP, and not who may invite.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Literal, get_args

from sqlalchemy import ColumnElement, and_, delete, exists, func, or_, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from ludus.errors import UserError
from ludus.store import Model, Store
from ludus.store.accounts import ENDED_DAYS, AccountRow, hold, on_delete, on_export, read_role
from ludus.store.codes import code_hash, new_code

SignUp = Literal["open", "invitation", "closed"]
SIGN_UP: tuple[SignUp, ...] = get_args(SignUp)
MOST_INVITATIONS = 100
"""Invitations of one account that have not ended."""


class SettingRow(Model):
    """A setting that admins change while the server runs."""

    __tablename__ = "setting"
    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class Invitation(Model):
    """An invitation."""

    __tablename__ = "invitation"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012 - SQLAlchemy's way
    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int | None] = mapped_column(index=True)
    """Who invites; None for the command line."""
    hash: Mapped[str] = mapped_column(unique=True)
    role: Mapped[str]
    note: Mapped[str]
    """For whom it is, in the words of the person who invites."""
    left: Mapped[int]
    """How many accounts it can still create."""
    created: Mapped[datetime]
    expires: Mapped[datetime]


class Invitations(Store):
    """A database of invitations."""

    @property
    def sign_up(self) -> SignUp:
        """Who may sign up, as it is stored."""
        row = self.get(SettingRow, "sign_up")
        return read_sign_up(row.value) if row else "open"

    def set_sign_up(self, mode: SignUp) -> None:
        """Set who may sign up."""
        with self.session.begin() as session:
            session.merge(SettingRow(name="sign_up", value=mode))

    def add(self, account: int | None, role: str, uses: int, days: float, note: str = "") -> tuple[Invitation, str]:
        """Create an invitation; its code is returned and not stored."""
        code, now = new_code(), datetime.now(UTC)
        with self.session.begin() as session:
            if account is not None:
                hold(session, account)
                mine = select(func.count()).select_from(Invitation).where(*_usable(), Invitation.account_id == account)
                if (session.scalar(mine) or 0) >= MOST_INVITATIONS:
                    raise UserError("store.too_many_invitations", most=MOST_INVITATIONS)
            row = Invitation(account_id=account, hash=code_hash(code), role=read_role(role), note=note, left=uses)
            row.created, row.expires = now, now + timedelta(days=days)
            session.execute(delete(Invitation).where(Invitation.expires < now - timedelta(days=ENDED_DAYS)))
            session.add(row)
        return row, code

    def valid(self, account: int | None = None) -> list[Invitation]:
        """Return the invitations of an account, or all, that can still be used, the newest first."""
        wanted = select(Invitation).where(*_usable())
        if account is not None:
            wanted = wanted.where(Invitation.account_id == account)
        return self.rows(wanted.order_by(Invitation.id.desc()))

    def is_valid(self, code: str) -> bool:
        """Return whether a code is that of an invitation that can still be used."""
        return self.row(select(Invitation.id).where(Invitation.hash == code_hash(code), *_usable())) is not None

    def revoke(self, number: int, account: int | None = None) -> bool:
        """End an invitation of an account, or any; return whether there was one."""
        wanted = delete(Invitation).where(Invitation.id == number)
        if account is not None:
            wanted = wanted.where(Invitation.account_id == account)
        with self.session.begin() as session:
            return bool(session.execute(wanted.returning(Invitation.id)).all())


def _usable() -> tuple[ColumnElement[bool], ...]:
    """Return what holds for an invitation that can be used: its author must still have a role that may invite."""
    may = or_(AccountRow.role == "admin", and_(AccountRow.role == "instructor", Invitation.role == "student"))
    inviting = exists().where(AccountRow.id == Invitation.account_id, may)
    by = or_(Invitation.account_id.is_(None), inviting)
    return Invitation.left > 0, Invitation.expires > datetime.now(UTC), by


def use_invitation(session: Session, code: str, account: AccountRow) -> bool:
    """Let an invitation create an account, in the transaction that does; return whether it is valid."""
    wanted = (
        update(Invitation)
        .where(Invitation.hash == code_hash(code), *_usable())
        .values(left=Invitation.left - 1)
        .returning(Invitation.role)
    )
    role = session.scalar(wanted)
    if role is not None:
        account.role = role
    return role is not None


def read_sign_up(text: str) -> SignUp:
    """Return who may sign up; raise UserError for another word."""
    for mode in SIGN_UP:
        if mode == text:
            return mode
    raise UserError("store.no_sign_up", mode=repr(text), modes=list(SIGN_UP))


@on_delete
def _remove(session: Session, account: int) -> None:
    """End the invitations of an account."""
    session.execute(delete(Invitation).where(Invitation.account_id == account))


@on_export
def _export(session: Session, account: int) -> dict[str, Any]:
    """Return the invitations of an account."""
    mine = session.scalars(select(Invitation).where(Invitation.account_id == account).order_by(Invitation.id))
    return {"invitations": [one.exported("role", "note", "left", "expires") for one in mine]}
