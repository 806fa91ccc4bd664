"""Tables and brackets as plain text, from the same plain data that other fronts draw from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from unicodedata import combining, east_asian_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ludus.formats._bracket import BracketRound, Contest, Slot
    from ludus.formats._standings import CrossTable, Standings


def draw_standings(standings: Standings) -> str:
    """Draw a ranked table; `by` is the criterion that puts a line below the one before."""
    rows = [["", "", "points", "score", "games", "won", "drawn", "lost", "by"]]
    for row in standings.rows:
        tally = row.tally
        name = row.entry + (" (withdrawn)" if row.withdrawn else "")
        numbers = (f"{tally.points:g}", f"{tally.score:.1%}", tally.games, tally.wins, tally.draws, tally.losses)
        rows.append([f"{row.rank}.", name, *map(str, numbers), row.decided_by])
    return _columns(rows, left={1, 8})


def draw_cross_table(table: CrossTable, order: Iterable[str]) -> str:
    """Draw how many game points each entry won against each other, in an order of entries."""
    order = list(order)
    rows = [["", "", *(f"{index}" for index in range(1, len(order) + 1)), "score"]]
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


def draw_bracket(rounds: Iterable[BracketRound]) -> str:
    """Draw each stage of a bracket as a tree from left to right, without the contests that are not played."""
    stages: dict[str, list[Contest]] = {}
    for column in rounds:
        stages.setdefault(column.stage, []).extend(column.contests)
    drawn = []
    for stage, contests in stages.items():
        room = max(width(_label(slot)) for contest in contests for slot in contest.slots) + 2
        inside = {contest.key: contest for contest in contests}
        for last in contests:
            if last.feeds not in inside and not last.bye:
                block = _tree(last, inside, room)
                head = f"{stage} {last.key}" if stage == "final" else stage
                drawn.append("\n".join([*([head] if head else []), *(line.rstrip() for line in block.lines)]))
    return "\n\n".join(drawn)


def _label(slot: Slot) -> str:
    name = slot.entry or ("" if slot.source.kind == "bye" else f"({slot.source})")
    return name if slot.score is None else f"{name} {slot.score:g}"


def _tree(contest: Contest, inside: dict[str, Contest], room: int) -> _Block:
    """Draw a contest with the ones before it on its left, and its winner's name on its right."""
    upper, lower = (_branch(contest, slot, inside, room) for slot in (0, 1))
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


def _branch(contest: Contest, slot: int, inside: dict[str, Contest], room: int) -> _Block:
    """Draw what leads to one slot: the contest before it where it is in the same stage, and the slot's own name."""
    side = contest.slots[slot]
    label = _pad(f" {_label(side)} ", room + 1, "─")
    before = _before(side, inside)
    if before is None:
        return _Block([label], 0)
    block = _tree(before, inside, room)
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
