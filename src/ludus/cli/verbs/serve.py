"""`ludus serve`: run the web arena on this machine."""

from __future__ import annotations

import click

from ludus.cli.arguments import database_option, files_option, weak_option
from ludus.cli.verbs import Verb

SECTION = "Run an arena"
SUMMARY = "run the web arena"
EXTRA = "web"
EXAMPLES = """
ludus serve
ludus serve --port 0 --database games.db
ludus serve --host 0.0.0.0 --port 80 --host-name arena.example
ludus serve --sign-up invitation                            accounts only for those who have a code
ludus serve --proxy 127.0.0.1 --host-name arena.example     behind a proxy on this machine
"""


@click.command(cls=Verb, examples=EXAMPLES, action="serve.serve")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen on; 0.0.0.0 for all addresses."
)
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
    help="The most open requests per address, including live streams.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Believe the X-Forwarded-For header of this proxy; can be repeated.",
)
@click.option(
    "--host-name",
    "host_names",
    multiple=True,
    metavar="NAME",
    envvar="LUDUS_HOST_NAME",
    help="A name under which people open it; can be repeated. Requests for other names are refused.",
)
@click.option(
    "--sign-up",
    type=click.Choice(("open", "invitation", "closed")),
    envvar="LUDUS_SIGN_UP",
    help="Who can create an account: anyone, those with a code, or nobody.  [default: what admins chose, or open]",
)
@weak_option
def serve() -> None:
    """Run the web arena and print its address.

    Only this machine can open it, unless you give another --host. Ctrl-C stops it; games continue after a restart.
    """
