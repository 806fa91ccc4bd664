"""The common settings of a course in the web arena, the question before a release, and what students see after it."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from test_web_collected import Class, archive
from test_web_courses import CODE, COURSE, FIRST, LAST, enrol, worked
from web import serving, signed_in

from ludus.courses import presets
from ludus.web.courses.basics import Basics, basics_of, with_basics
from ludus.web.courses.edit import edited
from ludus.web.courses.files import preset_text

TOML = """
# the course
title = "Old" # what it is called
clock = "5/move"    # a turn

[rubric.a]
kind = "beats"   # the rule
points = 10      # of 100
opponent = "greedy"
"""


def test_single_values_change_and_everything_else_stays() -> None:
    text = edited(TOML, (), {"title": "A longer title", "clock": "3/move"})
    text = edited(text, ("rubric", "a"), {"points": 12.5, "games": 4})
    text = edited(text, ("deadline",), {"at": "2026-06-01 12:00", "grace_minutes": 5.0})
    assert text == TOML.replace('"Old" #', '"A longer title" #').replace("5/move", "3/move").replace(
        'points = 10      # of 100\nopponent = "greedy"\n',
        'points = 12.5    # of 100\nopponent = "greedy"\ngames = 4\n'
        '\n[deadline]\nat = "2026-06-01 12:00"\ngrace_minutes = 5\n',
    )
    assert "at =" not in edited(text, ("deadline",), {"at": None, "grace_minutes": None})


@pytest.mark.parametrize("text", ["rubric = { a = { points = 1 } }\n", "[rubric]\na.points = 1\n"])
def test_what_is_written_in_another_way_is_left_to_people(text: str) -> None:
    with pytest.raises(ValueError, match="change it in the course file"):
        edited(text, ("rubric", "a"), {"points": 2})


def test_no_text_in_a_value_escapes_from_it() -> None:
    chance = random.Random(7)
    for _ in range(300):
        value = "".join(chance.choice("ab\"'\\#=[]{}\n\t \u00e9\u7b2c") for _ in range(12))
        made = tomllib.loads(edited(TOML, ("rubric", "a"), {"opponent": value}))
        assert made["rubric"]["a"]["opponent"] == value
        assert made["title"] == "Old"


@pytest.mark.parametrize("preset", presets())
def test_the_form_of_a_preset_changes_nothing_by_itself(preset: str) -> None:
    text = preset_text(preset)
    now = basics_of("x", text, None)
    now.title = tomllib.loads(text)["title"]
    assert with_basics(text, None, Basics.model_validate(now.model_dump())) == text


@pytest.fixture(scope="module")
def class_(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Class]:
    database = tmp_path_factory.mktemp("settings") / "arena.db"
    with serving(database) as server, signed_in(server, database, "teacher", "instructor") as teacher:
        yield Class(server, database, teacher)


def basics(teacher: httpx.Client, path: str) -> dict[str, Any]:
    """Return the form as the page has it."""
    teaching = teacher.get(path).json()["teaching"]
    return {**teaching["basics"], "code": teaching["code"], "standings": teaching["standings"]}


def test_the_form_changes_the_file_and_keeps_its_comments(class_: Class) -> None:
    path = class_.course(toml=COURSE.replace('"5/move"', '"5/move"  # a turn'), deadline="2026-05-01T10:00:00Z")
    form = basics(class_.teacher, path)
    assert form["deadline"] == {"at": "2026-05-01T10:00", "zone": "UTC", "grace_minutes": 0}
    form["title"], form["clock"] = "A new title", "3/move"
    form["deadline"] = {"at": "2026-06-10T23:59", "zone": "Asia/Taipei", "grace_minutes": 15}
    form["opponents"][0] |= {"opponent": "random:seed=2", "points": 25, "games": 4}
    form["late"][0] |= {"a_day": 2, "accepted_days": 7}
    answer = class_.teacher.post(f"{path}/basics", json=form)
    assert answer.status_code == 200, answer.text
    page = class_.teacher.get(path).json()
    assert (page["title"], page["clock"]) == ("A new title", "3/move")
    assert page["deadline"].startswith("2026-06-10T23:59:00+08:00")
    assert 'clock = "3/move"  # a turn' in page["teaching"]["toml"]
    changed = basics(class_.teacher, path)
    assert changed == form
    assert page["teaching"]["in_file"]
    form["deadline"]["at"] = ""
    assert class_.teacher.post(f"{path}/basics", json=form).status_code == 200
    assert class_.teacher.get(path).json()["deadline"] is None


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"clock": "fast"}, "clock", "Clock: "),
        ({"deadline": {"at": "2026-06-10T23:59", "zone": "Nowhere/City"}}, "at", "Deadline: "),
        ({"deadline": {"at": "soon"}}, "at", "Deadline: "),
        (
            {"opponents": [{"rule": "runs", "opponent": "engine", "games": 2, "points": 30}]},
            "runs.opponent",
            "Opponent",
        ),
        (
            {"opponents": [{"rule": "runs", "opponent": "/bin/sh", "games": 2, "points": 30}]},
            "runs.opponent",
            "Opponent",
        ),
        (
            {"opponents": [{"rule": "none", "opponent": "greedy", "games": 2, "points": 3}]},
            None,
            "A small course has no",
        ),
    ],
)
def test_an_error_names_the_field(class_: Class, change: dict[str, Any], field: str | None, words: str) -> None:
    path = class_.course()
    form = basics(class_.teacher, path)
    answer = class_.teacher.post(f"{path}/basics", json=form | change)
    assert answer.status_code == 400, answer.text
    assert answer.json().get("field") == field
    assert field is None or answer.json()["detail"].startswith(words)
    assert class_.teacher.get(path).json()["teaching"]["toml"] == COURSE


def test_a_release_says_who_sees_what_and_standings_name_nobody(class_: Class) -> None:
    path, teacher = class_.course(), class_.teacher
    class_.table(path, "roster", "id,name\n101,Amy\n102,Bob\n103,Cy\n")
    long = LAST + "".join(f"def part{n}(a, b):\n    return [a + {n}, b * a, (a, b)]\n" for n in range(30))
    class_.store(path, archive({"101.py": long, "102.py": long + "x = '<script>'\n"}))
    with (
        signed_in(class_.server, class_.database, "cy15") as cy,
        signed_in(class_.server, class_.database, "al15") as al,
    ):
        enrol(cy, path, "103", "cy.py", FIRST)
        assert teacher.post(f"{path}/confirm", json={"student": "103"}).status_code == 200
        assert teacher.get(path).json()["teaching"]["release"] is None
        teacher.post(f"{path}/grade", json={})
        worked(teacher, path, "grading")
        release = teacher.get(path).json()["teaching"]["release"]
        assert (release["see"], release["no_account"], release["open_students"]) == (1, 2, 3)
        assert [rule["params"] or rule["code"] for rule in release["open_rules"]]
        assert release["newer"] == []
        cy.post(f"{path}/submissions", params={"name": "new.py"}, content=LAST.encode())
        assert teacher.get(path).json()["teaching"]["release"]["newer"] == ["103"]
        teacher.post(f"{path}/basics", json=basics(teacher, path) | {"standings": True})
        assert cy.get(f"{path}/standings").status_code == 404, "not before the release"
        teacher.post(f"{path}/release", json={"released": True})
        al.post(f"{path}/join", json={"student": "999", "code": CODE})
        assert al.get(f"{path}/standings").status_code == 404, "who has no grade sees none"
        lines = cy.get(f"{path}/standings").json()
        assert cy.get(path).json()["standings"]
        assert [line["own"] for line in lines].count(True) == 1
        assert not {"101", "102", "103"} & {line["code"] for line in lines}
        grades = teacher.get(f"{path}/grades").json()
        assert sorted(line["total"] for line in lines) == sorted(one["total"] for one in grades["students"])
        (pair,) = grades["alike"]
        address = f"{path}/{pair['page']}"
        page = teacher.get(address)
        assert page.headers.get_list("content-security-policy") == [page.headers["content-security-policy"]]
        assert "script-src" not in page.headers["content-security-policy"]
        assert "<script>" not in page.text
        assert f'href="{path.removeprefix("/api")}"' in page.text
        assert cy.get(address).status_code == 403
        assert teacher.get(f"{path}/similar/..%2F..%2Findex.html").status_code == 404
        assert teacher.get(f"{path}/files/gradebook-moodle.csv").status_code == 200
        teacher.post(f"{path}/basics", json=basics(teacher, path) | {"standings": False})
        assert cy.get(f"{path}/standings").status_code == 404
