"""The routes of accounts: sign up, in and out, what belongs to an account, and the lists for admins."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from fastapi import Body, HTTPException, Path, Query, Request, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from ludus.errors import UserError
from ludus.messages import Message
from ludus.store.accounts import Account, AuditEntry, Token, owner_of_account
from ludus.view import View
from ludus.web.accounts.visitors import (
    BROWSER,
    SESSION,
    Admin,
    Student,
    Who,
    address_of,
    begin_session,
    browser_of,
    end_session,
    guest_of,
    secret_of,
)
from ludus.web.http.responses import attachment
from ludus.web.http.routing import Router
from ludus.web.services import Services, ServicesDep

router = Router()

Text = Annotated[str, Body(embed=True, max_length=400)]
Number = Annotated[int, Path(ge=1, lt=2**31)]
Days = Annotated[int, Field(ge=1, le=366)]
Scope = Literal["read", "play", "submit", "teach", "admin"]
Language = Annotated[Literal["en", "zh-Hant"], Body(embed=True)]


class Me(View):
    """Who sends the request; a guest has a role only."""

    name: str | None = None
    role: str
    language: str | None = None


class NewMe(Me):
    """Who has just signed up."""

    course: int | None = None
    """The course of the code with which the person signed up."""


class NewToken(BaseModel):
    """A token to create: what it may do besides reading, and for how many days."""

    name: Annotated[str, Field(max_length=400)]
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=8)] = ["submit"]
    days: Days = 90


class TokenView(View):
    """A token in a list; one without an end is older than the rule that each has one."""

    id: int
    name: str
    scopes: list[str]
    created: datetime
    used: datetime | None
    expires: datetime | None
    ended: bool


class NewTokenView(TokenView):
    """A new token with its secret, which is shown only this once."""

    secret: str


async def _begin_session(services: Services, request: Request, response: Response, account: Account, secret: str) -> Me:
    """Put a new session in place of any other, and take over the games that were played as a guest."""
    if before := secret_of(request, SESSION):
        await run_in_threadpool(services.accounts.sign_out, before)
    if guest := guest_of(services, request):
        await services.arena.adopt(guest, owner_of_account(account.id))
    begin_session(services, request, response, account, secret)
    return Me.model_validate(account)


@router.get("/account")
async def who_am_i(request: Request, response: Response, who: Who) -> Me:
    """Return who sends the request."""
    if who.account is None and secret_of(request, SESSION):
        end_session(request, response)  # it was ended elsewhere
    return Me.model_validate(who.account) if who.account else Me(role=who.role)


@router.post("/account/sign-up", status_code=201)
async def sign_up(
    services: ServicesDep,
    request: Request,
    response: Response,
    name: Text,
    password: Text,
    language: Language = "en",
    code: Annotated[str, Body(embed=True, max_length=64)] = "",
) -> NewMe:
    """Create an account, and sign in; the code is an invitation, or that of a student in a course."""
    account = await services.login.sign_up(address_of(request), name, password, language, code.strip())
    secret = await run_in_threadpool(services.accounts.sign_in, account)
    me = await _begin_session(services, request, response, account, secret)
    courses = await run_in_threadpool(services.courses.of, account.id)
    return NewMe(**dict(me), course=next(iter(courses), None))


@router.post("/account/sign-in")
async def sign_in(services: ServicesDep, request: Request, response: Response, name: Text, password: Text) -> Me:
    """Sign in."""
    browser = browser_of(services, request)
    account, secret = await services.login.begin_session(address_of(request), name, password, browser)
    return await _begin_session(services, request, response, account, secret)


@router.post("/account/sign-out")
def sign_out(
    services: ServicesDep,
    request: Request,
    response: Response,
    who: Who,
    everywhere: Annotated[bool, Body(embed=True)] = False,
) -> Me:
    """Sign out, here or everywhere."""
    if who.account and everywhere:
        services.accounts.sign_out_everywhere(who.account)
    elif secret := secret_of(request, SESSION):
        services.accounts.sign_out(secret)
    end_session(request, response)
    return Me(role="guest")


@router.post("/account/password")
async def change_password(services: ServicesDep, request: Request, who: Student, old: Text, new: Text) -> Me:
    """Change the password; every other session ends."""
    address, account = address_of(request), who.signed_in
    await services.login.confirm(address, account, old, browser_of(services, request))
    await services.login.set_password(address, account, new, secret_of(request, SESSION))
    return Me.model_validate(who.signed_in)


@router.post("/account/language")
def change_language(services: ServicesDep, who: Student, language: Language) -> Me:
    """Remember the language."""
    services.accounts.set_language(who.signed_in, language)
    return Me.model_validate(replace(who.signed_in, language=language))


@router.get("/account/tokens", response_model=list[TokenView])
def list_tokens(services: ServicesDep, who: Student) -> list[Token]:
    """List the tokens of the account."""
    return services.accounts.tokens(who.signed_in)


@router.post("/account/tokens", status_code=201)
def add_token(services: ServicesDep, who: Student, wanted: NewToken) -> NewTokenView:
    """Create a token for a program."""
    token, secret = services.accounts.add_token(who.signed_in, wanted.name, wanted.scopes, wanted.days)
    return NewTokenView.model_validate({**dict(TokenView.model_validate(token)), "secret": secret})


@router.post("/account/tokens/{token}/revoke", response_model=list[TokenView])
def revoke_token(services: ServicesDep, token: Number, who: Student) -> list[Token]:
    """Revoke a token."""
    if not services.accounts.revoke(who.signed_in, token):
        raise HTTPException(404, Message("web.no_such_token"))
    return list_tokens(services, who)


@router.get("/account/data", response_class=Response)
def export(services: ServicesDep, who: Student) -> Response:
    """Return everything that is stored about the person."""
    text = json.dumps(services.accounts.export(who.signed_in), ensure_ascii=False, indent=2)
    return attachment(text, "application/json", "ludus-my-data.json")


@router.post("/account/delete")
async def delete(services: ServicesDep, request: Request, response: Response, who: Student, password: Text) -> Me:
    """Delete the account and what is stored about the person."""
    account = who.signed_in
    await services.login.confirm(address_of(request), account, password, browser_of(services, request))
    removal = partial(services.accounts.remove, account, account.id)
    bots = await run_in_threadpool(services.bots.store.of, account.id)
    await services.arena.forget(owner_of_account(account.id), removal)
    for bot in bots:
        await services.arena.rename(bot.text)
    end_session(request, response, BROWSER)
    return Me(role="guest")


@router.get("/accounts")
def list_accounts(services: ServicesDep, _who: Admin) -> list[Account]:
    """List all accounts."""
    return services.accounts.all()


@router.post("/accounts/{number}/role")
def change_role(
    services: ServicesDep,
    who: Admin,
    number: Number,
    role: Annotated[Literal["student", "instructor", "admin"], Body(embed=True)],
) -> Account:
    """Change a role. Nobody can change their own, so that the last admin stays one."""
    account = services.accounts.account(number)
    if account is None:
        raise HTTPException(404, Message("web.no_such_account"))
    if account.id == who.signed_in.id:
        raise UserError("web.own_role")
    services.accounts.set_role(account, role, who.signed_in.id)
    return replace(account, role=role)


@router.get("/audit")
def audit(
    services: ServicesDep, _who: Admin, before: Annotated[int | None, Query(ge=1, lt=2**31)] = None
) -> list[AuditEntry]:
    """Return the audit log, the newest first; only entries before the number `before`."""
    return services.accounts.audit(before)
