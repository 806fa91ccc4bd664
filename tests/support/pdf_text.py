"""What a PDF holds: its text, its links and its number of pages."""

from __future__ import annotations

import re
import subprocess
import zlib
from pathlib import Path

from ludus import reports
from ludus.messages import catalogue


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


def page_lines(pdf: Path) -> list[list[str]]:
    """The lines of each page, without the line at its foot."""
    pages = text_of(pdf).split("\f")[:-1]
    return [[line.strip() for line in page.splitlines() if line.strip()][:-1] for page in pages]


FEWEST_LINES = 12
"""A page with fewer is nearly empty, unless boards or plots fill it; these have their own letters and numbers."""
FEWEST_LAST_LINES = 8
TEMPLATES = Path(reports.__file__).parent
HEADING = re.compile(r'(?:^|\s)=+ #t\("([\w.]+)"|heading\(level: \d, t\("([\w.]+)"')


WORD = re.compile(r'<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*?)</word>')


def _overprinted(pdf: Path) -> list[str]:
    """The words of pages on which some are printed on each other; the title that a plot has cut off is one."""
    said = subprocess.run(["pdftotext", "-bbox", pdf, "-"], capture_output=True, check=True).stdout.decode()
    found = []
    for page in said.split("<page ")[1:]:
        boxes = sorted((*map(float, (y, x, bottom, right)), word) for x, y, right, bottom, word in WORD.findall(page))
        pairs = []
        for at, (y, x, bottom, right, word) in enumerate(boxes):
            for top, left, low, end, other in boxes[at + 1 :]:
                if top >= bottom:
                    break
                shared = max(0, min(right, end) - max(x, left)) * (min(bottom, low) - top)
                if shared > min((right - x) * (bottom - y), (end - left) * (low - top)) / 2:
                    pairs.append(f"{word} on {other}")
        found += pairs if len(pairs) > 2 else []
    return found


def bad_pages(pdf: Path, language: str) -> list[str]:
    """What is wrong with the pages of a report: nearly empty, ending with a heading, or printed over."""
    words = catalogue(language)
    keys = {a or b for file in TEMPLATES.glob("*.typ") for a, b in HEADING.findall(file.read_text(encoding="utf-8"))}
    titles = "|".join(re.sub(r"\\{\w+\\}", ".+", re.escape(words[key])).replace(r"\ ", r"\s*") for key in keys)
    pages = page_lines(pdf)
    fewest = [FEWEST_LINES] * (len(pages) - 1) + [FEWEST_LAST_LINES if len(pages) > 1 else 1]
    found = [
        f"page {n} has {len(page)} lines"
        for n, (page, few) in enumerate(zip(pages, fewest, strict=True), 1)
        if len(page) < few
    ]
    return (
        found
        + _overprinted(pdf)
        + [page[-1] for page in pages if page and re.fullmatch(rf"\d+(\.\d+)?\s+({titles})", page[-1])]
    )
