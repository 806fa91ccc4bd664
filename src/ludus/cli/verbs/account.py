"""`ludus account`: the accounts of the web arena, from the command line; so the first admin is made."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from ludus.cli.arguments import arena_places, database_option, json_option
from ludus.cli.output import echo, echo_json
from ludus.cli.verbs import Verb, VerbGroup
from ludus.errors import UserError
from ludus.store.accounts import Accounts, read_name, read_role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludus.store.accounts import Account

SECTION = "For courses and scripts"
SUMMARY = "manage the accounts of the web arena"
EXAMPLES = """
ludus account add ada --role admin            asks for a password
ludus account list
ludus account role grace instructor
ludus account password grace < secret.txt
ludus account remove grace
"""


@contextmanager
def opened(database: str | None) -> Iterator[Accounts]:
    """Open the accounts, and close them in the end."""
    accounts = Accounts(arena_places(database, None)[0])
    try:
        yield accounts
    finally:
        accounts.close()


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
    entered: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
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
    """Create the account NAME; ask for its password, or read the first line of standard input."""
    read_name(name)
    read_role(role)
    with opened(database) as accounts:
        created = accounts.add(name, read_password(), role)
    echo(f"Created the account {created.name} ({created.role}).")


@account.command(cls=Verb, name="list", short_help="list all accounts")
@database_option
@json_option
def list_accounts(*, database: str | None, as_json: bool) -> None:
    """List all accounts with their roles."""
    with opened(database) as accounts:
        found = accounts.all()
    if as_json:
        echo_json([one._asdict() for one in found])
        return
    for one in found:
        echo(f"{one.role:<12}{one.name}")
    if not found:
        echo("There are no accounts yet; create the first with ludus account add NAME --role admin.")


@account.command(cls=Verb, short_help="change a role")
@click.argument("name", metavar="NAME")
@click.argument("role", metavar="ROLE")
@database_option
def role(*, name: str, role: str, database: str | None) -> None:
    """Set the role of NAME to ROLE: student, instructor or admin; it counts from their next request on."""
    with opened(database) as accounts:
        found = find(accounts, name)
        accounts.set_role(found, role, None)
    echo(f"Changed the role of {found.name} from {found.role} to {role}.")


@account.command(cls=Verb, short_help="change a password")
@click.argument("name", metavar="NAME")
@database_option
def password(*, name: str, database: str | None) -> None:
    """Change the password of NAME, asked for or read from standard input, and sign them out everywhere."""
    with opened(database) as accounts:
        found = find(accounts, name)
        accounts.set_password(found, read_password(), None)
    echo(f"Changed the password of {found.name} and signed them out everywhere.")


@account.command(cls=Verb, short_help="delete an account and all its data")
@click.argument("name", metavar="NAME")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@database_option
def remove(*, name: str, yes: bool, database: str | None) -> None:
    """Delete the account NAME with its sessions and tokens, and remove the name from all games."""
    with opened(database) as accounts:
        found = find(accounts, name)
        if not yes:
            click.confirm(f"Delete {found.name} and all their data?", abort=True)
        accounts.remove(found, None)
    echo(f"Deleted the account {found.name}.")
