"""A whole term: a roster with teams, a deadline, resubmissions, and the tables that platforms read."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import socket
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cohorts import graded, hand_in, rules
from pdf_text import text_of

from ludus.cli import main
from ludus.courses.view import StudentView

COURSE = """
title = "Cantris"
game = "cantris"
clock = "none"
[options]
rows = 4
cols = 3
[submission]
ids = ['(?P<id>\\d+)(?:_(?P<id2>\\d+))?(?:-.*)?']
protocols = ["python"]
[deadline]
at = "2026-06-10 23:59"
zone = "Asia/Taipei"
counts = "best"
[report]
pdf = false
column = "Bot (4711)"
[tournaments.all]
[groups.stage]
take = "highest"
[rubric.runs]
kind = "builds-and-finishes"
points = 30
group = "stage"
opponent = "random:seed=1"
games = 1
[rubric.positions]
kind = "positions"
points = 20
count = 1
group = "stage"
[rubric.bonus]
kind = "win-rate"
points = 10
tournament = "all"
[rubric.report]
kind = "entered"
points = 10
[rubric.late]
kind = "late"
a_day = 5
"""
ROSTER = """學號,姓名,組別,信箱
101,安,,ann@x.tw
102,Bob,red,bob@x.tw
103,Cyd,red,
104,Dee,blue,
105,Eve,blue,
106,Fay,,
107,Gus,,
108,Hal,,
"""
WORKS = "def choose(state, clock):\n    return state.legal_moves[0]\n"
FAILS = "def choose(state, clock):\n    return 'no move'\n"
DUE = datetime(2026, 6, 10, 15, 59, tzinfo=UTC).timestamp()
HANDED_IN = {
    "101.py": (WORKS + "# 101\n", -7200),
    "101-again.py": (FAILS, -3600),
    "103.py": (WORKS + "# 103\n", -3600),
    "104_105.py": (WORKS + "# 104\n", 86400 * 1.5),
    "106.py": (FAILS + "# 106\n", -3600),
    "1O7.py": (WORKS + "# 107\n", -3600),
}


@pytest.fixture(scope="module")
def term(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Grade a class of eight with six submissions, twice; nothing may change."""
    folder = tmp_path_factory.mktemp("term")
    tables = {
        "course.toml": COURSE,
        "roster.csv": ROSTER,
        "parts.csv": "id,percent,reason\n103,50,wrote the report only\n",
        "entered.csv": "id,rule,points\nred,report,8\n101,report,10\n",
        "extensions.csv": "id,until\n104,2026-06-11 23:59\n",
    }
    for name, text in tables.items():
        (folder / name).write_text(text, encoding="utf-8")
    submissions = hand_in(folder / "in", {name: text for name, (text, _) in HANDED_IN.items()})
    for name, (_, seconds) in HANDED_IN.items():
        os.utime(submissions / name, (DUE + seconds, DUE + seconds))
    students = graded(folder / "course.toml", submissions, folder / "out", "--anonymous")
    before = (folder / "out" / "anonymous" / "grades.csv").read_bytes()
    assert students == graded(folder / "course.toml", submissions, folder / "out", "--anonymous")
    assert (folder / "out" / "anonymous" / "grades.csv").read_bytes() == before
    return folder / "out", students


def test_everyone_has_a_line(term: tuple[Path, dict[str, Any]]) -> None:
    out, students = term
    assert set(students) == {"101", "102", "103", "104", "105", "106", "107", "108", "1O7"}
    for missing in ("107", "108"):
        assert (students[missing]["total"], students[missing]["trouble"]) == (0, "nothing was submitted")
    assert students["1O7"]["question"] == "not on the roster: 1O7 (closest: 107 Gus)"
    assert rules(students["1O7"])["runs"] == 30, "it is graded all the same"
    assert students["101"]["name"] == "安" and students["101"]["question"] == ""
    notes = json.loads((out / "grades.json").read_text(encoding="utf-8"))["notes"]
    assert "not on the roster: 1O7 (closest: 107 Gus)" in notes
    page = (out / "index.html").read_text(encoding="utf-8")
    assert page.count("not on the roster: 1O7") == 2, "beside the grade, and among the notes"


def test_who_handed_in_nothing_is_named_once_in_the_paper(tmp_path: Path) -> None:
    """A line for each of them would fill page after page."""
    (tmp_path / "course.toml").write_text(COURSE.replace("pdf = false", "pdf = true"), encoding="utf-8")
    (tmp_path / "roster.csv").write_text("id,name\n201,安\n202,Bo\n203,Cy\n204,Di\n", encoding="utf-8")
    (tmp_path / "entered.csv").write_text("id,rule,points\n204,report,7\n", encoding="utf-8")
    graded(tmp_path / "course.toml", hand_in(tmp_path / "in", {"205.py": WORKS}), tmp_path / "out")
    paper = re.sub(r"\s+", " ", text_of(tmp_path / "out" / "course.pdf"))
    assert paper.count("nothing was submitted") == 1 and "4 students" in paper
    assert "204 Di, 201 安, 202 Bo, 203 Cy" in paper
    assert "Not listed: 3 students who submitted nothing and have 0 points." in paper
    assert "† 204 Di 7" in paper and "† 201" not in paper


def test_a_team_shares_its_submission(term: tuple[Path, dict[str, Any]]) -> None:
    out, students = term
    bob, cyd = students["102"], students["103"]
    assert (bob["team"], cyd["team"], bob["handed_in"]) == ("red", "red", "103.py")
    assert rules(bob) == rules(cyd) and rules(bob)["report"] == 8 and bob["ranks"] == cyd["ranks"]
    assert cyd["total"] == pytest.approx(bob["total"] / 2, abs=0.006)
    assert cyd["limits"][-1]["reason"] == "50% of the team's points: wrote the report only"
    assert students["104"]["team"] == students["105"]["team"] == "blue"
    with (out / "grades.csv").open(encoding="utf-8-sig", newline="") as stream:
        lines = {line["id"]: line for line in csv.DictReader(stream)}
    for id_, line in lines.items():
        names = [
            *rules(students[id_]),
            "limit of group stage",
            "limit of the total",
            "member's part of the team's points",
        ]
        assert sum(float(line[name]) for name in names) == pytest.approx(float(line["total"]), abs=1e-3)
    own = (out / "students" / "103" / "index.html").read_text(encoding="utf-8")
    assert "team red" in own and "wrote the report only" in own


def test_late_is_counted_from_the_deadline_and_its_extension(term: tuple[Path, dict[str, Any]]) -> None:
    out, students = term
    assert rules(students["101"])["late"] == 0
    assert students["104"]["days_late"] == students["105"]["days_late"] == 0.5
    assert rules(students["105"])["late"] == -5, "a day that has begun, after the extension of one member"
    assert students["104"]["handed_in_at"] == "2026-06-12 11:59"
    assert "2026-06-12 11:59" in (out / "students" / "104" / "index.html").read_text(encoding="utf-8")


def test_the_best_attempt_counts_and_the_others_stay_listed(term: tuple[Path, dict[str, Any]]) -> None:
    out, students = term
    ann = students["101"]
    assert (ann["handed_in"], ann["set_aside"]) == ("101.py", ["101-again.py"])
    listed = [(one["file"], one["counts"], one["total"]) for one in ann["attempts"]]
    assert listed == [("101.py", True, 40), ("101-again.py", False, 10)]
    assert ann["findings"] == ["101.py counts because it is the best of 2 attempts; not counted: 101-again.py"]
    assert len([id_ for id_ in students if students[id_]["ranks"]]) == 7, "one entry for each of five programs"
    assert "101-again.py" in (out / "students" / "101" / "index.html").read_text(encoding="utf-8")


def test_the_gradebooks_of_platforms(term: tuple[Path, dict[str, Any]]) -> None:
    out, students = term
    tables = {}
    for platform in ("moodle", "canvas", "gradescope"):
        text = (out / f"gradebook-{platform}.csv").read_text(encoding="utf-8-sig")
        tables[platform] = list(csv.DictReader(io.StringIO(text)))
        assert f'href="gradebook-{platform}.csv"' in (out / "index.html").read_text(encoding="utf-8")
    totals = {id_: student["total"] for id_, student in students.items()}
    moodle = {line["ID number"]: line for line in tables["moodle"]}
    assert list(moodle["101"])[:4] == ["Identifier", "Full name", "ID number", "Email address"]
    assert {id_: float(line["Grade"]) for id_, line in moodle.items()} == pytest.approx(totals)
    assert {"Maximum grade", "Last modified (grade)"} <= set(moodle["101"]), "a grading worksheet has to have them"
    assert moodle["102"]["Email address"] == "bob@x.tw" and "runs: 30/30" in moodle["102"]["Feedback comments"]
    assert "/0" not in moodle["102"]["Feedback comments"]  # a penalty is out of nothing
    possible, *rest = tables["canvas"]
    assert list(possible) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Bot (4711)"]
    assert (possible["Student"], possible["Bot (4711)"]) == ("    Points Possible", "50")
    assert {line["SIS User ID"]: float(line["Bot (4711)"]) for line in rest} == pytest.approx(totals)
    assert {line["SID"]: float(line["Total Score"]) for line in tables["gradescope"]} == pytest.approx(totals)
    assert {line["Max Points"] for line in tables["gradescope"]} == {"50"}


def test_what_gradescope_reads_adds_up(term: tuple[Path, dict[str, Any]]) -> None:
    out, students = term
    for id_, student in students.items():
        said = json.loads((out / "students" / id_ / "results.json").read_text(encoding="utf-8"))
        assert said["score"] == student["total"]
        assert sum(test.get("score", 0) for test in said["tests"]) == pytest.approx(said["score"])
        assert {test["output_format"] for test in said["tests"]} == {"text"} == {said["output_format"]}
        assert all(test["max_score"] >= 0 for test in said["tests"] if "max_score" in test)
        assert {test["visibility"] for test in said["tests"]} == {"visible"}
        assert {test.get("status", "passed") for test in said["tests"]} <= {"passed", "failed"}
        assert said["extra_data"]["max_score"] == 50
    tests = {
        test["name"]: test for test in json.loads((out / "students" / "102" / "results.json").read_text())["tests"]
    }
    assert (tests["runs"]["score"], tests["runs"]["status"]) == (30, "passed")
    assert (tests["positions"]["score"], tests["positions"]["extra_data"]["counted"]) == (20, 0)
    assert tests["limit of group stage"]["score"] == -20
    fay = {test["name"]: test for test in json.loads((out / "students" / "106" / "results.json").read_text())["tests"]}
    assert fay["runs"]["status"] == "failed"
    assert not {"status", "score", "max_score"} & set(fay["report"]), "the instructor has not entered it yet"
    assert fay["report"]["tags"] == ["open"]


def test_the_anonymous_standings_say_no_name(term: tuple[Path, dict[str, Any]]) -> None:
    out, students = term
    assert (out / "anonymous.key").stat().st_mode & 0o077 == 0
    with (out / "anonymous" / "grades.csv").open(encoding="utf-8-sig", newline="") as stream:
        lines = list(csv.DictReader(stream))
    assert sorted(float(line["total"]) for line in lines) == sorted(student["total"] for student in students.values())
    for line in lines:
        numbers = [float(points or 0) for column, points in line.items() if column not in ("place", "code", "total")]
        assert sum(numbers) == pytest.approx(float(line["total"]), abs=1e-3), "the rows add up"
    page = (out / "anonymous" / "index.html").read_text(encoding="utf-8")
    assert "<div class=wide tabindex=0><table>" in page, "a wide table scrolls, not the page"
    cells = [re.findall(r"<td class=number>([^<]*)</td>", row) for row in page.split("<tr>")]
    sums = [(float(row[1]), sum(float(one) for one in row[2:] if one != "…")) for row in cells if row]
    assert len(sums) == len(lines) and all(total == pytest.approx(added, abs=1e-2) for total, added in sums)
    for told in (page, (out / "anonymous" / "grades.csv").read_text(encoding="utf-8")):
        for student in students.values():
            assert student["id"] not in told and (not student["name"] or student["name"] not in told)
            assert student["handed_in"] == "" or student["handed_in"] not in told
        assert "red" not in re.findall(r"\w+", told.partition("<body>")[2])
    own = (out / "students" / "101" / "index.html").read_text(encoding="utf-8")
    assert sum(f"<code>{line['code']}</code>" in own for line in lines) == 1


WORKSHEET = """\ufeffIdentifier,"Full name","Email address",Status,Grade,"Last modified (submission)"
"Participant 7","Ann Lee",ann@x.tw,"Submitted for grading",,"Wednesday, 10 June 2026, 11:00 PM"
"Participant 8",Bob,bob@x.tw,"Submitted for grading - 1 day late",,"Friday, 12 June 2026, 12:30 AM"
"Participant 9",Cyd,cyd@x.tw,"No submission",,-
"""


def test_a_download_of_moodle_with_its_worksheet(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(COURSE)
    (tmp_path / "worksheet.csv").write_text(WORKSHEET, encoding="utf-8")
    download = tmp_path / "CS101-Bot-4711.zip"
    with zipfile.ZipFile(download, "w") as made:
        for name, number in (("Ann Lee", 7), ("Bob", 8)):
            made.writestr(f"{name}_{number}_assignsubmission_file/bot.py", f"{WORKS}# {name}\n")
    course, out = tmp_path / "course.toml", tmp_path / "out"
    alone = graded(course, download, out)
    assert {id_: student["days_late"] for id_, student in alone.items()} == {"7": 0, "8": 0}
    notes = json.loads((out / "grades.json").read_text(encoding="utf-8"))["notes"]
    assert any("Moodle does not say when submissions came" in note for note in notes)
    given = ("--roster", str(tmp_path / "worksheet.csv"), "--times", str(tmp_path / "worksheet.csv"))
    students = graded(course, download, out, *given)
    assert {id_: student["trouble"] for id_, student in students.items()} == {
        "ann": "",
        "bob": "",
        "cyd": "nothing was submitted",
    }
    assert (students["ann"]["days_late"], students["ann"]["handed_in_at"]) == (0, "2026-06-10 23:00")
    assert students["bob"]["days_late"] == pytest.approx(1.02, abs=0.01) and rules(students["bob"])["late"] == -10
    assert not any("does not say when" in note for note in json.loads((out / "grades.json").read_text())["notes"])
    with (out / "gradebook-moodle.csv").open(encoding="utf-8-sig", newline="") as stream:
        assert {line["Identifier"] for line in csv.DictReader(stream)} == {f"Participant {number}" for number in "789"}


def test_what_canvas_calls_late_is_as_late_as_the_course_says(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(COURSE.replace('counts = "best"', "marked_late_days = 2"))
    names = ("ann_7_1_bot.py", "bob_LATE_8_2_bot.py")
    submissions = hand_in(tmp_path / "in", {name: f"{WORKS}# {name}\n" for name in names})
    students = graded(tmp_path / "course.toml", submissions, tmp_path / "out")
    assert [(student["days_late"], student["handed_in_at"]) for student in students.values()] == [(0, ""), (2, "")]
    notes = json.loads((tmp_path / "out" / "grades.json").read_text(encoding="utf-8"))["notes"]
    (note,) = (note for note in notes if "marked late" in note)
    assert note.startswith("8: bob_LATE_8_2_bot.py is marked late") and "it counts as 2 days late" in note


def test_the_same_attempt_twice_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(COURSE)
    names = [f"101-{number}.py" for number in range(4)]
    submissions = hand_in(tmp_path / "in", dict.fromkeys(names, WORKS))
    for number, name in enumerate(names):
        os.utime(submissions / name, (DUE - 100 + number, DUE - 100 + number))
    student = graded(tmp_path / "course.toml", submissions, tmp_path / "out", "--jobs", "2")["101"]
    assert (student["trouble"], student["handed_in"]) == ("", "101-3.py"), "of equal ones the last counts"
    assert [one["total"] for one in student["attempts"]] == [30] * 4


def test_a_table_that_is_not_there_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "course.toml").write_text(COURSE)
    hand_in(tmp_path / "in", {"101.py": WORKS})
    command = ["course", "grade", str(tmp_path / "course.toml"), str(tmp_path / "in"), "--out", str(tmp_path / "out")]
    for option in ("--roster", "--extensions", "--parts", "--late"):
        assert main([*command, option, str(tmp_path / "none.csv")]) == 2
        said = capsys.readouterr().err
        assert "none.csv" in said and said.count("\n") == 1


def test_a_cluster_grades_the_same(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    (tmp_path / "course.toml").write_text(
        "game = 'cantris'\nclock = 'none'\n[options]\nrows = 4\ncols = 3\n[report]\npdf = false\n"
        "[rubric.runs]\nkind = 'builds-and-finishes'\npoints = 30\nopponent = 'random:seed=1'\ngames = 1\n"
    )
    submissions = hand_in(tmp_path / "in", {"ann.py": WORKS})
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):  # as if there were another cluster, unless there is one
            held.enter_context(socket.create_server(("127.0.0.1", 8787)))
        student = graded(tmp_path / "course.toml", submissions, tmp_path / "out", "--cluster", "local:1")["ann"]
    assert (student["total"], student["games"]) == (30, 1)


@pytest.mark.parametrize(("days", "says"), [(0.0, None), (2.25 / 24, "Late by 2.2 h."), (1.0, "Late by 1 day.")])
def test_lateness_is_said_in_days_or_else_in_hours(days: float, says: str | None) -> None:
    late = StudentView.model_construct(days_late=days).lateness
    assert (late and str(late)) == says
