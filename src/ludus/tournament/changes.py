"""What a person may do to a tournament that has begun: withdraw an entry, take games back. Each with a reason.

The ledger's log keeps both; the next run of the tournament finds the rest by itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from ludus.errors import UserError
from ludus.play.result import GameResult
from ludus.players import version_of
from ludus.tournament import Progress

CHANGED = "changed"
"""Stands for the games of bots that have changed since."""


def withdraw(progress: Progress, entry: str, reason: str) -> None:
    """Take an entry out from now on; one that has withdrawn already stays as it is."""
    if entry not in progress.plan.entries:
        raise UserError("tournament.no_entry", entry=repr(entry), entries=list(progress.plan.entries))
    if not reason.strip():
        raise UserError("tournament.withdraw_needs_reason")
    if entry in progress.schedule.withdrawn:
        return
    number = max((pairing.round for pairing in progress.schedule.playable.values()), default=1)
    progress.ledger.note(progress.number, "withdraw", reason, entry=entry, round=number)


def take_back_unplayed(progress: Progress) -> int:
    """Take back the games that could not be played, so that they are tried again; return how many there were."""
    return _undo(progress, progress.unplayed, "it could not be played before", "retry")


def take_back(progress: Progress, what: str, reason: str) -> int:
    """Take games back, so that they are played again: one by its number, those of a pairing or entry, or CHANGED."""
    results = progress.results.values()
    if what == CHANGED:
        return _undo(progress, _changed(progress), reason)
    if what.isdecimal():
        games = [result for result in results if result.id == int(what)]
    else:
        games = [result for result in results if what in (result.pairing, *result.entries)]
    if not games:
        raise UserError("tournament.no_such_game", what=what)
    return _undo(progress, games, reason)


def _undo(progress: Progress, games: Iterable[GameResult], reason: str, kind: str = "undo") -> int:
    numbers = [game.id for game in games if game.id is not None]
    return progress.ledger.undo(progress.number, numbers, reason, kind) if numbers else 0


def _changed(progress: Progress) -> list[GameResult]:
    """Return the games of bots whose files have changed since."""
    now = {name: version_of(text) for name, text in progress.plan.entries.items()}
    return [
        result
        for result in progress.results.values()
        if (now.get(result.first), now.get(result.second)) != result.versions
    ]
