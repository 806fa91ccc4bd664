"""What a password must be: long enough, not the person's name, and none of those that many people have.

The commonest passwords are in a file of short hashes, which `scripts/common_passwords.py` wrote; a password that is not
among them is taken for one of them once in a quarter of a million times. Knows no account.
"""

from __future__ import annotations

import functools
import hashlib
import unicodedata
from pathlib import Path

from ludus.errors import UserError

SHORTEST_PASSWORD, LONGEST_PASSWORD = 8, 200
COMMON = Path(__file__).with_name("common_passwords.bin")
HASH_BYTES = 4


def name_key(name: str) -> str:
    """Return a name as it is compared: two names that look alike to a reader are one."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def fingerprint(password: str) -> bytes:
    """Return the short hash of a password, in which capitals and width do not count."""
    return hashlib.sha256(name_key(password).encode(errors="surrogatepass")).digest()[:HASH_BYTES]


@functools.cache
def common_passwords() -> frozenset[bytes]:
    """Return the short hashes of the commonest passwords that are long enough."""
    data = COMMON.read_bytes()
    return frozenset(data[at : at + HASH_BYTES] for at in range(0, len(data), HASH_BYTES))


def read_password(text: str, name: str) -> bytes:
    """Return a new password as it is hashed; raise UserError if it is not allowed."""
    if len(text) < SHORTEST_PASSWORD:
        raise UserError("store.password_too_short", least=SHORTEST_PASSWORD)
    if len(text) > LONGEST_PASSWORD:
        raise UserError("store.password_too_long", most=LONGEST_PASSWORD)
    if _letters(text) == _letters(name):
        raise UserError("store.password_is_name")
    if fingerprint(text) in common_passwords():
        raise UserError("store.password_common")
    return plain_password(text)


def plain_password(text: str) -> bytes:
    """Return a password in the form that is hashed: the same for every keyboard."""
    return unicodedata.normalize("NFKC", text).encode(errors="surrogatepass")


def _letters(text: str) -> str:
    """Return only the letters and digits of a text, without capitals; all of it where it has none."""
    key = name_key(text)
    return "".join(filter(str.isalnum, key)) or key
