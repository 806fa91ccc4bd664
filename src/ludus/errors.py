"""The errors that people see. Each carries a message: what is wrong, where, and what to do about it."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

from ludus.messages import Message, verbatim

if TYPE_CHECKING:
    from collections.abc import Mapping


class MessageError(Exception):
    """An error that is a message: `UserError("bots.too_large", megabytes=3)`."""

    def __init__(self, message: Message | str, /, **params: Any) -> None:
        super().__init__(message if isinstance(message, Message) else Message(message, **params))

    @property
    def message(self) -> Message:
        """What is wrong."""
        message: Message = self.args[0]
        return message

    def __str__(self) -> str:
        return str(self.message)


class UserError(MessageError, ValueError):
    """Something that the person who asked can put right."""


class DiskFullError(UserError):
    """Nothing more can be written; what was stored before is as it was."""


class DamagedError(UserError):
    """Something that was stored is not what was written."""


class IllegalMove(ValueError):  # noqa: N818 - the name is part of the public interface
    """A move that the rules forbid; the message says why. A game of another package may give a text instead.

    Example:
        >>> ludus.game("connect-four").initial().play("Z")
        Traceback (most recent call last):
        ludus.errors.IllegalMove: there is no column 'Z'; ...
    """

    def __init__(self, message: Message | str, /) -> None:
        super().__init__(message)
        self.message = verbatim(message)

    def __str__(self) -> str:
        return str(self.message)


class ParseError(ValueError):
    """A text that cannot be read; the message says what is wrong, and `line` and `column` (from 1) say where.

    Example:
        >>> ludus.game("connect-four").parse("?")
        Traceback (most recent call last):
        ludus.errors.ParseError: ...line 1, column 1...
    """

    def __init__(self, message: Message | str, line: int = 1, column: int = 1, source: str | None = None) -> None:
        super().__init__(message, line, column, source)
        self.message = verbatim(message)
        self.line = line
        self.column = column
        self.source = source

    @property
    def located(self) -> Message:
        """What is wrong, and where."""
        place: dict[str, Any] = {"line": self.line, "column": self.column, "problem": self.message}
        if self.source is None:
            return Message("errors.at_place", **place)
        return Message("errors.at_place_in", source=self.source, **place)

    def __str__(self) -> str:
        return str(self.located)


def message_of(error: BaseException) -> Message:
    """Return all that an error says to people, as a message; a foreign error says its text."""
    if isinstance(error, ParseError):
        return error.located
    if isinstance(error, OSError) and is_disk_full(error):
        return no_space(error.filename)
    return error.message if isinstance(error, MessageError | IllegalMove | Fault) else verbatim(str(error))


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The disk is full, or one's part of it, or a file has reached the size that it may have."""


NO_SPACE = ("errors.no_space", "errors.no_space_at")
"""The codes of the messages that say so."""


def is_disk_full(error: BaseException) -> bool:
    """Return whether an error says that no more can be written: ours, or the operating system's."""
    return isinstance(error, DiskFullError) or (isinstance(error, OSError) and error.errno in FULL)


def no_space(path: object = None) -> Message:
    """Return that no more can be written, and where, if that is known."""
    return Message("errors.no_space_at", path=str(path)) if path else Message("errors.no_space")


FAULTS: Mapping[str, Message] = {
    kind: Message(f"faults.{kind}")
    for kind in (
        *("build-failed", "memory", "too-much-output", "timeout"),
        *("crash", "no-answer", "bad-output", "illegal-move"),
    )
}
"""Every way in which a player can fail, in the order of precedence: where several meet, the first one counts."""


class Fault(Exception):  # noqa: N818 - a player's failure, not an error of ours
    """A player's failure that loses it the game: one of FAULTS, and a message for its author.

    `signal` is the number of the signal that ended its program, where one did; `move` is the move that was refused, as
    the player wrote it.
    """

    def __init__(self, kind: str, message: Message | str = "", signal: int | None = None, move: str = "") -> None:
        assert kind in FAULTS
        super().__init__(kind, message, signal, move)
        self.kind = kind
        self.message = verbatim(message) if message else FAULTS[kind]
        self.signal = signal
        self.move = move

    @property
    def sentence(self) -> str:
        """The message in English."""
        return str(self.message)

    @property
    def named(self) -> Message:
        """The kind and the message."""
        return named_fault(self.kind, self.message)

    def __str__(self) -> str:
        return str(self.named)


def named_fault(kind: str, detail: Message) -> Message:
    """Return the kind of a fault and what happened as one message."""
    return Message("faults.named", kind=Message(f"faults.kind.{kind}"), detail=detail)
