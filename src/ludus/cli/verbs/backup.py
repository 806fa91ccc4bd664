"""`ludus backup`: everything that an arena keeps, in one file."""

from __future__ import annotations

import time
from pathlib import Path

import click

from ludus.cli.output import echo
from ludus.cli.verbs import Verb
from ludus.cli.verbs.serve import database_option, files_option, places

EXAMPLES = """
ludus backup
ludus backup monday.zip --database games.db
"""


@click.command(cls=Verb, section="For courses and scripts", examples=EXAMPLES, short_help="save a whole web arena")
@click.argument("out", required=False, type=click.Path(dir_okay=False, path_type=Path))
@database_option
@files_option
def backup(*, out: Path | None, database: str | None, files: str | None) -> None:
    """Save everything that the arena keeps into the zip file OUT, also while the arena runs.

    It holds people's games and hashes of their passwords: keep it where only you can read it.
    """
    from ludus.store.backup import back_up  # noqa: PLC0415 - the help page does without

    out = out or Path(time.strftime("ludus-%Y-%m-%d-%H%M%S.zip"))
    counts = back_up(*places(database, files), out)
    rows = sum(count for name, count in counts.items() if name != "files")
    echo(f"{out}: {rows:,} rows of {len(counts) - 1} tables and {counts['files']:,} files")


COMMAND = backup
