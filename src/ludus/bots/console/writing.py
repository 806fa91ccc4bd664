"""The script of a program for a person at a terminal, written down from what has played."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.bots.console.readings import likeness
from ludus.protocols.console import ConsoleScript
from ludus.protocols.console.script import Moves, SeatArgument, TypedAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ludus.bots.console.readings import Reading
    from ludus.protocols.console.script import Notation, Turn


class Approach(NamedTuple):
    """A way to a prompt: what the program is started with, and what is typed before."""

    files: tuple[str, ...] = ()
    """Arguments that name the file of the board."""
    seat: str = ""
    """Arguments that tell it its seat."""
    answers: tuple[tuple[str, str], ...] = ()
    """Prompts, and what was typed there."""

    @property
    def arguments(self) -> list[str]:
        """Everything it is started with."""
        return [*self.files, *self.seat.split()]

    @property
    def length(self) -> int:
        """The number of choices that were made."""
        return bool(self.seat) + len(self.answers)

    def then(self, prompt: str, answer: str) -> Approach:
        """Return this way with one more answer."""
        return self._replace(answers=(*self.answers, (prompt, answer)))

    @property
    def prompts(self) -> list[str]:
        """The prompts that were answered."""
        return [prompt for prompt, _ in self.answers]


class Found(NamedTuple):
    """What plays in one seat."""

    seat: int
    way: Approach
    enter: Notation
    turn: Turn
    readings: frozenset[Reading]
    few: bool = False
    """Whether it thinks for so long that fewer of its moves than usual were seen, or none."""


def script_of(found: Mapping[int, Found], files: Iterable[str]) -> ConsoleScript:
    """Return the script of what plays in one seat or in both, with the names under which it finds its board."""
    some = found[min(found)]
    common = frozenset.intersection(*(one.readings for one in found.values()))
    alike = bool(common) and len({one.enter for one in found.values()}) == 1
    first, second = ((found.get(seat) or some).way for seat in (0, 1))
    return ConsoleScript(
        files=list(files),
        arguments=[
            one if one == other and one else SeatArgument(first=one, second=other)
            for one, other in itertools.zip_longest(first.arguments, second.arguments)
        ],
        answers=_answers(first, second),
        **_moves(some.enter, common if alike else some.readings),
        second=None if alike else Moves(**_moves(found[1].enter, found[1].readings)),
        turn=some.turn,
        seats="both" if len(found) == 2 else ("first", "second")[some.seat],
    )


def proposed_script(way: Approach, enter: Notation, files: Iterable[str]) -> ConsoleScript:
    """Return a script to begin with where none was found: what was typed, and a guess at moves."""
    answers = [TypedAnswer(after=after, send=text) for after, text in way.answers]
    return ConsoleScript(files=list(files), arguments=[*way.seat.split()], answers=answers, enter=enter, board="top")


def _moves(enter: Notation, readings: frozenset[Reading]) -> dict[str, Any]:
    """Return how moves are typed and shown, by the best of the ways that served."""
    drawn = next((reading.board for reading in readings if reading.board), None)
    texts = [reading.text for reading in readings if reading.text]
    shows = max(texts, key=lambda one: (likeness(one, enter), len(one.text)), default=None)
    return {"enter": enter, "shows": shows, "board": drawn}


def _answers(first: Approach, second: Approach) -> list[TypedAnswer]:
    """Return the answers of both seats as one list."""
    if first.prompts == second.prompts:
        return [
            TypedAnswer(after=after, send=one) if one == other else TypedAnswer(after=after, first=one, second=other)
            for (after, one), (_, other) in zip(first.answers, second.answers, strict=True)
        ]
    made = [TypedAnswer(after=after, first=text) for after, text in first.answers]
    return made + [TypedAnswer(after=after, second=text) for after, text in second.answers]
