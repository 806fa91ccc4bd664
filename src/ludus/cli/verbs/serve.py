"""`ludus serve`: the web arena on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ludus.cli.verbs import Verb

EXAMPLES = """
ludus serve
ludus serve --port 0 --database games.db
ludus serve --host 0.0.0.0 --port 80
"""


def default_database() -> Path:
    """Give the place where games are kept when nobody names one; its folder is made."""
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    folder = Path(data) / "ludus"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "arena.db"


@click.command(cls=Verb, section="Play", examples=EXAMPLES, short_help="the web arena: play, watch and analyse")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen at; 0.0.0.0 lets others in."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one.")
@click.option("--database", help="A file, or the URL of a PostgreSQL database.  [default: a file of your own]")
@click.option("--workers", type=click.IntRange(2, 256), help="Processes that think.  [default: one a core]")
def serve(*, host: str, port: int, database: str | None, workers: int | None) -> None:
    """Open the web arena in this machine's browser.

    It listens to this machine only, unless another --host is given. Ctrl-C stops it; games go on when it is back.
    """
    from ludus.web.app import serve as run  # noqa: PLC0415 - the help page does without

    run(database or default_database(), host, port, workers, lambda address: click.echo(f"Ludus is at {address}"))


COMMAND = serve
