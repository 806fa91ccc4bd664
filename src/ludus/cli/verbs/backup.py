"""`ludus backup`: save all data of a web arena in one file."""

from __future__ import annotations

import time
from pathlib import Path

import click

from ludus.cli.arguments import arena_places, database_option, files_option
from ludus.cli.output import echo
from ludus.cli.verbs import Verb
from ludus.messages import Message
from ludus.store.backup import back_up

SECTION = "Run an arena"
SUMMARY = "save all data of a web arena"
EXTRA = "web"
EXAMPLES = """
ludus backup
ludus backup monday.zip --database games.db
"""


@click.command(cls=Verb, examples=EXAMPLES)
@click.argument("out", required=False, type=click.Path(dir_okay=False, path_type=Path))
@database_option
@files_option
def backup(*, out: Path | None, database: str | None, files: str | None) -> None:
    """Save all data of the arena into the zip file OUT. The arena can be running.

    The file contains people's games and hashes of their passwords: keep it where only you can read it.
    """
    out = out or Path(time.strftime("ludus-%Y-%m-%d-%H%M%S.zip"))
    counts = back_up(*arena_places(database, files), out)
    rows = sum(count for name, count in counts.items() if name != "files")
    echo(Message("cli.backup.saved", file=out, rows=f"{rows:,}", tables=len(counts) - 1, files=f"{counts['files']:,}"))
