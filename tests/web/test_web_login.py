"""Guessing passwords, and floods of sign-ins: who does it is slowed down, and nobody else."""

from __future__ import annotations

import asyncio
import threading
from typing import cast

import httpx
import pytest
from patience import PATIENCE
from web import PASSWORD, Served

from ludus.errors import UserError
from ludus.store.accounts import Account, Accounts
from ludus.web.accounts import login
from ludus.web.accounts.admission import Admission
from ludus.web.accounts.cookies import KnownBrowser
from ludus.web.accounts.login import LoginService
from ludus.web.http.connections import network_of
from ludus.web.jobs.workers import Busy

pytestmark = pytest.mark.anyio


class OneAccount:
    """A store with one account, the victim's."""

    def find(self, name: str) -> Account | None:
        return Account(1, "Victim", "student", "en") if name.lower() == "victim" else None

    def check(self, name: str, password: str) -> Account | None:
        return self.find(name) if password == PASSWORD else None


@pytest.fixture
def service() -> LoginService:
    return LoginService(cast("Accounts", OneAccount()), cast("Admission", None))


async def guesses(service: LoginService, address: str, count: int, name: str = "Victim") -> int:
    """Guess wrongly some times, and return how many guesses were looked at."""
    looked_at = 0
    for _ in range(count):
        try:
            await service.sign_in(address, name, "a guess")
        except Busy:
            continue
        except UserError:
            looked_at += 1
    return looked_at


async def test_an_attacker_with_many_addresses_locks_nobody_out(service: LoginService) -> None:
    looked_at = [await guesses(service, f"198.51.100.{number}", 12) for number in range(60)]
    assert max(looked_at) == 10, "each has a few tries"
    assert looked_at[-1] == 2, "and fewer while the name is under attack"
    found = await service.sign_in("203.0.113.5", "Victim", PASSWORD)
    assert found.name == "Victim", "but people from elsewhere are let in"


async def test_the_owner_who_mistypes_under_attack_can_try_again(service: LoginService) -> None:
    for number in range(60):
        await guesses(service, f"198.51.100.{number}", 12)
    assert await guesses(service, "203.0.113.5", 1) == 1
    assert (await service.sign_in("203.0.113.5", "victim", PASSWORD)).id == 1


async def test_whoever_shares_an_address_with_an_attacker_gets_in_where_they_were_before(service: LoginService) -> None:
    """In a class room all have one address: then the browser tells them apart."""
    assert await guesses(service, "198.51.100.1", 20) == 10
    for number in range(80):
        await guesses(service, "198.51.100.1", 1, f"other {number}")
    with pytest.raises(Busy, match="from your network"):
        await service.sign_in("198.51.100.1", "Victim", PASSWORD)
    mine, stranger_s = KnownBrowser(1, "mine"), KnownBrowser(2, "theirs")
    with pytest.raises(Busy):
        await service.sign_in("198.51.100.1", "Victim", PASSWORD, stranger_s)
    assert (await service.sign_in("198.51.100.1", "Victim", PASSWORD, mine)).id == 1
    for _ in range(10):
        with pytest.raises(UserError):
            await service.sign_in("198.51.100.1", "Victim", "a guess", mine)
    with pytest.raises(Busy):
        await service.sign_in("198.51.100.1", "Victim", PASSWORD, mine)  # a browser has no more tries than an address


async def test_a_household_with_ipv6_is_one_address(service: LoginService) -> None:
    looked_at = [await guesses(service, network_of(f"2001:db8:0:1::{number:x}"), 1) for number in range(30)]
    assert sum(looked_at) == 10
    assert (await service.sign_in(network_of("2001:db8:0:2::1"), "Victim", PASSWORD)).id == 1


async def test_a_flood_from_one_address_leaves_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few are checked at a time, some wait, the others are refused at once; and the loop goes on meanwhile."""
    monkeypatch.setattr(login, "MOST_WAITING", 10)
    free, busy, most = threading.Event(), 0, 0
    lock = threading.Lock()

    class Slow(OneAccount):
        def check(self, name: str, password: str) -> Account | None:
            nonlocal busy, most
            with lock:
                busy += 1
                most = max(most, busy)
            assert free.wait(PATIENCE)
            with lock:
                busy -= 1
            return super().check(name, password)

    service = LoginService(cast("Accounts", Slow()), cast("Admission", None))
    flood = [asyncio.ensure_future(service.sign_in("10.0.0.1", f"name {n}", "x")) for n in range(30)]
    while sum(task.done() for task in flood) < 20:
        await asyncio.sleep(0.01)
    others = [asyncio.ensure_future(service.sign_in(f"10.0.1.{n}", "Victim", PASSWORD)) for n in range(5)]
    await asyncio.sleep(0.05)
    assert not any(task.done() for task in others), "they wait, and are not refused"
    free.set()
    told = await asyncio.gather(*flood, return_exceptions=True)
    assert [type(one) for one in told] == [UserError] * 10 + [Busy] * 20
    assert {one.name for one in await asyncio.gather(*others)} == {"Victim"}
    assert most == login.AT_ONCE
    service.close()


def test_a_browser_keeps_its_tries_after_signing_out(served: Served) -> None:
    """The whole way: a cookie that is signed, stays after signing out, and serves one account."""
    here = {"X-Forwarded-For": "198.51.100.77"}
    with httpx.Client(base_url=served.address, headers={"X-Ludus": "1", **here}, timeout=PATIENCE) as owner:
        me = {"name": "Regular", "password": PASSWORD}
        assert owner.post("/api/account/sign-up", json=me).status_code == 201
        assert owner.post("/api/account/sign-out", json={}).status_code == 200
        kept = owner.cookies["ludus_browser"]
        with httpx.Client(base_url=served.address, headers=here, timeout=PATIENCE) as attacker:
            statuses = [
                attacker.post("/api/account/sign-in", json={**me, "password": f"guess {n}"}).status_code
                for n in range(12)
            ]
            assert statuses == [400] * 10 + [429] * 2
            refused = attacker.post("/api/account/sign-in", json=me)
            assert refused.status_code == 429
            assert refused.json()["detail"] == "too many attempts for this name; try again in a minute"
            assert int(refused.headers["retry-after"]) > 0
            number, _, rest = kept.partition(".")
            for forged in (f"{int(number) + 1}.{rest}", f"{number}.{rest[:-1]}x", "1..", "x" * 40):
                attacker.cookies.set("ludus_browser", forged)
                assert attacker.post("/api/account/sign-in", json=me).status_code == 429
                attacker.cookies.clear()
        signed_in = owner.post("/api/account/sign-in", json=me)
        assert signed_in.status_code == 200
        assert "ludus_browser" not in signed_in.cookies, "it stays the same"
        assert owner.post("/api/account/delete", json={"password": PASSWORD}).status_code == 200
        assert "ludus_browser" not in owner.cookies
