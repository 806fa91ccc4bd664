"""What a PDF holds: its text and its number of pages."""

from __future__ import annotations

import re
import subprocess
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
