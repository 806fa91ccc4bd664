"""Accounts of the web arena: who has one, what proves it, what was done in its name.

Of passwords, sessions and tokens only hashes are kept, so that a stolen database opens no door. What other tables keep
about a person goes, and is given out, by the functions that they put under `on_delete` and `on_export` here.
Knows no HTTP, and not what a role may do.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import unicodedata
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, NamedTuple

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import ForeignKey, delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, Session, mapped_column

import ludus.store
from ludus.errors import UserError
from ludus.store import Model, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ROLES = ("guest", "student", "instructor", "admin")
"""In this order: each may do what those before it may. A guest has no account."""
LANGUAGES = ("en", "zh-Hant")
SHORTEST_PASSWORD, LONGEST_PASSWORD = 8, 200
SESSION_DAYS = 30
MOST_TOKENS = 20
MINUTES_BETWEEN_USES = 1
"""How exactly the last use of a token is known."""

SHORTEST_NAME, LONGEST_NAME = 2, 32

HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_NOBODY = HASHER.hash(secrets.token_urlsafe(16))
"""Checked when there is no such account, so that the answer takes as long."""


class AccountRow(Model):
    """An account. Its number is never used again."""

    __tablename__ = "account"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012 - SQLAlchemy's way
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    key: Mapped[str] = mapped_column(unique=True)
    """The name as it is compared."""
    password: Mapped[str]
    role: Mapped[str]
    language: Mapped[str]
    created: Mapped[datetime]


class SessionRow(Model):
    """A browser that is signed in."""

    __tablename__ = "session"
    hash: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    created: Mapped[datetime]
    expires: Mapped[datetime] = mapped_column(index=True)


class TokenRow(Model):
    """A token with which a program acts for an account."""

    __tablename__ = "token"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012
    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    hash: Mapped[str] = mapped_column(unique=True)
    created: Mapped[datetime]
    used: Mapped[datetime | None]


class AuditRow(Model):
    """An action and the account that did it; the account's number stays after it is deleted, its name does not."""

    __tablename__ = "audit"
    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    account_id: Mapped[int | None] = mapped_column(index=True)
    kind: Mapped[str]
    detail: Mapped[dict[str, Any]]


class Account(NamedTuple):
    """A person who has an account."""

    id: int
    name: str
    role: str
    language: str


class Token(NamedTuple):
    """A token as its owner sees it."""

    id: int
    name: str
    created: datetime
    used: datetime | None


class AuditEntry(NamedTuple):
    """A line of the audit log; without a name it was the command line or a deleted account."""

    id: int
    at: datetime
    account_id: int | None
    name: str | None
    kind: str
    detail: dict[str, Any]


if TYPE_CHECKING:
    DeleteHook = Callable[[Session, int], None]
    ExportHook = Callable[[Session, int], dict[str, Any]]

ON_DELETE: list[DeleteHook] = []
ON_EXPORT: list[ExportHook] = []


def on_delete(work: DeleteHook) -> DeleteHook:
    """Register a function to be called when an account is deleted, with the transaction and the account's number."""
    ON_DELETE.append(work)
    return work


def on_export(work: ExportHook) -> ExportHook:
    """Register a function that returns what is stored about an account as JSON, from a session and its number."""
    ON_EXPORT.append(work)
    return work


def owner_of_account(account: int) -> str:
    """Return the text by which matches and other things name the account that they belong to."""
    return f"account:{account}"


def is_account(owner: str | None) -> bool:
    """Return whether an owner's text names an account."""
    return owner is not None and owner.startswith("account:")


def name_key(name: str) -> str:
    """Return a name as it is compared: two names that look alike to a reader are one."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def read_name(text: str) -> str:
    """Return a name as it is stored; raise UserError if it is not allowed."""
    name = unicodedata.normalize("NFKC", text).strip()
    parts = re.split("[ ._-]", name)
    spelt = all(part and all(unicodedata.category(one)[0] in "LMN" for one in part) for part in parts)
    if not spelt or not SHORTEST_NAME <= len(name) <= LONGEST_NAME:
        raise UserError("store.name_rule", least=SHORTEST_NAME, most=LONGEST_NAME)
    return name


def read_password(text: str, name: str) -> bytes:
    """Return a password as it is hashed; raise UserError if it is not allowed."""
    if len(text) < SHORTEST_PASSWORD:
        raise UserError("store.password_too_short", least=SHORTEST_PASSWORD)
    if len(text) > LONGEST_PASSWORD:
        raise UserError("store.password_too_long", most=LONGEST_PASSWORD)
    if name_key(text) == name_key(name):
        raise UserError("store.password_is_name")
    return _plain(text)


def _plain(password: str) -> bytes:
    """Return a password in the form that is hashed: the same for every keyboard."""
    return unicodedata.normalize("NFKC", password).encode(errors="surrogatepass")


def read_role(text: str) -> str:
    """Return a role that an account can have."""
    if text not in ROLES[1:]:
        raise UserError("store.no_such_role", role=repr(text), roles=list(ROLES[1:]))
    return text


def _hash(secret: str) -> str:
    """Hash a random secret; a fast hash is enough for it."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _account(row: AccountRow) -> Account:
    return Account(row.id, row.name, row.role, row.language)


class Accounts(Store):
    """A database of accounts."""

    # Accounts

    def add(
        self, name: str, password: str, role: str = "student", language: str = "en", *, own: bool = False
    ) -> Account:
        """Create an account, by `own` sign-up or not; raise UserError for a name that is taken or invalid."""
        name = read_name(name)
        hashed = HASHER.hash(read_password(password, name))
        try:
            with self.session.begin() as session:
                row = AccountRow(
                    name=name,
                    key=name_key(name),
                    password=hashed,
                    role=read_role(role),
                    language=_language(language),
                    created=datetime.now(UTC),
                )
                session.add(row)
                session.flush()
                if own:
                    _note(session, row.id, "account.sign-up", {})
                else:
                    _note(session, None, "account.add", {"account": row.id, "role": role})
                return _account(row)
        except IntegrityError:
            raise UserError("store.name_taken", name=name) from None

    def find(self, name: str) -> Account | None:
        """Return an account by its name."""
        row = self._named(name)
        return _account(row) if row else None

    def _named(self, name: str) -> AccountRow | None:
        """Find an account by its name; what cannot be a name is not asked for: not every database would take it."""
        try:
            key = name_key(read_name(name))
        except ValueError:
            return None
        return self.row(select(AccountRow).where(AccountRow.key == key))

    def account(self, number: int) -> Account | None:
        """Return an account by its number."""
        row = self.get(AccountRow, number)
        return _account(row) if row else None

    def all(self) -> list[Account]:
        """Return all accounts, in the order of their names."""
        return list(map(_account, self.rows(select(AccountRow).order_by(AccountRow.key))))

    def names(self, owners: Iterable[str | None]) -> dict[str, str]:
        """Return the names of those owners that are accounts."""
        numbers = [int(owner[8:]) for owner in owners if owner and re.fullmatch(r"account:\d{1,18}", owner)]
        if not numbers:
            return {}
        with self.session() as session:
            rows = session.execute(select(AccountRow.id, AccountRow.name).where(AccountRow.id.in_(numbers)))
            return {owner_of_account(number): name for number, name in rows}

    def check(self, name: str, password: str) -> Account | None:
        """Return the account with this name and password; an unknown name takes as long as a wrong password."""
        row = self._named(name)
        known, hashed = (_account(row), row.password) if row else (None, _NOBODY)
        plain = _plain(password[: LONGEST_PASSWORD + 1])
        try:
            HASHER.verify(hashed, plain)
        except (VerificationError, InvalidHashError):
            return None
        if known and HASHER.check_needs_rehash(hashed):
            self.set_values(AccountRow, known.id, password=HASHER.hash(plain))
        return known

    def set_password(self, account: Account, password: str, by: int | None, keep: str = "") -> None:
        """Change a password and end all sessions but the one with a secret."""
        hashed = HASHER.hash(read_password(password, account.name))
        with self.session.begin() as session:
            session.get_one(AccountRow, account.id).password = hashed
            gone = delete(SessionRow).where(SessionRow.account_id == account.id, SessionRow.hash != _hash(keep))
            session.execute(gone)
            _note(session, by, "account.password", {"account": account.id})

    def set_role(self, account: Account, role: str, by: int | None) -> None:
        """Change the role of an account."""
        with self.session.begin() as session:
            session.get_one(AccountRow, account.id).role = read_role(role)
            _note(session, by, "account.role", {"account": account.id, "from": account.role, "to": role})

    def set_language(self, account: Account, language: str) -> None:
        """Store the language of an account."""
        self.set_values(AccountRow, account.id, language=_language(language))

    def remove(self, account: Account, by: int | None) -> None:
        """Remove an account and everything that is stored about it, all or nothing."""
        _import_hooks()
        with self.session.begin() as session:
            for work in ON_DELETE:
                work(session, account.id)
            for table in (SessionRow, TokenRow):
                session.execute(delete(table).where(table.account_id == account.id))
            session.execute(delete(AccountRow).where(AccountRow.id == account.id))
            _note(session, by, "account.remove", {"account": account.id})

    def export(self, account: Account) -> dict[str, Any]:
        """Return everything that is stored about an account, as JSON."""
        _import_hooks()
        with self.session() as session:
            row = session.get_one(AccountRow, account.id)
            exported: dict[str, Any] = {"account": {**account._asdict(), "created": row.created.isoformat()}}
            sessions = session.scalars(select(SessionRow).where(SessionRow.account_id == account.id))
            exported["sessions"] = [
                {"created": one.created.isoformat(), "expires": one.expires.isoformat()} for one in sessions
            ]
            noted = session.scalars(select(AuditRow).where(AuditRow.account_id == account.id).order_by(AuditRow.id))
            exported["audit"] = [{"at": one.at.isoformat(), "kind": one.kind, "detail": one.detail} for one in noted]
            for work in ON_EXPORT:
                exported |= work(session, account.id)
        exported["tokens"] = [
            {"name": one.name, "created": one.created.isoformat(), "used": one.used and one.used.isoformat()}
            for one in self.tokens(account)
        ]
        return exported

    # Sessions

    def sign_in(self, account: Account) -> str:
        """Begin a session and return its secret, which is not stored."""
        secret, now = secrets.token_urlsafe(32), datetime.now(UTC)
        with self.session.begin() as session:
            session.execute(delete(SessionRow).where(SessionRow.expires < now))
            expires = now + timedelta(days=SESSION_DAYS)
            session.add(SessionRow(hash=_hash(secret), account_id=account.id, created=now, expires=expires))
        return secret

    def of_session(self, secret: str) -> Account | None:
        """Return the account that is signed in with a secret."""
        wanted = (
            select(AccountRow)
            .join(SessionRow, SessionRow.account_id == AccountRow.id)
            .where(SessionRow.hash == _hash(secret), SessionRow.expires > datetime.now(UTC))
        )
        row = self.row(wanted)
        return _account(row) if row else None

    def sign_out(self, secret: str) -> None:
        """End a session."""
        self.execute(delete(SessionRow).where(SessionRow.hash == _hash(secret)))

    def sign_out_everywhere(self, account: Account) -> None:
        """End all sessions of an account."""
        self.execute(delete(SessionRow).where(SessionRow.account_id == account.id))

    # Tokens

    def add_token(self, account: Account, name: str) -> tuple[Token, str]:
        """Create a token; its secret is returned and not stored."""
        name = " ".join(unicodedata.normalize("NFKC", name).split())
        if not 1 <= len(name) <= 40 or not name.isprintable():
            raise UserError("store.token_name")
        if len(self.tokens(account)) >= MOST_TOKENS:
            raise UserError("store.too_many_tokens", most=MOST_TOKENS)
        secret, now = f"ludus_{secrets.token_urlsafe(32)}", datetime.now(UTC)
        with self.session.begin() as session:
            row = TokenRow(account_id=account.id, name=name, hash=_hash(secret), created=now)
            session.add(row)
            session.flush()
            _note(session, account.id, "token.add", {"token": row.id})
            return Token(row.id, name, now, None), secret

    def of_token(self, secret: str) -> Account | None:
        """Return the account of a token, and store when it was used."""
        now = datetime.now(UTC)
        with self.session.begin() as session:
            row = session.scalars(select(TokenRow).where(TokenRow.hash == _hash(secret))).one_or_none()
            if row is None:
                return None
            if row.used is None or now - row.used > timedelta(minutes=MINUTES_BETWEEN_USES):
                row.used = now
            return _account(session.get_one(AccountRow, row.account_id))

    def tokens(self, account: Account) -> list[Token]:
        """Return the tokens of an account, the newest first."""
        wanted = select(TokenRow).where(TokenRow.account_id == account.id).order_by(TokenRow.id.desc())
        return [Token(row.id, row.name, row.created, row.used) for row in self.rows(wanted)]

    def revoke(self, account: Account, token: int) -> bool:
        """End a token; return whether there was one of this account."""
        with self.session.begin() as session:
            row = session.get(TokenRow, token)
            if row is None or row.account_id != account.id:
                return False
            session.delete(row)
            _note(session, account.id, "token.revoke", {"token": token})
            return True

    # The audit log

    def note(self, account: int | None, kind: str, detail: dict[str, Any]) -> None:
        """Add a line to the audit log; accounts in `detail` are numbers, so that their names can be deleted."""
        with self.session.begin() as session:
            _note(session, account, kind, detail)

    def audit(self, before: int | None = None, most: int = 100) -> list[AuditEntry]:
        """Return the audit log, the newest first, from before an entry's number on."""
        wanted = select(AuditRow, AccountRow.name).outerjoin(AccountRow, AccountRow.id == AuditRow.account_id)
        if before is not None:
            wanted = wanted.where(AuditRow.id < before)
        with self.session() as session:
            return [
                AuditEntry(row.id, row.at, row.account_id, name, row.kind, dict(row.detail))
                for row, name in session.execute(wanted.order_by(AuditRow.id.desc()).limit(most))
            ]


def _note(session: Session, account: int | None, kind: str, detail: dict[str, Any]) -> None:
    session.add(AuditRow(at=datetime.now(UTC), account_id=account, kind=kind, detail=detail))


def _language(text: str) -> str:
    if text not in LANGUAGES:
        raise UserError("store.no_such_language", language=repr(text), languages=list(LANGUAGES))
    return text


def _import_hooks() -> None:
    """Import all modules that store something about accounts, so that their functions are registered."""
    for module in iter_modules(ludus.store.__path__, "ludus.store."):
        import_module(module.name)
