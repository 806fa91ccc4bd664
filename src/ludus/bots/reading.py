"""How a source file is read: its encoding, and what of it is code. Pure and linear; nothing is run.

Knows languages by their names only; builds and repairs nothing.
"""

from __future__ import annotations

import functools
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

UTF_16 = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
LOOKED_AT = 1 << 16
"""Bytes by which an encoding is told."""
HIGH = re.compile(rb"[\x80-\xff]")
ALONE = re.compile(rb"(?<![\x80-\xff])[\xc0-\xff](?![\x80-\xff])")
"""A letter with an accent between plain ones, as in Western texts."""


def decoded(data: bytes) -> tuple[str, str]:
    """Return a source's text without a byte order mark, and the name of its encoding; empty where it is UTF-8."""
    if data[:2] in UTF_16:
        return data.decode("utf-16", errors="replace").removeprefix("\ufeff"), "UTF-16"
    if data[1:2] == b"\0" and data[3:4] == b"\0" and data[:1] != b"\0":
        return data.decode("utf-16-le", errors="replace"), "UTF-16"
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        pass
    head = data[:LOOKED_AT]
    western = 2 * len(ALONE.findall(head)) > len(HIGH.findall(head))
    for codec, name in (("cp1252", "Windows-1252"),) if western else (("cp950", "Big5"), ("gb18030", "GBK")):
        try:
            return data.decode(codec), name
        except UnicodeDecodeError:
            continue
    return data.decode("cp1252", errors="replace"), "Windows-1252"


BRACES = re.compile(
    r"(?P<comment>//(?:\\\r?\n|[^\n])*+|/\*.*?(?:\*/|\Z))"
    r"|(?P<number>\b\d(?:'?[\w.])*+)|(?P<text>\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?)",
    re.DOTALL,
)
"""Comments, numbers and texts of C, C++, Java and JavaScript; a text without a closing quote ends with its line."""
PYTHON = re.compile(
    r"(?P<comment>#[^\n]*+)|(?P<number>\b\d\w*+)"
    r"|(?P<text>\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)|'''(?:\\.|[^\\])*?(?:'''|\Z)"
    r"|\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?)",
    re.DOTALL,
)


@functools.lru_cache(maxsize=64)
def code(text: str, language: str, *, texts: bool = False) -> str:
    """Return a source of the same length and lines, without its comments, and without quoted texts unless wanted."""

    def blank(found: re.Match[str]) -> str:
        if found["number"] or (texts and found["text"]):
            return found[0]
        if found["comment"] or len(found[0]) < 2:
            return re.sub(r"[^\n]", " ", found[0])
        return found[0][0] + re.sub(r"[^\n]", " ", found[0][1:-1]) + found[0][-1]

    return (PYTHON if language == "python" else BRACES).sub(blank, text)


TEXT = re.compile(r"([\"'])((?:\\.|(?!\1)[^\\\n])*+)(\1?)")
"""A quoted text; one that is not closed ends with its line, so that no place is read twice."""


def quoted_texts(plain: str) -> Iterator[re.Match[str]]:
    """Yield the quoted texts of a source without comments; the second group is what is between the quotes."""
    return (found for found in TEXT.finditer(plain) if found[3])


def line_of(text: str, at: int) -> int:
    """Return the number of the line of a place in a text."""
    return text.count("\n", 0, at) + 1


MAINS = {
    "c": re.compile(r"\b(?:int|void|signed)\s+(?:_t|w)?main\s*\(|^main\s*\(", re.MULTILINE),
    "cpp": re.compile(r"\b(?:int|void|signed|auto)\s+(?:_t|w)?main\s*\(|^main\s*\(", re.MULTILINE),
    "java": re.compile(r"\bvoid\s+main\s*\("),
    "csharp": re.compile(r"\bstatic\s+(?:async\s+)?(?:void|int|Task)\s+Main\s*\("),
    "python": re.compile(r"^if\s+\(?__name__\s*==", re.MULTILINE),
}
STATEMENT = re.compile(r"^(?!(?:def|class|import|from|async|global)\b)\w[\w.]*+[ ]*+(?:\(|[\w\"'(])", re.MULTILINE)
"""A line of a Python file that does something when the file is run."""
EXPORTS = re.compile(r"\bmodule\.exports\b|\bexports\.\w|^export\b", re.MULTILINE)


def entry(plain: str, language: str) -> int:
    """Return how surely a source is where a program begins: 2 surely, 1 perhaps, 0 not."""
    if (pattern := MAINS.get(language)) is not None and pattern.search(plain):
        return 2
    if language == "python":
        return 1 if STATEMENT.search(plain) else 0
    if language == "javascript":
        return 0 if EXPORTS.search(plain) else 2
    return 0


INCLUDE = re.compile(r'^[^\S\n]*+#[^\S\n]*+include[^\S\n]*+(?:"([^"\n]++)"|<([^>\n]++)>)', re.MULTILINE)
IMPORT = re.compile(
    r"^[^\S\n]*+(?:from[^\S\n]++([\w.]++)[^\S\n]++import[^\S\n]++([^\n]*+)|import[^\S\n]++([^\n]*+))", re.MULTILINE
)
REQUIRE = re.compile(r"""(?:\brequire\(|\bfrom|\bimport)\s*+["']([^"'\n]++)["']""")
WORD = re.compile(r"[^\W\d]\w*+")
STARTS = re.compile(
    r"\b(?:system|popen|Popen|startfile|run_path|(?:subprocess\.)(?:run|call|check_call|check_output)|exec[lv]p?|spawn[lv]p?)"
    r"[^\S\n]*+\([^\n]{0,200}"
)
"""Where a Python program starts another one."""
STARTED = re.compile(r"([^\W\d][\w -]*+)\.pyw?\b")


def used_names(text: str, language: str) -> set[str]:
    """Return the names of other files that a source may use: lower case, and without endings but for C's headers."""
    if language in ("c", "cpp"):
        found = INCLUDE.findall(code(text, language, texts=True))
        return {PurePosixPath((one or other).replace("\\", "/")).name.lower() for one, other in found}
    if language == "python":
        words = [
            word for found in IMPORT.findall(code(text, language)) for part in found for word in WORD.findall(part)
        ]
        calls = STARTS.findall(code(text, language, texts=True))
        started = [word for call in calls for quoted in quoted_texts(call) for word in STARTED.findall(quoted[2])]
        return {word.lower() for word in (*words, *(one.rpartition(" ")[2] for one in started))}
    if language == "javascript":
        return {PurePosixPath(one).stem.lower() for one in REQUIRE.findall(code(text, language, texts=True))}
    return {word.lower() for word in WORD.findall(code(text, language))}


def uses(user: str, used: str, names: Mapping[str, set[str]], language: str) -> bool:
    """Return whether a file uses another one, by the names that it uses."""
    path = PurePosixPath(used)
    return user != used and (path.name if language in ("c", "cpp") else path.stem).lower() in names[user]


PLUS_PLUS = re.compile(
    r"^[^\S\n]*+#[^\S\n]*+include[^\S\n]*+"
    r"<(?:iostream|fstream|sstream|vector|string|map|set|queue|stack|list|algorithm|utility|c[a-z]{4,8})>"
    r"|\busing\s++namespace\b|\bstd::|^[^\S\n]*+(?:template[^\S\n]*+<|class[^\S\n]++\w++\s*+\{)",
    re.MULTILINE,
)


def is_plus_plus(text: str) -> bool:
    """Return whether a file whose name says C holds C++."""
    return PLUS_PLUS.search(code(text, "c", texts=True)) is not None


PACKAGE = re.compile(r"^[^\S\n]*+package\s++(\w[\w.]*+)\s*+;", re.MULTILINE)


def java_package(plain: str) -> str:
    """Return the folder of a Java source's package; empty where it has none."""
    found = PACKAGE.search(plain)
    return found[1].replace(".", "/") + "/" if found else ""
