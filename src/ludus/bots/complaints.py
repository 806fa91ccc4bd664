"""What a compiler complains about: its log in, one message with file, line and remedy out.

Knows how compilers write, no bots and no files. What it has no words for is quoted as the compiler said it.
"""

from __future__ import annotations

import re

from ludus.messages import Message

PLACE = r"^(?:\./)?(?P<file>[^:]++):(?P<line>\d++):\d++: (?:fatal )?error: "
KNOWN = (
    (
        "protocols.console_window",
        re.compile(
            r"^(?:\./)?(?P<file>[^:]++):(?P<line>\d++): error: package (?P<library>javafx)\b[\w.]*+ does not exist"
        ),
    ),
    (
        "bots.build_lacks_package",
        re.compile(r"^(?:\./)?(?P<file>[^:]++):(?P<line>\d++): error: package (?P<library>[\w.]++) does not exist"),
    ),
    (
        "bots.build_newer_header",
        re.compile(
            PLACE + r"(?P<header>print|format|expected|generator|mdspan|flat_map|flat_set|stacktrace|spanstream|import)"
            r": No such file or directory"
        ),
    ),
    (
        "bots.build_lacks_library",
        re.compile(
            PLACE + r"(?P<header>(?:boost|Eigen|eigen3|opencv2?|SFML|SDL[23]?|GL|GLFW|gtest|absl|fmt|nlohmann|tbb|gtk)"
            r"(?:/[^\s:]++)?+|armadillo|Q[A-Z]\w++"
            r"|(?:n?curses|ncursesw/curses|graphics|raylib|SDL[23]?|allegro|glut)\.h): No such file or directory"
        ),
    ),
    ("bots.build_lacks_header", re.compile(PLACE + r"(?P<header>[^\s:]++): No such file or directory")),
    (
        "bots.build_no_member",
        re.compile(PLACE + r"'(?:class|struct) (?P<type>\w++)' has no member named '(?P<member>\w++)'"),
    ),
)
"""First errors that have a remedy of their own."""
UNCALLABLE = (
    (
        "bots.build_private",
        re.compile(r"error: '[^'\n]*?\b(?P<type>\w++)::(?P<member>\w++)\([^'\n]*+' is private within this context"),
    ),
    ("bots.build_no_constructor", re.compile(r"no matching function for call to '(?:\w++::)*+(?P<type>\w++)\(<brace")),
)
"""What keeps a file of ours from calling what a source defines."""
UNLINKED = (
    (
        "bots.build_needs_curses",
        re.compile(r"undefined reference to `(?P<name>initscr|newterm|stdscr|endwin|wrefresh)'"),
    ),
    ("bots.build_undefined", re.compile(r"undefined reference to `(?P<name>[^'\n]++)'")),
    ("bots.build_defined_twice", re.compile(r"multiple definition of `(?P<name>[^'\n]++)'")),
)
OURS = re.compile(r"^(?:\./)?ludus_\w++\.cpp:")
UNCLOSED = re.compile(r"^(?:\./)?(?P<file>[^:\n]++):(?P<line>\d++):\d++: note: to match this '\{'", re.MULTILINE)
"""What a compiler finds behind a source that ends too early, in the file that includes it."""
LINKER = re.compile(r"error: ld returned")


def complaint(log: str) -> Message | None:
    """Return what a log complains about first; None where it says nothing."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    problem = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else None)
    if problem is None:
        return None
    for code, pattern in KNOWN:
        if found := pattern.search(problem):
            return Message(code, **found.groupdict())
    if OURS.match(problem):
        for code, pattern in (("bots.build_unclosed", UNCLOSED), *UNCALLABLE):
            if found := pattern.search(log):
                return Message(code, **found.groupdict())
    if LINKER.search(problem):
        for code, pattern in UNLINKED:
            if found := pattern.search(log):
                return Message(code, **found.groupdict())
    return Message("bots.build_failed", problem=problem)
