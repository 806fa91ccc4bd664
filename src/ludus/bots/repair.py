"""Repairs of sources that were written for another machine: texts in, repaired texts and notes out.

Only what is plain is repaired, and each repair is a note with its file and line. Pure and linear: nothing is run here,
and the files that people look at stay as they were handed in. Only the copy that is built is changed.
"""

from __future__ import annotations

import functools
import importlib.machinery
import posixpath
import re
import site
import sys
from collections import Counter
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ludus.bots.languages import WINDOWS, WINDOWS_HEADERS, language_of
from ludus.bots.reading import INCLUDE, STARTS, code, java_package, line_of, quoted_texts
from ludus.messages import Message

if TYPE_CHECKING:
    from collections.abc import Mapping

STAND_INS = Path(__file__).parent / "stand_ins"
FOLDER = "ludus_stand_ins"
"""Where the stand-ins are beside a bot."""
CONVERTER = "ludus_python2.py"
PUT_BACK = "sitecustomize.py"
"""Python reads it before a program, where it is on the path."""
MOST_NOTES = 12
NEAR = 40
"""Characters before a text in which an operator is looked for."""
LONGEST_SIGN = 40
"""Characters of a line that a note quotes."""


class Repaired(NamedTuple):
    """Sources as they are built."""

    texts: dict[str, str]
    added: dict[str, str]
    """Stand-ins for what the sources use and this machine has not, by path."""
    notes: list[Message]
    first: str = ""
    """A header of the stand-ins that must be read before each C or C++ source."""
    python2: tuple[str, ...] = ()
    """Sources in Python 2, which the converter among the stand-ins turns into Python 3."""


class Repair(NamedTuple):
    """A place in a text, what it becomes there, and the note about it."""

    start: int
    end: int
    becomes: str
    code: str
    params: Mapping[str, str]


def repaired(texts: Mapping[str, str], main: str) -> Repaired:
    """Repair sources."""
    made = Repaired(dict(texts), {}, [])
    noted: set[tuple[object, ...]] = set()
    places = _places(texts)
    python2: list[str] = []
    for name, text in texts.items():
        kind = language_of(name)
        if kind is None:
            continue
        found = [*_paths(text, kind.name), *_left_for_tests(text, kind.name)]
        found += [*_joined(with_texts := code(text, kind.name, texts=True)), *_line_ends(with_texts)]
        if kind.name in ("c", "cpp"):
            plain = code(text, kind.name)
            found += [
                *_pauses(text, kind.name),
                *_void_main(plain),
                *_includes(name, text, kind.name, places, made.added),
            ]
        if kind.name == "java":
            found += _idle_java_imports(text, texts)
            made.notes.extend(_old_java(name, text, texts, made.added))
        if kind.name == "python":
            found += [*_relative_imports(name, text, main), *_idle_imports(text, texts), *_starts(text)]
            found += _old_numpy(code(text, "python")) if "numpy" in text else []
            made.added.update(_missing_modules(text, texts))
            if (opens := OPENS_WINDOW.search(code(text, "python"))) is not None:
                params = {"file": name, "line": line_of(text, opens.start(1)), "module": opens[1]}
                made.notes.append(Message("bots.repair_window", **params))
            if (shows := _shows(text, texts)) is not None:
                params = {"file": name, "line": line_of(text, shows.start()), "module": shows[1]}
                made.notes.append(Message("bots.repair_display", **params))
                made.added[f"{FOLDER}/{PUT_BACK}"] = stand_in(PUT_BACK)
            made.notes.extend(_lacking_modules(name, text, texts))
            if (sign := python2_sign(text)) is not None:
                python2.append(name)
                made.notes.append(Message("bots.repair_python2", file=name, line=sign[0], sign=sign[1]))
            elif (gone := _taken_away(text)) is not None:
                params = {"file": name, "line": line_of(text, gone.start()), "sign": " ".join(gone[0].split())}
                made.notes.append(Message("bots.repair_taken_away", **params))
                made.added[f"{FOLDER}/{PUT_BACK}"] = stand_in(PUT_BACK)
        made.texts[name] = _changed(text, found)
        for one in sorted(found):
            key = (name, one.code, *one.params.values())
            if one.code and key not in noted and len(made.notes) < MOST_NOTES:
                noted.add(key)
                made.notes.append(Message(one.code, file=name, line=line_of(text, one.start), **one.params))
        if kind.name == "python" and name not in python2:
            made.texts[name] = _indented(name, made.texts[name], made.notes)
    first = _microsoft(made)
    if python2:
        made.added.update({f"{FOLDER}/{name}": stand_in(name) for name in (CONVERTER, PUT_BACK)})
        for name in python2:
            made.texts[name] = expanded(made.texts[name])
    notes = made.notes[:MOST_NOTES]
    return made._replace(first=first, python2=tuple(python2), notes=notes)


@functools.cache
def stand_in(name: str) -> str:
    """Read one of the stand-ins."""
    return (STAND_INS / name).read_text(encoding="utf-8")


def _changed(text: str, found: list[Repair]) -> str:
    """Return a text with what was found replaced; of two that overlap the first counts."""
    parts, at = [], 0
    for one in sorted(found):
        if one.start >= at and one.becomes != text[one.start : one.end]:
            parts += [text[at : one.start], one.becomes]
            at = one.end
    return "".join([*parts, text[at:]])


ABSOLUTE = re.compile(r"(?:[A-Za-z]:[\\/]|[\\/]{1,2}(?:Users|home|root|mnt|media|Volumes|Desktop)[\\/])", re.IGNORECASE)
COURSE_FILES = ("input.txt", "output.txt", "calibration.txt")


def _paths(text: str, language: str) -> list[Repair]:
    """Find quoted paths of another machine, and those that lead to the course's files by a detour."""
    found = []
    plain = code(text, language, texts=True)
    for literal in quoted_texts(plain):
        inner = literal[2]
        if inner.lower() in COURSE_FILES and inner not in COURSE_FILES:  # the same file to Windows and macOS
            start, params = literal.start() + 1, {"path": inner, "name": inner.lower()}
            found.append(Repair(start, start + len(inner), inner.lower(), "bots.repair_path", params))
        if not inner or len(inner) > 400 or ("/" not in inner and "\\" not in inner):
            continue
        parts = [part for part in re.split(r"[\\/]+", inner) if part]
        if not parts:
            continue
        absolute, last = ABSOLUTE.match(inner) is not None, parts[-1]
        if last.lower() in COURSE_FILES and (absolute or len(parts) > 1 or inner[0] in "\\/."):
            before = plain[max(0, literal.start() - NEAR) : literal.start()].rstrip()
            joined = inner[0] in "\\/" and not absolute and before[-1:] == "+"
            becomes = f"/{last.lower()}" if joined else last.lower()
        elif absolute and inner[-1] in "\\/":
            becomes = ""
        elif absolute:
            becomes = last if "." in last else "."
        else:
            continue
        if becomes != inner and not (inner.startswith("./") and len(parts) == 2):
            start = literal.start() + 1
            params = {"path": inner if len(inner) < 80 else f"{inner[:77]}...", "name": becomes.lstrip("/") or "."}
            found.append(Repair(start, start + len(inner), becomes, "bots.repair_path", params))
    return found


STEP = re.compile(r"""(["'])([\w -]{1,60}|\.\.?)\1\s?\)?\s?[,/]\s?(?=["'])""")
"""A quoted name that another text follows: `"src", "input.txt"`, as paths are put together."""
JOINS = re.compile(r"\b(?:join|Paths?|Paths\s?\.\s?get|Path\s?\.\s?of|File)\s?\([^;\n]*$")
"""What puts paths together, before the first of them."""
LINES = re.compile(r"""\bsplit\s?\(\s?b?["'](\\r\\n|\\\\r\\\\n)["']""")
"""A text that is taken apart at the line ends of Windows alone."""
OLD_NUMPY = re.compile(r"\b(?:np|numpy)\.(int|float|bool|object|str|long|unicode)\b(?![\w(]*_)")
"""Names of Python's own types, which numpy had until it took them away."""


LONGEST_PATH = 200
"""Characters before the name of a file in which its folders are looked for."""


def _joined(plain: str) -> list[Repair]:
    """Find the folders of a path that is put together and ends in one of the course's files."""
    found: list[Repair] = []
    for literal in quoted_texts(plain):
        if literal[2] not in COURSE_FILES:
            continue
        first = max(0, literal.start() - LONGEST_PATH)
        end, folders, path = literal.start(), [], literal[2]
        for step in reversed([*STEP.finditer(f'{plain[first:end]}"')]):
            if first + step.end() != end or not JOINS.search(plain[first : first + step.start()]):
                break
            end = first + step.start()
            folders.append((end + 1, end + 1 + len(step[2])))
            path = f"{step[2]}/{path}"
        for start, stop in folders:  # one note, for the outermost
            told = "bots.repair_path" if start == end + 1 and path != f"./{literal[2]}" else ""
            found.append(Repair(start, stop, ".", told, {"path": path, "name": literal[2]}))
    return found


def _line_ends(plain: str) -> list[Repair]:
    """Find where a text is taken apart at the line ends of Windows; the files here have those of Linux."""
    return [
        Repair(*one.span(1), one[1].replace("\\r", "").replace("\\\\n", "\\n"), "bots.repair_line_ends", {})
        for one in LINES.finditer(plain)
    ]


def _old_numpy(plain: str) -> list[Repair]:
    """Find the types that numpy has no more."""
    types = {"long": "int", "unicode": "str"}
    found = ((one, types.get(one[1], one[1])) for one in OLD_NUMPY.finditer(plain))
    return [Repair(*one.span(), own, "bots.repair_numpy", {"name": one[0], "type": own}) for one, own in found]


SYSTEM = re.compile(r"(?:\b(?:std\s*+)?::\s*+)?\bsystem\s*+\(\s*+\"([^\"\n]*+)\"\s*+\)")
SHOW = re.compile(r"\s*+(?:pause|cls|clear|color|title|mode|chcp|read)\b", re.IGNORECASE)
VOID_MAIN = re.compile(r"\bvoid(?=\s++main\s*+\()")


def _pauses(text: str, language: str) -> list[Repair]:
    """Find commands to Windows' own shell, which wait for a key or change its window."""
    calls = SYSTEM.finditer(code(text, language, texts=True))
    return [
        Repair(*call.span(), "0", "bots.repair_system", {"command": call[1][:40]})
        for call in calls
        if SHOW.match(call[1])
    ]


INTERPRETER = re.compile(r"(?:python|py)(?:\.exe)?(?=[^\S\n]|$)", re.IGNORECASE)
LEFT_RUNNING = re.compile(r"^[^\S\n]*+subprocess\.Popen\b", re.MULTILINE)


def _starts(text: str) -> list[Repair]:
    """Find where a Python program starts another one by a name of Python that is not here, or does not wait for it."""
    plain = code(text, "python", texts=True)
    found = []
    for call in STARTS.finditer(plain):
        for quoted in quoted_texts(call[0]):
            if (named := INTERPRETER.match(quoted[2])) is not None:
                start, params = call.start() + quoted.start(2), {"command": named[0]}
                found.append(Repair(start, start + named.end(), "python3", "bots.repair_starts", params))
    if found:
        ends = [one.end() for one in LEFT_RUNNING.finditer(plain)]
        found += [Repair(end - len("Popen"), end, "call", "", {}) for end in ends]
    return found


def _void_main(plain: str) -> list[Repair]:
    return [Repair(*one.span(), "int", "bots.repair_void_main", {}) for one in VOID_MAIN.finditer(plain)]


Places = dict[str, list[str]]
"""The files of a name in lower case, by that name."""


def _places(names: Mapping[str, str]) -> Places:
    found: Places = {}
    for name in names:
        found.setdefault(posixpath.basename(name).lower(), []).append(name)
    return found


def _includes(name: str, text: str, language: str, places: Places, added: dict[str, str]) -> list[Repair]:
    """Find includes that only a file system without capitals, or Windows, resolves."""
    found = []
    folder = posixpath.dirname(name)
    for one in INCLUDE.finditer(code(text, language, texts=True)):
        group = 1 if one[1] is not None else 2
        path = one[group].strip()
        plain = path.replace("\\", "/")
        own = posixpath.normpath(posixpath.join(folder, plain))
        base = posixpath.basename(plain).lower()
        same = places.get(base, [])
        if own in same and plain == path:
            continue
        there = own if own in same else _nearest(plain, same)
        if there is None and base in WINDOWS_HEADERS:
            added[f"{FOLDER}/{base}"] = f'#include "{WINDOWS}"\n'
            added[f"{FOLDER}/{WINDOWS}"] = stand_in(WINDOWS)
            params = {"header": path}
            found.append(Repair(*one.span(group), base, "bots.repair_windows", params))
        elif there is not None and (group == 1 or "." in base):
            becomes = posixpath.relpath(there, folder or ".")
            exact = plain == path and posixpath.basename(plain) == posixpath.basename(there)
            told = "" if exact else "bots.repair_include"
            if group == 1:
                params = {"header": path, "name": there}
                found.append(Repair(*one.span(1), becomes, told, params))
        elif plain != path:
            found.append(Repair(*one.span(group), plain, "bots.repair_include", {"header": path, "name": plain}))
    return found


def _nearest(path: str, names: list[str]) -> str | None:
    """Return the file that a path means, of those with its name: the one with the most of its folders."""
    wanted = [part for part in path.lower().split("/") if part not in (".", "..")][::-1]

    def in_common(name: str) -> int:
        pairs = zip(name.lower().split("/")[::-1], wanted, strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    return min(names, key=lambda name: (-in_common(name), name.count("/"), name), default=None)


MICROSOFT = re.compile(
    r"\b((?:scanf|fopen|sscanf|fscanf|strcpy|strcat|strncpy|sprintf|localtime|ctime|gets|strtok|printf|fprintf|_itoa|rand)_s"
    r"|_?getche?|_?kbhit|Sleep|__int64|_itoa|itoa|gets|clrscr|gotoxy|GetTickCount|_tmain|_strdup|_stricmp|stricmp)\b(?=\s*+\(|\s++\w|\s*+>)"
)


OWN = re.compile(
    r"\b(?:void|int|char|bool)[\s*]++(getche?|kbhit|gets|itoa|Sleep|clrscr|gotoxy)\s*+\([^;{}()]*+\)\s*+(?=[{;])"
)


def _microsoft(made: Repaired) -> str:
    """Return the header that declares what Microsoft's compiler has of itself, where a source uses it."""
    sources = {name: code(text, "cpp") for name, text in made.texts.items() if _is_c(name)}
    own = sorted({found for plain in sources.values() for found in OWN.findall(plain)})
    place, first = f"{FOLDER}/{WINDOWS}", ""
    for name, plain in sources.items():
        used = next((found for found in MICROSOFT.finditer(plain) if found[1] not in own), None)
        if used is not None:
            first = place
            if place not in made.added:
                params = {"file": name, "line": line_of(plain, used.start()), "function": used[1]}
                made.notes.append(Message("bots.repair_microsoft", **params))
            break
    if first or place in made.added:
        made.added[place] = "".join(f"#define LUDUS_OWN_{name}\n" for name in own) + stand_in(WINDOWS)
    return first


def _is_c(name: str) -> bool:
    kind = language_of(name)
    return kind is not None and kind.name in ("c", "cpp")


PRINT = re.compile(
    r"^[^\S\n]*+(?:\w[^\n:]*+:[^\S\n]*+)?print(?:[^\S\n]++(?:[\"'\w]|>>)|[\"']|[^\S\n]*+$)", re.MULTILINE
)
EXCEPT = re.compile(r"^[^\S\n]*+except[^\S\n]++[\w.]++[^\S\n]*+,[^\S\n]*+\w++[^\S\n]*+:", re.MULTILINE)
RAISE = re.compile(r"^[^\S\n]*+raise[^\S\n]++\w++[^\S\n]*+,", re.MULTILINE)
OLD_NAMES = re.compile(
    r"(?<![\w.])(?:xrange|raw_input|unicode|unichr|execfile)[^\S\n]*+\(|\.(?:has_key|iteritems|itervalues)\(|\bsys\.maxint\b"
    r"|\bfrom[^\S\n]++sys[^\S\n]++import[^\S\n]++maxint\b|\bstring\.(?:uppercase|lowercase|letters|maketrans|join|atoi|split)\b"
    r"|\bsort(?:ed)?\([^()\n]{0,99}\bcmp[^\S\n]*+=|\breload\(sys\)"
)
TAKEN_AWAY = re.compile(
    r"\btime\.clock\b|\bfrom[^\S\n]++time[^\S\n]++import[^\S\n]++(?:\w++[^\S\n]*+,[^\S\n]*+){0,9}clock\b|\bfractions\.gcd\b"
    r"|\bfrom[^\S\n]++fractions[^\S\n]++import[^\S\n]++gcd\b|\bcollections\.(?:Iterable|Mapping|Sequence|Callable|Hashable)\b"
)

OLD_MODE = re.compile(r"\bopen[^\S\n]*+\([^()\n]{0,120}[\"'](?:rU|Ur|U)[\"']")
"""What Python 3 had until it took it away: names, and a mode of files."""


def _taken_away(text: str) -> re.Match[str] | None:
    return TAKEN_AWAY.search(code(text, "python")) or OLD_MODE.search(code(text, "python", texts=True))


OLD_MODULES = re.compile(
    r"^[^\S\n]*+(?:import|from)[^\S\n]++(?:Queue|StringIO|cPickle|ConfigParser|Tkinter|urllib2)\b", re.MULTILINE
)
SHEBANG = re.compile(r"#![^\n]*python2")
DEFINED = re.compile(
    r"^[^\S\n]*+(?:def[^\S\n]++)?(?:xrange|raw_input|unicode)[^\S\n]*+(?:=|\()|\bexcept[^\S\n]++(?:NameError|ImportError)",
    re.MULTILINE,
)


def python2_sign(text: str) -> tuple[int, str] | None:
    """Return the first line that only Python 2 understands, and what is there; None for Python 3."""
    if SHEBANG.match(text):
        return 1, "#!"
    plain = code(text, "python")
    signs = [PRINT, EXCEPT, RAISE]
    if not DEFINED.search(plain):
        signs += [OLD_NAMES, OLD_MODULES]
    found = [match for sign in signs if (match := sign.search(plain)) is not None]
    if not found:
        return None
    first = min(found, key=lambda match: match.start())
    start = first.end() - len(first[0].lstrip())
    return line_of(text, start), text[start : start + LONGEST_SIGN].partition("\n")[0].strip()


MIXED = re.compile(r"^(?: ++\t|\t++ )[ \t]*+\S", re.MULTILINE)
INDENT = re.compile(r"^[ \t]*+", re.MULTILINE)


def expanded(text: str) -> str:
    """Return a Python source indented by spaces only; a tab goes to the next multiple of eight, as Python counts."""
    return INDENT.sub(lambda found: found[0].expandtabs(8), text)


def _indented(name: str, text: str, notes: list[Message]) -> str:
    """Return a source without lines that mix tabs and spaces."""
    found = MIXED.search(code(text, "python"))
    if found is None:
        return text
    notes.append(Message("bots.repair_tabs", file=name, line=line_of(text, found.start())))
    return expanded(text)


RELATIVE = re.compile(r"^([^\S\n]*+)from[^\S\n]++\.(\w[\w.]*+)?[^\S\n]++import\b", re.MULTILINE)


def _relative_imports(name: str, text: str, main: str) -> list[Repair]:
    """Find imports that only a package has, in the folder of the main file, which is run as a file."""
    if posixpath.dirname(name) != posixpath.dirname(main):
        return []
    found = []
    for one in RELATIVE.finditer(code(text, "python")):
        becomes = f"{one[1]}from {one[2]} import" if one[2] else f"{one[1]}import"
        found.append(Repair(*one.span(), becomes, "", {}))
    return found


IMPORT = re.compile(
    r"^(?:import[^\S\n]++(\w++)(?:\.\w++)*+(?:[^\S\n]++as[^\S\n]++(\w++))?+|from[^\S\n]++(\w++)(?:\.\w++)*+[^\S\n]++import"
    r"[^\S\n]++(\w[\w \t,]*+))[^\S\n]*+$",
    re.MULTILINE,
)
"""An import at the beginning of a line: a module, or names of one."""
AS = re.compile(r"\w++[^\S\n]++as[^\S\n]++")
INSTALLED = frozenset({*sys.stdlib_module_names, "numpy"} - {"tkinter", "turtle"})
"""What bots can import everywhere, of what is not theirs."""


@functools.cache
def _installed(module: str) -> bool:
    """Return whether a module is beside the interpreter that bots are run with; nothing is imported."""
    return importlib.machinery.PathFinder.find_spec(module, site.getsitepackages([sys.base_prefix])) is not None


def _idle_imports(text: str, names: Mapping[str, str]) -> list[Repair]:
    """Find imports of modules that are not here, and of which nothing is used."""
    plain, found = code(text, "python"), []
    words, own = Counter(re.findall(r"\w++", plain)), _own_modules(names)
    for one in IMPORT.finditer(plain):
        module = one[1] or one[3]
        used = {one[2] or module} if one[1] else {*AS.sub("", one[4]).replace(" ", "").replace("\t", "").split(",")}
        if module in INSTALLED or module in own or f"{module}.py" in STOOD_IN_FOR:
            continue
        if all(words[name] == len(re.findall(rf"\b{name}\b", one[0])) for name in used if name):
            found.append(Repair(*one.span(), "pass", "bots.repair_idle_import", {"module": module}))
    return found


def _own_modules(names: Mapping[str, str]) -> set[str]:
    """Return the names of modules and packages that were handed in."""
    stems = {posixpath.basename(name).removesuffix(".py") for name in names}
    return stems | {part for name in names for part in posixpath.dirname(name).split("/")}


MODULES = re.compile(r"^(?:import[^\S\n]++(\w[\w.,\t ]*+)|from[^\S\n]++(\w++))", re.MULTILINE)
"""What a line imports that stands in no `try` and in no function."""


def _lacking_modules(name: str, text: str, names: Mapping[str, str]) -> list[Message]:
    """Return notes on modules without which a source ends at once; numba's functions run without it."""
    plain, own, notes = code(text, "python"), _own_modules(names), {}
    left_out = {one.params["module"] for one in _idle_imports(text, names)} if python2_sign(text) is None else None
    for found in MODULES.finditer(plain):
        for part in (found[1] or found[2]).split(","):
            module = part.strip().partition(" ")[0].partition(".")[0]
            params = {"file": name, "line": line_of(plain, found.start()), "module": module}
            if not module or module in own or module in notes or left_out is None or module in left_out:
                continue
            if module in INSTALLED or module in SHOWN or module == "ludus" or _installed(module):
                continue
            if COLAB in (part.strip().partition(" ")[0], f"{module}{plain[found.end() :][:6]}"):
                continue
            if module == "numba":
                notes[module] = Message("bots.repair_plain_python", **params)
            elif f"{module}.py" not in STOOD_IN_FOR:
                notes[module] = Message("bots.module_lacking", **params)
    return list(notes.values())


LUDUS = re.compile(r"^(?:import|from)[^\S\n]++ludus\b", re.MULTILINE)


def imports_ludus(texts: Mapping[str, str]) -> list[Message]:
    """Return a note on the first import of Ludus in programs of a protocol that does without it."""
    for name, text in texts.items():
        if (found := LUDUS.search(code(text, "python"))) and "ludus" not in _own_modules(texts):
            return [Message("bots.ludus_lacking", file=name, line=line_of(text, found.start()))]
    return []


COMMENTED = re.compile(
    r"^([^\S\n]*+)(?:#|//)[^\S\n]*+((?:\[?(?P<name>\w[\w.]*+)[^=\n]{0,20}=[^\n]{0,80}?\binput[^\S\n]*+\(|cin[^\S\n]*+>>[^\S\n]*+"
    r"(?P<read>\w++))[^\n]*+)$",
    re.MULTILINE,
)
"""A line that reads something typed, and is a comment."""
OF_A_PERSON = re.compile(r"oppo|order|first|second", re.IGNORECASE)
READING = re.compile(r"\binput[^\S\n]*+\(|\bcin\b")
NEAR_LINES, NEAR_CHARACTERS = 4, 800
"""Lines around such a comment that say what it reads, or stand in for it."""


def _left_for_tests(text: str, language: str) -> list[Repair]:
    """Find what a course's framework offers for tests: moves of the opponent that are chosen, or a fixed order."""
    if language not in ("python", "cpp"):
        return []
    found, plain = [], code(text, language)
    for one in COMMENTED.finditer(text):
        near = slice(max(0, one.start() - NEAR_CHARACTERS), one.start())
        before = plain[near].split("\n")[-NEAR_LINES:-1]
        after = plain[one.end() + 1 : one.end() + NEAR_CHARACTERS].split("\n")[:NEAR_LINES]
        if not OF_A_PERSON.search("\n".join([*text[near].split("\n")[-NEAR_LINES:], one[2]])):
            continue
        places = [(-1, -len(before) + at) for at, line in enumerate(before) if line.strip()][-1:]
        places += [(1, at) for at, line in enumerate(after) if line.strip()][:1]
        for side, at in places:
            line = (before if side < 0 else after)[at]
            name = re.escape(one["name"] or one["read"])
            if re.match(rf"[^\S\n]*+\[?{name}\b[^=]{{0,20}}=(?!=)", line) and not READING.search(line):
                gone = sum(len(other) + 1 for other in (before[at:] if side < 0 else after[:at]))
                start = (one.start() - gone if side < 0 else one.end() + 1 + gone) + len(line) - len(line.lstrip())
                params = {"text": one[2].strip()[:LONGEST_SIGN]}
                found += [
                    Repair(start, start, {"python": "# ", "cpp": "// "}[language], "", {}),
                    Repair(one.start(), one.end(), one[1] + one[2], "bots.repair_for_tests", params),
                ]
                break
    return found


JAVA_IMPORT = re.compile(r"^[^\S\n]*+import[^\S\n]++(?!javax?\.)((?:\w++\.)++)([A-Z]\w*+)[^\S\n]*+;", re.MULTILINE)


def _idle_java_imports(text: str, texts: Mapping[str, str]) -> list[Repair]:
    """Find imports of classes that were not handed in as sources, and that are not used: javac wants them all."""
    plain = code(text, "java")
    own = {java_package(code(other, "java")) for name, other in texts.items() if name.endswith(".java")}
    return [
        Repair(*one.span(), "", "bots.repair_idle_import", {"module": f"{one[1]}{one[2]}"})
        for one in JAVA_IMPORT.finditer(plain)
        if one[1].replace(".", "/") not in own and len(re.findall(rf"\b{one[2]}\b", plain)) == 1
    ]


STOOD_IN_FOR = ("msvcrt.py", "winsound.py", "colorama.py", "termcolor.py", "pygame.py", "tkinter.py", "numba.py")
OLD_JAVA = re.compile(
    r"^[^\S\n]*+import[^\S\n]++(?:static[^\S\n]++)?"
    r"(javafx\.util\.Pair|jdk\.nashorn\.internal\.objects\.NativeMath)\b",
    re.MULTILINE,
)
"""Classes that came with Java 8, and do not come with Java any more."""


def _old_java(name: str, text: str, names: Mapping[str, str], added: dict[str, str]) -> list[Message]:
    """Add stand-ins for classes that Java had, and return the notes on them."""
    notes = []
    for found in OLD_JAVA.finditer(code(text, "java")):
        place = found[1].replace(".", "/") + ".java"
        own = posixpath.basename(place)
        if place not in added and not any(other.endswith(place) for other in names):
            added[place] = stand_in(f"java/{own}")
            params = {"file": name, "line": line_of(text, found.start()), "name": found[1]}
            notes.append(Message("bots.repair_java", **params))
    return notes


IMPORTED = re.compile(
    r"^[^\S\n]*+(?:import|from)[^\S\n]++(msvcrt|winsound|colorama|termcolor|pygame|tkinter|numba)\b", re.MULTILINE
)
OPENS_WINDOW = re.compile(r"^[^\S\n]*+(?:import|from)[^\S\n]++(pygame|tkinter|Tkinter)\b", re.MULTILINE)
WINDOW = "ludus_window.py"
"""What the stand-ins for these share."""


SHOWN = ("matplotlib", "seaborn", "colorama", "termcolor", "tqdm", "IPython", "prettytable", "tabulate")
"""Libraries that show something to a person; `sitecustomize.py` has the same."""
COLAB = "google.colab"
"""The module of the page on which many notebooks are written: it reaches a drive, or asks for files."""
DISPLAYS = re.compile(
    rf"^[^\S\n]*+(?:import|from)[^\S\n]++({'|'.join(map(re.escape, (*SHOWN, COLAB)))})\b", re.MULTILINE
)


def _shows(text: str, names: Mapping[str, str]) -> re.Match[str] | None:
    """Return where a source imports a library that only shows something, and that was not handed in."""
    own = {name.partition("/")[0].removesuffix(".py") for name in names}
    return next((one for one in DISPLAYS.finditer(code(text, "python")) if one[1] not in own), None)


def _missing_modules(text: str, names: Mapping[str, str]) -> dict[str, str]:
    """Return stand-ins for modules of Windows, and for colours, that a source imports."""
    found = set(IMPORTED.findall(code(text, "python")))
    found = {f"{module}.py" for module in found if f"{module}.py" not in names and not _installed(module)}
    shared = {WINDOW} if found & {"pygame.py", "tkinter.py"} else set()
    return {f"{FOLDER}/{module}": stand_in(module) for module in found | shared}
