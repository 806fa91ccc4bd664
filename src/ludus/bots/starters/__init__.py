"""Starters: folders with a bot that already plays legally, for students to continue from.

Each is put together from a language's folder beside this one, which holds a search and a main file for each protocol,
and from the game's own folder `starters`, which holds the rules in each language. Knows no front.
"""

from __future__ import annotations

import json
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ludus.bots.source import File
from ludus.errors import UserError
from ludus.game import game as make_game
from ludus.protocols import protocol as speaking

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = Path(__file__).parent


class StarterLanguage(NamedTuple):
    """How a starter is laid out in a language."""

    protocols: tuple[str, ...]
    """Those that fit; the first one is used where the game's course has none of its own."""
    suffix: str
    rules: str
    """What the file with the rules is called in a starter; so too the next two."""
    search: str
    main: str
    build: str | None
    run: str


LANGUAGES: Mapping[str, StarterLanguage] = {
    "python": StarterLanguage(
        ("python", "lines", "ugi", "files"), ".py", "rules.py", "search.py", "bot.py", None, "python3 bot.py"
    ),
    "cpp": StarterLanguage(
        *(("lines", "ugi", "files", "class"), ".cpp", "rules.h", "search.h", "bot.cpp"),
        *("g++ -std=c++17 -O2 -o bot bot.cpp", "./bot"),
    ),
    "java": StarterLanguage(
        *(("lines", "ugi", "files"), ".java", "State.java", "Search.java", "Bot.java"),
        *("javac -encoding UTF-8 *.java", "java -XX:+UseSerialGC -Xmx256m -cp . Bot"),
    ),
    "javascript": StarterLanguage(
        *(("lines", "ugi", "files"), ".js", "rules.js", "search.js", "bot.js"),
        *(None, "node --max-old-space-size=256 bot.js"),
    ),
}

ALONE = {"python": "bot.py", "class": "student.h"}
"""Protocols whose bot is a single file: the arena brings the rules, or the course's class has no room for more."""
CONFIG = """\
# What the arena needs to know about this bot. Check it with: ludus check FOLDER
name = {name}
game = {game}
protocol = {protocol}  # how the arena and the bot talk
{commands}
# The default limits are those of the course. Set lower ones to be sure that the bot stays below them.
# [limits]
# memory_mb = 256
# processes = 16
"""


def starter(game: str, language: str, protocol: str | None = None, name: str = "starter") -> dict[str, str]:
    """Return the files of a starter, by name."""
    if language not in LANGUAGES:
        raise UserError("starters.no_language", language=repr(language), languages=list(LANGUAGES))
    made = LANGUAGES[language]
    spoken = protocol or usual_protocol(game, language)
    check_fit(game, language, spoken)
    if not name.isprintable() or not name.strip():
        raise UserError("starters.name", name=repr(name))
    own = folder_of(game)
    found = [place / f"{spoken}{suffix}" for place in (own, HERE / language) for suffix in suffixes(made)]
    main = next(path for path in found if path.exists())
    if spoken in ALONE:
        files = {ALONE[spoken]: main.read_text(encoding="utf-8")}
    else:
        suffix = Path(made.rules).suffix
        sources = {
            made.rules: own / f"rules{suffix}",
            made.search: HERE / language / f"search{suffix}",
            made.main: main,
        }
        files = {to: source.read_text(encoding="utf-8") for to, source in sources.items()}
    return {"bot.toml": config(made, game, spoken, name), **files}


def given_out(game: str) -> list[dict[str, File]]:
    """Return the files of every starter of a game."""
    found = []
    for language, made in LANGUAGES.items():
        for spoken in made.protocols:
            with suppress(UserError):  # not every protocol is for every game
                texts = starter(game, language, spoken)
                found.append({name: File(text.encode()) for name, text in texts.items()})
    return found


def folder_of(game: str) -> Path:
    """Return the folder with what a game brings for starters: `rules` in each language, and mains of its own."""
    return Path(import_module("ludus.games").__path__[0], game.replace("-", "_"), "starters")


def usual_protocol(game: str, language: str) -> str:
    """Return the protocol of a starter that nobody chose: the one of the game's course, where the language has it."""
    fitting = LANGUAGES[language].protocols
    wanted = make_game(game).course.protocol
    return wanted if wanted in fitting else fitting[0]


def suffixes(language: StarterLanguage) -> tuple[str, str]:
    """Return how the files of a language end: a main file, or one that is included."""
    return language.suffix, Path(language.rules).suffix


def check_fit(game: str, language: str, protocol: str) -> None:
    """Refuse what does not go together, and say what does."""
    fitting = LANGUAGES[language].protocols
    if protocol not in fitting:
        raise UserError("starters.no_protocol", language=language, protocol=repr(protocol), fitting=list(fitting))
    games = speaking(protocol).games
    if games and game not in games:
        raise UserError("starters.other_game", protocol=protocol, games=list(games), game=game, fitting=fitting[0])
    if protocol not in ALONE and not (folder_of(game) / f"rules{Path(LANGUAGES[language].rules).suffix}").exists():
        raise UserError("starters.no_rules", game=game, language=language)


def config(language: StarterLanguage, game: str, protocol: str, name: str) -> str:
    """Return the text of bot.toml."""
    commands = ""
    if protocol == "class":
        commands = f"main = {quoted(ALONE[protocol])}  # the arena compiles it into a program\n"
    else:
        if language.build:
            commands = f"build = {quoted(language.build)}  # runs once, in a folder with these files\n"
        commands += f"run = {quoted(language.run)}\n"
    return CONFIG.format(name=quoted(name), game=quoted(game), protocol=quoted(protocol), commands=commands)


def quoted(text: str) -> str:
    """Write a text as TOML does."""
    return json.dumps(text, ensure_ascii=False)
