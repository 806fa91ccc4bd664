"""What a bot shows without a match: what `check` finds, and its answers to single positions.

An exam result depends on the bot's content and the course's terms; it is kept in a file, so that no exam is held twice.
"""

from __future__ import annotations

import hashlib
import json
import random
import shlex
from typing import TYPE_CHECKING

from ludus.bots import read_bot
from ludus.bots.player import BotPlayer
from ludus.check import OK, Finding, at_path, check
from ludus.files import write_whole
from ludus.game import game
from ludus.messages.fields import MessageField
from ludus.play.clock import Clock
from ludus.play.match import Match
from ludus.view import View

if TYPE_CHECKING:
    from pathlib import Path

    from ludus.courses import Course
    from ludus.courses.rubric import PositionTerms
    from ludus.game import State

VERSION = "7"
"""Part of an exam's key: to be changed when exams are held in another way."""
PLACEHOLDER = "BOT"
"""The path of the bot in the commands of kept findings: the same program comes under other names."""


class ExamAnswer(View):
    """A bot's answer to a position."""

    position: str
    move: str = ""
    """What it played; empty when that was no legal move."""
    fault: MessageField | None = None
    """What was wrong; None when nothing was."""
    seconds: float
    kind: str = ""
    """The kind of the fault, one of FAULTS."""


class ExamResult(View):
    """What a bot showed."""

    passed: bool
    """Whether `check` found nothing that must be fixed."""
    findings: tuple[Finding, ...]
    answers: dict[str, tuple[ExamAnswer, ...]]
    """By rule, the answers to its positions."""
    timeouts: int
    """How often it ran out of time."""

    def with_paths(self, path: str, command: str | None = None) -> ExamResult:
        """Return the result with commands that name the bot by a path; with `command`, all are that command."""
        return self.model_copy(update={"findings": _with_paths(self.findings, path, command)})


def _with_paths(findings: tuple[Finding, ...], path: str, command: str | None) -> tuple[Finding, ...]:
    return tuple(
        finding.model_copy(
            update={
                "command": finding.command and (command or _with_path(finding.command, path)),
                "also": _with_paths(finding.also, path, command),
            }
        )
        for finding in findings
    )


def _with_path(command: str, path: str) -> str:
    return shlex.join(at_path(path) if word == at_path(PLACEHOLDER) else word for word in shlex.split(command))


def merged(results: list[ExamResult]) -> ExamResult:
    """Return the results of several programs of one student as one."""
    answers: dict[str, tuple[ExamAnswer, ...]] = {}
    for result in results:
        for rule, given in result.answers.items():
            answers[rule] = answers.get(rule, ()) + given
    return ExamResult(
        passed=all(result.passed for result in results),
        findings=tuple(finding for result in results for finding in result.findings),
        answers=answers,
        timeouts=sum(result.timeouts for result in results),
    )


def hold_exam(
    course: Course, program: str, folder: Path, board: int | None = None, *, again: bool = False
) -> ExamResult:
    """Return a bot's exam result, kept in `folder`; a bot for a single board is tried on that board only."""
    asked = {rule.name: terms for rule in course.rules if (terms := rule.settings.positions) is not None}
    bot = read_bot(program)
    options = course.options if board is None else course.board_options[board]
    course_terms = [course.game, course.clock, options, list(course.boards.values()), course.seed, asked]
    kept = (
        folder / f"{hashlib.sha256(json.dumps([VERSION, bot.content, *course_terms]).encode()).hexdigest()[:32]}.json"
    )
    if kept.exists() and not again:
        return ExamResult.model_validate_json(kept.read_bytes())
    own = [game(course.game, **one) for one in course.board_options] if board is None and course.boards else []
    report = check(bot, PLACEHOLDER, course.game, options, course.clock, on=own)
    answers = {
        name: tuple(answer(program, start, course.clock) for start in positions(course, name, terms))
        for name, terms in asked.items()
    }
    kinds = report.faults + [one.kind for given in answers.values() for one in given]
    findings = tuple(finding for finding in report.findings if finding.verdict != OK)
    result = ExamResult(passed=report.passed, findings=findings, answers=answers, timeouts=kinds.count("timeout"))
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(kept, result.model_dump_json())
    return result


def positions(course: Course, rule: str, terms: PositionTerms) -> list[State]:
    """Return the positions of a rule: boards of the course's sizes, at a random point of a random game."""
    chooser = random.Random(f"{course.name} {rule} {terms.seed}")
    found = []
    boards = list(course.boards.values())
    for number in range(terms.number):
        options = dict(course.options)
        if terms.sizes:
            options["size"] = terms.sizes[number % len(terms.sizes)]
        elif boards:
            options |= boards[number % len(boards)]
        state: State = game(course.game, **options).initial(chooser.randrange(1 << 30))
        states = []
        while state.outcome is None:
            if state.side == 0:  # a bot that is told `second` waits for its opponent
                states.append(state)
            state = state.play(chooser.choice(state.legal_moves))
        found.append(chooser.choice(states))
    return found


def answer(program: str, start: State, clock: str) -> ExamAnswer:
    """Return a bot's answer to a position; the protocol checks the board that comes with the move."""
    with BotPlayer(read_bot(program)) as bot:
        match = Match(start, (PLACEHOLDER, PLACEHOLDER), Clock.parse(clock))
        match.ask(bot)
        if match.fault is not None:
            fault = match.fault
            return ExamAnswer(position=start.text, fault=fault.named, seconds=bot.spent, kind=fault.kind)
        return ExamAnswer(position=start.text, move=match.record.moves[-1].move, seconds=bot.spent)
