"""What a PDF holds: its text, its links and its number of pages."""

from __future__ import annotations

import re
import subprocess
import zlib
from pathlib import Path


def text_of(pdf: Path) -> str:
    done = subprocess.run(["pdftotext", "-layout", pdf, "-"], capture_output=True, check=True)
    return done.stdout.decode().replace("\u200b", "")


def words_of(pdf: Path) -> str:
    """The text without any space: where lines break is not what is tested."""
    return re.sub(r"\s+", "", text_of(pdf))


def pages_of(pdf: Path) -> int:
    said = subprocess.run(["pdfinfo", pdf], capture_output=True, check=True, text=True).stdout
    return int(said.partition("Pages:")[2].split()[0])


def cells_of(pdf: Path) -> str:
    """The text cell by cell, without any space."""
    done = subprocess.run(["pdftotext", "-raw", pdf, "-"], capture_output=True, check=True)
    return re.sub(r"[\s\u200b]+", "", done.stdout.decode())


def links_of(pdf: Path) -> set[str]:
    """The places that a PDF links to."""
    data = pdf.read_bytes()
    plain = b"".join(_inflated(part) for part in re.findall(rb"stream\r?\n(.*?)endstream", data, re.DOTALL))
    return {found.decode() for found in re.findall(rb"/URI ?\(([^)]*)\)", data + plain)}


def _inflated(part: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(part)
    except zlib.error:
        return b""
