"""A game against a program in which moves are typed in one way, to see whether its answers are legal moves.

Types at random, believes what the screen seems to show, and says what became of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ludus.bots.console import reasons
from ludus.bots.console.readings import SIDES_OF_BOARD, Reading, draws
from ludus.protocols.console import REFUSED, illegal_cell
from ludus.protocols.console.prompts import MOVE
from ludus.protocols.console.screen import Shown

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from ludus.bots.console.readings import Reader, Readings
    from ludus.bots.console.session import Session
    from ludus.game import State
    from ludus.protocols.console.script import Notation, Turn

TURNS = 3
"""Turns of its own that must be found before a script is believed; fewer of a program that thinks for long."""
THINKS, THINKS_LONG = 2.0, 6.0


class TypedGame:
    """One such game. `mode` says whether two removals of a turn are typed on one `line`, or `each` on its own."""

    def __init__(self, session: Session, reader: Reader, enter: Notation, mode: Turn, choice: random.Random) -> None:
        self._session, self._reader, self._enter, self._mode, self._choice = session, reader, enter, mode, choice
        self.turn = 0
        """The turns that were understood."""
        self.mute = False
        """Whether the program drew the board with our move and did not answer: two people were to play."""
        self.ended = False
        """Whether it ended instead of an answer."""
        self.cut = False
        """Whether the game was ended early, since the program thinks for long."""
        self.longest = 0.0
        """What a move of its own took at most."""
        self.lost_board = False
        """Whether the drawn board showed its first answer, and then no longer what its texts were taken for."""
        self.before_refusal = frozenset[Reading]()
        """What had served until the program refused a legal move."""
        self._moved: list[str] = []
        """The moves of the turn that was last typed."""
        self._typed, self._lines = "", list[str]()
        """What was typed for the first of them, and the lines of the turn that the program has read."""
        self._went_to: str | None = None
        """The move that the program took what was typed for, where that was another one."""

    def play(self, first: Readings) -> frozenset[Reading]:
        """Play some turns; return the readings that found a legal move in each of them.

        `first` has those of the program's first move, if it moves first.
        """
        reader, readings, drawn = self._reader, frozenset[Reading](), draws(first)
        state: State = reader.start
        ours: State | None = state
        if first:
            state, readings = reader.believed(state, first, self._enter)
        for self.turn in range(TURNS):
            if state.outcome is not None:
                break
            before = state
            state, shown = self._type_turn(state)
            if state.outcome is not None:
                break
            ours = ours and _played(ours, self._moved)
            if self.turn and ours and reader.shows(shown, ours):
                self.mute = True  # the board has our moves only: two people were to play
                return frozenset()
            found = reader.read(state, shown, readings or None)
            if not found:
                if draws(readings) and self._refuses() and not reader.shows(shown, state):
                    self.before_refusal = readings
                return self._learn(before, state, shown)
            drawn = drawn or (self.turn == 0 and draws(found))
            state, readings = reader.believed(state, found, self._enter)
            self.lost_board = drawn and not draws(readings)
            self.longest = max(self.longest, self._session.waited)
            if self._session.waited > (THINKS if self.turn else THINKS_LONG) and self.turn < TURNS - 1:
                self.cut = True
                break
        return readings

    def _refuses(self) -> bool:
        return self._session.waits and REFUSED.search(self._session.screen.text) is not None

    def _type_turn(self, state: State) -> tuple[State, Shown]:
        """Type a random turn for the opponent; return the state after it, and what the program showed then."""
        session, board = self._session, self._reader.board
        side, texts, self._moved, self._lines = state.side, list[str](), [], []
        while state.side == side and state.outcome is None:
            move = self._choice.choice(self._telling(state.legal_moves))
            self._moved.append(move)
            typed = self._enter.typed(board.cell(move), board, session.screen.text)
            state = state.play(move)
            if typed is None:
                return state, Shown()
            texts.append(typed)
        self._typed = texts[0]
        lines = [" ".join(texts)] if self._mode == "line" else [part for text in texts for part in text.split("\n")]
        for number, line in enumerate(lines, 1):
            session.skip_pauses()
            if not session.waits:
                return state, Shown()
            session.type(line)
            self._lines.append(line)
            if session.waits and number < len(lines) and REFUSED.search(session.screen.tail):
                return state, Shown()
        return state, session.skip_pauses()

    def _telling(self, moves: Sequence[str]) -> Sequence[str]:
        """Return moves in the left and in the right half in turn: a way to type them may be right in one half only."""
        board, left = self._reader.board, self.turn % 2 == 0
        return [move for move in moves if (2 * board.cell(move).col < board.cols) == left] or moves

    def _learn(self, before: State, state: State, shown: Shown) -> frozenset[Reading]:
        """Find out why the program's answer was not understood; a move against its rules is an answer as well."""
        self.ended = not self._session.waits
        for rows in SIDES_OF_BOARD:
            if illegal_cell(state, shown, rows) is not None:
                return frozenset({Reading(None, rows)})
        self.mute = self._session.waits and self._reader.shows(shown, state)
        if self.turn == 0 and not self.mute:
            self._went_to = self._reader.went_to(before, shown)
        return frozenset()

    def sifted(self, ways: list[Notation]) -> list[Notation]:
        """Return the ways to type a move that may still be right after this one was wrong."""
        session, board = self._session, self._reader.board
        if self.turn:
            return ways
        if self._went_to is not None:  # it shows where it took the move to be
            cell = board.cell(self._went_to)
            return [way for way in ways if way.write(cell, board) == self._typed] or ways
        if session.waits or not self._lines or not reasons.cannot_read(session.log):
            return ways
        typed = [_shape(line) for line in self._lines]
        number, at = reasons.wanted_number(session.log, self._lines[-1]), len(typed)
        some = board.cell(self._reader.start.legal_moves[0])

        def may_be_read(way: Notation) -> bool:
            shapes = [_shape(line) for line in way.write(some, board).split("\n")]
            if shapes[: at - 1] != typed[:-1]:
                return True
            if number and " " in typed[-1]:  # it reads the whole line as one number
                return len(shapes) >= at and shapes[at - 1] == "0"
            return shapes[:at] != typed and not (number and len(shapes) >= at and re.search("[Aa]", shapes[at - 1]))

        return [way for way in ways if may_be_read(way)]

    def asks_again(self, asked: str, seen: set[str]) -> bool:
        """Return whether the program did not take the first move, and asks for another one.

        `asked` is the prompt at which the session began, and `seen` the lines above it.
        """
        screen = self._session.screen
        if self.turn or not self._session.waits or self._went_to is not None:
            return False
        refused = REFUSED.search(screen.tail) is not None
        if similar(screen.prompt) != asked:
            return refused and MOVE.search(screen.prompt) is not None and "\n" not in self._typed
        return refused or len({line.strip() for line in screen.text.splitlines()} - seen) <= 1


def similar(prompt: str) -> str:
    """Return a prompt without what changes from one time to the next: numbers, and whose turn it is."""
    return re.sub(r"\d+|[■□●○XO]\b", "#", prompt).strip()


def _shape(line: str) -> str:
    """Return what a typed line looks like, whatever its numbers and letters are."""
    return re.sub(r"\d+", "0", re.sub("[a-z]", "a", re.sub("[A-Z]", "A", line)))


def _played(state: State, moves: Sequence[str]) -> State | None:
    """Return the state after some moves; None where they cannot all be played."""
    for move in moves:
        if move not in state.legal_moves:
            return None
        state = state.play(move)
    return state
