"""The sandbox: how a foreign program is started, isolated and stopped. Knows no game, no bot and no protocol."""

from __future__ import annotations

from ludus.sandbox.cage import ResourceLimits, SandboxError
from ludus.sandbox.launch import start
from ludus.sandbox.process import Process
from ludus.sandbox.protections import Protection, protections, weakness
from ludus.sandbox.view import BOT, PLAY, VisibleFiles, ludus, python, rules


def check_sandbox() -> None:
    """Raise a SandboxError that says what to do if the sandbox does not work on this machine."""
    start(("true",)).close()


__all__ = [
    "BOT",
    "PLAY",
    "Process",
    "Protection",
    "ResourceLimits",
    "SandboxError",
    "VisibleFiles",
    "check_sandbox",
    "ludus",
    "protections",
    "python",
    "rules",
    "start",
    "weakness",
]
