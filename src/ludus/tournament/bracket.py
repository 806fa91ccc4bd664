"""Brackets as SVG text: each stage a tree that grows to the right, its rounds in columns.

Draws from the plain data of `ludus.formats`; knows no format, and leaves out contests in which nobody plays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ludus.drawing.svg import Drawing, number
from ludus.formats import BracketRound, Contest, Slot, round_title
from ludus.messages import Message, render

EDGE, TOP = 20, 60
BOX, SLOT, GAP, BETWEEN = 196, 24, 20, 44
"""Width of a contest, height of one of its two slots, and the room between contests and between columns."""
HEADING = 34
MOST_CONTESTS = 32
"""A stage is drawn from the first round that has no more contests than this."""


class _Place(NamedTuple):
    """Where a contest is drawn: its column, and the middle of its height."""

    contest: Contest
    column: int
    y: float


class _Stage:
    """One stage of a bracket, laid out from the last contest backwards."""

    def __init__(self, name: str, rounds: Sequence[BracketRound]) -> None:
        played = [[contest for contest in one.contests if not contest.bye] for one in rounds]
        self.left_out = 0
        while len(played) > 1 and (not played[0] or len(played[0]) > MOST_CONTESTS):
            self.left_out += bool(played.pop(0))
        self.name = name
        self.first_round = rounds[len(rounds) - len(played)].round
        self.columns = len(played)
        self._column = {contest.key: index for index, contests in enumerate(played) for contest in contests}
        self._inside = {contest.key: contest for contests in played for contest in contests}
        self._byes = {contest.key: contest for one in rounds for contest in one.contests if contest.bye}
        self.places: dict[str, _Place] = {}
        self.height = 0.0
        for contest in self._inside.values():
            if contest.feeds not in self._inside:
                self._lay(contest)

    def before(self, slot: Slot) -> Contest | None:
        """Find the drawn contest that somebody won to come to a slot, past those in which nobody played."""
        while slot.source.kind == "winner":
            key = slot.source.of
            passed = self._byes.get(key)
            if passed is None or passed.winner is None:
                return self._inside.get(key)
            slot = passed.slots[passed.winner]
        return None

    def _lay(self, contest: Contest) -> float:
        """Place a contest between those that lead to it, or below all that have a place."""
        sources = [before for slot in contest.slots if (before := self.before(slot)) is not None]
        heights = [self._lay(source) for source in sources]
        if heights:
            y = sum(heights) / len(heights)
        else:
            y = self.height + SLOT + GAP / 2
            self.height += 2 * SLOT + GAP
        self.places[contest.key] = _Place(contest, self._column[contest.key], y)
        return y


def bracket(rounds: Iterable[BracketRound], called: Mapping[str, str] | None = None, *, language: str = "en") -> str:
    """Draw a bracket."""
    stages: dict[str, list[BracketRound]] = {}
    for one in rounds:
        stages.setdefault(one.stage, []).append(one)
    laid = [_Stage(name, columns) for name, columns in stages.items()]
    laid = [stage for stage in laid if stage.places]
    wide = 2 * EDGE + max((stage.columns for stage in laid), default=1) * (BOX + BETWEEN) - BETWEEN
    tall = TOP + sum(stage.height + HEADING + GAP for stage in laid) + EDGE
    left_out = any(stage.left_out for stage in laid)
    note = Message("plots.bracket_note")
    if left_out:
        note = Message("plots.bracket_shortened", note=note)
    title, words = render(Message("plots.bracket"), language), render(note, language)
    drawing = Drawing(max(wide, 640), tall, title, words)
    drawing.text(EDGE, 28, title, "ink large")
    drawing.text(EDGE, 47, words, "soft small")
    top = float(TOP)
    for stage in laid:
        _draw_stage(drawing, stage, top, called or {}, language)
        top += stage.height + HEADING + GAP
    return drawing.svg


def _draw_stage(drawing: Drawing, stage: _Stage, top: float, called: Mapping[str, str], language: str) -> None:
    for column in range(stage.columns):
        words = render(round_title(stage.name, stage.first_round + column), language)
        drawing.text(EDGE + column * (BOX + BETWEEN), top + 20, words, "soft small")
    top += HEADING
    for place in stage.places.values():
        for steps in _ways(stage, place, top):
            drawing.path(steps, "none axis-line")
    for place in stage.places.values():
        names = [
            called.get(slot.entry, slot.entry) if slot.entry else f"({render(slot.source.message, language)})"
            for slot in place.contest.slots
        ]
        x, y = EDGE + place.column * (BOX + BETWEEN), top + place.y
        _draw_contest(drawing, place.contest, x, y, names)
        if place.contest.tie_break:
            note = Message("plots.tie_break", by=Message(f"formats.tie.{place.contest.tie_break}"))
            drawing.text(x + 12, y + SLOT + 14, render(note, language), "soft small", room=BOX)


def _ways(stage: _Stage, place: _Place, top: float) -> Iterator[str]:
    """Return the lines that lead from contests to the slots that their winners fill."""
    for index, slot in enumerate(place.contest.slots):
        before = stage.before(slot)
        if before is not None:
            _, column, y = stage.places[before.key]
            start, end = EDGE + column * (BOX + BETWEEN) + BOX, EDGE + place.column * (BOX + BETWEEN)
            bend, goal = end - BETWEEN / 2, top + place.y + SLOT * (index - 0.5)
            yield f"M{start} {number(top + y)}H{number(bend)}V{number(goal)}H{end}"


def _draw_contest(drawing: Drawing, contest: Contest, x: float, y: float, names: Sequence[str]) -> None:
    drawing.rect(x, y - SLOT, BOX, 2 * SLOT, "paper axis-line", radius=5, title=contest.key)
    drawing.line(x, y, x + BOX, y, "grid-line")
    for index, slot in enumerate(contest.slots):
        middle = y + SLOT * (index - 0.5) + 4.5
        won = contest.winner == index
        score = "" if slot.score is None else f"{slot.score:g}"
        if won:
            drawing.rect(x + 1, y + SLOT * (index - 1) + 3, 3.5, SLOT - 6, "second", radius=1.5)
        kind = "ink strong" if won else "soft" if slot.entry else "soft small"
        drawing.text(x + 12, middle, names[index], kind, room=BOX - 52)
        drawing.text(x + BOX - 10, middle, score, kind, "end")
