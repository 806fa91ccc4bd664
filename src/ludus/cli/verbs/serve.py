"""`ludus serve`: run the web arena on this machine."""

from __future__ import annotations

import click

from ludus.cli.arguments import database_option, files_option
from ludus.cli.verbs import Verb

SECTION = "Play"
SUMMARY = "run the web arena: play, watch and analyse"
EXAMPLES = """
ludus serve
ludus serve --port 0 --database games.db
ludus serve --host 0.0.0.0 --port 80
ludus serve --host 10.0.0.5 --proxy 10.0.0.2
"""


@click.command(cls=Verb, examples=EXAMPLES, action="serve.serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on; 0.0.0.0 for all.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="The port; 0 for any free port."
)
@database_option
@files_option
@click.option("--workers", type=click.IntRange(2, 256), help="Engine processes.  [default: one per core]")
@click.option(
    "--per-address",
    type=click.IntRange(1, 100_000),
    default=500,
    show_default=True,
    envvar="LUDUS_PER_ADDRESS",
    help="How many requests one address can have open, including live streams.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="A reverse proxy whose X-Forwarded-For is trusted; can be repeated.  [default: this machine]",
)
def serve() -> None:
    """Run the web arena and print its address.

    It listens to this machine only, unless you give another --host. Ctrl-C stops it; games continue when it is back.
    """
