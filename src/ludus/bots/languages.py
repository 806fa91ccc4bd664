"""Languages: how a source file of each is recognised, built and run. Knows no game and no sandbox."""

from __future__ import annotations

import re
import shlex
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from ludus.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


class Language(NamedTuple):
    """A language that bots are written in."""

    name: str
    suffixes: tuple[str, ...]
    build: Callable[[str], str | None]
    """The shell command that builds a main file."""
    run: Callable[[str, int], tuple[str, ...]]
    """The command that runs it with this many megabytes of memory."""
    needs: tuple[str, str]
    """The program that it needs, and the Debian package that has it."""
    environment: Mapping[str, str] = {}
    stage: Callable[[str, str], str] = lambda name, _text: name
    """The name under which a single file must be put, by its text."""


PROGRAM = "ludus_bot"
"""What a compiler leaves."""
STDBUF = Path("/usr/libexec/coreutils/libstdbuf.so")
LINE_BY_LINE = {"LD_PRELOAD": str(STDBUF), "_STDBUF_O": "L"} if STDBUF.exists() else {}
"""C and C++ programs buffer what they print into a pipe, and students seldom flush."""


def java_class(name: str, text: str) -> str:
    """Return the name that a Java source must have: its public class's, or else that of the class with a main."""
    bare = re.sub(r"//[^\n]*|/\*.*?(?:\*/|\Z)", " ", text, flags=re.DOTALL)
    public = re.search(r"\bpublic\s+(?:final\s+|abstract\s+)*class\s+(\w{1,200})\b", bare)
    if public:
        return f"{public[1]}.java"
    before_main = bare[: bare.find("void main")]
    classes: list[str] = re.findall(r"\bclass\s+(\w{1,200})\b", before_main)
    return f"{classes[-1]}.java" if classes else name


def _quote(name: str) -> str:
    return "'" + name.replace("'", "'\\''") + "'"


LANGUAGES = (
    Language(
        "python",
        (".py",),
        lambda main: f"python3 -m py_compile {_quote(main)}",
        lambda main, _memory: ("python3", main),
        ("python3", "python3"),
    ),
    Language(
        "cpp",
        (".cpp", ".cc", ".cxx", ".hpp", ".h"),
        lambda main: f"g++ -std=gnu++17 -O2 -pthread -o {PROGRAM} -x c++ {_quote(main)}",
        lambda _main, _memory: (f"./{PROGRAM}",),
        ("g++", "g++"),
        LINE_BY_LINE,
    ),
    Language(
        "c",
        (".c",),
        lambda main: f"gcc -std=gnu17 -O2 -pthread -o {PROGRAM} {_quote(main)} -lm",
        lambda _main, _memory: (f"./{PROGRAM}",),
        ("gcc", "gcc"),
        LINE_BY_LINE,
    ),
    Language(
        "java",
        (".java",),
        lambda main: f"javac -encoding UTF-8 -J-XX:+UseSerialGC {_quote(main)}",
        lambda main, memory: (
            *(
                "java",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=4",
                f"-Xmx{memory * 3 // 4}m",
                "-Dfile.encoding=UTF-8",
            ),
            *("-cp", ".", PurePosixPath(main).stem),
        ),
        ("javac", "default-jdk-headless"),
        stage=java_class,
    ),
    Language(
        "javascript",
        (".js", ".mjs", ".cjs"),
        lambda main: f"node --check {_quote(main)}",
        lambda main, memory: ("node", f"--max-old-space-size={memory * 3 // 4}", main),
        ("node", "nodejs"),
    ),
    Language("executable", (), lambda _main: None, lambda main, _memory: (f"./{main}",), ("sh", "dash"), LINE_BY_LINE),
)


def language_of(name: str) -> Language | None:
    """Tell the language of a file by its name; None when its name says nothing."""
    suffix = PurePosixPath(name).suffix.lower()
    return next((language for language in LANGUAGES if suffix in language.suffixes), None)


COMMANDS = {
    **dict.fromkeys(("g++", "c++", "clang++"), "cpp"),
    **dict.fromkeys(("gcc", "cc", "clang"), "c"),
    **dict.fromkeys(("java", "javac"), "java"),
    **dict.fromkeys(("node", "nodejs"), "javascript"),
    **dict.fromkeys(("python", "python3"), "python"),
}
"""The language of what a compiler or an interpreter is given, by the name of its program."""
HEADERS = (".h", ".hpp")


def language_of_program(run: Sequence[str], build: str | None, names: Iterable[str]) -> Language | None:
    """Return the language of a program with its own commands; None when it is unknown.

    What tells, in this order: a source file in the run command, the interpreter in it, the compiler in the build
    command, and the source files, where all of them are of one language.
    """
    for word in run:
        if found := language_of(word):
            return found
    try:
        built = shlex.split(build or "")
    except ValueError:  # the shell that runs it will say what is wrong
        built = []
    for word in (*run, *built):
        if (command := PurePosixPath(word).name) in COMMANDS:
            return language(COMMANDS[command])
    sources = [name for name in names if language_of(name)]
    programs = [name for name in sources if PurePosixPath(name).suffix.lower() not in HEADERS]
    kinds = [language_of(name) for name in programs or sources]
    return kinds[0] if kinds and all(kind is kinds[0] for kind in kinds) else None


def language(name: str) -> Language:
    """Return a language by its name."""
    for one in LANGUAGES:
        if one.name == name:
            return one
    raise UserError("bots.no_such_language", name=repr(name), languages=[one.name for one in LANGUAGES])
