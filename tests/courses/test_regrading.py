"""Grading again: nothing is played twice, decisions by hand are kept, and what fails stops nobody else."""

from __future__ import annotations

import contextlib
import csv
import json
import re
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import cohorts
import pytest
from cohorts import GradedClass, graded, hand_in, rules
from patience import PATIENCE, until
from pdf_text import words_of

from ludus import game_task as tasks
from ludus.bots import Bot
from ludus.bots.build import build as bots_build
from ludus.cli import main
from ludus.courses import exam, pdf
from ludus.courses import grade as grading
from ludus.courses import submissions as intake
from ludus.game_task import Task, perform
from ludus.play.result import GameResult
from ludus.store import Ledger


def test_only_a_pdf_whose_grade_or_template_changed_is_made_again(
    chain: GradedClass, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course, submissions, _, _ = chain
    out = chain.copied(tmp_path / "out")
    files = sorted(out.glob("students/*/report.pdf"))
    before = {path: path.stat().st_mtime_ns for path in files}
    late = tmp_path / "late.csv"
    late.write_text("id,days\n106000003,0.5\n106000001,1\n")
    graded(course, submissions, out, "--late", str(late))
    changed = [path.parent.name for path in files if path.stat().st_mtime_ns != before[path]]
    assert changed == ["106000001"]
    assert "notacceptedafter0days" in words_of(out / "students" / "106000001" / "report.pdf")
    graded(course, submissions, out, "--no-pdf")
    assert not (out / "students" / "106000001" / "report.pdf").exists(), "it said what is no longer so"
    assert (out / "students" / "106000002" / "report.pdf").exists()
    (tmp_path / "style.typ").write_text("// changed")
    monkeypatch.setattr(pdf, "TEMPLATES", tmp_path)
    graded(course, submissions, out)
    assert all(path.stat().st_mtime_ns != before[path] for path in files)


def test_a_fault_of_ours_stops_nobody_else(chain: GradedClass, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course, _, _, _ = chain
    few = ("106062130_邱詠智.zip", "106000001.cpp", "106000005.cpp")
    submissions = hand_in(tmp_path / "s", {name: cohorts.CHAIN[name] for name in few})
    real = perform

    def broken(task: Task, *more: Any) -> GameResult:
        if "106000001" in task.entries and "noLook" in task.entries:
            raise TypeError("a bug")
        return real(task, *more)

    monkeypatch.setattr(tasks, "perform", broken)
    students = graded(course, submissions, tmp_path / "out", "--no-pdf")
    hit = {rule["rule"]: rule for rule in students["106000001"]["rules"]}
    assert students["106000001"]["doubt"].startswith("2 games could not be played, which is not the fault of a program")
    assert hit["noLook"]["open"] and "an error in Ludus: TypeError: a bug" in hit["noLook"]["reason"]
    assert students["106062130"]["doubt"] == "" and not students["106062130"]["rules"][2]["open"]
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8-sig", newline="") as stream:
        assert "TypeError: a bug" in {line["id"]: line["trouble"] for line in csv.DictReader(stream)}["106000001"]
    notes = json.loads((tmp_path / "out" / "grades.json").read_text())["notes"]
    assert [note.partition(":")[0] for note in notes] == ["106000001"]
    monkeypatch.setattr(tasks, "perform", real)
    again = graded(course, submissions, tmp_path / "out", "--no-pdf")["106000001"]
    assert (again["doubt"], len(again["rules"][2]["games"])) == ("", 2), "what was missing is played"


def test_a_build_or_an_exam_that_breaks_us_stops_nobody_else(
    chain: GradedClass, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course, _, _, _ = chain
    submissions = hand_in(tmp_path / "s", {name: cohorts.chain_class() for name in ("106000001.cpp", "106000002.cpp")})
    (submissions / "106000003.cpp").write_text(cohorts.chain_class("turn += 0;"))
    real_build, real_hold = bots_build, exam.hold_exam

    def build(bot: Bot) -> Any:
        if bot.name == "106000001":
            raise RecursionError("too deep")
        return real_build(bot)

    def hold(course: Any, program: str, *more: Any, **named: Any) -> Any:
        if "106000002" in program:
            raise KeyError("lost")
        return real_hold(course, program, *more, **named)

    monkeypatch.setattr(intake, "build", build)
    monkeypatch.setattr(grading, "hold_exam", hold)
    students = graded(course, submissions, tmp_path / "out", "--no-pdf")
    assert students["106000001"]["trouble"] == "an error in Ludus, not in the program: RecursionError: too deep"
    assert "KeyError" in students["106000002"]["trouble"]
    assert all(rule["open"] for rule in students["106000001"]["rules"] if rule["rule"] in ("plays", "noLook", "bonus"))
    assert rules(students["106000003"])["plays"] == 15


def test_nothing_is_played_twice_and_a_change_touches_one(
    chain: GradedClass, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    course, submissions, _, students = chain
    out = chain.copied(tmp_path / "out")
    assert graded(course, submissions, out, "--no-pdf") == students
    assert " 0 of them played now" in capsys.readouterr().out
    changed = hand_in(tmp_path / "changed", {**cohorts.CHAIN, "106000001.cpp": cohorts.chain_class("turn += 1;")})
    again = graded(course, changed, out, "--no-pdf")
    games, now = map(int, re.findall(r"(\d+) games, (\d+) of them played now", capsys.readouterr().out)[0])
    others = sum(bool(student["versions"]) for student in students.values()) - 1
    assert now == 4 * 2 + 2 * others  # its four matches, and its pairings; all other games are among them
    assert games > 3 * now
    assert again["106000001"]["versions"] != students["106000001"]["versions"]
    assert again["106062130"]["total"] == students["106062130"]["total"]


def test_grades_are_the_same_in_another_place(chain: GradedClass, tmp_path: Path) -> None:
    course, _, _, students = chain
    few = {name: cohorts.CHAIN[name] for name in ("106062130_邱詠智.zip", "106000001.cpp")}
    once = graded(course, hand_in(tmp_path / "a", few), tmp_path / "one", "--no-pdf")
    twice = graded(course, tmp_path / "a", tmp_path / "two", "--no-pdf")
    assert once == twice
    for rule in ("plays", "randomMove", "noLook", "heithoff", "rlawrenc"):
        assert rules(once["106000001"])[rule] == rules(students["106000001"])[rule]


def test_points_by_hand_and_one_student_again(
    chain: GradedClass, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    course, submissions, _, students = chain
    out = chain.copied(tmp_path / "out")
    command = ["course", "grade", str(course), str(submissions), "--out", str(out), "--jobs", "1", "--no-pdf"]
    assert main([*command, "--override", "106000008", "plays", "15"]) == 2
    assert "needs a reason; give it with --reason" in capsys.readouterr().err
    assert main([*command, "--override", "1", "plays", "15", "--reason", "x"]) == 2
    assert "there is no student '1'" in capsys.readouterr().err
    for rule, points, bounds in (
        *(("plays", wrong, "0 to 15") for wrong in ("15.01", "-1", "nan", "inf", "-inf")),
        ("late", "1", "-110 to 0"),
        ("late", "-111", "-110 to 0"),
    ):
        assert main([*command, "--override", "106000008", rule, points, "--reason", "x"]) == 2
        said = capsys.readouterr().err
        assert f"points for {rule} are not possible; the rule gives {bounds}" in said and said.count("\n") == 1
    withdrawing = ("--withdraw-override", "106000008", "plays", "--reason", "it was another program")
    assert main([*command, *withdrawing]) == 2
    assert "the points of 106000008 for plays were not set by hand" in capsys.readouterr().err
    by_hand = graded(
        course, submissions, out, "--no-pdf", "--override", "106000008", "plays", "15", "--reason", "ran in the lab"
    )
    assert by_hand["106000008"]["total"] == 15
    kept = graded(course, submissions, out, "--no-pdf")["106000008"]["rules"][0]["reason"]
    assert kept.startswith("set by hand to 15: ran in the lab (the rule gave 0: compile error")
    withdrawn = graded(course, submissions, out, "--no-pdf", *withdrawing)["106000008"]
    assert (withdrawn["total"], withdrawn["rules"][0]) == (0, students["106000008"]["rules"][0])
    assert main([*command, *withdrawing]) == 2, "it is withdrawn once"
    capsys.readouterr()
    again = graded(course, submissions, out, "--no-pdf", "--only", "106000001", "--reason", "the machine was busy")
    assert int(re.findall(r"(\d+) of them played now", capsys.readouterr().out)[0]) > 0
    assert again["106000001"]["total"] == students["106000001"]["total"]
    ledger = Ledger(out / "ledger.db")
    assert [(log.kind, log.reason) for log in ledger.log(1)][:2] == [
        ("override", "ran in the lab"),
        ("override-withdrawn", "it was another program"),
    ]
    assert {log.reason for log in ledger.log(1)[2:]} == {"the machine was busy"}
    ledger.close()


def test_an_interrupted_grading_goes_on(tmp_path: Path) -> None:
    course = tmp_path / "course.toml"
    course.write_text(
        "game = 'cantris'\nclock = 'none'\n[report]\npdf = false\n"
        "[rubric.runs]\nkind = 'beats'\npoints = 30\nopponent = 'random:seed=1'\ngames = 400\n"
    )
    works = "def choose(state, clock):\n    return state.legal_moves[0]\n"
    submissions = hand_in(tmp_path / "in", {"ann.py": works})
    command = [sys.executable, "-m", "ludus", "course", "grade", str(course), str(submissions)]
    command += ["--out", str(tmp_path / "out"), "--jobs", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as child:
        ledger = tmp_path / "out" / "ledger.db"
        kept = until(lambda: ledger.exists() and len(games_in(ledger)), "a game")
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=PATIENCE)
    assert child.returncode == 130
    assert "Stopped. Run the same command again to continue." in said
    assert "Traceback" not in said
    before = games_in(ledger)
    assert kept <= len(before) < 400
    course.write_text(course.read_text().replace("400", str(len(before) + 2)))
    student = graded(course, submissions, tmp_path / "out")["ann"]
    assert student["games"] == len(before) + 2
    assert before <= games_in(ledger), "none is lost, and none is played twice"


def games_in(ledger: Path) -> set[tuple[str, str]]:
    """Read the games of a ledger that may be in use."""
    with contextlib.closing(sqlite3.connect(f"{ledger.as_uri()}?mode=ro", uri=True)) as database:
        try:
            return {*database.execute("SELECT pairing, finished FROM game")}
        except sqlite3.OperationalError:  # its tables are being made
            return set()


def test_points_by_hand_that_the_rule_no_longer_gives_do_not_count(tmp_path: Path) -> None:
    toml = """
game = "cantris"
clock = "none"
[rubric.report]
kind = "entered"
points = 10
"""
    (tmp_path / "course.toml").write_text(toml)
    hand_in(tmp_path / "in", {"ann": {"bot.py": "def choose(state, clock):\n    return state.legal_moves[0]\n"}})
    command = (tmp_path / "course.toml", tmp_path / "in", tmp_path / "out", "--no-pdf")
    assert graded(*command, "--override", "ann", "report", "9", "--reason", "good")["ann"]["total"] == 9
    (tmp_path / "course.toml").write_text(toml.replace("10", "5"))
    assert graded(*command)["ann"]["total"] == 0
    notes = json.loads((tmp_path / "out" / "grades.json").read_text())["notes"]
    assert [note for note in notes if note.startswith("ann: some points set by hand do not count: 9 points for report")]
