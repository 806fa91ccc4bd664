"""`ludus restore`: an arena as a backup has it."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ludus.cli.output import echo
from ludus.cli.verbs import Verb
from ludus.cli.verbs.serve import database_option, files_option, places
from ludus.errors import UserError

EXAMPLES = """
ludus restore monday.zip
ludus restore monday.zip --database postgresql://ludus@localhost/ludus --replace
"""


@click.command(cls=Verb, section="For courses and scripts", examples=EXAMPLES, short_help="bring a backup back")
@click.argument("backup", type=click.Path(path_type=Path))
@database_option
@files_option
@click.option("--replace", is_flag=True, help="Replace what is there without asking.")
def restore(*, backup: Path, database: str | None, files: str | None, replace: bool) -> int:
    """Bring everything of BACKUP back, in the place of what the arena keeps now, all or nothing.

    An arena that runs pauses meanwhile, and goes on with what was brought back. The kind of database may differ.
    """
    from ludus.store.backup import content  # noqa: PLC0415 - the help page does without
    from ludus.store.backup import restore as bring_back  # noqa: PLC0415

    where, folder = places(database, files)
    there = content(where)
    if there and not replace:
        held = ", ".join(f"{count:,} of {name}" for name, count in there.items())
        if not sys.stdin.isatty():
            raise UserError("cli.database_not_empty", rows=held)
        click.confirm(f"The database has rows already ({held}). Replace them all?", abort=True)
    counts = bring_back(backup, where, folder)
    rows = sum(count for name, count in counts.items() if name != "files")
    echo(f"brought back {rows:,} rows and {counts['files']:,} files")
    return 0


COMMAND = restore
