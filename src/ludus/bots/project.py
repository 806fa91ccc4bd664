"""A bot's files as they are built: repaired, where compilers look for them, and with what is compiled along.

Works on names and texts in memory; what was handed in stays as it is.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from ludus.bots.exchanged import (
    CALIBRATION,
    MILLISECONDS,
    mentioned,
    other_files,
    prints_only,
    reached,
    renamed,
    time_note,
    told_more,
    unmade_calibration,
    waits_for_typing,
    way_in,
)
from ludus.bots.languages import HEADERS, PROGRAM, Language, Sources, language_of
from ludus.bots.program import LARGEST_READ, is_aside
from ludus.bots.reading import code, decoded, entry, used_names
from ludus.bots.repair import CONVERTER, FOLDER, Repaired, imports_ludus, repaired
from ludus.bots.source import File
from ludus.messages import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ludus.protocols import BotProtocol

LARGEST_COPY = 4 << 20
"""A data file beside the main file that is put where the program is started, too."""
MOST_SOURCE = 8 << 20
"""Bytes of sources that are looked at; the rest, libraries mostly, is built as it is."""
CALIBRATE = re.compile(r"calibrat(?:e|ion|or)\.\w+", re.IGNORECASE)
"""The program beside a bot that measures the machine."""
CALIBRATION_PROGRAM = "ludus_calibrate"
CODING = re.compile(r"(coding[:=][ \t]*+)[-\w.]+")


class Ready(NamedTuple):
    """What is built."""

    files: dict[str, File]
    sources: Sources
    notes: list[Message]
    run: tuple[str, ...]
    python_path: str = ""
    """Where Python looks for modules, beside the folder of the main file."""
    names: Mapping[str, str] = {}
    """Files that the program calls by another name: that name, and the one that the course has."""
    calibrate: str = ""
    """The command that measures the machine."""
    calibrate_build: str = ""
    """The command that builds that program, after the bot's own build."""


class Allowed(NamedTuple):
    """What a program may do otherwise than its protocol says."""

    files: Mapping[str, str] = {}
    """Files that it may call by another name: that name, and the one that the course has."""
    other_files: bool = False
    """Whether it may call them by any name, where only one can be meant."""
    time: str = "seconds"
    """What it is told the time left in."""


class Project:
    """Files that were handed in, with the texts of the sources among them."""

    def __init__(self, files: Mapping[str, File], texts: dict[str, str], encodings: dict[str, str]) -> None:
        self.files = files
        self.texts = texts
        """Sources by name, without a byte order mark."""
        self._encodings = encodings

    @classmethod
    def read(cls, files: Mapping[str, File]) -> Project:
        """Read the sources among files."""
        texts, encodings, left = {}, {}, MOST_SOURCE
        sources = [name for name in files if language_of(name) is not None]
        for name in sorted(sources, key=lambda name: (is_aside(name), name.count("/"), name)):
            size = len(files[name].data)
            if size <= min(LARGEST_READ, left):
                left -= size
                texts[name], encodings[name] = decoded(files[name].data)
        return cls(files, texts, encodings)

    def all_texts(self, language: str) -> str:
        """Return the texts of all sources of a language that belong to the program."""
        return "\n".join(text for name, text in self.texts.items() if _is_of(name, language) and not is_aside(name))

    def ready(self, main: str, kind: Language, allowed: Allowed, speech: BotProtocol, memory_mb: int) -> Ready:
        """Return the files to build. A protocol that calls the bot says itself what is compiled."""
        measures = self._calibrating(main) if speech.exchanged else None
        done, names, naming = self._with_names(main, kind, allowed, speech, calibrated=measures is not None)
        files = {name: self._file(name, done.texts) for name in self.files}
        notes = [
            Message("bots.repair_encoding", file=name, encoding=encoding)
            for name, encoding in self._encodings.items()
            if encoding and not is_aside(name)
        ]
        if main not in self.texts:
            executable = kind.name == "executable"
            files[main] = File(files[main].data, executable=executable or files[main].executable)
        staged = main
        if kind.name == "java":
            files, staged = _by_package(files, done.texts, main, kind)
        files |= _beside(files, main)
        files |= {name: File(text.encode()) for name, text in done.added.items()}
        sources = Sources(staged, first=done.first if kind.name in ("c", "cpp") else "")
        if kind.name in ("c", "cpp"):
            sources = _compiled_along(sources, main, done, kind, along=not speech.calls_bot)
        elif kind.name in ("java", "csharp"):
            others = [name for name in files if _is_of(name, kind.name) and name != staged and not is_aside(name)]
            if kind.name == "csharp":
                others = [name for name in others if not entry(code(done.texts.get(name, ""), "csharp"), "csharp")]
            sources = sources._replace(more=tuple(others))
        elif kind.name == "python" and done.python2:
            sources = sources._replace(needed=done.python2, converter=f"{FOLDER}/{CONVERTER}")
        own_modules = any(name.startswith(FOLDER) and name.endswith(".py") for name in done.added)
        path = f".:{FOLDER}" if kind.name == "python" and ("/" in main or own_modules) else ""
        own = {name: text for name, text in done.texts.items() if _is_of(name, kind.name) and not is_aside(name)}
        used = mentioned(own, main) if kind.name in ("java", "python") and not speech.calls_bot else self.texts
        left = own.keys() - used.keys()  # a student need not mend what the program does without
        about = [(note, note.params.get("file", main)) for note in (*done.notes, *naming)]
        notes += [note for note, file in about if not is_aside(file) and file not in left]
        way = way_in(kind.run(staged, memory_mb), own, speech.exchanged)
        if speech.exchanged and not any(note.code in ("bots.told_files", "bots.reads_console") for note in way.notes):
            notes += told_more(reached(own, main))
            notes += waits_for_typing(reached(own, main), speech.exchanged[0])
        notes += [*way.notes, *(time_note(own) if speech.exchanged and allowed.time != MILLISECONDS else ())]
        if kind.name == "python" and not speech.needs_ludus:
            notes += imports_ludus(reached(own, main))
        if speech.exchanged and measures is None:
            notes += unmade_calibration(reached(own, main), self.files)
        ready = Ready(files, sources, notes, way.run, path, names)
        return ready if measures is None else _measuring(ready, measures, main, done, memory_mb)

    def _with_names(
        self, main: str, kind: Language, allowed: Allowed, speech: BotProtocol, *, calibrated: bool
    ) -> tuple[Repaired, dict[str, str], list[Message]]:
        """Return the repaired sources with the course's names for files, those names, and notes on others."""
        done = repaired(self.texts, main)
        names = dict(allowed.files)
        texts, notes = renamed(done.texts, names)
        own = {name: text for name, text in texts.items() if _is_of(name, kind.name) and not is_aside(name)}
        others = other_files(reached(own, main), speech.exchanged, self.files, calibrated=calibrated)
        if allowed.other_files:
            more = {other.path: other.name for other in others}
            texts, noted = renamed(texts, more)
            names, notes = names | more, notes + noted
        else:
            notes += [other.note for other in others]
        return done._replace(texts=texts), names, notes

    def _calibrating(self, main: str) -> str | None:
        """Return the program that measures the machine: of several, that beside the main file, in its language."""
        folder, ending = PurePosixPath(main).parent, PurePosixPath(main).suffix
        found = []
        for name, text in self.texts.items():
            path, spoken = PurePosixPath(name), language_of(name)
            if CALIBRATE.fullmatch(path.name) and spoken and name != main and not is_aside(f"{path.parent}/x"):
                begins = path.stem.lower() == "calibrate" or entry(code(text, spoken.name), spoken.name)
                found += [name] if begins else []
        order = lambda name: (PurePosixPath(name).parent != folder, PurePosixPath(name).suffix != ending, name)  # noqa: E731
        return min(found, key=order, default=None)

    def _file(self, name: str, texts: Mapping[str, str]) -> File:
        """Return a file as it is built: a source in UTF-8 and without a byte order mark, another one as it is."""
        file = self.files[name]
        if name not in texts:
            return file
        text = texts[name]
        if self._encodings[name] and name.lower().endswith((".py", ".pyw")):
            head, mark, rest = text.partition("\n")
            second, mark2, rest = rest.partition("\n")
            text = CODING.sub(r"\1utf-8", head) + mark + CODING.sub(r"\1utf-8", second) + mark2 + rest
        return File(text.encode(errors="replace"), file.executable)


def _measuring(ready: Ready, name: str, main: str, done: Repaired, memory_mb: int) -> Ready:
    """Add the program that measures the machine. If it cannot be built, the bot is played without it."""
    kind, text = language_of(name), done.texts[name]
    assert kind is not None
    sources = Sources(name)
    if kind.name in ("c", "cpp"):
        sources = _compiled_along(sources._replace(first=done.first), name, done, kind, along=True)
    run = kind.run(kind.stage(name, text), memory_mb)
    command = " ".join(run) + (f" >{CALIBRATION}" if prints_only(text, kind.name) else "")
    build = kind.build(sources) or "true"
    build, command = (one.replace(PROGRAM, CALIBRATION_PROGRAM) for one in (build, command))
    told = f"echo 'ludus-build: unmeasured {PurePosixPath(name).name}' >&2"
    files = ready.files | _under_the_prescribed_name(text, main, done.texts, kind)
    return ready._replace(files=files, calibrate=command, calibrate_build=f"{{ {build} || {told}; }}")


PRESCRIBED = re.compile(r"\bhomework\d*+\b")


def _under_the_prescribed_name(text: str, main: str, texts: Mapping[str, str], kind: Language) -> dict[str, File]:
    """Return a stand-in for the name that the course prescribes, where the program that is called so has another."""
    found = PRESCRIBED.search(code(text, kind.name))
    if found is None or not _is_of(main, kind.name) or kind.name not in ("java", "python"):
        return {}
    name, own = found[0], PurePosixPath(kind.stage(main, texts[main])).with_suffix("")
    if any(PurePosixPath(kind.stage(other, texts[other])).stem == name for other in texts if _is_of(other, kind.name)):
        return {}
    if kind.name == "python":
        module = ".".join(own.parts)
        return {f"{name}.py": File(f"import sys\nimport {module} as own\nsys.modules[__name__] = own\n".encode())}
    return {f"{name}.java": File(f"public class {name} extends {own} {{}}\n".encode())} if len(own.parts) == 1 else {}


def _is_of(name: str, language: str) -> bool:
    kind = language_of(name)
    return kind is not None and kind.name == language


def _by_package(
    files: Mapping[str, File], texts: Mapping[str, str], main: str, kind: Language
) -> tuple[dict[str, File], str]:
    """Put Java sources where their packages say, whatever folders they were handed in; the main file comes first.

    Libraries go where the class path finds them.
    """
    sources = [name for name in files if name in texts and _is_of(name, "java")]
    sources.sort(key=lambda name: (name != main, is_aside(name), name.count("/"), name))
    made = {name: file for name, file in files.items() if name not in sources}
    made |= {posixpath.basename(name): file for name, file in made.items() if name.lower().endswith(".jar")}
    staged = {}
    for name in sources:
        place = kind.stage(name, texts[name])
        staged[name] = place
        made.setdefault(place if name == main or not is_aside(name) else name, files[name])
    return made, staged[main]


def _beside(files: Mapping[str, File], main: str) -> dict[str, File]:
    """Return copies of the data files around a main file in a folder: it is started in the topmost folder."""
    found: dict[str, File] = {}
    for folder in map(str, PurePosixPath(main).parents):
        for name, file in files.items():
            own = posixpath.basename(name)
            data = language_of(name) is None and len(file.data) <= LARGEST_COPY
            if folder != "." and posixpath.dirname(name) == folder and data and own not in files:
                found.setdefault(own, file)
    return found


def _compiled_along(sources: Sources, main: str, done: Repaired, kind: Language, *, along: bool) -> Sources:
    """Add the sources that are compiled along, and the folders in which headers are."""
    headers = [name for name in done.texts if PurePosixPath(name).suffix.lower() in HEADERS]
    folders = sorted({posixpath.dirname(name) or "." for name in headers if not is_aside(name)})
    folders += [FOLDER] if any(name.endswith(".h") for name in done.added) else []
    sources = sources._replace(folders=tuple(folders))
    if not along:
        return sources
    kinds = ("c",) if kind.name == "c" else ("c", "cpp")
    used = {
        name: used_names(text, "cpp") for name, text in done.texts.items() if _is_of(name, "c") or _is_of(name, "cpp")
    }
    included = set().union(*used.values())
    others = [
        name
        for name in used
        if name not in (main, *headers)
        and any(_is_of(name, one) for one in kinds)
        and not is_aside(name)
        and PurePosixPath(name).name.lower() not in included
        and not entry(code(done.texts[name], "cpp"), "cpp")
    ]
    return sources._replace(needed=tuple(_needed(main, others, used)), more=tuple(others))


def _needed(main: str, others: Iterable[str], used: Mapping[str, set[str]]) -> list[str]:
    """Return the sources whose headers the main file includes, and so on."""
    by_name = {PurePosixPath(name).name.lower(): name for name in used}
    by_stem = {PurePosixPath(name).stem.lower(): name for name in others}
    found: list[str] = []
    waiting, seen = [main], {main}
    while waiting:
        for header in sorted(used[waiting.pop()]):
            for name in (by_name.get(header), by_stem.get(PurePosixPath(header).stem)):
                if name is not None and name not in seen:
                    seen.add(name)
                    waiting.append(name)
                    found += [name] if name in by_stem.values() else []
    return found
