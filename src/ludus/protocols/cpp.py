"""C++ sources that were handed in, as protocols read and build them: what is code, which file an include means, and
what is compiled together.

Texts in, texts out; knows no protocol. Every reader takes linear time.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

HEADER_ENDS, SOURCE_ENDS = (".h", ".hpp", ".hh", ".hxx"), (".cpp", ".cc", ".cxx", ".c")
COMMENT = re.compile(
    r"//(?:\\\r?\n|[^\n])*+|/\*.*?(?:\*/|\Z)"
    r"|(?P<number>\b\d(?:'?[\w.])*+)|(?P<string>\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?)",
    re.DOTALL,
)
"""Comments and texts. A text without a closing quote ends with its line, so that reading takes linear time."""
INCLUDE = re.compile(r'^([^\S\n]*+#[^\S\n]*+include[^\S\n]*+)(?:"([^"\n]++)"|<([^>\n]++)>)', re.MULTILINE)
MAIN = re.compile(r"\bmain\s*+\(")


def without_comments(text: str, *, strings: bool = False) -> str:
    """Blank out the comments of a C++ source, and the quoted texts unless they are wanted."""

    def plain(found: re.Match[str]) -> str:
        if found["number"] or (strings and found["string"]):
            return found[0]
        return '""' if found["string"] else " "

    return COMMENT.sub(plain, text)


OWN_MAIN = re.compile(r"\b(?:int|void|auto)\s++main\s*+\([^(){};]*+\)\s*+\{")


def without_main(text: str) -> str:
    """Empty the `main` of a source, which nobody calls: it may need files of the course that were not handed in."""
    plain = COMMENT.sub(lambda found: found[0] if found["number"] else re.sub(r"[^\n]", " ", found[0]), text)
    begins = OWN_MAIN.search(plain)
    depth = 0
    for brace in re.finditer(r"[{}]", plain[begins.end() - 1 :]) if begins else ():
        depth += 1 if brace[0] == "{" else -1
        if begins and depth == 0:
            start, end = begins.end(), begins.end() - 1 + brace.start()
            body = plain[start:end]
            if body.count("#if") == body.count("#endif") and not re.search(r"#\s*+(?:else|elif)", body):
                return text[:start] + re.sub(r"[^\n]", "", text[start:end]) + text[end:]
            break
    return text


def stem(name: str) -> str:
    """Return the name of a file without folders and ending, in lower case."""
    return PurePosixPath(name).stem.lower()


def ending(name: str) -> str:
    """Return the ending of a file's name, in lower case."""
    return PurePosixPath(name).suffix.lower()


def is_cpp(name: str) -> bool:
    """Return whether a file is C or C++ by its name."""
    return ending(name) in HEADER_ENDS + SOURCE_ENDS and not set(name) & set('"\\')


class IncludedFiles:
    """Files that include each other as Windows lets them: in any capitals, with backslashes, from other folders.

    `ours` returns the file of ours that an include stands for, by its name in lower case without folders, and by
    whether such a file was handed in.
    """

    def __init__(self, texts: Mapping[str, str], ours: Callable[[str, bool], str | None]) -> None:
        self.texts, self._ours = texts, ours
        self._by_name: dict[str, list[str]] = {}
        for name in sorted(texts):
            self._by_name.setdefault(posixpath.basename(name).lower(), []).append(name)

    def meant(self, written: str, name: str, *, angled: bool) -> str | None:
        """Return the file that an include in a file means; None where it is none of these and none of ours."""
        path = posixpath.normpath(written.strip().replace("\\", "/")).lower()
        base = posixpath.basename(path)
        there = self._by_name.get(base, [])
        if ours := self._ours(base, bool(there)):
            return ours
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)).lower()
        if not there or (angled and "/" not in path and base in STANDARD):
            return None
        return min(there, key=lambda one: (one.lower() != beside, -_common_end(one.lower(), path), one))

    def meant_by(self, name: str) -> Iterator[str | None]:
        """Yield what the includes of a file mean: files of the submission, ours, or None."""
        for _, quoted, angled in INCLUDE.findall(without_comments(self.texts[name], strings=True)):
            yield self.meant(quoted or angled, name, angled=bool(angled))

    def includes(self, name: str) -> Iterator[str]:
        """Yield the files of the submission that a file includes."""
        return (found for found in self.meant_by(name) if found is not None and found in self.texts)

    def included(self, names: Iterable[str]) -> dict[str, None]:
        """Return files and all that they include, themselves first."""
        used = dict.fromkeys(names)
        waiting = list(used)
        while waiting:
            for found in self.includes(waiting.pop(0)):
                if found not in used:
                    used[found] = None
                    waiting.append(found)
        return used

    def rewritten(self, name: str) -> str:
        """Return a file whose includes are found on any system, with line ends of Unix."""

        def include(found: re.Match[str]) -> str:
            path = self.meant(found[2] or found[3], name, angled=bool(found[3]))
            return f'{found[1]}"{posixpath.relpath(path, posixpath.dirname(name) or ".")}"' if path else found[0]

        text = self.texts[name].replace("\r\n", "\n").replace("\r", "\n")
        return INCLUDE.sub(include, without_main(text))


STANDARD = {
    *(
        "assert.h",
        "complex.h",
        "ctype.h",
        "errno.h",
        "float.h",
        "limits.h",
        "locale.h",
        "math.h",
        "signal.h",
        "stdarg.h",
    ),
    *("stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "time.h", "unistd.h"),
    *("conio.h", "memory.h", "windows.h"),
}
"""Headers that angles mean even where a submission has one of the same name."""


def _common_end(one: str, other: str) -> int:
    """Return how many parts two paths share at their ends."""
    number = 0
    for a, b in zip(reversed(one.split("/")), reversed(other.split("/")), strict=False):
        if a != b:
            break
        number += 1
    return number


class Try(NamedTuple):
    """What is compiled together, in a folder beside the bot's own."""

    folder: str
    sources: Sequence[str]
    mark: str = ""
    """How the bot was built, in a word that becomes a note, where this try succeeds."""
    if_unlinked: bool = False
    """Whether it is made only where the last try lacked a definition."""
    strict: bool = False
    """Whether it is built as it is, or else not at all."""


def script(tries: Iterable[Try]) -> str:
    """Return the shell script that makes one try after the other, and prints the first log where none succeeds."""
    lines = [
        "log=$(mktemp -d) || exit 126",
        "trap 'rm -rf \"$log\"' EXIT",
        "unlinked() { grep -q 'undefined reference' \"$last\"; }",
    ]
    for number, one in enumerate(tries):
        command = shlex.join(
            ["sh", "../ludus_cpp/build.sh", *(["-s"] if one.strict else []), "../ludus_bot", *one.sources]
        )
        mark = f"echo ludus-build: {one.mark}; " if one.mark else ""
        lines += [
            f"if {'unlinked' if one.if_unlinked else 'true'}; then",
            f'  last="$log/{number}"',
            f'  (cd {one.folder} && {command}) >"$last" 2>&1',
            f'  status=$?; [ $status -ne 0 ] || {{ {mark}cat "$last"; exit 0; }}',
            '  [ $status -eq 1 ] || { cat "$last"; exit $status; }',
            "fi",
        ]
    return "\n".join([*lines, 'cat "$log/0"', "exit 1", ""])
