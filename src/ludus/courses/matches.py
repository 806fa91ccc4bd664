"""Plays the games that a rubric asks for, matches against fixed opponents and tournaments, and none of them twice.

A game's key is made of all that determines it: the two programs by content, the start and the clock. The ledger keeps
it under that key, so that a course continues where it stopped, and only a submission that has changed plays again.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ludus.courses.evidence import Evidence, TournamentEvidence
from ludus.formats import Pairing
from ludus.game import game
from ludus.game_task import counts_again, host
from ludus.messages import verbatim
from ludus.play.clock import Clock
from ludus.players import find_bot, only_seat, version_of
from ludus.store import IN_MEMORY, Ledger
from ludus.tournament import Plan, Progress, run, stop_if_full

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ludus.courses import Course
    from ludus.courses.pressure import PressureGauge
    from ludus.courses.rubric import MatchTerms, Rule
    from ludus.courses.submissions import Submission
    from ludus.game_task import Task
    from ludus.messages import Message
    from ludus.play.result import GameKey, GameResult
    from ludus.tournament.pools import Pool

MOST_WAITING = 64
WAIT_SECONDS = 0.2


class CachedPool:
    """A pool that plays a game only when the ledger does not have it."""

    def __init__(self, pool: Pool, ledger: Ledger, course: str, gauge: PressureGauge | None = None) -> None:
        """Play in a pool for a course; with a gauge, what is lost by time on a busy machine is played again once."""
        self._pool = pool
        self._gauge = gauge
        self.ledger = ledger
        self.number = ledger.tournament(course, {})
        self._known = {result.pairing: result for result in ledger.games(self.number)}
        self._ready: deque[GameResult] = deque()
        self._running: dict[GameKey, tuple[Task, str]] = {}
        self._duplicates: dict[str, list[Task]] = {}
        """Tasks that ask for a game that is being played for another: two rules may have the same opponent."""
        self._doubtful: dict[str, GameResult] = {}
        """Results of games that are being played again."""
        self._versions: dict[str, str] = {}
        self.played = 0
        """Games that were really played."""
        self.files: dict[GameKey, str] = {}
        """The file that the record of each game goes to."""

    @property
    def size(self) -> int:
        """How many games are played at a time."""
        return self._pool.size

    @property
    def missing(self) -> Message | None:
        """What the pool waits for before any game can be played."""
        return self._pool.missing

    def submit(self, task: Task) -> None:
        """Take a task; one that was played before is answered at once."""
        key = self.key(task)
        self.files[task.key] = f"{key}.txt"
        if key in self._known:
            self._ready.append(_for_task(self._known[key], task))
        elif key in self._duplicates:
            self._duplicates[key].append(task)
        else:
            self._pool.submit(task)
            self._running[task.key] = task, key
            self._duplicates[key] = []

    def results(self, seconds: float) -> Iterator[GameResult]:
        """Yield what is known or was played since; the ledger has it first."""
        if self._ready:
            while self._ready:
                yield self._ready.popleft()
            return
        for result in self._pool.results(seconds):
            stop_if_full([result])
            task, key = self._running.pop(result.key)
            if key in self._doubtful and result.played:
                result = counts_again(self._doubtful.pop(key), result)  # noqa: PLW2901 - the same game
            if self._proves_too_little(result, task, key):
                self._pool.submit(task)
                self._running[task.key] = task, key
                self._doubtful[key] = result
                continue
            if result.played:  # what could not be played is not kept, so that the next run tries it again
                self.ledger.add(self.number, [replace(result, pairing=key, board=0, seats=0)])
                self._known[key] = result
                self.played += 1
            self._ready.extend(_for_task(result, other) for other in self._duplicates.pop(key))
            yield _for_task(result, task)

    def _proves_too_little(self, result: GameResult, task: Task, key: str) -> bool:
        """Return whether a game was lost by a clock in real time while this machine was busy; each is asked once."""
        clock = Clock.parse(task.clock)
        if self._gauge is None or not result.played or clock.cpu or clock == Clock() or result.host != host():
            return False
        loser = result.failed if result.reason == "timeout" else None
        return self._gauge.play_again(key, result.stalled, loser)

    def close(self) -> None:
        """Stop all games."""
        self._pool.close()

    def key(self, task: Task) -> str:
        """Return a digest of all that determines a game."""
        terms = [task.game, task.options, task.start, task.clock, task.seed, task.untimed]
        terms += [self.version(text) for text in task.players]
        terms += ["pondering"] if task.pondering else []
        terms += [task.drawn] if any(task.drawn) else []
        return hashlib.sha256(json.dumps(terms, sort_keys=True).encode()).hexdigest()[:32]

    def version(self, text: str) -> str:
        """Return what exactly a player is."""
        if text not in self._versions:
            self._versions[text] = version_of(text)
        return self._versions[text]

    def forget(self, versions: tuple[str, ...], reason: str) -> int:
        """Take back the games of a program, so that they are played again; return how many."""
        stale = {key for key, result in self._known.items() if {*result.versions} & {*versions}}
        ids = [
            result.id for result in self.ledger.games(self.number) if result.pairing in stale and result.id is not None
        ]
        for key in stale:
            del self._known[key]
        return self.ledger.undo(self.number, ids, reason, "regrade") if ids else 0


def _for_task(result: GameResult, task: Task) -> GameResult:
    """Return a result as a task asks for it: the programs are the same, the names may be others."""
    (pairing, board, seats), (first, second) = task.key, task.entries
    return replace(
        result, pairing=pairing, board=board, seats=seats, first=first, second=second, id=None, finished=None
    )


def why_unplayed(result: GameResult) -> Message:
    """Return why a game could not be played."""
    return result.fault_message or verbatim(result.fault)


def match_plan(course: Course, rule: Rule, terms: MatchTerms, student: Submission) -> tuple[Plan, Pairing]:
    """Return the plan of a student's match against a rule's opponent."""
    opponent = terms.opponent if terms.opponent != student.entry else f"{terms.opponent} (ours)"
    plan = plan_terms(course, f"{rule.name} {student.entry}", [student], terms.games, {opponent: terms.opponent})
    untimed = (opponent,) if find_bot(terms.opponent) is None else ()
    made = game(course.game, **course.board_options[0])
    found = {text: only_seat(text, made) for text in student.programs if terms.own_seat}
    only = {text: seat for text, seat in found.items() if seat is not None}
    return Plan(**plan, untimed=untimed, only_seats=only), Pairing(
        f"{rule.name}/{student.key}", student.entry, opponent
    )


def plan_terms(
    course: Course, name: str, students: list[Submission], games: int, more: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return what all plans of a course have in common."""
    return {
        "name": name,
        "game": course.game,
        "entries": {**{student.entry: student.programs[0] for student in students}, **(more or {})},
        "options": course.options,
        "clock": course.clock,
        "pairs": (games + 1) // 2,
        "games": games if games % 2 else None,
        "seed": course.seed,
        "opening_plies": course.opening_plies,
        "pondering": course.pondering,
        "boards": tuple(course.boards.values()),
        "programs": {student.entry: student.programs for student in students if len(student.programs) > 1},
    }


def play_matches(
    course: Course,
    students: list[Submission],
    pool: CachedPool,
    evidence: Evidence,
    progress: Callable[[int, int], None],
) -> None:
    """Play every match that the rubric asks for."""
    tasks: deque[Task] = deque()
    owners: dict[str, tuple[str, str]] = {}
    for student in students:
        for rule in course.rules:
            if (terms := rule.settings.match) is not None:
                plan, pairing = match_plan(course, rule, terms, student)
                owners[pairing.key] = rule.name, student.key
                evidence.matches[rule.name, student.key] = []
                tasks.extend(plan.tasks(pairing))
    total, done, waiting = len(tasks), 0, 0
    while done < total:
        while tasks and waiting < max(MOST_WAITING, 2 * pool.size):
            pool.submit(tasks.popleft())
            waiting += 1
        for result in pool.results(WAIT_SECONDS):
            rule_name, key = owners[result.pairing]
            if result.played:
                game = replace(result, record_file=pool.files[result.key])
                evidence.matches[rule_name, key].append(game)
            else:
                evidence.unplayed.setdefault(key, []).append(why_unplayed(result))
            done, waiting = done + 1, waiting - 1
        progress(done, total)
    for games in evidence.matches.values():
        games.sort(key=lambda game: (game.board, game.seats))


def play_tournament(
    course: Course,
    name: str,
    students: list[Submission],
    pool: CachedPool,
    evidence: Evidence,
    progress: Callable[[int, int], None],
) -> Progress:
    """Play a tournament of all submissions that can play; only its games are kept, the rest is derived again."""
    tournament = course.tournaments[name]
    options = dict(tournament.options)
    if "groups" in options:
        options["groups"] = min(int(options["groups"]), len(students) // 2) if len(students) > 3 else 0
    terms = plan_terms(course, name, students, tournament.games_per_pairing)
    plan = Plan(**terms, format=tournament.format, format_options=options, ties=tournament.ties)
    state = Progress(plan, Ledger(IN_MEMORY))
    pool.files.clear()
    run(state, pool, lambda now: progress(len(now.results), len(now.results) + now.left))
    games: dict[str, list[GameResult]] = {student.entry: [] for student in students}
    for key in sorted(state.results):
        result = replace(state.results[key], record_file=pool.files[key])
        for student in result.entries:
            if result.played:
                games[student].append(result)
            else:
                evidence.unplayed.setdefault(student, []).append(why_unplayed(result))
    evidence.tournaments[name] = TournamentEvidence(state.schedule.standings(), games)
    return state
