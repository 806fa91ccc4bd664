"""Files: read as UTF-8 with a place for what is not, or as TOML; written whole or not at all."""

from __future__ import annotations

import os
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from ludus.errors import ParseError, UserError
from ludus.messages import Message

LONGEST_TOML = 256 * 1024
MOST_DOTS = 100
"""In one line of TOML: the standard library's reader takes quadratic time for a name of many parts."""


def read_text(path: Path | str) -> str:
    """Read a file as UTF-8; bytes that are none are a ParseError with their place."""
    data = Path(path).read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        raise ParseError(Message("errors.not_utf8", byte=f"{data[error.start]:02x}"), line, column, str(path)) from None


def read_toml(text: str | bytes, source: str) -> dict[str, Any]:
    """Return what a TOML document holds, given as text or UTF-8; all that is wrong with it is a ValueError."""
    if len(text) > LONGEST_TOML:
        raise UserError("errors.toml_too_long", source=source, kilobytes=LONGEST_TOML // 1024)
    try:
        plain = text.decode("utf-8") if isinstance(text, bytes) else text
        for number, line in enumerate(plain.split("\n"), 1):
            if line.count(".") > MOST_DOTS:
                place = f"{source}, line {number}"
                raise UserError("errors.toml_too_many_dots", place=place, dots=MOST_DOTS)
        return tomllib.loads(plain.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError("errors.not_toml", source=source, problem=error) from None
    except RecursionError:
        raise UserError("errors.toml_too_deep", source=source) from None


def write_whole(path: Path | str, text: str, *, synced: bool = True) -> None:
    """Write a file whole or not at all: beside it first, then moved into its place.

    Without `synced` it does not wait for the disk, which takes thousands of small files too long: for what can be made
    again after a power cut.
    """
    target = Path(path)
    handle, beside = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            if synced:
                os.fsync(stream.fileno())
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        Path(beside).chmod(mode)
        Path(beside).replace(target)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
