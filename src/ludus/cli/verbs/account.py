"""`ludus account`: the accounts of the web arena, from the command line; so the first admin is made."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from ludus.cli.arguments import json_option
from ludus.cli.output import echo
from ludus.cli.verbs import Verb
from ludus.cli.verbs.serve import database_option, places
from ludus.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludus.store.accounts import Account, Accounts

SECTION = "For courses and scripts"
EXAMPLES = """
ludus account add ada --role admin            asks for a password
ludus account list
ludus account role grace instructor
ludus account password grace < secret.txt
ludus account remove grace
"""


class Verbs(Verb, click.Group):
    """A verb that has verbs of its own."""


@contextmanager
def opened(database: str | None) -> Iterator[Accounts]:
    """Open the accounts for a while."""
    from ludus.store.accounts import Accounts  # noqa: PLC0415 - the help page does without

    accounts = Accounts(places(database, None)[0])
    try:
        yield accounts
    finally:
        accounts.close()


def known(accounts: Accounts, name: str) -> Account:
    """Give an account by its name, or say that there is none."""
    found = accounts.find(name)
    if found is None:
        raise UserError("cli.no_such_account", name=repr(name))
    return found


def asked_password() -> str:
    """Ask for a password twice without showing it; what comes by a pipe or a file is taken by its first line."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    entered: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    return entered


@click.group(cls=Verbs, section=SECTION, examples=EXAMPLES, short_help="accounts of the web arena and their roles")
def account() -> None:
    """Make and change the accounts of the web arena.

    Roles are student, instructor and admin. Whoever signs up on the page is a student; the first admin is made here.
    """


@account.command(cls=Verb, section=SECTION, short_help="make an account")
@click.argument("name", metavar="NAME")
@click.option("--role", default="student", show_default=True, help="student, instructor or admin.")
@database_option
def add(*, name: str, role: str, database: str | None) -> None:
    """Make an account for NAME; the password is asked for, or is the first line of standard input."""
    from ludus.store.accounts import read_name, read_role  # noqa: PLC0415

    read_name(name)
    read_role(role)
    with opened(database) as accounts:
        made = accounts.add(name, asked_password(), role)
    echo(f"{made.name} is a new {made.role}.")


@account.command(cls=Verb, section=SECTION, name="list", short_help="all accounts")
@database_option
@json_option
def list_accounts(*, database: str | None, as_json: bool) -> None:
    """List all accounts with their roles."""
    with opened(database) as accounts:
        found = accounts.all()
    if as_json:
        echo(json.dumps([one._asdict() for one in found], ensure_ascii=False))
        return
    for one in found:
        echo(f"{one.role:<12}{one.name}")
    if not found:
        echo("There are no accounts yet; ludus account add NAME --role admin makes the first.")


@account.command(cls=Verb, section=SECTION, short_help="give someone another role")
@click.argument("name", metavar="NAME")
@click.argument("role", metavar="ROLE")
@database_option
def role(*, name: str, role: str, database: str | None) -> None:
    """Give NAME the ROLE student, instructor or admin; it holds from their next request on."""
    with opened(database) as accounts:
        found = known(accounts, name)
        accounts.set_role(found, role, None)
    echo(f"{found.name} was {found.role}, and is {role} now.")


@account.command(cls=Verb, section=SECTION, short_help="give someone another password")
@click.argument("name", metavar="NAME")
@database_option
def password(*, name: str, database: str | None) -> None:
    """Give NAME another password, which is asked for or read from standard input, and sign them out everywhere."""
    with opened(database) as accounts:
        found = known(accounts, name)
        accounts.set_password(found, asked_password(), None)
    echo(f"{found.name} has another password, and is signed out everywhere.")


@account.command(cls=Verb, section=SECTION, short_help="remove an account and what is kept about its person")
@click.argument("name", metavar="NAME")
@click.option("--yes", is_flag=True, help="Do not ask.")
@database_option
def remove(*, name: str, yes: bool, database: str | None) -> None:
    """Remove NAME: the account, its sessions and tokens, and the name from all games."""
    with opened(database) as accounts:
        found = known(accounts, name)
        if not yes:
            click.confirm(f"Remove {found.name} and all that is kept about them?", abort=True)
        accounts.remove(found, None)
    echo(f"{found.name} is removed.")


COMMAND = account
