"""What protects this machine from bots, and what is missing: found out by trying. Knows no bots.

Without a memory limit of the kernel's, the sandbox is weak: `ludus-init` counts instead, 40 times a second, and misses
a part of what the kernel itself uses for a program. Everything else that can be missing has a substitute that holds.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any, NamedTuple

from ludus.errors import Fault, UserError
from ludus.messages import Message
from ludus.sandbox import cgroup
from ludus.sandbox.cage import is_root
from ludus.sandbox.launch import start

SECONDS = 10.0
NAMES = ("sandbox", "memory", "processes", "pause", "cpu", "user", "calls")
CONTROLLERS = {"memory": "memory", "processes": "pids", "pause": cgroup.FREEZE, "cpu": "cpu"}


class Protection(NamedTuple):
    """One thing that protects the machine, the opponent or the clock."""

    name: str
    there: bool
    needed: bool
    """Whether the sandbox is weak without it."""
    message: Message
    """What holds here: the protection, or what stands in for it."""
    remedy: Message | None = None
    """How to get it, where it is missing and can be had."""

    @property
    def json(self) -> dict[str, Any]:
        """The same as JSON."""
        texts = {"text": str(self.message), "remedy": str(self.remedy) if self.remedy else None}
        return {"name": self.name, "there": self.there, "needed": self.needed, **texts}


def weakness() -> Message | None:
    """Return what is missing that makes the sandbox weak; None where nothing is."""
    return None if cgroup.hierarchy() is not None else Message("sandbox.lacks_memory")


def protections() -> list[Protection]:
    """Find out what protects this machine."""
    problem, refused = _tried()
    there = {name: controller in _controllers() for name, controller in CONTROLLERS.items()}
    there |= {"sandbox": problem is None, "user": is_root(), "calls": bool(refused)}
    found = []
    for name in NAMES:
        message = Message(f"sandbox.{'has' if there[name] else 'lacks'}_{name}")
        remedy = problem if name == "sandbox" else None if there[name] else _remedy(name)
        found.append(Protection(name, there[name], name in ("sandbox", "memory"), message, remedy))
    return found


def _controllers() -> set[str]:
    hierarchy = cgroup.hierarchy()
    return {*hierarchy.folders} if hierarchy else set()


def _tried() -> tuple[Message | None, tuple[str, ...]]:
    """Start a program that makes a call which is not allowed; return why it did not start, and what was refused."""
    try:
        with start(("unshare", "--user", "true")) as program:
            with contextlib.suppress(Fault):
                program.rest(SECONDS, 1 << 16)
            return None, program.refused
    except UserError as error:
        return error.message, ()


def _remedy(name: str) -> Message | None:
    """Return how to get what is missing."""
    if name in ("user", "calls"):
        return Message(f"sandbox.get_{name}")
    if cgroup.hierarchy() is not None:  # there are control groups, but none for this
        return None
    if is_root():
        return Message("sandbox.get_groups_as_root")
    own, given = Path("/proc/self/cgroup").read_text(), {"group": cgroup.user_group(), "user": os.geteuid()}
    if any("memory" in line.split(":")[1].split(",") for line in own.splitlines()):
        return Message("sandbox.get_groups_1", **given) if name != "pause" else None  # only version 2 can freeze
    by_systemd = Path("/run/systemd/system").exists()
    return Message("sandbox.get_groups_by_systemd" if by_systemd else "sandbox.get_groups_2", **given)
