"""Course files, folders and tables: what is right is read, and what is wrong is one sentence with its place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cohorts import small

from ludus.cli import main
from ludus.courses import find_course, presets, read_course
from ludus.courses.rubric import KINDS


def test_every_preset_reads_and_its_points_add_up() -> None:
    assert presets() == ("concordia-magnetic-cave", "nthu-chain-reaction", "nycu-cantris", "usc-fruit-rage")
    assert [find_course(name).most for name in presets()] == [101, 110, 100, 100]
    assert {rule.kind for name in presets() for rule in find_course(name).rules} == set(KINDS)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("^game = .*", 'game = "chess"'), "there is no game 'chess'"),
        (("^clock = .*", 'clock = "soon"'), "clock: 'soon' is not a clock"),
        (("^seed = .*", "sead = 1"), "there is no key 'sead'; the keys are name, title"),
        (("^points = 15", 'points = "many"'), "rubric.plays: points must be a number, not 'many'"),
        (("^needs = 1", "need = 1"), "rubric.plays: there is no key 'need'"),
        (('^kind = "win-rate"', 'kind = "win"'), "rubric.bonus: there is no kind 'win'; the kinds are"),
        (('^tournament = "all"', 'tournament = "some"'), "rubric.bonus: there is no [tournaments.some]"),
        (('^opponent = "heithoff"', 'opponent = "engine"'), "rubric.heithoff: opponent engine plays by time"),
        (('^opponent = "heithoff"', 'opponent = "random"'), "opponent random plays at random; give it a seed"),
        (('^opponent = "heithoff"', 'opponent = "nobody"'), "there is no player 'nobody'"),
        (('^format = "ladder"', 'format = "pyramid"'), "tournaments.ladder: there is no format 'pyramid'"),
        (("^ids = .*", "ids = ['\\\\d+']"), "does not say which part is the student's id"),
        (("^take = .*", 'take = "all"'), "groups.stage: take must be one of sum, highest"),
        (("^memory_mb = .*", "memory_mb = 0"), "[limits]: memory_mb must be at least 1"),
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
    deadline, example = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    example += deadline
    (tmp_path / "course.toml").write_text(example, encoding="utf-8")
    made = find_course(str(tmp_path))
    assert (made.most, made.report.pdf, [rule.kind for rule in made.rules]) == (100, True, ["beats", "entered"])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["grade", "nthu-chain-reaction", "."], "ludus course grade needs --out DIR"),
        (["grade", "nthu-chain-reaction", "none", "--out", "o"], "none: there is no such folder; give the folder"),
        (["grade", "nthu-chain-reaction", ".", "--out", "o"], "there are no submissions in it; put a zip, a folder"),
        (["grade", "nthu-chain-reaction", ".", "--out", "o", "--override", "a", "b", "c"], "'c' is not a valid float"),
        (
            ["try", "nthu-chain-reaction", "none.cpp"],
            "BOT must be the name of an existing file or folder, not 'none.cpp'",
        ),
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
        ("late", "student;days\n", "line 1: the column id is missing"),
        ("late", "id,days\n1,soon\n", "line 2: days must be a number, not 'soon'"),
        ("entered", "id,rule,points\n1,reprot,3\n", "t.csv, line 2: nthu-chain-reaction has no rule 'reprot'"),
        ("entered", "id,rule,points\n1,report,11\n", "entered points must be from 0 to 10"),
        ("entered", "id,rule,points\n1,bonus,1\n", "only rules of the kind entered can have entered points"),
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
