"""Why a program cannot be played at a terminal: what its screens showed, and the lines of its sources that tell it.

Pure: sources and screens in, a message out. Each names the place and the remedy, as far as they can be told.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ludus.bots.languages import language_of
from ludus.bots.reading import code, line_of
from ludus.messages import Message

if TYPE_CHECKING:
    from collections.abc import Mapping

WINDOWS = {
    "python": re.compile(
        r"^[^\S\n]*+(?:import|from)[^\S\n]++(customtkinter|turtle|kivy|wx|arcade|easygui"
        r"|PyQt\d|PySide\d)\b",
        re.MULTILINE,
    ),
    "java": re.compile(r"^[^\S\n]*+import[^\S\n]++(javax\.swing|java\.awt|javafx)\b", re.MULTILINE),
    "csharp": re.compile(r"^[^\S\n]*+using[^\S\n]++(System\.Windows|System\.Drawing|UnityEngine)\b", re.MULTILINE),
    "cpp": re.compile(
        r"^[^\S\n]*+#[^\S\n]*+include[^\S\n]*+<(SDL\d?|SFML|GL|graphics\.h|QApplication|gtk)\b", re.MULTILINE
    ),
    "javascript": re.compile(r"\b(document\.getElementById|document\.querySelector|addEventListener)\b"),
}
"""What opens a window, by language."""


def window(sources: Mapping[str, str]) -> Message | None:
    """Return where a program opens a window; None where nothing speaks for one."""
    for name, text in sources.items():
        kind = language_of(name)
        language = "cpp" if kind and kind.name == "c" else kind.name if kind else ""
        found = WINDOWS[language].search(code(text, language)) if language in WINDOWS else None
        if found:
            params = {"file": name, "line": line_of(text, found.start(1)), "library": found[1]}
            return Message("protocols.console_window", **params)
    return None


COMMENTED = re.compile(
    r"^[^\S\n]*+(?:#|//)[^\n]*?(?:\binput\s?\(|\bcin\s?>>|\bscanf\s?\(|\.next(?:Int|Line)?\(\))[^\n]*+$", re.MULTILINE
)
"""A line that would read the other's move, and is a comment."""
SHUFFLES = re.compile(r"\b(?:random\.shuffle|random_shuffle|shuffle|random\.randint|random\.choice|rand)\s?\(")
"""What makes a random board."""
BOARD = re.compile(r"board|tile|grid|\btmp\b|\btemp\b|column", re.IGNORECASE)


def plays_alone(sources: Mapping[str, str]) -> Message:
    """Return that a program never waits for the other's moves, with the line that would read them."""
    for name, text in sources.items():
        for found in reversed([*COMMENTED.finditer(text)]):  # the last one reads the other's move, in the course's file
            line = found[0].strip()
            return Message("protocols.console_alone_line", file=name, line=line_of(text, found.start()), text=line[:80])
    return Message("protocols.console_alone")


def own_board(sources: Mapping[str, str]) -> Message:
    """Return why a program with a board of its own cannot be played, with the line that makes the board."""
    for name, text in sources.items():
        kind = language_of(name)
        plain = code(text, kind.name) if kind else text
        for found in SHUFFLES.finditer(plain):
            start = plain.rfind("\n", 0, found.start()) + 1
            line = plain[start : plain.find("\n", found.start())]
            if BOARD.search(line):
                return Message("protocols.console_own_board_line", file=name, line=line_of(text, found.start()))
    return Message("protocols.console_own_board")


MODULE = re.compile(r"No module named '([\w.]{1,80})'")
NO_SCREEN = re.compile(
    r"HeadlessException|no display name|\$DISPLAY|cannot connect to X|No available video device|TclError"
)
PLACE = re.compile(r"File \"(?:/play/|/bot/)?([^\"\n]{1,200})\", line (\d{1,6})")
PYTHON_ERROR = re.compile(r"^(\w[\w.]{0,80}(?:Error|Exception|Interrupt|Exit)(?::[^\n]{0,200})?)\s*$", re.MULTILINE)
JAVA_ERROR = re.compile(r"^Exception in thread \"[^\"\n]{0,80}\" ([\w.$]{1,120}(?::[^\n]{0,200})?)\s*$", re.MULTILINE)
JAVA_PLACE = re.compile(r"^\s+at [\w.$<>/]{1,200}\((\w{1,100}\.java):(\d{1,6})\)", re.MULTILINE)
UNREADABLE = re.compile(r"ValueError|NumberFormat|InputMismatch|NoSuchElement|StringIndex|EOFError")
"""Errors of programs that cannot read what was typed."""
OF_ANSWER = re.compile(rf"{UNREADABLE.pattern}|KeyError|AssertionError")
"""Those that a wrong answer may cause."""
OF_INPUT = re.compile(rf"{OF_ANSWER.pattern}|IndexError|StopIteration|OutOfBounds")
"""Errors that a wrong input may cause, so that they say little of a program that is being tried."""


NOTHING, ANSWERS, MOVES = range(3)
"""What was typed before a program ended: nothing, answers to its questions, or moves as well."""


def crash(text: str, typed: int) -> Message | None:
    """Return the error that ended a program, with its place; None where what was typed may have caused it."""
    if (missing := MODULE.search(text)) is not None:
        return Message("protocols.console_module", module=missing[1])
    errors = PYTHON_ERROR.findall(text) or JAVA_ERROR.findall(text)
    if not errors or (typed and (OF_ANSWER if typed == ANSWERS else OF_INPUT).search(errors[-1])):
        return None
    places = PLACE.findall(text)
    place = places[-1] if places else next(iter(JAVA_PLACE.findall(text)), None)
    if place is None:
        return Message("protocols.console_crash", error=errors[-1])
    return Message("protocols.console_crash_line", error=errors[-1], file=place[0], line=int(place[1]))


def cannot_read(text: str) -> bool:
    """Return whether a program ended because it could not read what was typed."""
    errors = PYTHON_ERROR.findall(text) or JAVA_ERROR.findall(text)
    return bool(errors and UNREADABLE.search(errors[-1]))


def wanted_number(text: str, line: str) -> bool:
    """Return whether a program ended because a typed line was not one number."""
    errors = PYTHON_ERROR.findall(text) or JAVA_ERROR.findall(text)
    return bool(errors) and (f"int() with base 10: '{line}'" in errors[-1] or f'input string: "{line}"' in errors[-1])


def no_screen(text: str) -> bool:
    """Return whether a program failed because it wanted a window."""
    return bool(NO_SCREEN.search(text))
