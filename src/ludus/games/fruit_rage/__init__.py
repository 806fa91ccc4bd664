"""The Fruit Rage: claim groups of fruit. The rules are in rules.hpp; here is what Python needs to know of the game."""

from __future__ import annotations

from collections.abc import Mapping

from ludus.drawing.look import Look
from ludus.drawing.text_board import grid, tile
from ludus.errors import ParseError
from ludus.game import CourseSupport, Game, Number, Rules, rows_and_cols
from ludus.games.fruit_rage.drawing import ground
from ludus.games.fruit_rage.files import read_file, write_board, write_file
from ludus.messages import Message


def shape(board: str) -> Mapping[str, int]:
    """Return the size that a board field has."""
    size = rows_and_cols(board.split("/"))
    if size["rows"] != size["cols"]:
        raise ParseError(Message("fruit_rage.not_square", **size))
    return {"size": size["rows"]}


def least(board: str) -> Mapping[str, int]:
    """Return the number of types that a board field needs: one more than its highest digit."""
    return {"types": 1 + max((int(char) for char in board if char in "0123456789"), default=0)}


def palette(game: Game) -> tuple[str, ...]:
    """Return the fruits, and nothing."""
    return ("*", *"0123456789"[: int(game.options["types"])])


RULES = Rules(
    options={
        "size": Number(1, 26, 10, "rows and columns of the board"),
        "types": Number(1, 10, 4, "types of fruit"),
    },
    shape=shape,
    least=least,
    why=lambda _state: Message("fruit_rage.empty_board"),
)
LOOK = Look(board=grid(lambda cell: tile(cell, "*")), palette=palette, ground=ground)
COURSE = CourseSupport(
    read_file=read_file,
    write_file=write_file,
    write_board=write_board,
    boards=({}, {"size": 1, "types": 1}, {"size": 5, "types": 2}, {"size": 26, "types": 9}),
    clock="cpu:300",
    protocol="files",
    opponents=("random", "greedy", "minimax:depth=3"),
)
