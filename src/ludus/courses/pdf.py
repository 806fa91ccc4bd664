"""A graded course on paper: a PDF for each submission, and one for the instructor about all of them.

Gathers what `ludus.reports` prints. The engine judges a few games of each submission with few nodes, so that hundreds
are feasible and the same games give the same paper; one whose grade has not changed is not printed again.
Computes no point.
"""

from __future__ import annotations

import functools
import hashlib
import json
import statistics
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.courses.document import checked, document, ranks, student_document
from ludus.courses.grade import limit_title
from ludus.courses.rubric import count, percent, points_of
from ludus.drawing import plots
from ludus.files import write_whole
from ludus.game import game
from ludus.reports import Report, make_pdf, printer_is_there
from ludus.reports.lessons import lessons
from ludus.reports.played import against, time_plot, times
from ludus.reports.tournament import cross_table, standing_rows
from ludus.said import Said, Term
from ludus.tournament.output import document as contest_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from ludus.courses.grade import Graded, Grades
    from ludus.courses.rubric import Award, Row
    from ludus.reports import Picture
    from ludus.tournament import Progress

FORM = "3"
"""Part of what a paper is known by: to be changed when papers say other things."""
STAMPS = "papers.json"
JUDGED_GAMES = "judged"
"""The folder that remembers judged games."""
COURSE_PAPER = "course.pdf"
STUDENT_PAPER = "report.pdf"
NODES = 2_000
"""That each position of a judged game is worth."""
JUDGED = 8
"""Games of a submission that the engine judges."""
NAMED = 12
"""Students who are named where there may be many."""
MARKS = {1.0: "+", 0.5: "=", 0.0: "–"}


class Paper(NamedTuple):
    """Something to print."""

    place: str
    """Where it goes, in the folder of the results."""
    stamp: str
    """What it is known by: the same stamp, the same paper."""
    gather: Callable[[], Report]


def write_papers(grades: Grades, out: Path, seen: Callable[[int, int], None], jobs: int = 1) -> list[str]:
    """Print what has changed; give what the instructor should know about it. One that fails stops no other.

    Where no PDF is wanted, those that no longer say what the grades say are taken away.
    """
    known = _stamps(out)
    stale = [
        one
        for one in _papers(grades, out / JUDGED_GAMES)
        if known.get(one.place) != one.stamp or not (out / one.place).exists()
    ]
    for one in stale:
        (out / one.place).unlink(missing_ok=True)
    if not grades.course.pdf or not stale:
        return []
    if not printer_is_there():
        return ["no PDF was written: pip install typst, or leave them out with --no-pdf"]
    notes: dict[str, None] = {}

    def print_one(one: Paper) -> None:
        try:
            notes.update(dict.fromkeys(make_pdf(one.gather(), out / one.place, grades.course.language)))
        except Exception as error:  # a fault of ours in one paper must not cost the others theirs
            notes[f"{one.place} could not be made ({type(error).__name__}: {error}); the grade itself stands"] = None
        else:
            known[one.place] = one.stamp
        done.append(one)
        seen(len(done), len(stale))

    done: list[Paper] = []
    try:
        with ThreadPoolExecutor(jobs) as printers:
            list(printers.map(print_one, stale))
    finally:
        write_whole(out / STAMPS, json.dumps(known, indent=1, sort_keys=True) + "\n")
    return list(notes)


def _stamps(out: Path) -> dict[str, str]:
    try:
        found = json.loads((out / STAMPS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _papers(grades: Grades, memory: Path) -> Iterable[Paper]:
    course = grades.course
    terms = [FORM, course.title, course.game, course.clock, course.language, course.most]
    for one in grades.graded:
        told = [student_document(grades, one), sorted((row["file"], row["record"]) for row in _games(one))]
        stamp = _stamp([*terms, told])
        place = f"students/{one.student.folder}/{STUDENT_PAPER}"
        yield Paper(place, stamp, functools.partial(student_report, grades, one, memory))
    everything = [document(grades), [contest_document(one) for one in grades.progress.values()]]
    yield Paper(COURSE_PAPER, _stamp([*terms, everything]), functools.partial(course_report, grades))


def _stamp(terms: Any) -> str:
    return hashlib.sha256(json.dumps(terms, sort_keys=True, default=str).encode("utf-8", "replace")).hexdigest()[:32]


def _games(one: Graded) -> list[Row]:
    """Give a submission's games, each once, in the order of the rubric."""
    return list({row["file"]: row for award in one.awards for row in award.games}.values())


# --- one submission ---------------------------------------------------------------------------------------------------


def student_report(grades: Grades, one: Graded, memory: Path | None = None, games: str = "../../games") -> Report:
    """Gather a submission's paper: every point with its reason and its games, and where the program loses.

    The folder `memory` keeps what the engine thought of a game: when one submission has changed, all papers change a
    little, but hardly a game. `games` is where links find the records.
    """
    course, student = grades.course, one.student
    rows = _games(one)
    made = game(course.game, **{**course.options, **(course.boards[0] if course.boards else {})})
    exam = grades.evidence.exams.get(student.id)
    rules = {rule.name: rule for rule in course.rules}
    met = {award.rule: _opponent(award, student.id) for award in one.awards if "opponent" in rules[award.rule].settings}
    timed = list(dict.fromkeys([name for name in met.values() if name])) or _opponents(rows, student.id)
    pictures: dict[str, Picture] = {"times": time_plot(rows, student.id, course.clock, timed)} if rows else {}
    data: dict[str, Any] = {
        "student": student.id,
        "name": student.name,
        "course": course.title,
        "game": str(made.title),
        "clock": course.clock,
        "total": f"{one.total:g}",
        "most": f"{course.most:g}",
        "open": [Said(award.title) for award in one.awards if award.open],
        "handed_in": student.source,
        "trouble": Said(student.trouble),
        "failed": Said(one.failed),
        "findings": [Said(remark) for remark in student.remarks],
        "rules": [_rule(award) for award in one.awards],
        "limits": [
            {"title": Said(limit.title), "points": f"{limit.points:g}", "reason": Said(limit.reason)}
            for limit in one.limits
        ],
        "opponents": [
            _verdict(award, student.id, met[award.rule])
            for award in one.awards
            if award.interval is not None and met.get(award.rule)
        ],
        "contests": [_contest(grades, name, rank, student.id) for name, rank in ranks(grades, student.id).items()],
        "games": [_linked(award, student.id, games) for award in one.awards if award.games],
        "played": len(rows),
        "times": times(rows, student.id, course.clock) if rows else None,
        "verdict": Said(checked(one, exam)[0].sentence if exam else ""),
        "check": [found._asdict() | {"text": Said(found.text)} for found in checked(one, exam)[1]] if exam else [],
        "answers": [
            given._asdict() | {"fault": Said(given.fault)}
            for answers in (exam.answers.values() if exam else ())
            for given in answers
            if given.fault
        ],
    }
    judged = chosen(rows, student.id)
    learned = lessons(judged, made, student.id, NODES, pictures, memory=memory) if judged else {}
    data |= {**learned, "judged": len(judged)}
    return Report("submission", data, pictures)


def _rule(award: Award) -> dict[str, Any]:
    estimate = award.interval
    return {
        "title": Said(award.title),
        "points": f"{award.points:g}",
        "most": f"{award.most:g}",
        "reason": Said(award.reason),
        "open": award.open,
        "full": award.points >= award.most if award.most > 0 else award.points >= 0,
        "interval": None if estimate is None else {"value": estimate.value, "low": estimate.low, "high": estimate.high},
        "games": len(award.games),
    }


def _opponents(rows: Iterable[Row], student: str) -> list[str]:
    """Name those whom a student met, each once."""
    return list(dict.fromkeys(row["second"] if row["first"] == student else row["first"] for row in rows))


def _opponent(award: Award, student: str) -> str:
    return next(iter(_opponents(award.games, student)), "")


def _verdict(award: Award, student: str, opponent: str) -> dict[str, Any]:
    """Give a match as a line of the table of opponents; the rubric has said whether it is passed."""
    return {**against(award.games, student, opponent), "passed": award.points > 0}


def _contest(grades: Grades, name: str, rank: int, student: str) -> dict[str, Any]:
    contested = grades.evidence.contests[name]
    rows = contested.games.get(student, ())
    met = [against(rows, student, other) for other in _opponents(rows, student)]
    counts = any(rule.settings.get("tournament") == name for rule in grades.course.rules)
    return {"name": name, "rank": rank, "of": len(contested.standings.rows), "met": met, "counts": counts}


def _linked(award: Award, student: str, place: str) -> dict[str, Any]:
    """Give the games behind a rule, by opponent, each with the place of its record."""
    by_opponent: dict[str, list[dict[str, str]]] = {}
    for row in award.games:
        other = row["second"] if row["first"] == student else row["first"]
        link = {"mark": MARKS[points_of(row, student)], "file": f"{place}/{row['file']}"}
        by_opponent.setdefault(other, []).append(link)
    met = [{"opponent": other, "games": games} for other, games in by_opponent.items()]
    return {"title": Said(award.title), "met": met, "games": len(award.games)}


def chosen(rows: Sequence[Row], student: str) -> list[Row]:
    """Choose the games to judge: lost ones first, one of each opponent in turn."""
    found: list[Row] = []
    for brought in sorted(MARKS):
        piles: dict[str, list[Row]] = {}
        for row in rows:
            if points_of(row, student) == brought and row["moves"]:
                piles.setdefault(row["second"] if row["first"] == student else row["first"], []).append(row)
        found += [row for turn in zip_longest(*piles.values()) for row in turn if row is not None]
    return found[:JUDGED]


# --- the whole course -------------------------------------------------------------------------------------------------


def course_report(grades: Grades) -> Report:
    """Gather the instructor's paper: grades, their distribution, what rules and opponents told, what needs a look."""
    course = grades.course
    totals = [one.total for one in grades.graded]
    limits = list(dict.fromkeys(limit.name for one in grades.graded for limit in one.limits))
    pictures: dict[str, Picture] = {
        "totals": lambda language: plots.histogram(totals, "Points", "points", thing="student", language=language)
    }
    data = {
        "course": course.title,
        "game": course.game,
        "clock": course.clock,
        "most": f"{course.most:g}",
        "games": grades.games,
        "mean": f"{statistics.fmean(totals):.1f}" if totals else "–",
        "median": f"{statistics.median(totals):.4g}" if totals else "–",
        "rules": [
            {"name": rule.name, "title": Said(rule.title), "points": f"{rule.points:g}"} for rule in course.rules
        ],
        "limits": [Said(limit_title(name)) for name in limits],
        "students": [_line(place, one, limits) for place, one in enumerate(grades.graded, 1)],
        "by_rule": [_by_rule(grades, index) for index in range(len(course.rules))],
        "opponents": [line for index in range(len(course.rules)) if (line := _field(grades, index)) is not None],
        "contests": [_standings(name, progress) for name, progress in grades.progress.items()],
        "troubles": [
            {"student": one.student.id, "name": one.student.name, "trouble": Said(one.trouble)}
            for one in grades.graded
            if one.trouble
        ],
        "not_playing": sum(not one.student.plays for one in grades.graded),
        "open": [line for index in range(len(course.rules)) if (line := _open(grades, index))["count"]],
        "notes": [Said(note) for note in grades.notes],
        "alike": [{**pair._asdict(), "share": percent(pair.share)} for pair in grades.alike],
    }
    return Report("course", data, pictures)


def _line(place: int, one: Graded, limits: Sequence[str]) -> dict[str, Any]:
    """Give a student's line: what stands in it adds up to the total."""
    student = one.student
    changed = {limit.name: limit.points for limit in one.limits}
    return {
        "place": place,
        "student": student.id,
        "name": student.name,
        "total": f"{one.total:g}",
        "points": ["…" if award.open else f"{award.points:g}" for award in one.awards]
        + [f"{changed.get(name, 0.0):g}" for name in limits],
        "trouble": bool(one.trouble),
    }


def _by_rule(grades: Grades, index: int) -> dict[str, Any]:
    """Say how a class did by a rule: how many have all of its points, some, none."""
    rule = grades.course.rules[index]
    settled = [one.awards[index] for one in grades.graded if not one.awards[index].open]
    most = max(rule.points, 0.0)
    return {
        "title": Said(rule.title),
        "most": f"{rule.points:g}",
        "all": sum(award.points >= most for award in settled),
        "some": sum(0 < award.points < most for award in settled),
        "none": sum(award.points <= 0 < most or award.points < most == 0 for award in settled),
        "open": len(grades.graded) - len(settled),
        "mean": f"{statistics.fmean(award.points for award in settled):.3g}" if settled else "–",
    }


def _open(grades: Grades, index: int) -> dict[str, Any]:
    """Say for whom a rule is not settled yet."""
    students = [one.student.id for one in grades.graded if one.awards[index].open]
    return {"rule": Said(grades.course.rules[index].title), "count": len(students), "students": students[:NAMED]}


def _field(grades: Grades, index: int) -> dict[str, Any] | None:
    """Say how a class did against an opponent."""
    rule = grades.course.rules[index]
    if "opponent" not in rule.settings:
        return None
    played = [(one.student.id, one.awards[index]) for one in grades.graded if one.awards[index].games]
    scores = [count(award.games, student) for student, award in played]
    won, drawn, lost = (sum(getattr(score, name) for score in scores) for name in ("wins", "draws", "losses"))
    games = won + drawn + lost
    return {
        "opponent": rule.settings["opponent"],
        "title": Said(rule.title),
        "students": len(played),
        "passed": sum(award.points > 0 for _, award in played),
        "wins": won,
        "draws": drawn,
        "losses": lost,
        "score": percent((won + drawn / 2) / games) if games else "–",
    }


def _standings(name: str, progress: Progress) -> dict[str, Any]:
    said = contest_document(progress)
    return {
        "name": name,
        "format": Term(said["format"], "format"),
        "games": said["games"],
        "criteria": [Term(criterion["name"], "criterion") for criterion in said["criteria"]],
        "standings": standing_rows(said),
        "cross": cross_table(said),
        "failures": said["failures"],
    }
