"""A web arena as the command line speaks to it: requests with a token, and streams of news. Knows no verb.

Where the arena is and which token to show come from the command line, the environment, or the file that a person keeps
them in; never from the folder of a bot, which somebody else may have written.
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

USUAL = "http://127.0.0.1:8000"
SECONDS = 60.0


def config_file() -> Path:
    """Give the file that a person keeps the address and the token in."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config", "ludus", "submit.toml")


def _config() -> dict[str, Any]:
    file = config_file()
    if not file.exists():
        return {}
    return read_toml(file.read_bytes(), str(file))


class ArenaClient:
    """An arena, and the token that opens it."""

    def __init__(self, address: str | None, token: str | None) -> None:
        kept = _config()
        self.address = str(address or os.environ.get("LUDUS_ARENA") or kept.get("to") or USUAL).rstrip("/")
        self._token = str(token or os.environ.get("LUDUS_TOKEN") or kept.get("token") or "")
        if urlsplit(self.address).scheme not in ("http", "https"):
            raise UserError("cli.bad_address", address=self.address, example=USUAL)
        if not self._token:
            raise UserError("cli.no_token", address=self.address, file=config_file())

    def ask(self, path: str, body: Any = None) -> Any:
        """Ask for something, or change it with a body; a refusal is a ValueError with the arena's sentence."""
        with self._open(path, body) as answer:
            return json.loads(answer.read())

    def news(self, path: str) -> Iterator[dict[str, Any]]:
        """Follow something until it is over."""
        with self._open(path, None) as lines:
            for line in lines:
                if line.startswith(b"data: "):
                    told: dict[str, Any] = json.loads(line[6:])
                    yield told
                    if told["over"]:
                        return

    def _open(self, path: str, body: Any) -> Any:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(f"{self.address}{path}", data, headers)  # noqa: S310 - http or https, as checked
        try:
            return urllib.request.urlopen(asked, timeout=SECONDS)  # noqa: S310
        except urllib.error.HTTPError as refusal:
            raise UserError(_reason(refusal)) from None
        except urllib.error.URLError as error:
            raise UserError("cli.no_arena", address=self.address, problem=error.reason) from None


def _reason(refusal: urllib.error.HTTPError) -> Message:
    """Return the reason of a refusal."""
    try:
        return verbatim(str(json.loads(refusal.read())["detail"]))
    except (ValueError, KeyError, TypeError):
        return Message("cli.refused", status=refusal.code)
