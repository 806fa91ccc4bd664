"""`ludus new-bot`: writes a folder with a bot that already plays legally, and says what to do next."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

import click

from ludus.cli.arguments import check_game, did_you_mean, json_option
from ludus.cli.output import echo
from ludus.cli.verbs import Verb
from ludus.errors import UserError

EXAMPLES = """
ludus new-bot chain-reaction                             a Python bot in chain-reaction-bot
ludus new-bot fruit-rage --language cpp --protocol lines
ludus new-bot cantris --language java --name 'Deep Tile' my-folder
"""


def check_language(_ctx: click.Context, _param: click.Parameter, name: str) -> str:
    """Check that there are starters in this language."""
    from ludus.bots.starters import LANGUAGES  # noqa: PLC0415 - the help page does without

    if name not in LANGUAGES:
        near = did_you_mean(name, LANGUAGES)
        raise UserError("cli.no_such_starter", name=repr(name), languages=list(LANGUAGES), suggestion=near)
    return name


@click.command(
    cls=Verb,
    section="For courses and scripts",
    examples=EXAMPLES,
    short_help="a bot of your own to begin with: python, cpp, java or javascript",
)
@click.argument("game", metavar="GAME", callback=check_game)
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option("--language", default="python", show_default=True, callback=check_language, help="What to write it in.")
@click.option(
    "--protocol",
    help="How it talks to the arena; unless given, as the game's course does, or the language's usual one.",
)
@click.option("--name", help="What the bot is called; unless given, as its folder is.")
@click.option("--force", is_flag=True, help="Overwrite files that are there already.")
@json_option
def new_bot(
    *, game: str, folder: Path | None, language: str, protocol: str | None, name: str | None, force: bool, as_json: bool
) -> None:
    """Write a starter into DIR: bot.toml, the rules, and the file where your own thoughts go."""
    from ludus.bots.starters import starter  # noqa: PLC0415 - the help page does without

    place = folder or Path(f"{game}-bot")
    files = starter(game, language, protocol, name or place.resolve().name)
    if place.exists() and not place.is_dir():
        raise UserError("cli.not_a_folder", place=place)
    there = [file for file in files if (place / file).exists() or (place / file).is_symlink()]
    if there and not force:
        raise UserError("cli.exists", path=place / there[0])
    place.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        (place / file).write_text(text, encoding="utf-8", newline="\n")
    if as_json:
        echo(json.dumps({"game": game, "language": language, "folder": str(place), "files": list(files)}))
        return
    for note in refusals(game, tomllib.loads(files["bot.toml"])["protocol"]):
        echo(f"ludus: {note}", err=True)
    word = shlex.quote(str(place))
    echo(f"Wrote {', '.join(files)} in {place}. Next:\n")
    echo(f"  ludus check {word}")
    echo(f"  ludus play {game} --first {word} --second greedy")


def refusals(game: str, protocol: str) -> list[str]:
    """Return a sentence for each preset of the game that does not take the protocol."""
    from ludus.courses import find_course, presets  # noqa: PLC0415 - the help page does without

    courses = [course for course in map(find_course, presets()) if course.game == game and course.protocols]
    return [
        f"the course {course.name} does not take the protocol {protocol}; it takes {', '.join(course.protocols)}"
        for course in courses
        if protocol not in course.protocols
    ]


COMMAND = new_bot
