"""Who sends a request: an account by its session or its token, or a guest by a cookie. And who may use a route.

The type of one parameter of a route says who may use it (`Who`, `Someone`, `Student`, `Instructor`, `Admin`); nothing
else in the route decides it. A session is a cookie, which browsers send by themselves; so a change also needs a header,
which no other site can make a browser send.
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
from ludus.web.services import ServicesDep

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ludus.web.services import Services

GUEST = "ludus_guest"
SESSION = "ludus_session"
NAME = "ludus_name"
"""The name of who is signed in, for the header of the page; it proves nothing."""
PROOF = "x-ludus"
"""The header that every change by a session needs."""
DAY = 24 * 3600
LONGEST_SECRET = 64
SAFE = ("GET", "HEAD", "OPTIONS")


class Visitor(NamedTuple):
    """Who sends a request."""

    owner: str
    """The text by which matches know a person; empty for a guest without a cookie."""
    account: Account | None = None

    @property
    def role(self) -> str:
        """The role of this person."""
        return self.account.role if self.account else ROLES[0]

    @property
    def teaches(self) -> bool:
        """Whether this person sees everybody's submissions: an instructor or an admin."""
        return ROLES.index(self.role) >= ROLES.index("instructor")

    def owns(self, account: int | None) -> bool:
        """Return whether an account is this person's."""
        return self.account is not None and self.account.id == account

    @property
    def signed_in(self) -> Account:
        """The account, on routes where everybody has one: those for students and above."""
        assert self.account is not None
        return self.account


async def visitor(request: Request, services: ServicesDep) -> Visitor:
    """Return who sends a request."""
    accounts = services.accounts
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
    return Visitor(guest_of(services, request))


def guest_of(services: Services, request: Request) -> str:
    """Return the owner text of the guest who sends a request; empty without a valid cookie."""
    return services.guests.owner(secret_of(request, GUEST))


def address_of(request: Request) -> str:
    """Return the address that a request comes from, as limits count it."""
    return network_of(request.client.host) if request.client else "?"


def secret_of(request: Request, cookie: str) -> str:
    """Return the secret in a cookie; empty when there is none."""
    secret = request.cookies.get(cookie, "")
    return secret if len(secret) <= LONGEST_SECRET else ""


Who = Annotated[Visitor, Depends(visitor)]


async def visitor_with_cookie(request: Request, response: Response, services: ServicesDep, who: Who) -> Visitor:
    """Return who sends a request; a guest without a cookie gets one."""
    if who.owner:
        return who
    if not services.new_guests.take(address_of(request)):
        raise Busy("web.too_many_visitors")
    cookie = services.guests.new()
    set_cookie(request, response, GUEST, cookie, 365 * DAY)
    return Visitor(services.guests.owner(cookie))


def set_cookie(
    request: Request, response: Response, cookie: str, value: str, seconds: int, *, hidden: bool = True
) -> None:
    """Set a cookie; one that is set over an encrypted connection is never sent over a plain one."""
    secure = request.url.scheme == "https"
    response.set_cookie(cookie, value, max_age=seconds, httponly=hidden, samesite="strict", secure=secure)


def begin_session(request: Request, response: Response, account: Account, secret: str) -> None:
    """Set the cookies of a session; the guest's cookie goes."""
    set_cookie(request, response, SESSION, secret, SESSION_DAYS * DAY)
    set_cookie(request, response, NAME, quote(account.name), SESSION_DAYS * DAY, hidden=False)
    response.delete_cookie(GUEST)


def end_session(response: Response) -> None:
    """Delete the cookies of a session."""
    response.delete_cookie(SESSION)
    response.delete_cookie(NAME)


def at_least(role: str) -> Callable[[Visitor], Awaitable[Visitor]]:
    """Return a dependency that admits accounts with a role or a higher one."""

    async def admitted(who: Who) -> Visitor:
        if who.account is None:
            raise HTTPException(401, Message("web.sign_in_first"))
        if ROLES.index(who.role) < ROLES.index(role):
            raise HTTPException(403, Message("web.needs_role", role=role, yours=who.role))
        return who

    return admitted


Someone = Annotated[Visitor, Depends(visitor_with_cookie)]
"""Anyone; a guest gets a cookie. The route must not return a Response object, which would not have it."""
Student = Annotated[Visitor, Depends(at_least("student"))]
Instructor = Annotated[Visitor, Depends(at_least("instructor"))]
Admin = Annotated[Visitor, Depends(at_least("admin"))]
