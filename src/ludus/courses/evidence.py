"""Evidence: plays what a rubric asks for, matches against fixed opponents and tournaments, and nothing twice.

Every game is known by what makes it: the two programs by content, the start and the clock. The ledger keeps it under
that name, so that a course goes on where it stopped, and after one submission has changed only that one plays.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ludus.courses.rubric import Contested, Evidence
from ludus.formats import Pairing
from ludus.players import find_bot, version_of
from ludus.store import Ledger
from ludus.tournament import Plan, Progress, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ludus.courses import Contest, Course
    from ludus.courses.intake import Submission
    from ludus.courses.rubric import Rule
    from ludus.play.result import GameKey, GameResult
    from ludus.tournament.pools import Pool
    from ludus.tournament.task import Task

MOST_WAITING = 64
WAIT_SECONDS = 0.2


class Memory:
    """A pool that plays a game only when the ledger does not have it."""

    def __init__(self, pool: Pool, ledger: Ledger, course: str) -> None:
        self._pool = pool
        self.ledger = ledger
        self.number = ledger.tournament(course, {})
        self._known: dict[str, GameResult] = {result.pairing: result for result in ledger.games(self.number)}
        self._ready: deque[GameResult] = deque()
        self._going: dict[GameKey, tuple[Task, str]] = {}
        self._twins: dict[str, list[Task]] = {}
        """Tasks that ask for a game that is being played for another: two rules may have the same opponent."""
        self._versions: dict[str, str] = {}
        self.played = 0
        """Games that were really played."""

    @property
    def size(self) -> int:
        """How many games go on at a time."""
        return self._pool.size

    def submit(self, task: Task) -> None:
        """Take a task; one that was played before is answered at once."""
        key = self.key(task)
        if key in self._known:
            self._ready.append(named(self._known[key], task, key))
        elif key in self._twins:
            self._twins[key].append(task)
        else:
            self._pool.submit(task)
            self._going[task.key] = task, key
            self._twins[key] = []

    def results(self, seconds: float) -> Iterator[GameResult]:
        """Give what is known or was played since; the ledger has it first."""
        if self._ready:
            while self._ready:
                yield self._ready.popleft()
            return
        for row in self._pool.results(seconds):
            task, key = self._going.pop(row.key)
            if row.played:  # one that was not is not kept, so that it is tried again the next time
                self.ledger.add(self.number, [replace(row, pairing=key, board=0, seats=0)])
                self._known[key] = row
                self.played += 1
            self._ready.extend(named(row, twin, key) for twin in self._twins.pop(key))
            yield named(row, task, key)

    def close(self) -> None:
        """Stop all games."""
        self._pool.close()

    def key(self, task: Task) -> str:
        """Give what a game is known by."""
        made = [task.game, task.options, task.start, task.clock, task.seed, task.untimed]
        made += [self.version(text) for text in task.players]
        made += ["pondering"] if task.pondering else []
        return hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()[:32]

    def version(self, text: str) -> str:
        """Say what exactly a player is."""
        if text not in self._versions:
            self._versions[text] = version_of(text)
        return self._versions[text]

    def forget(self, versions: tuple[str, ...], reason: str) -> int:
        """Take back the games of a program, so that they are played again."""
        stale = [key for key, row in self._known.items() if {*row.versions} & {*versions}]
        ids = [row.id for row in self.ledger.games(self.number) if row.pairing in stale and row.id is not None]
        for key in stale:
            del self._known[key]
        return self.ledger.undo(self.number, ids, reason, "regrade") if ids else 0


def named(result: GameResult, task: Task, key: str) -> GameResult:
    """Return a game as the task asks for it: the programs are the same, the names may be others."""
    place = replace(result, pairing=task.pairing, board=task.board, seats=task.seats, id=None, finished=None)
    return replace(place, first=task.entries[0], second=task.entries[1], record_file=f"{key}.txt")


def match_plan(course: Course, rule: Rule, student: Submission) -> tuple[Plan, Pairing]:
    """Settle the match of a student against a rule's opponent."""
    text: str = rule.settings["opponent"]
    opponent = text if text != student.id else f"{text} (ours)"
    ours = find_bot(text) is None
    plan = settle(course, f"{rule.name} {student.id}", [student], rule.settings["games"], {opponent: text})
    free = (opponent,) if ours else ()
    return Plan(**{**plan, "untimed": free}), Pairing(f"{rule.name}/{student.id}", student.id, opponent)


def settle(
    course: Course, name: str, students: list[Submission], games: int, more: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Give what all plans of a course have in common."""
    split = {one.id: one.programs for one in students if len(one.programs) > 1}
    return {
        "name": name,
        "game": course.game,
        "entries": {**{one.id: one.programs[0] for one in students}, **(more or {})},
        "options": course.options,
        "clock": course.clock,
        "pairs": (games + 1) // 2,
        "games": games if games % 2 else None,
        "seed": course.seed,
        "opening_plies": course.opening_plies,
        "pondering": course.pondering,
        "boards": course.boards,
        "programs": split,
    }


def play_matches(
    course: Course, students: list[Submission], memory: Memory, evidence: Evidence, seen: Callable[[int, int], None]
) -> None:
    """Play every match that the rubric asks for."""
    tasks: deque[Task] = deque()
    for student in students:
        for rule in course.rules:
            if "opponent" in rule.settings:
                plan, pairing = match_plan(course, rule, student)
                evidence.matches[rule.name, student.id] = []
                tasks.extend(plan.tasks(pairing))
    total, done, waiting = len(tasks), 0, 0
    while done < total:
        while tasks and waiting < MOST_WAITING:
            memory.submit(tasks.popleft())
            waiting += 1
        for row in memory.results(WAIT_SECONDS):
            rule_name, _, student_id = row.pairing.partition("/")
            if row.played:
                evidence.matches[rule_name, student_id].append(row)
            else:
                evidence.unplayed.setdefault(student_id, []).append(row.fault)
            done, waiting = done + 1, waiting - 1
        seen(done, total)
    for rows in evidence.matches.values():
        rows.sort(key=lambda row: (row.board, row.seats))


def play_contest(
    course: Course,
    contest: Contest,
    students: list[Submission],
    memory: Memory,
    evidence: Evidence,
    seen: Callable[[int, int], None],
) -> Progress:
    """Play a tournament of all submissions that can play; what it is drawn from is not kept, only its games are."""
    settled = settle(course, contest.name, students, contest.games or 2 * contest.pairs)
    options = dict(contest.options)
    if "groups" in options:
        options["groups"] = min(int(options["groups"]), len(students) // 2) if len(students) > 3 else 0
    plan = Plan(**{**settled, "format": contest.format, "format_options": options, "ties": contest.ties})
    progress = Progress(plan, Ledger("sqlite://"))
    run(progress, memory, lambda now: seen(len(now.results), len(now.results) + now.left))
    games: dict[str, list[GameResult]] = {one.id: [] for one in students}
    for key in sorted(progress.results):
        row = progress.results[key]
        for student in row.entries:
            if row.played:
                games[student].append(row)
            else:
                evidence.unplayed.setdefault(student, []).append(row.fault)
    evidence.contests[contest.name] = Contested(progress.schedule.standings(), games)
    return progress
