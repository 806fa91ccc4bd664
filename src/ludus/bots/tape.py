"""The entries of a tar archive that strangers wrote, in linear time: each byte is looked at once.

Python's own reader calls itself for each header that extends the next one, reads pax headers in quadratic time, applies
global ones to every entry, and takes negative sizes. Knows the formats (V7, ustar, GNU, pax) and no limits; extracts
nothing. Of a pax header only the name and the size count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from tarfile import ReadError
from typing import NamedTuple

BLOCK = 512
REGULAR, FOLDER, LINKS, NO_DATA = b"0\x007", b"5", b"12", b"123456"
LONG_NAME, LONG_LINK, PAX, GLOBAL_PAX, SPARSE = b"L", b"K", b"xX", b"g", b"S"
OCTAL = re.compile(rb" *([0-7]{0,12})[ \0]*")
LENGTH = re.compile(rb"([0-9]{1,9}) ")
MOST_DIGITS = 18
LONGEST_NAME = 4096
"""Bytes of a name that are kept, which is more than any limit of ours."""


class TarEntry(NamedTuple):
    """What an archive says of one file, folder, link or device."""

    name: bytes
    kind: str
    """`file`, `folder`, `link`, `sparse` or `other`.

    A sparse file may say that it is of any size, and need not have the bytes: nothing behind it is read.
    """
    executable: bool = False
    content: bytes | None = None
    """Of a file only."""


def entries(data: bytes) -> Iterator[TarEntry]:
    """Yield the entries of an archive in their order; raise tarfile.ReadError for one that cannot be read."""
    if not data:
        raise ReadError("empty file")
    at, name, size, sparse = 0, b"", None, False
    while at < len(data) and any(header := data[at : at + BLOCK]):
        _check(header)
        at, kind, told = at + BLOCK, header[156:157], _number(header[124:136])
        if kind in LONG_NAME + LONG_LINK + PAX + GLOBAL_PAX:
            content, at = _content(data, at, told)
            if kind in LONG_NAME:
                name = content.partition(b"\0")[0][:LONGEST_NAME]
            elif kind in PAX:
                told_name, size, sparse = _extended(content)
                name = told_name or name
            continue
        if sparse or kind in SPARSE:
            yield TarEntry(name or _name(header), "sparse")
            return
        called, mode = name or _name(header), _number(header[100:108])
        if kind in REGULAR and not (kind == b"\0" and called.endswith(b"/")):
            content, at = _content(data, at, told if size is None else size)
            yield TarEntry(called, "file", bool(mode & 0o111), content)
        else:
            if kind not in NO_DATA + b"\0":
                _, at = _content(data, at, told if size is None else size)
            yield TarEntry(called, "folder" if kind in FOLDER + b"\0" else "link" if kind in LINKS else "other")
        name, size = b"", None


def _check(header: bytes) -> None:
    if len(header) < BLOCK:
        raise ReadError("truncated header")
    total = sum(header) - sum(header[148:156]) + 8 * ord(" ")
    signed = total - 256 * sum(byte > 127 for byte in header[:148] + header[156:])
    if _number(header[148:156]) not in (total, signed):
        raise ReadError("invalid header")


def _number(field: bytes) -> int:
    """Return a number of a header: octal, or since files are larger than that, in bytes."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    found = OCTAL.match(field)
    if found is None or (found.end() < len(field) and field[found.end()]):
        raise ReadError("invalid header")
    return int(found[1] or b"0", 8)


def _content(data: bytes, at: int, size: int) -> tuple[bytes, int]:
    """Return as many bytes, and where the next header is."""
    end = at + size + -size % BLOCK
    if end > len(data):
        raise ReadError("unexpected end of data")
    return data[at : at + size], end


def _name(header: bytes) -> bytes:
    own, prefix = header[:100].partition(b"\0")[0], header[345:500].partition(b"\0")[0]
    return prefix + b"/" + own if prefix and header[257:263] == b"ustar\0" else own


def _extended(content: bytes) -> tuple[bytes, int | None, bool]:
    """Return what a pax header, lines of `LENGTH KEY=VALUE`, gives the next entry: name, size, whether it is sparse."""
    name, size, sparse, at = b"", None, False, 0
    while at < len(content) and content[at]:
        found = LENGTH.match(content, at)
        end = at + int(found[1]) if found else 0
        if found is None or end <= found.end() or content[end - 1 : end] != b"\n":
            raise ReadError("invalid header")
        equals = content.find(b"=", found.end(), end)
        key = content[found.end() : max(equals, found.end())]
        if key == b"path":
            name = content[equals + 1 : min(end - 1, equals + 1 + LONGEST_NAME)]
        elif key == b"size":
            text = content[equals + 1 : end - 1]
            if not text.isdigit() or len(text) > MOST_DIGITS:
                raise ReadError("invalid header")
            size = int(text)
        elif key.startswith(b"GNU.sparse."):
            sparse = True
        at = end
    return name, size, sparse
