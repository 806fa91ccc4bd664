"""Who sends a request: an account by its session or its token, or a guest by a cookie. And who may use a route.

The type of one parameter of a route says who may use it (`Who`, `Someone`, `Student`, `Instructor`, `Admin`); nothing
else in the route decides it. A session is a cookie, which browsers send by themselves; so a change also needs a header,
which no other site can make a browser send. A token changes only what its scopes name, and never an account.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated, NamedTuple
from urllib.parse import quote

from fastapi import Depends, HTTPException, Request, Response
from starlette.concurrency import run_in_threadpool

from ludus.messages import Message
from ludus.store.accounts import EVERYTHING, ROLES, SESSION_DAYS, Account, Token, owner_of_account
from ludus.web.accounts.cookies import KnownBrowser
from ludus.web.http.connections import network_of
from ludus.web.http.description import responds
from ludus.web.jobs.workers import Busy
from ludus.web.services import Services, ServicesDep

GUEST = "ludus_guest"
BROWSER = "ludus_browser"
"""Tells that an account has signed in in this browser before. It stays after signing out, and opens nothing."""
SESSION = "ludus_session"
NAME = "ludus_name"
"""The name of who is signed in, for the header of the page; it proves nothing."""
PROOF = "x-ludus"
"""The header that every change by a session needs."""
DAY = 24 * 3600
LONGEST_SECRET = 64
SAFE = ("GET", "HEAD", "OPTIONS")
CHANGES = {
    "matches": ("play",),
    "analysis": ("play",),
    "studies": ("play",),
    "bots": ("submit",),
    "courses": ("submit", "teach"),
    "tournaments": ("teach",),
}
"""For each folder of routes the scopes that let a token change something there; in others it changes nothing."""


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


@responds(401)
async def visitor(request: Request, services: ServicesDep) -> Visitor:
    """Return who sends a request."""
    accounts = services.accounts
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        known = await run_in_threadpool(accounts.of_token, token.strip())
        if known is None:
            raise HTTPException(401, Message("web.token_invalid"))
        account = _within(request, *known)
        return Visitor(owner_of_account(account.id), account)
    if secret := secret_of(request, SESSION):
        found = await run_in_threadpool(accounts.of_session, secret)
        if found is not None:
            if request.method not in SAFE and PROOF not in request.headers:
                raise HTTPException(403, Message("web.header_missing", header=PROOF))
            return Visitor(owner_of_account(found.id), found)
    return Visitor(guest_of(services, request))


def _within(request: Request, account: Account, token: Token) -> Account:
    """Return an account with the role that a token may use; refuse a change that is outside of its scopes."""
    scopes = token.scopes
    if request.method not in SAFE:
        area = request.scope["endpoint"].__module__.split(".")[2]
        if area not in CHANGES:
            raise HTTPException(403, Message("web.needs_session"))
        if not {EVERYTHING, *CHANGES[area]} & {*scopes}:
            raise HTTPException(403, Message("web.needs_scope", scopes=list(CHANGES[area]), yours=scopes))
    if EVERYTHING in scopes or "admin" in scopes:
        return account
    most = "instructor" if "teach" in scopes else "student"
    return replace(account, role=min(account.role, most, key=ROLES.index))


def guest_of(services: Services, request: Request) -> str:
    """Return the owner text of the guest who sends a request; empty without a valid cookie."""
    return services.cookies.guest(secret_of(request, GUEST))


def address_of(request: Request) -> str:
    """Return the address that a request comes from, as limits count it."""
    return network_of(request.client.host) if request.client else "?"


def cookie_name(request: Request, cookie: str) -> str:
    """Return the name of a cookie here: over https the browser makes sure that no other host has set the session's."""
    return f"__Host-{cookie}" if cookie in (SESSION, BROWSER) and request.url.scheme == "https" else cookie


def secret_of(request: Request, cookie: str) -> str:
    """Return the secret in a cookie; empty when there is none."""
    secret = request.cookies.get(cookie_name(request, cookie), "")
    return secret if len(secret) <= LONGEST_SECRET else ""


Who = Annotated[Visitor, Depends(visitor)]


async def visitor_with_cookie(request: Request, response: Response, services: ServicesDep, who: Who) -> Visitor:
    """Return who sends a request; a guest without a cookie gets one."""
    if who.owner:
        return who
    if not services.new_guests.take(address_of(request)):
        raise Busy("web.too_many_visitors")
    cookie = services.cookies.new_guest()
    set_cookie(request, response, GUEST, cookie, 365 * DAY)
    return Visitor(services.cookies.guest(cookie))


def set_cookie(
    request: Request, response: Response, cookie: str, value: str, seconds: int, *, hidden: bool = True
) -> None:
    """Set a cookie; one that is set over an encrypted connection is never sent over a plain one."""
    name, secure = cookie_name(request, cookie), request.url.scheme == "https"
    response.set_cookie(name, value, max_age=seconds, httponly=hidden, samesite="strict", secure=secure)


def browser_of(services: Services, request: Request) -> KnownBrowser | None:
    """Return the browser that sends a request, if somebody has signed in there before."""
    return services.cookies.browser(secret_of(request, BROWSER))


def begin_session(services: Services, request: Request, response: Response, account: Account, secret: str) -> None:
    """Set the cookies of a session; the guest's cookie goes."""
    browser = browser_of(services, request)
    if browser is None or browser.account != account.id:
        set_cookie(request, response, BROWSER, services.cookies.new_browser(account.id), 365 * DAY)
    set_cookie(request, response, SESSION, secret, SESSION_DAYS * DAY)
    set_cookie(request, response, NAME, quote(account.name), SESSION_DAYS * DAY, hidden=False)
    response.delete_cookie(GUEST)


def end_session(request: Request, response: Response, *others: str) -> None:
    """Delete the cookies of a session, and perhaps others."""
    for cookie in (SESSION, NAME, *others):
        set_cookie(request, response, cookie, "", 0, hidden=cookie != NAME)


def at_least(role: str) -> Callable[[Visitor], Awaitable[Visitor]]:
    """Return a dependency that admits accounts with a role or a higher one."""

    @responds(401, 403)
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
