"""`ludus salvage`: keep what can be read of a damaged database."""

from __future__ import annotations

from pathlib import Path

import click

from ludus.cli.output import echo
from ludus.cli.verbs import Verb
from ludus.messages import Message
from ludus.store.salvage import salvage as salvage_database

SECTION = "For courses and scripts"
SUMMARY = "keep what can be read of a damaged ledger"
EXTRA = "courses"
EXAMPLES = """
ludus salvage tournament.db
ludus salvage results/ledger.db
"""


@click.command(cls=Verb, examples=EXAMPLES)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
def salvage(*, file: Path) -> None:
    """Replace the damaged ledger FILE with all that can be read of it. The damaged one is kept beside it.

    Nothing may use FILE meanwhile. Then run the command that played the games again, `ludus tournament` with --resume:
    it plays the games that are missing. For a web arena, `ludus restore` a backup instead if there is one.
    """
    kept = salvage_database(file)
    rows = [f"{table}: {count:,}" for table, count in sorted(kept.rows.items())]
    echo(Message("cli.salvage.done", file=file, rows=rows, damaged=kept.damaged))
