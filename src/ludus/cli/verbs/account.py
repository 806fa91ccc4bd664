"""`ludus account`: manage the accounts of the web arena, such as the first admin."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ludus.cli.arguments import arena_places, database_option, json_option
from ludus.cli.output import echo, echo_json, echo_row, rendered
from ludus.cli.verbs import Verb, VerbGroup
from ludus.errors import UserError
from ludus.messages import Message
from ludus.store.accounts import Accounts, read_name, read_role
from ludus.store.invitations import Invitations, read_sign_up

if TYPE_CHECKING:
    from ludus.store.accounts import Account

SECTION = "Run an arena"
SUMMARY = "manage the accounts of the web arena"
EXTRA = "web"
EXAMPLES = """
ludus account add ada --role admin            asks for a password
ludus account list
ludus account role grace instructor
ludus account password grace < secret.txt
ludus account remove grace
ludus account sign-up invitation              from now on, only with an invitation
ludus account invite --uses 60 --days 14      a code for a class
"""


def opened(database: str | None) -> closing[Accounts]:
    """Open the accounts, to be closed in the end."""
    return closing(Accounts(arena_places(database, None)[0]))


def find(accounts: Accounts, name: str) -> Account:
    """Return the account with a name; raise a UserError if there is none."""
    found = accounts.find(name)
    if found is None:
        raise UserError("cli.no_account", name=repr(name))
    return found


def read_password() -> str:
    """Ask for a password twice without showing it, or read the first line of a pipe or a file."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    again = rendered(Message("cli.account.password_again"))
    entered: str = click.prompt(rendered(Message("cli.account.password")), hide_input=True, confirmation_prompt=again)
    return entered


@click.group(cls=VerbGroup, examples=EXAMPLES)
def account() -> None:
    """Create and change the accounts of the web arena.

    Roles are student, instructor and admin. People who sign up on the page are students; create the first admin here.
    """


@account.command(cls=Verb, short_help="create an account")
@click.argument("name", metavar="NAME")
@click.option("--role", default="student", show_default=True, help="student, instructor or admin.")
@database_option
def add(*, name: str, role: str, database: str | None) -> None:
    """Create the account NAME.

    It asks for the password, or reads the first line of standard input.
    """
    read_name(name)
    read_role(role)
    with opened(database) as accounts:
        created = accounts.add(name, read_password(), role)
    echo(Message("cli.account.created", name=created.name, role=created.role))


@account.command(cls=Verb, name="list", short_help="list all accounts")
@database_option
@json_option
def list_accounts(*, database: str | None, as_json: bool) -> None:
    """List all accounts with their roles."""
    with opened(database) as accounts:
        found = accounts.all()
    if as_json:
        echo_json([asdict(one) for one in found])
        return
    for one in found:
        echo_row((12, 1), one.role, one.name)
    if not found:
        echo(Message("cli.account.none"))


@account.command(cls=Verb, short_help="change a role")
@click.argument("name", metavar="NAME")
@click.argument("role", metavar="ROLE")
@database_option
def role(*, name: str, role: str, database: str | None) -> None:
    """Set the role of NAME to ROLE: student, instructor or admin. It applies from their next request."""
    with opened(database) as accounts:
        found = find(accounts, name)
        accounts.set_role(found, role, None)
    echo(Message("cli.account.role_changed", name=found.name, before=found.role, role=role))


@account.command(cls=Verb, short_help="change a password")
@click.argument("name", metavar="NAME")
@database_option
def password(*, name: str, database: str | None) -> None:
    """Change the password of NAME and sign them out everywhere.

    It asks for the new password, or reads the first line of standard input.
    """
    with opened(database) as accounts:
        found = find(accounts, name)
        accounts.set_password(found, read_password(), None)
    echo(Message("cli.account.password_changed", name=found.name))


@account.command(cls=Verb, short_help="delete an account and all its data")
@click.argument("name", metavar="NAME")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@database_option
def remove(*, name: str, yes: bool, database: str | None) -> None:
    """Delete the account NAME with its sessions and tokens, and remove the name from all games."""
    with opened(database) as accounts:
        found = find(accounts, name)
        if not yes:
            click.confirm(rendered(Message("cli.account.delete", name=found.name)), abort=True)
        accounts.remove(found, None)
    echo(Message("cli.account.deleted", name=found.name))


@account.command(cls=Verb, name="sign-up", short_help="show or change who can sign up")
@click.argument("mode", metavar="[MODE]", required=False)
@database_option
def sign_up(*, mode: str | None, database: str | None) -> None:
    """Show who can create an account on the page, or set it to MODE: open, invitation or closed.

    It applies at once. A server that was started with --sign-up keeps its own.
    """
    place = arena_places(database, None)[0]
    with closing(Invitations(place)) as invitations, closing(Accounts(place)) as accounts:
        if mode is not None:
            invitations.set_sign_up(read_sign_up(mode))
            accounts.note(None, "sign-up", {"mode": mode})
        echo(Message(f"cli.account.sign_up.{invitations.sign_up}"))


@account.command(cls=Verb, short_help="create an invitation")
@click.option("--role", default="student", show_default=True, help="student, instructor or admin.")
@click.option("--uses", type=click.IntRange(1, 1000), default=1, show_default=True, help="For how many accounts.")
@click.option("--days", type=click.IntRange(1, 366), default=14, show_default=True, help="How long it can be used.")
@click.option("--note", default="", help="For whom it is; admins see it in the list.")
@database_option
@json_option
def invite(*, role: str, uses: int, days: int, note: str, database: str | None, as_json: bool) -> None:
    """Create an invitation and print its code, which is not shown again.

    People enter it when they create an account; or send them the address of the arena with /account?new#CODE.
    """
    place = arena_places(database, None)[0]
    with closing(Invitations(place)) as invitations, closing(Accounts(place)) as accounts:
        made, code = invitations.add(None, role, uses, days, note[:80])
        accounts.note(None, "invitation.add", {"role": role, "uses": uses, "days": days})
    until = f"{made.expires:%Y-%m-%d %H:%M} UTC"
    if as_json:
        echo_json({"id": made.id, "code": code, "role": made.role, "left": made.left, "expires": until})
    else:
        echo(Message("cli.account.invited", code=code, role=made.role, count=made.left, until=until))


@account.command(cls=Verb, short_help="list invitations, or revoke one")
@click.option("--revoke", type=click.IntRange(1, 2**31 - 1), metavar="NUMBER", help="End this invitation.")
@database_option
@json_option
def invitations(*, revoke: int | None, database: str | None, as_json: bool) -> None:
    """List the invitations that can still be used."""
    with closing(Invitations(arena_places(database, None)[0])) as stored:
        if revoke is not None and not stored.revoke(revoke):
            raise UserError("web.no_such_invitation")
        found = stored.valid()
    if as_json:
        echo_json([{"id": one.id, "role": one.role, "left": one.left, "note": one.note} for one in found])
        return
    for one in found:
        echo_row((6, 12, 6, 22, 1), one.id, one.role, one.left, f"{one.expires:%Y-%m-%d %H:%M} UTC", one.note)
    if not found:
        echo(Message("cli.account.no_invitations"))
