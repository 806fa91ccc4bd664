"""`ludus serve`: the web arena on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ludus.cli.output import echo
from ludus.cli.verbs import Verb
from ludus.errors import UserError

EXAMPLES = """
ludus serve
ludus serve --port 0 --database games.db
ludus serve --host 0.0.0.0 --port 80
ludus serve --host 10.0.0.5 --proxy 10.0.0.2
"""

database_option = click.option(
    "--database", help="A file, or the URL of a PostgreSQL database.  [default: a file of your own]"
)
files_option = click.option("--files", help="A folder for what is no table.  [default: beside the database]")


def places(database: str | None, files: str | None) -> tuple[str, Path]:
    """Give the database and the folder for files that are meant; those that nobody names are the user's own."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share", "ludus")
    if database is None:
        data.mkdir(parents=True, exist_ok=True)
        database = str(data / "arena.db")
    if files is not None:
        folder = Path(files)
    else:
        folder = data / "arena.files" if "://" in database else Path(database).with_suffix(".files")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError("cli.no_files_folder", folder=folder, problem=error.strerror) from None
    return database, folder


@click.command(cls=Verb, section="Play", examples=EXAMPLES, short_help="the web arena: play, watch and analyse")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen at; 0.0.0.0 lets others in."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one.")
@database_option
@files_option
@click.option("--workers", type=click.IntRange(2, 256), help="Processes that think.  [default: one a core]")
@click.option(
    "--per-address",
    type=click.IntRange(1, 100_000),
    default=500,
    show_default=True,
    envvar="LUDUS_PER_ADDRESS",
    help="Requests, live streams included, that one address may have under way.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="A reverse proxy whose X-Forwarded-For is believed; may be repeated.  [default: this machine]",
)
def serve(
    *,
    host: str,
    port: int,
    database: str | None,
    files: str | None,
    workers: int | None,
    per_address: int,
    proxies: tuple[str, ...],
) -> None:
    """Open the web arena in this machine's browser.

    It listens to this machine only, unless another --host is given. Ctrl-C stops it; games go on when it is back.
    """
    from ludus.web.app import serve as run  # noqa: PLC0415 - the help page does without
    from ludus.web.http.connections import LOCAL, Limits, read_proxy  # noqa: PLC0415

    limits = Limits(per_address=per_address, proxies=tuple(map(read_proxy, proxies)) or LOCAL)
    run(*places(database, files), host, port, workers, lambda at: echo(f"Ludus is at {at}"), limits)


COMMAND = serve
