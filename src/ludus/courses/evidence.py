"""Evidence: plays what a rubric asks for, matches against fixed opponents and tournaments, and nothing twice.

Every game is known by what makes it: the two programs by content, the start and the clock. The ledger keeps it under
that name, so that a course goes on where it stopped, and after one submission has changed only that one plays.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from typing import TYPE_CHECKING, Any

from ludus.courses.rubric import Contested, Evidence
from ludus.formats import Pairing
from ludus.players import find_bot, version_of
from ludus.store import Ledger
from ludus.tournament import Plan, Progress, run
from ludus.tournament.task import UNPLAYED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ludus.courses import Contest, Course
    from ludus.courses.intake import Submission
    from ludus.courses.rubric import Rule
    from ludus.tournament.pools import Pool, Row
    from ludus.tournament.task import Task

MOST_WAITING = 64
WAIT_SECONDS = 0.2


class Memory:
    """A pool that plays a game only when the ledger does not have it."""

    def __init__(self, pool: Pool, ledger: Ledger, course: str) -> None:
        self._pool = pool
        self.ledger = ledger
        self.number = ledger.tournament(course, {})
        self._known: dict[str, Row] = {}
        for row in ledger.games(self.number):
            self._known[row.pairing] = {c.name: getattr(row, c.name) for c in row.__table__.columns}
        self._ready: deque[Row] = deque()
        self._going: dict[tuple[str, int, int], tuple[Task, str]] = {}
        self._twins: dict[str, list[Task]] = {}
        """Tasks that ask for a game that is being played for another: two rules may have the same opponent."""
        self._versions: dict[str, str] = {}
        self.played = 0
        """Games that were really played."""
        self.files: dict[tuple[str, int, int], str] = {}
        """The file that each game of the stage goes to, by pairing, board and seats."""

    @property
    def size(self) -> int:
        """How many games go on at a time."""
        return self._pool.size

    def submit(self, task: Task) -> None:
        """Take a task; one that was played before is answered at once."""
        key = self.key(task)
        self.files[task.key] = f"{key}.txt"
        if key in self._known:
            self._ready.append(named(self._known[key], task))
        elif key in self._twins:
            self._twins[key].append(task)
        else:
            self._pool.submit(task)
            self._going[task.key] = task, key
            self._twins[key] = []

    def results(self, seconds: float) -> Iterator[Row]:
        """Give what is known or was played since; the ledger has it first."""
        if self._ready:
            while self._ready:
                yield self._ready.popleft()
            return
        for row in self._pool.results(seconds):
            task, key = self._going.pop((row["pairing"], row["board"], row["seats"]))
            if row["reason"] != UNPLAYED:  # which is not kept, so that the next time it is tried again
                self.ledger.add(self.number, [row | {"pairing": key, "board": 0, "seats": 0}])
                self._known[key] = row
                self.played += 1
            self._ready.extend(named(row, twin) for twin in self._twins.pop(key))
            yield named(row, task)

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
        stale = [key for key, row in self._known.items() if {row["version_first"], row["version_second"]} & {*versions}]
        ids = [row.id for row in self.ledger.games(self.number) if row.pairing in stale]
        for key in stale:
            del self._known[key]
        return self.ledger.undo(self.number, ids, reason, "regrade") if ids else 0


def named(row: Row, task: Task) -> Row:
    """Give a game as the task asks for it: the programs are the same, the names may be others."""
    first, second = task.entries
    place = {"pairing": task.pairing, "board": task.board, "seats": task.seats, "first": first, "second": second}
    known = {name: value for name, value in row.items() if name not in ("id", "tournament_id", "finished")}
    return known | place


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
            rule_name, _, student_id = row["pairing"].partition("/")
            file = memory.files[row["pairing"], row["board"], row["seats"]]
            if row["reason"] == UNPLAYED:
                evidence.unplayed.setdefault(student_id, []).append(row["fault"])
            else:
                evidence.matches[rule_name, student_id].append({**row, "file": file})
            done, waiting = done + 1, waiting - 1
        seen(done, total)
    for rows in evidence.matches.values():
        rows.sort(key=lambda row: (row["board"], row["seats"]))


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
    memory.files.clear()
    run(progress, memory, lambda now: seen(len(now.rows), len(now.rows) + now.left))
    games: dict[str, list[Row]] = {one.id: [] for one in students}
    for key in sorted(progress.rows):
        row = {**progress.rows[key], "file": memory.files[key]}
        for student in (row["first"], row["second"]):
            if row["reason"] == UNPLAYED:
                evidence.unplayed.setdefault(student, []).append(row["fault"])
            else:
                games[student].append(row)
    evidence.contests[contest.name] = Contested(progress.schedule.standings(), games)
    return progress
