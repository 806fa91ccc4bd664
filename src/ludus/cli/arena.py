"""A client of the web arena for the command line: requests with a token, and event streams. Knows no verb.

The address and the token come from the command line, the environment, or the user's configuration file; never from the
folder of a bot, which somebody else may have written.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ludus.errors import UserError
from ludus.files import read_toml
from ludus.messages import Message, verbatim

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT_ADDRESS = "http://127.0.0.1:8000"
TIMEOUT_SECONDS = 60.0


def config_file() -> Path:
    """Return the configuration file, which may hold the address and the token."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config", "ludus", "submit.toml")


def _config() -> dict[str, Any]:
    file = config_file()
    if not file.exists():
        return {}
    return read_toml(file.read_bytes(), str(file))


class ArenaClient:
    """An arena at an address, used with a token."""

    def __init__(self, address: str | None, token: str | None) -> None:
        config = _config()
        self.address = str(address or os.environ.get("LUDUS_ARENA") or config.get("to") or DEFAULT_ADDRESS).rstrip("/")
        self._token = str(token or os.environ.get("LUDUS_TOKEN") or config.get("token") or "")
        if urlsplit(self.address).scheme not in ("http", "https"):
            raise UserError("cli.no_address", address=self.address, example=DEFAULT_ADDRESS)
        if not self._token:
            raise UserError("cli.no_token", address=self.address, file=str(config_file()))

    def ask(self, path: str, body: Any = None) -> Any:
        """Send a GET request, or a POST request with a body; raise a UserError with the arena's message on refusal."""
        with self._open(path, body) as answer:
            return json.loads(answer.read())

    def events(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield the events of a stream until one says that it is over."""
        with self._open(path, None) as lines:
            for line in lines:
                if line.startswith(b"data: "):
                    event: dict[str, Any] = json.loads(line[6:])
                    yield event
                    if event["over"]:
                        return

    def _open(self, path: str, body: Any) -> Any:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.address}{path}", data, headers)  # noqa: S310 - http or https, as checked
        try:
            return urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)  # noqa: S310
        except urllib.error.HTTPError as refusal:
            raise UserError(_reason(refusal)) from None
        except urllib.error.URLError as error:
            raise UserError("cli.no_arena", address=self.address, why=str(error.reason)) from None


def _reason(refusal: urllib.error.HTTPError) -> Message:
    """Return why the arena refused a request."""
    try:
        return verbatim(str(json.loads(refusal.read())["detail"]))
    except (ValueError, KeyError, TypeError):
        return Message("cli.arena_refuses", status=refusal.code)
