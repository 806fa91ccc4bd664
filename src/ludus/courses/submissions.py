"""Submissions: a folder of archives, folders and single files in; students with bots that can be built and played out.

Whatever is wrong with one becomes a finding of that student and stops nobody else. Nothing handed in is run here
outside the sandbox: files are read, stored in a folder named by content, and built.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from ludus.bots import CONFIG, Bot, read_bot
from ludus.bots.build import build
from ludus.bots.languages import PROGRAM, language_of
from ludus.bots.source import File, content, read_source
from ludus.errors import Fault, UserError, message_of
from ludus.files import read_toml
from ludus.messages import Message
from ludus.sandbox.cage import SandboxError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ludus.courses import Course

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2")
NO_PROGRAM = (".pdf", ".csv", ".docx", ".txt", ".md", ".toml", ".db")
"""Files beside submissions that are none."""
DOCUMENTS = (".pdf", ".doc", ".docx", ".odt", ".md", ".png", ".jpg", ".jpeg", ".gif", ".svg")
"""Files that come with a program and are no part of it; a report that is changed makes no other program."""
CALIBRATE = re.compile(r"calibrate\.\w+", re.IGNORECASE)


@dataclass
class Submission:
    """What one student, or team, handed in."""

    id: str
    name: str = ""
    """The person's name, where the file's name has it."""
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
    versions: tuple[str, ...] = ()
    """What exactly the programs are, by content."""
    trouble: Message | None = None
    """Why it cannot play; None when it can."""
    doubt: Message | None = None
    """What Ludus itself failed at: as long as there is something, its points are not settled."""
    misnamed: Message | None = None
    """In which way its names are not what the course prescribes."""
    findings: list[Message] = field(default_factory=list)
    """What else the student should know."""

    @property
    def plays(self) -> bool:
        """Whether it can be played against."""
        return self.trouble is None and bool(self.programs)

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
        return [*self.findings, *(remark for remark in (self.misnamed, self.doubt) if remark)]

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


def read_submissions(
    course: Course,
    paths: Iterable[Path],
    bots: Path,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    owners: Mapping[Path, str] | None = None,
    *,
    by_student: bool = False,
) -> list[Submission]:
    """Read and build every submission; return them in the order of their ids.

    `owners` are ids that are known otherwise than by file names. With `by_student` the paths are those that the student
    has; without it the student has the file's name only.
    """
    by_id: dict[str, list[tuple[Submission, Path]]] = {}
    for path in paths:
        submission = identify(course, path)
        if owners and path in owners:
            submission = Submission(owners[path], submission.name, path.name)
        by_id.setdefault(submission.id, []).append((submission, path))
    found = {id_: newest(same) for id_, same in by_id.items()}
    done: list[str] = []

    def read_one(id_: str) -> Submission:
        submission, path = found[id_]
        read(course, submission, path, bots, str(path) if by_student else path.name)
        done.append(id_)
        progress(len(done), len(found))
        return submission

    with ThreadPoolExecutor(jobs) as builders:  # threads that live on: a sandbox ends with the thread that began it
        return list(builders.map(read_one, sorted(found)))


def newest(claims: Sequence[tuple[Submission, Path]]) -> tuple[Submission, Path]:
    """Return the submission that counts of those with one id: the newest; of equally old ones the last by name."""
    submission, path = max(claims, key=lambda claim: (changed_at(claim[1]), claim[1].name))
    submission.set_aside = tuple(sorted(other.name for _, other in claims if other != path))
    if submission.set_aside:
        others = list(submission.set_aside)
        note = Message("courses.newest_of", file=path.name, count=len(claims), others=others)
        submission.findings.append(note)
    return submission, path


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
    for ending in sorted(ARCHIVES, key=len, reverse=True):
        if path.name.lower().endswith(ending):
            return path.name[: -len(ending)]
    return path.name if path.is_dir() else path.stem


def identify(course: Course, path: Path) -> Submission:
    """Return whose submission a file is, by its name, as the course prescribes; another name is itself the id."""
    name = stem(path)
    for pattern in course.submission.ids:
        if matched := re.fullmatch(pattern, name):
            groups = matched.groupdict()
            return Submission(groups["id"], (groups.get("name") or "").strip(" _-"), path.name)
    return Submission(name, "", path.name, misnamed=Message("courses.misnamed", file=path.name))


def read(course: Course, submission: Submission, path: Path, bots: Path, student_path: str) -> None:
    """Read a submission and build it; what is wrong is recorded in it."""
    submission.student_paths = (student_path,)
    try:
        submission.files = read_source(path)
        parts = list(_programs(course, submission))
        if len(parts) > 1:  # a command names one of them
            mains = [_config(files)["main"] for _, files in parts]
            submission.student_paths = tuple(f"{student_path}/{main}" if path.is_dir() else main for main in mains)
        prepared = [prepare(course, submission, files, bots, board) for board, files in parts]
        for bot in dict.fromkeys(prepared):
            build(read_bot(bot))
    except Exception as error:  # it is this student's line that says so, and stops nobody else
        submission.fail(error, path)
    else:
        submission.programs = tuple(str(bot) for bot in prepared)
        submission.versions = tuple(read_bot(bot).content for bot in prepared)


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


def prepare(course: Course, submission: Submission, files: Mapping[str, File], bots: Path, board: int = 0) -> Path:
    """Store a bot in a folder of its own, named by content, with a bot.toml that says what the course decided."""
    with tempfile.TemporaryDirectory(prefix="ludus-") as scratch:
        given = Path(scratch, "bot")
        write_files(files, given)
        protocol = _prescribed_protocol(course, files, given)
        bot = read_bot(given, protocol)
        if protocol and read_bot(given).protocol != protocol:
            submission.protocol = protocol
        _check(course, bot)
        files = with_config(course, submission.id, files, bot)
        target = bots / f"{_safe_name(submission.id)}-{board}-{content(files)[:16]}"
        if not target.exists():
            ready = Path(scratch, "ready")
            write_files(files, ready)
            read_bot(ready)
            bots.mkdir(parents=True, exist_ok=True)
            beside = Path(tempfile.mkdtemp(prefix=".making-", dir=bots))
            shutil.copytree(ready, beside / "bot")
            (beside / "bot").rename(target)
            beside.rmdir()
    return target


def _prescribed_protocol(course: Course, files: Mapping[str, File], given: Path) -> str | None:
    """Return the course's protocol where it has only one, or where the detected one is none of the course's."""
    protocols = course.submission.protocols
    if CONFIG in files and "protocol" in _config(files):
        return None
    if len(protocols) == 1:
        return protocols[0]
    detected = read_bot(given).protocol
    return protocols[0] if protocols and detected not in protocols else None


def _config(files: Mapping[str, File]) -> dict[str, Any]:
    return read_toml(files[CONFIG].data, CONFIG)


def _check(course: Course, bot: Bot) -> None:
    """Raise UserError for what the course does not take."""
    protocols, languages = course.submission.protocols, course.submission.languages
    if bot.game is not None and bot.game != course.game:
        raise UserError("courses.other_game", file=CONFIG, game=bot.game, wanted=course.game)
    if protocols and bot.protocol not in protocols:
        raise UserError("courses.other_protocol", protocol=bot.protocol, protocols=protocols)
    if languages and bot.language not in languages:
        if bot.language in (None, "executable"):
            raise UserError("courses.unknown_language", languages=languages)
        raise UserError("courses.other_language", language=bot.language, languages=languages)


def with_config(course: Course, id_: str, files: Mapping[str, File], bot: Bot) -> dict[str, File]:
    """Return files with a bot.toml as the course wants it: the student's settings where the student may choose."""
    config: dict[str, Any] = _config(files) if CONFIG in files else {}
    config |= {"name": id_, "game": course.game, "protocol": bot.protocol}
    own, most = bot.limits._asdict(), course.limits.model_dump()
    config["limits"] = {name: min(value, own[name]) for name, value in most.items()}
    extra = [name for name in files if CALIBRATE.fullmatch(name)]
    kind = language_of(extra[0]) if extra else None
    if bot.protocol == "files" and kind is not None and "calibrate" not in config:
        build_command, run = kind.build(extra[0]), kind.run(extra[0], bot.limits.memory_mb)
        config["calibrate"] = " ".join(run).replace(PROGRAM, "ludus_calibrate")
        aside = f"{{ [ ! -e {PROGRAM} ] || mv {PROGRAM} ludus_calibrate; }}"
        config["build"] = " && ".join(part for part in (build_command, aside, bot.build) if part)
        if len([name for name in files if language_of(name)]) == 2 and "main" not in config and "run" not in config:
            config["main"] = next(name for name in files if language_of(name) and name != extra[0])
    return {**{name: file for name, file in files.items() if name != CONFIG}, CONFIG: File(_toml(config).encode())}


def _toml(config: Mapping[str, Any]) -> str:
    """Return a flat table with `limits` at its end as TOML."""
    limits = config["limits"]
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in config.items() if key != "limits"]
    return "\n".join([*lines, "[limits]", *(f"{key} = {value}" for key, value in limits.items())]) + "\n"


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
    known = {submission.id for submission in submissions}
    return [Submission(id_, trouble=Message("courses.nothing_handed_in")) for id_ in sorted(set(ids) - known)]
