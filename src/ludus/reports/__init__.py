"""Reports: from plain data, drawings and a typst template to a PDF, or to a folder that a person can edit.

Whatever a name, a source file or a bot's sentence consists of, it goes into data.json, which the template reads as
data: nothing in it can become typst code. Knows no game and no tournament; `bot`, `game` and `tournament` gather.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import json
import os
import re
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.display import visible
from ludus.files import write_whole
from ludus.said import PlayerText, Said, Term, in_language

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Say = Callable[[str, int, int], None]
    """Is told, now and then, how far a report has come: `games-played`, `games-judged` or `moves-judged`, how many of
    them are done, and of how many."""
    Picture = str | Callable[[str], str]
    """An SVG text, or what draws it in the language of the report."""

TEMPLATES = Path(__file__).parent
SHARED = ("style.typ", "sections.typ", "words.typ")
LANGUAGES = ("en", "zh")
CHINESE_FONTS = ("Noto Sans CJK TC", "Noto Serif CJK TC", "Noto Sans TC", "Noto Serif TC")
CHINESE_PACKAGE = "fonts-noto-cjk"
CHINESE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


class Report(NamedTuple):
    """A report before it is printed."""

    template: str
    """The name of a file of this folder, without its ending."""
    data: Mapping[str, Any]
    pictures: Mapping[str, Picture]
    """By name."""


def write_source(report: Report, folder: Path | str, language: str = "en") -> Path:
    """Leave the typst source in a folder, whole and fit to be compiled again; give the file to compile.

    The author's own edits are not lost: a folder that holds a report is refused.
    """
    folder = Path(folder)
    main = folder / "report.typ"
    if main.exists():
        raise ValueError(f"{main} is there already; move it away first, or choose another folder with --out")
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    for name, drawing in report.pictures.items():
        drawn = drawing if isinstance(drawing, str) else drawing(language)
        write_whole(folder / "pictures" / f"{name}.svg", drawn, synced=False)
    for name in SHARED:
        shutil.copyfile(TEMPLATES / name, folder / name)
    said = {**report.data, "language": language, "date": datetime.now(UTC).date().isoformat()}
    write_whole(
        folder / "data.json",
        json.dumps(plain(said, language), ensure_ascii=False, indent=1, allow_nan=False) + "\n",
        synced=False,
    )
    shutil.copyfile(TEMPLATES / f"{report.template}.typ", main)
    return main


def plain(value: Any, language: str = "en") -> Any:
    """Give data that JSON and a PDF have a place for: texts without control characters, numbers that are finite.

    Sentences and terms of ours are said in the language of the report.
    """
    if isinstance(value, str):
        return visible(in_language(value, language) if isinstance(value, Said | Term | PlayerText) else value)
    if isinstance(value, dict):
        return {plain(key): plain(inside, language) for key, inside in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inside, language) for inside in value]
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    return value


def make_pdf(report: Report, out: Path | str, language: str = "en") -> list[str]:
    """Print a report, whole or not at all; give what its reader should know about how it came out."""
    typst = _typst()
    out = Path(out)
    with tempfile.TemporaryDirectory(prefix="ludus-report-") as made:
        main = write_source(report, Path(made) / "source", language)
        try:
            printed, _warnings = typst.compile_with_warnings(str(main), font_paths=_fonts())
        except typst.TypstError as error:
            raise ValueError(f"the report could not be printed: {error}") from None
        handle, beside = tempfile.mkstemp(prefix=f".{out.name}.", dir=out.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(printed)
        Path(beside).chmod(0o644)
        Path(beside).replace(out)
        wants_chinese = language == "zh" or CHINESE.search((main.parent / "data.json").read_text()) is not None
    if wants_chinese and not set(CHINESE_FONTS) & set(_fonts().families()):
        return [f"Chinese characters are missing in {out.name}: install the Debian package {CHINESE_PACKAGE}"]
    return []


def printer_is_there() -> bool:
    """Say whether a PDF can be made."""
    return importlib.util.find_spec("typst") is not None


@functools.cache
def _fonts() -> Any:
    """Give the fonts of this machine, looked for once."""
    return _typst().Fonts()


def _typst() -> Any:
    """Load the printer."""
    try:
        return importlib.import_module("typst")
    except ImportError:
        raise ValueError("a PDF needs the package typst: pip install typst; --format typ does without") from None
