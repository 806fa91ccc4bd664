"""Points: rules, groups and limits add up, and nothing that a bot writes changes what it is graded on."""

from __future__ import annotations

import random
import re
from decimal import Decimal
from pathlib import Path

import pytest
from cohorts import graded, hand_in, rules

from ludus import check
from ludus.courses import read_course
from ludus.courses.evidence import EnteredPoints, Evidence
from ludus.courses.exam import ExamAnswer, ExamResult
from ludus.courses.grade import GradedSubmission, grade_submission
from ludus.courses.submissions import Submission
from ludus.courses.view import check_of
from ludus.errors import FAULTS
from ludus.messages import Message, verbatim


def test_what_a_check_finds_is_a_note_where_it_cost_nothing() -> None:
    found = check.Finding(verdict=check.REJECT, message=verbatim("a whole game: crash"))
    result = ExamResult(passed=False, findings=(found,), answers={}, timeouts=0)
    plays = GradedSubmission(Submission("x"), (), {}, (), 63.75, games=10, ended=10)
    assert check_of(plays, result) == (check.Verdict(0, 1), (found.model_copy(update={"verdict": check.WARNING}),))
    fails = plays._replace(failures={"crash": 1}, ended=9)
    assert check_of(fails, result) == (check.Verdict(1, 0), (found,))
    assert str(check_of(plays._replace(games=0), result)[0].message) == "1 problem to fix."
    wrong = ExamAnswer(position="", fault=FAULTS["bad-output"], seconds=0.0)
    assert check_of(plays, result.model_copy(update={"answers": {"positions": (wrong,)}}))[0].problems == 1
    assert [str(check.Verdict(n, 1).message) for n in (0, 1, 2)] == [
        "Ready to play.",
        "1 problem to fix.",
        "2 problems to fix.",
    ]


TIMED = """
game = "cantris"
clock = "cpu:0.3/move"
[options]
rows = 4
cols = 3
[submission]
protocols = ["python"]
[report]
pdf = false
[rubric.runs]
kind = "builds-and-finishes"
points = 30
opponent = "random:seed=1"
games = 2
[rubric.positions]
kind = "positions"
points = 10
count = 2
[rubric.overrun]
kind = "overrun"
points = -5
"""
WRITES_TIMEOUT = """
import sys
def choose(state, clock):
    print("timeout: its time ran out before it answered", file=sys.stderr)
    return "timeout: it did not answer within 1 s"
"""


def test_only_a_bot_that_overran_is_punished_for_it(tmp_path: Path) -> None:
    """A bot that plays the move `timeout`, and writes the sentence of a timeout, gave a bad answer and no more."""
    (tmp_path / "course.toml").write_text(TIMED)
    bots = {
        "talks.py": WRITES_TIMEOUT,
        "moves.py": "def choose(state, clock):\n    return 'timeout'\n",
        "timeout.py": "def choose(state, clock):\n    return state.legal_moves[0]\n",
        "loops.py": "def choose(state, clock):\n    while True: pass\n",
    }
    students = graded(tmp_path / "course.toml", hand_in(tmp_path / "in", bots), tmp_path / "out")
    reasons = {id_: {rule["rule"]: rule["reason"] for rule in student["rules"]} for id_, student in students.items()}
    for id_ in ("talks", "moves", "timeout"):
        assert rules(students[id_])["overrun"] == 0, reasons[id_]
        assert reasons[id_]["overrun"] == "never out of time"
    assert students["talks"]["failures"] == students["moves"]["failures"] == {"bad-output": 2}
    assert rules(students["timeout"]) == {"runs": 30, "positions": 10, "overrun": 0}
    assert (rules(students["loops"])["overrun"], students["loops"]["failures"]) == (-5, {"timeout": 2})
    for id_, kind in (("talks", "bad output"), ("moves", "bad output"), ("loops", "timeout")):
        page = (tmp_path / "out" / "students" / id_ / "index.html").read_text(encoding="utf-8")
        links = set(re.findall(r"against Random, seed 1: ([^<]*)</a>", page))
        assert links == {kind}, "the page names the kind, not what the bot wrote"


COUNTED = """
game = "cantris"
clock = "none"
[groups.best]
take = "highest"
most = 6
[groups.rest]
least = -2
most = 7
[rubric.a]
kind = "entered"
points = 9
group = "best"
[rubric.b]
kind = "entered"
points = 9
group = "best"
[rubric.c]
kind = "entered"
points = 9
group = "rest"
[rubric.d]
kind = "late"
a_day = 0.333
group = "rest"
[rubric.e]
kind = "late"
percent_a_day = 33.3
[rubric.f]
kind = "names"
points = -5
"""


@pytest.mark.parametrize("seed", range(40))
def test_points_and_limits_add_up_to_the_total(seed: int, tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(COUNTED)
    course, chance = read_course(tmp_path / "course.toml"), random.Random(seed)
    entered = {("x", name): EnteredPoints(chance.choice([0.0, -0.0, 9 * chance.random(), 9.0]), "") for name in "abc"}
    late = {("x", name): chance.choice([0.0, 1.0, 30 * chance.random()]) for name in "de"}
    student = Submission("x", misnamed=chance.choice([None, verbatim("wrong")]))
    one = grade_submission(course, student, Evidence(entered=entered, late=late))
    shown = [f"{award.points:g}" for award in one.awards] + [f"{limit.points:g}" for limit in one.limits]
    assert sum(map(Decimal, shown)) == Decimal(f"{one.total:g}")
    assert "-0" not in shown
    assert one.total >= 0
    points = {award.rule.name: award.points for award in one.awards}
    best, rest = max(points["a"], points["b"]), points["c"] + points["d"]
    whole = min(6, best) + min(7, max(-2, rest)) + points["e"] + points["f"]
    assert one.total == pytest.approx(max(0, whole))
    assert all(limit.reason and limit.points for limit in one.limits)


def test_nothing_is_said_about_what_was_not_submitted(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(COUNTED + '[rubric.g]\nkind = "overrun"\npoints = -5\n')
    nothing = Message("courses.nothing_handed_in")
    one = grade_submission(read_course(tmp_path / "course.toml"), Submission("x", trouble=nothing), Evidence())
    assert {award.rule.name: award.reason for award in one.awards if award.rule.name in "defg"} == dict.fromkeys(
        "defg", nothing
    )
