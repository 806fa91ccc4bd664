"""`ludus serve`, run: the web arena on this machine."""

from __future__ import annotations

import os

from ludus.bots.build import store
from ludus.cli.arguments import arena_places, keep_private
from ludus.cli.output import echo
from ludus.cli.protection import accept_weakness
from ludus.messages import Message
from ludus.store.invitations import SignUp
from ludus.web.app import serve as run
from ludus.web.http.connections import ConnectionLimits, read_proxy
from ludus.web.http.hosts import read_host_name
from ludus.web.settings import ServerSettings


def serve(
    *,
    host: str,
    port: int,
    database: str | None,
    files: str | None,
    workers: int | None,
    per_address: int,
    proxies: tuple[str, ...],
    host_names: tuple[str, ...],
    weak: bool,
    sign_up: SignUp | None,
) -> None:
    """Run the web arena and print its address."""
    accept_weakness(weak=weak)
    settings = ServerSettings(
        limits=ConnectionLimits(per_address=per_address, proxies=tuple(map(read_proxy, proxies))),
        host_names=tuple(map(read_host_name, host_names)),
        sign_up=sign_up,
    )
    places = arena_places(database, files)
    if "LUDUS_CACHE" not in os.environ:  # the operator may share a folder of their own
        builds = store()
        builds.mkdir(mode=0o700, parents=True, exist_ok=True)
        keep_private(builds)
    run(*places, host, port, workers, lambda address: echo(Message("cli.serve.running", address=address)), settings)
