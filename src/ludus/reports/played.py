"""What a player's games say before anybody judges their moves: the score against each opponent, and the time used.

Takes games as a ledger keeps them; knows no engine and no report.
"""

from __future__ import annotations

import functools
import statistics
from typing import TYPE_CHECKING, Any

from ludus.drawing import plots
from ludus.play.clock import Clock
from ludus.play.record import Record
from ludus.rating.statistics import count_games
from ludus.reports.judged import EVEN, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ludus.play.result import GameResult as Row


def against(rows: Iterable[Row], name: str, other: str) -> dict[str, Any]:
    """Give the games against one opponent, pair by pair, as the bot sees them."""
    boards: dict[tuple[str, int], list[float]] = {}
    failed = 0
    for row in rows:
        if {row.first, row.second} == {name, other}:
            brought = points(row, name)
            boards.setdefault((row.pairing, row.board), []).append(brought)
            failed += brought == 0 and row.reason not in ("rules", "adjudicated")
    score = count_games(boards.values())
    return {
        "name": other,
        "games": score.games,
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "score": percent(score.score, 1),
        "low": percent(score.interval.low),
        "high": percent(score.interval.high),
        "passed": score.score > EVEN,
        "sure": percent(score.superiority),
        "failures": failed,
    }


def points(row: Row, name: str) -> float:
    """Give what a game brought to one of its players."""
    if row.winner is None:
        return 0.5
    return float(row.winner_entry == name)


def own_seconds(rows: Iterable[Row], name: str) -> Iterator[tuple[str, list[float]]]:
    """Give the opponent, and what each of the bot's moves took, of each of its games."""
    for row in rows:
        if name in row.entries:
            side = int(row.second == name)
            yield row.opponent(name), _seconds(row.record)[side]


@functools.lru_cache(maxsize=20_000)
def _seconds(text: str) -> tuple[list[float], list[float]]:
    """Give what each move of a record took, by side; a course asks about each game several times."""
    record = Record.parse(text)
    taken: tuple[list[float], list[float]] = ([], [])
    for state, move in zip(record.states(), record.moves, strict=False):  # one state more than moves
        if move.seconds is not None:
            taken[state.side].append(move.seconds)
    return taken


def _limit(text: str) -> tuple[float | None, bool]:
    """Give what the clock allows in seconds, and whether that is for a move rather than for a game."""
    clock = Clock.parse(text)
    return (clock.per_move, True) if clock.bank is None else (clock.bank, False)


def times(rows: Sequence[Row], name: str, clock: str) -> dict[str, Any]:
    """Sum up the time that the bot used."""
    limit, a_move = _limit(clock)
    games = [taken for _, taken in own_seconds(rows, name)]
    moves = [seconds for taken in games for seconds in taken] or [0.0]
    own = [row for row in rows if name in row.entries]
    late = sum(row.reason == "timeout" and points(row, name) == 0 for row in own)
    slowest = max(moves) if a_move else max((sum(taken) for taken in games), default=0.0)
    return {
        "moves": len(moves),
        "median": _shown(statistics.median(moves)),
        "slowest": _shown(slowest),
        "longest": f"> {plots.seconds(limit)}" if late and limit is not None else _shown(slowest),
        "limit": None if limit is None else plots.seconds(limit),
        "share": None if limit is None else percent(slowest / limit, 1),
        "a_move": a_move,
        "timeouts": late,
    }


def _shown(seconds: float) -> str:
    """Write a time; records keep milliseconds."""
    return plots.seconds(seconds) if seconds >= 0.001 else "< 1 ms"


def time_plot(rows: Iterable[Row], name: str, clock: str, opponents: Iterable[str]) -> Callable[[str], str]:
    """Draw the time that the bot used against each opponent, in the language that is asked for."""
    limit, a_move = _limit(clock)
    taken: dict[str, list[float]] = {other: [] for other in opponents}
    for other, seconds in own_seconds(rows, name):
        if other in taken:
            taken[other] += seconds if a_move else [sum(seconds)]
    unit = "seconds a move" if a_move else "seconds a game"
    return lambda language: plots.times(taken, "Time use", unit, limit=limit, language=language)
