"""Which files a program reads and writes, where those are not the files that are exchanged with it: other names, the
console, names that it is told when it starts, and time in another unit.

Texts in, names and notes out. Pure and linear; nothing is run here, and what a course allows is not known here.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from ludus.bots.languages import language_of
from ludus.bots.reading import code, line_of, quoted_texts
from ludus.messages import Message

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

CALIBRATION = "calibration.txt"
MILLISECONDS = "milliseconds"
DATA_FILE = re.compile(r"[\w ./\\:-]{1,100}\.(?:txt|in|out|dat|csv)", re.IGNORECASE)
PLAIN_NAME = re.compile(r"(?:in|inp|input|test|testcases?|out|output)\d{0,3}", re.IGNORECASE)
"""Names without an ending that are a file's where a file is opened."""
OPENS = re.compile(
    r"(?:\b(?:open|fopen|File|FileReader|FileWriter|PrintWriter|ifstream|ofstream|fstream|get)\b|\.open)\W{0,3}$"
)
WRITES = re.compile(r"out|writ|ofstream|\bop\d|result|solution|[\"']w", re.IGNORECASE)
"""What a line shows in which a file is named that is written."""
INPUT = re.compile(r"in(?:p|put)?(?![a-z])|test|case|tc\d|board|game", re.IGNORECASE)
CALIBRATES = re.compile(r"calib", re.IGNORECASE)
NEAR = 200
"""Characters around a quoted text that are looked at."""
MOST_NAMED = 200
MOST_NOTES = 12


class OtherFile(NamedTuple):
    """A file that a program names, and the file that is exchanged under another name."""

    file: str
    line: int
    path: str
    name: str

    @property
    def note(self) -> Message:
        """The note that says what to do."""
        return Message("bots.other_file", **self._asdict())


class _Named(NamedTuple):
    """A quoted text that may be a file's name, with the line that it is in."""

    file: str
    start: int
    path: str
    around: str

    @property
    def writes(self) -> bool:
        """Whether it is the name of a file that is written: by the name itself, or else by its line."""
        own = PurePosixPath(self.path.replace("\\", "/")).name
        return bool(WRITES.search(own)) or (not INPUT.match(own) and bool(WRITES.search(self.around)))

    @property
    def opens_for_writing(self) -> bool:
        """Whether its line writes it, whatever the name says."""
        return bool(WRITES.search(self.around))


def other_files(
    texts: Mapping[str, str], exchanged: Sequence[str], beside: Collection[str], *, calibrated: bool
) -> list[OtherFile]:
    """Return the files that sources name where none names the one that is exchanged, if only one can be meant.

    `beside` are the files that were handed in. With `calibrated` there is a program that measures the machine.
    """
    own = [one for name, text in texts.items() for one in _named(name, text)]
    known = {PurePosixPath(one.path.replace("\\", "/")).name for one in own}
    found = []
    for name in exchanged:
        if name not in known:
            writes = name == exchanged[-1]
            fit = [
                one
                for one in own
                if one.path not in (*exchanged, CALIBRATION)
                and not CALIBRATES.search(one.path)
                and one.writes == writes
            ]
            found += [(fit, name)]
    if calibrated and CALIBRATION not in known:
        fit = [one for one in own if CALIBRATES.search(one.path) and one.path not in beside]
        found += [(fit, CALIBRATION)]
    return [
        OtherFile(fit[0].file, line_of(texts[fit[0].file], fit[0].start), fit[0].path, name)
        for fit, name in found
        if len({one.path for one in fit}) == 1
    ]


def unmade_calibration(texts: Mapping[str, str], beside: Collection[str]) -> list[Message]:
    """Return the note on a program that reads a measurement which nothing that was handed in makes."""
    named = [one for name, text in texts.items() for one in _named(name, text) if one.path == CALIBRATION]
    if not named or any(PurePosixPath(name).name == CALIBRATION for name in beside):
        return []
    if any(one.opens_for_writing for one in named):
        return []
    first = named[0]
    line = line_of(texts[first.file], first.start)
    return [Message("bots.unmade_calibration", file=first.file, line=line, name=CALIBRATION)]


WORD = re.compile(r"\w++")


def reached(texts: Mapping[str, str], main: str) -> dict[str, str]:
    """Return the sources that belong to the main file; all of them where none of those names a file.

    They may belong together without a word of each other.
    """
    found = mentioned(texts, main)
    return found if any(next(_named(name, text), None) for name, text in found.items()) else dict(texts)


def mentioned(texts: Mapping[str, str], main: str) -> dict[str, str]:
    """Return the main file and the sources that it mentions by name, and those mention: modules, classes, headers."""
    stems: dict[str, list[str]] = {}
    for name in texts:
        stems.setdefault(PurePosixPath(name).stem, []).append(name)
    found, waiting = {main: texts[main]} if main in texts else {}, [main]
    while waiting and found:
        for word in {*WORD.findall(texts[waiting.pop()])} & stems.keys():
            new = [name for name in stems[word] if name not in found]
            found |= {name: texts[name] for name in new}
            waiting += new
    return found


def _named(name: str, text: str) -> Iterator[_Named]:
    """Yield the quoted texts that may be names of files."""
    kind = language_of(name)
    plain = code(text, kind.name, texts=True) if kind else ""
    left = MOST_NAMED
    for literal in quoted_texts(plain):
        inner, start = literal[2], literal.start()
        before = plain[max(0, start - NEAR) : start].rpartition("\n")[2]
        if DATA_FILE.fullmatch(inner) or (PLAIN_NAME.fullmatch(inner) and OPENS.search(before)):
            yield _Named(name, start, inner, before + plain[start : start + NEAR].partition("\n")[0])
            left -= 1
            if not left:
                return


def renamed(texts: Mapping[str, str], names: Mapping[str, str]) -> tuple[dict[str, str], list[Message]]:
    """Return sources that use the course's names instead of others, and a note on each."""
    made = dict(texts)
    notes: list[Message] = []
    for name, text in texts.items() if names else ():
        kind = language_of(name)
        parts, at = [], 0
        for literal in quoted_texts(code(text, kind.name, texts=True)) if kind else ():
            inner = literal[2]
            if inner in names:
                parts += [text[at : literal.start() + 1], names[inner]]
                at = literal.end() - 1
                if len(notes) < MOST_NOTES:
                    params = {"file": name, "line": line_of(text, literal.start()), "path": inner, "name": names[inner]}
                    notes.append(Message("bots.repair_name", **params))
        made[name] = "".join([*parts, text[at:]])
    return made, notes


ASSIGNED = re.compile(r"([^\n=;]{1,120}+)=(?!=)([^\n;]{1,160}+)")
MILLIS = re.compile(r"(?:[mM]illi(?:s|sec|seconds)?|_ms|[a-z]Ms)\s*$")
NUMBER_READ = re.compile(
    r"parse\w{3,6}\(|next\w{0,8}\(|\b(?:int|float|long|atof|atoi|atol|stod|stof|stol|stoi)\s?\(|read[lL]ine"
)


def time_note(texts: Mapping[str, str]) -> list[Message]:
    """Return the note on a program that seems to read the time left in milliseconds."""
    for name, text in texts.items():
        kind = language_of(name)
        for found in ASSIGNED.finditer(code(text, kind.name)) if kind else ():
            if MILLIS.search(found[1]) and NUMBER_READ.search(found[2]) and "1000" not in found[2]:
                sign = " ".join(found[0].split())[:60]
                return [Message("bots.time_in_milliseconds", file=name, line=line_of(text, found.start()), sign=sign)]
    return []


def prints_only(text: str, language: str) -> bool:
    """Return whether a program prints what it has to say, and writes no file."""
    plain = code(text, language)
    opened = OPENED.findall(code(text, language, texts=True))
    writes = WRITES_FILE.search(plain) or any(WRITE_MODE.search(call) for call in opened)
    return not writes and PRINTS.search(plain) is not None


READS_FILE = re.compile(
    r"\b(?:FileReader|StreamReader|FileInputStream|ifstream|fstream|f?open|freopen|readFile\w*|Files|File)\s?[(.\w]"
)
WRITES_FILE = re.compile(
    r"\b(?:FileWriter|StreamWriter|PrintWriter|FileOutputStream|ofstream|fstream|freopen|writeFile\w*|Files|write_text|savetxt)\s?[(.\w]"
)
OPENED = re.compile(r"\bf?open\s?\([^\n]{0,200}")
WRITE_MODE = re.compile(r"[\"'](?:[wax]|r\+)|\bmode\b")
READS_CONSOLE = re.compile(
    r"\bSystem\.in\b|\bcin\b|\bscanf\b|\bsys\.stdin\b|(?<![\w.])(?:raw_)?input\(|\bprocess\.stdin\b|\bConsole\.Read"
)
PRINTS = re.compile(
    r"\bSystem\.out\b|\bcout\b|\bprintf\b|\bputs\b|(?<![\w.])print\b|\bsys\.stdout\b|\bconsole\.log\b|\bConsole\.Write"
)
TOLD = re.compile(r"\bargv\[([12])\]|\bargs?\[([01])\]|\bprocess\.argv\[([23])\]")
"""The first argument of a program, or the second."""
FIRST = ("1", "0", "2")
"""How the first is counted in each of these ways."""
COUNTED = re.compile(r"\blen\s?\(\s?(?:sys\.)?argv|\bargc\b[^,){;]*[<>=]|\bargs?\.length\b|\bargv\.length\b")
"""A program that looks how many arguments there are."""
DECLARED = re.compile(r"\badd_argument\(\s?[\"']([\w-]{1,40})[\"'](?:,\s?[\"'](--?[\w-]{1,40})[\"'])?")
"""An argument that Python's argparse is told: with a dash in front it has a name, otherwise a place."""


class Way(NamedTuple):
    """How a program is started so that it finds its files."""

    run: tuple[str, ...]
    notes: tuple[Message, ...] = ()


def way_in(run: Sequence[str], texts: Mapping[str, str], exchanged: Sequence[str]) -> Way:
    """Return how a program is started that opens no file: with names as arguments, or with the files as its console."""
    kinds = {name: kind.name for name in texts if (kind := language_of(name))}
    plain = "\n".join(code(texts[name], kind) for name, kind in kinds.items())
    named = {one.path for name in kinds for one in _named(name, texts[name]) if not CALIBRATES.search(one.path)}
    if not exchanged:
        return Way(tuple(run))
    read = any(not one.writes for name in kinds for one in _named(name, texts[name]) if one.path in named)
    if not read and (given := _arguments(plain, texts, kinds, exchanged)):
        return Way((*run, *given), (Message("bots.told_files", files=list(given)),))
    reads = not named and not READS_FILE.search(plain) and READS_CONSOLE.search(plain) is not None
    prints = not _writes(plain, texts, kinds, named, exchanged) and PRINTS.search(plain) is not None
    if not reads and not prints:
        return Way(tuple(run))
    redirected = (f" <{exchanged[0]}" if reads else "") + (f" >{exchanged[-1]}" if prints else "")
    notes = [Message("bots.reads_console", name=exchanged[0])] if reads else []
    notes += [Message("bots.prints_answer", name=exchanged[-1])] if prints else []
    return Way(("sh", "-c", f'"$@"{redirected}', "sh", *run), tuple(notes))


FLAGS = (re.compile("i(?:n|np|nput|nfile)?(?![a-z])"), re.compile("o(?:ut|utput|utfile)?(?![a-z])"))
"""What such an argument is called for the file that is read, and for the one that is written."""


def waits_for_typing(texts: Mapping[str, str], name: str) -> list[Message]:
    """Return the note on a program that opens its files and yet reads the console, where nobody types."""
    for file, text in texts.items():
        kind = language_of(file)
        plain = code(text, kind.name) if kind else ""
        if (found := READS_CONSOLE.search(plain)) is not None:
            params = {"file": file, "line": line_of(text, found.start()), "sign": found[0].rstrip("("), "name": name}
            return [Message("bots.waits_for_typing", **params)]
    return []


def _arguments(
    plain: str, texts: Mapping[str, str], kinds: Mapping[str, str], exchanged: Sequence[str]
) -> tuple[str, ...]:
    """Return the arguments by which a program is told its files: one for each that it takes."""
    told = {next((i, number) for i, number in enumerate(found.groups()) if number) for found in TOLD.finditer(plain)}
    if told:
        second = any(number != FIRST[way] for way, number in told)
        return tuple(exchanged) if second else (exchanged[0],)
    declared = [
        (found[1], found[2])
        for name, kind in kinds.items()
        for found in DECLARED.finditer(code(texts[name], kind, texts=True))
    ]
    places = [name for name, _ in declared if not name.startswith("-")]
    if places:
        return tuple(exchanged[: len(places)])
    flags = [
        next((one for one in names if one and pattern.match(one.lstrip("-"))), "")
        for pattern in FLAGS
        for names in declared
        if any(one and pattern.match(one.lstrip("-")) for one in names)
    ]
    if not flags:
        return ()
    return tuple(word for pair in zip(flags, exchanged, strict=False) for word in pair)


def told_more(texts: Mapping[str, str]) -> list[Message]:
    """Return the note on a program that takes an argument which nobody gives, though it names its files itself."""
    for name, text in texts.items():
        kind = language_of(name)
        plain = code(text, kind.name) if kind else ""
        if (found := TOLD.search(plain)) is not None and not COUNTED.search(plain):
            sign = " ".join(found[0].split())
            return [Message("bots.takes_argument", file=name, line=line_of(text, found.start()), sign=sign)]
    return []


def _writes(
    plain: str, texts: Mapping[str, str], kinds: Mapping[str, str], named: Collection[str], exchanged: Sequence[str]
) -> bool:
    """Return whether a program writes a file, as far as its text tells."""
    if any(PurePosixPath(path).name == exchanged[-1] for path in named) or WRITES_FILE.search(plain):
        return True
    return any(
        WRITE_MODE.search(call)
        for name, kind in kinds.items()
        for call in OPENED.findall(code(texts[name], kind, texts=True))
    )
