"""Submissions: a folder of archives, folders and single files in; students with bots that can be built and played out.

Whatever is wrong with one becomes a finding of that student and stops nobody else. Nothing handed in is run here
outside the sandbox: files are read, put in order under a name by content, and built.
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
from ludus.errors import Fault
from ludus.files import read_toml
from ludus.sandbox.cage import SandboxError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ludus.courses import Course

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2")
NO_PROGRAM = (".pdf", ".csv", ".docx", ".txt", ".md", ".toml", ".db")
"""What lies beside submissions and is none."""
DOCUMENTS = (".pdf", ".doc", ".docx", ".odt", ".md", ".png", ".jpg", ".jpeg", ".gif", ".svg")
"""What comes with a program and is no part of it; a report that is changed makes no other program."""
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
    at_hand: tuple[str, ...] = ()
    """What the student calls each of them in a command: the path of what was handed in, or of a file in it."""
    protocol: str = ""
    """The course's protocol, where the bot itself neither names it nor shows it."""
    versions: tuple[str, ...] = ()
    """What exactly the programs are, by content."""
    trouble: str = ""
    """Why it cannot play, in a sentence; empty when it can."""
    doubt: str = ""
    """What Ludus itself failed at, in a sentence: as long as there is something, its points are not settled."""
    misnamed: str = ""
    """In which way its names are not what the course prescribes."""
    findings: list[str] = field(default_factory=list)
    """What else the student should know."""

    @property
    def plays(self) -> bool:
        """Whether there is something that can be played against."""
        return not self.trouble and bool(self.programs)

    def fail(self, error: Exception) -> None:
        """Write down why it cannot play; an error that no submission can cause is a fault of ours."""
        self.trouble = " ".join(str(error).split())
        if isinstance(error, SandboxError) or not isinstance(error, Fault | ValueError | OSError):
            self.doubt = self.trouble = f"a fault of Ludus, not of the program: {type(error).__name__}: {self.trouble}"

    @property
    def remarks(self) -> list[str]:
        """What the student should know, in sentences."""
        return [*self.findings, *(one for one in (self.misnamed, self.doubt) if one)]

    @property
    def folder(self) -> str:
        """A name for its folder: the id made harmless, and still one of its own."""
        plain = re.sub(r"[^\w.-]", "_", self.id).lstrip(".") or "_"
        return plain if plain == self.id else f"{plain}-{hashlib.sha256(self.id.encode()).hexdigest()[:8]}"


def take_in(
    course: Course,
    paths: Iterable[Path],
    bots: Path,
    jobs: int = 1,
    seen: Callable[[int, int], None] = lambda _done, _total: None,
    owners: Mapping[Path, str] | None = None,
    *,
    own: bool = False,
) -> list[Submission]:
    """Read, put in order and build every submission, in the order of their ids; `owners` are known otherwise.

    With `own` the paths are those that the student has; without it the student has the file's name only.
    """
    claims: dict[str, list[tuple[Submission, Path]]] = {}
    for path in paths:
        made = identify(course, path)
        if owners and path in owners:
            made = Submission(owners[path], made.name, path.name)
        claims.setdefault(made.id, []).append((made, path))
    found = {id_: newest(same) for id_, same in claims.items()}

    def one(id_: str) -> Submission:
        made, path = found[id_]
        read(course, made, path, bots, str(path) if own else path.name)
        done.append(id_)
        seen(len(done), len(found))
        return found[id_][0]

    done: list[str] = []

    with ThreadPoolExecutor(jobs) as builders:  # threads that live on: a sandbox ends with the thread that began it
        return list(builders.map(one, sorted(found)))


def newest(claims: Sequence[tuple[Submission, Path]]) -> tuple[Submission, Path]:
    """Return the submission that counts of those with one id: the newest; of equally old ones the last by name."""
    made, path = max(claims, key=lambda claim: (changed(claim[1]), claim[1].name))
    made.set_aside = tuple(sorted(other.name for _, other in claims if other != path))
    if made.set_aside:
        aside = ", ".join(made.set_aside)
        made.findings.append(f"{path.name} counts, the newest of {len(claims)} with the same id; set aside: {aside}")
    return made, path


def changed(path: Path) -> float:
    """Return when a file was last changed, or the newest file of a folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return max((one.stat().st_mtime for one in files if one.is_file()), default=0.0)


def handed_in(where: Path) -> list[Path]:
    """List what looks like a submission."""
    if not where.is_dir():
        raise ValueError(f"{where}: there is no such folder of submissions")
    paths = sorted(path for path in where.iterdir() if path.name[0] not in "._")
    found = [path for path in paths if path.is_dir() or path.suffix.lower() not in NO_PROGRAM]
    if not found:
        raise ValueError(
            f"{where}: there is no submission in it; put a zip, a folder or a source file for each student"
        )
    return found


def stem(path: Path) -> str:
    """Give a name without what says how it is packed."""
    for ending in sorted(ARCHIVES, key=len, reverse=True):
        if path.name.lower().endswith(ending):
            return path.name[: -len(ending)]
    return path.name if path.is_dir() else path.stem


def identify(course: Course, path: Path) -> Submission:
    """Find out whose it is, by its name, as the course prescribes; another name is itself the id."""
    name = stem(path)
    for pattern in course.ids:
        if matched := re.fullmatch(pattern, name):
            said = matched.groupdict()
            return Submission(said["id"], (said.get("name") or "").strip(" _-"), path.name)
    return Submission(name, "", path.name, misnamed=f"{path.name} is not named as the course prescribes")


def read(course: Course, made: Submission, path: Path, bots: Path, at_hand: str) -> None:
    """Read a submission and build it; what is wrong is written down in it."""
    made.at_hand = (at_hand,)
    try:
        made.files = read_source(path)
        parts = list(_programs(course, made))
        if len(parts) > 1:  # a command names one of them
            mains = [_config(files)["main"] for _, files in parts]
            made.at_hand = tuple(f"{at_hand}/{main}" if path.is_dir() else main for main in mains)
        prepared = [prepare(course, made, files, bots, board) for board, files in parts]
        for one in dict.fromkeys(prepared):
            build(read_bot(one))
    except Exception as error:  # it is this student's line that says so, and stops nobody else
        made.fail(error)
        made.trouble = made.trouble.replace(f"{path}: ", "").replace(str(path.parent) + "/", "")
    else:
        made.programs = tuple(str(one) for one in prepared)
        made.versions = tuple(read_bot(one).content for one in prepared)


def _programs(course: Course, made: Submission) -> Iterator[tuple[int, dict[str, File]]]:
    """Give the files of each program: of one for all boards, or of one for each where the course has it so."""
    wanted = [name.replace("{id}", made.id) for name in course.programs]
    files = {name: file for name, file in made.files.items() if PurePosixPath(name).suffix.lower() not in DOCUMENTS}
    if not files:
        raise ValueError("there is no program in it, only documents")
    sources = [name for name in files if language_of(name) is not None]
    found = [[name for name in sources if PurePosixPath(name).stem == one] for one in wanted]
    if not any(found):
        if wanted and CONFIG not in files:
            said = f"the course wants the programs {', '.join(wanted)}; one program plays on every board"
            made.misnamed = made.misnamed or said
        yield 0, files
        return
    for board, (expected, names) in enumerate(zip(wanted, found, strict=True)):
        if not names:
            raise ValueError(f"the program {expected} is missing; the course wants {', '.join(wanted)}")
        others = {name for group in found for name in group} - {names[0]}
        rest = {name: file for name, file in files.items() if name not in others and name != CONFIG}
        yield board, rest | {CONFIG: File(f"main = {json.dumps(names[0], ensure_ascii=False)}\n".encode())}


def prepare(course: Course, made: Submission, files: Mapping[str, File], bots: Path, board: int = 0) -> Path:
    """Put a bot into a folder of its own, named by content, with a bot.toml that says what the course settled."""
    id_ = made.id
    with tempfile.TemporaryDirectory(prefix="ludus-") as scratch:
        given = Path(scratch, "bot")
        write_files(files, given)
        settled = _only_protocol(course, files, given)
        bot = read_bot(given, settled)
        if settled and read_bot(given).protocol != settled:
            made.protocol = settled
        _check(course, bot)
        files = settle(course, id_, files, bot)
        safe = re.sub(r"[^\w.-]", "_", id_).lstrip(".") or "_"
        target = bots / f"{safe}-{board}-{content(files)[:16]}"
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


def _only_protocol(course: Course, files: Mapping[str, File], given: Path) -> str | None:
    """Give the course's protocol where it has only one, or where a guess would be none of its own."""
    if CONFIG in files and "protocol" in _config(files):
        return None
    if len(course.protocols) == 1:
        return course.protocols[0]
    guessed = read_bot(given).protocol
    return course.protocols[0] if course.protocols and guessed not in course.protocols else None


def _config(files: Mapping[str, File]) -> dict[str, Any]:
    return read_toml(files[CONFIG].data, CONFIG)


def _check(course: Course, bot: Bot) -> None:
    """Refuse what the course does not take."""
    if bot.game is not None and bot.game != course.game:
        raise ValueError(f"its {CONFIG} says that it plays {bot.game}, and the course plays {course.game}")
    if course.protocols and bot.protocol not in course.protocols:
        raise ValueError(f"it speaks the protocol {bot.protocol}; the course takes {', '.join(course.protocols)}")
    if course.languages and bot.language not in course.languages:
        known = bot.language not in (None, "executable")
        said = f"it is written in {bot.language}" if known else "its language is not known"
        raise ValueError(f"{said}; the course takes {', '.join(course.languages)}")


def settle(course: Course, id_: str, files: Mapping[str, File], bot: Bot) -> dict[str, File]:
    """Write bot.toml as the course wants it: the student's own settings, where they are the student's to choose."""
    config: dict[str, Any] = _config(files) if CONFIG in files else {}
    config |= {"name": id_, "game": course.game, "protocol": bot.protocol}
    config["limits"] = {name: min(most, getattr(bot.limits, name)) for name, most in course.limits.items()}
    extra = [name for name in files if CALIBRATE.fullmatch(name)]
    kind = language_of(extra[0]) if extra else None
    if bot.protocol == "files" and kind is not None and "calibrate" not in config:
        built, run = kind.build(extra[0]), kind.run(extra[0], bot.limits.memory_mb)
        config["calibrate"] = " ".join(run).replace(PROGRAM, "ludus_calibrate")
        aside = f"{{ [ ! -e {PROGRAM} ] || mv {PROGRAM} ludus_calibrate; }}"
        config["build"] = " && ".join(part for part in (built, aside, bot.build) if part)
        if len([name for name in files if language_of(name)]) == 2 and "main" not in config and "run" not in config:
            config["main"] = next(name for name in files if language_of(name) and name != extra[0])
    return {**{name: file for name, file in files.items() if name != CONFIG}, CONFIG: File(_toml(config).encode())}


def _toml(config: Mapping[str, Any]) -> str:
    """Write a flat table with `limits` at its end."""
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


def absent(ids: Iterable[str], there: Iterable[Submission]) -> list[Submission]:
    """Give students who are named somewhere and handed in nothing."""
    known = {one.id for one in there}
    return [Submission(id_, trouble="nothing was handed in") for id_ in sorted(set(ids) - known)]
