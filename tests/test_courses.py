"""Courses end to end: small classes are graded in the sandbox, and the grades are what each rubric says, counted again
here from the records that every point links to; nothing is played twice, and nobody's trouble stops the others.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cohorts
import pytest
from bots import CAVE, LOOP
from cohorts import hand_in, zipped
from test_bots import C_BOT, JAVA_BOT, JAVASCRIPT_BOT

import ludus
from ludus.bots.source import File
from ludus.cli import main
from ludus.courses import find_course, presets, read_course
from ludus.courses.rubric import KINDS
from ludus.courses.similarity import alike
from ludus.store import Ledger

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestAssertRewriteWarning")


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDUS_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def small(folder: Path, preset: str, *changes: tuple[str, str]) -> Path:
    """Write a preset with its numbers made small, and its clock in CPU time, which a busy machine does not shorten."""
    text = find_course(preset).path.read_text(encoding="utf-8")
    for pattern, new in changes:
        text, count = re.subn(pattern, new, text, flags=re.MULTILINE)
        assert count, pattern
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "course.toml").write_text(text, encoding="utf-8")
    return folder / "course.toml"


def graded(course: Path, submissions: Path, out: Path, *more: str) -> dict[str, Any]:
    """Grade by the command, and give the students by id."""
    status = main(["course", "grade", str(course), str(submissions), "--out", str(out), "--jobs", "1", *more])
    assert status == 0
    students: list[Any] = json.loads((out / "grades.json").read_text(encoding="utf-8"))["students"]
    return {student["id"]: student for student in students}


def rules(student: dict[str, Any]) -> dict[str, float]:
    return {rule["rule"]: rule["points"] for rule in student["rules"]}


def played(out: Path, student: dict[str, Any], rule: str) -> list[tuple[float, str]]:
    """Count a rule's games again from the records: (points, reason) of each."""
    (found,) = [one for one in student["rules"] if one["rule"] == rule]
    games = []
    for name in found["games"]:
        record = ludus.Record.load(out / name)
        assert record.outcome is not None
        points = 0.5 if record.outcome.winner is None else float(record.players[record.outcome.winner] == student["id"])
        games.append((points, record.outcome.reason))
    return games


def beaten(out: Path, student: dict[str, Any], rule: str) -> bool:
    games = played(out, student, rule)
    return sum(points for points, _ in games) > len(games) / 2


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
        assert points["bonus"] == pytest.approx(25 * rate)
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


def test_nothing_is_played_twice_and_a_change_touches_one(
    chain: tuple[Path, Path, Path, dict[str, Any]], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    course, submissions, out, students = chain
    assert graded(course, submissions, out) == students
    assert " 0 of them played now" in capsys.readouterr().out
    changed = hand_in(tmp_path / "changed", {**cohorts.CHAIN, "106000001.cpp": cohorts.chain_class("turn += 1;")})
    again = graded(course, changed, out)
    games, now = map(int, re.findall(r"(\d+) games, (\d+) of them played now", capsys.readouterr().out)[0])
    others = sum(bool(student["versions"]) for student in students.values()) - 1
    assert now == 2 + 4 * 2 + 2 * others  # its own matches, and its pairings; the ladder is among them
    assert games > 3 * now
    assert again["106000001"]["versions"] != students["106000001"]["versions"]
    assert again["106062130"]["total"] == students["106062130"]["total"]


def test_grades_are_the_same_in_another_place(chain: tuple[Path, Path, Path, dict[str, Any]], tmp_path: Path) -> None:
    course, _, _, students = chain
    few = {name: cohorts.CHAIN[name] for name in ("106062130_邱詠智.zip", "106000001.cpp")}
    once = graded(course, hand_in(tmp_path / "a", few), tmp_path / "one")
    twice = graded(course, tmp_path / "a", tmp_path / "two")
    assert once == twice
    for rule in ("plays", "randomMove", "noLook", "heithoff", "rlawrenc"):
        assert rules(once["106000001"])[rule] == rules(students["106000001"])[rule]


def test_points_by_hand_and_one_student_again(
    chain: tuple[Path, Path, Path, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    course, submissions, out, students = chain
    command = ["course", "grade", str(course), str(submissions), "--out", str(out), "--jobs", "1"]
    assert main([*command, "--override", "106000008", "plays", "15"]) == 2
    assert "only with a reason" in capsys.readouterr().err
    assert main([*command, "--override", "1", "plays", "15", "--reason", "x"]) == 2
    assert "there is no student '1'" in capsys.readouterr().err
    by_hand = graded(course, submissions, out, "--override", "106000008", "plays", "15", "--reason", "ran in the lab")
    assert by_hand["106000008"]["total"] == 15
    kept = graded(course, submissions, out)["106000008"]["rules"][0]["reason"]
    assert kept.startswith("set by hand to 15: ran in the lab (the rule gave 0: build-failed")
    capsys.readouterr()
    again = graded(course, submissions, out, "--only", "106000001", "--reason", "the machine was busy")
    assert int(re.findall(r"(\d+) of them played now", capsys.readouterr().out)[0]) > 0
    assert again["106000001"]["total"] == students["106000001"]["total"]
    ledger = Ledger(out / "ledger.db")
    assert {log.reason for log in ledger.log(1)} == {"ran in the lab", "the machine was busy"}
    ledger.close()


def test_magnetic_cave_is_graded_as_its_rubric_says(tmp_path: Path) -> None:
    changes = [(r"^games = 20", "games = 4"), (r"^games = 6", "games = 2"), (r"^needs = 6", "needs = 2")]
    changes += [(r"3/move", "cpu:3/move"), (r"^pairs = 2", "pairs = 1")]
    course = small(tmp_path / "course", "concordia-magnetic-cave", *changes)
    submissions = hand_in(
        tmp_path / "submissions",
        {
            "a1_40000001_40000009.py": cohorts.CAVE_GOOD,
            "a1_40000002.c": C_BOT,
            "a1_40000003.java": JAVA_BOT,
            "a1_40000004.js": JAVASCRIPT_BOT,
            "a1_40000005.py": CAVE + LOOP.replace("TROUBLE", "sys.exit(3)"),
        },
    )
    (tmp_path / "course" / "entered.csv").write_text(
        "id,rule,points\n40000001_40000009,interface,10\n40000001_40000009,report,12\n"
    )
    (tmp_path / "course" / "late.csv").write_text("id,days,rule\n40000001_40000009,2,late-1\n40000002,1,late-3\n")
    students = graded(course, submissions, tmp_path / "out")
    out = tmp_path / "out"
    assert len(students) == 5
    for id_, student in students.items():
        points = rules(student)
        clean = all(reason == "rules" for _, reason in played(out, student, "automatic"))
        assert points["automatic"] == 20 * clean
        games = played(out, student, "minimax")
        assert points["minimax"] == 20 * (sum(p for p, _ in games) > 3)
        assert points["heuristic"] == 35 * beaten(out, student, "heuristic")
        assert points["tournament"] == pytest.approx((5 - student["ranks"]["lab"]) / 4, abs=1e-5)
        if id_ == "40000001_40000009":
            assert points["late-1"] == pytest.approx(-0.4 * (points["automatic"] + points["minimax"]))
            assert points["report"] == 12
        if id_ == "40000002":
            assert points["late-3"] == pytest.approx(-(points["heuristic"] + points["tournament"]))
        assert student["total"] == pytest.approx(max(0, sum(points.values())), abs=1e-4)
    assert students["40000001_40000009"]["ranks"]["lab"] == 1
    assert students["40000005"]["total"] == 0


def test_fruit_rage_is_graded_as_its_rubric_says(tmp_path: Path) -> None:
    changes = [(r"^games = 11", "games = 3"), (r"^size = 10", "size = 4"), (r"^count = 25", "count = 5")]
    changes += [(r"^sizes = .*", "sizes = [1, 3, 5]"), (r"cpu:300", "cpu:20")]
    course = small(tmp_path / "course", "usc-fruit-rage", *changes)
    greedy = cohorts.FRUIT_PYTHON.replace("CHOICE", "max(cells, key=lambda cell: len(group(*cell)))")
    calibrated = greedy.replace("TROUBLE", "assert open('calibration.txt').read() == 'ok'")
    submissions = hand_in(
        tmp_path / "submissions",
        {
            "ann_安.zip": zipped(homework3__py=calibrated, calibrate__py="open('calibration.txt', 'w').write('ok')"),
            "bob": {"homework11.cpp": cohorts.FRUIT_CPP.replace("GRAVITY", cohorts.FALL)},
            "cid": {"homework.java": cohorts.FRUIT_JAVA},
            "dee": {
                "homework.cpp": cohorts.FRUIT_CPP.replace("GRAVITY", "").replace(
                    "int i = n * n - 1; i >= 0; i--", "int i = 0; i < n * n; i++"
                )
            },
            "eve": {"homework.js": "process.exit(0)"},
            "fay": {"homework.py": greedy.replace("TROUBLE", "if n == 4: r = 9")},
        },
    )
    students = graded(course, submissions, tmp_path / "out")
    out = tmp_path / "out"
    for id_ in ("ann", "bob", "cid"):
        points = rules(students[id_])
        assert points["positions"] == 25, students[id_]["rules"][0]
        for rule, most in (("random", 25), ("minimax", 50)):
            games = played(out, students[id_], rule)
            assert len(games) == 3
            assert points[rule] == most * (sum(p == 1 for p, _ in games) > 1.5)
        assert students[id_]["total"] == sum(points.values())
    assert (students["ann"]["name"], rules(students["ann"])["random"]) == ("安", 25)
    wrong = students["dee"]["rules"][0]
    assert 0 < wrong["points"] < 25  # a board of one fruit has nothing that could fall
    assert "should be" in wrong["reason"]
    assert students["eve"]["trouble"] == "it is written in javascript; the course takes python, cpp, java"
    assert students["fay"]["total"] == rules(students["fay"])["positions"] == 25
    assert set(students["ann"]["ranks"]) == {"competition"}


def test_cantris_is_graded_as_its_rubric_says(tmp_path: Path) -> None:
    course = small(tmp_path / "course", "nycu-cantris", (r"30/move", "cpu:0.3/move"), (r"groups = 4", "groups = 2"))
    any_tile = cohorts.CANTRIS_CPP.replace("CHOICE", "r < 0").replace("TROUBLE", "")
    highest = cohorts.CANTRIS_CPP.replace("CHOICE", "g[i][j] > best").replace("TROUBLE", "")
    slow = cohorts.CANTRIS_CPP.replace("CHOICE", "r < 0").replace(
        "TROUBLE", "for (volatile int i = 0; g.size() == 6 && r > 0; i = i + 1) {}"
    )
    (tmp_path / "course" / "entered.csv").write_text("id,rule,points\n309515001,design,20\n309515001,discussion,15\n")
    (tmp_path / "course" / "late.csv").write_text("id,days\n309515002,2\n309515003,9\n")
    submissions = hand_in(
        tmp_path / "submissions",
        {
            "309515001_王.zip": zipped(
                **{f"309515001_{n}__cpp": highest for n in (1, 2, 3)}, **{"309515001__pdf": "%PDF"}
            ),
            "309515002.zip": zipped(**{f"309515002_{n}__cpp": any_tile for n in (1, 2, 3)}),
            "309515003.zip": zipped(**{f"309515003_{n}__cpp": highest + "//" for n in (1, 2, 3)}),
            "309515004.cpp": slow,
            "309515005.zip": zipped(**{"309515005_1__py": "print(1)", "309515005_2__py": "print(1)"}),
            "309515006.py": cohorts.CANTRIS_PYTHON.replace("TROUBLE", "sys.exit(1)"),
        },
    )
    students = graded(course, submissions, tmp_path / "out")
    out = tmp_path / "out"
    playing = [one for one in students.values() if one["versions"]]
    wins = {one["id"]: sum(p == 1 for p, _ in played(out, one, "tournament")) for one in playing}
    for student in playing:
        points, id_ = rules(student), student["id"]
        assert points["runs"] == 30 * any(reason == "rules" for _, reason in played(out, student, "runs"))
        assert points["tournament"] == pytest.approx(30 * wins[id_] / max(wins.values()), abs=1e-5)
        rest = points["tournament"] + points["overrun"] + points["late"]
        others = points["runs"] + points["names"] + points["design"] + points["discussion"]
        assert student["total"] == pytest.approx(max(0, others + min(30, max(0, rest))), abs=1e-4)
    assert rules(students["309515001"])["names"] == 0
    assert students["309515001"]["rules"][0]["points"] == 30
    assert rules(students["309515002"])["late"] == -20
    assert rules(students["309515003"])["late"] == -90
    assert students["309515003"]["total"] == 30
    assert rules(students["309515004"])["overrun"] == -5
    assert rules(students["309515004"])["names"] == -5
    assert "309515005_3 is missing" in students["309515005"]["trouble"]
    assert students["309515006"]["total"] == 0
    assert len(students["309515001"]["rules"][0]["games"]) == 6
    pairs = json.loads((out / "grades.json").read_text())["alike"]
    assert ("309515001", "309515003", "cpp") in {(one["first"], one["second"], one["language"]) for one in pairs}


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
    small(folder, "nthu-chain-reaction", (r"^games = 20", "games = 2"), (r"10/move", "cpu:2/move"))
    bot = tmp_path / "106000001.cpp"
    bot.write_text(cohorts.chain_class())
    assert main(["course", "try", str(folder), str(bot), "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert "still open: bonus competition, 25% x W, report" in said
    assert "ludus replay " in said
    bot.write_text(cohorts.chain_class("abort();"))
    assert main(["course", "try", str(folder), str(bot), "--jobs", "1"]) == 1
    assert "see it" in capsys.readouterr().out
    assert main(["course", "list"]) == 0
    assert "nycu-cantris" in capsys.readouterr().out
    assert main(["course", "grade", "nthu", str(tmp_path), "--out", str(tmp_path / "o")]) == 2
    assert "there is no course 'nthu'; the presets are" in capsys.readouterr().err


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
    from ludus.tournament import settled_winner  # noqa: PLC0415

    row = {"winner": None, "left_first": 3.0, "left_second": 5.0}
    assert settled_winner(row, "draw") is None
    assert settled_winner(row, "time") == 1
    assert settled_winner({**row, "winner": 0}, "time") == 0
