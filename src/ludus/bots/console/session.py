"""A program for a person at a terminal that is being tried: started in the sandbox, typed to, and its screen read.

Knows processes and screens; knows no rules and guesses nothing.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Self

from ludus import sandbox
from ludus.errors import Fault
from ludus.protocols.console import PROTOCOL, passing
from ludus.protocols.console.screen import ENDED, WAITS, Screen, Shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ludus.bots import Bot
    from ludus.bots.build import BuildResult
    from ludus.sandbox import Process

MOST_PAUSES = 4
AT_ONCE = 1.0
"""Seconds that an answer may take without being thought about."""


class TriedProgram:
    """A program that is being tried: starts it, and counts what that takes."""

    def __init__(self, bot: Bot, built: BuildResult, *, trusted: bool) -> None:
        self.bot, self._built, self._trusted = bot, built, trusted
        self.starts = 0
        self.thought = 0.0
        """For how many seconds it has thought, which is not counted as time for trying it."""

    def start(self, arguments: Sequence[str], files: Mapping[str, str], seconds: float) -> Session:
        """Start it with arguments and files; it is ended when it takes longer than some seconds."""
        self.starts += 1
        process = sandbox.start(
            (*PROTOCOL.command(self.bot.run, 0), *arguments),
            folder=self._built.folder,
            view=sandbox.python(),
            limits=self.bot.limits,
            environment=self.bot.environment,
            trusted=self._trusted,
            terminal=True,
        )
        return Session(self, process, files, seconds)


class Session:
    """A program that has been started; a context manager, which ends it."""

    def __init__(self, program: TriedProgram, process: Process, files: Mapping[str, str], seconds: float) -> None:
        self.screen = Screen()
        self.slow = False
        """Whether it was ended because it neither asked nor answered in time."""
        self.waited = 0.0
        """What it took to answer what was last typed."""
        self._program, self._process, self._seconds = program, process, seconds
        self._request(json.dumps({"start": dict(files)}) + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.close()

    def _request(self, request: str) -> None:
        """Send a request, and wait until the program waits or has ended."""
        began = time.monotonic()
        self._process.start_clock()
        self._process.send(request)
        try:
            while not self.screen.report(self._process.line(self._seconds)):
                pass
        except Fault as fault:
            self.slow = fault.kind == "timeout"
            self.screen.status = ENDED
        else:
            self._process.answered()
        self.waited = time.monotonic() - began
        self._program.thought += max(0.0, self.waited - AT_ONCE)

    @property
    def waits(self) -> bool:
        """Whether it waits for input."""
        return self.screen.status == WAITS

    def type(self, text: str) -> None:
        """Type a line, and wait until the program waits again or has ended."""
        self._request(self.screen.typed(text))

    def skip_pauses(self) -> Shown:
        """Press Enter, or confirm, wherever that is asked for; return all that was shown."""
        shown = Shown()
        for _ in range(MOST_PAUSES):
            said = passing(self.screen.prompt) if self.waits else None
            if said is None:
                break
            shown = shown.then(self.screen.shown)
            waited = self.waited
            self.type(said)
            self.waited += waited
        return shown.then(self.screen.shown)

    @property
    def log(self) -> str:
        """The dialogue."""
        return self._process.log.text
