"""Who asks: an account by its session or its token, or a guest by a secret that the browser keeps. And who may.

Routes say whom they are for by the type of one parameter (`Who`, `Someone`, `Student`, `Instructor`, `Admin`); nothing
else in them decides it. A session is a cookie, which browsers send along by themselves; so whoever changes something by
it must also send a header, which no other site can make a browser do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple
from urllib.parse import quote

from fastapi import Depends, HTTPException, Request, Response
from starlette.concurrency import run_in_threadpool

from ludus.messages import Message
from ludus.store.accounts import ROLES, SESSION_DAYS, Account, owner_of_account
from ludus.web.http.connections import network_of
from ludus.web.jobs.workers import Busy

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ludus.store.accounts import Accounts
    from ludus.web.accounts.guests import Guests
    from ludus.web.http.rate_limit import Allowance

GUEST = "ludus_guest"
SESSION = "ludus_session"
NAME = "ludus_name"
"""For the page's header only: the name of who is signed in, readable by its scripts. Opens nothing."""
PROOF = "x-ludus"
"""The header that comes with every change in the name of a session."""
DAY = 24 * 3600
LONGEST_SECRET = 64
SAFE = ("GET", "HEAD", "OPTIONS")


class Visitor(NamedTuple):
    """Who asks."""

    owner: str
    """What matches know a person by; empty for a guest who has nothing here yet."""
    account: Account | None = None

    @property
    def role(self) -> str:
        """What this person is here."""
        return self.account.role if self.account else ROLES[0]

    @property
    def signed_in(self) -> Account:
        """The account of someone who has one, as on every route for students and above."""
        assert self.account is not None
        return self.account


async def visitor(request: Request) -> Visitor:
    """Find out who asks."""
    accounts: Accounts = request.app.state.accounts
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        found = await run_in_threadpool(accounts.of_token, token.strip())
        if found is None:
            raise HTTPException(401, Message("web.token_invalid"))
        return Visitor(owner_of_account(found.id), found)
    if secret := secret_of(request, SESSION):
        found = await run_in_threadpool(accounts.of_session, secret)
        if found is not None:
            if request.method not in SAFE and PROOF not in request.headers:
                raise HTTPException(403, Message("web.header_missing", header=PROOF))
            return Visitor(owner_of_account(found.id), found)
    return Visitor(guest_of(request))


def guest_of(request: Request) -> str:
    """Return what is known of the guest whose cookie this is; empty where there is none, or none that we made."""
    guests: Guests = request.app.state.guests
    return guests.owner(secret_of(request, GUEST))


def secret_of(request: Request, cookie: str) -> str:
    """Return the secret that a browser keeps for us; empty when there is none."""
    secret = request.cookies.get(cookie, "")
    return secret if len(secret) <= LONGEST_SECRET else ""


Who = Annotated[Visitor, Depends(visitor)]


async def welcomed(request: Request, response: Response, who: Who) -> Visitor:
    """Return the person who asks an identity that lasts, where there is none yet."""
    if who.owner:
        return who
    newcomers: Allowance = request.app.state.newcomers
    if not newcomers.take(network_of(request.client.host) if request.client else "?"):
        raise Busy("web.too_many_visitors")
    guests: Guests = request.app.state.guests
    cookie = guests.new()
    keep(request, response, GUEST, cookie, 365 * DAY)
    return Visitor(guests.owner(cookie))


def keep(request: Request, response: Response, cookie: str, value: str, seconds: int, *, hidden: bool = True) -> None:
    """Let the browser keep something; an encrypted connection's is never sent over a plain one."""
    secure = request.url.scheme == "https"
    response.set_cookie(cookie, value, max_age=seconds, httponly=hidden, samesite="strict", secure=secure)


def greet(request: Request, response: Response, account: Account, secret: str) -> None:
    """Let the browser keep a session; the guest that it was before is no more."""
    keep(request, response, SESSION, secret, SESSION_DAYS * DAY)
    keep(request, response, NAME, quote(account.name), SESSION_DAYS * DAY, hidden=False)
    response.delete_cookie(GUEST)


def part(response: Response) -> None:
    """Let the browser forget a session."""
    response.delete_cookie(SESSION)
    response.delete_cookie(NAME)


def at_least(role: str) -> Callable[[Visitor], Awaitable[Visitor]]:
    """Return a dependency that lets in whoever has a role, or one above it."""

    async def admitted(who: Who) -> Visitor:
        if who.account is None:
            raise HTTPException(401, Message("web.sign_in_first"))
        if ROLES.index(who.role) < ROLES.index(role):
            raise HTTPException(403, Message("web.needs_role", role=role, yours=who.role))
        return who

    return admitted


Someone = Annotated[Visitor, Depends(welcomed)]
"""Anyone; a guest gets an identity that lasts. The route must not answer with a Response of its own making."""
Student = Annotated[Visitor, Depends(at_least("student"))]
Instructor = Annotated[Visitor, Depends(at_least("instructor"))]
Admin = Annotated[Visitor, Depends(at_least("admin"))]
