"""`ludus serve`, run: the web arena on this machine."""

from __future__ import annotations

from ludus.cli.arguments import arena_places
from ludus.cli.output import echo
from ludus.web.app import serve as run
from ludus.web.http.connections import LOCAL, ConnectionLimits, read_proxy


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
    """Run the web arena and print its address."""
    limits = ConnectionLimits(per_address=per_address, proxies=tuple(map(read_proxy, proxies)) or LOCAL)
    run(*arena_places(database, files), host, port, workers, lambda at: echo(f"Ludus is at {at}"), limits)
