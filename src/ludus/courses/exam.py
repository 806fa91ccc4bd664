"""What a single bot shows without a match: what `check` says of it, and its answers to single positions.

An exam is known by the bot's content and the course's terms, and kept in a file, so that nobody sits it twice.
"""

from __future__ import annotations

import hashlib
import json
import random
import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.bots import read_bot
from ludus.bots.player import BotPlayer
from ludus.check import OK, at_path, check
from ludus.errors import FAULTS
from ludus.files import write_whole
from ludus.game import game
from ludus.play.clock import Clock
from ludus.play.match import Match

if TYPE_CHECKING:
    from pathlib import Path

    from ludus.courses import Course
    from ludus.courses.rubric import Rule
    from ludus.game import State

FORM = "2"
"""Part of what an exam is known by: to be changed when exams are held in another way."""


class Answer(NamedTuple):
    """What a bot made of a position."""

    position: str
    move: str
    """What it played; empty when that was no legal move."""
    fault: str
    """What was wrong, in a sentence; empty when nothing was."""
    seconds: float
    kind: str = ""
    """The same as FAULTS has it."""


class Found(NamedTuple):
    """A finding of `check`, as it is kept."""

    verdict: str
    text: str
    command: str
    log: str


class Exam(NamedTuple):
    """What a bot showed."""

    passed: bool
    """Whether `check` would take it."""
    findings: tuple[Found, ...]
    answers: dict[str, tuple[Answer, ...]]
    """By rule, the answers to its positions."""
    timeouts: int
    """How often it ran out of time."""


AT_HAND = "BOT"
"""Stands in kept findings for the path of a bot: the same program comes under other names."""


def addressed(exam: Exam, path: str, whole: str | None = None) -> Exam:
    """Return an exam whose commands name the bot by a path; or are all one command, where no other shows the bot."""
    findings = tuple(
        found._replace(command=found.command and (whole or _with_path(found.command, path))) for found in exam.findings
    )
    return exam._replace(findings=findings)


def _with_path(command: str, path: str) -> str:
    return shlex.join(at_path(path) if word == at_path(AT_HAND) else word for word in shlex.split(command))


def joined(exams: list[Exam]) -> Exam:
    """Put the exams of several programs of one student together."""
    answers: dict[str, tuple[Answer, ...]] = {}
    for exam in exams:
        for rule, given in exam.answers.items():
            answers[rule] = answers.get(rule, ()) + given
    return Exam(
        all(exam.passed for exam in exams),
        tuple(finding for exam in exams for finding in exam.findings),
        answers,
        sum(exam.timeouts for exam in exams),
    )


def hold(course: Course, program: str, kept: Path, board: int | None = None, *, again: bool = False) -> Exam:
    """Hold the exam of a bot, or find what it showed before; one that is for a single board is tried on that only."""
    asked = [rule for rule in course.rules if rule.kind == "positions"]
    bot = read_bot(program)
    options = {**course.options, **(course.boards[board] if board is not None else {})}
    terms = [FORM, bot.content, course.game, course.clock, options, list(course.boards), course.seed]
    terms += [[rule.name, dict(rule.settings)] for rule in asked]
    place = kept / f"{hashlib.sha256(json.dumps(terms, default=dict).encode()).hexdigest()[:32]}.json"
    if place.exists() and not again:
        return _read(json.loads(place.read_text(encoding="utf-8")))
    report = check(bot, AT_HAND, course.game, options, course.clock)
    findings = [Found(f.verdict, f.text, f.command, f.log) for f in report.findings if f.verdict != OK]
    answers = {rule.name: [answer(program, start, course.clock) for start in positions(course, rule)] for rule in asked}
    faults = report.faults + [one.kind for given in answers.values() for one in given]
    exam = {"passed": report.passed, "findings": findings, "answers": answers}
    exam["timeouts"] = faults.count("timeout")
    kept.mkdir(parents=True, exist_ok=True)
    write_whole(place, json.dumps(exam, ensure_ascii=False))
    return _read(exam)


def _read(kept: dict[str, Any]) -> Exam:
    answers = {rule: tuple(Answer(*one) for one in given) for rule, given in kept["answers"].items()}
    return Exam(kept["passed"], tuple(Found(*one) for one in kept["findings"]), answers, kept["timeouts"])


def positions(course: Course, rule: Rule) -> list[State]:
    """Give the positions of a rule: boards of the course's sizes, somewhere in a random game."""
    chooser = random.Random(f"{course.name} {rule.name} {rule.settings['seed']}")
    found = []
    sizes: list[int] = rule.settings["sizes"]
    for number in range(rule.settings["count"]):
        options = dict(course.options)
        if sizes:
            options["size"] = sizes[number % len(sizes)]
        elif course.boards:
            options |= course.boards[number % len(course.boards)]
        state: State = game(course.game, **options).initial(chooser.randrange(1 << 30))
        states = []
        while state.outcome is None:
            if state.side == 0:  # a bot that is told `second` waits for its opponent
                states.append(state)
            state = state.play(chooser.choice(state.legal_moves))
        found.append(chooser.choice(states))
    return found


def answer(program: str, start: State, clock: str) -> Answer:
    """Ask a bot for one move, and say what is wrong with it; the protocol checks the board that comes with it."""
    with BotPlayer(read_bot(program)) as own:
        match = Match(start, ("BOT", "BOT"), Clock.parse(clock))
        match.ask(own)
        outcome = match.outcome
        if outcome is not None and outcome.reason in FAULTS:
            said = match.record.headers.get("Fault", FAULTS[outcome.reason])
            return Answer(start.text, "", f"{outcome.reason}: {said}", own.spent, outcome.reason)
        return Answer(start.text, match.record.moves[-1].move, "", own.spent)
