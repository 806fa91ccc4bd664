"""Downloads of Moodle, Canvas and Gradescope: whose each submission is, when it came, and what is wrong with one."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ludus.courses.attempts import entrants
from ludus.courses.platforms import collect, detect
from ludus.courses.roster import Person, read_roster

ROSTER = read_roster(
    "id,name,email,platform id\n101,Ann Lee,ann@x.tw,\nB10602,王小明,ming@x.tw,\n103,Cyd de Vries,,55501\n".encode(),
    "roster.csv",
)
METADATA = """\
---
submission_1:
  :submitters:
  - :name: Ann Lee
    :sid: '101'
    :email: ann@x.tw
  :created_at: 2026-06-10 15:59:38.112860000 Z
  :score: 0.0
  :status: processed
submission_2:
  :submitters:
  - :name: Ming Wang
    :sid:
    :email: ming@x.tw
  - :name: Cyd
    :sid: '103'
    :email: cyd@x.tw
  :created_at: !ruby/object:ActiveSupport::TimeWithZone
    utc: &1 2026-06-11 01:00:00.000000000 Z
    zone: !ruby/object:ActiveSupport::TimeZone
      name: Asia/Taipei
    time: *1
"""


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (1_000_000, 1_000_000))
    return folder


def test_moodle(tmp_path: Path) -> None:
    files = {
        "Ann Lee_1234567_assignsubmission_file_/bot.py": "a",
        "Ann Lee_1234567_assignsubmission_onlinetext_/onlinetext.html": "hello",
        "B10602 王小明_1234568_assignsubmission_file/main.py": "b",
        "B10602 王小明_1234568_assignsubmission_file/more.py": "b",
        "Someone Else_1234569_assignsubmission_file_bot.h": "c",
        "Someone Else_1234569_assignsubmission_file_my_bot.cpp": "c",
        "Default group_assignsubmission_file/bot.py": "d",
    }
    where = write(tmp_path / "in", **files)
    assert detect(where) == "moodle"
    attempts, notes = collect(where, tmp_path / "staging")
    ann, team, group, other = attempts
    assert ann.path == where / "Ann Lee_1234567_assignsubmission_file_" / "bot.py", "what was typed in does not count"
    assert ann.people == (Person("1234567", "Ann Lee", number="1234567"),)
    assert team.path.is_dir() and team.people[0].id == "B10602"
    assert group.people == (Person("Default group", "Default group"),)
    assert other.people[0].name == "Someone Else"
    assert sorted(path.name for path in other.path.iterdir()) == ["bot.h", "my_bot.cpp"]
    assert {attempt.late for attempt in attempts} == {False}, "all files have the time of the download"
    assert [note.code for note in notes] == ["courses.no_times"]
    found = {entrant.id: entrant for entrant in entrants([team, ann, other], ROSTER)}
    assert [len(found[id_].attempts) for id_ in ("101", "B10602", "103", "1234569")] == [1, 1, 0, 1]
    assert found["101"].members == (Person("101", "Ann Lee", "ann@x.tw", number="1234567"),), "as Moodle knows her"
    assert str(found["1234569"].question) == "not on the roster: 1234569 Someone Else"


def test_an_older_moodle_gave_the_files_their_times(tmp_path: Path) -> None:
    files = {"Ann Lee_7_assignsubmission_file_/bot.py": "a", "Cyd_8_assignsubmission_file_/bot.py": "b"}
    where = write(tmp_path / "in", **files)
    os.utime(where / "Cyd_8_assignsubmission_file_/bot.py", (1_009_000, 1_009_000))
    (ann, cyd), notes = collect(where, tmp_path / "staging")
    assert [ann.at, cyd.at] == [datetime.fromtimestamp(at, UTC) for at in (1_000_000, 1_009_000)]
    assert (ann.late, cyd.late, notes) == (None, None, [])


def test_a_groups_submission_is_its_teams(tmp_path: Path) -> None:
    roster = read_roster(b"id,team\n1,Group A\n2,Group A\n12,Group B\n", "roster.csv")
    where = write(tmp_path / "in", **{"Group A_12_assignsubmission_file/bot.py": "a"})
    (other, team) = entrants(collect(where, tmp_path / "staging").attempts, roster)
    assert (team.id, len(team.attempts), other.attempts) == ("Group A", 1, ()), "12 is the number of the group"
    assert [member.number for member in team.members] == ["", ""]


def test_canvas(tmp_path: Path) -> None:
    files = {
        "leeann_55499_901_bot-1.cpp": "a",
        "leeann_55499_902_bot-1.h": "b",
        "leeann_55499_903_notes-a.txt": "c",
        "leeann_55499_text.html": "typed in",
        "devriescyd_LATE_55501_904_my_bot.py": "d",
        "王小明_55502_905_x.zip": "e",
    }
    where = write(tmp_path / "in", **files)
    assert detect(where) == "canvas"
    cyd, ann, ming = collect(where, tmp_path / "staging").attempts
    assert sorted(path.name for path in ann.path.iterdir()) == ["bot.cpp", "bot.h", "notes-a.txt", "text.html"]
    assert (ann.late, cyd.late, ming.late) == (False, True, False)
    assert (cyd.path.name, cyd.path.read_text()) == ("my_bot.py", "d")
    found = {entrant.id: entrant.attempts for entrant in entrants([cyd, ann, ming], ROSTER)}
    assert found == {"101": (ann,), "B10602": (ming,), "103": (cyd,)}
    again = collect(where, tmp_path / "staging").attempts
    assert again == [cyd, ann, ming], "a second run finds the same"


@pytest.mark.parametrize(
    ("name", "person", "late"),
    [
        ("team_red_55_9_bot.py", Person("55", "team_red", number="55"), False),
        ("b10602001wang_LATE_55_9_bot.py", Person("b10602001wang", "", number="55"), True),
        ("anon_9xRtQ_9_bot.py", Person("anon_9xRtQ", "", number="anon_9xRtQ"), False),
        ("LATE_anon_9xRtQ_9_bot.py", Person("anon_9xRtQ", "", number="anon_9xRtQ"), True),
        ("leeann_55_link.html", Person("55", "leeann", number="55"), False),
    ],
)
def test_names_in_canvas(tmp_path: Path, name: str, person: Person, late: bool) -> None:
    where = write(tmp_path / "in", **{name: "a"})
    (one,) = collect(where, tmp_path / "staging").attempts
    assert (one.people, one.late) == ((person,), late)


def test_gradescope(tmp_path: Path) -> None:
    where = write(tmp_path / "in", **{"submission_1/bot.py": "a", "submission_2/bot.py": "b"})
    (where / "submission_metadata.yml").write_text(METADATA)
    assert detect(where) == "gradescope"
    ann, team = collect(where, tmp_path / "staging").attempts
    assert (ann.path, ann.at) == (where / "submission_1", datetime(2026, 6, 10, 15, 59, 38, 112860, tzinfo=UTC))
    assert team.at == datetime(2026, 6, 11, 1, tzinfo=UTC)
    assert [person.id for person in team.people] == ["ming", "103"]
    found = {entrant.id: entrant.attempts for entrant in entrants([ann, team], ROSTER)}
    assert found == {"101": (ann,), "B10602_103": (team,)}


def test_a_folder_of_ones_own_is_no_download(tmp_path: Path) -> None:
    where = write(tmp_path / "in", **{"106062130_邱詠智.py": "a", "a1_40000001_40000009.py": "b", "ann_1/x.py": "c"})
    assert detect(where) is None
    assert collect(where, tmp_path / "staging").attempts == []


@pytest.mark.parametrize(
    ("platform", "text", "says"),
    [
        ("moodle", "", "bot.py is not named as in a download of Moodle"),
        ("canvas", "", "bot.py is not named as in a download of Canvas"),
        ("gradescope", "", "submission_metadata.yml: this file is missing"),
        ("gradescope", "a: [", "submission_metadata.yml, line 1: this is not YAML as Gradescope writes it"),
        ("gradescope", "- 1\n", "submission_metadata.yml: this is not YAML as Gradescope writes it"),
        ("gradescope", "a: !!python/object/apply:os.getcwd []\n", "line 1: this is not YAML as Gradescope writes it"),
        ("gradescope", "s_1:\n  :score: 1\n", "submission_metadata.yml, s_1: there is nobody under :submitters"),
        ("gradescope", "../up:\n  :submitters: [{':name': A}]\n", "there is nobody under :submitters, or the name"),
        ("gradescope", "s_1:\n  :submitters: [{':name': A}]\n  :created_at: x\n", "s_1: :created_at is missing"),
        ("gradescope", '"a": !!timestamp "x"\n', "this is not YAML as Gradescope writes it"),
        ("gradescope", '"a": !!bool "x"\n', "this is not YAML as Gradescope writes it"),
        ("gradescope", "a: &a {b: 1}\nc:\n  <<: [*a, *a]\n", "line 3: this is not YAML as Gradescope writes it"),
        ("gradescope", "[" * 5000, "this is not YAML as Gradescope writes it"),
    ],
)
def test_a_wrong_download_is_one_sentence(tmp_path: Path, platform: str, text: str, says: str) -> None:
    where = write(tmp_path / "in", **{"bot.py": "a"})
    if text:
        (where / "submission_metadata.yml").write_text(text)
    with pytest.raises(ValueError) as caught:
        collect(where, tmp_path / "staging", platform)
    assert says in str(caught.value) and "\n" not in str(caught.value)
