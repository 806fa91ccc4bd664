"""What a player's games say without any review: the score against each opponent, and the time used.

Knows no engine and no report.
"""

from __future__ import annotations

import functools
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ludus.drawing import plots
from ludus.messages import Message
from ludus.messages.names import entry_names, player_message
from ludus.play.clock import Clock
from ludus.play.record import Record
from ludus.rating.statistics import count_games
from ludus.reports.review import EVEN, percent

if TYPE_CHECKING:
    from ludus.play.result import GameResult


def opponents_of(results: Iterable[GameResult], name: str) -> list[str]:
    """Return the names of a player's opponents, each once."""
    return list(dict.fromkeys(result.opponent(name) for result in results))


def score_against(results: Iterable[GameResult], name: str, other: str) -> dict[str, Any]:
    """Return a player's score against one opponent, counted in pairs of games."""
    pairs: dict[tuple[str, int], list[float]] = {}
    failed = 0
    for result in results:
        if {*result.entries} == {name, other}:
            pairs.setdefault((result.pairing, result.board), []).append(result.points(name))
            failed += result.failed == name
    score = count_games(pairs.values())
    return {
        "name": other,
        "title": player_message(other),
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


def own_seconds(results: Iterable[GameResult], name: str) -> Iterator[tuple[str, list[float]]]:
    """Yield, for each game of a player, the opponent and the seconds that each of its moves took."""
    for result in results:
        if name in result.entries:
            yield result.opponent(name), _seconds(result.record)[result.side(name)]


@functools.lru_cache(maxsize=20_000)
def _seconds(text: str) -> tuple[list[float], list[float]]:
    """Return what each move of a record took, by side; a course asks about each game several times."""
    record = Record.parse(text)
    taken: tuple[list[float], list[float]] = ([], [])
    for state, move in zip(record.states(), record.moves, strict=False):  # one state more than moves
        if move.seconds is not None:
            taken[state.side].append(move.seconds)
    return taken


def _limit(text: str) -> tuple[float | None, bool]:
    """Return what the clock allows in seconds, and whether that is per move rather than per game."""
    clock = Clock.parse(text)
    return (clock.per_move, True) if clock.bank is None else (clock.bank, False)


def time_use(results: Sequence[GameResult], name: str, clock: str) -> dict[str, Any]:
    """Return figures about the time that a player used."""
    limit, per_move = _limit(clock)
    games = [taken for _, taken in own_seconds(results, name)]
    moves = [seconds for taken in games for seconds in taken] or [0.0]
    timeouts = sum(result.reason == "timeout" and result.failed == name for result in results)
    slowest = max(moves) if per_move else max((sum(taken) for taken in games), default=0.0)
    return {
        "moves": len(moves),
        "median": _shown(statistics.median(moves)),
        "slowest": _shown(slowest),
        "longest": f"> {plots.seconds(limit)}" if timeouts and limit is not None else _shown(slowest),
        "limit": None if limit is None else plots.seconds(limit),
        "share": None if limit is None else percent(slowest / limit, 1),
        "a_move": per_move,
        "timeouts": timeouts,
        "measured": any(games),
    }


def _shown(seconds: float) -> str:
    """Return a time as text; records keep milliseconds."""
    return plots.seconds(seconds) if seconds >= 0.001 else "< 1 ms"


def time_plot(results: Iterable[GameResult], name: str, clock: str, opponents: Iterable[str]) -> Callable[[str], str]:
    """Return a function that draws, in a language, the time that a player used against each opponent.

    The others are drawn too where nothing was measured against these: a plot without a point tells nothing.
    """
    limit, per_move = _limit(clock)
    measured: dict[str, list[float]] = {}
    for other, seconds in own_seconds(results, name):
        if seconds:
            measured.setdefault(other, []).extend(seconds if per_move else [sum(seconds)])
    asked = list(opponents)
    shown = [other for other in asked if other in measured] or list(measured) or asked
    taken = {other: measured.get(other, []) for other in shown}
    unit = Message("plots.seconds_per_move" if per_move else "plots.seconds_per_game")

    def drawn(language: str) -> str:
        called = entry_names({other: other for other in taken}, language)
        named = {called[other]: values for other, values in taken.items()}
        return plots.times(named, unit, limit=limit, language=language)

    return drawn
