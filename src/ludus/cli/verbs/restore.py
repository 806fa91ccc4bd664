"""`ludus restore`: replace the data of a web arena with a backup."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ludus.cli.arguments import arena_places, database_option, files_option
from ludus.cli.output import echo, rendered
from ludus.cli.verbs import Verb
from ludus.errors import UserError
from ludus.messages import Message
from ludus.store.backup import content
from ludus.store.backup import restore as restore_backup

SECTION = "Run an arena"
SUMMARY = "restore a web arena from a backup"
EXTRA = "web"
EXAMPLES = """
ludus restore monday.zip
ludus restore monday.zip --database postgresql://ludus@localhost/ludus --replace
"""


@click.command(cls=Verb, examples=EXAMPLES)
@click.argument("backup", type=click.Path(path_type=Path))
@database_option
@files_option
@click.option("--replace", is_flag=True, help="Replace existing data without asking.")
def restore(*, backup: Path, database: str | None, files: str | None, replace: bool) -> int:
    """Replace all data of the arena with BACKUP, completely or not at all.

    A running arena pauses and then continues with the restored data. The backup may come from another kind of database.
    """
    where, folder = arena_places(database, files)
    existing = content(where)
    if existing and not replace:
        tables = [f"{name}: {count:,}" for name, count in existing.items()]
        if not sys.stdin.isatty():
            raise UserError("cli.database_not_empty", rows=tables)
        click.confirm(rendered(Message("cli.restore.replace", rows=tables)), abort=True)
    counts = restore_backup(backup, where, folder)
    rows = sum(count for name, count in counts.items() if name != "files")
    echo(Message("cli.restore.done", rows=f"{rows:,}", files=f"{counts['files']:,}"))
    return 0
