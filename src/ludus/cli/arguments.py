"""What the verbs take: games, options, players, positions. Reads them, and says what would have been right."""

from __future__ import annotations

import difflib
import os
from typing import TYPE_CHECKING, Any

import click

import ludus
from ludus.errors import ParseError, UserError, message_of
from ludus.files import read_text
from ludus.game import CourseBoard, game, read_options, read_position
from ludus.messages import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ludus.game import Game, State
    from ludus.play.clock import Clock
    from ludus.play.record import Record


def did_you_mean(word: str, choices: Iterable[str]) -> Message | str:
    """Return a question that ends a sentence about a wrong word, or nothing when no choice is near."""
    known = list(choices)
    begun = [choice for choice in known if len(word) > 1 and choice.startswith(word.lower())]
    near = begun or difflib.get_close_matches(word.lower(), known, n=1)
    return Message("cli.did_you_mean", choice=near[0]) if near else ""


def check_game(_ctx: click.Context, _param: click.Parameter, name: str) -> str:
    """Check that there is such a game."""
    if name not in ludus.games():
        near = did_you_mean(name, ludus.games())
        raise UserError("cli.no_such_game", name=repr(name), games=list(ludus.games()), suggestion=near)
    return name


def check_player(_ctx: click.Context, _param: click.Parameter, text: str) -> str:
    """Check that there is such a player, `human` included."""
    from ludus.players import HUMAN, player, players  # noqa: PLC0415 - help pages do without

    if text != HUMAN:
        try:
            player(text)
        except ValueError as error:
            near = did_you_mean(text.partition(":")[0], players())
            raise UserError("cli.no_such_player", problem=message_of(error), suggestion=near) from None
    return text


def check_clock(_ctx: click.Context, _param: click.Parameter, text: str) -> Clock:
    """Read a clock."""
    from ludus.play.clock import Clock  # noqa: PLC0415 - help pages do without

    return Clock.parse(text)


def game_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb the argument GAME and its `--option name=value`."""
    options = click.option(
        "--option", "options", metavar="NAME=VALUE", multiple=True, help="An option of the game; may be given again."
    )
    return click.argument("game", metavar="GAME", callback=check_game)(options(function))


json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")


def make_game(name: str, words: Iterable[str]) -> Game:
    """Give the game with the options of the command line."""
    options = read_options(words)
    known = game(name).option_types
    for option in options.keys() - known.keys() if known else ():
        near = did_you_mean(option, known)
        raise UserError("cli.no_such_option", game=name, option=repr(option), options=list(known), suggestion=near)
    return game(name, **options)


def find_moves(start: State, where: str) -> Record | None:
    """Read a bare list of moves from a file, or from the argument itself; None where it is something else."""
    from ludus.play.moves import looks_like_moves, read_moves  # noqa: PLC0415 - help pages do without

    is_file = os.path.exists(where) and not os.path.isdir(where)  # noqa: PTH110, PTH112 - a Path may raise on odd names
    text = read_text(where) if is_file else where
    return read_moves(start, text, where if is_file else None) if looks_like_moves(text) else None


def load_record(path: str, remedy: str) -> Record:
    """Read a record from a file; a bare list of moves needs its game, and `remedy` says how it is given."""
    from ludus.play.moves import looks_like_moves  # noqa: PLC0415 - help pages do without
    from ludus.play.record import Record  # noqa: PLC0415

    if looks_like_moves(read_text(path)):
        raise UserError("cli.moves_without_game", path=path, remedy=remedy)
    return Record.load(path)


def find_position(game: Game, where: str) -> CourseBoard:
    """Read a position from a file, or from the argument itself."""
    if os.path.exists(where) and not os.path.isdir(where):  # noqa: PTH110, PTH112 - a Path may raise on odd names
        return read_position(game, read_text(where), where)
    try:
        return CourseBoard(game.parse(where))
    except ParseError as error:
        shown = where if len(where) <= 60 else f"{where[:57]}..."
        raise UserError(
            "cli.neither_file_nor_position", text=repr(shown), column=error.column, problem=error.message
        ) from None
