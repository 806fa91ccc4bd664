"""Guests: people without an account, known by a secret in a signed cookie. Knows no HTTP.

The signature makes sure that nobody can choose who they are. Its key is a file in the folder of the server's files, and
part of its backups.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import os
import secrets
import tempfile
from pathlib import Path

from ludus.web.matches.live import owner_of

KEY_FILE = "guest.key"
KEY_BYTES = 32


class Guests:
    """Creates and checks the cookies of guests."""

    def __init__(self, folder: Path) -> None:
        self._key = _key(folder)

    def new(self) -> str:
        """Return the cookie of a new guest."""
        return self.signed(secrets.token_urlsafe(18))

    def signed(self, secret: str) -> str:
        """Return the cookie that holds a secret."""
        return f"{secret}.{self._signature(secret)}"

    def owner(self, cookie: str) -> str:
        """Return the owner text of the guest of a cookie; empty where the signature is wrong."""
        secret, _, signature = cookie.rpartition(".")
        if not secret or not hmac.compare_digest(signature.encode(), self._signature(secret).encode()):
            return ""
        return owner_of(secret)

    def _signature(self, secret: str) -> str:
        digest = hmac.new(self._key, secret.encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest[:18]).decode()


def _key(folder: Path) -> bytes:
    """Return the key of this server; create it where there is none, complete before another process can read it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / KEY_FILE
    with contextlib.suppress(FileNotFoundError):
        if len(key := path.read_bytes()) == KEY_BYTES:
            return key
        path.unlink()
    descriptor, name = tempfile.mkstemp(prefix=".key-", dir=folder)  # readable by this user only
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
        with contextlib.suppress(FileExistsError):  # another server was faster
            path.hardlink_to(temporary)
    finally:
        temporary.unlink()
    return path.read_bytes()
