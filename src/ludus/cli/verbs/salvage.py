"""`ludus salvage`: keep what can be read of a damaged database."""

from __future__ import annotations

from pathlib import Path

import click

from ludus.cli.output import echo
from ludus.cli.verbs import Verb
from ludus.messages import Message
from ludus.store.salvage import salvage as salvage_database

SECTION = "Compete"
SUMMARY = "save what can be read of a damaged ledger"
EXTRA = "courses"
EXAMPLES = """
ludus salvage tournament.db
ludus salvage results/ledger.db
"""


@click.command(cls=Verb, examples=EXAMPLES)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
def salvage(*, file: Path) -> None:
    """Replace the damaged ledger FILE with everything that can still be read. The damaged file is kept beside it.

    Stop all programs that use FILE first. Afterwards run the command that played the games again (`ludus tournament`
    with --resume): it plays the missing games. For a web arena, use `ludus restore` if you have a backup.
    """
    kept = salvage_database(file)
    rows = [f"{table}: {count:,}" for table, count in sorted(kept.rows.items())]
    echo(Message("cli.salvage.done", file=file, rows=rows, damaged=kept.damaged))
