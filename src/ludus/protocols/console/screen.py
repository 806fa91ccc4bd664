"""What a program showed on its terminal, as text: bytes of any of our students' encodings in, plain lines out.

Knows the reports of the shim; knows no script and no game.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Any, NamedTuple

from ludus.errors import Fault
from ludus.messages import Message

MOVES_CURSOR = re.compile(r"\x1b\[[0-9;?]{0,32}[HfJABEF]|\x1b[cM]|\f|\v")
"""Codes after which the program writes elsewhere: for us, on a new line."""
CODES = re.compile(r"\x1b\[[0-9;?]{0,32}[ -/]?[@-~]|\x1b[()][0-9A-Za-z]|\x1b[=>78]|\x07|\x00|\ufeff")
"""Colours and other codes that show nothing."""
SHOWN_LINES, SHOWN_CHARACTERS = 6, 400
WAITS, ENDED = "waits", "ended"


def decoded(data: bytes) -> str:
    """Return what the bytes of a screen show."""
    return _plain(_characters(data))


def _characters(data: bytes) -> str:
    """Return the characters of a screen; UTF-8, or what Windows uses in Taiwan, or the old box characters."""
    for encoding in ("utf-8", "cp950"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("cp437")


def _plain(text: str) -> str:
    text = CODES.sub("", MOVES_CURSOR.sub("\n", text.replace("\r\n", "\n")))
    return text.replace("\r", "\n").replace("\b", "")


COLOUR = re.compile(r"\x1b\[([0-9;]{0,32})m")
FIRST_TINT, MOST_TINTS = 0xE000, 6000
"""Characters of no script, which stand for coloured ones."""


def tinted(data: bytes) -> str:
    """Return what a screen shows with a character of its own for each sign in each colour; empty without colours.

    Two players may have the same sign in two colours, or a cell may be a blank on a coloured ground.
    """
    text = _characters(data)
    if not COLOUR.search(text):
        return ""
    tints: dict[tuple[str, str], str] = {}
    shown, colour = "", ""
    for number, part in enumerate(COLOUR.split(text)):
        if number % 2:
            colour = "" if part in ("", "0") else f"{colour};{part.removeprefix('0;')}"[-64:]
        else:
            shown += "".join(_tint(sign, colour, tints) for sign in _plain(part))
    return shown


def _tint(sign: str, colour: str, tints: dict[tuple[str, str], str]) -> str:
    """Return the character that stands for a sign in a colour; words stay as they are, and blanks without a ground."""
    if not colour or sign.isalnum() or sign == "\n" or (sign == " " and not GROUND.search(colour)):
        return sign
    return tints.setdefault((colour, sign), chr(FIRST_TINT + len(tints) % MOST_TINTS))


GROUND = re.compile(r"(?:^|;)(?:4[0-8]|10[0-7]|7)(?:;|$)")
"""A colour code that changes the ground."""


class Shown(NamedTuple):
    """Something that a program showed."""

    text: str = ""
    drawn: str = ""
    """The same for those who look for a board: before it stands what its colours show, where it has some."""

    def then(self, other: Shown) -> Shown:
        """Return this and what came after it."""
        return Shown(self.text + other.text, f"{self.drawn}\n{other.drawn}" if self.drawn else other.drawn)


class Screen:
    """What was shown since something was last typed, and in the whole game."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._last: list[str] = []
        self._raw, self._echo = False, b""
        self.status = ""
        """`waits` or `ended` once the program does; empty while it runs."""
        self.exit_status = 0

    def report(self, line: str) -> bool:
        """Take a line of the shim; return whether the program waits now, or has ended."""
        try:
            told: Any = json.loads(line)
            if not isinstance(told, dict):
                return False
            if "out" in told:
                self._bytes += base64.b64decode(told["out"])
                return False
            ended = int(told.get(ENDED, 0))
        except (ValueError, TypeError, OverflowError, RecursionError):  # no report: nothing that the shim says
            return False
        if ENDED in told:
            self.status, self.exit_status = ENDED, ended
        elif WAITS in told:
            self.status, self._raw = WAITS, bool(told.get("raw"))
        return bool(self.status)

    @property
    def text(self) -> str:
        """What was shown since something was last typed."""
        return decoded(self._data)

    @property
    def _data(self) -> bytes:
        """What was shown, without what was typed where the program itself shows that."""
        data = bytes(self._bytes)
        return data[data.find(b"\n") + 1 :] if self._echo and data.startswith(self._echo) else data

    @property
    def shown(self) -> Shown:
        """What was shown since something was last typed, with its colours."""
        data = self._data
        text, colours = decoded(data), tinted(data)
        return Shown(text, f"{colours}\f{text}" if colours else text)  # a page for each: no board is part of both

    @property
    def tail(self) -> str:
        """The last lines of it, which hold the prompt."""
        return "\n".join([line for line in self.text.splitlines() if line.strip()][-SHOWN_LINES:])

    @property
    def prompt(self) -> str:
        """The last line of it that is not blank."""
        return self.tail.rpartition("\n")[2].strip()

    def typed(self, text: str) -> str:
        """Note that something is typed, and return the request to type it."""
        self._last = [*self._last, *self.tail.splitlines()[-3:], f"«{text}»"][-SHOWN_LINES:]
        self._bytes.clear()
        self.status, self._echo = "", text.encode() if self._raw else b""
        return json.dumps({"type": f"{text}\n"}) + "\n"

    @property
    def dialogue(self) -> str:
        """The last lines of the dialogue, for people."""
        lines = [*self._last, *(line.rstrip() for line in self.tail.splitlines())]
        return " ⏎ ".join(lines)[-SHOWN_CHARACTERS:]

    def ended(self) -> Fault:
        """Return the fault of a program that ended before its move."""
        if self.exit_status < 0:
            kind, why = "crash", Message("protocols.console_signal", signal=-self.exit_status, dialogue=self.dialogue)
        elif self.exit_status:
            status = self.exit_status
            kind, why = "crash", Message("protocols.console_status", status=status, dialogue=self.dialogue)
        else:
            kind, why = "no-answer", Message("protocols.console_ended", dialogue=self.dialogue)
        return Fault(kind, why, -self.exit_status if self.exit_status < 0 else None)
