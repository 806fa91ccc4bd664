"""Signed cookies: guests, and browsers in which a person has signed in before. Knows no HTTP.

The signature makes sure that nobody can choose who they are. Its key is a file in the folder of the server's files, and
part of its backups.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import secrets
from pathlib import Path
from typing import NamedTuple

from ludus.files import create_once
from ludus.web.matches.live import owner_of

KEY_FILE = "guest.key"
KEY_BYTES = 32
BROWSER = "browser "
"""What is signed of a known browser begins with this, so that no cookie serves as one of another kind."""


class KnownBrowser(NamedTuple):
    """A browser in which an account has signed in before."""

    account: int
    secret: str


class SignedCookies:
    """Creates and checks the cookies of guests and of known browsers."""

    def __init__(self, folder: Path) -> None:
        self._key = _key(folder)

    def new_guest(self) -> str:
        """Return the cookie of a new guest."""
        return self.signed(secrets.token_urlsafe(18))

    def signed(self, secret: str) -> str:
        """Return the cookie of the guest who has a secret."""
        return f"{secret}.{self._signature(secret)}"

    def guest(self, cookie: str) -> str:
        """Return the owner text of the guest of a cookie; empty where the signature is wrong."""
        secret, _, signature = cookie.rpartition(".")
        if not secret or not hmac.compare_digest(signature.encode(), self._signature(secret).encode()):
            return ""
        return owner_of(secret)

    def new_browser(self, account: int) -> str:
        """Return the cookie of a browser in which an account signs in."""
        text = f"{account}.{secrets.token_urlsafe(9)}"
        return f"{text}.{self._signature(BROWSER + text)}"

    def browser(self, cookie: str) -> KnownBrowser | None:
        """Return the known browser of a cookie; None where the signature is wrong."""
        text, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._signature(BROWSER + text).encode()):
            return None
        account, _, secret = text.partition(".")
        return KnownBrowser(int(account), secret)

    def _signature(self, text: str) -> str:
        digest = hmac.new(self._key, text.encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest[:18]).decode()


def _key(folder: Path) -> bytes:
    """Return the key of this server; create it where there is none, complete before another process can read it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / KEY_FILE
    with contextlib.suppress(FileNotFoundError):
        if len(key := path.read_bytes()) == KEY_BYTES:
            return key
        path.unlink()
    return create_once(path, secrets.token_bytes(KEY_BYTES))
