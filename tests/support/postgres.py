"""A real PostgreSQL server on a random loopback port, with a new database for each test. It refuses to run as root."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg

SERVER_USER = "postgres"
RUNNING = contextlib.ExitStack()
"""The server that runs until the end of the tests of this process."""
ADDRESS: list[str] = []
"""Its address, from when it is first needed."""


def programs() -> Path:
    """Find where the server's programs are; Debian keeps them out of the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found and (program := shutil.which("initdb")):
        found = [Path(program)]
    assert found, "the tests need a PostgreSQL server: apt-get install postgresql"
    return found[-1].parent


def new_database() -> str:
    """Return the URL of an empty database."""
    if not ADDRESS:
        ADDRESS.append(RUNNING.enter_context(server()))
    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(f"{ADDRESS[0]}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{ADDRESS[0]}/{name}"


@contextlib.contextmanager
def server() -> Iterator[str]:
    """Run a server; give its URL."""
    where = programs()
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    as_user: list[str] = []
    if os.geteuid() == 0:
        shutil.chown(folder, SERVER_USER)
        as_user = ["setpriv", f"--reuid={SERVER_USER}", f"--regid={SERVER_USER}", "--init-groups"]
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    data = folder / "data"
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"

    def call(*command: str | Path) -> None:
        subprocess.run([*as_user, *map(str, command)], check=True, stdout=subprocess.DEVNULL, cwd=folder)

    try:
        call(where / "initdb", "-D", data, "-U", "ludus", "--auth=trust", "--no-sync", "-E", "UTF8")
        call(where / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
        try:
            yield f"postgresql://ludus@127.0.0.1:{port}"
        finally:
            call(where / "pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
