"""Readers that only tests have: each does what the text of a stranger might make a reader do."""

from __future__ import annotations

import os


def echo(text: str) -> str:
    """Answer with what was sent."""
    return text


def refuse(text: str) -> None:
    """Find that the text makes no sense."""
    raise ValueError(f"line 1: {text} makes no sense")


def never_end() -> None:
    """Go on for ever."""
    while True:
        pass


def fill_memory() -> int:
    """Ask for more memory than there may be."""
    return len(bytearray(8 << 30))


def die() -> None:
    """End the process."""
    os._exit(1)


def own_process(_text: str) -> int:
    """Return the process that reads."""
    return os.getpid()
