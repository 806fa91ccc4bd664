"""Reports: from plain data, drawings and a typst template to a PDF, or to a folder that a person can edit.

Whatever a name, a source file or a bot's output contains, it goes into data.json, which the template reads as data:
nothing in it can become typst code. The words of the report's language are beside it in words.json. Knows no game and
no tournament; `bot`, `game` and `tournament` gather the data.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import json
import operator
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.display import visible
from ludus.errors import UserError
from ludus.files import ScratchFolder, write_whole
from ludus.messages import Message, catalogue, render

if TYPE_CHECKING:
    ProgressCallback = Callable[[str, int, int], None]
    """Called now and then while a report is made: `games-played`, `games-judged` or `moves-judged`, how many of them
    are done, and of how many."""
    Picture = str | Callable[[str], str]
    """An SVG text, or a function that draws it in the language of the report."""

TEMPLATES = Path(__file__).parent
SHARED = ("style.typ", "sections.typ")
LANGUAGES = ("en", "zh")
SCALES = (1, 0.96, 0.92, 0.88, 0.84, 1.04, 1.08)
LEAST_FILLED = 0.4
"""How far down the last page is filled, margin included; a report with less is made smaller, or else larger."""
WORDS = ("reports.", "count.", "list.")
"""The prefixes of the keys that templates use."""
CHINESE_FONTS = ("Noto Sans CJK TC", "Noto Serif CJK TC", "Noto Sans TC", "Noto Serif TC")
CHINESE_PACKAGE = "fonts-noto-cjk"
CHINESE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


class Report(NamedTuple):
    """The content of a report: the template that shows it, its data and its pictures."""

    template: str
    """The name of a file of this folder, without its ending."""
    data: Mapping[str, Any]
    pictures: Mapping[str, Picture]
    """By name."""


def write_source(report: Report, folder: Path | str, language: str = "en") -> Path:
    """Write the typst source of a report into a folder, complete and ready to compile; return the file to compile.

    A folder that holds a report already is refused: its author may have edited it.
    """
    folder = Path(folder)
    main = folder / "report.typ"
    if main.exists():
        raise UserError("reports.source_exists", file=str(main))
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    for name, picture in report.pictures.items():
        drawn = picture if isinstance(picture, str) else picture(language)
        write_whole(folder / "pictures" / f"{name}.svg", drawn, synced=False)
    for name in SHARED:
        write_whole(folder / name, (TEMPLATES / name).read_bytes(), synced=False)
    data = {**report.data, "language": language, "date": datetime.now(UTC).date().isoformat()}
    words = {key: text for key, text in catalogue(language).items() if key.startswith(WORDS)}
    for name, content in (("data", plain(data, language)), ("words", words)):
        text = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
        write_whole(folder / f"{name}.json", text, synced=False)
    write_whole(main, (TEMPLATES / f"{report.template}.typ").read_bytes(), synced=False)
    return main


def plain(value: Any, language: str = "en") -> Any:
    """Return data as JSON and a PDF can hold it: messages rendered, no control characters, only finite numbers."""
    match value:
        case Message():
            return visible(render(value, language))
        case str():
            return visible(value)
        case dict():
            return {plain(key): plain(inside, language) for key, inside in value.items()}
        case list() | tuple():
            return [plain(inside, language) for inside in value]
        case float() if not abs(value) < float("inf"):
            return None
    return value


def make_pdf(report: Report, out: Path | str, language: str = "en") -> list[Message]:
    """Write a report as PDF, whole or not at all; return what its reader should know about the result."""
    typst = _typst()
    out = Path(out)
    with ScratchFolder() as scratch:
        main = write_source(report, scratch / "source", language)
        try:
            pdf = _compiled(typst, main)
        except typst.TypstError as error:
            raise UserError("reports.not_compiled", problem=str(error)) from None
        write_whole(out, pdf)
        wants_chinese = language == "zh" or CHINESE.search((main.parent / "data.json").read_text()) is not None
    if wants_chinese and not set(CHINESE_FONTS) & set(_fonts().families()):
        return [Message("reports.no_chinese_font", file=out.name, package=CHINESE_PACKAGE)]
    return []


def _compiled(typst: Any, main: Path) -> bytes:
    """Return a report as PDF; a little smaller or larger where the last page has hardly anything on it."""
    best: tuple[float, bytes] = (0, b"")
    for scale in SCALES:
        compiler = typst.Compiler(str(main), font_paths=_fonts(), sys_inputs={"scale": str(scale)})
        pdf: bytes = compiler.compile()
        end = json.loads(compiler.query("<end>", field="value", one=True))
        if end["page"] == 1 or end["filled"] >= LEAST_FILLED:
            return pdf
        best = max(best, (end["filled"], pdf), key=operator.itemgetter(0))
    return best[1]


def can_make_pdf() -> bool:
    """Return whether a PDF can be made: whether typst is installed."""
    return importlib.util.find_spec("typst") is not None


@functools.cache
def _fonts() -> Any:
    """Return the fonts of this machine, searched for once."""
    return _typst().Fonts()


def _typst() -> Any:
    """Return the module that compiles PDFs."""
    try:
        return importlib.import_module("typst")
    except ImportError:
        raise UserError("reports.no_typst") from None
