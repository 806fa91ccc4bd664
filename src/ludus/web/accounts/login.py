"""Sign-up and sign-in: how often someone may try, and how many passwords are checked at a time. Knows no HTTP.

A check takes memory and time by design, so it runs in a few threads behind a short queue: when there are too many,
people are asked to try again later, and the games continue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ludus.errors import UserError
from ludus.store.accounts import name_key
from ludus.web.http.rate_limit import Allowance
from ludus.web.jobs.workers import Busy
from ludus.web.threads import Threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludus.store.accounts import Account, Accounts

T = TypeVar("T")

AT_ONCE = 2
"""Passwords checked at a time; each takes 19 MiB."""
MOST_WAITING = 100


class LoginService:
    """Creates accounts and checks passwords, within limits."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        self._threads = Threads(AT_ONCE, "login")
        self._waiting = 0
        self._by_address = Allowance(60, 0.5)
        """A class that shares an address can sign up together."""
        self._by_pair = Allowance(10, 1 / 30)
        """One address for one name: someone who keeps guessing is shut out, but not the owner of the name."""
        self._by_name = Allowance(100, 1 / 10)
        """All addresses for one name: guessing from many places does not help."""

    def close(self) -> None:
        """Stop the threads."""
        self._threads.shutdown()

    async def sign_up(self, address: str, name: str, password: str, language: str) -> Account:
        """Create an account."""
        self._admit(address)
        return await self._run(lambda: self._accounts.add(name, password, language=language, own=True))

    async def sign_in(self, address: str, name: str, password: str) -> Account:
        """Return the account of a name and a password; an error does not say which of them is wrong."""
        self._admit(address)
        key = name_key(name.strip())
        pair = f"{address} {key}"
        if not (self._by_pair.take(pair) and self._by_name.take(key)):
            raise Busy("web.too_many_tries_name")
        found = await self._run(lambda: self._accounts.check(name, password))
        if found is None:
            raise UserError("web.wrong_name_or_password")
        self._by_pair.restore(pair)
        self._by_name.restore(key)
        return found

    async def confirm(self, address: str, account: Account, password: str) -> None:
        """Raise UserError unless the password is that of the account."""
        try:
            found = await self.sign_in(address, account.name, password)
        except ValueError:
            found = None
        if found is None or found.id != account.id:
            raise UserError("web.wrong_password")

    async def set_password(self, account: Account, password: str, keep: str) -> None:
        """Change the password of an account; of its sessions only that of the secret `keep` continues."""
        await self._run(lambda: self._accounts.set_password(account, password, account.id, keep))

    def _admit(self, address: str) -> None:
        if not self._by_address.take(address):
            raise Busy("web.too_many_tries_address")

    async def _run(self, work: Callable[[], T]) -> T:
        if self._waiting >= MOST_WAITING:
            raise Busy("web.too_many_sign_ins")
        self._waiting += 1
        try:
            return await self._threads.run(work)
        finally:
            self._waiting -= 1
