"""The evidence that points are given on: games, exam results, and what the instructor entered. Plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ludus.rating.statistics import Score, count_games

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ludus.courses.exam import ExamResult
    from ludus.courses.submissions import Submission
    from ludus.courses.tables import Part
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
    """By rule and the key of the submission."""
    tournaments: dict[str, TournamentEvidence] = field(default_factory=dict)
    exams: dict[str, ExamResult] = field(default_factory=dict)
    """By the key of the submission."""
    late: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """Days that the instructor entered, by student and rule; the rule is empty where all rules are meant."""
    unplayed: dict[str, list[Message]] = field(default_factory=dict)
    """By the key of the submission, why games could not be played, where that is no program's fault."""
    entered: Mapping[tuple[str, str], EnteredPoints] = field(default_factory=dict)
    """By student and rule."""
    parts: Mapping[str, Part] = field(default_factory=dict)
    """By student, where a member's part is not all of what the team has earned."""

    def games_of(self, student: Submission) -> list[GameResult]:
        """Return a submission's games, each once."""
        games = [game for (_, who), match in self.matches.items() if who == student.key for game in match]
        games += [game for tournament in self.tournaments.values() for game in tournament.games.get(student.entry, ())]
        return list({game.record_file: game for game in games}.values())

    def rank_of(self, entry: str) -> dict[str, int]:
        """Return the ranks of a program in the tournaments, by name."""
        return {
            name: row.rank
            for name, tournament in self.tournaments.items()
            for row in tournament.standings.rows
            if row.entry == entry
        }

    def days_late(self, student: Submission, rule: str) -> float:
        """Return how late a student is: as entered for the student or the team, or else by the deadline."""
        for key in ((id_, name) for id_ in (student.id, student.entry) for name in (rule, "")):
            if key in self.late:
                return self.late[key]
        return student.days_late

    def entered_points(self, student: Submission, rule: str) -> EnteredPoints | None:
        """Return what was entered for a student, or for the team."""
        return self.entered.get((student.id, rule)) or self.entered.get((student.entry, rule))

    def move(self, before: str, after: str) -> None:
        """Store what an attempt showed as that of the submission that counts."""
        for rule, key in [found for found in self.matches if found[1] == before]:
            self.matches[rule, after] = self.matches.pop((rule, key))
        if before in self.exams:
            self.exams[after] = self.exams.pop(before)
        if before in self.unplayed:
            self.unplayed[after] = self.unplayed.pop(before)

    def drop(self, key: str) -> None:
        """Forget what an attempt showed that does not count."""
        for found in [found for found in self.matches if found[1] == key]:
            del self.matches[found]
        self.exams.pop(key, None)
        self.unplayed.pop(key, None)


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
