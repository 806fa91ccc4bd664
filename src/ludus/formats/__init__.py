"""Formats: results in, pairings out. Each module of this folder is one.

    schedule = ludus.formats.schedule("swiss", entries, seed=3, rounds=7)
    queue = [*schedule.playable.values()]
    queue += schedule.add(queue.pop().result(wins=2))       # results in any order; what they make playable comes back
    schedule.withdraw("name"); schedule.standings(); schedule.finished; schedule.bracket(); schedule.table

After a crash, `schedule(name, entries, seed=…, results=…, withdrawn=…)` continues where the last one stopped. Other
packages bring formats as entry points of the group `ludus.formats`: subclasses of `Schedule`, `Rounds` or
`Elimination`.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from importlib.metadata import entry_points

from ludus.errors import UserError
from ludus.formats._bracket import BracketRound, Contest, Elimination, Origin, Reached, Slot, round_title, tie_message
from ludus.formats._drawing import draw_bracket, draw_cross_table, draw_standings
from ludus.formats._matching import maximum_matching
from ludus.formats._schedule import GIVEN, ORDER, Pairing, Result, Rounds, Schedule
from ludus.formats._standings import Criterion, CrossTable, Row, Standings, Tally, rank

__all__ = [
    "GIVEN",
    "ORDER",
    "BracketRound",
    "Contest",
    "Criterion",
    "CrossTable",
    "Elimination",
    "Origin",
    "Pairing",
    "Reached",
    "Result",
    "Rounds",
    "Row",
    "Schedule",
    "Slot",
    "Standings",
    "Tally",
    "draw_bracket",
    "draw_cross_table",
    "draw_standings",
    "find",
    "formats",
    "maximum_matching",
    "rank",
    "round_title",
    "schedule",
    "tie_message",
]


@functools.cache
def classes() -> Mapping[str, type[Schedule]]:
    """Return the class of each format, by its name: those of other packages and of this folder."""
    found: dict[str, type[Schedule]] = {entry.name: entry.load() for entry in entry_points(group="ludus.formats")}
    for module in pkgutil.iter_modules(__path__):
        if module.name[0] != "_":
            made: type[Schedule] = importlib.import_module(f"{__name__}.{module.name}").FORMAT
            found[made.name] = made
    return dict(sorted(found.items()))


def formats() -> tuple[str, ...]:
    """Return the names of all formats."""
    return tuple(classes())


def find(name: str) -> type[Schedule]:
    """Return the format with a name; calling it returns a schedule."""
    if name not in classes():
        raise UserError("formats.no_such_format", name=repr(name), formats=list(formats()))
    return classes()[name]


def schedule(
    name: str,
    /,
    entries: Iterable[str],
    *,
    seed: int = 0,
    results: Iterable[Result] = (),
    withdrawn: Mapping[str, int] | None = None,
    **options: int | str,
) -> Schedule:
    """Return the schedule of a format for some entries, with the results so far."""
    return find(name)(entries, seed=seed, results=results, withdrawn=withdrawn, **options)
