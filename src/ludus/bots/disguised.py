"""Sources under other endings: files in, the same files as sources of their languages out.

Mail programs and platforms that refuse programs make students hand in `bot.py.txt`, and some hand in a notebook: these
count only where nothing else is a source. Java under the ending of Python is Java. Nothing is run.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from ludus.bots.languages import language_of
from ludus.bots.reading import decoded
from ludus.bots.source import File
from ludus.messages import Message
from ludus.protocols import Source, protocol, protocols

if TYPE_CHECKING:
    from collections.abc import Mapping

TEXT, NOTEBOOK = (".txt", ".text", ".bak"), ".ipynb"
LARGEST = 1 << 22
LARGEST_PARSED = 1 << 18
"""Characters that Python may parse: each can take a kilobyte of memory."""
MAGIC = re.compile(r"^([ \t]*+)(?=[%!]|\?|get_ipython\(\))", re.MULTILINE)
"""Where a line of a notebook is a command to the notebook, and no Python."""

JAVA = re.compile(r"^(?:import[ \t]++java[\w.*]*+;|public[ \t]++(?:final[ \t]++)?class[ \t]++\w)", re.MULTILINE)
"""A line that only Java has."""
LOOKS = {
    ".java": JAVA,
    ".cpp": re.compile(r"^[ \t]*+#[ \t]*+include[ \t]*+[<\"]", re.MULTILINE),
    ".py": re.compile(r"^def[ \t]++\w++[ \t]*+\(", re.MULTILINE),
}
"""Lines that only a source of a language has."""


class Undisguised(NamedTuple):
    """Files with their sources under their own endings."""

    files: dict[str, File]
    names: Mapping[str, str] = {}
    """Those that were renamed: the name that was handed in, and the one that it has now."""
    notes: tuple[Message, ...] = ()


def undisguised(files: dict[str, File], *, by_look: bool) -> Undisguised:
    """Return files with the endings of their languages, where none of them has one, or where Java has Python's.

    With `by_look` a text may be a source by its lines, whatever its name; a bot.toml says itself what a file is.
    """
    known = any(language_of(name) for name in files)
    made, names, notes = dict(files), {}, []
    for name, file in files.items():
        found = None
        if len(file.data) <= LARGEST and (by_look or not known):
            found = _java(name, file) if known else _source(name, file, by_look=by_look)
        if found is not None and found[0] not in made:
            del made[name]
            made[found[0]] = found[1]
            names[name] = found[0]
            notes.append(Message("bots.other_ending", file=name, name=found[0]))
    return Undisguised(made, names, tuple(notes))


def _source(name: str, file: File, *, by_look: bool) -> tuple[str, File] | None:
    """Return a source and its name, where a file is one in spite of its name."""
    path = PurePosixPath(name)
    ending = path.suffix.lower()
    if ending == NOTEBOOK:
        cells = _cells(file.data)
        return (f"{path.with_suffix('.py')}", File(cells.encode())) if cells else None
    if ending not in TEXT:
        return None
    inner = str(path.with_suffix(""))
    if language_of(inner):
        return inner, file
    text = decoded(file.data)[0]
    for other, looks in LOOKS.items() if by_look else ():
        if looks.search(text):
            return f"{inner}{other}", file
    calls = [one for one in map(protocol, protocols()) if one.calls_bot]
    return (f"{inner}.cpp", file) if any(one.sign(Source(name, "cpp", text)) for one in calls) else None


def _java(name: str, file: File) -> tuple[str, File] | None:
    """Return Java and its name, where it has the ending of Python."""
    text = decoded(file.data)[0] if name.lower().endswith(".py") else ""
    if len(text) > LARGEST_PARSED or not JAVA.search(text):
        return None
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return f"{PurePosixPath(name).with_suffix('.java')}", file
    return None


def _cells(data: bytes) -> str:
    """Return the code of a notebook; empty where it is none."""
    try:
        cells = json.loads(data)["cells"]
        texts = ["".join(cell["source"]) for cell in cells if cell.get("cell_type") == "code"]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""
    return "\n".join(MAGIC.sub(r"\1pass  # ", text) + "\n" for text in texts)
