"""The PDF files of a graded course: one for each submission, and one for the instructor about all of them.

Gathers what `ludus.reports` prints. The engine reviews a few games of each submission with few nodes, so that hundreds
are feasible and the same games give the same PDF; one whose grade has not changed is not made again. Computes no point.
"""

from __future__ import annotations

import functools
import hashlib
import json
import statistics
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.courses.evidence import score_of
from ludus.courses.rubric import percent, title_of
from ludus.courses.view import COURSE_PDF, STUDENT_PDF
from ludus.drawing import plots
from ludus.errors import is_disk_full
from ludus.files import write_whole
from ludus.game import game
from ludus.messages import Message, catalogue
from ludus.messages.names import player_message
from ludus.reports import TEMPLATES, Report, can_make_pdf, make_pdf
from ludus.reports.lessons import lessons
from ludus.reports.scores import opponents_of, score_against, time_plot, time_use
from ludus.reports.tournament import cross_table, failure_rows, standing_data
from ludus.tournament.view import clock_words, tournament_view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from ludus.courses.grade import GradedCourse, GradedSubmission
    from ludus.courses.rubric import Rule
    from ludus.courses.view import CourseGameView, CourseView, RuleView, StudentView
    from ludus.play.result import GameResult
    from ludus.reports import Picture
    from ludus.tournament import Progress

VERSION = "10"
"""Part of the digest of a PDF, as its templates and words are: to be changed when other code changes what PDFs say."""
DIGESTS = "papers.json"
"""The file that says what each PDF was made from."""
REVIEWS = "judged"
"""The folder that keeps the reviews of games."""
NODES = 2_000
"""Per position of a reviewed game."""
REVIEWED = 8
"""Games of a submission that the engine reviews."""
NAMED = 12
"""Students who are named where there may be many."""
ALONE = 2
"""Students with the same problem who have a line each; of more, one line names all."""
MARKS = {1.0: "+", 0.5: "=", 0.0: "–"}


class PdfJob(NamedTuple):
    """A PDF to make."""

    place: str
    """Where it goes, in the folder of the results."""
    digest: str
    """Of all that it is made from: the same digest, the same PDF."""
    report: Callable[[], Report]


def write_pdfs(
    graded: GradedCourse, view: CourseView, out: Path, progress: Callable[[int, int], None], jobs: int = 1
) -> list[Message]:
    """Make the PDF files that have changed; return what the instructor should know. One that fails stops no other.

    Where no PDF is wanted, those that no longer say what the grades say are removed.
    """
    known = _digests(out)
    stale = [
        job
        for job in _pdf_jobs(graded, view, out / REVIEWS)
        if known.get(job.place) != job.digest or not (out / job.place).exists()
    ]
    for job in stale:
        (out / job.place).unlink(missing_ok=True)
    if not view.pdf or not stale:
        return []
    if not can_make_pdf():
        return [Message("courses.no_typst")]
    notes: list[Message] = []
    done: list[PdfJob] = []

    def make(job: PdfJob) -> None:
        try:
            found = make_pdf(job.report(), out / job.place, view.language)
            notes.extend(note for note in found if note not in notes)
        except Exception as error:  # an error of ours in one PDF must not cost the others theirs
            if is_disk_full(error):
                raise
            problem = {"kind": type(error).__name__, "problem": str(error)}
            notes.append(Message("courses.pdf_failed", file=job.place, **problem))
        else:
            known[job.place] = job.digest
        done.append(job)
        progress(len(done), len(stale))

    try:
        with ThreadPoolExecutor(jobs) as threads:
            list(threads.map(make, stale))
    finally:
        write_whole(out / DIGESTS, json.dumps(known, indent=1, sort_keys=True) + "\n")
    return notes


def _digests(out: Path) -> dict[str, str]:
    try:
        found: dict[str, str] = json.loads((out / DIGESTS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


def _pdf_jobs(graded: GradedCourse, view: CourseView, reviews: Path) -> Iterable[PdfJob]:
    course = graded.course
    templates = [path.read_text(encoding="utf-8") for path in sorted(TEMPLATES.glob("*.typ"))]
    made_with = _digest([VERSION, templates, catalogue(view.language)])
    terms = [made_with, course.title, course.game, course.clock, view.language, course.most]
    for one, student in zip(graded.graded, view.students, strict=True):
        records = sorted((result.record_file, result.record) for result in _games(one))
        digest = _digest([*terms, student.model_dump(mode="json"), records])
        report = functools.partial(student_report, graded, one, student, reviews)
        yield PdfJob(f"students/{student.folder}/{STUDENT_PDF}", digest, report)
    everything = [view.json_data, [tournament_view(one).model_dump(mode="json") for one in graded.tournaments.values()]]
    yield PdfJob(COURSE_PDF, _digest([*terms, everything]), functools.partial(course_report, graded, view))


def _digest(terms: object) -> str:
    return hashlib.sha256(json.dumps(terms, sort_keys=True, default=str).encode("utf-8", "replace")).hexdigest()[:32]


def _games(graded: GradedSubmission) -> list[GameResult]:
    """Return a submission's games, each once, in the order of the rubric."""
    return list({result.record_file: result for award in graded.awards for result in award.games}.values())


# --- one submission ---------------------------------------------------------------------------------------------------


def student_report(
    graded: GradedCourse,
    one: GradedSubmission,
    student: StudentView,
    reviews: Path | None = None,
    games: str = "../../games",
) -> Report:
    """Return a submission's report: every point with its reason and its games, and where the program loses.

    The folder `reviews` keeps the engine's reviews: when one submission has changed, all PDF files change a little, but
    hardly a game. `games` is where links find the records.
    """
    course, id_ = graded.course, one.student.entry
    results = _games(one)
    matches = {
        award.rule.name: opponents[0]
        for award in one.awards
        if award.rule.settings.match and (opponents := opponents_of(award.games, id_))
    }
    timed = list(dict.fromkeys(matches.values())) or opponents_of(results, id_)
    pictures: dict[str, Picture] = {"times": time_plot(results, id_, course.clock, timed)} if results else {}
    reviewed = games_to_review(results, id_)
    board = game(course.game, **course.board_options[0])
    learned = lessons(reviewed, board, id_, NODES, pictures, cache=reviews, speaks=one.student.speaks)
    if not (learned["review"] and learned["review"]["total"]["moves"]):  # it never made a move
        learned = {}
    data: dict[str, Any] = {
        "student": student.id,
        "name": student.name,
        "course": course.title,
        "game": board.title,
        "clock": clock_words(course.clock) if course.clock != "none" else "",
        "total": f"{student.total:g}",
        "most": f"{course.most:g}",
        "open": student.open_rules,
        "handed_in": student.handed_in,
        "trouble": student.trouble_message or "",
        "failed": student.failed_message or "",
        "findings": student.finding_messages,
        "rules": [_rule(rule) for rule in student.rules],
        "limits": [
            {"title": limit.title_message, "points": f"{limit.points:g}", "reason": limit.reason_message}
            for limit in student.limits
        ],
        "opponents": [
            {
                **score_against(award.games, id_, matches[award.rule.name]),
                "passed": award.points > 0,
            }
            for award in one.awards
            if award.interval is not None and award.rule.name in matches
        ],
        "contests": [_tournament(graded, name, rank, id_) for name, rank in student.ranks.items()],
        "games": [_linked_games(rule, games) for rule in student.rules if rule.games],
        "played": len(results),
        "times": time_use(results, id_, course.clock) if results else None,
        "verdict": student.verdict or "",
        "check": [
            {
                "verdict": finding.verdict,
                "text": finding.message,
                "command": finding.command,
                "also": [one.where for one in finding.also],
            }
            for finding in (student.check.findings if student.check else ())
        ],
        "answers": [{"position": a.position, "fault": a.fault} for a in student.answers if a.fault],
        **learned,
        "judged": len(reviewed) if learned else 0,
    }
    return Report("submission", data, pictures)


def _rule(rule: RuleView) -> dict[str, Any]:
    interval = None
    if rule.interval is not None:
        interval = {"value": rule.score, "low": rule.interval[0], "high": rule.interval[1]}
    return {
        "title": rule.title_message,
        "points": f"{rule.points:g}",
        "most": f"{rule.most:g}",
        "reason": rule.reason_message,
        "open": rule.open,
        "full": rule.full,
        "interval": interval,
        "games": len(rule.games),
    }


def _tournament(graded: GradedCourse, name: str, rank: int, student: str) -> dict[str, Any]:
    found = graded.evidence.tournaments[name]
    results = found.games.get(student, ())
    met = [score_against(results, student, other) for other in opponents_of(results, student)]
    counts = any(rule.settings.tournament_name == name for rule in graded.course.rules)
    return {"name": title_of(name), "rank": rank, "of": len(found.standings.rows), "met": met, "counts": counts}


def _linked_games(rule: RuleView, place: str) -> dict[str, Any]:
    """Return the games behind a rule, by opponent, each with the place of its record."""
    by_opponent: dict[str, list[CourseGameView]] = {}
    for played in rule.games:
        by_opponent.setdefault(played.opponent, []).append(played)
    met = [
        {
            "opponent": player_message(opponent),
            "games": [{"mark": MARKS[one.points], "file": f"{place}/{one.file}"} for one in games],
        }
        for opponent, games in by_opponent.items()
    ]
    return {"title": rule.title_message, "met": met, "games": len(rule.games)}


def games_to_review(results: Sequence[GameResult], student: str) -> list[GameResult]:
    """Return the games that the engine reviews: lost ones first, one of each opponent in turn."""
    found: list[GameResult] = []
    for points in sorted(MARKS):
        by_opponent: dict[str, list[GameResult]] = {}
        for result in results:
            if result.points(student) == points and result.moves:
                by_opponent.setdefault(result.opponent(student), []).append(result)
        found += [result for turn in zip_longest(*by_opponent.values()) for result in turn if result is not None]
    return found[:REVIEWED]


# --- the whole course -------------------------------------------------------------------------------------------------


def course_report(graded: GradedCourse, view: CourseView) -> Report:
    """Return the instructor's report: grades, their distribution, rules and opponents, and what needs a look."""
    course = graded.course
    totals = [student.total for student in view.students]
    limits = list(view.limits)
    lines = [_line(place, student, limits) for place, student in enumerate(view.students, 1)]
    absent = [at for at, student in enumerate(view.students) if _absent(student)]
    listed = lines if len(absent) <= ALONE else [line for at, line in enumerate(lines) if at not in absent]
    points = Message("plots.points")
    pictures: dict[str, Picture] = {
        "totals": lambda language: plots.histogram(
            totals, Message("plots.grades"), points, things="plots.students", axis="reports.students", language=language
        )
    }
    data = {
        "course": course.title,
        "game": course.game,
        "clock": clock_words(course.clock) if course.clock != "none" else "",
        "most": f"{course.most:g}",
        "games": view.games,
        "mean": f"{statistics.fmean(totals):.1f}" if totals else "–",
        "median": f"{statistics.median(totals):.4g}" if totals else "–",
        "rules": [{"name": rule.name, "title": rule.title, "points": f"{rule.points:g}"} for rule in course.rules],
        "limits": list(view.limits.values()),
        "count": len(lines),
        "students": listed,
        "absent": len(lines) - len(listed),
        "by_rule": [_by_rule(view, index, rule) for index, rule in enumerate(course.rules)],
        "opponents": [_opponent(graded, i, rule) for i, rule in enumerate(course.rules) if rule.settings.match],
        "contests": [_standings(name, progress) for name, progress in graded.tournaments.items()],
        "troubles": _troubles(view),
        "not_playing": sum(not one.student.plays for one in graded.graded),
        "open": [line for i, rule in enumerate(course.rules) if (line := _open(view, i, rule))["count"]],
        "notes": view.note_messages,
        "alike": [{**pair.model_dump(), "share": percent(pair.share)} for pair in view.alike],
    }
    return Report("course", data, pictures)


def _absent(student: StudentView) -> bool:
    """Return whether a student handed in nothing and has no points either."""
    nothing = student.summary is not None and student.summary.code == "courses.nothing_handed_in"
    return nothing and not student.total


def _troubles(view: CourseView) -> list[dict[str, Any]]:
    """Return the problems with the students who have them; a problem that many share comes once."""
    found: dict[str, list[StudentView]] = {}
    for student in view.students:
        if student.summary:
            found.setdefault(str(student.summary), []).append(student)
    return [
        {"students": [student.title for student in some], "trouble": shared[0].summary}
        for shared in found.values()
        for some in ([shared] if len(shared) > ALONE else [[student] for student in shared])
    ]


def _line(place: int, student: StudentView, limits: Sequence[str]) -> dict[str, Any]:
    """Return a student's line; its points add up to the total."""
    changes = {limit.name: limit.points for limit in student.limits}
    return {
        "place": place,
        "student": student.id,
        "name": student.name,
        "total": f"{student.total:g}",
        "points": ["…" if rule.open else f"{rule.points:g}" for rule in student.rules]
        + [f"{changes.get(name, 0.0):g}" for name in limits],
        "trouble": student.summary is not None,
    }


def _by_rule(view: CourseView, index: int, rule: Rule) -> dict[str, Any]:
    """Return how a class did by a rule: how many have all of its points, some, none."""
    settled = [student.rules[index].points for student in view.students if not student.rules[index].open]
    most = max(rule.points, 0.0)
    return {
        "title": rule.title,
        "most": f"{rule.points:g}",
        "all": sum(points >= most for points in settled),
        "some": sum(0 < points < most for points in settled),
        "none": sum(points <= 0 < most or points < most == 0 for points in settled),
        "open": len(view.students) - len(settled),
        "mean": f"{statistics.fmean(settled):.3g}" if settled else "–",
    }


def _open(view: CourseView, index: int, rule: Rule) -> dict[str, Any]:
    """Return for whom a rule is not settled yet."""
    students = [student.id for student in view.students if student.rules[index].open]
    return {"rule": rule.title, "count": len(students), "students": students[:NAMED]}


def _opponent(graded: GradedCourse, index: int, rule: Rule) -> dict[str, Any]:
    """Return how a class did against an opponent."""
    shared = {one.student.entry: one.awards[index] for one in graded.graded if one.awards[index].games}
    played = list(shared.items())
    scores = [score_of(award.games, student) for student, award in played]
    wins = sum(score.wins for score in scores)
    draws = sum(score.draws for score in scores)
    losses = sum(score.losses for score in scores)
    games = wins + draws + losses
    terms = rule.settings.match
    return {
        "opponent": player_message(terms.opponent) if terms else "",
        "title": rule.title,
        "students": len(played),
        "passed": sum(award.points > 0 for _, award in played),
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "score": percent((wins + draws / 2) / games) if games else "–",
    }


def _standings(name: str, progress: Progress) -> dict[str, Any]:
    view = tournament_view(progress)
    return {
        "name": title_of(name),
        "format": Message(f"format.{view.format}"),
        "games": view.games,
        **standing_data(view),
        "decided": view.decided or "",
        "cross": cross_table(view),
        "failures": failure_rows(view.failures, {}),
    }
