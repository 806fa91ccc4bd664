"""Submissions: archives, folders and files of all sorts become bots, or a line that says why not."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import zipfile
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import cohorts
import pytest
from bots import typed
from cohorts import graded, hand_in, rules, small
from handed_in import SUBMISSIONS
from handed_in import zipped as zipped_files
from pdf_text import words_of

import ludus
from ludus import check
from ludus.bots import bot_of
from ludus.bots.source import File
from ludus.bots.starters import LANGUAGES
from ludus.cli import main
from ludus.courses import find_course, presets
from ludus.courses import grade as grading
from ludus.tournament import pools


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
    said = "ann_1 counts because it is the newest of 3 with the same ID; not counted: ann_0.py, ann_final.py"
    assert students["ann"]["findings"] == [said]
    assert students["bob"]["set_aside"] == students["bob"]["findings"] == []
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8-sig") as file:
        aside = {row["id"]: (row["handed in"], row["set aside"]) for row in csv.DictReader(file)}
    assert aside == {"ann": ("ann_1", "ann_0.py; ann_final.py"), "bob": ("bob_1.py", "")}
    note = "ann: ann_1 counts because it is the newest with this ID; not counted: ann_0.py, ann_final.py"
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
        commands = list(dict.fromkeys(finding["command"] for finding in student["check"]["findings"]))
        for command in commands[::9]:
            done = typed(command, submissions)
            assert done.returncode in (0, 1), (command, done.stderr)
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
        "empty": "it contains no program: the submission is empty",
        "bytes": "compile error: ",
        "nothing": "nothing: it contains no files",
        "link": "link.py: a submission must not be a link to another file",
        "huge": "huge.py: more than 64 MB; submit only the source files",
    }
    assert students.keys() == {*troubles, "王 小明 (1)"}
    for id_, trouble in troubles.items():
        assert students[id_]["trouble"].startswith(trouble), id_
        assert students[id_]["doubt"] == ""
    assert students["王 小明 (1)"]["total"] == 30
    capsys.readouterr()
    (tmp_path / "file").touch()
    assert main(["course", "grade", str(tmp_path), str(tmp_path / "file"), "--out", str(tmp_path / "o")]) == 2
    assert capsys.readouterr().err.endswith("file: this is a file; give the folder with the submissions\n")
    assert not (tmp_path / "o").exists()


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
    smaller = {name: value for name, value in fewer.items() if name in type(rule.settings).model_fields}
    settings = rule.settings.model_copy(update={**smaller, "group": ""})
    changes = {"rules": (replace(rule, settings=settings),), "tournaments": {}, "clock": "60/move"}
    course = found.model_copy(update=changes)
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
        assert one.student.trouble is None
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


def test_a_course_folder_and_a_dry_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "spring"
    assert main(["course", "init", "nthu-chain-reaction", str(folder)]) == 0
    assert {path.name for path in folder.iterdir()} == {
        "course.toml",
        "README.md",
        "late.csv",
        "entered.csv",
        "programs.csv",
        "submissions",
    }
    assert main(["course", "init", "nthu-chain-reaction", str(folder)]) == 2
    assert "already exists" in capsys.readouterr().err
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
    assert "there is no such folder; create it first" in capsys.readouterr().err
    assert main(["course", "list"]) == 0
    assert "nycu-cantris" in capsys.readouterr().out
    assert main(["course", "grade", "nthu", str(tmp_path), "--out", str(tmp_path / "o")]) == 2
    assert "there is no course 'nthu'; the presets are" in capsys.readouterr().err


def test_a_person_names_the_program_among_a_students_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "course.toml").write_text(
        "game = 'cantris'\nclock = 'none'\n[options]\nrows = 6\ncols = 3\n[report]\npdf = false\n"
        "[rubric.runs]\nkind = 'builds-and-finishes'\npoints = 30\nopponent = 'random:seed=1'\ngames = 1\n"
    )
    works = "def choose(state, clock):\n    return state.legal_moves[0]\n"
    submissions = hand_in(
        tmp_path / "in",
        {
            "ann": {"one.py": works, "two.py": works + "# two\n"},
            "bob": {"agent.py": works, "test_agent.py": works + "# three\n"},
        },
    )
    course, out = tmp_path / "course.toml", tmp_path / "out"
    students = graded(course, submissions, out)
    said = "ann: it is not clear which of these files is the program: one.py, two.py."
    assert students["ann"]["trouble"].startswith(said)
    assert str(tmp_path) not in students["ann"]["trouble"]
    assert students["bob"]["total"] == 30
    said = "agent.py was taken as the program: the others are tests, old versions or what a build left"
    assert students["bob"]["findings"] == [said]
    (tmp_path / "programs.csv").write_text("id,file\nann,Two.py\n")
    assert graded(course, submissions, out)["ann"]["total"] == 30
    capsys.readouterr()
    for table, says in (
        ("id,file\nann,\n", "programs.csv, line 2: name the file that is the program"),
        ("id,file\n\ncyd,x.py\n", "programs.csv, line 3: there is no submission of 'cyd'"),
        ("id\nann\n", "programs.csv"),
    ):
        (tmp_path / "programs.csv").write_text(table)
        assert main(["course", "grade", str(course), str(submissions), "--out", str(out)]) == 2
        assert says in capsys.readouterr().err
    (tmp_path / "programs.csv").write_text("id,file\nann,three.py\n")
    trouble = graded(course, submissions, out)["ann"]["trouble"]
    assert "programs.csv, line 2: three.py is not one of the submitted files: one.py, two.py" in trouble


def test_a_student_is_told_each_repair_and_no_path_of_the_machine(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(
        "game = 'fruit-rage'\nclock = 'cpu:300'\n[options]\nsize = 3\ntypes = 2\n[report]\npdf = false\n"
        "[submission]\nprotocols = ['files']\nnames = ['homework']\n"
        "files = { 'testcases.txt' = 'input.txt' }\n"
        "[rubric.runs]\nkind = 'builds-and-finishes'\npoints = 30\nopponent = 'random:seed=1'\ngames = 1\n"
    )
    files: dict[str, str | bytes | dict[str, str]] = {
        "win.cpp": SUBMISSIONS["windows"][0]["Source.cpp"],
        "old.py": str(SUBMISSIONS["python-2"][0]["homework.py"]).replace("input.txt", "testcases.txt"),
        "bad.cpp": "#include <windows.h>\nint main() { retrun 0; }\n",
        "pdf.zip": zipped_files({"report.pdf": b"%PDF"}),
        "rar.rar": b"Rar!\x1a\x07",
    }
    submissions = hand_in(tmp_path / "in", files)
    students = graded(tmp_path / "course.toml", submissions, tmp_path / "out")
    assert {id_: student["total"] for id_, student in students.items() if student["total"]} == {"win": 30, "old": 30}
    found = {id_: [one["text"] for one in (students[id_]["check"] or {"findings": []})["findings"]] for id_ in students}
    assert "win.cpp, line 3: conio.h exists on Windows only" in "\n".join(found["win"])
    assert "testcases.txt was replaced by input.txt" in "\n".join(found["old"])
    assert "bad.cpp, line 1: windows.h exists on Windows only" in "\n".join(students["bad"]["findings"])
    assert students["rar"]["trouble"] == (
        "rar.rar: this rar archive cannot be read, because it is damaged or incomplete; "
        "create it again, or create a zip"
    )
    assert str(tmp_path) not in json.dumps(students) and "/tmp/" not in json.dumps(students)  # noqa: S108


def test_a_submission_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(
        "game = 'cantris'\nclock = 'none'\n[report]\npdf = false\n[rubric.r]\nkind='entered'\n"
    )
    secret = hand_in(tmp_path / "secret", {"bot.py": "KEY = 'of the instructor'\n"})
    submissions = hand_in(tmp_path / "in", {"ann.py": "print(1)\n"})
    for name, target in (("eve.py", secret / "bot.py"), ("fay", secret), ("gus.py", tmp_path / "gone")):
        (submissions / name).symlink_to(target)
    students = graded(tmp_path / "course.toml", submissions, tmp_path / "out")
    for name in ("eve.py", "fay", "gus.py"):
        assert students[name.removesuffix(".py")]["trouble"] == (
            f"{name}: a submission must not be a link to another file; replace it with the file itself"
        )
    assert "link" not in students["ann"]["trouble"]
    moodle = tmp_path / "download"
    moodle.mkdir()
    (moodle / "Eve_1234567_assignsubmission_file").symlink_to(secret)
    students = graded(tmp_path / "course.toml", moodle, tmp_path / "out2")
    assert "must not be a link" in students["1234567"]["trouble"]


OWN_BOARDS = """
game = 'cantris'
clock = 'cpu:0.5'
[boards]
small = { rows = 4, cols = 3 }
[submission]
protocols = ['python']
[report]
pdf = false
[rubric.runs]
kind = 'builds-and-finishes'
points = 10
opponent = 'random:seed=1'
games = 2
[rubric.overrun]
kind = 'overrun'
points = -5
"""


def test_a_check_is_on_the_boards_of_the_course_and_says_what_cost_points(tmp_path: Path) -> None:
    """A program may need too long on boards that the course does not play, and that costs nothing."""
    (tmp_path / "course.toml").write_text(OWN_BOARDS)
    slow = "def choose(state, clock):\n    while CASE:\n        pass\n    return state.legal_moves[0]\n"
    first = ludus.game("cantris", rows=4, cols=3).initial(1).text.split()[0]
    cases = {"ann": "state.text.count('/') != 3", "bob": f"state.text.startswith({first!r})"}
    files = {f"{name}.py": slow.replace("CASE", case) for name, case in cases.items()}
    students = graded(tmp_path / "course.toml", hand_in(tmp_path / "in", files), tmp_path / "out")
    assert rules(students["ann"]) == {"runs": 10, "overrun": 0} and not students["ann"]["check"]["findings"]
    assert rules(students["bob"]) == {"runs": 10, "overrun": -5}
    assert students["bob"]["check"]["problems"] > 0, (
        "in no game of the course, but the rule counts what the check found"
    )


def test_programs_of_other_names_are_taken_for_the_boards_that_their_numbers_say(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(
        "game = 'cantris'\nclock = 'none'\n[submission]\nids = ['(?P<id>[a-z]+)']\nprograms = ['{id}_1', '{id}_2']\n"
        "[report]\npdf = false\n[boards]\nsmall = { rows = 6, cols = 3 }\nusual = { rows = 8, cols = 4 }\n"
        "[rubric.runs]\nkind = 'builds-and-finishes'\npoints = 30\nopponent = 'random:seed=1'\ngames = 4\nneeds = 4\n"
    )
    (tmp_path / "in" / "ann").mkdir(parents=True)
    for number, cols in ((1, 3), (2, 4)):
        works = (
            f"def choose(state, clock):\n    assert state.text.index('/') == {cols}\n    return state.legal_moves[0]\n"
        )
        (tmp_path / "in" / "ann" / f"board_code_{number}.py").write_text(works)
    ann = graded(tmp_path / "course.toml", tmp_path / "in", tmp_path / "out")["ann"]
    taken = "the course asks for the programs ann_1, ann_2; board_code_1.py, board_code_2.py were taken for them"
    assert ann["total"] == 30 and taken in str(ann["findings"])
