"""A person at the keyboard: how lines are read, with an editor in a terminal and without one from a pipe."""

from __future__ import annotations

import sys
import time as clock
from typing import TYPE_CHECKING, Protocol

from ludus.drawing.palette import ACCENTS
from ludus.play.player import Player

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ludus.cli.terminal import TerminalScreen
    from ludus.game import State
    from ludus.play.clock import TimeLeft

LONGEST_LINE = 1000


class PersonPlayer(Player):
    """The person as a player: `ask` shows a prompt for a state and the seconds left, and returns a legal move."""

    def __init__(self, ask: Callable[[State, float], str]) -> None:
        self._ask = ask

    def choose(self, state: State, time: TimeLeft) -> str:
        """Ask, and count the time on the wall: a person is not measured by CPU time."""
        began = clock.monotonic()
        move = self._ask(state, time.seconds)
        self.spent = clock.monotonic() - began
        return move


class LineSource(Protocol):
    """Where lines come from."""

    def ask(self, name: str, side: int, words: Sequence[str], below: Callable[[], str], *, ticking: bool) -> str:
        """Read a line after a name, with completions and a line below that may tick; EOFError at the end of input."""


class PlainLines:
    """LineSource of standard input as they come; what a pipe brings is shown after its prompt."""

    def __init__(self, screen: TerminalScreen) -> None:
        self._screen = screen

    def ask(self, name: str, side: int, words: Sequence[str], below: Callable[[], str], *, ticking: bool) -> str:  # noqa: ARG002
        """Read a line."""
        self._screen.console.print(name + "> ", end="", soft_wrap=True)
        self._screen.stream.flush()
        line = sys.stdin.readline(LONGEST_LINE)
        if not line:
            self._screen.say()
            raise EOFError
        if not sys.stdin.isatty():
            self._screen.console.print("".join(filter(str.isprintable, line)), soft_wrap=True)
        return line


class Editor:
    """A line editor with history, completion, and a line below it that says what can be typed."""

    def __init__(self, screen: TerminalScreen) -> None:
        from prompt_toolkit import PromptSession  # noqa: PLC0415 - 100 ms that a pipe does without
        from prompt_toolkit.output import create_output  # noqa: PLC0415

        self._session: PromptSession[str] = PromptSession(output=create_output(stdout=screen.stream))

    def ask(self, name: str, side: int, words: Sequence[str], below: Callable[[], str], *, ticking: bool) -> str:
        """Read a line."""
        from prompt_toolkit.completion import WordCompleter  # noqa: PLC0415

        return self._session.prompt(
            [(f"bold {ACCENTS[side]}", name), ("", "> ")],
            completer=WordCompleter(list(words), ignore_case=True),
            complete_while_typing=False,
            bottom_toolbar=below,
            refresh_interval=0.5 if ticking else 0,
        )


def keyboard(screen: TerminalScreen) -> LineSource:
    """Return the editor where a person sits at a terminal, else plain lines."""
    return Editor(screen) if sys.stdin.isatty() and screen.is_terminal else PlainLines(screen)
