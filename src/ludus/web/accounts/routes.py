"""The routes of accounts: sign up, in and out, what belongs to an account, and what admins see of all."""

from __future__ import annotations

import json
from datetime import datetime  # noqa: TC003 - the description of the routes needs it
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Query, Request, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from ludus.errors import UserError
from ludus.messages import Message
from ludus.store.accounts import Account, owner_of_account
from ludus.web.accounts.visitors import SESSION, Admin, Student, Who, greet, guest_of, part, secret_of
from ludus.web.http.connections import network_of

if TYPE_CHECKING:
    from ludus.store.accounts import Accounts
    from ludus.web.accounts.login import Door

router = APIRouter(prefix="/api")

Text = Annotated[str, Field(max_length=400)]
Number = Annotated[int, Path(ge=1, lt=2**31)]
Language = Literal["en", "zh-Hant"]


class SignIn(BaseModel):
    """A name and a password."""

    name: Text
    password: Text


class SignUp(SignIn):
    """A name and a password for a new account, and the language of its person."""

    language: Language = "en"


class SignOut(BaseModel):
    """Where to sign out: here, or everywhere."""

    everywhere: bool = False


class NewPassword(BaseModel):
    """The password until now, and the new one."""

    old: Text
    new: Text


class NewLanguage(BaseModel):
    """The language to be spoken to."""

    language: Language


class NewToken(BaseModel):
    """What a token is for."""

    name: Text


class Confirmation(BaseModel):
    """The password once more."""

    password: Text


class NewRole(BaseModel):
    """What someone shall be."""

    role: Literal["student", "instructor", "admin"]


class Me(BaseModel):
    """Who asks; a guest has a role only."""

    name: str | None = None
    role: str
    language: str | None = None


class TokenLine(BaseModel):
    """A token in a list."""

    id: int
    name: str
    created: datetime
    used: datetime | None


class TokenMade(BaseModel):
    """A new token with its secret, which is shown this once."""

    id: int
    name: str
    secret: str


class AccountLine(BaseModel):
    """An account in a list."""

    id: int
    name: str
    role: str
    language: str


class AuditLine(BaseModel):
    """An entry of the audit log; without a name it was the command line, or someone who has left."""

    id: int
    at: datetime
    account_id: int | None
    name: str | None
    kind: str
    detail: dict[str, Any]


def accounts_of(request: Request) -> Accounts:
    """Return the accounts."""
    accounts: Accounts = request.app.state.accounts
    return accounts


def door_of(request: Request) -> Door:
    """Return the door."""
    door: Door = request.app.state.door
    return door


def address_of(request: Request) -> str:
    """Return where a request comes from."""
    return network_of(request.client.host) if request.client else "?"


def me(account: Account) -> Me:
    """Show an account to its person."""
    return Me(name=account.name, role=account.role, language=account.language)


async def _let_in(request: Request, response: Response, account: Account) -> Me:
    """Begin a session of its own, whatever the browser brought along, and take over the games of the guest it was."""
    accounts = accounts_of(request)
    if before := secret_of(request, SESSION):
        await run_in_threadpool(accounts.sign_out, before)
    secret = await run_in_threadpool(accounts.sign_in, account)
    if guest := guest_of(request):
        await request.app.state.arena.adopt(guest, owner_of_account(account.id))
    greet(request, response, account, secret)
    return me(account)


@router.get("/account")
async def who_am_i(request: Request, response: Response, who: Who) -> Me:
    """Say who asks."""
    if who.account is None and secret_of(request, SESSION):
        part(response)  # it has ended elsewhere
    return me(who.account) if who.account else Me(role=who.role)


@router.post("/account/sign-up", status_code=201)
async def sign_up(request: Request, response: Response, wanted: SignUp) -> Me:
    """Make an account, and sign in."""
    account = await door_of(request).sign_up(address_of(request), wanted.name, wanted.password, wanted.language)
    return await _let_in(request, response, account)


@router.post("/account/sign-in")
async def sign_in(request: Request, response: Response, wanted: SignIn) -> Me:
    """Sign in."""
    account = await door_of(request).sign_in(address_of(request), wanted.name, wanted.password)
    return await _let_in(request, response, account)


@router.post("/account/sign-out")
async def sign_out(request: Request, response: Response, wanted: SignOut, who: Who) -> Me:
    """Sign out, here or everywhere."""
    if who.account and wanted.everywhere:
        await run_in_threadpool(accounts_of(request).sign_out_everywhere, who.account)
    elif secret := secret_of(request, SESSION):
        await run_in_threadpool(accounts_of(request).sign_out, secret)
    part(response)
    return Me(role="guest")


@router.post("/account/password")
async def change_password(request: Request, wanted: NewPassword, who: Student) -> Me:
    """Change the password; every other session ends."""
    account = who.signed_in
    await door_of(request).confirm(address_of(request), account, wanted.old)
    await door_of(request).set_password(account, wanted.new, secret_of(request, SESSION))
    return me(account)


@router.post("/account/language")
async def change_language(request: Request, wanted: NewLanguage, who: Student) -> Me:
    """Remember the language."""
    await run_in_threadpool(accounts_of(request).set_language, who.signed_in, wanted.language)
    return me(who.signed_in._replace(language=wanted.language))


@router.get("/account/tokens")
def list_tokens(request: Request, who: Student) -> list[TokenLine]:
    """List the tokens of the account."""
    return [TokenLine(**token._asdict()) for token in accounts_of(request).tokens(who.signed_in)]


@router.post("/account/tokens", status_code=201)
def add_token(request: Request, wanted: NewToken, who: Student) -> TokenMade:
    """Make a token for a program."""
    token, secret = accounts_of(request).add_token(who.signed_in, wanted.name)
    return TokenMade(id=token.id, name=token.name, secret=secret)


@router.post("/account/tokens/{token}/revoke")
def revoke_token(request: Request, token: Number, who: Student) -> list[TokenLine]:
    """End a token."""
    if not accounts_of(request).revoke(who.signed_in, token):
        raise HTTPException(404, Message("web.no_such_token"))
    return list_tokens(request, who)


@router.get("/account/data", response_class=Response)
def data(request: Request, who: Student) -> Response:
    """Return everything that is kept about the person who asks."""
    told = json.dumps(accounts_of(request).export(who.signed_in), ensure_ascii=False, indent=2)
    headers = {"Content-Disposition": 'attachment; filename="ludus-my-data.json"', "Cache-Control": "no-store"}
    return Response(told, media_type="application/json", headers=headers)


@router.post("/account/delete")
async def delete(request: Request, response: Response, wanted: Confirmation, who: Student) -> Me:
    """Remove the account and what is kept about its person."""
    account = who.signed_in
    await door_of(request).confirm(address_of(request), account, wanted.password)
    removal = partial(accounts_of(request).remove, account, account.id)
    bots = await run_in_threadpool(request.app.state.bots.store.of, account.id)
    await request.app.state.arena.forget(owner_of_account(account.id), removal)
    for bot in bots:
        await request.app.state.arena.rename(bot.text)
    part(response)
    return Me(role="guest")


@router.get("/accounts")
def list_accounts(request: Request, _who: Admin) -> list[AccountLine]:
    """List all accounts."""
    return [AccountLine(**account._asdict()) for account in accounts_of(request).all()]


@router.post("/accounts/{number}/role")
def change_role(request: Request, number: Number, wanted: NewRole, who: Admin) -> AccountLine:
    """Give someone another role; nobody can take the last admin away, since nobody changes their own."""
    account = accounts_of(request).account(number)
    if account is None:
        raise HTTPException(404, Message("web.no_such_account"))
    if account.id == who.signed_in.id:
        raise UserError("web.own_role")
    accounts_of(request).set_role(account, wanted.role, who.signed_in.id)
    return AccountLine(**account._replace(role=wanted.role)._asdict())


@router.get("/audit")
def audit(
    request: Request, _who: Admin, before: Annotated[int | None, Query(ge=1, lt=2**31)] = None
) -> list[AuditLine]:
    """Return the audit log, the newest first; `before` an entry goes on from there."""
    return [AuditLine(**entry._asdict()) for entry in accounts_of(request).audit(before)]
