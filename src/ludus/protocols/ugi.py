"""`ugi`: the Universal Game Interface, the UCI sibling that Ataxx engines speak. The bot gets the whole game before
every move, so it may forget; `ludus engine` is such a bot.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ludus.errors import ParseError
from ludus.game import game
from ludus.messages import Message
from ludus.protocols import BotProtocol, Exchange, Source, is_move, legal, quoted, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludus.game import State
    from ludus.play.player import Situation

MILLISECONDS_WITHOUT_CLOCK = 1000
"""What a move may take where there is no clock: `go infinite` would never be answered."""
SILENT = ("info", "id", "option", "ugiok", "readyok")
"""What an engine says besides its moves."""


class Ugi(BotProtocol):
    """Positions and clocks in words, `bestmove` back."""

    name = "ugi"
    greeting = (Exchange("ugi", "ugiok"), Exchange("isready", "readyok"))
    remembers = False
    tells_all = True
    rank = 40

    def sign(self, source: Source) -> Message | None:
        """Look for the words that begin and end a conversation."""
        found = re.search(r"\bbestmove\b", source.text) and re.search(r"\bugi", source.text)
        return Message("bots.has_bestmove") if found else None

    def ask(self, situation: Situation, known: int) -> str:
        """Say what game it is before the first move, and the game so far and the clocks before each."""
        lines = [] if known else [*variant(situation.state), "uginewgame"]
        moves = [move for _, move in situation.moves]
        lines += [" ".join(["position fen", situation.start.text, *(["moves", *moves] if moves else [])])]
        lines += [f"go {limits(situation)}"]
        return "".join(f"{line}\n" for line in lines)

    def read(self, situation: Situation, line: str, notes: list[Message]) -> str | None:
        """Find the move behind `bestmove`."""
        words = line.strip().removeprefix("\ufeff").split()
        if not words or words[0] in SILENT:
            return None
        if words[0] != "bestmove":
            notes.append(Message("protocols.note_not_protocol", line=quoted(line.strip())))
            return None
        text = " ".join(words[1 : words.index("ponder") if "ponder" in words else None])
        if is_move(situation.state, text):
            return legal(situation.state, text)
        raise unreadable(situation.state, " ".join(words))


def variant(state: State) -> Iterator[str]:
    """Return the options that neither the position's looks nor the game's defaults tell."""
    try:
        plain = game(state.game.name).parse(state.text).game.options
    except ParseError:  # the position is one of this variant only
        plain = {}
    for name, value in state.game.options.items():
        if plain.get(name) != value:
            yield f"setoption name {name} value {value}"


def limits(situation: Situation) -> str:
    """Say how long it may think."""
    clock, times = situation.time.clock, situation.times
    if clock.per_move is not None:
        return f"movetime {milliseconds(clock.per_move)}"
    if clock.bank is None:
        return f"movetime {MILLISECONDS_WITHOUT_CLOCK}"
    first, second = (milliseconds(time.seconds) for time in times)
    increment = int(clock.increment * 1000)
    return f"p1time {first} p2time {second} p1inc {increment} p2inc {increment}"


def milliseconds(seconds: float) -> int:
    """Return a time as the protocol counts it, never none at all."""
    return max(1, int(seconds * 1000))


PROTOCOL = Ugi()
