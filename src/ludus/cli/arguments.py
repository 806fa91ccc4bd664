"""The arguments that several verbs take: games, options, players, positions, the arena's database.

Reads them, and names the right choices if one is wrong. Knows no verb.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import ludus
from ludus.cli.output import echo
from ludus.errors import ParseError, UserError, message_of
from ludus.files import create_private, make_private, read_text
from ludus.game import CourseBoard, game, read_options, read_position
from ludus.messages import Message
from ludus.play.clock import Clock
from ludus.play.moves import looks_like_moves, read_moves
from ludus.play.record import Record
from ludus.players import HUMAN, player, players

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ludus.game import Game, State


def did_you_mean(word: str, choices: Iterable[str], command: str = "") -> Message | str:
    """Return the end of a sentence about a wrong word: the nearest choice, or else the help page of a command."""
    known = list(choices)
    begun = [choice for choice in known if len(word) > 1 and choice.startswith(word.lower())]
    near = begun or difflib.get_close_matches(word.lower(), known, n=1)
    if near:
        return Message("cli.did_you_mean", name=near[0])
    return Message("cli.or_see_help", command=command) if command else ""


def known_game(name: str) -> str:
    """Return the name of a game; raise a UserError if there is no such game."""
    if name not in ludus.games():
        games = list(ludus.games())
        raise UserError("cli.no_game", name=repr(name), games=games, hint=did_you_mean(name, games))
    return name


def check_game(_ctx: click.Context, _param: click.Parameter, name: str | None) -> str | None:
    """Check that there is such a game, if one is named."""
    return None if name is None else known_game(name)


def check_player(_ctx: click.Context, _param: click.Parameter, text: str) -> str:
    """Check that there is such a player, `human` included."""
    if text != HUMAN:
        try:
            player(text)
        except ValueError as error:
            name = text.partition(":")[0]
            hint = "" if name in players() else did_you_mean(name, players())
            raise UserError("cli.wrong_player", problem=message_of(error), hint=hint) from None
    return text


def check_clock(_ctx: click.Context, _param: click.Parameter, text: str | None) -> Clock | None:
    """Read a clock, if one is given."""
    return Clock.parse(text) if text else None


def with_options(*options: Callable[..., Any]) -> Callable[..., Any]:
    """Return the decorator that adds several options, in their order."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


option_option = click.option(
    "--option", "options", metavar="NAME=VALUE", multiple=True, help="An option of the game; can be repeated."
)
game_argument = with_options(click.argument("game", metavar="GAME", callback=check_game), option_option)
position_argument = click.argument("position", metavar="[POSITION]", required=False)
board_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="The number of the random board, in games that have one."
)
threads_option = click.option(
    "--threads", type=click.IntRange(1, 256), default=1, show_default=True, help="The number of threads."
)


def memory_option(default: int) -> Callable[..., Any]:
    """Return the option for the memory of a search."""
    size = click.IntRange(1, 1 << 20)
    return click.option("--megabytes", type=size, default=default, show_default=True, help="Memory for the search.")


jobs_option = click.option("--jobs", type=click.IntRange(1), help="Games at the same time.  [default: one per core]")
trust_option = click.option("--trust", is_flag=True, help="Run bots without the sandbox; only for your own bots.")
weak_option = click.option(
    "--weak-sandbox",
    "weak",
    is_flag=True,
    envvar="LUDUS_WEAK_SANDBOX",
    help="Run strangers' bots even if this machine cannot limit their memory; see ludus doctor.",
)
animation_option = click.option("--no-animation", is_flag=True, help="Show each move at once, not step by step.")
bot_options = with_options(
    click.option(
        "--pondering", is_flag=True, help="Let bots think while the opponent thinks, instead of pausing them."
    ),
    trust_option,
)
cluster_option = click.option(
    "--cluster", metavar="ADDRESS", help="Play on a Dask cluster: tcp://HOST:PORT, or local:N."
)
games_options = with_options(
    click.option("--seed", type=int, default=0, show_default=True, help="The number of the first opening or board."),
    jobs_option,
    click.option("--force", is_flag=True, help="Allow more games at the same time than cores."),
    click.option("--ledger", metavar="FILE|URL", help="Store the games there, and play only those that are missing."),
    click.option(
        "--out", metavar="DIR", type=click.Path(file_okay=False), help="Write tables, records, plots and a page there."
    ),
    cluster_option,
    bot_options,
)
"""The options of verbs that play many games."""
bot_game_option = click.option(
    "--game", metavar="GAME", callback=check_game, help="The game, if bot.toml does not name it."
)
source_options = with_options(
    bot_game_option, click.option("--protocol", metavar="NAME", help="The protocol, if it is not detected.")
)
bot_clock_option = click.option(
    "--clock", callback=check_clock, help="3/move, 300, 60+1, cpu:300 or none.  [default: the clock of its course]"
)
clock_option = click.option(
    "--clock", callback=check_clock, default="none", show_default=True, help="3/move, 300, 60+1, cpu:300 or none."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def make_game(name: str, words: Iterable[str]) -> Game:
    """Return the game with the options of the command line."""
    options = read_options(words)
    known = game(name).option_types
    for option in options.keys() - known.keys() if known else ():
        hint = did_you_mean(option, known)
        raise UserError("cli.no_game_option", game=name, name=repr(option), options=list(known), hint=hint)
    return game(name, **options)


def find_moves(start: State, where: str) -> Record | None:
    """Read a list of moves from a file or from the argument itself; return None if it is something else."""
    is_file = os.path.exists(where) and not os.path.isdir(where)  # noqa: PTH110, PTH112 - a Path may raise on odd names
    text = read_text(where) if is_file else where
    return read_moves(start, text, where if is_file else None) if looks_like_moves(text, start.game) else None


def load_record(path: str, command: str) -> Record:
    """Read a record from a file; a list of moves does not name its game, and `command` shows how to name it."""
    if looks_like_moves(read_text(path)):
        raise UserError("cli.moves_without_game", path=path, command=command)
    return Record.load(path)


def find_state(game: Game, position: str | None, seed: int) -> State:
    """Return the position of an argument, or the start with a random number."""
    return game.initial(seed) if position is None else find_position(game, position).state


def state_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add GAME, [POSITION] and what belongs to them to a verb, which is given their `state`."""

    @functools.wraps(function)
    def with_state(*, game: str, options: tuple[str, ...], position: str | None, seed: int, **given: Any) -> Any:
        return function(state=find_state(make_game(game, options), position, seed), **given)

    decorated: Callable[..., Any] = with_options(game_argument, position_argument, board_option)(with_state)
    return decorated


def find_position(game: Game, where: str) -> CourseBoard:
    """Read a position from a file, or from the argument itself."""
    if os.path.exists(where) and not os.path.isdir(where):  # noqa: PTH110, PTH112 - a Path may raise on odd names
        return read_position(game, read_text(where), where)
    try:
        return CourseBoard(game.parse(where))
    except ParseError as error:
        shown = where if len(where) <= 60 else f"{where[:57]}..."
        raise UserError("cli.no_position", text=repr(shown), column=error.column, problem=error.message) from None


database_option = click.option(
    "--database", help="A file, or the URL of a PostgreSQL database.  [default: a file in your data folder]"
)
files_option = click.option("--files", help="A folder for uploads and results.  [default: beside the database]")


def arena_places(database: str | None, files: str | None) -> tuple[str, Path]:
    """Return the database and the folder of files of a web arena; the defaults are in the user's data folder."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share", "ludus")
    if database is None:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        database = str(data / "arena.db")
    if files is not None:
        folder = Path(files)
    else:
        folder = data / "arena.files" if "://" in database else Path(database).with_suffix(".files")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UserError("cli.no_files_folder", folder=str(folder), why=error.strerror) from None
    from ludus.store import database_files  # noqa: PLC0415 - slow to import

    stored = database_files(database)
    with contextlib.suppress(OSError):  # it is there already, or cannot be: then opening it says why
        for new in stored[:1]:
            os.close(create_private(new))
    keep_private(*stored, folder)
    return database, folder


def keep_private(*paths: Path) -> None:
    """Let only the owner read the data of an arena: what people upload, their grades, hashes of their passwords.

    What an older version, or another program, has left open is closed, with a note.
    """
    for path in paths:
        try:
            if make_private(path):
                echo(Message("cli.made_private", path=path), err=True)
        except OSError as error:
            echo(Message("cli.not_private", path=path, why=error.strerror), err=True)
