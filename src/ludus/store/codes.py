"""Codes that people are given and type in: invitations, and the proof that a student's id is one's own.

A code is 80 random bits in letters and digits that are not mistaken for each other. Only its hash is stored.
Knows no table.
"""

from __future__ import annotations

import hashlib
import secrets

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LOOK_ALIKE = str.maketrans("OIL", "011")
LENGTH, GROUP = 16, 4


def new_code() -> str:
    """Return a new code, in groups that are easy to read."""
    text = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
    return "-".join(text[at : at + GROUP] for at in range(0, LENGTH, GROUP))


def code_hash(text: str) -> str:
    """Return the hash of a code however it is typed: capitals, blanks and look-alike letters do not count."""
    plain = "".join(filter(str.isalnum, text.upper())).translate(LOOK_ALIKE)
    return secret_hash(plain)


def secret_hash(secret: str) -> str:
    """Return the hash of a random secret; a fast hash is enough for it."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()
