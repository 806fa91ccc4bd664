"""What was seen while a program was tried that may be why it cannot be played, and how far it came."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ludus.bots.console import reasons
from ludus.bots.console.writing import Approach
from ludus.messages import Message
from ludus.protocols.console import boards

if TYPE_CHECKING:
    from ludus.bots.console.hints import Hints
    from ludus.bots.console.readings import Reader
    from ludus.bots.console.session import Session
    from ludus.protocols.console.screen import Shown

MODULE = "protocols.console_module"
CRASHES = ("protocols.console_crash", "protocols.console_crash_line")
KINDS = (MODULE, "window", "board", "chance", *CRASHES, "slow", "alone", "people")
"""What may be why a program cannot be played, the surest first."""
MOST_SLOW = 2
"""How often a program may take longer than it is allowed to before it is given up."""
LONGEST_PROMPT = 80
"""Characters of a prompt that a message quotes."""
SHORTEST_GAME = 600
"""Characters that a whole game fills at least."""
ENDING = re.compile(r"\bwins?\b|\bwon\b|\blose|\btie\b|\bdraw\b|game over|贏|輸|平手|結束", re.IGNORECASE)


class Stopped(NamedTuple):
    """Where a dialogue stopped."""

    prompt: str = ""
    dialogue: str = ""
    """Its last lines."""
    way: Approach = Approach()


class Diagnosis:
    """Collects what may be why a program cannot be played."""

    def __init__(self, hints: Hints, reader: Reader, limit: float) -> None:
        self._hints, self._reader, self._limit = hints, reader, limit
        self.log = ""
        """The dialogue that came farthest, or the last one."""
        self.stopped = Stopped()
        """Where that dialogue stopped."""
        self.final = False
        """Whether it is plain that the program cannot be played."""
        self._farthest, self._slow = -1, 0
        self._found: dict[str, Message] = {}
        self._board_seen = False
        """Whether it has drawn the board that it was given."""

    @property
    def why(self) -> Message:
        """Why no script was found."""
        other = self._hints.other_size
        for kind in KINDS:
            if kind in self._found and not (other and kind in CRASHES):  # one for another board crashes on this one
                return self._found[kind]
        if other is not None:
            return Message("protocols.console_size", rows=other[0], cols=other[1])
        if (window := reasons.window(self._hints.sources)) is not None:
            return window
        prompt, dialogue, _ = self.stopped
        if not prompt:
            return Message("protocols.console_unknown")
        return Message("protocols.console_unknown_at", prompt=prompt[-LONGEST_PROMPT:], dialogue=dialogue)

    def note(self, kind: str, why: Message, *, final: bool = False) -> None:
        """Note what may be the reason, and whether trying on is of no use."""
        self._found[kind] = why
        self.final = self.final or final

    def note_dialogue(self, session: Session, far: int, way: Approach = Approach()) -> None:  # noqa: B008 - it is immutable
        """Keep a dialogue if none came farther."""
        if far >= self._farthest:
            self._farthest, self.log = far, session.log
            if session.waits:
                self.stopped = Stopped(session.screen.prompt, session.screen.dialogue, way)

    def note_end(self, session: Session, far: int | None = None, typed: int = reasons.MOVES) -> None:
        """Note how a program came to an end, or took too long, before it waited for a move."""
        self.note_dialogue(session, self._farthest if far is None else far)
        text, screen, sources = session.log, session.screen, self._hints.sources
        if session.slow:
            self._slow += 1
            slow = Message("protocols.console_slow", seconds=round(self._limit))
            self.note("slow", reasons.window(sources) or slow, final=self._slow >= MOST_SLOW)  # it may wait for a click
        elif reasons.no_screen(text):
            self.note("window", reasons.window(sources) or Message("protocols.console_screen"), final=True)
        elif screen.exit_status:
            if (why := reasons.crash(text, typed)) is not None:
                missing = why.code == MODULE
                self.note(why.code, (missing and reasons.window(sources)) or why, final=missing)
        elif typed != reasons.MOVES and ENDING.search(screen.text) and len(screen.text) > SHORTEST_GAME:
            self.note("alone", reasons.plays_alone(sources))

    def other_board(self, shown: Shown) -> bool:
        """Return whether the program plays on another board than the one that it was given, by what it has drawn."""
        if not self._hints.files or self._board_seen or (drawn := boards.numbered_board(shown.text)) is None:
            return False
        self._board_seen = self._reader.shows_start(shown)
        if self._board_seen:
            return False
        rows, cols = len(drawn), len(drawn[0])
        own = (rows, cols) == (self._reader.board.rows, self._reader.board.cols)
        size = Message("protocols.console_size", rows=rows, cols=cols)
        self.note("board", reasons.own_board(self._hints.sources) if own else size, final=True)
        return True
