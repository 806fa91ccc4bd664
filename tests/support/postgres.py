"""A real PostgreSQL server on a random loopback port, with a new database for each test. It refuses to run as root."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
from ports import free_port

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


class PostgresServer:
    """A server of one's own, which can be stopped and started again."""

    def __init__(self) -> None:
        self._programs = programs()
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self._as_user: list[str] = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, SERVER_USER)
            self._as_user = ["setpriv", f"--reuid={SERVER_USER}", f"--regid={SERVER_USER}", "--init-groups"]
        port = free_port()
        self.address = f"postgresql://ludus@127.0.0.1:{port}"
        place = f"-c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
        self._options = f"-p {port} {place} -c fsync=off -c restart_after_crash=on"
        self._call("initdb", "-U", "ludus", "--auth=trust", "--no-sync", "-E", "UTF8")

    def _call(self, program: str, *words: str | Path) -> None:
        command = [*self._as_user, str(self._programs / program), "-D", str(self.folder / "data"), *map(str, words)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._call("pg_ctl", "-w", "-l", self.folder / "log", "-o", self._options, "start")

    def stop(self) -> None:
        """Stop it at once, as a crash would."""
        self._call("pg_ctl", "-m", "immediate", "stop")

    def close(self) -> None:
        """Remove it."""
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def server() -> Iterator[str]:
    """Run a server; give its URL."""
    with contextlib.closing(PostgresServer()) as made:
        made.start()
        try:
            yield made.address
        finally:
            made.stop()
