"""A whole class is graded: the grades are what the rubric says, counted again here from the records that every point
links to, and tables, pages and PDF files say the same."""

from __future__ import annotations

import csv
import html
import json
import re
from decimal import Decimal
from urllib.parse import unquote

import pytest
from cohorts import GradedClass, beaten, played, rules
from english import english_in
from pdf_text import bad_pages, cells_of, links_of, page_lines, pages_of, words_of

import ludus
from ludus import check
from ludus.courses import find_course
from ludus.courses.output import course_page, student_page
from ludus.courses.submissions import Submission
from ludus.courses.view import CourseView


def test_chain_reaction_is_graded_as_its_rubric_says(chain: GradedClass) -> None:
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


def test_each_kind_of_trouble_is_a_finding_of_its_own(chain: GradedClass) -> None:
    _, _, _, students = chain
    assert students["106000008"]["trouble"].startswith("compile error: ")
    assert "zip archive cannot be read" in students["106000009"]["trouble"]
    assert students["106000099"]["trouble"] == "nothing was submitted"
    assert students["106000099"]["total"] == 1
    assert students["106000099"]["rules"][-1]["reason"] == "nothing was submitted", (
        "who hands in nothing is not on time"
    )
    assert "is not as the course requires" in students["homework final (2)"]["findings"][0]
    for id_, kind in (
        ("106000004", "timeout"),
        ("106000005", "crash"),
        ("106000006", "illegal-move"),
        ("106000007", "crash"),
    ):
        assert rules(students[id_])["plays"] == 0 or id_ == "106000004", id_
        assert not students[id_]["check"]["passed"]
        assert any(kind.replace("-", " ") in rule["reason"] for rule in students[id_]["rules"]), id_
    assert "not accepted" in students["106000003"]["rules"][-1]["reason"]


def test_seed_004_has_its_verdicts_and_a_rank(chain: GradedClass) -> None:
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


def test_what_is_written_can_be_read(chain: GradedClass) -> None:
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


def test_the_pages_in_chinese_have_no_english(chain: GradedClass) -> None:
    """But for names, and what compilers and bots write."""
    _, _, out, _ = chain
    grades = json.loads((out / "grades.json").read_text(encoding="utf-8"))
    for rule in (rule for student in grades["students"] for rule in student["rules"]):
        rule["games"] = [{"file": file, "opponent": "heithoff", "kind": "timeout"} for file in rule["games"]]
    view = CourseView.model_validate(grades)
    playing = [student for student in view.students if student.check]  # the others' reasons are a compiler's words
    view = view.model_copy(update={"language": "zh", "pdf": True, "students": playing})
    foreign = [view.title, *(name for student in playing for name in (student.id, student.handed_in))]
    foreign += ["stage", "randomMove", "noLook", "heithoff", "rlawrenc", "ladder", "all", "cpp"]
    assert len(playing) > 3
    for page in (course_page(view), *(student_page(view, student) for student in playing)):
        shown = re.sub(r"(?s)<(style|pre|code).*?</\1>|<[^>]+>", " ", page)
        assert english_in(html.unescape(shown), *sorted(filter(None, foreign), key=len, reverse=True), least=2) == []


def test_a_check_has_one_verdict_wherever_it_is_told(chain: GradedClass) -> None:
    _, _, out, students = chain
    seen = set()
    for student in students.values():
        if student["check"] is None:
            continue
        problems = sum(found["verdict"] == check.REJECT for found in student["check"]["findings"])
        assert (student["check"]["problems"], student["check"]["passed"]) == (problems, not problems)
        assert student["failures"] or not problems, "what costs nothing is no problem"
        if student["check"]["findings"]:
            said = str(check.Verdict(problems, 0).message).rstrip(".")
            folder = out / "students" / Submission(student["id"]).folder
            assert f"<h2>Check: {said}</h2>" in (folder / "index.html").read_text(encoding="utf-8")
            assert f"Check:{said}".replace(" ", "") in words_of(folder / "report.pdf")
            seen.add(said)
    assert any("to fix" in said for said in seen)


def test_every_line_adds_up_and_failures_are_seen(chain: GradedClass) -> None:
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
        results = json.loads((out / "students" / Submission(id_).folder / "results.json").read_text())
        assert sum(Decimal(f"{one.get('score', 0):g}") for one in results["tests"]) == Decimal(f"{results['score']:g}")
        page = (out / "students" / Submission(id_).folder / "index.html").read_text(encoding="utf-8")
        cells = re.findall(r"<td class=number>(-?[\d.]+)(?: of -?[\d.]+)?</td><td>", page)[
            : len(names) + len(said["limits"])
        ]
        assert sum(map(Decimal, cells)) == Decimal(line["total"])
        assert not re.search(r"(?<![\d.])-0(?![\d.])", page)
    assert students["106062130"]["limits"][0]["title"] == "limit of group stage"
    fails = students["106000003"]
    games, (kind, count) = fails["games"], next(iter(fails["failures"].items()))
    assert games - 2 <= count > 0, "it answers every board with a move that is none; another one fails even sooner"
    failed = f"{kind} {count}".replace("-", " ")
    sentence = f"none of its {games} games ended by the rules; the program failed in {count}: {failed}"
    assert fails["failed"] == lines["106000003"]["trouble"] == sentence
    assert (lines["106000003"]["failed games"], lines["106000003"]["games"]) == (str(count), str(games))
    assert sentence in (out / "index.html").read_text(encoding="utf-8")
    assert sentence.replace(" ", "") in words_of(out / "course.pdf")
    paper = words_of(out / "students" / "106000003" / "report.pdf")
    assert f"N{sentence[1:]}.".replace(" ", "") in paper, "there it is a sentence of its own"
    assert students["106062130"]["failed"] == ""


def test_every_point_leads_to_its_games(chain: GradedClass) -> None:
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
        place = out / "students" / Submission(student["id"]).folder
        own = [unquote(link) for link in re.findall(r'href="([^"#]+)"', (place / "index.html").read_text())]
        behind = {name for rule in student["rules"] for name in rule["games"]}
        assert {f"../../{name}" for name in behind} == {link for link in own if link.startswith("../../games/")}
        assert all((place / link).exists() for link in own)


def test_the_pdf_files_say_the_same(chain: GradedClass) -> None:
    _, _, out, students = chain
    said = words_of(out / "course.pdf")
    for id_, student in students.items():
        assert f"{id_}{student['name']}".replace(" ", "") in said
        own = cells_of(out / "students" / Submission(id_).folder / "report.pdf")
        assert f"{student['total']:g}of110" in own
        for rule in student["rules"]:
            assert f"{rule['points']:g}" + (f"of{rule['most']:g}" if rule["most"] else "") in own
            assert re.sub(r"\s", "", rule["reason"])[:60] in own
    best = out / "students" / "106062130" / "report.pdf"
    own = cells_of(best)
    for opponent in ("randomMove", "noLook", "heithoff", "rlawrenc"):
        verdict = "Pass" if rules(students["106062130"])[opponent] else "Fail"
        assert re.search(rf"{opponent}(,seed1)?\d+%?[\d.%–]+[✓✗]?{verdict}", own), opponent
    assert f"{students['106062130']['ranks']['all']}of9" in own
    assert all(words in own for words in ("Whereitloses", "Positionstolearnfrom", "Timeuse"))
    links = links_of(best)
    assert {name for rule in students["106062130"]["rules"] for name in rule["games"]} <= {
        link.removeprefix("../../") for link in links
    }
    assert "zip archive cannot be read".replace(" ", "") in said
    assert 1 <= pages_of(best) <= 8


def test_pages_are_full_and_positions_are_whole(chain: GradedClass) -> None:
    papers = [chain.out / "course.pdf", *sorted(chain.out.glob("students/*/report.pdf"))]
    assert len(papers) == 1 + len(chain.students)
    for pdf in papers:
        assert bad_pages(pdf, "en") == [], pdf.parent.name
        for line in (line for page in page_lines(pdf) for line in page if re.search(r"[.rb0-9]+/[.rb0-9]+/", line)):
            assert re.search(r"(?:[.rb0-9]+/){4}[.rb0-9]+ [12] \d+", line), line


def test_a_class_reads_of_colours_as_its_program_knows_them(chain: GradedClass) -> None:
    """The course's program calls the first side Blue, which is Red on our boards."""
    note = "the side that moves first is Blue in the program and Red on our boards"
    for id_, told in (("106062130", True), ("106000002", False)):  # a class, and a program that reads lines
        folder = chain.out / "students" / id_
        assert any(note in finding for finding in chain.students[id_]["findings"]) == told
        assert (note in (folder / "index.html").read_text(encoding="utf-8")) == told
        said = words_of(folder / "report.pdf")
        assert (f"T{note[1:]}".replace(" ", "") in said) == told
        assert ("Red(Blueintheprogram)" in said or "Blue(Redintheprogram)" in said) == told
