"""The sandbox: how a foreign program is kept in, spoken to, and stopped. Knows no game, no bot and no protocol."""

from __future__ import annotations

from ludus.sandbox.cage import Limits, SandboxError
from ludus.sandbox.process import Process, start
from ludus.sandbox.view import BOT, PLAY, View, ludus, python

__all__ = ["BOT", "PLAY", "Limits", "Process", "SandboxError", "View", "ludus", "python", "start"]
