"""What a person may do to a tournament that was begun: take an entry out, take games back. Each with a reason.

The ledger's log keeps both; whoever runs the tournament next finds the rest by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludus.tournament import changed

if TYPE_CHECKING:
    from ludus.tournament import Progress

CHANGED = "changed"
"""Stands for the games of bots that are others by now."""


def withdraw(progress: Progress, entry: str, reason: str) -> None:
    """Take an entry out from now on; one that has left already stays as it is."""
    if entry not in progress.plan.entries:
        raise ValueError(f"there is no entry {entry!r}; the entries are {', '.join(progress.plan.entries)}")
    if not reason.strip():
        raise ValueError("an entry is taken out only with a reason; say it with --reason")
    if entry in progress.schedule.withdrawn:
        return
    number = max((pairing.round for pairing in progress.schedule.playable.values()), default=1)
    progress.ledger.note(progress.number, "withdraw", reason, entry=entry, round=number)


def take_back_unplayed(progress: Progress) -> int:
    """Take back the games that could not be played, so that they are tried again; return how many there were."""
    games = [row["id"] for row in progress.unplayed]
    return progress.ledger.undo(progress.number, games, "it could not be played before", "retry") if games else 0


def take_back(progress: Progress, what: str, reason: str) -> int:
    """Take games back, so that they are played again: one by its number, those of a pairing or entry, or CHANGED."""
    rows = progress.rows.values()
    if what == CHANGED:
        games = changed(progress)
    elif what.isdecimal():
        games = [row["id"] for row in rows if row["id"] == int(what)]
    else:
        games = [row["id"] for row in rows if what in (row["pairing"], row["first"], row["second"])]
    if not games and what != CHANGED:
        raise ValueError(f"{what}: there is no such game, pairing or entry among the games played")
    return progress.ledger.undo(progress.number, games, reason) if games else 0
