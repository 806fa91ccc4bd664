"""Which of the files that were handed in is the program. Names and texts in, the files that may be it out.

Looks and compares only: nothing is built here. What is no program (tests, old versions, what a build left) is set
aside, but never all of it.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from ludus.bots.languages import HEADERS, language_of
from ludus.bots.reading import code, entry, used_names, uses
from ludus.messages import Message
from ludus.protocols import Source, protocol, protocols

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

BUILD_FOLDERS = re.compile(
    r"build|bin|obj|out|target|dist|debug|release|x64|x86|cmake-build-.*|\..+|nbproject|venv|env|lib|libs|site-packages",
    re.IGNORECASE,
)
"""Folders that tools make."""
OLD_FOLDERS = re.compile(
    r"(?:old|older|backups?|bak|archived?|previous|deprecated|copy|unused|trash)(?:[-_ ].*)?", re.IGNORECASE
)
OLD_NAMES = re.compile(
    r"(?:copy[-_ ]of|old|backup)[-_ ].*|.*[-_ ](?:copy|old|backup|bak|orig|副本)(?:[-_ ]?\(?\d*\)?)?|.*副本",
    re.IGNORECASE,
)
TEST_FOLDERS = re.compile(
    r"(?:unit)?[-_]?tests?|testing|examples?|samples?|docs?|tools|scripts|graders?|opponents?", re.IGNORECASE
)
TEST_NAMES = re.compile(
    r"calibrat(?:e|ion|or)|(?:unit)?[-_]?tests?\d*|tests?[-_].*|.*[-_]tests?\d*|.*Tests?|conftest|setup|"
    r"(?:test|case|board|input)?[-_]?gen(?:erator|erate)?(?:[-_].*)?|generate[-_]?\w*|"
    r"(?:play|run)?[-_]?(?:games?)?[-_]?(?:master|referee|judge|runner|harness|grader|arena|simulat(?:e|or))"
)
"""Programs that come with one: they measure the machine, try the program, or let two of them play."""
OPPONENTS = re.compile(
    r"(?:random|dummy|human|naive|baseline|opponents?|enemy|rival)"
    r"(?:$|[-_ \d].*|(?:player|agent|bot|ai|moves?).*)|.*[-_ ](?:random|opponent|human|dummy)",
    re.IGNORECASE,
)
"""Programs that students write to try theirs against."""
STARTS = re.compile(
    r"\bsubprocess\s*\.|\bos\s*\.\s*(?:system|popen|exec\w++|spawn\w++)\b|\bgetRuntime\s*\(\s*\)\s*\.\s*exec\b"
    r"|\bProcessBuilder\b|\bp?open2?3?\s*\(\s*\"(?:\./|python|java)|\bsystem\s*\(\s*\"(?:\./|python|java)|\bchild_process\b"
)
"""What starts another program."""
PIPES = re.compile(
    r"\bPIPE\b|\bcommunicate\s*\(|\bstdin\s*=|\bcapture_output\b|\bcheck_output\b|\bpopen\b|getOutputStream|\.stdin\b"
)
"""What talks to it: a program that does so lets others play, and is no menu for a person."""
CONVENTIONAL = (re.compile(r"homework\d*", re.IGNORECASE), re.compile(r"main|bot|__main__", re.IGNORECASE))
VERSION = re.compile(r"(.*?)[-_ ]?\(?(?:v|ver|version)?[-_. ]?(\d{1,4})\)?", re.IGNORECASE)
MOST_READ = 200
"""Sources that are looked at; a submission with more of them is a library."""
LARGEST_READ = 1 << 20


class Program(NamedTuple):
    """What may be the program: one file, or those that cannot be told apart."""

    names: tuple[str, ...]
    why: Message | None = None
    """Why this one, where others could have been it as well."""


def is_aside(name: str) -> bool:
    """Return whether a file is, by its name and folders, no part of the program: a test, an old version, a build's."""
    *folders, own = PurePosixPath(name).parts
    stem = PurePosixPath(own).stem
    return (
        own.startswith("._")
        or any(one.fullmatch(folder) for folder in folders for one in (BUILD_FOLDERS, OLD_FOLDERS, TEST_FOLDERS))
        or bool(OLD_NAMES.fullmatch(stem) or TEST_NAMES.fullmatch(stem))
    )


def find_program(
    texts: Mapping[str, str], speech: str | None = None, wanted: Iterable[str] = (), languages: Iterable[str] = ()
) -> Program:
    """Choose among sources by names, by what they define and by who uses whom; each step keeps what passes it.

    `speech` is the protocol that is asked for, `wanted` holds patterns of the names that a course prescribes.
    """
    prescribed = [re.compile(pattern, re.IGNORECASE) for pattern in wanted]
    looked = _Looked(texts, speech)
    left = looked.names
    allowed = set(languages)
    steps: list[tuple[str, Callable[[str], bool]]] = [
        ("language", lambda name: not allowed or looked.language(name) in allowed),
        ("prescribed", lambda name: named(name, prescribed)),
        ("aside", lambda name: not is_aside(name)),
        ("harness", lambda name: not looked.is_harness(name)),
        ("interface", looked.is_asked_for),
        ("homework", lambda name: named(name, CONVENTIONAL[:1])),
        ("opponent", lambda name: not OPPONENTS.fullmatch(PurePosixPath(name).stem)),
        ("main", lambda name: looked.begins(name) == 2),
        ("main", lambda name: looked.begins(name) > 0),
        ("unused", lambda name: not any(looked.uses(other, name) for other in looked.names)),
        ("called", lambda name: named(name, CONVENTIONAL[1:])),
        ("version", lambda name: not any(_newer(other, name) for other in looked.names)),
        ("top", lambda name: "/" not in name),
    ]
    why: Message | None = None
    for step, passes in steps:
        kept = [name for name in left if passes(name)]
        if kept and len(kept) < len(left):
            if step not in SILENT and sum(looked.begins(name) > 0 for name in left) > 1:
                why = Message(f"bots.why_{step}")
            left = kept
    if len({texts[name] for name in left}) == 1:  # the same file twice
        left = left[:1]
    plain = all(named(name, (*prescribed, CONVENTIONAL[0])) for name in left)
    return Program(tuple(left), None if plain else why)


def named(name: str, patterns: Iterable[re.Pattern[str]]) -> bool:
    """Return whether a file has one of the names, whatever its ending."""
    stem = PurePosixPath(name).stem
    return any(pattern.fullmatch(stem) for pattern in patterns)


SILENT = ("language", "prescribed", "homework", "interface")
"""Steps by which the choice is plain to anybody who reads the assignment."""


class _Looked:
    """Sources as the steps see them, each looked at once."""

    def __init__(self, texts: Mapping[str, str], speech: str | None) -> None:
        names = [name for name in texts if language_of(name) and len(texts[name]) <= LARGEST_READ][:MOST_READ]
        self._speeches = [protocol(one) for one in ([speech] if speech else protocols())]
        self._texts = texts
        self._languages = {name: _language(name) for name in names}
        self._entries = {name: entry(code(texts[name], kind), kind) for name, kind in self._languages.items()}
        self._used = {name: used_names(texts[name], kind) for name, kind in self._languages.items()}
        self._signs = {name: self._is_asked_for(name) for name in names}
        self.names = [name for name in names if self._signs[name] or PurePosixPath(name).suffix.lower() not in HEADERS]

    def language(self, name: str) -> str:
        return self._languages[name]

    def begins(self, name: str) -> int:
        return 2 if self._signs[name] else self._entries[name]

    def is_asked_for(self, name: str) -> bool:
        return self._signs[name]

    def uses(self, user: str, used: str) -> bool:
        """Return whether a file uses another; a test of it does not count."""
        both = {self._languages[user], self._languages[used]}
        same = len(both) == 1 or both <= {"c", "cpp"}
        return same and not is_aside(user) and uses(user, used, self._used, self._languages[user])

    def is_harness(self, name: str) -> bool:
        """Return whether a file starts one of the other files, to let it play; a person's menu of them does not."""
        plain = code(self._texts[name], self._languages[name], texts=True)
        source = Source(name, self._languages[name], self._texts[name])
        writes_files = any(speech.exchanged and speech.sign(source) for speech in self._speeches)
        if not STARTS.search(plain) or (self._signs[name] and not writes_files and not PIPES.search(plain)):
            return False
        words = set(re.findall(r"\w++", plain))
        return any(PurePosixPath(other).stem in words for other in self.names if other != name)

    def _is_asked_for(self, name: str) -> bool:
        """Return whether a source defines what a protocol asks for; a harness that calls it does not."""
        source = Source(name, self._languages[name], self._texts[name])
        for speech in self._speeches:
            if speech.sign(source):
                if speech.calls_bot:
                    return source.language not in ("c", "cpp") or not self._entries[name]
                return self._entries[name] > 0
        return False


def _language(name: str) -> str:
    kind = language_of(name)
    assert kind is not None
    return kind.name


def _newer(other: str, name: str) -> bool:
    """Return whether a file is a newer version of another: bot_v2 of bot_v1, or bot of bot_v1."""
    one, two = PurePosixPath(other), PurePosixPath(name)
    if one == two or one.suffix != two.suffix or one.parent != two.parent:
        return False
    old = VERSION.fullmatch(two.stem)
    if old is None or not old[1]:
        return False
    new = VERSION.fullmatch(one.stem)
    if new is not None and new[1]:
        return new[1].lower() == old[1].lower() and int(new[2]) > int(old[2])
    return one.stem.lower() == old[1].lower()


def explained(program: Program, main: str) -> Message | None:
    """Return the note that says why a file was taken, where that was not plain."""
    return Message("bots.program_taken", main=main, why=program.why) if program.why else None
