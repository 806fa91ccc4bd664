"""The other presets: small classes are graded in the sandbox as each rubric says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import cohorts
import pytest
from cohorts import beaten, failed, graded, hand_in, played, rules, small

import ludus
from ludus.courses import find_course, presets
from ludus.courses.rubric import title_of
from ludus.messages import render
from ludus.play.openings import opening


def test_magnetic_cave_is_graded_as_its_rubric_says(tmp_path: Path) -> None:
    changes = [(r"^games = (20|6)", "games = 2"), (r"^needs = 6", "needs = 2")]
    changes += [(r"3/move", "cpu:0.6/move"), (r"^pairs = 2", "pairs = 1")]
    course = small(tmp_path / "course", "concordia-magnetic-cave", *changes)
    (tmp_path / "course" / "entered.csv").write_text(
        "id,rule,points\n40000001_40000009,interface,10\n40000001_40000009,report,12\n"
    )
    (tmp_path / "course" / "late.csv").write_text("id,days,rule\n40000001_40000009,2,late-1\n40000002,1,late-3\n")
    out = tmp_path / "out"
    students = graded(course, hand_in(tmp_path / "submissions", cohorts.CAVE_COHORT), out, "--no-pdf")
    playing = [student for student in students.values() if student["versions"]]
    assert (len(students), len(playing)) == (8, 7), "a team of two has two lines"
    one, other = students["40000001"], students["40000009"]
    assert one["team"] == other["team"] == "40000001_40000009"
    assert {**one, "id": "", "folder": ""} == {**other, "id": "", "folder": ""}
    for student in playing:
        points, id_ = rules(student), student["id"]
        clean = all(reason == "rules" or won == 1 for won, reason in played(out, student, "automatic"))
        assert points["automatic"] == 20 * clean
        assert points["minimax"] == 20 * (sum(won for won, _ in played(out, student, "minimax")) > 0.75 * 2)
        assert points["heuristic"] == 35 * beaten(out, student, "heuristic")
        assert points["tournament"] == pytest.approx((6 - student["ranks"]["lab"]) / 5, abs=1e-5)
        if id_ in ("40000001", "40000009"):
            assert points["late-1"] == pytest.approx(-0.4 * (points["automatic"] + points["minimax"]))
            assert points["report"] == 12
        if id_ == "40000002":
            assert points["late-3"] == pytest.approx(-(points["heuristic"] + points["tournament"]))
        assert student["total"] == pytest.approx(max(0, sum(points.values())), abs=1e-4)
    assert students["40000001"]["ranks"]["lab"] == 1
    assert (students["40000009"]["rules"][0]["points"], students["40000002"]["name"]) == (20, "陳小明")
    kinds = {id_: failed(student) for id_, student in students.items()}
    assert kinds["40000003"] == {"timeout"}
    assert kinds["40000004"] == kinds["40000006"] == {"crash"}
    assert kinds["40000005"] == {"illegal-move"}
    assert kinds["40000007"] == {"build-failed"}
    assert all(rules(students[id_])["automatic"] == 0 for id_ in ("40000003", "40000004", "40000005", "40000006"))


def test_fruit_rage_is_graded_as_its_rubric_says(tmp_path: Path) -> None:
    changes = [(r"^games = 11\nby", "games = 3\nby"), (r"^games = 11\nties", "games = 1\nties")]
    changes += [(r"^size = 10", "size = 4"), (r"^count = 25", "count = 5")]
    changes += [(r"^sizes = .*", "sizes = [1, 3, 5]"), (r"cpu:300", "cpu:2")]
    changes += [(r"^languages = .*", 'languages = ["python", "cpp", "java"]')]
    course = small(tmp_path / "course", "usc-fruit-rage", *changes)
    made = find_course(str(course))
    second_board = opening(ludus.game("fruit-rage", **made.options), made.seed + 1, made.opening_plies)
    row = second_board.text.split()[0].split("/")[0]
    cohort = dict(cohorts.FRUIT_COHORT)
    cohort["gus"] = {
        name: text.replace("SLOW", f'g[0] == "{row}"') for name, text in cast("dict[str, str]", cohort["gus"]).items()
    }
    out = tmp_path / "out"
    students = graded(course, hand_in(tmp_path / "submissions", cohort), out, "--no-pdf")
    for id_ in ("ann", "bob", "gus"):
        points = rules(students[id_])
        assert points["positions"] == 25, students[id_]["rules"][0]
        for rule, most in (("random", 25), ("minimax", 50)):
            games = played(out, students[id_], rule)
            assert len(games) == 3
            assert points[rule] == most * (sum(won == 1 for won, _ in games) > 1.5)
        assert students[id_]["total"] == sum(points.values())
    assert (students["ann"]["name"], rules(students["ann"])["random"]) == ("安", 25)
    wrong = students["dee"]["rules"][0]
    assert 0 < wrong["points"] < 25  # a board of one fruit has nothing that could fall
    assert "should be" in wrong["reason"]
    assert students["eve"]["trouble"] == "it is written in javascript; the course accepts python, cpp, java"
    assert students["fay"]["total"] == rules(students["fay"])["positions"] == 25
    assert students["cid"]["total"] == rules(students["cid"])["positions"] == 25
    kinds = {id_: failed(student) for id_, student in students.items()}
    assert kinds["gus"] == {"timeout"}
    assert kinds["fay"] == {"illegal-move"}
    assert kinds["cid"] == kinds["ivy"] == {"crash"}
    assert kinds["joe"] == {"build-failed"}
    assert students["ivy"]["total"] == students["joe"]["total"] == 0
    assert set(students["ann"]["ranks"]) == {"competition"}


def test_cantris_is_graded_as_its_rubric_says(tmp_path: Path) -> None:
    changes = [(r"30/move", "cpu:0.5/move"), (r"groups = 4", "groups = 2")]
    changes += [(r"^languages = .*", 'languages = ["cpp", "python"]')]
    course = small(tmp_path / "course", "nycu-cantris", *changes)
    (tmp_path / "course" / "entered.csv").write_text("id,rule,points\n309515001,design,20\n309515001,discussion,15\n")
    (tmp_path / "course" / "late.csv").write_text("id,days\n309515002,2\n309515003,9\n")
    out = tmp_path / "out"
    students = graded(course, hand_in(tmp_path / "submissions", cohorts.CANTRIS_COHORT), out, "--no-pdf")
    playing = [one for one in students.values() if one["versions"]]
    assert len(playing) == 6
    wins = {one["id"]: sum(won == 1 for won, _ in played(out, one, "tournament")) for one in playing}
    for student in playing:
        points, id_ = rules(student), student["id"]
        ended = [won == 1 or reason == "rules" for won, reason in played(out, student, "runs")]
        assert (len(ended), points["runs"]) == (6, 30 * any(ended))
        assert points["tournament"] == pytest.approx(30 * wins[id_] / max(wins.values()), abs=0.006)
        rest = points["tournament"] + points["overrun"] + points["late"]
        others = points["runs"] + points["names"] + points["design"] + points["discussion"]
        assert student["total"] == pytest.approx(max(0, others + min(30, max(0, rest))), abs=1e-4)
    assert students["309515001"]["ranks"] == {"elimination": 1}, "three Python modules that win"
    assert rules(students["309515002"])["late"] == -20
    assert rules(students["309515003"])["late"] == -90
    assert students["309515003"]["total"] == 30
    assert (rules(students["309515004"])["overrun"], rules(students["309515004"])["names"]) == (-5, -5)
    assert "309515005_3 is missing" in students["309515005"]["trouble"]
    assert students["309515006"]["total"] == students["309515007"]["total"] == 0
    assert failed(students["309515006"]) == {"crash"}
    assert failed(students["309515007"]) == {"illegal-move"}
    assert failed(students["309515008"]) == {"build-failed"}
    assert students["309515009"]["trouble"] == "it is written in java; the course accepts cpp, python"
    pairs = json.loads((out / "grades.json").read_text())["alike"]
    assert ("309515002", "309515003", "cpp") in {(one["first"], one["second"], one["language"]) for one in pairs}


def test_tournaments_and_groups_of_the_presets_have_a_name_in_each_language() -> None:
    for preset in presets():
        course = find_course(preset)
        for name in (*course.tournaments, *course.groups):
            assert render(title_of(name), "zh-Hant") != name, (preset, name)
    assert render(title_of("my own cup"), "zh-Hant") == "my own cup"
