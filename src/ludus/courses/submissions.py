"""Submissions: a folder of archives, folders and single files in; students with bots that can be built and played out.

Whatever is wrong with one becomes a finding of that student and stops nobody else. Nothing handed in is run here
outside the sandbox: files are read, stored in a folder named by content, and built.
"""

from __future__ import annotations

import hashlib
import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.bots import CONFIG, Allowed, Bot, ProgramUnknown, Wanted, bot_of, read_bot
from ludus.bots.build import build
from ludus.bots.console.several import TAKEN, told_apart
from ludus.bots.disguised import undisguised
from ludus.bots.languages import language_of
from ludus.bots.source import ARCHIVES, PACKED, File, content, read_source
from ludus.courses.attempts import Attempt, Entrant, Term, entrants
from ludus.courses.deadline import choose, days_late, file_time
from ludus.courses.roster import Person
from ludus.courses.terminal import with_script
from ludus.errors import Fault, UserError, is_disk_full, message_of
from ludus.files import ScratchFolder, read_toml
from ludus.game import game
from ludus.messages import Message
from ludus.protocols import sides_note
from ludus.sandbox.cage import SandboxError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime

    from ludus.courses import Course
    from ludus.courses.tables import NamedProgram

NO_PROGRAM = (".pdf", ".csv", ".docx", ".txt", ".md", ".toml", ".db")
"""Files beside submissions that are none."""
DOCUMENTS = (".pdf", ".doc", ".docx", ".odt", ".md", ".png", ".jpg", ".jpeg", ".gif", ".svg")
"""Files that come with a program and are no part of it; a report that is changed makes no other program."""
MATE = re.compile(r"id[2-9]")
"""The groups of a pattern that are ids of team mates."""


class AttemptResult(NamedTuple):
    """An attempt of a student who made several."""

    file: str
    at: datetime
    timed: bool
    """Whether that is known, and not only the time of a file."""
    counts: bool
    total: float | None = None
    """Its points without tournaments, where it was graded."""


@dataclass
class Submission:
    """What one student, or team, handed in."""

    id: str
    name: str = ""
    """The person's name, where the file's name or the roster has it."""
    team: str = ""
    """The name of the team that shares it: its name in games, and the key of what the program showed."""
    members: tuple[Person, ...] = ()
    """Those who share it; for a submission as it is read, before each has a grade of their own."""
    person: Person | None = None
    """Who this student is on the roster, or to the platform."""
    attempt: int = 0
    """Its number, from 1, where several attempts of a student are graded and the best counts."""
    at: datetime | None = None
    """When it was handed in."""
    days_late: float = 0.0
    late: bool | None = None
    """Whether the platform calls it late, where it says that alone and not when it came."""
    question: Message | None = None
    """What the instructor should look at: it is not clear whose it is."""
    attempts: tuple[AttemptResult, ...] = ()
    """All that was handed in, the oldest first, where there are several."""
    source: str = ""
    """The name under which it was handed in; empty when nothing was."""
    set_aside: tuple[str, ...] = ()
    """The names of older submissions under the same id, which do not count."""
    files: Mapping[str, File] = field(default_factory=dict)
    programs: tuple[str, ...] = ()
    """Paths of the bots: one, or one for each board of the course."""
    student_paths: tuple[str, ...] = ()
    """What the student calls each of them in a command: the path of what was handed in, or of a file in it."""
    protocol: str = ""
    """The course's protocol, where the bot itself neither names it nor shows it."""
    speaks: str = ""
    """The protocol of its programs."""
    sides: Message | None = None
    """What its programs call the two sides, where our boards have other names for them."""
    versions: tuple[str, ...] = ()
    """What exactly the programs are, by content."""
    trouble: Message | None = None
    """Why it cannot play; None when it can."""
    doubt: Message | None = None
    """What Ludus itself failed at: as long as there is something, its points are not settled."""
    misnamed: Message | None = None
    """How its file names differ from what the course requires."""
    findings: list[Message] = field(default_factory=list)
    """What else the student should know."""

    @property
    def entry(self) -> str:
        """The name of its program in games."""
        return self.team or self.id

    @property
    def key(self) -> str:
        """What its evidence is stored under: the attempts of a student have the same name in games."""
        return f"{self.entry}#{self.attempt}" if self.attempt else self.entry

    @property
    def plays(self) -> bool:
        """Whether it can be played against."""
        return self.trouble is None and bool(self.programs)

    @property
    def ids(self) -> set[str]:
        """All ids under which people know it."""
        return {self.id, self.entry, *(member.id for member in self.members)}

    def set_aside_others(self, code: str) -> None:
        """Record that this attempt counts and the others do not; `code` is of the message that says why."""
        others = sorted(attempt.file for attempt in self.attempts if not attempt.counts)
        self.set_aside = tuple(others)
        self.findings.append(Message(code, file=self.source, count=len(self.attempts), others=others))

    def by_member(self) -> list[Submission]:
        """Return the submission as each of its members has it."""
        people = self.members or (None,)
        return [
            replace(self, id=one.id, name=one.name, person=one, members=()) if one is not None else self
            for one in people
        ]

    def fail(self, error: Exception, path: Path | None = None) -> None:
        """Record why it cannot play; an error that no submission can cause is an error in Ludus.

        `path` is where the submission is on this machine: the student sees its name only.
        """
        match error:
            case Fault():
                self.trouble = error.named
            case ValueError() | OSError() if not isinstance(error, SandboxError):
                message = message_of(error)
                self.trouble = with_short_paths(message, path) if path else message
            case _:
                problem = {"kind": type(error).__name__, "problem": message_of(error)}
                self.doubt = self.trouble = Message("courses.error_in_ludus", **problem)

    @property
    def remarks(self) -> list[Message]:
        """What the student should know."""
        return [*self.findings, *(remark for remark in (self.misnamed, self.doubt, self.sides) if remark)]

    @property
    def folder(self) -> str:
        """A name for its folder: the id without harmful characters, and unique."""
        plain = _safe_name(self.id)
        return plain if plain == self.id else f"{plain}-{hashlib.sha256(self.id.encode()).hexdigest()[:8]}"


def with_short_paths(message: Message, path: Path) -> Message:
    """Return a message in which parameters name a submission, or a file in it, without the folder it is in."""

    def shortened(value: Any) -> Any:
        match value:
            case Message():
                return with_short_paths(value, path)
            case str() | Path() if str(value) == str(path) or str(value).startswith(f"{path}/"):
                return str(Path(value).relative_to(path.parent))
        return value

    return Message(message.code, **{name: shortened(value) for name, value in message.params.items()})


def _safe_name(id_: str) -> str:
    return re.sub(r"[^\w.-]", "_", id_).lstrip(".") or "_"


def _named(submission: Submission, programs: Mapping[str, NamedProgram]) -> NamedProgram | None:
    """Return the file that a person named as the program of a student or a team."""
    return next((programs[id_] for id_ in sorted(submission.ids) if id_ in programs), None)


def read_submissions(
    course: Course,
    paths: Iterable[Path],
    bots: Path,
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    term: Term | None = None,
    by_student: bool = False,
    programs: Mapping[str, NamedProgram] = MappingProxyType({}),
) -> list[Submission]:
    """Read and build every submission that counts; return them in the order of their ids.

    There is one for each student or team, also for those on the roster who handed in nothing; several only where the
    best attempt counts. With `by_student` the paths are those that the student has; without it the student has the
    file's name only. `programs` has the file that is the program, by student.
    """
    term = term or Term()
    attempts = term.with_times([term.attempts.get(path) or identify(course, path) for path in paths])
    found = [pair for entrant in entrants(attempts, term.roster) for pair in _counting(entrant, term)]
    known = {id_ for submission, _ in found for id_ in submission.ids}
    for id_, program in programs.items():
        if id_ not in known:
            raise UserError("courses.program_of_nobody", place=program.place, student=repr(id_))
    handed_in = [path for _, path in found if path is not None]
    done: list[Path] = []

    def read_one(pair: tuple[Submission, Path | None]) -> Submission:
        submission, path = pair
        if path is not None:
            read(course, submission, path, bots, str(path) if by_student else path.name, _named(submission, programs))
            done.append(path)
            progress(len(done), len(handed_in))
        return submission

    with ThreadPoolExecutor(jobs) as builders:  # threads that live on: a sandbox ends with the thread that began it
        return list(builders.map(read_one, found))


def _counting(entrant: Entrant, term: Term) -> Iterator[tuple[Submission, Path | None]]:
    """Yield the submissions of a student or team that count, each with its path; one without where there is none."""
    extension = term.extension(entrant)
    name, team = ("", entrant.id) if entrant.is_team else (entrant.members[0].name, "")
    members = entrant.members if entrant.is_team else ()
    counting = choose(entrant.attempts, term.deadline, extension)
    if not counting:
        nothing = Message("courses.nothing_handed_in")
        yield Submission(entrant.id, name, team, members, person=entrant.members[0], trouble=nothing), None
    listed = sorted(entrant.attempts, key=lambda one: (one.at, one.file))
    for number, attempt in enumerate(counting, 1):
        submission = Submission(entrant.id, name, team, members, person=entrant.members[0])
        submission.source, submission.at, submission.misnamed = attempt.file, attempt.at, attempt.misnamed
        submission.question, submission.late = entrant.question, attempt.late
        submission.attempt = number if len(counting) > 1 else 0
        if term.deadline is not None:
            submission.days_late = days_late(attempt, entrant.attempts, term.deadline, extension)
        if len(listed) > 1:
            submission.attempts = tuple(
                AttemptResult(one.file, one.at, one.late is None, one == attempt) for one in listed
            )
            if len(counting) == 1:
                submission.set_aside_others("courses.newest_of" if attempt == listed[-1] else "courses.counts_of")
        yield submission, attempt.path


def changed_at(path: Path) -> float:
    """Return when a file was last changed, or the newest file of a folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return max((file.stat().st_mtime for file in files if file.is_file()), default=0.0)


def find_submissions(where: Path) -> list[Path]:
    """Return what looks like a submission in a folder."""
    if where.exists() and not where.is_dir():
        raise UserError("courses.submissions_is_file", path=str(where))
    if not where.is_dir():
        raise UserError("courses.no_submissions_folder", path=str(where))
    paths = sorted(path for path in where.iterdir() if path.name[0] not in "._")
    found = [path for path in paths if path.is_dir() or path.suffix.lower() not in NO_PROGRAM]
    if not found:
        raise UserError("courses.no_submission", path=str(where))
    return found


def stem(path: Path) -> str:
    """Return a file's name without the endings of an archive."""
    for ending in sorted((*ARCHIVES, *PACKED), key=len, reverse=True):
        if path.name.lower().endswith(ending):
            return path.name[: -len(ending)]
    return path.name if path.is_dir() else path.stem


def identify(course: Course, path: Path) -> Attempt:
    """Return whose submission a file is, by its name, as the course prescribes; another name is itself the id.

    Where a pattern has the groups `id2`, `id3` and so on, those are the ids of team mates.
    """
    name, at = stem(path), file_time(changed_at(path))
    for pattern in course.submission.ids:
        if matched := re.fullmatch(pattern, name):
            groups = matched.groupdict()
            mates = [Person(id_) for key, id_ in sorted(groups.items()) if MATE.fullmatch(key) and id_]
            person = Person(groups["id"], (groups.get("name") or "").strip(" _-"))
            return Attempt(path, (person, *mates), at, path.name)
    return Attempt(path, (Person(name),), at, path.name, misnamed=Message("courses.misnamed", file=path.name))


def read(
    course: Course, submission: Submission, path: Path, bots: Path, student_path: str, named: NamedProgram | None = None
) -> None:
    """Read a submission and build it; what is wrong is recorded in it."""
    submission.student_paths = (student_path,)
    noted: list[Message] = []
    try:
        if path.is_symlink():  # it may lead to any file that the instructor can read
            raise UserError("courses.submission_is_link", path=path)
        submission.files = read_source(path)
        parts = list(_programs(course, submission))
        if len(parts) > 1:  # a command names one of them
            mains = [_config(files)["main"] for _, files in parts]
            submission.student_paths = tuple(f"{student_path}/{main}" if path.is_dir() else main for main in mains)
        wanted = _wanted(course, submission, named)
        prepared = [prepare(course, submission, files, bots, board, wanted) for board, files in parts]
        for bot in map(read_bot, dict.fromkeys(prepared)):
            noted = list(bot.notes)
            build(bot)
        single, notes = len(prepared) == 1, submission.findings
        prepared = [with_script(course, bot, None if single else at, notes) for at, bot in enumerate(prepared)]
    except Exception as error:  # it is this student's line that says so, and stops nobody else
        if is_disk_full(error):  # unless it has nothing to do with the student
            raise
        submission.fail(error, path)
        submission.findings += noted
    else:
        submission.programs = tuple(str(bot) for bot in prepared)
        bots_read = [read_bot(bot) for bot in prepared]
        submission.versions = tuple(bot.content for bot in bots_read)
        submission.speaks = bots_read[0].protocol
        submission.sides = sides_note(game(course.game), submission.speaks)


def _wanted(course: Course, submission: Submission, named: NamedProgram | None) -> Wanted:
    """Return what the course asks for, and the file that a person named as this student's program."""
    settings = course.submission
    names = tuple(name.replace("{id}", re.escape(submission.id)) for name in settings.names)
    allowed = Allowed(settings.files, settings.other_files, settings.time)
    wanted = Wanted(names, tuple(settings.languages), None, allowed)
    if named is None:
        return wanted
    same = [name for name in submission.files if name == named.file]
    same = same or [name for name in submission.files if PurePosixPath(name).name.lower() == named.file.lower()]
    if len(same) != 1:
        files = sorted(name for name in submission.files if language_of(name))[:20]
        raise UserError("courses.named_program_missing", place=named.place, file=named.file, files=files)
    return wanted._replace(main=same[0])


def _programs(course: Course, submission: Submission) -> Iterator[tuple[int, dict[str, File]]]:
    """Yield the files of each program: of one for all boards, or of one for each where the course has it so."""
    wanted = [name.replace("{id}", submission.id) for name in course.submission.programs]
    files = {
        name: file for name, file in submission.files.items() if PurePosixPath(name).suffix.lower() not in DOCUMENTS
    }
    if not files:
        raise UserError("courses.only_documents")
    if not any(file.data.strip() for file in files.values()):
        raise UserError("courses.empty_program")
    sources = [name for name in files if language_of(name) is not None]
    found = [[name for name in sources if PurePosixPath(name).stem == program] for program in wanted]
    if not any(found) and CONFIG not in files:  # other names, but one for each board: board_code_1, board_code_2
        ends = [name.rpartition("{id}")[2] for name in course.submission.programs]
        alike = [[name for name in sources if end and PurePosixPath(name).stem.endswith(end)] for end in ends]
        if wanted and all(len(names) == 1 for names in alike):
            found, taken = alike, [PurePosixPath(names[0]).name for names in alike]
            other = Message("courses.programs_other_names", programs=wanted, files=taken)
            submission.misnamed = submission.misnamed or other
    if not any(found):
        if wanted and CONFIG not in files:
            submission.misnamed = submission.misnamed or Message("courses.programs_misnamed", programs=wanted)
        yield 0, files
        return
    for board, (expected, names) in enumerate(zip(wanted, found, strict=True)):
        if not names:
            raise UserError("courses.program_missing", program=expected, programs=wanted)
        others = {name for group in found for name in group} - {names[0]}
        rest = {name: file for name, file in files.items() if name not in others and name != CONFIG}
        yield board, rest | {CONFIG: File(f"main = {json.dumps(names[0], ensure_ascii=False)}\n".encode())}


def prepare(
    course: Course, submission: Submission, files: dict[str, File], bots: Path, board: int, wanted: Wanted
) -> Path:
    """Store a bot in a folder of its own, named by content, with a bot.toml that says what the course decided."""
    path = Path(submission.source or submission.id)
    protocol = _prescribed_protocol(course, files, path, wanted)
    try:
        bot = bot_of(files, path, protocol, wanted)
    except ProgramUnknown as unknown:
        bot = told_apart(unknown, game(course.game, **course.board_options[board]))
    if protocol and _detected(files, path, wanted._replace(main=bot.mains or bot.main or None)) != protocol:
        submission.protocol = protocol
    submission.findings += [note for note in bot.notes if note.code in TAKEN]
    _check(course, bot)
    files = with_config(course, submission.id, undisguised(files, by_look=CONFIG not in files).files, bot)
    target = bots / f"{_safe_name(submission.id)}-{board}-{content(files)[:16]}"
    if not target.exists():
        bots.mkdir(parents=True, exist_ok=True)
        with ScratchFolder(bots, ".making-") as scratch:
            ready = scratch / "ready"
            write_files(files, ready)
            read_bot(ready)
            try:
                ready.rename(target)
            except OSError:
                if not target.exists():  # another attempt with the same content was stored meanwhile
                    raise
    return target


def _prescribed_protocol(course: Course, files: dict[str, File], path: Path, wanted: Wanted) -> str | None:
    """Return the course's protocol where it has only one, or where the detected one is none of the course's."""
    protocols = course.submission.protocols
    if CONFIG in files and "protocol" in _config(files):
        return None
    if len(protocols) == 1:
        return protocols[0]
    return protocols[0] if protocols and _detected(files, path, wanted) not in protocols else None


def _detected(files: dict[str, File], path: Path, wanted: Wanted) -> str:
    """Return the protocol that a bot shows without being told; empty where no program can be told."""
    try:
        return bot_of(files, path, None, wanted).protocol
    except UserError:
        return ""


def _config(files: Mapping[str, File]) -> dict[str, Any]:
    return read_toml(files[CONFIG].data, CONFIG)


def _check(course: Course, bot: Bot) -> None:
    """Raise UserError for what the course does not take."""
    protocols, languages = course.submission.protocols, course.submission.languages
    language = "java" if bot.language == "jar" else bot.language
    if bot.game is not None and bot.game != course.game:
        raise UserError("courses.other_game", file=CONFIG, game=bot.game, wanted=course.game)
    if protocols and bot.protocol not in protocols:
        raise UserError("courses.other_protocol", protocol=bot.protocol, protocols=protocols)
    if languages and language not in languages:
        if language in (None, "executable"):
            raise UserError("courses.unknown_language", languages=languages)
        raise UserError("courses.other_language", language=language, languages=languages)


def with_config(course: Course, id_: str, files: Mapping[str, File], bot: Bot) -> dict[str, File]:
    """Return files with a bot.toml as the course wants it: the student's settings where the student may choose."""
    config: dict[str, Any] = _config(files) if CONFIG in files else {}
    config |= {"name": id_, "game": course.game, "protocol": bot.protocol}
    own, most = bot.limits._asdict(), course.limits.model_dump()
    config["limits"] = {name: min(value, own[name]) for name, value in most.items()}
    if (bot.main or bot.mains) and "run" not in config:
        config["main"] = list(bot.mains) or bot.main
    if bot.renamed and "run" not in config:
        config["files"] = dict(bot.renamed)
    if bot.time != "seconds":
        config["time"] = bot.time
    return {**{name: file for name, file in files.items() if name != CONFIG}, CONFIG: File(_toml(config).encode())}


def _toml(config: Mapping[str, Any]) -> str:
    """Return a flat table with its tables at the end as TOML."""
    lines = [f"{key} = {_quoted(value)}" for key, value in config.items() if not isinstance(value, dict)]
    for table, values in config.items():
        if isinstance(values, dict):
            lines += [f"[{table}]", *(f"{_quoted(key)} = {_quoted(value)}" for key, value in values.items())]
    return "\n".join(lines) + "\n"


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def write_files(files: Mapping[str, File], folder: Path) -> None:
    """Write files into a new folder."""
    folder.mkdir()
    for name, file in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
        path.chmod(0o755 if file.executable else 0o644)


def missing_submissions(ids: Iterable[str], submissions: Iterable[Submission]) -> list[Submission]:
    """Return students who are named somewhere and handed in nothing."""
    known = set().union(*(submission.ids for submission in submissions))
    return [Submission(id_, trouble=Message("courses.nothing_handed_in")) for id_ in sorted(set(ids) - known)]
