"""Accounts of the web arena: who has one, what proves it, what was done in its name.

Of passwords, sessions and tokens only hashes are kept, so that a stolen database opens no door. What other tables keep
about a person goes, and is given out, by the functions that they put under `on_delete` and `on_export` here.
Knows no HTTP, and not what a role may do.
"""

from __future__ import annotations

import functools
import re
import secrets
import unicodedata
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from sqlalchemy import ForeignKey, delete, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, Session, mapped_column

import ludus.store
from ludus.display import is_deceptive
from ludus.errors import UserError
from ludus.moments import earliest
from ludus.store import Model, Store
from ludus.store.codes import secret_hash
from ludus.store.passwords import LONGEST_PASSWORD, name_key, plain_password, read_password

ROLES = ("guest", "student", "instructor", "admin")
"""In this order: each may do what those before it may. A guest has no account."""
LANGUAGES = ("en", "zh-Hant")
SCOPES = ("read", "play", "submit", "teach", "admin")
"""What a token may do. Every token may read; the last two let it use the role of an instructor or an admin."""
EVERYTHING = "all"
"""The scope of tokens that were made before there were scopes."""
SESSION_DAYS = 30
MOST_TOKENS = 20
ENDED_DAYS = 90
"""How long a token that has ended stays in the list."""
MINUTES_BETWEEN_USES = 1
"""How exactly the last use of a token is known."""

SHORTEST_NAME, LONGEST_NAME = 2, 32


@functools.cache
def hasher() -> PasswordHasher:
    """Return what hashes passwords. A ledger has tables of accounts too, but needs no package for passwords."""
    from argon2 import PasswordHasher  # noqa: PLC0415 - only `ludus[web]` has it

    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


@functools.cache
def nobodys_hash() -> str:
    """Return what is checked when there is no such account, so that the answer takes as long."""
    return hasher().hash(secrets.token_urlsafe(16))


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


class Token(Model):
    """A token with which a program acts for an account."""

    __tablename__ = "token"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012
    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    hash: Mapped[str] = mapped_column(unique=True)
    created: Mapped[datetime]
    used: Mapped[datetime | None]
    scope_text: Mapped[str] = mapped_column("scopes")
    """The scopes with blanks between them."""
    expires: Mapped[datetime | None]
    """None for tokens that were made before they had an end."""

    @property
    def scopes(self) -> list[str]:
        """The scopes, in their usual order."""
        return self.scope_text.split()

    @property
    def ended(self) -> bool:
        """Whether it is no longer valid."""
        return self.expires is not None and self.expires <= datetime.now(UTC)


class AuditRow(Model):
    """An action and the account that did it; the account's number stays after it is deleted, its name does not."""

    __tablename__ = "audit"
    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    account_id: Mapped[int | None] = mapped_column(index=True)
    kind: Mapped[str]
    detail: Mapped[dict[str, Any]]


@dataclass(frozen=True)
class Account:
    """A person who has an account."""

    id: int
    name: str
    role: str
    language: str


@dataclass(frozen=True)
class AuditEntry:
    """A line of the audit log; without a name it was the command line or a deleted account."""

    id: int
    at: datetime
    account_id: int | None
    name: str | None
    kind: str
    detail: dict[str, Any]


if TYPE_CHECKING:
    from argon2 import PasswordHasher

    DeleteHook = Callable[[Session, int], None]
    ExportHook = Callable[[Session, int], dict[str, Any]]
    Admission = Callable[[Session, "AccountRow"], None]

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


def hold(session: Session, account: int | None) -> None:
    """Let all who want to hold the same account wait for the end of this transaction; None holds nothing.

    Who counts what an account has before adding to it does this first: of many requests at once each counts the others.
    """
    session.execute(update(AccountRow).where(AccountRow.id == account).values(role=AccountRow.role))


def read_name(text: str) -> str:
    """Return a name as it is stored; raise UserError if it is not allowed."""
    name = unicodedata.normalize("NFKC", text).strip()
    parts = re.split("[ ._-]", name)
    spelt = all(part and all(unicodedata.category(one)[0] in "LMN" for one in part) for part in parts)
    if not spelt or not SHORTEST_NAME <= len(name) <= LONGEST_NAME:
        raise UserError("store.name_rule", least=SHORTEST_NAME, most=LONGEST_NAME)
    return name


def read_role(text: str) -> str:
    """Return a role that an account can have."""
    if text not in ROLES[1:]:
        raise UserError("store.no_such_role", role=repr(text), roles=list(ROLES[1:]))
    return text


def _account(row: AccountRow) -> Account:
    return Account(row.id, row.name, row.role, row.language)


class Accounts(Store):
    """A database of accounts."""

    def __init__(self, where: Path | str) -> None:
        super().__init__(where)
        nobodys_hash()

    # Accounts

    def add(
        self,
        name: str,
        password: str,
        role: str = "student",
        language: str = "en",
        *,
        own: bool = False,
        admit: Admission | None = None,
    ) -> Account:
        """Create an account, by `own` sign-up or not; raise UserError for a name that is taken or invalid.

        `admit` is called with the transaction and the new row; it may change the row, or raise to undo everything.
        """
        name = read_name(name)
        if is_deceptive(name):
            raise UserError("store.name_deceptive")
        hashed = hasher().hash(read_password(password, name))
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
                if admit is not None:
                    admit(session, row)
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

    def joined(self, account: Account) -> datetime:
        """Return when an account was created."""
        with self.session() as session:
            return session.get_one(AccountRow, account.id).created

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
        found = self._checked(name, password)
        return found and found[0]

    def enter(self, name: str, password: str) -> tuple[Account, str] | None:
        """Return the same and the secret of a new session.

        None too if the password has changed in the meantime: a new one ends all sessions, and so also the one that
        somebody with the old one was about to begin.
        """
        if (found := self._checked(name, password)) is None:
            return None
        account, hashed = found
        with self.session.begin() as session:
            secret = _begin_session(session, account)  # first, since only a change locks SQLite
            current = select(AccountRow.password).where(AccountRow.id == account.id).with_for_update()
            if session.scalar(current) == hashed:
                return account, secret
            session.rollback()
        return None

    def _checked(self, name: str, password: str) -> tuple[Account, str] | None:
        """Return an account and the hash that its password was found to have."""
        from argon2.exceptions import InvalidHashError, VerificationError  # noqa: PLC0415 - as above

        row = self._named(name)
        known, hashed = (_account(row), row.password) if row else (None, nobodys_hash())
        plain = plain_password(password[: LONGEST_PASSWORD + 1])
        try:
            hasher().verify(hashed, plain)
        except (VerificationError, InvalidHashError):
            return None
        if known and hasher().check_needs_rehash(hashed):
            same = (AccountRow.id == known.id, AccountRow.password == hashed)
            hashed = hasher().hash(plain)
            self.execute(update(AccountRow).where(*same).values(password=hashed))
        return (known, hashed) if known else None

    def set_password(self, account: Account, password: str, by: int | None, keep: str = "") -> None:
        """Change a password and end all sessions but the one with a secret."""
        hashed = hasher().hash(read_password(password, account.name))
        with self.session.begin() as session:
            session.get_one(AccountRow, account.id).password = hashed
            gone = delete(SessionRow).where(SessionRow.account_id == account.id, SessionRow.hash != secret_hash(keep))
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
            for table in (SessionRow, Token):
                session.execute(delete(table).where(table.account_id == account.id))
            session.execute(delete(AccountRow).where(AccountRow.id == account.id))
            _note(session, by, "account.remove", {"account": account.id})

    def export(self, account: Account) -> dict[str, Any]:
        """Return everything that is stored about an account, as JSON."""
        _import_hooks()
        with self.session() as session:
            row = session.get_one(AccountRow, account.id)
            exported: dict[str, Any] = {"account": asdict(account) | row.exported("created")}
            sessions = session.scalars(select(SessionRow).where(SessionRow.account_id == account.id))
            exported["sessions"] = [one.exported("created", "expires") for one in sessions]
            noted = session.scalars(select(AuditRow).where(AuditRow.account_id == account.id).order_by(AuditRow.id))
            exported["audit"] = [one.exported("at", "kind", "detail") for one in noted]
            for work in ON_EXPORT:
                exported |= work(session, account.id)
        tokens = [one.exported("name", "scopes", "created", "used", "expires") for one in self.tokens(account)]
        return exported | {"tokens": tokens}

    # Sessions

    def sign_in(self, account: Account) -> str:
        """Begin a session and return its secret, which is not stored."""
        with self.session.begin() as session:
            return _begin_session(session, account)

    def of_session(self, secret: str) -> Account | None:
        """Return the account that is signed in with a secret."""
        wanted = (
            select(AccountRow)
            .join(SessionRow, SessionRow.account_id == AccountRow.id)
            .where(SessionRow.hash == secret_hash(secret), SessionRow.expires > datetime.now(UTC))
        )
        row = self.row(wanted)
        return _account(row) if row else None

    def sign_out(self, secret: str) -> None:
        """End a session."""
        self.execute(delete(SessionRow).where(SessionRow.hash == secret_hash(secret)))

    def sign_out_everywhere(self, account: Account) -> None:
        """End all sessions of an account."""
        self.execute(delete(SessionRow).where(SessionRow.account_id == account.id))

    # Tokens

    def add_token(self, account: Account, name: str, scopes: Collection[str], days: float) -> tuple[Token, str]:
        """Create a token; its secret is returned and not stored."""
        name = " ".join(unicodedata.normalize("NFKC", name).split())
        if not 1 <= len(name) <= 40 or not name.isprintable():
            raise UserError("store.token_name")
        for scope, role in (("teach", "instructor"), ("admin", "admin")):
            if scope in scopes and ROLES.index(account.role) < ROLES.index(role):
                raise UserError("store.scope_above_role", scope=scope, role=account.role)
        secret, now = f"ludus_{secrets.token_urlsafe(32)}", datetime.now(UTC)
        with self.session.begin() as session:
            hold(session, account.id)
            known = session.scalars(select(Token).where(Token.account_id == account.id))
            if sum(not one.ended for one in known) >= MOST_TOKENS:
                raise UserError("store.too_many_tokens", most=MOST_TOKENS)
            old = now - timedelta(days=ENDED_DAYS)
            session.execute(delete(Token).where(Token.account_id == account.id, Token.expires < old))
            token = Token(account_id=account.id, name=name, hash=secret_hash(secret), created=now)
            token.scope_text = " ".join(scope for scope in SCOPES if scope in scopes)
            token.expires = now + timedelta(days=days)
            session.add(token)
            session.flush()
            _note(session, account.id, "token.add", {"token": token.id, "scopes": token.scopes})
            return token, secret

    def of_token(self, secret: str) -> tuple[Account, Token] | None:
        """Return a token that is valid and its account, and store when it was used."""
        now = datetime.now(UTC)
        with self.session.begin() as session:
            row = session.scalars(select(Token).where(Token.hash == secret_hash(secret))).one_or_none()
            if row is None or row.ended:
                return None
            if row.used is None or now - row.used > timedelta(minutes=MINUTES_BETWEEN_USES):
                row.used = now
            return _account(session.get_one(AccountRow, row.account_id)), row

    def tokens(self, account: Account) -> list[Token]:
        """Return the tokens of an account, the newest first."""
        return self.rows(select(Token).where(Token.account_id == account.id).order_by(Token.id.desc()))

    def revoke(self, account: Account, token: int) -> bool:
        """End a token; return whether there was one of this account."""
        with self.session.begin() as session:
            row = session.get(Token, token)
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


def _begin_session(session: Session, account: Account) -> str:
    secret, now = secrets.token_urlsafe(32), datetime.now(UTC)
    session.execute(delete(SessionRow).where(SessionRow.expires < earliest()))
    expires = now + timedelta(days=SESSION_DAYS)
    session.add(SessionRow(hash=secret_hash(secret), account_id=account.id, created=now, expires=expires))
    return secret


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
