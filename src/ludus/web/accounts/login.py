"""Passwords at the door: who comes in, how often one may try, and how many are checked at a time.

A check takes memory and time by design, so it runs beside the event loop, in few threads behind a short queue: a flood
of wrong passwords is told to come back later, and the games go on. Knows no HTTP.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from ludus.errors import UserError
from ludus.store.accounts import name_key
from ludus.web.http.rate_limit import Allowance
from ludus.web.jobs.workers import Busy

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludus.store.accounts import Account, Accounts

T = TypeVar("T")

AT_ONCE = 2
"""Passwords checked at a time; each takes 19 MiB."""
MOST_WAITING = 100


class Door:
    """Where people come in."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        self._threads = ThreadPoolExecutor(AT_ONCE, "door")
        self._waiting = 0
        self._by_address = Allowance(60, 0.5)
        """A class that sits behind one address can sign up together."""
        self._by_pair = Allowance(10, 1 / 30)
        """One address for one name: whoever keeps guessing shuts out themselves, and not the person."""
        self._by_name = Allowance(100, 1 / 10)
        """All addresses for one name: a password is not found by trying from many places."""

    def close(self) -> None:
        """Let nobody in any more."""
        self._threads.shutdown()

    async def sign_up(self, address: str, name: str, password: str, language: str) -> Account:
        """Make an account for a person."""
        self._admit(address)
        return await self._run(lambda: self._accounts.add(name, password, language=language, own=True))

    async def sign_in(self, address: str, name: str, password: str) -> Account:
        """Let someone in, or say that the name or the password is wrong, and not which."""
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
        """Make sure that it is still the same person."""
        try:
            found = await self.sign_in(address, account.name, password)
        except ValueError:
            found = None
        if found is None or found.id != account.id:
            raise UserError("web.wrong_password")

    async def set_password(self, account: Account, password: str, keep: str) -> None:
        """Change someone's password; the session of the secret goes on."""
        await self._run(lambda: self._accounts.set_password(account, password, account.id, keep))

    def _admit(self, address: str) -> None:
        if not self._by_address.take(address):
            raise Busy("web.too_many_tries_address")

    async def _run(self, work: Callable[[], T]) -> T:
        if self._waiting >= MOST_WAITING:
            raise Busy("web.too_many_sign_ins")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1
