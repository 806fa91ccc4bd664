"""The errors that people see. Each is a ValueError with one sentence that names the place and the remedy."""


class IllegalMove(ValueError):  # noqa: N818 - the name is part of the public interface
    """A move that the rules forbid; the message says why."""


class ParseError(ValueError):
    """A text that cannot be read; the message says what is wrong, and `line` and `column` (from 1) say where."""

    def __init__(self, message: str, line: int = 1, column: int = 1, source: str | None = None) -> None:
        super().__init__(message, line, column, source)
        self.message = message
        self.line = line
        self.column = column
        self.source = source

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}"
        return f"{self.source + ', ' if self.source else ''}{place}: {self.message}"


FAULTS = {
    "build-failed": "its build failed",
    "memory": "it used more memory than it may",
    "too-much-output": "it wrote far more than an answer",
    "timeout": "its time ran out before it answered",
    "crash": "it crashed before it answered",
    "no-answer": "it ended, or closed its output, without an answer",
    "bad-output": "its answer cannot be read",
    "illegal-move": "its move is against the rules",
}
"""Every way in which a player can fail, in the order of precedence: where several meet, the first one counts."""


class Fault(Exception):  # noqa: N818 - a player's failure, not an error of ours
    """A player's failure that loses it the game: one of FAULTS, and a sentence for its author.

    `signal` is the number of the signal that ended its program, where one did.
    """

    def __init__(self, kind: str, sentence: str = "", signal: int | None = None) -> None:
        assert kind in FAULTS
        super().__init__(kind, sentence, signal)
        self.kind = kind
        self.sentence = sentence or FAULTS[kind]
        self.signal = signal

    def __str__(self) -> str:
        return f"{self.kind}: {self.sentence}"
