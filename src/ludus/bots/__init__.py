"""Bots: programs that people hand in. Reads what one is (bot.toml, or a single source file); `build` makes it ready to
run and `player` lets it play. Nothing of it is run outside the sandbox, its build included.
"""

from __future__ import annotations

import os.path
import re
import shlex
import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from ludus.bots.disguised import undisguised
from ludus.bots.languages import Language, Sources, language, language_of, language_of_program
from ludus.bots.program import Program, explained, find_program, is_aside, named
from ludus.bots.project import Allowed, Project
from ludus.bots.reading import is_plus_plus
from ludus.bots.source import File, content, read_source
from ludus.display import visible
from ludus.errors import Fault, UserError
from ludus.files import read_toml
from ludus.game import games
from ludus.messages import Message
from ludus.protocols import Source, protocol, protocols, recognised_protocol, shim
from ludus.protocols.console import ConsoleScript
from ludus.sandbox import ResourceLimits, SandboxError
from ludus.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG = "bot.toml"
KEYS = (
    "name",
    "game",
    "protocol",
    "language",
    "main",
    "build",
    "run",
    "calibrate",
    "files",
    "time",
    "limits",
    "console",
)
TABLES = ("files", "limits", "console")
"""Those that are tables; the others are texts."""
COMMANDS = ("build", "run", "calibrate")
LONGEST_COMMAND = 16_000
"""Characters; the system takes 128 kB in one word."""
LIMITS = ("memory_mb", "processes", "disk_mb")
"""The keys of the table `limits`."""
TIMES = ("seconds", "milliseconds")
"""What a bot can be told the time left in."""
RECIPE = "5"
"""Part of the name of a build; change it when builds are made differently."""


class Bot(NamedTuple):
    """A bot before it is built."""

    name: str
    game: str | None
    """The game that it plays, where it says so."""
    protocol: str
    build: str | None
    """A shell command, run once in the sandbox."""
    run: tuple[str, ...]
    files: Mapping[str, File]
    """Its own files, and those that its protocol puts beside them."""
    limits: ResourceLimits = ResourceLimits()
    environment: Mapping[str, str] = {}
    why: Message | None = None
    """How its language and protocol were detected, where they were not given."""
    shows_ludus: bool = False
    """Whether it runs Ludus itself, as `ugi:ludus engine GAME` does, so that Ludus must be in its view."""
    language: str | None = None
    """The name of its language, where it is known."""
    needs: tuple[str, str] | None = None
    """The program that its language needs, and the Debian package that has it."""
    calibrate: str = ""
    """A shell command that measures the machine, run once in the sandbox after the build."""
    main: str = ""
    """The file that is the program, as it was handed in; empty where it has commands of its own."""
    mains: tuple[str, ...] = ()
    """The files of its programs, where it has several for a person at a terminal: one for each seat."""
    notes: tuple[Message, ...] = ()
    """What was repaired in the copy that is built, and why this file is the program where that is not plain."""
    console: ConsoleScript | None = None
    """How it is played at a terminal, where it says so."""
    renamed: Mapping[str, str] = {}
    """Files that it calls by another name: that name, and the one that the course has."""
    time: str = "seconds"
    """What it is told the time left in."""

    @property
    def content(self) -> str:
        """The name of its build: the same files and commands have the same."""
        more: tuple[str, ...] = ("calibrate", self.calibrate, self.game or "") if self.calibrate else ()
        more += ("console", self.console.model_dump_json()) if self.console else ()
        more += ("time", self.time) if self.time != "seconds" else ()
        return content(self.files, RECIPE, self.protocol, self.build or "", *self.run, *more)


class Wanted(NamedTuple):
    """What a course asks for of the files that are handed in."""

    names: tuple[str, ...] = ()
    """Patterns of the names that it prescribes for the program."""
    languages: tuple[str, ...] = ()
    main: str | tuple[str, ...] | None = None
    """The file that a person named as the program, or those of several programs."""
    allowed: Allowed = Allowed()
    """What programs may do otherwise than the protocol says."""


ANY = Wanted()


class ProgramUnknown(UserError):  # noqa: N818 - it is a question
    """It is not clear which of several files is the program."""

    def __init__(self, path: Path, names: tuple[str, ...], files: Mapping[str, File], wanted: Wanted) -> None:
        few = list(names[:MOST_TRIED])
        super().__init__("bots.program_unknown", path=path, names=few, first=names[0], config=CONFIG)
        self.path, self.names, self.files, self.wanted = path, names, files, wanted

    def __reduce__(self) -> tuple[type[UserError], tuple[Message]]:
        """Pass on the message only: another process that sent the files has them."""
        return UserError, (self.message,)


def read_bot(path: Path | str, protocol: str | None = None) -> Bot:
    """Read a bot: a folder or an archive with bot.toml or with sources, or a single source file."""
    path = Path(path)
    return bot_of(read_source(path), path, protocol)


def bot_of(files: dict[str, File], path: Path, protocol: str | None = None, wanted: Wanted = ANY) -> Bot:
    """Make a bot of files that were read already; sentences call them by the path."""
    found = undisguised(files, by_look=CONFIG not in files)
    if found.names and isinstance(wanted.main, str):
        wanted = wanted._replace(main=found.names.get(wanted.main, wanted.main))
    read = _configured if CONFIG in files else _recognised
    bot = read(path, found.files, protocol, wanted)
    return bot._replace(notes=(*found.notes, *bot.notes)) if found.notes else bot


def read_command(text: str, speech: str) -> Bot:
    """Make a bot from a command; the files that it names come along, and those of the same kind beside them."""
    try:
        words = shlex.split(text)
    except ValueError:
        raise UserError("bots.open_quote_in_command", protocol=speech) from None
    if not words:
        raise UserError("bots.needs_command", protocol=speech)
    files: dict[str, File] = {}
    run = []
    for word in words:
        path = Path(word)
        there = os.path.isfile(word)  # noqa: PTH113 - no file, too, when no name can be so long
        if not there or path.is_relative_to("/usr") or path.is_relative_to("/bin"):
            run.append(word)
            continue
        for beside in sorted(path.parent.glob(f"*{path.suffix}") if path.suffix else [path]):
            if beside.is_file():
                files |= read_source(beside)
        run.append(f"./{path.name}" if word == words[0] else path.name)
    ours = run[0] == "ludus"
    if ours:
        run[:1] = [sys.executable, "-m", "ludus"]
    made = _finished(Bot(words[-1], None, speech, None, tuple(run), files, why=Message("bots.is_command")), None, None)
    return made._replace(name=text, shows_ludus=ours)


def _configured(path: Path, files: dict[str, File], speech: str | None, wanted: Wanted) -> Bot:
    """Read bot.toml; each fault is one sentence with its place."""
    place = f"{path / CONFIG if path.is_dir() else path}"
    config = read_toml(files[CONFIG].data, place)
    for key, value in config.items():
        if key not in KEYS:
            raise UserError("bots.no_such_key", place=place, key=repr(key), keys=list(KEYS))
        if key == "files" and not _is_names(value):
            raise UserError("bots.files_not_table", place=place)
        if key not in TABLES and not isinstance(value, str) and not (key in ("run", "main") and _is_words(value)):
            raise UserError("bots.not_text", place=place, key=key)
        if key in COMMANDS:
            _check_command(value, key, place)
    script = read_settings(ConsoleScript, config["console"], f"{place}, [console]") if "console" in config else None
    for given in (script.given(0), script.given(1)) if script else ():
        _check_command(given, "arguments", place)
    speech = speech or config.get("protocol") or ("console" if script else None)
    if speech is not None:
        protocol(speech)
    game = config.get("game")
    if game is not None and game not in games():
        raise UserError("bots.no_such_game", place=place, game=repr(game), games=list(games()))
    limits = _limits(config.get("limits", {}), place)
    rest = {name: file for name, file in files.items() if name != CONFIG}
    name = visible(" ".join((config.get("name") or path.stem).split()))
    run = config.get("run")
    words = tuple(shlex.split(run) if isinstance(run, str) else run or ())
    calibrate, time = config.get("calibrate", ""), config.get("time", wanted.allowed.time)
    if time not in TIMES:
        raise UserError("bots.no_such_time", place=place, time=repr(time), times=list(TIMES))
    if words:
        said, build = config.get("language"), config.get("build")
        kind = language(said) if said else language_of_program(words, build, rest)
        environment = kind.environment if kind else {}
        made = Bot(name, game, speech or "lines", build, words, rest, limits, environment, calibrate=calibrate)
        return _finished(made, kind, None)._replace(console=script, time=time)
    allowed = wanted.allowed._replace(files=config.get("files") or wanted.allowed.files, time=time)
    main = config.get("main") or wanted.main
    wanted = wanted._replace(main=tuple(main) if isinstance(main, list) else main, allowed=allowed)
    made = _recognised(path, rest, speech, wanted, limits, config.get("language"))
    if "build" in config or "calibrate" in config:  # it says itself how it is built and measured
        made = made._replace(build=config.get("build") or made.build, calibrate=calibrate)
    return made._replace(name=name, game=game, console=script)


def _check_command(command: str | list[str], key: str, place: str) -> None:
    """Raise a UserError for a command that no system can start, or that no shell can read."""
    text = command if isinstance(command, str) else " ".join(command)
    if "\0" in text or len(text) > LONGEST_COMMAND:
        raise UserError("bots.not_a_command", place=place, key=key, most=LONGEST_COMMAND)
    if key == "run" and isinstance(command, str):  # the others are for the shell, which says so itself
        try:
            shlex.split(command)
        except ValueError:
            raise UserError("bots.open_quote", place=place, key=key) from None


def _is_words(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(word, str) for word in value)


def _is_names(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(word, str) for item in value.items() for word in item)


def _limits(given: object, place: str) -> ResourceLimits:
    """Return the limits that a bot asks for, at most the usual ones."""
    most = ResourceLimits()
    if not isinstance(given, dict):
        raise UserError("bots.limits_not_table", place=place)
    for key, value in given.items():
        if key not in LIMITS:
            raise UserError("bots.no_such_limit", place=place, key=repr(key))
        if type(value) is not int or not 1 <= value <= getattr(most, key):
            raise UserError("bots.limit_out_of_range", place=place, key=key, most=getattr(most, key))
    return most._replace(**given)


def _recognised(
    path: Path,
    files: dict[str, File],
    speech: str | None,
    wanted: Wanted,
    limits: ResourceLimits | None = None,
    spoken: str | None = None,
) -> Bot:
    """Detect the program among the files, its language by its name, and its protocol by its content."""
    limits = limits or ResourceLimits()
    mains = (wanted.main,) if isinstance(wanted.main, str) else wanted.main or ()
    for main in mains:
        if main not in files:
            raise UserError("bots.main_missing", path=path, main=repr(main))
    project = Project.read(files)

    def made(main: str, why: Message | None) -> Bot:
        kind = language(spoken) if spoken else language_of(main) or _unnamed_language(path, main, files[main])
        if kind.name == "c" and not spoken and is_plus_plus(project.texts.get(main, "")):
            kind = language("cpp")
        return _assembled(path.stem, project, main, kind, speech, limits, wanted.allowed, why)

    if len(mains) > 1:
        return _side_by_side([made(main, None)._replace(main=main) for main in mains])
    if mains:
        return made(mains[0], None)
    program = _program(path, project, speech, wanted)
    if len(program.names) == 1:
        return made(program.names[0], explained(program, program.names[0]))
    building = [bot for bot in (made(name, None) for name in program.names[:MOST_TRIED]) if _builds(bot)]
    if len(program.names) > MOST_TRIED or len(building) != 1:
        names = tuple(bot.main for bot in building) or program.names
        raise ProgramUnknown(path, names, files, wanted)
    why = Message("bots.program_taken", main=building[0].main, why=Message("bots.why_builds"))
    return building[0]._replace(notes=(why, *building[0].notes))


PROGRAMS = "ludus_programs.py"
"""Asks which of several programs is started."""


def _side_by_side(bots: list[Bot]) -> Bot:
    """Return one bot for a person at a terminal of several: it asks first which of them is started."""
    console = protocol("console")
    files = {name: File(text.encode()) for name, text in {**console.files(), PROGRAMS: shim(PROGRAMS)}.items()}
    run, build = ["python3", "-I", PROGRAMS, str(len(bots))], list[str]()
    environment: dict[str, str] = {}
    for number, bot in enumerate(bots, 1):
        files |= {f"program_{number}/{name}": file for name, file in bot.files.items()}
        run += [bot.main, shlex.join(bot.run)]
        build.append(f"(cd program_{number} && {{ {bot.build or 'true'}\n}})")
        environment |= bot.environment
    mains = tuple(bot.main for bot in bots)
    notes = tuple(dict.fromkeys(note for bot in bots for note in bot.notes))
    made = bots[0]._replace(protocol=console.name, build=" && ".join(build), run=tuple(run), files=files, main="")
    why = Message("bots.asks_a_person")
    return made._replace(environment=environment, mains=mains, notes=notes, why=why, console=None)


MOST_TRIED = 4
"""Files that are built to see which of them is the program."""


def _program(path: Path, project: Project, speech: str | None, wanted: Wanted) -> Program:
    """Return the files that may be the program; UserError says what was handed in instead of one."""
    program = _protocols_program(project, speech, wanted)
    program = program or find_program(project.texts, speech, wanted.names, wanted.languages)
    files = project.files
    if program.names:
        return program
    if len(files) == 1 or len(runs := [name for name in files if _is_executable(files[name])]) == 1:
        return Program((next(iter(files)) if len(files) == 1 else runs[0],))
    jars = [name for name, file in files.items() if name.lower().endswith(".jar") and file.data[:2] == b"PK"]
    if len(jars) == 1:
        return Program((jars[0],))
    raise no_source(path, files)


def _protocols_program(project: Project, speech: str | None, wanted: Wanted) -> Program | None:
    """Return the file that a protocol finds among all files to be the program, unless the course prescribes a name."""
    prescribed = [re.compile(pattern, re.IGNORECASE) for pattern in wanted.names]
    texts = {name: text for name, text in project.texts.items() if not is_aside(name)} or project.texts
    if any(named(name, prescribed) for name in texts):
        return None
    found = (protocol(name).program(texts) for name in ([speech] if speech else protocols()))
    main = next(filter(None, found), None)
    return Program((main,)) if main else None


def _is_executable(file: File) -> bool:
    return file.data[:4] == b"\x7fELF" or (file.executable and file.data[:2] == b"#!")


KINDS_OF_FILES = {
    "bots.only_other_language": (
        *(".go", ".rs", ".kt", ".scala", ".swift", ".ts", ".rb", ".php", ".pl", ".lua", ".hs", ".ml", ".r", ".jl"),
        *(".vb", ".pas", ".lisp", ".scm", ".rkt", ".clj", ".erl", ".ex", ".dart", ".groovy", ".f90", ".nim", ".fs"),
    ),
    "bots.only_exe": (".exe", ".dll", ".obj", ".o", ".out", ".pdb", ".ilk"),
    "bots.only_class": (".class", ".jar"),
    "bots.only_pyc": (".pyc", ".pyo"),
    "bots.only_documents": (
        ".pdf",
        ".doc",
        ".docx",
        ".odt",
        ".ppt",
        ".pptx",
        ".md",
        ".rtf",
        ".pages",
        ".png",
        ".jpg",
        ".jpeg",
    ),
}


def no_source(path: Path, files: Mapping[str, File]) -> UserError:
    """Return the error for files among which there is no source, by what there is instead."""
    endings = {PurePosixPath(name).suffix.lower() for name in files}
    for code, kinds in KINDS_OF_FILES.items():
        found = [name for name in files if PurePosixPath(name).suffix.lower() in kinds]
        if found and (code != "bots.only_documents" or endings <= {*kinds, ".txt"}):
            return UserError(code, path=path, name=found[0])
    return UserError("bots.no_source_file", path=path, config=CONFIG, names=sorted(files)[:5])


def _unnamed_language(path: Path, main: str, file: File) -> Language:
    """Return the language of a file whose name does not tell it: a program that is ready, or a jar."""
    if main.lower().endswith(".jar") and file.data[:2] == b"PK":
        return language("jar")
    if file.executable or file.data[:2] == b"#!" or file.data[:4] == b"\x7fELF":
        return language("executable")
    error = no_source(path, {main: file})
    if error.message.code != "bots.no_source_file":
        raise error
    raise UserError("bots.language_unknown", path=path, main=main, config=CONFIG)


def _builds(bot: Bot) -> bool:
    from ludus.bots.build import build  # noqa: PLC0415 - it builds what is defined here

    try:
        build(bot)
    except (Fault, SandboxError):
        return False
    return True


def _assembled(
    name: str,
    project: Project,
    main: str,
    kind: Language,
    speech: str | None,
    limits: ResourceLimits,
    allowed: Allowed,
    why_main: Message | None,
) -> Bot:
    """Make a bot of a project whose main file is known."""
    text = project.texts.get(main, "")
    chosen, why = (speech, None) if speech else recognised_protocol(Source(main, kind.name, text))
    if why is not None and chosen == "lines":  # another of its files may read and write for it
        chosen, why = recognised_protocol(Source(main, kind.name, project.all_texts(kind.name)))
        if protocol(chosen).calls_bot:
            chosen, why = recognised_protocol(Source(main, kind.name, text))
    spoken = protocol(chosen)
    ready = project.ready(main, kind, allowed, spoken, limits.memory_mb)
    environment = dict(kind.environment)
    if ready.python_path and not spoken.needs_ludus:
        environment["PYTHONPATH"] = ready.python_path
    notes = tuple(note for note in (why_main, *ready.notes) if note)
    bot = Bot(name, None, chosen, None, ready.run, ready.files, limits, environment, why, main=main, notes=notes)
    bot = _finished(bot, kind, ready.sources)._replace(renamed=ready.names, time=allowed.time)
    if ready.calibrate:
        build = f"{{ {bot.build or 'true'}\n}} && {ready.calibrate_build}"
        bot = bot._replace(build=build, calibrate=ready.calibrate)
    return bot


def _finished(bot: Bot, kind: Language | None, sources: Sources | None) -> Bot:
    """Add what the protocol puts beside a bot, and the usual build of its language."""
    speech = protocol(bot.protocol)
    added = dict(speech.files())
    build = bot.build
    for spoken in filter(None, [kind, *map(language_of, bot.files)]):
        added |= spoken.files
    if sources is not None and kind is not None:
        texts = {name: file.data.decode("utf-8-sig", errors="replace") for name, file in bot.files.items()}
        built, more = speech.adapt(sources.main, texts.pop(sources.main), texts)
        added |= more
        build = speech.build(kind.build(sources._replace(main=built)))
    for name in bot.files:
        if name.startswith("ludus_") and name in added:
            raise UserError("bots.name_reserved", name=name)
    files = {**bot.files, **{name: File(text.encode()) for name, text in added.items()}}
    bot = bot._replace(files=files, build=build)
    return bot._replace(language=kind.name, needs=kind.needs) if kind else bot


__all__ = ["Allowed", "Bot", "File", "ProgramUnknown", "Wanted", "bot_of", "protocols", "read_bot", "read_command"]
