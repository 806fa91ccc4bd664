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
