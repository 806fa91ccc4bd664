"""Protocols: how a foreign program is spoken to. Each is one file of this folder that turns a state and a clock into
text, and text into a move. None of them knows processes, pipes or sandboxes: `ludus.bots` carries the texts.

Every protocol is a conversation in lines with one program that lives through a game. Where a course's way is another
one (a process a move, a class without a main, a Python function), the protocol brings the small program that stands
in between, and `command` wraps the bot's own command with it.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.errors import Fault, IllegalMove, UserError
from ludus.game import read_move
from ludus.messages import Message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ludus.game import State
    from ludus.play.player import Situation


NOTHING: Mapping[str, str] = MappingProxyType({})
SHIMS = Path(__file__).parent / "shims"


def shim(name: str) -> str:
    """Read one of the small programs that stand between a bot and the referee."""
    return (SHIMS / name).read_text(encoding="utf-8")


class Exchange(NamedTuple):
    """Something said before a game, and the word that the answer's last line begins with."""

    say: str
    until: str


class BotProtocol:
    """How a program is spoken to. A protocol keeps nothing between calls; one in lines needs `name`, `ask` and `read`.

    `known` is the number of moves that the bot knows already.
    """

    name: str
    games: tuple[str, ...] = ()
    """The games that it is for; any where there are none."""
    greeting: tuple[Exchange, ...] = ()
    """What is said before the clock runs, one after the other."""
    remembers: bool = True
    """Whether the bot remembers the game: then it is started again for another game."""
    needs_ludus: bool = False
    """Whether the command imports `ludus`, so that our own interpreter and packages must be at hand."""

    def command(self, run: Sequence[str], side: int) -> tuple[str, ...]:  # noqa: ARG002
        """Return the command to start, from the bot's own command."""
        return tuple(run)

    def files(self) -> Mapping[str, str]:
        """Return the files that `command` needs beside the bot, by name: each begins with `ludus_`."""
        return {}

    def adapt(self, main: str, text: str, beside: Mapping[str, str] = NOTHING) -> tuple[str, Mapping[str, str]]:  # noqa: ARG002
        """Return the file that is built instead of the bot's main file, and the files that this adds to the bot's.

        `beside` holds the bot's other sources, by name. A file that the bot brings itself is never replaced by another.
        """
        return main, {}

    def ask(self, situation: Situation, known: int) -> str:
        """Return what is sent to ask for a move."""
        raise NotImplementedError

    def read(self, situation: Situation, line: str, notes: list[Message]) -> str | None:
        """Return the move that a line holds; None for a line that is no answer. What is only tolerated is noted."""
        raise NotImplementedError


PROMPTS = ":>="
"""What a prompt ends with."""
SHOWN = 60


def quoted(line: str) -> str:
    """Return a line as a sentence can quote it."""
    return repr(line if len(line) <= SHOWN else line[: SHOWN - 3] + "...")


def is_move(state: State, text: str) -> bool:
    """Return whether a text is written as a move is, legal or not."""
    return state.game.move_shape.fullmatch(text) is not None or text in state.legal_moves


def legal(state: State, text: str) -> str:
    """Read a move as people write it; one that the rules forbid is the fault `illegal-move`."""
    try:
        return read_move(state, text)
    except IllegalMove as error:
        raise Fault(
            "illegal-move", Message("protocols.illegal_move", quoted=quoted(text), error=error.message)
        ) from None


def unreadable(state: State, text: str) -> Fault:
    """Return the fault of an answer that is no move."""
    return Fault(
        "bad-output", Message("protocols.no_move", quoted=quoted(text), legal_moves=repr(state.legal_moves[0]))
    )


def read_answer(speaks: BotProtocol, situation: Situation, line: str, notes: list[Message]) -> str | None:
    """Let a protocol read a line of a bot. Any error while it is read is the bot's fault `bad-output`.

    A line can make a reader fail in more ways than a list of exceptions names: too deep, too long, too large.
    """
    try:
        return speaks.read(situation, line, notes)
    except Fault:
        raise
    except Exception:  # the bot that wrote the line is responsible
        raise Fault("bad-output", Message("protocols.unreadable", quoted=quoted(line.strip()))) from None


def spoken_move(state: State, line: str, notes: list[Message]) -> str | None:
    """Find the move in a line that a program printed.

    A line that is a move is the answer. So is the text after the last prompt of a line (`My move: C4`). A single
    word that is no move is a failed answer. Whatever else is printed is talk, and is passed over.
    """
    text = line.strip().removeprefix("\ufeff").strip()
    if not text:
        return None
    if is_move(state, text):
        return legal(state, text)
    prompted = text[max(map(text.rfind, PROMPTS)) + 1 :].strip()
    if prompted != text and is_move(state, prompted):
        notes.append(Message("protocols.note_prompt", line=quoted(text)))
        return legal(state, prompted)
    if text.isalnum():
        raise unreadable(state, text)
    notes.append(Message("protocols.note_not_move", line=quoted(text)))
    return None


@functools.cache
def _found() -> Mapping[str, Any]:
    """Find every protocol: those of other packages, and of this folder."""
    found: dict[str, Any] = {entry.name: entry.load() for entry in entry_points(group="ludus.protocols")}
    for module in pkgutil.iter_modules(__path__):
        made: BotProtocol = importlib.import_module(f"{__name__}.{module.name}").PROTOCOL
        found[made.name] = made
    return dict(sorted(found.items()))


def protocols() -> tuple[str, ...]:
    """Return the names of all protocols."""
    return tuple(_found())


def protocol(name: str) -> BotProtocol:
    """Return a protocol by its name."""
    if name not in _found():
        raise UserError("protocols.no_protocol", name=repr(name), protocols=list(protocols()))
    made: BotProtocol = _found()[name]
    return made
