"""Cantris: columns of numbered tiles that fall. The rules are in rules.hpp; here is what Python needs to know of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ludus.drawing.look import Look
from ludus.drawing.text_board import grid, tile
from ludus.game import Choice, CourseSupport, Game, Number, Rules, State
from ludus.games.cantris.drawing import ground
from ludus.games.cantris.files import read_file
from ludus.messages import Message

COURSE_BOARD_OF_TWO_REMOVALS = (10, 5)


def least(board: str) -> Mapping[str, int]:
    """Return the largest number that a board field shows; `tiles` must reach it."""
    return {"tiles": max((int(char) for char in board if char in "123456789"), default=1)}


def settle(options: dict[str, int | str]) -> None:
    """Fill in what follows from the size: as many numbers as half the rows, and two removals on 10 x 5."""
    rows, cols = options["rows"], options["cols"]
    options.setdefault("tiles", max(1, int(rows) // 2))
    options.setdefault("removals", 2 if (rows, cols) == COURSE_BOARD_OF_TWO_REMOVALS else 1)


def read_move(_state: State, text: str) -> str:
    """Read the course's `row col`."""
    match = re.fullmatch(r"\s*([0-9]+)\s+([0-9]+)\s*", text)
    return text if match is None else f"{match[1]},{match[2]}"


def palette(game: Game) -> tuple[str, ...]:
    """Return the tiles, and nothing."""
    return (".", *"123456789"[: int(game.options["tiles"])])


def remarks(state: State, move: str) -> Iterator[Message]:
    """Yield what a removal does: tiles that pop, and columns that are about to be empty."""
    after, names = state.play(move), {"move": move, "side": state.game.sides[state.side]}
    runs = [step for step in state.steps(move) if step.kind == "run"]
    if runs:
        points = sum(step.points for step in runs)
        yield Message("cantris.why.run", n=sum(len(step.cells) for step in runs), points=points, **names)
    last = columns_of_one(after) - columns_of_one(state)
    if last and after.outcome is None:
        yield Message("cantris.why.last_tile", column=min(last), **names)


def columns_of_one(state: State) -> set[int]:
    """Return the columns with one tile left, counted from 0 as moves do."""
    board = state.text.partition(" ")[0].split("/")
    return {col for col, column in enumerate(zip(*board, strict=True)) if sum(cell != "." for cell in column) == 1}


RULES = Rules(
    options={
        "rows": Number(1, 12, 8, "rows of the board"),
        "cols": Number(1, 8, 4, "columns of the board"),
        "tiles": Number(1, 9, None, "the largest number on a tile; half the rows unless given"),
        "removals": Number(1, 2, None, "removals in a turn; 2 on 10 x 5, else 1, unless given"),
        "second_removal": Choice(("required", "optional"), "required", "whether a player may pass the second removal"),
    },
    least=least,
    settle=settle,
    read_move=read_move,
    why=lambda _state: Message("cantris.empty_column"),
    remarks=remarks,
)
LOOK = Look(board=grid(lambda cell: tile(cell, "."), range, range), palette=palette, ground=ground)
COURSE = CourseSupport(
    read_file=read_file,
    boards=({"rows": 6, "cols": 3}, {"rows": 8, "cols": 4}, {"rows": 10, "cols": 5}),
    clock="30/move",
)
