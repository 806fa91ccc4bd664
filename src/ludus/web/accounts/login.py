"""Sign-up and sign-in: how often someone may try, and how many passwords are checked at a time. Knows no HTTP.

A check takes memory and time by design, so it runs in a few threads behind a short queue: when there are too many,
people are asked to try again later, and the games continue.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from starlette.concurrency import run_in_threadpool

from ludus.errors import UserError
from ludus.store.accounts import Account, Accounts
from ludus.store.passwords import name_key
from ludus.web.accounts.admission import Admission
from ludus.web.accounts.cookies import KnownBrowser
from ludus.web.http.rate_limit import Allowance, Counts
from ludus.web.jobs.workers import Busy
from ludus.web.threads import Threads

T = TypeVar("T")

AT_ONCE = 2
"""Passwords checked at a time; each takes 19 MiB."""
MOST_WAITING = 100
"""Passwords that wait to be checked, before those are refused who have most of them; four times as many in all."""


class LoginService:
    """Creates accounts and checks passwords, within limits.

    No limit can be used up for somebody else. Guesses count for the address that they come from, and a browser in which
    a person has signed in before has tries of its own. While one name is guessed at from many addresses, an address
    that is new to it has fewer tries, but never none.
    """

    def __init__(self, accounts: Accounts, admission: Admission) -> None:
        self._accounts = accounts
        self._admission = admission
        self._threads = Threads(AT_ONCE, "login")
        self._waiting = Counts[str]()
        """Passwords that wait or are checked, by address."""
        self._by_address = Allowance(60, 0.5)
        """A class that shares an address can sign up together."""
        self._by_pair = Allowance(10, 1 / 30)
        """One address for one name."""
        self._by_name = Allowance(100, 1 / 10)
        """All addresses for one name; beyond it, the next one decides."""
        self._by_pair_under_attack = Allowance(2, 1 / 300)
        self._by_browser = Allowance(10, 1 / 30)

    def close(self) -> None:
        """Stop the threads."""
        self._threads.shutdown()

    async def sign_up(self, address: str, name: str, password: str, language: str, code: str = "") -> Account:
        """Create an account for someone who may sign up, perhaps with a code."""
        self._admit(address)
        await run_in_threadpool(self._admission.check, code)
        admit = partial(self._admission.use, code)
        return await self._run(
            address, lambda: self._accounts.add(name, password, language=language, own=True, admit=admit)
        )

    async def sign_in(self, address: str, name: str, password: str, browser: KnownBrowser | None = None) -> Account:
        """Return the account of a name and a password; an error does not say which of them is wrong.

        `browser` is the one that it is sent from, if somebody has signed in there before.
        """
        return await self._tried(address, name, browser, lambda: self._accounts.check(name, password))

    async def begin_session(
        self, address: str, name: str, password: str, browser: KnownBrowser | None = None
    ) -> tuple[Account, str]:
        """Return the same and the secret of a new session."""
        return await self._tried(address, name, browser, lambda: self._accounts.enter(name, password))

    async def _tried(self, address: str, name: str, browser: KnownBrowser | None, work: Callable[[], T | None]) -> T:
        """Do what checks the password of a name, if there may be another try."""
        key = name_key(name.strip())
        pair = f"{address} {key}"
        if not (browser and await self._is_at_home(browser, name) and self._by_browser.take(browser.secret)):
            self._admit(address)
            if not self._by_pair.take(pair):
                raise Busy("web.too_many_tries_name")
            if not self._by_name.take(key) and not self._by_pair_under_attack.take(pair):
                raise Busy("web.too_many_tries_name")
        found = await self._run(address, work)
        if found is None:
            raise UserError("web.wrong_name_or_password")
        self._by_pair.restore(pair)
        self._by_name.restore(key)
        if browser:
            self._by_browser.restore(browser.secret)
        return found

    async def _is_at_home(self, browser: KnownBrowser, name: str) -> bool:
        """Return whether the account of a name has signed in in a browser before."""
        found = await run_in_threadpool(self._accounts.find, name)
        return found is not None and found.id == browser.account

    async def confirm(self, address: str, account: Account, password: str, browser: KnownBrowser | None = None) -> None:
        """Raise UserError unless the password is that of the account."""
        try:
            found = await self.sign_in(address, account.name, password, browser)
        except ValueError:
            found = None
        if found is None or found.id != account.id:
            raise UserError("web.wrong_password")

    async def set_password(self, address: str, account: Account, password: str, keep: str) -> None:
        """Change the password of an account; of its sessions only that of the secret `keep` continues."""
        await self._run(address, lambda: self._accounts.set_password(account, password, account.id, keep))

    def _admit(self, address: str) -> None:
        if not self._by_address.take(address):
            raise Busy("web.too_many_tries_address")

    async def _run(self, address: str, work: Callable[[], T]) -> T:
        """Do work in its turn; where too much waits, an address that has less than its share still gets in."""
        total = self._waiting.total()
        share = max(1, MOST_WAITING // max(1, len(self._waiting)))
        if total >= 4 * MOST_WAITING or (total >= MOST_WAITING and self._waiting[address] >= share):
            raise Busy("web.too_many_sign_ins")
        with self._waiting.one(address):
            return await self._threads.run(work)
