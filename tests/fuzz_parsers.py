"""Coverage-guided fuzzing of every reader, for as long as you like: `make fuzz SECONDS=600`.

The first byte of an input picks a reader: those of `test_readers`, and round trips of each game. A crash, a hang or any
error but ours stops it.
"""

from __future__ import annotations

import gc
import sys
from types import FunctionType

import atheris
from test_readers import READERS

import ludus
from ludus.display import HARMFUL
from ludus.errors import Fault
from ludus.game import Game
from ludus.play.record import Record

GAMES = [ludus.game(name) for name in ludus.games()]


NAMES = sorted(READERS)
TRIPS = 3


def try_one(data: bytes) -> None:
    """Read one input in one way; our own errors are fine."""
    chosen, text = (data[0] if data else 0), data[1:].decode("utf-8", "replace")
    try:
        if chosen < TRIPS * len(GAMES):
            round_trip(GAMES[chosen // TRIPS], chosen % TRIPS, text)
        else:
            READERS[NAMES[(chosen - TRIPS * len(GAMES)) % len(NAMES)]].read(text)
    except Fault:
        pass
    except ValueError as error:
        assert type(error) in (ValueError, ludus.ParseError, ludus.IllegalMove), repr(error)


def round_trip(chosen: Game, kind: int, text: str) -> None:
    """Read something of a game, and what it writes again."""
    match kind:
        case 0:
            state = chosen.parse(text)
            assert state.game.parse(state.text) == state
        case 1:
            start = chosen.initial(len(text))
            start.play(chosen.read_move(start, text))
        case _:
            read = Record.parse(f'[Game "{chosen.name}"]\n{text}')
            assert not HARMFUL.search(read.text)
            again = Record.parse(read.text)
            assert [move.move for move in again.moves] == [move.move for move in read.moves]


def instrument() -> None:
    """Let our own functions tell what they reach; all that tests import, pytest among it, would take minutes."""
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and str(thing.__module__).startswith("ludus."):
            atheris.instrument_func(thing)


if __name__ == "__main__":
    instrument()
    atheris.Setup(sys.argv, try_one)
    atheris.Fuzz()
