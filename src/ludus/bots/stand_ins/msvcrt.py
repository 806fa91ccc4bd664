"""Stands in for a module of Windows: keys are read from standard input."""

import sys


def getch() -> bytes:
    """Return the next character."""
    return sys.stdin.buffer.read(1) or b"\r"


getche = getwch = getwche = getch


def kbhit() -> bool:
    """Return that no key waits."""
    return False
