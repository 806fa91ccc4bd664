"""What the screens of a program show of a game: drawn boards, texts that name moves, lists from which a move is chosen.

Pure: screens and states in, moves out. Its own move can often be read in several ways; the turns after it show which
is right.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ludus.protocols.console import boards, shown_moves, turns, without_prompt
from ludus.protocols.console.prompts import FEWEST_ENTRIES, listed_notations, notations_of, templates
from ludus.protocols.console.script import COLUMNS, Board, Notation, Rows

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ludus.game import State
    from ludus.protocols.console.screen import Shown

MOST_BOARDS = 3000
"""Boards that are compared to find out where a move went."""
SIDES_OF_BOARD: tuple[Rows, ...] = ("top", "bottom")
COUNTS: tuple[tuple[int, Rows], ...] = ((1, "bottom"), (1, "top"), (0, "top"), (0, "bottom"))
"""The number of the first row, and where rows are counted from."""

Turn = tuple[str, ...]


class Reading(NamedTuple):
    """A way to find the program's own move on the screen: a text that shows it, or the drawn board."""

    text: Notation | None
    board: Rows | None = None


Readings = dict[Reading, Turn]
"""Ways in which a screen can be read, and the moves that each of them finds."""


class Reader:
    """Reads the screens of a program that plays from one start."""

    indexed = False
    """Whether cells may be named by one number."""
    known: frozenset[Reading] = frozenset()
    """The readings that served in the other seat."""

    def __init__(self, start: State) -> None:
        self.start, self.board = start, Board.of(start.game)
        self.lettered = self.board.style != "pair"
        self._begun: dict[Turn, State] = {(): start, **turns(start)}

    def _drawn(self, shown: Shown, after: Mapping[Turn, State]) -> Iterator[tuple[Rows, Turn]]:
        """Yield which row the board is drawn from, and the moves after which it looks as it does."""
        for rows in SIDES_OF_BOARD:
            if (moves := boards.explained(shown.drawn, after, rows)) is not None:
                yield rows, moves

    def shows(self, shown: Shown, state: State) -> bool:
        """Return whether the drawn board shows a state."""
        return any(self._drawn(shown, {(): state}))

    def shows_start(self, shown: Shown) -> bool:
        """Return whether the drawn board shows the start, or a first turn."""
        return any(self._drawn(shown, self._begun))

    def has_moved(self, shown: Shown) -> bool:
        """Return whether the last board that is drawn shows a first move: a program that has moved is not second."""
        return any(moves for _, moves in self._drawn(shown, self._begun))

    def went_to(self, before: State, shown: Shown) -> str | None:
        """Return the move that the drawn board shows, perhaps with a reply to it."""
        after: dict[Turn, State] = {(move,): before.play(move) for move in before.legal_moves}
        if len(after) ** 2 < MOST_BOARDS:
            pairs = [(moves, state) for moves, state in after.items() if state.outcome is None]
            after |= {(*moves, reply): state.play(reply) for moves, state in pairs for reply in state.legal_moves}
        return next((moves[0] for _, moves in self._drawn(shown, after)), None)

    def listed(self, shown: Shown) -> list[Notation]:
        """Return the ways to choose a move by its number in a list, where the screen ends with one of legal moves."""
        legal = {self.board.cell(move) for move in self.start.legal_moves}
        ways = listed_notations(shown.text, lettered=self.lettered)
        return [way for way in ways if len(legal & way.listed(shown.text, self.board).keys()) >= FEWEST_ENTRIES]

    def read(self, state: State, shown: Shown, only: Collection[Reading] | None = None) -> Readings:
        """Return the ways in which the screen shows a legal turn, and the moves of it."""
        after, found = turns(state), Readings()
        for rows, moves in self._drawn(shown, after):
            if only is None or Reading(None, rows) in only:
                found[Reading(None, rows)] = moves
        ended = without_prompt(shown.text)
        if only is None:
            texts = notations_of(templates(ended, indexed=self.indexed), COUNTS)
        else:
            texts = [reading.text for reading in only if reading.text]
        for notation in texts:
            moves_shown = shown_moves(state, ended, notation, self.board)
            if moves_shown in after:
                found[Reading(notation)] = moves_shown
        return found

    def believed(self, state: State, found: Readings, enter: Notation) -> tuple[State, frozenset[Reading]]:
        """Believe the moves that most speaks for; return the state after them, and the readings that found them."""
        after = turns(state)  # removing either of two equal tiles may come to the same

        def weight(moves: Turn) -> tuple[int, int]:
            group = [reading for reading, own in found.items() if after[own] == after[moves]]
            alike = max((likeness(one.text, enter) for one in group if one.text), default=0)
            return 16 * bool(self.known & {*group}) + 8 * draws(group) + alike, len(group)

        best = after[max(found.values(), key=weight)]
        return best, frozenset(reading for reading, own in found.items() if after[own] == best)

    def groups(self, first: Readings) -> list[Readings]:
        """Return the readings of a first move in groups that agree, those of the other seat first."""
        found = [{one: own for one, own in first.items() if own == moves} for moves in dict.fromkeys(first.values())]
        return sorted(found, key=lambda group: not self.known & group.keys())


def draws(readings: Collection[Reading]) -> bool:
    """Return whether one of these readings is of a drawn board."""
    return any(reading.board for reading in readings)


def likeness(shown: Notation, enter: Notation) -> int:
    """Return how much a way to show moves is like one to type them: the same fields, counting and order."""
    fields = [re.findall(r"\{(\w+)\}", one.text.lower().replace("lower", "letter")) for one in (shown, enter)]
    order = [bool(found) and found[-1] in COLUMNS for found in fields]
    return (
        ((shown.count_from, shown.rows) == (enter.count_from, enter.rows)) * 2
        + (order[0] == order[1])
        + (sorted(fields[0]) == sorted(fields[1])) * 2
    )
