"""Protocols: how a foreign program is spoken to. Each is one file of this folder that turns a state and a clock into
text, and text into a move. None of them knows processes, pipes or sandboxes: `ludus.bots` carries the texts.

Every protocol is a conversation in lines with one program that lives through a game. Where a course's way is another
one (a process a move, a class without a main, a Python function), the protocol brings the small program that stands
in between, and `command` wraps the bot's own command with it.
"""

from __future__ import annotations

import functools
import importlib
import math
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

    from ludus.game import Game, State
    from ludus.play.player import Situation


NOTHING: Mapping[str, str] = MappingProxyType({})
NO_SIGN = "bots.no_sign_of_protocol"
"""The message about a source that shows no sign of any protocol, and is taken for `lines`."""
NOTHING_NAMED: Mapping[str, tuple[str, str]] = MappingProxyType({})
SHIMS = Path(__file__).parent / "shims"


def shim(name: str) -> str:
    """Read one of the small programs that stand between a bot and the referee."""
    return (SHIMS / name).read_text(encoding="utf-8")


class Exchange(NamedTuple):
    """Something said before a game, and the word, or one of the words, that the answer's last line begins with."""

    say: str
    until: str | tuple[str, ...]


class Source(NamedTuple):
    """A source file, as protocols look for signs of themselves in it."""

    name: str
    language: str
    text: str


class BotProtocol:
    """How a program is spoken to. A protocol keeps nothing between calls; one in lines needs `name`, `ask` and `read`.

    `known` is the number of moves that the bot knows already.
    """

    name: str
    games: tuple[str, ...] = ()
    """The games that it is for; any where there are none."""
    greeting: tuple[Exchange, ...] = ()
    """What is said before the clock runs, one after the other."""
    side_names: Mapping[str, tuple[str, str]] = NOTHING_NAMED
    """By game, the codes of the names by which a bot knows the first and the second side, where those are not the
    board's."""
    remembers: bool = True
    """Whether the bot remembers the game: then it is started again for another game."""
    tells_all: bool = False
    """Whether each request tells the whole position, so that a bot can be started again in the middle of a game."""
    needs_ludus: bool = False
    """Whether the command imports `ludus`, so that our own interpreter and packages must be at hand."""

    @property
    def calls_bot(self) -> bool:
        """Whether a program of ours calls what the bot defines, so that the bot needs no main of its own."""
        return self.needs_ludus or type(self).adapt is not BotProtocol.adapt

    exchanged: tuple[str, ...] = ()
    """Files that the bot reads and writes, by the names that it must use."""

    def example(self, start: State) -> str:  # noqa: ARG002
        """Return what the first of these files holds at the start of a game."""
        return ""

    usual_board_only: bool = False
    """Whether it plays on the usual board of its games only."""
    knows_positions: bool = True
    """Whether a game may begin in any position, since the bot can be told it."""
    free_start_seconds: float = math.inf
    """How much of its start is free, where it can see the board before its clock runs; the rest is the first move's."""
    hears_early: bool = False
    """Whether what the bot writes between its turns is part of the conversation, and no try to answer early."""

    rank: int = 50
    """When it is asked whether a source is written for it: the surest signs have the lowest numbers."""

    def sign(self, source: Source) -> Message | None:  # noqa: ARG002
        """Return what shows that a source is written for this protocol; None if nothing does."""
        return None

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

    def program(self, texts: Mapping[str, str]) -> str | None:  # noqa: ARG002
        """Return which of several sources is the program, where this protocol can tell it from all of them together."""
        return None

    def build(self, usual: str | None) -> str | None:
        """Return the shell command that builds a bot with what `adapt` added; `usual` is that of its language."""
        return usual

    def ask(self, situation: Situation, known: int) -> str:
        """Return what is sent to ask for a move."""
        raise NotImplementedError

    def read(self, situation: Situation, line: str, notes: list[Message]) -> str | None:
        """Return the move that a line holds; None for a line that is no answer. What is only tolerated is noted."""
        raise NotImplementedError

    def telling(self, time: str) -> BotProtocol:  # noqa: ARG002
        """Return the protocol as it is with a bot that wants the time left in this unit."""
        return self

    def hear(self, line: str) -> None:
        """Take a line of the answer to a greeting."""

    def reply(self) -> str:
        """Return what is sent after a line that `read` took for no answer."""
        return ""


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
        message = Message("protocols.illegal_move", quoted=quoted(text), error=error.message)
        raise Fault("illegal-move", message, move=text) from None


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


def hear_line(speaks: BotProtocol, line: str) -> None:
    """Let a protocol take a line of the answer to a greeting; an error meanwhile is the bot's fault as well."""
    try:
        speaks.hear(line)
    except Fault:
        raise
    except Exception:
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
        made: BotProtocol | None = getattr(importlib.import_module(f"{__name__}.{module.name}"), "PROTOCOL", None)
        if made is not None:  # otherwise it is what several of them use
            found[made.name] = made
    return dict(sorted(found.items()))


def protocols() -> tuple[str, ...]:
    """Return the names of all protocols."""
    return tuple(_found())


def recognised_protocol(source: Source) -> tuple[str, Message]:
    """Return the protocol that a source is written for, and what shows it; `lines` where nothing does."""
    for speech in sorted(_found().values(), key=lambda one: one.rank):
        if sign := speech.sign(source):
            return speech.name, sign
    return "lines", Message(NO_SIGN)


def seat_name(game: Game, side: int, speaks: str = "") -> Message:
    """Return what a side is called on our boards, and in a bot's program where its protocol has another name for it."""
    own = _own_names(game, speaks)
    return Message("protocols.seat", board=game.sides[side], own=Message(own[side])) if own else game.sides[side]


def sides_note(game: Game, speaks: str) -> Message | None:
    """Return what a bot's author should know about the names of the sides; None where all have the same names."""
    own = _own_names(game, speaks)
    if own is None:
        return None
    boards = dict(zip(("first_board", "second_board"), game.sides, strict=True))
    return Message("protocols.sides_note", first=Message(own[0]), second=Message(own[1]), **boards)


def _own_names(game: Game, speaks: str) -> tuple[str, str] | None:
    return _found()[speaks].side_names.get(game.name) if speaks in _found() else None


def protocol(name: str) -> BotProtocol:
    """Return a protocol by its name."""
    if name not in _found():
        raise UserError("protocols.no_protocol", name=repr(name), protocols=list(protocols()))
    made: BotProtocol = _found()[name]
    return made
