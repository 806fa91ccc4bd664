"""What an instructor uploads to a course of the web arena: the submissions of a class, tables, and who is who."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from test_web_courses import CODE, COURSE, FIRST, LAST, enrol, points, settings, worked
from web import Served, serving, signed_in

ROSTER = "id,name,email\n101,Amy Able,amy@example.org\n102,Bob Baker,\n103,Cy Chan,\n104,Dee Dow,\n"
WHEN = (2026, 3, 1, 12, 0, 0)


class Class(NamedTuple):
    """A server, its database, and an instructor there."""

    server: Served
    database: Path
    teacher: httpx.Client

    def course(self, **more: Any) -> str:
        """Make a course."""
        made = self.teacher.post("/api/courses", json={"preset": "nycu-cantris", "title": "Class", "code": CODE})
        path = f"/api/courses/{made.json()['id']}"
        answer = self.teacher.post(f"{path}/settings", json=settings(code=CODE, **more))
        assert answer.status_code == 200, answer.text
        return path

    def table(self, path: str, name: str, text: str | bytes) -> httpx.Response:
        """Upload a table."""
        return self.teacher.post(f"{path}/tables/{name}", content=text if isinstance(text, bytes) else text.encode())

    def collect(self, path: str, data: bytes, accept: str = "", *owners: str) -> httpx.Response:
        """Upload the submissions of a class."""
        params = {"accept": accept, "owner": list(owners)}
        return self.teacher.post(f"{path}/collected", params=params, content=data)

    def store(self, path: str, data: bytes) -> list[dict[str, Any]]:
        """Upload the submissions of a class and accept them as they are shown."""
        shown = self.collect(path, data)
        assert shown.status_code == 200, shown.text
        stored = self.collect(path, data, shown.json()["plan"])
        assert stored.status_code == 200, stored.text
        assert stored.json()["stored"]
        rows: list[dict[str, Any]] = stored.json()["rows"]
        return rows


@pytest.fixture(scope="module")
def class_(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Class]:
    database = tmp_path_factory.mktemp("class") / "arena.db"
    with serving(database) as server, signed_in(server, database, "teacher", "instructor") as teacher:
        yield Class(server, database, teacher)


def archive(files: Mapping[str, str | bytes], when: tuple[int, int, int, int, int, int] = WHEN) -> bytes:
    """Pack files as a zip."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(zipfile.ZipInfo(name, when), data, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def lines(class_: Class, path: str) -> dict[str, dict[str, Any]]:
    """Return the students as the instructor's page lists them."""
    return {one["student"]: one for one in class_.teacher.get(path).json()["teaching"]["students"]}


def states(rows: list[dict[str, Any]]) -> dict[str, tuple[str, bool]]:
    return {row["student"]: (row["state"], row["known"]) for row in rows}


def test_a_class_is_shown_then_stored_then_graded(class_: Class) -> None:
    path = class_.course()
    assert class_.table(path, "roster", ROSTER).json() == {"lines": 4, "unknown": []}
    whole: dict[str, str | bytes] = {
        "hw/101.py": FIRST,
        "hw/102.zip": archive({"bot.py": LAST}),
        "hw/1O3.py": FIRST,
        "hw/read me!.py": "x",
    }
    data = archive(whole)
    shown = class_.collect(path, data).json()
    assert not shown["stored"]
    assert states(shown["rows"]) == {
        "101": ("new", True),
        "102": ("new", True),
        "1O3": ("new", False),
        "read me!": ("refused", False),
    }
    notes = {row["student"]: row["note"] for row in shown["rows"]}
    assert "103 Cy Chan" in notes["1O3"]
    assert "student ID" in notes["read me!"]
    assert not any(line["submission"] for line in lines(class_, path).values()), (
        "nothing is stored before it is accepted"
    )
    assert class_.collect(path, data, "another plan").status_code == 409
    class_.store(path, data)
    assert states(class_.store(path, data))["101"] == ("same", True), "the same again changes nothing"
    changed = archive({"101.py": LAST, "102.py": FIRST}, (2020, 1, 1, 0, 0, 0))
    assert states(class_.collect(path, changed).json()["rows"]) == {"101": ("older", True), "102": ("older", True)}
    known = lines(class_, path)
    assert (known["101"]["person"], known["101"]["name"], known["101"]["known"]) == ("Amy Able", "101.py", True)
    assert known["101"]["at"].startswith("2026-03-01T12:00")
    assert not known["1O3"]["known"]
    class_.teacher.post(f"{path}/grade", json={})
    worked(class_.teacher, path, "grading")
    given = points(class_.teacher.get(f"{path}/grades").json())
    assert given["101"]["runs"] == given["102"]["runs"] == 30
    assert given["104"]["runs"] == 0, "who handed in nothing is in the table"


def test_a_download_of_a_platform_is_taken_as_it_is(class_: Class) -> None:
    path = class_.course(toml=COURSE + '[deadline]\nat = "2026-03-01 12:30"\nzone = "Asia/Taipei"\n')
    class_.table(path, "roster", ROSTER)
    moodle = {f"{name}_{number}_assignsubmission_file_/bot.py": FIRST for name, number in (("Amy Able", 7), ("Bo", 8))}
    shown = class_.collect(path, archive(moodle)).json()
    assert states(shown["rows"]) == {"101": ("new", True), "8": ("new", False)}
    assert [row["at"] for row in shown["rows"]] == [None, None], "Moodle does not say it"
    assert [note["code"] for note in shown["notes"]] == ["courses.no_times"]
    (own,) = class_.collect(path, archive({"101.py": FIRST})).json()["rows"]
    assert own["at"].startswith("2026-03-01T04:00"), "times in an archive are those of the course's zone"
    canvas = {"ableamy_9_100_bot.py": FIRST, "bakerbob_LATE_10_101_bot.py": LAST}
    assert states(class_.store(path, archive(canvas))) == {"101": ("new", True), "102": ("new", True)}
    late = {student: line["late"] for student, line in lines(class_, path).items()}
    assert (late["101"], late["102"]) == (False, True)


def test_a_table_says_when_submissions_came(class_: Class) -> None:
    path = class_.course(toml=COURSE + '[deadline]\nat = "2026-03-01 12:30"\n')
    class_.store(path, archive({"Amy Able_7_assignsubmission_file/bot.py": FIRST}))
    assert not lines(class_, path)["7"]["late"]
    worksheet = 'Identifier,Full name,Last modified (submission)\nParticipant 7,Amy Able,"1 March 2026, 1:00 PM"\n'
    assert class_.table(path, "times", worksheet).json() == {"lines": 1, "unknown": []}
    assert lines(class_, path)["7"]["late"]
    assert "is not a time" in class_.table(path, "times", "id,at\n7,soon\n").json()["detail"]


def test_an_unclear_student_is_named_before_it_is_stored(class_: Class) -> None:
    path = class_.course()
    class_.table(path, "roster", ROSTER)
    data = archive({"101.py": FIRST, "1O3.py": LAST, "read me!.py": FIRST})
    owners = ("1:103", "2:")
    shown = class_.collect(path, data, "", *owners).json()
    assert [(row["student"], row["state"], row["known"]) for row in shown["rows"]] == [
        ("101", "new", True),
        ("103", "new", True),
        ("read me!", "left-out", False),
    ]
    assert class_.collect(path, data, shown["plan"]).status_code == 409, "another plan without the owners"
    assert class_.collect(path, data, shown["plan"], *owners).json()["stored"]
    assert {student for student, line in lines(class_, path).items() if line["submission"]} == {"101", "103"}
    for wrong in ("x", "1:<b>", "1:" + "9" * 41):
        assert class_.collect(path, data, "", wrong).status_code in (400, 422)


def test_what_the_course_gave_out_does_not_count_as_similar(class_: Class) -> None:
    path = class_.course()
    given = "def helper(state):\n" + "".join(f"    total_{n} = state.scores[0] * {n} + {n}\n" for n in range(80))
    files = {f"10{n}.py": f"{FIRST}\n{given}    return {n}\n" for n in (1, 2)}
    class_.store(path, archive(files))

    def alike() -> list[Any]:
        class_.teacher.post(f"{path}/grade", json={})
        worked(class_.teacher, path, "grading")
        found: list[Any] = class_.teacher.get(f"{path}/grades").json()["alike"]
        return found

    assert len(alike()) == 1
    base = archive({"framework/helper.py": given})
    assert class_.teacher.post(f"{path}/base", params={"name": "framework.zip"}, content=base).status_code == 200
    assert class_.teacher.get(path).json()["teaching"]["base"] == "framework.zip"
    assert alike() == []
    assert class_.teacher.post(f"{path}/base", content=b"").status_code == 200
    assert class_.teacher.get(path).json()["teaching"]["base"] == ""
    refused = class_.teacher.post(f"{path}/base", params={"name": "x.zip"}, content=b"PK\x03\x04 rubbish")
    assert refused.status_code == 400 and "cannot be read" in refused.json()["detail"]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"../../101.py": "x"}, "outside"),
        ({"/101.py": "x"}, "outside"),
        ({f"{number}.py": b"" for number in range(8001)}, "8000"),
        ({"1.bin": 60 << 20, "2.bin": 60 << 20, "3.bin": 60 << 20}, "160 MB"),
        ({"a_1_assignsubmission_file_/x.py": "x", "b.py": "x"}, "Moodle"),
        ({"submission_metadata.yml": "{a: ["}, "submission_metadata.yml"),
        (None, "zip"),
    ],
    ids=["up", "root", "many", "bomb", "mixed", "yaml", "none"],
)
def test_a_hostile_archive_is_one_sentence(class_: Class, files: dict[str, Any] | None, words: str) -> None:
    sized = {name: bytes(data) if isinstance(data, int) else data for name, data in (files or {}).items()}
    answer = class_.collect(class_.course(), archive(sized) if files else b"no archive")
    assert answer.status_code == 400, answer.text
    assert words in answer.json()["detail"]
    assert "ludus-class" not in answer.json()["detail"], "no path of the server"


def test_a_submission_that_cannot_be_read_stops_nobody_else(class_: Class) -> None:
    path = class_.course()
    rows = class_.store(path, archive({"201.zip": b"PK\x03\x04rubbish", "202.py": FIRST, "203.py": b""}))
    assert {row["student"]: row["state"] for row in rows} == {"201": "new", "202": "new", "203": "refused"}
    assert "cannot be read" in rows[0]["note"]
    class_.teacher.post(f"{path}/grade", json={})
    worked(class_.teacher, path, "grading")
    given = points(class_.teacher.get(f"{path}/grades").json())
    assert (given["201"]["runs"], given["202"]["runs"]) == (0, 30)


def test_who_joins_as_someone_else_sees_and_changes_nothing_of_theirs(class_: Class) -> None:
    path = class_.course()
    class_.table(path, "roster", ROSTER)
    class_.store(path, archive({"101.py": FIRST}))
    with ExitStack() as leaving:
        amy, eve = (
            leaving.enter_context(signed_in(class_.server, class_.database, name)) for name in ("amy15", "eve15")
        )
        enrol(eve, path, "102", "mine.py", LAST)
        number = enrol(amy, path, "101", "other.py", LAST)
        number = lines(class_, path)["101"]["submission"]
        assert lines(class_, path)["101"]["name"] == "101.py", (
            "what someone hands in who is not confirmed does not count"
        )
        assert [claim["name"] for claim in lines(class_, path)["101"]["claims"]] == ["amy15"]
        assert class_.teacher.post(f"{path}/confirm", json={"student": "102"}).status_code == 200
        class_.teacher.post(f"{path}/grade", json={})
        worked(class_.teacher, path, "grading")
        class_.teacher.post(f"{path}/release", json={"released": True})
        seen = amy.get(path).json()
        assert (seen["confirmed"], seen["grade"]) == (False, None)
        assert amy.get(f"{path}/grades/101").status_code == 404
        assert amy.get(f"{path}/submissions/{number}").status_code == 404
        assert amy.get("/api/account/data").json()["courses"][0]["grade"] is None
        assert eve.get(path).json()["grade"]["id"] == "102"
        assert class_.teacher.post(f"{path}/confirm", json={"student": "104"}).status_code == 404
        assert class_.teacher.post(f"{path}/confirm", json={"student": "101"}).status_code == 200
        assert amy.get(path).json()["grade"]["id"] == "101"
        assert amy.get(f"{path}/submissions/{number}").content == FIRST.encode()
        assert lines(class_, path)["101"]["name"] == "other.py", "from then on the last one counts"


TABLES = {
    "roster": ("id,name\n101,Amy\n101,Amy again\n", "roster.csv, line 3"),
    "extensions": ("id,until\n101,tomorrow\n", "extensions.csv, line 2"),
    "late": ("id,days\n101,soon\n", "late.csv, line 2: days must be a number"),
    "entered": ("id,rule,points\n101,report,99\n", "entered.csv, line 2"),
    "programs": ("id,file\n101,\n", "programs.csv, line 2"),
    "parts": ("id,percent\n101,200\n", "parts.csv, line 2"),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_checked_and_kept(class_: Class, name: str) -> None:
    path = class_.course(deadline="2026-03-01T12:00:00Z")
    wrong, words = TABLES[name]
    answer = class_.table(path, name, wrong)
    assert (answer.status_code, answer.json()["detail"][: len(words)]) == (400, words)
    assert class_.teacher.get(path).json()["teaching"]["tables"][name] == ""
    right = {"extensions": "學號,until\n101,2026-03-03\n", "roster": "學號,姓名\n101,王小明\n"}.get(
        name, "id,days,rule,points,file,percent\n"
    )
    assert class_.table(path, name, right.encode("big5")).status_code == 200
    assert class_.teacher.get(path).json()["teaching"]["tables"][name] == right
    assert class_.table(path, name, "").status_code == 200
    assert class_.teacher.get(path).json()["teaching"]["tables"][name] == ""


def test_tables_count_in_the_grades(class_: Class) -> None:
    path = class_.course(toml=COURSE + '[deadline]\nat = "2026-03-01 00:00"\n')
    with signed_in(class_.server, class_.database, "case15") as student:
        student.post(f"{path}/join", json={"student": "B-1", "code": CODE})
        class_.table(path, "roster", "id,name,team\nb1,Ben,red\nb2,Cat,red\nb3,Don,\n")
        assert student.get(path).json()["student"] == "b1", "the roster says how an id is written"
    class_.table(path, "extensions", "id,until\nb2,2026-03-02\n")
    class_.table(path, "parts", "id,percent,reason\nb2,50,half of it\n")
    class_.table(path, "entered", "id,rule,points\nb3,report,8\n")
    class_.store(path, archive({"b1.py": FIRST}))
    assert not class_.table(path, "roster", "name\nnobody\n").is_success
    class_.teacher.post(f"{path}/grade", json={})
    worked(class_.teacher, path, "grading")
    grades = class_.teacher.get(f"{path}/grades").json()
    given, totals = points(grades), {one["id"]: one["total"] for one in grades["students"]}
    assert given["b1"]["late"] == 0, "a team has the longest of its members' extensions"
    assert totals["b2"] == totals["b1"] / 2
    assert given["b3"]["report"] == 8


def test_the_program_is_chosen_where_it_cannot_be_told(class_: Class) -> None:
    path = class_.course()
    both = archive({"one.py": FIRST, "two.py": LAST, "notes.txt": "x"})
    class_.store(path, archive({"301.zip": both}))
    class_.teacher.post(f"{path}/grade", json={})
    worked(class_.teacher, path, "grading")
    (grade,) = class_.teacher.get(f"{path}/grades").json()["students"]
    assert grade["trouble_message"]["code"] == "bots.program_unknown"
    number = lines(class_, path)["301"]["submission"]
    place = f"{path}/submissions/{number}"
    assert class_.teacher.get(f"{place}/files").json() == ["one.py", "two.py"]
    wrong = class_.teacher.post(f"{place}/program", json={"file": "three.py"})
    assert "one.py" in wrong.json()["detail"]
    assert class_.teacher.post(f"{place}/program", json={"file": "two.py"}).status_code == 200
    assert lines(class_, path)["301"]["program"] == "two.py"
    for _ in range(2):
        class_.teacher.post(f"{path}/grade", json={})
        worked(class_.teacher, path, "grading")
        assert points(class_.teacher.get(f"{path}/grades").json())["301"]["runs"] == 30
    with ExitStack() as leaving:
        fay, gus = (
            leaving.enter_context(signed_in(class_.server, class_.database, name)) for name in ("fay15", "gus15")
        )
        fay.post(f"{path}/join", json={"student": "302", "code": CODE})
        gus.post(f"{path}/join", json={"student": "303", "code": CODE})
        own = fay.post(f"{path}/submissions", params={"name": "bot.zip"}, content=both).json()["id"]
        place = f"{path}/submissions/{own}"
        for method, address, body in (("GET", "files", None), ("POST", "program", {"file": "one.py"})):
            assert gus.request(method, f"{place}/{address}", json=body).status_code == 404
        assert fay.post(f"{place}/program", json={"file": "one.py"}).status_code == 200
        fay.post(f"{place}/try", json={})
        worked(fay, path, "trial")
        tried = fay.get(path).json()["submissions"][0]
        assert tried["program"] == "one.py"
        assert json.dumps(tried["result"]["rules"][0]["points"]) == "30.0"
