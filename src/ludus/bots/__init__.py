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

from ludus.bots.languages import Language, language, language_of, language_of_program
from ludus.bots.source import File, content, read_source
from ludus.display import visible
from ludus.errors import UserError
from ludus.files import read_toml
from ludus.game import games
from ludus.messages import Message
from ludus.protocols import protocol, protocols
from ludus.sandbox import ResourceLimits

if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG = "bot.toml"
KEYS = ("name", "game", "protocol", "language", "main", "build", "run", "calibrate", "limits")
RECIPE = "2"
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

    @property
    def content(self) -> str:
        """The name of its build: the same files and commands have the same."""
        more = ("calibrate", self.calibrate) if self.calibrate else ()
        return content(self.files, RECIPE, self.protocol, self.build or "", *self.run, *more)


def read_bot(path: Path | str, protocol: str | None = None) -> Bot:
    """Read a bot: a folder or an archive with bot.toml, or a single source file."""
    path = Path(path)
    return bot_of(read_source(path), path, protocol)


def bot_of(files: dict[str, File], path: Path, protocol: str | None = None) -> Bot:
    """Make a bot of files that were read already; sentences call them by the path."""
    if CONFIG in files:
        return _configured(path, files, protocol)
    return _recognised(path, files, protocol)


def read_command(text: str, speech: str) -> Bot:
    """Make a bot from a command; the files that it names come along, and those of the same kind beside them."""
    words = shlex.split(text)
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


def _configured(path: Path, files: dict[str, File], speech: str | None) -> Bot:
    """Read bot.toml; each fault is one sentence with its place."""
    place = f"{path / CONFIG if path.is_dir() else path}"
    config = read_toml(files[CONFIG].data, place)
    for key, value in config.items():
        if key not in KEYS:
            raise UserError("bots.no_such_key", place=place, key=repr(key), keys=list(KEYS))
        if key != "limits" and not isinstance(value, str) and not (key == "run" and _is_words(value)):
            raise UserError("bots.not_text", place=place, key=key)
    speech = speech or config.get("protocol")
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
    calibrate = config.get("calibrate", "")
    if words:
        said, build = config.get("language"), config.get("build")
        kind = language(said) if said else language_of_program(words, build, rest)
        environment = kind.environment if kind else {}
        made = Bot(name, game, speech or "lines", build, words, rest, limits, environment, calibrate=calibrate)
        return _finished(made, kind, None)
    made = _recognised(path, rest, speech, limits, config.get("language"), config.get("main"))
    build = config.get("build") or made.build
    return made._replace(name=name, game=game, build=build, calibrate=calibrate)


def _is_words(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(word, str) for word in value)


def _limits(given: object, place: str) -> ResourceLimits:
    """Return the limits that a bot asks for, at most the usual ones."""
    most = ResourceLimits()
    if not isinstance(given, dict):
        raise UserError("bots.limits_not_table", place=place)
    for key, value in given.items():
        if key not in ("memory_mb", "processes", "disk_mb"):
            raise UserError("bots.no_such_limit", place=place, key=repr(key))
        if type(value) is not int or not 1 <= value <= getattr(most, key):
            raise UserError("bots.limit_out_of_range", place=place, key=key, most=getattr(most, key))
    return most._replace(**given)


def _recognised(
    path: Path,
    files: dict[str, File],
    speech: str | None,
    limits: ResourceLimits | None = None,
    spoken: str | None = None,
    main: str | None = None,
) -> Bot:
    """Detect the language of a source file by its name, and its protocol by its content."""
    if main is not None and main not in files:
        raise UserError("bots.main_missing", path=path / CONFIG, main=repr(main))
    main = main or _main_file(path, files)
    text = files[main].data.decode("utf-8-sig", errors="replace")
    kind = language(spoken) if spoken else language_of(main)
    if kind is None:
        if not (files[main].executable or files[main].data[:2] == b"#!" or files[main].data[:4] == b"\x7fELF"):
            raise UserError("bots.language_unknown", path=path, main=main, config=CONFIG)
        kind = language("executable")
        files = {**files, main: File(files[main].data, executable=True)}
    staged = kind.stage(main, text) if "/" not in main else main
    files = {staged if name == main else name: file for name, file in files.items()}
    chosen, why = (speech, None) if speech else recognised_protocol(kind, text, main)
    protocol(chosen)
    limits = limits or ResourceLimits()
    made = Bot(path.stem, None, chosen, None, kind.run(staged, limits.memory_mb), files, limits, kind.environment, why)
    return _finished(made, kind, staged)


def _finished(bot: Bot, kind: Language | None, main: str | None) -> Bot:
    """Add what the protocol puts beside a bot, and the usual build of its language."""
    speech = protocol(bot.protocol)
    added = dict(speech.files())
    build = bot.build
    if main is not None and kind is not None:
        texts = {name: file.data.decode("utf-8-sig", errors="replace") for name, file in bot.files.items()}
        built, more = speech.adapt(main, texts.pop(main), texts)
        added |= more
        build = kind.build(built)
    for name in bot.files:
        if name.startswith("ludus_") and name in added:
            raise UserError("bots.name_reserved", name=name)
    files = {**bot.files, **{name: File(text.encode()) for name, text in added.items()}}
    bot = bot._replace(files=files, build=build)
    return bot._replace(language=kind.name, needs=kind.needs) if kind else bot


def _main_file(path: Path, files: Mapping[str, File]) -> str:
    """Find the one file that is the program."""
    if len(files) == 1:
        return next(iter(files))
    tops = [name for name in files if "/" not in name]
    sources = [name for name in tops if language_of(name) and PurePosixPath(name).suffix not in (".h", ".hpp")]
    for pattern in (r"homework\d*\.\w+", r"main\.\w+", r"bot\.\w+"):
        if named := [name for name in sources if re.fullmatch(pattern, name, re.IGNORECASE)]:
            return named[0]
    if len(sources) == 1:
        return sources[0]
    if sources:
        raise UserError("bots.program_unknown", path=path, count=len(files), config=CONFIG)
    raise UserError("bots.no_source_file", path=path, config=CONFIG)


def recognised_protocol(kind: Language, text: str, name: str) -> tuple[str, Message]:
    """Guess the protocol of a source by what is written in it, and return it with the reason."""
    if kind.name == "cpp" and re.search(r"\bmakeMove\s*\(", text) and re.search(r"\bgetX\s*\(", text):
        return "class", Message("bots.has_class")
    if kind.name == "python" and re.search(r"^def\s+choose\s*\(", text, re.MULTILINE):
        return "python", Message("bots.has_choose")
    if "input.txt" in text and "output.txt" in text:
        return "files", Message("bots.has_files")
    if re.search(r"\bbestmove\b", text) and re.search(r"\bugi", text):
        return "ugi", Message("bots.has_bestmove")
    if re.fullmatch(r"homework\d*\.\w+", name, re.IGNORECASE):
        return "files", Message("bots.is_called", name=name)
    return "lines", Message("bots.no_sign_of_protocol")


__all__ = ["Bot", "File", "bot_of", "protocols", "read_bot", "read_command"]
