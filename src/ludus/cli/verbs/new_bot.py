"""`ludus new-bot`: write a folder with a bot that already plays legal moves, and say what to do next."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path

import click

from ludus.bots.starters import LANGUAGES, starter
from ludus.cli.arguments import check_game, did_you_mean, json_option
from ludus.cli.output import echo, echo_json
from ludus.cli.verbs import Verb
from ludus.courses import find_course, presets
from ludus.errors import UserError
from ludus.messages import Message

SECTION = "Write a bot"
SUMMARY = "write a starter bot in Python, C++, Java or JavaScript"
EXAMPLES = """
ludus new-bot chain-reaction                             a Python bot in chain-reaction-bot
ludus new-bot fruit-rage --language cpp --protocol lines
ludus new-bot cantris --language java --name 'Deep Tile' my-folder
"""


def check_language(_ctx: click.Context, _param: click.Parameter, name: str) -> str:
    """Check that there is a starter in this language."""
    if name not in LANGUAGES:
        hint = did_you_mean(name, LANGUAGES)
        raise UserError("cli.no_starter", name=repr(name), languages=list(LANGUAGES), hint=hint)
    return name


@click.command(cls=Verb, examples=EXAMPLES)
@click.argument("game", metavar="GAME", callback=check_game)
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--language", default="python", show_default=True, callback=check_language, help="python, cpp, java or javascript."
)
@click.option(
    "--protocol", help="How it talks to the referee.  [default: that of the game's course, or of the language]"
)
@click.option("--name", help="The name of the bot.  [default: the name of its folder]")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@json_option
def new_bot(
    *, game: str, folder: Path | None, language: str, protocol: str | None, name: str | None, force: bool, as_json: bool
) -> None:
    """Write a starter into DIR: bot.toml, the rules, and a file for your own code."""
    place = folder or Path(f"{game}-bot")
    files = starter(game, language, protocol, name or place.resolve().name)
    if place.exists() and not place.is_dir():
        raise UserError("cli.not_a_folder", path=str(place))
    existing = [file for file in files if (place / file).exists() or (place / file).is_symlink()]
    if existing and not force:
        raise UserError("cli.file_exists", path=str(place / existing[0]))
    place.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        (place / file).write_text(text, encoding="utf-8", newline="\n")
    if as_json:
        echo_json({"game": game, "language": language, "folder": str(place), "files": list(files)})
        return
    for note in refusals(game, tomllib.loads(files["bot.toml"])["protocol"]):
        echo(Message("cli.note", note=note), err=True)
    word = shlex.quote(str(place))
    echo(Message("cli.new_bot.written", files=list(files), folder=place))
    echo()
    echo(f"  ludus check {word}")
    echo(f"  ludus play {game} --first {word} --second greedy")


def refusals(game: str, protocol: str) -> list[Message]:
    """Return a message for each preset of the game that does not accept the protocol."""
    accepted = {
        course.name: course.submission.protocols for course in map(find_course, presets()) if course.game == game
    }
    return [
        Message("cli.course_refuses", course=name, protocol=protocol, protocols=list(protocols))
        for name, protocols in accepted.items()
        if protocols and protocol not in protocols
    ]
