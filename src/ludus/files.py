"""Files: read as UTF-8 with a place for what is not, written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ludus.errors import ParseError


def read_text(path: Path | str) -> str:
    """Read a file as UTF-8; bytes that are none are a ParseError with their place."""
    data = Path(path).read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        raise ParseError(f"byte 0x{data[error.start]:02x} is not UTF-8 text", line, column, str(path)) from None


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
