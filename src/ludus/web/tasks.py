"""What workers do: choose moves, think about positions, work out tables. Runs in processes of its own.

Each task is a function of plain values that tells what it finds, plain values too, once or as it goes on. Positions
travel as texts, so that a worker depends on nothing but its task.
"""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Any

from ludus.analysis import analyse
from ludus.clock import Clock, TimeLeft
from ludus.game import game
from ludus.players import Player, player

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludus.analysis import Analysis
    from ludus.store import Ledger

    Tell = Callable[[Any], None]

MEGABYTES = 32

SECONDS_BETWEEN_NEWS = 0.1

Options = tuple[tuple[str, int | str], ...]


@functools.lru_cache(maxsize=8)
def _seated(text: str, name: str, options: Options) -> Player:
    """Keep the last players: the engine's table takes longer to make than a weak level's move."""
    if text.startswith("engine:"):
        text += f",megabytes={MEGABYTES}"
    return player(text, game(name, **dict(options)))


def choose(tell: Tell, text: str, name: str, options: Options, position: str, clock: str, bank: float | None) -> None:
    """Let a player choose, and tell (move, seconds, value)."""
    seat = _seated(text, name, options)
    state = game(name, **dict(options)).parse(position)
    began = time.monotonic()
    move = seat.choose(state, TimeLeft(Clock.parse(clock), bank))
    tell((move, time.monotonic() - began, getattr(getattr(seat, "last", None), "value", None)))


def look(tell: Tell, name: str, options: Options, position: str, seconds: float, lines: int) -> None:
    """Think about a position, and tell what is found, ever deeper."""
    state = game(name, **dict(options)).parse(position)
    told = time.monotonic()

    def progress(analysis: Analysis) -> None:
        nonlocal told
        if time.monotonic() - told > SECONDS_BETWEEN_NEWS:
            told = time.monotonic()
            tell(analysis_json(analysis, done=False))

    tell(analysis_json(analyse(state, seconds=seconds, lines=lines, megabytes=MEGABYTES, progress=progress), done=True))


def analysis_json(analysis: Analysis, *, done: bool) -> dict[str, Any]:
    """Give an analysis as JSON."""
    return {
        "depth": analysis.depth,
        "nodes": analysis.nodes,
        "seconds": round(analysis.seconds, 3),
        "done": done,
        "lines": [
            {
                "moves": list(line.moves[:12]),
                "value": line.value,
                "exact": line.exact,
                "win_chance": line.win_chance,
                "plies_to_end": line.plies_to_end,
            }
            for line in analysis.lines
            if line.moves
        ],
    }


@functools.lru_cache(maxsize=1)
def _ledger(database: str) -> Ledger:
    from ludus.store import Ledger  # noqa: PLC0415 - only where it is asked for

    return Ledger(database)


def derive(tell: Tell, database: str, name: str) -> None:
    """Derive what a page shows of a tournament from the games that its ledger holds; tell it, and what that took."""
    from ludus.reports.tournament import Played  # noqa: PLC0415
    from ludus.tournament import Progress  # noqa: PLC0415
    from ludus.tournament.output import document  # noqa: PLC0415

    ledger = _ledger(database)
    began = time.monotonic()
    found = ledger.find(name)
    assert found is not None
    said = document(Progress(Played(name=name, **found[1]), ledger))
    del said["pairings"]  # the longest part, and no page shows it
    said["changes"] = len(ledger.log(found[0]))  # a game that is played again may be the same, but has another name
    tell((said, time.monotonic() - began))


TASKS: dict[str, Callable[..., None]] = {"choose": choose, "look": look, "derive": derive}
