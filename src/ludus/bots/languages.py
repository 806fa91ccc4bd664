"""Languages: how a source file of each is recognised, built and run. Knows no game and no sandbox."""

from __future__ import annotations

import re
import shlex
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from ludus.bots.reading import code, java_package
from ludus.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


class Sources(NamedTuple):
    """What a build is given."""

    main: str
    needed: tuple[str, ...] = ()
    """Files that are compiled along, since the main file uses them."""
    more: tuple[str, ...] = ()
    """Those and all others without a main, for the case that the needed ones do not suffice."""
    folders: tuple[str, ...] = ()
    """Folders with headers."""
    first: str = ""
    """A header that is read before each source."""
    converter: str = ""
    """A Python program that converts `needed` before the build."""


class Language(NamedTuple):
    """A language that bots are written in."""

    name: str
    suffixes: tuple[str, ...]
    build: Callable[[Sources], str | None]
    """The shell command that builds a program."""
    run: Callable[[str, int], tuple[str, ...]]
    """The command that runs it with this many megabytes of memory."""
    needs: tuple[str, str]
    """The program that it needs, and the Debian package that has it."""
    environment: Mapping[str, str] = {}
    stage: Callable[[str, str], str] = lambda name, _text: name
    """The name under which a single file must be put, by its text."""
    files: Mapping[str, str] = MappingProxyType({})
    """What its build needs beside the sources, by name: each begins with `ludus_`."""
    tries: tuple[str, ...] = ()
    """System calls that are refused, and that its runtime makes whatever the program does."""


PROGRAM = "ludus_bot"
"""What a compiler leaves."""
STDBUF = Path("/usr/libexec/coreutils/libstdbuf.so")
LINE_BY_LINE = {"LD_PRELOAD": str(STDBUF), "_STDBUF_O": "L"} if STDBUF.exists() else {}
"""C and C++ programs buffer what they print into a pipe, and students seldom flush."""


def java_class(name: str, text: str) -> str:
    """Return the path that a Java source must have: its package, and its public class or else that with a main."""
    bare = code(text, "java")
    folder = java_package(bare)
    public = re.search(r"\bpublic\s+(?:final\s+|abstract\s+)*(?:class|interface|enum|record)\s+(\w{1,200})\b", bare)
    if public:
        return f"{folder}{public[1]}.java"
    before_main = bare[: bare.find("void main")]
    classes: list[str] = re.findall(r"\bclass\s+(\w{1,200})\b", before_main)
    return f"{folder}{classes[-1] if classes and 'void main' in bare else PurePosixPath(name).stem}.java"


JAVA = ("java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=4")
JAVA_TEXT = ("-Dfile.encoding=UTF-8", "-Djava.awt.headless=true")
CLASS_PATH = ".:*"
"""The program, and the libraries that were handed in with it."""
JAVA_TRIES = ("socket",)
"""It looks for IPv6 when a program reads its first file."""


def java_name(path: str) -> str:
    """Return the full name of the class in a file that is where its package says."""
    return str(PurePosixPath(path).with_suffix("")).replace("/", ".")


CPP = "ludus_cpp"
"""The folder that C++ is built with: a script that tries again more leniently, and headers of other systems."""


WINDOWS = "ludus_windows.h"
WINDOWS_HEADERS = {
    *("windows.h", "conio.h", "stdafx.h", "pch.h", "tchar.h", "windef.h", "winbase.h", "wincon.h", "mmsystem.h"),
    *("process.h", "direct.h", "io.h", "dos.h", "targetver.h", "winuser.h", "sdkddkver.h", "crtdbg.h", "intrin.h"),
}
"""Headers that the one stand-in serves for."""


def _cpp_files() -> Mapping[str, str]:
    """Return the files of that folder, with the stand-ins for headers of Windows."""
    here = Path(__file__).parent
    found = {
        f"{CPP}/{path.relative_to(here / CPP).as_posix()}": path.read_text(encoding="utf-8")
        for path in sorted((here / CPP).rglob("*"))
        if path.suffix in (".sh", ".h", ".cpp")
    }
    headers = {f"{CPP}/include/{name}": f'#include "{WINDOWS}"\n' for name in (*WINDOWS_HEADERS, "Windows.h")}
    windows = (here / "stand_ins" / WINDOWS).read_text(encoding="utf-8")
    return found | headers | {f"{CPP}/include/{WINDOWS}": windows}


def _quote(name: str) -> str:
    return "'" + name.replace("'", "'\\''") + "'"


def _python_build(sources: Sources) -> str:
    converted = (
        " ".join(["python3", sources.converter, *map(_quote, sources.needed)]) + " && " if sources.converter else ""
    )
    return f"{converted}python3 -m py_compile {_quote(sources.main)}"


def _compiled(compiler: str, libraries: str = "") -> Callable[[Sources], str]:
    """Return how a compiler of the GNU collection is called."""

    def command(sources: Sources) -> str:
        before = f" -include {_quote(sources.first)}" if sources.first else ""
        before += "".join(f" -I{_quote(folder)}" for folder in sources.folders)

        def with_files(names: tuple[str, ...]) -> str:
            files = " ".join(map(_quote, (sources.main, *names)))
            return compiler.format(options=before, program=PROGRAM, files=files) + libraries

        return _either(with_files(sources.needed), with_files(sources.more), sources)

    return command


def _java_build(sources: Sources) -> str:
    def with_files(names: tuple[str, ...]) -> str:
        files = " ".join(map(_quote, (sources.main, *names)))
        return f"javac -encoding UTF-8 -J-XX:+UseSerialGC -cp '{CLASS_PATH}' -sourcepath . -d . {files}"

    return _either(with_files(()), with_files(sources.more), sources)


def _csharp_build(sources: Sources) -> str:
    """Return how a project is compiled: its classes know each other without naming their files."""
    files = " ".join(map(_quote, (sources.main, *sources.more)))
    return f"mcs -langversion:latest -codepage:utf8 -optimize+ -warn:0 -out:{PROGRAM}.exe {files}"


def _either(first: str, second: str, sources: Sources) -> str:
    """Return a command that builds what the main file needs, and only if that fails everything there is."""
    return first if not set(sources.more) - set(sources.needed) else f"{first} || {second}"


LANGUAGES = (
    Language(
        "python",
        (".py", ".pyw"),
        _python_build,
        lambda main, _memory: ("python3", main),
        ("python3", "python3"),
    ),
    Language(
        "cpp",
        (".cpp", ".cc", ".cxx", ".c++", ".hpp", ".h", ".hh", ".hxx"),
        _compiled(f"sh {CPP}/build.sh {{program}}{{options}} {{files}}"),
        lambda _main, _memory: (f"./{PROGRAM}",),
        ("g++", "g++"),
        LINE_BY_LINE,
        files=_cpp_files(),
    ),
    Language(
        "c",
        (".c",),
        _compiled(f"gcc -std=gnu17 -O2 -pthread -idirafter {CPP}/include{{options}} -o {{program}} {{files}}", " -lm"),
        lambda _main, _memory: (f"./{PROGRAM}",),
        ("gcc", "gcc"),
        LINE_BY_LINE,
        files=_cpp_files(),
    ),
    Language(
        "java",
        (".java",),
        _java_build,
        lambda main, memory: (*JAVA, f"-Xmx{memory * 3 // 4}m", *JAVA_TEXT, "-cp", CLASS_PATH, java_name(main)),
        ("javac", "default-jdk-headless"),
        stage=java_class,
        tries=JAVA_TRIES,
    ),
    Language(
        "javascript",
        (".js", ".mjs", ".cjs"),
        lambda sources: f"node --check {_quote(sources.main)}",
        lambda main, memory: ("node", f"--max-old-space-size={memory * 3 // 4}", main),
        ("node", "nodejs"),
    ),
    Language(
        "csharp",
        (".cs",),
        _csharp_build,
        lambda _main, _memory: ("mono", f"{PROGRAM}.exe"),
        ("mcs", "mono-mcs"),
    ),
    Language(
        "jar",
        (),
        lambda _sources: None,
        lambda main, memory: (*JAVA, f"-Xmx{memory * 3 // 4}m", *JAVA_TEXT, "-jar", main),
        ("java", "default-jre-headless"),
        tries=JAVA_TRIES,
    ),
    Language(
        "executable", (), lambda _sources: None, lambda main, _memory: (f"./{main}",), ("sh", "dash"), LINE_BY_LINE
    ),
)


def language_of(name: str) -> Language | None:
    """Tell the language of a file by its name; None when its name says nothing."""
    suffix = PurePosixPath(name).suffix.lower()
    return next((language for language in LANGUAGES if suffix in language.suffixes), None)


COMMANDS = {
    **dict.fromkeys(("g++", "c++", "clang++"), "cpp"),
    **dict.fromkeys(("gcc", "cc", "clang"), "c"),
    **dict.fromkeys(("java", "javac"), "java"),
    **dict.fromkeys(("mcs", "mono"), "csharp"),
    **dict.fromkeys(("node", "nodejs"), "javascript"),
    **dict.fromkeys(("python", "python3"), "python"),
}
"""The language of what a compiler or an interpreter is given, by the name of its program."""
HEADERS = (".h", ".hpp", ".hh", ".hxx")


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


def usual_calls(name: str | None) -> tuple[str, ...]:
    """Return the system calls that any program of a language is refused; None is one that is not known."""
    return language(name).tries if name else ()


def language(name: str) -> Language:
    """Return a language by its name."""
    for one in LANGUAGES:
        if one.name == name:
            return one
    raise UserError("bots.no_such_language", name=repr(name), languages=[one.name for one in LANGUAGES])
