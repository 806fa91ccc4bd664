"""Guests: people without an account, known by a secret that their browser keeps in a cookie. Knows no HTTP.

The cookie is signed with a key of this arena's, so that a cookie that we did not make is no guest: nobody chooses who
they are. The key is a file in the arena's folder, and goes with its backups.
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
    """Makes and recognises the cookies of guests."""

    def __init__(self, folder: Path) -> None:
        self._key = _key(folder)

    def new(self) -> str:
        """Return the cookie of a new guest."""
        return self.signed(secrets.token_urlsafe(18))

    def signed(self, secret: str) -> str:
        """Return the cookie that holds a secret."""
        return f"{secret}.{self._mark(secret)}"

    def owner(self, cookie: str) -> str:
        """Return what matches know the guest of a cookie by; empty where the cookie is not ours."""
        secret, _, mark = cookie.rpartition(".")
        if not secret or not hmac.compare_digest(mark.encode(), self._mark(secret).encode()):
            return ""
        return owner_of(secret)

    def _mark(self, secret: str) -> str:
        digest = hmac.new(self._key, secret.encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest[:18]).decode()


def _key(folder: Path) -> bytes:
    """Return the key of an arena; made once, whole before anybody can read it."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / KEY_FILE
    with contextlib.suppress(FileNotFoundError):
        if len(key := place.read_bytes()) == KEY_BYTES:
            return key
        place.unlink()
    descriptor, name = tempfile.mkstemp(prefix=".key-", dir=folder)  # readable by its owner only
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
        with contextlib.suppress(FileExistsError):  # of two servers one is first
            place.hardlink_to(beside)
    finally:
        beside.unlink()
    return place.read_bytes()
