"""Coverage-guided fuzzing of every reader, for as long as you like: `make fuzz SECONDS=600`.

Each input picks a game and a reader with its first byte. A crash, a hang or any error but ours stops it.
"""

from __future__ import annotations

import sys

import atheris

import ludus
from ludus.clock import Clock
from ludus.game import GameFamily, family
from ludus.players import player
from ludus.record import Record

FAMILIES = [made for made in map(family, ludus.games()) if isinstance(made, GameFamily)]


def try_one(data: bytes) -> None:
    """Read one input in one way; our own errors are fine."""
    chosen = FAMILIES[data[0] % len(FAMILIES)] if data else FAMILIES[0]
    reader = data[0] // len(FAMILIES) % 6 if data else 0
    text = data[1:].decode("utf-8", "replace")
    try:
        match reader:
            case 0:
                state = chosen().parse(text)
                assert state.game.parse(state.text) == state
            case 1:
                start = chosen().initial(len(data))
                start.play(chosen.read_move(start, text))
            case 2:
                Record.parse(f'[Game "{chosen.name}"]\n{text}')
            case 3:
                if chosen.read_file is not None:
                    chosen.read_file(chosen(), text, "file")
            case 4:
                Clock.parse(text)
            case _:
                player(text)
    except ValueError as error:
        assert type(error) in (ValueError, ludus.ParseError, ludus.IllegalMove), repr(error)


if __name__ == "__main__":
    atheris.instrument_all()
    atheris.Setup(sys.argv, try_one)
    atheris.Fuzz()
