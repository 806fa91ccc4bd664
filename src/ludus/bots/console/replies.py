"""What a program replies to moves typed in different ways: where it replies alike to all, more ways are of no use.

Pure: replies in, a judgement out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ludus.bots.console.session import Session
    from ludus.protocols.console.script import Notation

ALIKE, SHAPES = 8, 4
"""Ways to type a move, and different texts among them, after which the same reply to all of them means no move."""
AS_BEFORE = 3
"""Ways to type a move that tell whether a question is one at which moves were typed in vain before."""


class Reply(NamedTuple):
    """What came of a typed line, except its error message: that may quote the line."""

    waits: bool
    text: str

    @classmethod
    def of(cls, session: Session) -> Reply:
        """Return the reply that a program has just given."""
        waits = session.waits
        return cls(waits, session.screen.text.strip() if waits else str(session.screen.exit_status))


class Question:
    """A question at which moves are typed: at once where it is asked again, else after another start."""

    def __init__(self, known: set[Reply]) -> None:
        self._known = known
        """What it replied to moves at the same question, where it was reached in another way and no move served."""
        self._replies, self._refusals, self._shapes = list[Reply](), list[Reply](), set[str]()

    def add(self, enter: Notation, reply: Reply, *, again: bool) -> None:
        """Note the reply to a move, which may have been to ask `again`."""
        (self._refusals if again else self._replies).append(reply)
        self._shapes.add(enter.text)

    def by_shape(self, ways: list[Notation]) -> list[Notation]:
        """Return ways to type a move, those that look like none before first, where all replies were alike."""
        return (
            sorted(ways, key=lambda way: way.text in self._shapes)
            if len({one for one in self._replies if one.waits}) == 1
            else ways
        )

    @property
    def as_before(self) -> bool:
        """Whether the program replies as it did where no move served."""
        found = [*self._replies, *self._refusals]
        return len(found) >= AS_BEFORE and {*found} <= self._known

    @property
    def is_for_no_move(self) -> bool:
        """Whether other ways to type a move would lead to the same."""
        waiting = [reply for reply in self._replies if reply.waits]
        alike = len({*waiting}) == 1 and len(waiting) >= ALIKE
        return (self.as_before and bool(self._replies)) or (alike and len(self._shapes) >= SHAPES)

    def give_up(self) -> None:
        """Note that no move served: what is seen again elsewhere is not tried at length."""
        self._known.update(self._replies, self._refusals)
