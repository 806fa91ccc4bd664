"""Tables and brackets as plain text, from the same plain data that other fronts draw from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from unicodedata import combining, east_asian_width

from ludus.formats._bracket import BracketRound, Contest, Slot, round_title, tie_message
from ludus.formats._standings import CrossTable, Standings
from ludus.messages import Message, known, render

TIED = "*"
"""Marks who won by a tie-break."""
COLUMNS = tuple(Message(f"reports.{name}") for name in ("points", "score", "games", "won", "drawn", "lost"))


def draw_standings(standings: Standings, language: str = "en") -> str:
    """Draw a ranked table; the last column is the criterion that puts a line below the one before."""
    headings = [render(column, language) for column in (*COLUMNS, Message("formats.decided_by"))]
    titles = {criterion.name: render(criterion.title, language) for criterion in standings.criteria}
    rows = [["", "", *headings]]
    for row in standings.rows:
        tally = row.tally
        name = render(Message("formats.withdrawn", entry=row.entry), language) if row.withdrawn else row.entry
        numbers = (f"{tally.points:g}", f"{tally.score:.1%}", tally.games, tally.wins, tally.draws, tally.losses)
        rows.append([f"{row.rank}.", name, *map(str, numbers), titles.get(row.decided_by, "")])
    return _columns(rows, left={1, 8})


def draw_cross_table(table: CrossTable, order: Iterable[str], language: str = "en") -> str:
    """Draw how many game points each entry won against each other, in an order of entries."""
    order = list(order)
    score = render(Message("reports.score"), language)
    rows = [["", "", *(f"{index}" for index in range(1, len(order) + 1)), score]]
    for index, (entry, tallies) in enumerate(zip(order, table.rows(order), strict=True), 1):
        cells = ["·" if t is None else f"{t.wins + t.draws / 2:g}" if t.games else f"{t.points:g}w" for t in tallies]
        cells[index - 1] = "×"
        rows.append([f"{index}", entry, *cells, f"{table.totals[entry].score:.1%}"])
    return _columns(rows, left={1})


def width(text: str) -> int:
    """Return the columns that a text takes in a terminal: Chinese characters are two wide."""
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def _pad(text: str, columns: int, fill: str = " ", *, before: bool = False) -> str:
    """Pad a text to this number of columns."""
    missing = fill * (columns - width(text))
    return missing + text if before else text + missing


def _columns(rows: Sequence[Sequence[str]], left: set[int]) -> str:
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(_pad(cell, w, before=i not in left) for i, (cell, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


class _Block(NamedTuple):
    """Lines of one width, and the line at which the winner comes out."""

    lines: list[str]
    out: int


def draw_bracket(rounds: Iterable[BracketRound], language: str = "en") -> str:
    """Draw each stage of a bracket as a tree from left to right, without the contests that are not played."""
    rounds = list(rounds)
    stages: dict[str, list[Contest]] = {}
    for column in rounds:
        stages.setdefault(column.stage, []).extend(column.contests)
    drawn = []
    for stage, contests in stages.items():
        labels = _labels(contests, language)
        inside = {contest.key: contest for contest in contests}
        name = render(known(f"stage.{stage}", stage), language)
        for last in contests:
            if last.feeds not in inside and not last.bye:
                head = f"{name} {last.key}" if stage == "final" else name
                lines = [line.rstrip() for line in _tree(last, inside, labels).lines]
                drawn.append("\n".join([head, *lines] if head else lines))
    ties = [f"{TIED} {render(message, language)}" for message in _ties(rounds)]
    return "\n\n".join([*drawn, "\n".join(ties)] if ties else drawn)


def _ties(rounds: Iterable[BracketRound]) -> Iterator[Message]:
    """Return what decided each tie."""
    for one in rounds:
        for contest in one.contests:
            if contest.tie_break:
                names, scores = [slot.entry or "" for slot in contest.slots], [slot.score for slot in contest.slots]
                title = round_title(one.stage, one.round)
                yield tie_message(title, names, scores, contest.winner, contest.tie_break)


def _labels(contests: Iterable[Contest], language: str) -> dict[Slot, str]:
    """Return what is written at each slot, all of one width; who won by a tie-break has a mark."""
    texts = {}
    for slot, contest in ((slot, one) for one in contests for slot in one.slots):
        name = slot.entry or ("" if slot.source.kind == "bye" else f"({render(slot.source.message, language)})")
        texts[slot] = name if slot.score is None else f"{name} {slot.score:g}"
        if contest.tie_break and slot == contest.slots[contest.winner or 0]:
            texts[slot] += TIED
    room = max(map(width, texts.values())) + 3
    return {slot: _pad(f" {text} ", room, "─") for slot, text in texts.items()}


def _tree(contest: Contest, inside: dict[str, Contest], labels: Mapping[Slot, str]) -> _Block:
    """Draw a contest with the ones before it on its left, and its winner's name on its right."""
    upper, lower = (_branch(contest, slot, inside, labels) for slot in (0, 1))
    wide = max(width(upper.lines[0]), width(lower.lines[0]))
    lines = [_pad(line, wide, before=True) for line in [*upper.lines, *lower.lines]]
    first, last = upper.out, len(upper.lines) + lower.out
    out = (first + last) // 2
    winner = "" if contest.winner is None else contest.slots[contest.winner].entry or ""
    for index, line in enumerate(lines):
        edge = " " if not first <= index <= last else "┐" if index == first else "┘" if index == last else "│"
        if index == out:
            edge = {"┐": "┬", "│": "├"}.get(edge, edge)
        lines[index] = line + edge + (f"─ {winner}" if index == out and contest.feeds not in inside else "")
    widest = max(map(width, lines))
    return _Block([_pad(line, widest) for line in lines], out)


def _branch(contest: Contest, slot: int, inside: dict[str, Contest], labels: Mapping[Slot, str]) -> _Block:
    """Draw what leads to one slot: the contest before it where it is in the same stage, and the slot's own name."""
    side = contest.slots[slot]
    label = labels[side]
    before = _before(side, inside)
    if before is None:
        return _Block([label], 0)
    block = _tree(before, inside, labels)
    lines = [line + ("─" + label if i == block.out else " " * (width(label) + 1)) for i, line in enumerate(block.lines)]
    return _Block(lines, block.out)


def _before(side: Slot, inside: dict[str, Contest]) -> Contest | None:
    """Return the last contest of the same stage that was played before this one; byes are skipped."""
    while side.source.kind == "winner":
        before = inside.get(side.source.of)
        if before is None or not before.bye or before.winner is None:
            return before
        side = before.slots[before.winner]
    return None
