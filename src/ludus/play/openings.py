"""Openings: starts that differ, so that deterministic players do not play one game a hundred times."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from ludus.errors import ParseError, UserError
from ludus.files import read_text
from ludus.messages import Message

if TYPE_CHECKING:
    from pathlib import Path

    from ludus.game import Game, State

PLIES = 4
"""Random plies before a game that always starts from the same board."""


def opening(game: Game, number: int, plies: int = PLIES) -> State:
    """Return the start with this number: a random board where the game has them, else the board after random plies.

    The same number gives the same start on every machine. Finished positions are skipped.
    """
    start = game.initial(number)
    if start.text != game.initial(number + 1).text:
        return start
    chooser = random.Random(number)
    while True:
        state = start
        for _ in range(plies):
            if state.outcome is None:
                state = state.play(chooser.choice(state.legal_moves))
        if state.outcome is None:
            return state
        plies = max(0, plies - 1)


def read_openings(path: Path | str, game: Game) -> tuple[str, ...]:
    """Read a suite of openings: a position a line; what follows a `#` is a remark."""
    found = []
    for number, line in enumerate(read_text(path).removeprefix("\ufeff").splitlines(), 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            state = game.parse(text)
        except ParseError as error:
            raise ParseError(error.message, number, error.column, str(path)) from None
        if state.outcome is not None:
            raise ParseError(Message("play.position_over"), number, 1, str(path))
        found.append(state.text)
    if not found:
        raise UserError("play.no_positions", path=path)
    return tuple(found)
