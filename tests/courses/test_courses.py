"""Courses end to end: small classes are graded in the sandbox, and the grades are what each rubric says, counted again
here from the records that every point links to; nothing is played twice, and nobody's trouble stops the others.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import random
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

import cohorts
import pytest
from bots import typed
from cohorts import beaten, failed, graded, hand_in, played, rules, small
from pdf_text import pages_of, words_of

import ludus
from ludus import check
from ludus.bots import Bot, bot_of
from ludus.bots.build import build as bots_build
from ludus.bots.source import File
from ludus.bots.starters import LANGUAGES
from ludus.cli import main
from ludus.courses import exam, find_course, intake, presets, read_course
from ludus.courses import grade as grading
from ludus.courses.document import checked
from ludus.courses.rubric import KINDS, Evidence
from ludus.courses.similarity import alike
from ludus.play.openings import opening
from ludus.play.result import GameResult
from ludus.store import Ledger
from ludus.tournament import counted_winner, pools
from ludus.tournament import task as tasks
from ludus.tournament.task import Task, perform

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestAssertRewriteWarning")


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDUS_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def folder_of(id_: str) -> str:
    return intake.Submission(id_).folder


def cells_of(pdf: Path) -> str:
    """Give a PDF's text cell by cell, without any space."""
    done = subprocess.run(["pdftotext", "-raw", pdf, "-"], capture_output=True, check=True)
    return re.sub(r"[\s\u200b]+", "", done.stdout.decode())


def links_of(pdf: Path) -> set[str]:
    """Give the places that a PDF links to."""
    data = pdf.read_bytes()
    plain = b"".join(zlib_text(part) for part in re.findall(rb"stream\r?\n(.*?)endstream", data, re.DOTALL))
    return {found.decode() for found in re.findall(rb"/URI ?\(([^)]*)\)", data + plain)}


def zlib_text(part: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(part)
    except zlib.error:
        return b""


# --- the four courses -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path, dict[str, Any]]:
    home = tmp_path_factory.mktemp("chain")
    changes = ((r"^games = 20", "games = 2"), (r"10/move", "cpu:0.3/move"))
    course = small(home / "course", "nthu-chain-reaction", *changes)
    (home / "course" / "entered.csv").write_text(
        "id,rule,points,reason\n106062130,report,8.5,清楚\n106000099,report,1,\n"
    )
    (home / "course" / "late.csv").write_text("id,days\n106000003,0.5\n")
    submissions = hand_in(home / "submissions", cohorts.CHAIN)
    return course, submissions, home / "out", graded(course, submissions, home / "out")


def test_chain_reaction_is_graded_as_its_rubric_says(chain: tuple[Path, Path, Path, dict[str, Any]]) -> None:
    _, _, out, students = chain
    stages = {"plays": 15, "randomMove": 30, "noLook": 45, "heithoff": 60, "rlawrenc": 75}
    for student in students.values():
        points = rules(student)
        if not student["versions"]:
            assert student["total"] == points["report"]
            continue
        earned = {rule: most for rule, most in stages.items() if rule != "plays" and beaten(out, student, rule)}
        if any(reason == "rules" for _, reason in played(out, student, "plays")):
            earned["plays"] = 15
        assert {rule: points[rule] for rule in stages} == {rule: earned.get(rule, 0) for rule in stages}
        games = played(out, student, "bonus")
        rate = sum(result == 1 for result, _ in games) / len(games)
        assert points["bonus"] == pytest.approx(25 * rate, abs=0.006)
        whole = max(earned.values(), default=0) + points["bonus"] + points["report"]
        assert student["total"] == pytest.approx(0 if student["id"] == "106000003" else whole)


def test_each_kind_of_trouble_is_a_finding_of_its_own(chain: tuple[Path, Path, Path, dict[str, Any]]) -> None:
    _, _, _, students = chain
    assert students["106000008"]["trouble"].startswith("build-failed: ")
    assert "zip archive cannot be read" in students["106000009"]["trouble"]
    assert students["106000099"]["trouble"] == "nothing was handed in"
    assert students["106000099"]["total"] == 1
    assert "not named as the course prescribes" in students["homework final (2)"]["findings"][0]
    for id_, kind in (
        ("106000004", "timeout"),
        ("106000005", "crash"),
        ("106000006", "illegal-move"),
        ("106000007", "crash"),
    ):
        assert rules(students[id_])["plays"] == 0 or id_ == "106000004", id_
        assert not students[id_]["check"]["passed"]
        assert any(kind in rule["reason"] for rule in students[id_]["rules"]), id_
    assert "not accepted" in students["106000003"]["rules"][-1]["reason"]


def test_seed_004_has_its_verdicts_and_a_rank(chain: tuple[Path, Path, Path, dict[str, Any]]) -> None:
    _, _, out, students = chain
    student = students["106062130"]
    assert student["name"] == "邱詠智"
    assert student["check"]["passed"]
    for opponent in ("randomMove", "noLook", "heithoff", "rlawrenc"):
        (rule,) = [one for one in student["rules"] if one["rule"] == opponent]
        verdict = "beats" if beaten(out, student, opponent) else "does not beat"
        assert rule["reason"].startswith(f"{verdict} {opponent}")
        assert "95% interval" in rule["reason"]
        assert len(rule["games"]) == 2
    assert rules(student)["randomMove"] == 30
    assert student["ranks"]["all"] == 1
    assert set(student["ranks"]) == {"all", "ladder"}
    assert rules(student)["report"] == 8.5


def test_what_is_written_can_be_read(chain: tuple[Path, Path, Path, dict[str, Any]]) -> None:
    _, _, out, students = chain
    with (out / "grades.csv").open(encoding="utf-8-sig", newline="") as stream:
        lines = {line["id"]: line for line in csv.DictReader(stream)}
    assert {id_: float(line["total"]) for id_, line in lines.items()} == pytest.approx(
        {id_: student["total"] for id_, student in students.items()}
    )
    assert lines["106062130"]["name"] == "邱詠智"
    said = json.loads((out / "students" / "106062130" / "results.json").read_text(encoding="utf-8"))
    assert said["score"] == pytest.approx(students["106062130"]["total"])
    assert said["score"] == pytest.approx(sum(test["score"] for test in said["tests"]))
    page = (out / "index.html").read_text(encoding="utf-8")
    own = (out / "students" / "106062130" / "index.html").read_text(encoding="utf-8")
    assert "邱詠智" in page
    for link in re.findall(r'href="([^"]+)"', page):
        assert (out / link).exists(), link
    links = re.findall(r'href="([^"]+)"', own)
    assert len(links) > 10
    assert all((out / "students" / "106062130" / link).exists() for link in links)


def test_a_check_has_one_verdict_wherever_it_is_told(chain: tuple[Path, Path, Path, dict[str, Any]]) -> None:
    _, _, out, students = chain
    seen = set()
    for student in students.values():
        if student["check"] is None:
            continue
        problems = sum(found["verdict"] == check.REJECT for found in student["check"]["findings"])
        assert (student["check"]["problems"], student["check"]["passed"]) == (problems, not problems)
        assert student["failures"] or not problems, "what costs nothing is no problem"
        if student["check"]["findings"]:
            said = check.Verdict(problems, 0).sentence
            folder = out / "students" / folder_of(student["id"])
            assert f"<h2>Check: {said}</h2>" in (folder / "index.html").read_text(encoding="utf-8")
            assert f"Check:{said}".replace(" ", "") in words_of(folder / "report.pdf")
            seen.add(said)
    assert any("to fix" in said for said in seen)


def test_what_a_check_finds_is_a_note_where_it_cost_nothing() -> None:
    found = exam.Found(check.REJECT, "a whole game: crash", "", "")
    tried = exam.Exam(False, (found,), {}, 0)
    plays = grading.Graded(intake.Submission("x"), (), {}, (), 63.75, games=10, ended=10)
    assert checked(plays, tried) == (check.Verdict(0, 1), (found._replace(verdict=check.WARNING),))
    fails = plays._replace(failures={"crash": 1}, ended=9)
    assert checked(fails, tried) == (check.Verdict(1, 0), (found,))
    assert checked(plays._replace(games=0), tried)[0].sentence == "1 problem to fix."
    wrong = exam.Answer("", "", "bad-output", 0.0)
    assert checked(plays, tried._replace(answers={"positions": (wrong,)}))[0].problems == 1
    assert [check.Verdict(n, 1).sentence for n in (0, 1, 2)] == [
        "Ready to play.",
        "1 problem to fix.",
        "2 problems to fix.",
    ]


def test_every_line_adds_up_and_failures_are_seen(chain: tuple[Path, Path, Path, dict[str, Any]]) -> None:
    _, _, out, students = chain
    with (out / "grades.csv").open(encoding="utf-8-sig") as file:
        lines = {row["id"]: row for row in csv.DictReader(file)}
    assert len(lines) == len(students)
    names = [rule.name for rule in find_course("nthu-chain-reaction").rules]
    limits = ["limit of group stage", "limit of the total"]
    for id_, line in lines.items():
        assert sum(Decimal(line[name]) for name in (*names, *limits)) == Decimal(line["total"]), id_
        assert "-0" not in line.values()
        said = students[id_]
        assert sum(Decimal(f"{one['points']:g}") for one in (*said["rules"], *said["limits"])) == Decimal(line["total"])
        results = json.loads((out / "students" / folder_of(id_) / "results.json").read_text())
        assert sum(Decimal(f"{one['score']:g}") for one in results["tests"]) == Decimal(f"{results['score']:g}")
        page = (out / "students" / folder_of(id_) / "index.html").read_text(encoding="utf-8")
        cells = re.findall(r"<td class=number>(-?[\d.]+)(?: of -?[\d.]+)?</td><td>", page)[
            : len(names) + len(said["limits"])
        ]
        assert sum(map(Decimal, cells)) == Decimal(line["total"])
        assert not re.search(r"(?<![\d.])-0(?![\d.])", page)
    assert students["106062130"]["limits"][0]["title"] == "limit of group stage"
    fails = students["106000003"]
    games, (kind, count) = fails["games"], next(iter(fails["failures"].items()))
    assert games - 2 <= count > 0, "it answers every board with a move that is none; another one fails even sooner"
    sentence = f"none of its {games} games ended by the rules; it failed in {count}: {kind} {count}"
    assert fails["failed"] == lines["106000003"]["trouble"] == sentence
    assert (lines["106000003"]["failed games"], lines["106000003"]["games"]) == (str(count), str(games))
    assert sentence in (out / "index.html").read_text(encoding="utf-8")
    assert sentence.replace(" ", "") in words_of(out / "course.pdf")
    assert sentence.replace(" ", "") in words_of(out / "students" / "106000003" / "report.pdf")
    assert students["106062130"]["failed"] == ""


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
    entered = {("x", name): (chance.choice([0.0, -0.0, 9 * chance.random(), 9.0]), "") for name in "abc"}
    late = {("x", name): chance.choice([0.0, 1.0, 30 * chance.random()]) for name in "de"}
    student = intake.Submission("x", misnamed=chance.choice(["", "wrong"]))
    one = grading.judge(course, student, Evidence(entered=entered, late=late))
    shown = [f"{award.points:g}" for award in one.awards] + [f"{limit.points:g}" for limit in one.limits]
    assert sum(map(Decimal, shown)) == Decimal(f"{one.total:g}")
    assert "-0" not in shown
    assert one.total >= 0
    points = {award.rule: award.points for award in one.awards}
    best, rest = max(points["a"], points["b"]), points["c"] + points["d"]
    whole = min(6, best) + min(7, max(-2, rest)) + points["e"] + points["f"]
    assert one.total == pytest.approx(max(0, whole))
    assert all(limit.reason and limit.points for limit in one.limits)


def test_every_point_leads_to_its_games(chain: tuple[Path, Path, Path, dict[str, Any]]) -> None:
    """The page of a course's tournament is there, and every record that a page or a point names can be read."""
    _, _, out, students = chain
    for contest in ("all", "ladder"):
        folder = out / "tournaments" / contest
        page = (folder / "index.html").read_text(encoding="utf-8")
        playing = [id_ for id_, student in students.items() if student["versions"]]
        assert all(f">{id_}<" in page for id_ in playing)
        links = [unquote(link) for link in re.findall(r'href="([^"#]+)"', page)]
        records = [link for link in links if link.startswith("records/")]
        assert all((folder / link).exists() for link in links)
        assert len(records) == len({*records}) == json.loads((folder / "results.json").read_text())["games"]
        assert {name for one in records for name in ludus.Record.load(folder / one).players} == {*playing}
    index = (out / "index.html").read_text(encoding="utf-8")
    assert 'href="tournaments/all/index.html"' in index and 'href="course.pdf"' in index
    for student in students.values():
        place = out / "students" / folder_of(student["id"])
        own = [unquote(link) for link in re.findall(r'href="([^"]+)"', (place / "index.html").read_text())]
        behind = {name for rule in student["rules"] for name in rule["games"]}
        assert {f"../../{name}" for name in behind} == {link for link in own if link.startswith("../../games/")}
        assert all((place / link).exists() for link in own)


def test_the_course_is_on_paper(chain: tuple[Path, Path, Path, dict[str, Any]]) -> None:
    _, _, out, students = chain
    said = words_of(out / "course.pdf")
    for id_, student in students.items():
        assert f"{id_}{student['name']}".replace(" ", "") in said
        own = cells_of(out / "students" / folder_of(id_) / "report.pdf")
        assert f"{student['total']:g}of110" in own
        for rule in student["rules"]:
            assert f"{rule['points']:g}of{rule['most']:g}" in own
            assert re.sub(r"\s", "", rule["reason"])[:60] in own
    best = out / "students" / "106062130" / "report.pdf"
    own = cells_of(best)
    for opponent in ("randomMove", "noLook", "heithoff", "rlawrenc"):
        verdict = "Pass" if rules(students["106062130"])[opponent] else "Fail"
        assert re.search(rf"{opponent}(:seed=1)?\d+%?[\d.%–]+[✓✗]?{verdict}", own), opponent
    assert f"{students['106062130']['ranks']['all']}of9" in own
    assert all(words in own for words in ("Whereitloses", "Positionstolearnfrom", "Timeuse"))
    links = links_of(best)
    assert {name for rule in students["106062130"]["rules"] for name in rule["games"]} <= {
        link.removeprefix("../../") for link in links
    }
    assert "zip archive cannot be read".replace(" ", "") in said
    assert 1 <= pages_of(best) <= 8


def test_only_papers_whose_grade_changed_are_printed_again(
    chain: tuple[Path, Path, Path, dict[str, Any]], tmp_path: Path
) -> None:
    course, submissions, out, _ = chain
    shutil.copytree(out, tmp_path / "out")
    out = tmp_path / "out"
    papers = sorted(out.glob("students/*/report.pdf"))
    before = {path: path.stat().st_mtime_ns for path in papers}
    late = tmp_path / "late.csv"
    late.write_text("id,days\n106000003,0.5\n106000001,1\n")
    graded(course, submissions, out, "--late", str(late))
    changed = [path.parent.name for path in papers if path.stat().st_mtime_ns != before[path]]
    assert changed == ["106000001"]
    assert "notacceptedafter0days" in words_of(out / "students" / "106000001" / "report.pdf")
    graded(course, submissions, out, "--no-pdf")
    assert not (out / "students" / "106000001" / "report.pdf").exists(), "it said what is no longer so"
    assert (out / "students" / "106000002" / "report.pdf").exists()


def test_a_fault_of_ours_stops_nobody_else(
    chain: tuple[Path, Path, Path, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    assert students["106000001"]["doubt"].startswith("2 games could not be played, and no program is to blame")
    assert hit["noLook"]["open"] and "a fault of Ludus: TypeError: a bug" in hit["noLook"]["reason"]
    assert students["106062130"]["doubt"] == "" and not students["106062130"]["rules"][2]["open"]
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8-sig", newline="") as stream:
        assert "TypeError: a bug" in {line["id"]: line["trouble"] for line in csv.DictReader(stream)}["106000001"]
    notes = json.loads((tmp_path / "out" / "grades.json").read_text())["notes"]
    assert [note.partition(":")[0] for note in notes] == ["106000001"]
    monkeypatch.setattr(tasks, "perform", real)
    again = graded(course, submissions, tmp_path / "out", "--no-pdf")["106000001"]
    assert (again["doubt"], len(again["rules"][2]["games"])) == ("", 2), "what was missing is played"


def test_a_build_or_an_exam_that_breaks_us_stops_nobody_else(
    chain: tuple[Path, Path, Path, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course, _, _, _ = chain
    submissions = hand_in(tmp_path / "s", {name: cohorts.chain_class() for name in ("106000001.cpp", "106000002.cpp")})
    (submissions / "106000003.cpp").write_text(cohorts.chain_class("turn += 0;"))
    real_build, real_hold = bots_build, exam.hold

    def build(bot: Bot) -> Any:
        if bot.name == "106000001":
            raise RecursionError("too deep")
        return real_build(bot)

    def hold(course: Any, program: str, *more: Any, **named: Any) -> Any:
        if "106000002" in program:
            raise KeyError("lost")
        return real_hold(course, program, *more, **named)

    monkeypatch.setattr(intake, "build", build)
    monkeypatch.setattr(grading, "hold", hold)
    students = graded(course, submissions, tmp_path / "out", "--no-pdf")
    assert students["106000001"]["trouble"] == "a fault of Ludus, not of the program: RecursionError: too deep"
    assert "KeyError" in students["106000002"]["trouble"]
    assert all(rule["open"] for rule in students["106000001"]["rules"] if rule["rule"] in ("plays", "noLook", "bonus"))
    assert rules(students["106000003"])["plays"] == 15


def test_nothing_is_played_twice_and_a_change_touches_one(
    chain: tuple[Path, Path, Path, dict[str, Any]], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    course, submissions, out, students = chain
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


def test_grades_are_the_same_in_another_place(chain: tuple[Path, Path, Path, dict[str, Any]], tmp_path: Path) -> None:
    course, _, _, students = chain
    few = {name: cohorts.CHAIN[name] for name in ("106062130_邱詠智.zip", "106000001.cpp")}
    once = graded(course, hand_in(tmp_path / "a", few), tmp_path / "one", "--no-pdf")
    twice = graded(course, tmp_path / "a", tmp_path / "two", "--no-pdf")
    assert once == twice
    for rule in ("plays", "randomMove", "noLook", "heithoff", "rlawrenc"):
        assert rules(once["106000001"])[rule] == rules(students["106000001"])[rule]


def test_points_by_hand_and_one_student_again(
    chain: tuple[Path, Path, Path, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    course, submissions, out, students = chain
    command = ["course", "grade", str(course), str(submissions), "--out", str(out), "--jobs", "1", "--no-pdf"]
    assert main([*command, "--override", "106000008", "plays", "15"]) == 2
    assert "only with a reason" in capsys.readouterr().err
    assert main([*command, "--override", "1", "plays", "15", "--reason", "x"]) == 2
    assert "there is no student '1'" in capsys.readouterr().err
    for rule, points, bounds in (
        *(("plays", wrong, "from 0 to 15") for wrong in ("15.01", "-1", "nan", "inf", "-inf")),
        ("late", "1", "from -110 to 0"),
        ("late", "-111", "from -110 to 0"),
    ):
        assert main([*command, "--override", "106000008", rule, points, "--reason", "x"]) == 2
        said = capsys.readouterr().err
        assert f"points for {rule}: the rule gives {bounds}" in said and said.count("\n") == 1
    withdrawing = ("--withdraw-override", "106000008", "plays", "--reason", "it was another program")
    assert main([*command, *withdrawing]) == 2
    assert "the points of 106000008 for plays are not set by hand" in capsys.readouterr().err
    by_hand = graded(
        course, submissions, out, "--no-pdf", "--override", "106000008", "plays", "15", "--reason", "ran in the lab"
    )
    assert by_hand["106000008"]["total"] == 15
    kept = graded(course, submissions, out, "--no-pdf")["106000008"]["rules"][0]["reason"]
    assert kept.startswith("set by hand to 15: ran in the lab (the rule gave 0: build-failed")
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


def test_of_several_submissions_with_one_id_the_newest_counts_and_the_instructor_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "course.toml").write_text(
        "game = 'cantris'\nclock = 'none'\n[submission]\nids = ['(?P<id>[a-z]+)_.*']\n[report]\npdf = false\n"
        "[rubric.runs]\nkind = 'builds-and-finishes'\npoints = 30\nopponent = 'random:seed=1'\n"
        "[options]\nrows = 6\ncols = 3\n"
    )
    works = "def choose(state, clock):\n    return state.legal_moves[0]\n"
    submissions = tmp_path / "in"
    submissions.mkdir()
    (submissions / "ann_final.py").write_text("def choose(state, clock):\n    return 'no move'\n")
    (submissions / "ann_1").mkdir()
    (submissions / "ann_1" / "bot.py").write_text(works)
    (submissions / "ann_0.py").write_text(works)
    (submissions / "bob_1.py").write_text(works)
    os.utime(submissions / "ann_final.py", (1000, 1000))
    os.utime(submissions / "ann_0.py", (2000, 2000))
    os.utime(submissions / "ann_1" / "bot.py", (3000, 3000))
    os.utime(submissions / "ann_1", (10, 10))
    students = graded(tmp_path / "course.toml", submissions, tmp_path / "out")
    assert (students["ann"]["total"], students["ann"]["handed_in"]) == (30, "ann_1")
    assert students["ann"]["set_aside"] == ["ann_0.py", "ann_final.py"]
    said = "ann_1 counts, the newest of 3 with the same id; set aside: ann_0.py, ann_final.py"
    assert students["ann"]["findings"] == [said]
    assert students["bob"]["set_aside"] == students["bob"]["findings"] == []
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8-sig") as file:
        aside = {row["id"]: (row["handed in"], row["set aside"]) for row in csv.DictReader(file)}
    assert aside == {"ann": ("ann_1", "ann_0.py; ann_final.py"), "bob": ("bob_1.py", "")}
    note = "ann: ann_1 counts, the newest with this id; set aside: ann_0.py, ann_final.py"
    printed = capsys.readouterr().out
    assert note in " ".join(printed.split())
    assert note in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "not ann_0.py," in printed, "in the table too"


def test_the_commands_in_a_grade_can_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a student's page they name what was handed in; in a dry run the path that was given."""
    (tmp_path / "course.toml").write_text(
        "game = 'cantris'\nclock = 'none'\n[submission]\nids = ['(?P<id>\\w+) .*']\nprotocols = ['lines']\n"
        "programs = ['{id}_1', '{id}_2']\n[report]\npdf = false\n[boards]\na = { rows = 6, cols = 3 }\nb = {}\n"
        "[rubric.runs]\nkind = 'builds-and-finishes'\npoints = 30\nopponent = 'random:seed=1'\ngames = 2\n"
    )
    fails = "import sys\nsys.exit('I give up, for bestmove of ugi')\n"
    files: dict[str, str | bytes | dict[str, str]] = {
        "ann final (1).py": fails,
        "bob folder": {"bot.py": fails, "notes.txt": "none"},
        "cyd both": {"cyd_1.py": "import sys\nsys.exit('I give up')\n", "cyd_2.py": "exit('I give up')\n"},
    }
    submissions = hand_in(tmp_path / "in", files)
    students = graded(tmp_path / "course.toml", submissions, tmp_path / "out")
    for student in students.values():
        for finding in student["check"]["findings"][::5]:
            done = typed(finding["command"], submissions)
            assert done.returncode in (0, 1), (finding["command"], done.stderr)
            assert "I give up" in done.stdout
    monkeypatch.chdir(tmp_path)
    given = ["course", "try", "course.toml", "in/cyd both", "--json"]
    assert main(given) == 1
    findings = json.loads(capsys.readouterr().out.splitlines()[-1])["check"]["findings"]
    assert {"in/cyd both/cyd_1.py", "in/cyd both/cyd_2.py"} <= {
        word for one in findings for word in shlex.split(one["command"])
    }
    done = typed(findings[-1]["command"], tmp_path)
    assert done.returncode == 0 and "I give up" in done.stdout


def test_odd_submissions_are_a_line_each_and_stop_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "course.toml").write_text(
        "game = 'cantris'\nclock = 'none'\n[options]\nrows = 6\ncols = 3\n[report]\npdf = false\n"
        "[rubric.runs]\nkind = 'builds-and-finishes'\npoints = 30\nopponent = 'random:seed=1'\ngames = 1\n"
    )
    works = "def choose(state, clock):\n    return state.legal_moves[0]\n"
    submissions = hand_in(
        tmp_path / "in", {"empty.py": b"", "bytes.py": b"\xff\xfe\x00caf\xe9", "王 小明 (1).py": works}
    )
    (submissions / "nothing").mkdir()
    (submissions / "link.py").symlink_to("nowhere")
    with (submissions / "huge.py").open("wb") as file:
        file.truncate(65 << 20)
    students = graded(tmp_path / "course.toml", submissions, tmp_path / "out")
    troubles = {
        "empty": "there is no program in it: what was handed in is empty",
        "bytes": "build-failed: ",
        "nothing": "there is no file in it",
        "link": "there is no such file or folder",
        "huge": "more than 64 MB; hand in the sources only",
    }
    assert students.keys() == {*troubles, "王 小明 (1)"}
    for id_, trouble in troubles.items():
        assert students[id_]["trouble"].startswith(trouble), id_
        assert students[id_]["doubt"] == ""
    assert students["王 小明 (1)"]["total"] == 30
    capsys.readouterr()
    (tmp_path / "file").touch()
    assert main(["course", "grade", str(tmp_path), str(tmp_path / "file"), "--out", str(tmp_path / "o")]) == 2
    assert capsys.readouterr().err.endswith("file: this is a file; name the folder that holds the submissions\n")
    assert not (tmp_path / "o").exists()


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
        kept = 0
        for _ in range(1200):
            if ledger.exists() and (kept := len(games_in(ledger))):
                break
            time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=120)
    assert kept > 0
    assert child.returncode == 130
    assert "Stopped; the same command goes on from here." in said
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
    assert "ann: points set by hand do not count: 9 points for report: the rule gives from 0 to 5" in notes


def test_magnetic_cave_is_graded_as_its_rubric_says(tmp_path: Path) -> None:
    changes = [(r"^games = (20|6)", "games = 2"), (r"^needs = 6", "needs = 2")]
    changes += [(r"3/move", "cpu:0.8/move"), (r"^pairs = 2", "pairs = 1")]
    course = small(tmp_path / "course", "concordia-magnetic-cave", *changes)
    (tmp_path / "course" / "entered.csv").write_text(
        "id,rule,points\n40000001_40000009,interface,10\n40000001_40000009,report,12\n"
    )
    (tmp_path / "course" / "late.csv").write_text("id,days,rule\n40000001_40000009,2,late-1\n40000002,1,late-3\n")
    out = tmp_path / "out"
    students = graded(course, hand_in(tmp_path / "submissions", cohorts.CAVE_COHORT), out, "--no-pdf")
    playing = [student for student in students.values() if student["versions"]]
    assert (len(students), len(playing)) == (7, 6)
    for student in playing:
        points, id_ = rules(student), student["id"]
        clean = all(reason == "rules" or won == 1 for won, reason in played(out, student, "automatic"))
        assert points["automatic"] == 20 * clean
        assert points["minimax"] == 20 * (sum(won for won, _ in played(out, student, "minimax")) > 0.75 * 2)
        assert points["heuristic"] == 35 * beaten(out, student, "heuristic")
        assert points["tournament"] == pytest.approx((6 - student["ranks"]["lab"]) / 5, abs=1e-5)
        if id_ == "40000001_40000009":
            assert points["late-1"] == pytest.approx(-0.4 * (points["automatic"] + points["minimax"]))
            assert points["report"] == 12
        if id_ == "40000002":
            assert points["late-3"] == pytest.approx(-(points["heuristic"] + points["tournament"]))
        assert student["total"] == pytest.approx(max(0, sum(points.values())), abs=1e-4)
    assert students["40000001_40000009"]["ranks"]["lab"] == 1
    assert (students["40000001_40000009"]["rules"][0]["points"], students["40000002"]["name"]) == (20, "陳小明")
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
    assert students["eve"]["trouble"] == "it is written in javascript; the course takes python, cpp, java"
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
    assert students["309515009"]["trouble"] == "it is written in java; the course takes cpp, python"
    pairs = json.loads((out / "grades.json").read_text())["alike"]
    assert ("309515002", "309515003", "cpp") in {(one["first"], one["second"], one["language"]) for one in pairs}


def zipped(folder: Path, file: Path) -> Path:
    """Pack a folder as people do: with the folder around its files."""
    with zipfile.ZipFile(file, "w") as archive:
        for path in sorted(folder.iterdir()):
            archive.write(path, f"{folder.name}/{path.name}")
    return file


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", presets())
def test_every_starter_earns_points_in_every_course(
    preset: str, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Take in a starter as it was written, as a folder, a zip and where it is one file as that, and play a game."""
    found = find_course(preset)
    rule = found.rules[0]
    fewer = {"games": 1, "needs": 1, "count": 3}
    settings = {name: fewer.get(name, value) for name, value in rule.settings.items()}
    course = replace(found, rules=(rule._replace(settings=settings, group=None),), contests={}, clock="60/move")
    folder = tmp_path / "starter"
    assert main(["new-bot", course.game, str(folder), "--language", language]) == 0
    handed = [folder, zipped(folder, tmp_path / "packed.zip")]
    sources = [path for path in folder.iterdir() if path.name != "bot.toml"]
    if len(sources) == 1:
        handed.append(sources[0])
    first_trial = partial(lambda trials, games: islice(trials(games), 1), check.trials)
    monkeypatch.setattr(check, "trials", first_trial)
    pool = pools.local(1)
    try:
        grades = grading.grade(course, handed, tmp_path / "out", pool)
    finally:
        pool.close()
    for one in grades.graded:
        assert one.student.trouble == ""
        assert one.total == rule.points
        assert grades.evidence.exams[one.student.id].passed
    assert len(grades.graded) == len(handed)


@pytest.mark.parametrize(
    ("config", "names", "language"),
    [
        ('run = "./bot"\nbuild = "g++ -o bot bot.cpp"', ["bot.cpp", "rules.h"], "cpp"),
        ('run = "./bot"\nbuild = "make"', ["bot.c", "rules.h", "Makefile"], "c"),
        ('run = "./bot"\nbuild = "make"', ["bot.cc", "train.py"], None),
        ('run = "./bot"\nbuild = "make"\nlanguage = "cpp"', ["bot.cc", "train.py"], "cpp"),
        ('run = "./bot"\nbuild = "g++ bot.cc -o bot"', ["bot.cc", "train.py"], "cpp"),
        ('run = "java -cp . Bot"\nbuild = "make"', ["Bot.java", "train.py"], "java"),
        ('run = "python3 -m bot"', ["bot.py", "fast.c"], "python"),
        ('run = "/usr/bin/node bot"', ["bot/index.js"], "javascript"),
        ('run = "./bot"', ["bot"], None),
    ],
)
def test_the_language_of_a_program_with_commands_of_its_own(
    config: str, names: list[str], language: str | None
) -> None:
    files = {name: File(b"") for name in names} | {"bot.toml": File(config.encode())}
    assert bot_of(files, Path("mine")).language == language


# --- the rest ---------------------------------------------------------------------------------------------------------


def test_every_preset_reads_and_its_points_add_up() -> None:
    assert presets() == ("concordia-magnetic-cave", "nthu-chain-reaction", "nycu-cantris", "usc-fruit-rage")
    assert [find_course(name).most for name in presets()] == [101, 110, 100, 100]
    assert {rule.kind for name in presets() for rule in find_course(name).rules} == set(KINDS)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("^game = .*", 'game = "chess"'), "there is no game 'chess'"),
        (("^clock = .*", 'clock = "soon"'), "clock: 'soon' is no clock"),
        (("^seed = .*", "sead = 1"), "there is no key 'sead'; the keys are name, title"),
        (("^points = 15", 'points = "many"'), "rubric.plays: points must be a number, not 'many'"),
        (("^needs = 1", "need = 1"), "rubric.plays: there is no key 'need'"),
        (('^kind = "win-rate"', 'kind = "win"'), "rubric.bonus: there is no kind 'win'; the kinds are"),
        (('^tournament = "all"', 'tournament = "some"'), "rubric.bonus: there is no [tournaments.some]"),
        (('^opponent = "heithoff"', 'opponent = "engine"'), "rubric.heithoff: opponent engine plays by time"),
        (('^opponent = "heithoff"', 'opponent = "random"'), "opponent random plays by chance; give it a seed"),
        (('^opponent = "heithoff"', 'opponent = "nobody"'), "there is no player 'nobody'"),
        (('^format = "ladder"', 'format = "pyramid"'), "tournaments.ladder: there is no format 'pyramid'"),
        (("^ids = .*", "ids = ['\\\\d+']"), "does not say which part is the student's id"),
        (("^take = .*", 'take = "all"'), "groups.stage: take: it must be one of sum, highest"),
        (("^memory_mb = .*", "memory_mb = 0"), "[limits]: memory_mb: it must be at least 1"),
        (("^protocols = .*", 'protocols = ["smoke"]'), "there is no protocol 'smoke'"),
        (('^group = "stage"', 'group = "steps"'), "there is no [groups.steps]"),
    ],
)
def test_a_wrong_course_is_one_sentence(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    course = small(tmp_path, "nthu-chain-reaction", change)
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        read_course(course)
    assert says in str(caught.value)
    assert str(course) in str(caught.value)


def test_the_fifth_course_of_the_documentation_reads(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "courses.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "course.toml").write_text(example, encoding="utf-8")
    made = find_course(str(tmp_path))
    assert (made.most, made.pdf, [rule.kind for rule in made.rules]) == (100, True, ["beats", "entered"])


def test_a_course_folder_and_a_dry_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "spring"
    assert main(["course", "init", "nthu-chain-reaction", str(folder)]) == 0
    assert {path.name for path in folder.iterdir()} == {
        "course.toml",
        "README.md",
        "late.csv",
        "entered.csv",
        "submissions",
    }
    assert main(["course", "init", "nthu-chain-reaction", str(folder)]) == 2
    assert "is there already" in capsys.readouterr().err
    small(
        folder,
        "nthu-chain-reaction",
        (r"^games = 20", "games = 2"),
        (r"10/move", "cpu:2/move"),
        (r'language = "en"', 'language = "zh"'),
    )
    bot = tmp_path / "106000001.cpp"
    bot.write_text(cohorts.chain_class())
    assert main(["course", "try", str(folder), str(bot), "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert "still open: bonus competition, 25% x W, report" in said
    assert "ludus replay " in said
    bot.write_text(cohorts.chain_class("abort();"))
    paper = tmp_path / "paper.pdf"
    assert main(["course", "try", str(folder), str(bot), "--jobs", "1", "--pdf", str(paper)]) == 1
    assert "reproduce  ludus play" in capsys.readouterr().out
    read = re.sub(r"[\s\u200b]", "", words_of(paper))
    assert "能編譯並下完一局" in read
    assert "還沒回答就被SIGABRT終止" in read
    assert "beforeitanswered" not in read
    assert main(["course", "try", str(folder), str(bot), "--pdf", str(tmp_path / "none" / "a.pdf")]) == 2
    assert "there is no such folder; make it first" in capsys.readouterr().err
    assert main(["course", "list"]) == 0
    assert "nycu-cantris" in capsys.readouterr().out
    assert main(["course", "grade", "nthu", str(tmp_path), "--out", str(tmp_path / "o")]) == 2
    assert "there is no course 'nthu'; the presets are" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["grade", "nthu-chain-reaction", "."], "ludus course grade needs --out DIR"),
        (["grade", "nthu-chain-reaction", "none", "--out", "o"], "none: there is no such folder of submissions"),
        (["grade", "nthu-chain-reaction", ".", "--out", "o"], "there is no submission in it; put a zip, a folder"),
        (["grade", "nthu-chain-reaction", ".", "--out", "o", "--override", "a", "b", "c"], "'c' is not a valid float"),
        (["try", "nthu-chain-reaction", "none.cpp"], "'none.cpp' does not exist"),
        (["init", "none", "d"], "there is no course 'none'; the presets are concordia"),
    ],
)
def test_a_wrong_command_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["course", *words]) == 2
    said = capsys.readouterr().err
    assert says in said and said.count("\n") == 1


def test_a_verb_alone_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["course"]) == 2
    said = capsys.readouterr().err
    assert "Usage: ludus course" in said and said.count("\n") > 10


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("late", "id;days\n", "line 1: the column id is missing"),
        ("late", "id,days\n1,soon\n", "line 2: days must be a number, not 'soon'"),
        ("entered", "id,rule,points\n1,reprot,3\n", "has no rule 'reprot'"),
        ("entered", "id,rule,points\n1,report,11\n", "points are entered from 0 to 10"),
        ("entered", "id,rule,points\n1,bonus,1\n", "only for rules of the kind entered"),
    ],
)
def test_a_wrong_table_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, says: str
) -> None:
    (tmp_path / "t.csv").write_text(text)
    (tmp_path / "106000001.py").write_text("print(1)")
    command = ["course", "grade", "nthu-chain-reaction", str(tmp_path), "--out", str(tmp_path / "o")]
    assert main([*command, f"--{name}", str(tmp_path / "t.csv")]) == 2
    assert says in capsys.readouterr().err


def test_what_is_alike_is_found_however_it_is_dressed() -> None:
    own = cohorts.CAVE_GOOD
    dressed = "# mine\n" + re.sub(r"\bworth\b", "wert", own).replace("total", "summe").replace("10", "11")
    files = {"a": own, "b": dressed, "c": cohorts.FRUIT_PYTHON, "d": cohorts.CHAIN_PYTHON}
    found = alike({id_: {"bot.py": File(text.encode())} for id_, text in files.items()})
    assert [(pair.first, pair.second) for pair in found] == [("a", "b")]
    assert found[0].share > 0.9
    assert alike({"a": {"a.py": File(own.encode())}, "b": {"b.java": File(own.encode())}}) == []
    given_out = {f"s{n}": {"b.py": File((own + f"\nx{n} = {n}\n" * n).encode())} for n in range(8)}
    assert alike(given_out) == []  # what all have is the course's own


def test_equal_points_go_to_who_has_more_time_left() -> None:
    even = GameResult("R1.1", 0, 0, "a", "b", None, "rules", left=(3.0, 5.0))
    assert counted_winner(even, "draw") is None
    assert counted_winner(even, "time") == 1
    assert counted_winner(replace(even, winner=0), "time") == 0
