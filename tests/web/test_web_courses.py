"""Courses of the web arena without a browser: settled, joined, handed in, tried, graded, released, left."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import postgres
import pytest
from web import Served, follow, serving, signed_in

from ludus.store.accounts import Accounts
from ludus.store.courses import CourseStore

COURSE = """
title = "A small course"
game = "cantris"
clock = "5/move"
[options]
rows = 4
cols = 3
[submission]
protocols = ["python"]
languages = ["python"]
[tournaments.all]
format = "round-robin"
[rubric.runs]
title = "runs"
kind = "builds-and-finishes"
points = 30
opponent = "random:seed=1"
games = 2
needs = 1
[rubric.wins]
title = "wins"
kind = "win-rate"
points = 40
tournament = "all"
[rubric.report]
kind = "entered"
points = 10
[rubric.late]
kind = "late"
a_day = 5
[report]
pdf = false
"""
FIRST = "def choose(state, clock):\n    return state.legal_moves[0]\n"
LAST = "# 最後一步\ndef choose(state, clock):\n    return state.legal_moves[-1]\n"
BROKEN = "def choose(state, clock)\n    return 1\n"
CODE = "open sesame"
ENDED = ("done", "failed", "cancelled")


class Taught(NamedTuple):
    """A course that has been graded and not yet released, and the people in it."""

    path: str
    teacher: httpx.Client
    amy: httpx.Client
    bob: httpx.Client
    guest: httpx.Client
    hers: int
    his: int
    database: Path


def settings(**more: Any) -> dict[str, Any]:
    return {"title": "Cantris 2026", "toml": COURSE, **more}


def enrol(client: httpx.Client, path: str, student: str, name: str, source: str) -> int:
    """Join a course and hand something in."""
    joined = client.post(f"{path}/join", json={"student": student, "code": CODE})
    assert joined.status_code == 200, joined.text
    answer = client.post(f"{path}/submissions", params={"name": name}, content=source.encode())
    assert answer.status_code == 201, answer.text
    number: int = answer.json()["id"]
    return number


def worked(client: httpx.Client, path: str, what: str) -> None:
    """Wait until the grading, or the dry run, is done."""
    told = follow(client, f"{path}/events", lambda now: bool(now[what] and now[what]["state"] in ENDED))[-1]
    assert told[what]["state"] == "done", told


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    database = tmp_path_factory.mktemp("courses") / "arena.db"
    with serving(database) as server:
        yield server, database


@pytest.fixture(scope="module")
def taught(served: tuple[Served, Path]) -> Iterator[Taught]:
    server, database = served
    with ExitStack() as leaving:
        teacher = leaving.enter_context(signed_in(server, database, "teacher", "instructor"))
        amy, bob, eve = (leaving.enter_context(signed_in(server, database, name)) for name in ("amy", "bob", "eve"))
        guest = leaving.enter_context(server.client())
        made = teacher.post("/api/courses", json={"preset": "nycu-cantris", "title": " Cantris ", "code": CODE})
        assert made.status_code == 201, made.text
        path = f"/api/courses/{made.json()['id']}"
        assert teacher.get(path).json()["teaching"]["toml"].startswith('name = "nycu-cantris"')
        late = {"deadline": "2020-01-01T00:00:00Z", "late": "id,days\namy,0\nbob,2\n"}
        assert teacher.post(f"{path}/settings", json=settings(code=CODE, **late)).status_code == 200
        hers = enrol(amy, path, "amy", "../../first.py", FIRST)
        his = enrol(bob, path, "bob", "last.py", LAST)
        enrol(eve, path, "eve", "broken.py", BROKEN)
        assert teacher.post(f"{path}/grade", json={}).status_code == 202
        worked(teacher, path, "grading")
        yield Taught(path, teacher, amy, bob, guest, hers, his, database)


def points(grades: dict[str, Any]) -> dict[str, dict[str, float]]:
    return {one["id"]: {rule["rule"]: rule["points"] for rule in one["rules"]} for one in grades["students"]}


def test_a_code_keeps_others_out(taught: Taught, served: tuple[Served, Path]) -> None:
    path = taught.path
    assert CODE not in taught.guest.get(path).text + taught.amy.get(path).text
    with signed_in(*served, "mallory") as mallory:
        assert mallory.post(f"{path}/join", json={"student": "mallory", "code": "guess"}).status_code == 403
        assert mallory.post(f"{path}/submissions", params={"name": "x.py"}, content=b"x").status_code == 403
        taken = mallory.post(f"{path}/join", json={"student": "amy", "code": CODE})
        assert "someone has already joined as amy" in taken.json()["detail"]
        assert mallory.get(path).json()["student"] is None


def test_a_dry_run_is_for_its_owner(taught: Taught) -> None:
    path, amy = taught.path, taught.amy
    assert amy.get(path).json()["submissions"][0]["name"] == "first.py"
    assert taught.bob.post(f"{path}/submissions/{taught.hers}/try", json={}).status_code == 404
    assert amy.post(f"{path}/submissions/{taught.hers}/try", json={}).status_code == 202
    worked(amy, path, "trial")
    tried = amy.get(path).json()["submissions"][0]["result"]
    assert {rule["rule"]: rule["points"] for rule in tried["rules"]}["runs"] == 30
    assert amy.get(f"/api/matches/{tried['rules'][0]['games'][0]['match']}").status_code == 200
    assert "first.py" not in taught.bob.get(path).text


def test_grades_follow_the_rubric_and_link_to_their_games(taught: Taught) -> None:
    grades = taught.teacher.get(f"{taught.path}/grades").json()
    given = points(grades)
    assert given["amy"]["runs"] == given["bob"]["runs"] == 30
    assert given["eve"]["runs"] == 0
    assert (given["amy"]["late"], given["bob"]["late"]) == (0, -10), "what the table says counts more than the deadline"
    assert given["eve"]["late"] <= 0
    one = next(student for student in grades["students"] if student["id"] == "amy")
    for rule in one["rules"]:
        assert rule["reason"]
        for game in rule["games"]:
            seats = taught.teacher.get(f"/api/matches/{game['match']}").json()["seats"]
            assert seats[game["seat"]]["player"] == "amy"
    table = taught.teacher.get(f"{taught.path}/files/grades.csv").content.decode("utf-8-sig")
    assert {row["id"] for row in csv.DictReader(io.StringIO(table))} == {"amy", "bob", "eve"}
    assert taught.teacher.get(f"{taught.path}/files/course.toml").status_code == 404
    lines = taught.teacher.get(taught.path).json()["teaching"]["students"]
    assert [(line["student"], line["late"]) for line in lines] == [("amy", True), ("bob", True), ("eve", True)]


def test_points_by_hand_have_a_reason_and_students_see_only_their_own(taught: Taught) -> None:
    path, teacher, amy, bob, guest = taught[:5]
    teacher.post(f"{path}/release", json={"released": False})
    before = points(teacher.get(f"{path}/grades").json())["amy"]["report"]
    assert amy.get(path).json()["grade"] is None, "not yet released"
    assert amy.get(f"{path}/grades/amy").status_code == 404
    override = {"student": "amy", "rule": "report", "points": before + 7, "reason": "a good report"}
    assert teacher.post(f"{path}/override", json=override | {"reason": " "}).status_code == 422
    assert teacher.post(f"{path}/override", json=override | {"rule": "none"}).status_code == 400
    above = teacher.post(f"{path}/override", json=override | {"points": 41})
    assert (above.status_code, above.json()["detail"]) == (
        400,
        "41 points for report are not possible; the rule gives 0 to 10",
    )
    withdrawal = {"student": "amy", "rule": "report", "reason": "someone else's"}
    assert teacher.post(f"{path}/override/withdraw", json=withdrawal).status_code == 400
    assert teacher.post(f"{path}/override", json=override).status_code == 202
    worked(teacher, path, "grading")
    assert teacher.post(f"{path}/release", json={"released": True}).status_code == 200
    grade = amy.get(f"{path}/grades/amy").json()
    (report,) = (rule for rule in grade["rules"] if rule["rule"] == "report")
    assert report["points"] == before + 7
    assert "a good report" in report["reason"]
    assert amy.get(path).json()["grade"] == grade
    for client, status in ((amy, 404), (guest, 401)):
        assert client.get(f"{path}/grades/bob").status_code == status
        assert client.get(f"{path}/submissions/{taught.his}").status_code == status
        assert client.get(f"{path}/grades").status_code == (403 if client is amy else 401)
    for client in (amy, bob, guest):
        for name in ("grades.csv", "similarity.csv", "grades.json"):
            assert client.get(f"{path}/files/{name}").status_code in (401, 403)
    assert '"bob"' not in json.dumps({**amy.get(path).json(), "grade": None})
    assert guest.get(path).json()["grade"] is None
    assert bob.get(path).json()["grade"]["id"] == "bob"
    assert bob.get(f"{path}/submissions/{taught.his}").content == LAST.encode()
    assert teacher.get(f"{path}/submissions/{taught.his}").content == LAST.encode()
    assert teacher.get(f"{path}/grades/bob").json()["id"] == "bob"
    assert report["by_hand"]
    assert amy.post(f"{path}/override/withdraw", json=withdrawal).status_code == 403
    assert teacher.post(f"{path}/override/withdraw", json=withdrawal).status_code == 202
    worked(teacher, path, "grading")
    assert points(teacher.get(f"{path}/grades").json())["amy"]["report"] == before
    with closing(Accounts(taught.database)) as accounts:
        kinds = [entry.kind for entry in accounts.audit()]
    assert kinds.index("course.override-withdrawn") < kinds.index("course.override"), "the newest first"


def test_what_instructors_do_is_noted_and_who_leaves_takes_all_along(taught: Taught) -> None:
    path, teacher = taught.path, taught.teacher
    with closing(Accounts(taught.database)) as accounts:
        kinds = [entry.kind for entry in accounts.audit() if entry.detail.get("course") == int(path.split("/")[-1])]
        assert kinds[-3:] == ["course.grade", "course.settings", "course.create"]
        by_hand = [entry.detail for entry in accounts.audit() if entry.kind == "course.override"]
        assert "amy" not in json.dumps(by_hand), "a log names people by their numbers"
        account = accounts.find("bob")
        assert account is not None
        (told,) = accounts.export(account)["courses"]
        assert (told["student"], [one["name"] for one in told["submissions"]]) == ("bob", ["last.py"])
        accounts.remove(account, None)
    assert "bob" not in [one["id"] for one in teacher.get(f"{path}/grades").json()["students"]]
    assert teacher.get(f"{path}/submissions/{taught.his}").status_code == 404


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"toml": "title = "}, "course.toml: this is not valid TOML"),
        ({"toml": COURSE.replace("cantris", "chess")}, "course.toml: there is no game 'chess'"),
        ({"toml": COURSE.replace("random:seed=1", "/etc/passwd")}, "course.toml, rubric.runs"),
        ({"toml": COURSE.replace("random:seed=1", "lines:id")}, "course.toml, rubric.runs"),
        ({"late": "id,days\namy,soon\n"}, "late.csv, line 2: days must be a number"),
        ({"entered": "id,rule,points\namy,report,99\n"}, "entered.csv, line 2"),
    ],
)
def test_what_an_instructor_writes_is_checked_first(taught: Taught, more: dict[str, Any], words: str) -> None:
    answer = taught.teacher.post(f"{taught.path}/settings", json=settings(**more))
    assert answer.status_code == 400, answer.text
    assert answer.json()["detail"].startswith(words)
    assert taught.teacher.get(taught.path).json()["teaching"]["toml"] == COURSE


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("x.py", b"", "this file is empty"),
        ("..", b"x", "the file needs a name"),
        ("x.zip", b"PK\x03\x04rubbish", "this zip archive cannot be read"),
    ],
)
def test_what_cannot_be_a_submission_is_refused(taught: Taught, name: str, data: bytes, words: str) -> None:
    answer = taught.amy.post(f"{taught.path}/submissions", params={"name": name}, content=data)
    assert answer.status_code == 400
    assert words in answer.json()["detail"]
    large = taught.amy.post(f"{taught.path}/submissions", params={"name": "x.py"}, content=b"x" * (13 << 20))
    assert large.status_code == 413


def test_the_store_says_the_same_on_postgresql() -> None:
    url = postgres.new_database()
    with closing(Accounts(url)) as accounts, closing(CourseStore(url)) as store:
        amy, bob = (accounts.add(name, "correct horse") for name in ("amy", "bob"))
        course = store.add(1, "Course", COURSE, "", None)
        store.join(course, amy.id, "a", own_name=True)
        store.join(course, amy.id, "a")
        with pytest.raises(ValueError, match="someone has already joined as a;"):
            store.join(course, bob.id, "a")
        store.hand_in(course, amy.id, "old.py", b"1")
        number = store.hand_in(course, amy.id, "new.py", b"2")
        assert store.content(number) == b"2"
        assert store.counting(course)["a"].name == "new.py"
        store.change(course, grades={"students": [{"id": "a"}], "alike": [], "folders": {}}, released=True)
        assert accounts.export(amy)["courses"][0]["grade"] == {"id": "a"}
        accounts.remove(amy, None)
        assert store.enrolled(course) == []
        assert store.grades(course) == {"students": [], "alike": [], "folders": {}}
        assert store.submission(number) is None


def test_grading_goes_on_after_a_restart(tmp_path: Path) -> None:
    database = tmp_path / "arena.db"
    with serving(database) as server, signed_in(server, database, "teacher", "instructor") as teacher:
        path = (
            f"/api/courses/{teacher.post('/api/courses', json={'preset': 'nycu-cantris', 'title': 'x'}).json()['id']}"
        )
        long = COURSE.replace("games = 2", "games = 40")
        assert teacher.post(f"{path}/settings", json=settings(toml=long, code=CODE)).status_code == 200
        with signed_in(server, database, "amy") as amy:
            enrol(amy, path, "amy", "first.py", FIRST)
        teacher.post(f"{path}/grade", json={})
        follow(teacher, f"{path}/events", lambda now: (now["grading"]["progress"] or {}).get("stage") == "matches")
    with serving(database) as server, signed_in(server, database, "teacher", "instructor") as teacher:
        worked(teacher, path, "grading")
        (graded,) = teacher.get(f"{path}/grades").json()["students"]
        assert len(graded["rules"][0]["games"]) == 40
        assert teacher.get(path).json()["teaching"]["graded"]
