"""The evidence that points are given on: games, exam results, and what the instructor entered. Plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ludus.rating.statistics import Score, count_games

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ludus.courses.exam import ExamResult
    from ludus.formats import Standings
    from ludus.messages import Message
    from ludus.play.result import GameResult


class TournamentEvidence(NamedTuple):
    """A tournament of all submissions that was played."""

    standings: Standings
    games: Mapping[str, Sequence[GameResult]]
    """By student."""


class EnteredPoints(NamedTuple):
    """Points that the instructor entered for a student and a rule, and why."""

    points: float
    reason: str


@dataclass
class Evidence:
    """All that is known when points are given."""

    matches: dict[tuple[str, str], list[GameResult]] = field(default_factory=dict)
    """By rule and student."""
    tournaments: dict[str, TournamentEvidence] = field(default_factory=dict)
    exams: dict[str, ExamResult] = field(default_factory=dict)
    late: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """Days by student and rule; the rule is empty where all rules are meant."""
    unplayed: dict[str, list[Message]] = field(default_factory=dict)
    """By student, why games could not be played, where that is no program's fault."""
    entered: Mapping[tuple[str, str], EnteredPoints] = field(default_factory=dict)
    """By student and rule."""

    def games_of(self, student: str) -> list[GameResult]:
        """Return a student's games, each once."""
        games = [game for (_, who), match in self.matches.items() if who == student for game in match]
        games += [game for tournament in self.tournaments.values() for game in tournament.games.get(student, ())]
        return list({game.record_file: game for game in games}.values())

    def rank_of(self, student: str) -> dict[str, int]:
        """Return a student's ranks in the tournaments, by name."""
        return {
            name: row.rank
            for name, tournament in self.tournaments.items()
            for row in tournament.standings.rows
            if row.entry == student
        }


def failures(games: Iterable[GameResult], student: str) -> list[GameResult]:
    """Return the games that a student's program lost by its own failure."""
    return [game for game in games if game.failed == student]


def score_of(games: Iterable[GameResult], student: str) -> Score:
    """Return a student's score; the two games on one board against one opponent count as a pair."""
    pairs: dict[tuple[str, int, str], list[float]] = {}
    for game in games:
        key = (game.opponent(student), game.board, game.pairing)
        pairs.setdefault(key, []).append(game.points(student))
    return count_games(pairs.values())
