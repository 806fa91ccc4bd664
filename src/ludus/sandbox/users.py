"""Users of this machine that nobody else is, one for each sandbox: only root can give them. Knows no sandbox.

A user is held by a lock on a file, which ends when the last process that has it open is gone. The sandbox's first
process has it open too, so that no other sandbox gets the same user before everything in this one has ended.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import itertools
import os
import pwd
from pathlib import Path
from typing import NamedTuple

from ludus.errors import UserError

FIRST, COUNT = 70_000, 5_000
"""A range between those of people and of Debian's packages and those of containers."""
FOLDERS = ("/run/ludus/users", "/tmp/.ludus-users")  # noqa: S108 - only root's own folder is used there
_turns = itertools.count(os.getpid() * 16)


class HeldUser(NamedTuple):
    """A user and the lock on it."""

    number: int
    lock: int
    """A descriptor; close it when the user is no longer needed."""


def hold_user() -> HeldUser:
    """Return a user that no other sandbox of this machine has."""
    folder = _folder()
    for turn in itertools.islice(_turns, COUNT):
        number = FIRST + turn % COUNT
        lock = os.open(folder / str(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            continue
        if _is_free(number):
            return HeldUser(number, lock)
        os.close(lock)
    raise UserError("sandbox.no_user_left", first=FIRST, last=FIRST + COUNT - 1)


@functools.cache
def _is_free(number: int) -> bool:
    """Return whether no account of this machine has that number."""
    with contextlib.suppress(KeyError):
        pwd.getpwuid(number)
        return False
    return True


@functools.cache
def _folder() -> Path:
    """Return the folder of the locks, which belongs to root alone."""
    for name in FOLDERS:
        with contextlib.suppress(OSError):
            Path(name).mkdir(parents=True, exist_ok=True, mode=0o700)
            found = os.lstat(name)
            if found.st_uid == 0 and found.st_mode & 0o177_077 == 0o040_000:
                return Path(name)
    raise UserError("sandbox.no_folder_for_users", folder=FOLDERS[0])
