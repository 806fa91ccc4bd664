"""The sandbox: how a foreign program is started, isolated and stopped. Knows no game, no bot and no protocol."""

from __future__ import annotations

from ludus.sandbox.cage import ResourceLimits, SandboxError, bubblewrap, filter_or_error
from ludus.sandbox.launch import start
from ludus.sandbox.process import Process
from ludus.sandbox.view import BOT, PLAY, VisibleFiles, ludus, python


def check_sandbox() -> None:
    """Raise a SandboxError that says what to do if the sandbox does not work on this machine."""
    bubblewrap()
    filter_or_error()


__all__ = [
    "BOT",
    "PLAY",
    "Process",
    "ResourceLimits",
    "SandboxError",
    "VisibleFiles",
    "check_sandbox",
    "ludus",
    "python",
    "start",
]
