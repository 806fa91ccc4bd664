"""Whose a student's id is: a code of one's own, the roster, or the instructor's word; never whoever types it first."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import create_engine, text
from web import PASSWORD, Served, serving, signed_in

from ludus.errors import UserError
from ludus.store import upgrade
from ludus.store.accounts import Accounts
from ludus.store.codes import code_hash, new_code
from ludus.store.courses import CollectedSubmission, CourseStore

ROSTER = "id,name\n101,Amy Adams\n102,Bob Brown\n"
CODE = "open sesame"


class School:
    """A server, its instructor, and how to make courses and people."""

    def __init__(self, server: Served, database: Path) -> None:
        self.server, self.database = server, database
        self.teacher = signed_in(server, database, "teacher", "instructor")
        self.leaving = contextlib.ExitStack()
        self.leaving.enter_context(self.teacher)

    def person(self, name: str) -> httpx.Client:
        return self.leaving.enter_context(signed_in(self.server, self.database, name))

    def course(self, roster: str = ROSTER) -> str:
        made = self.teacher.post("/api/courses", json={"preset": "nycu-cantris", "title": "x", "code": CODE}).json()
        path = f"/api/courses/{made['id']}"
        if roster:
            assert self.teacher.post(f"{path}/tables/roster", content=roster.encode()).status_code == 200
        return path

    def line(self, path: str, student: str) -> dict[str, Any]:
        lines: list[dict[str, Any]] = self.teacher.get(path).json()["teaching"]["students"]
        return next(one for one in lines if one["student"] == student)

    def codes(self, path: str, **wanted: Any) -> dict[str, str]:
        answer = self.teacher.post(f"{path}/codes", json=wanted)
        assert answer.status_code == 201, answer.text
        return {one["student"]: one["code"] for one in answer.json()}


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[School]:
    database = tmp_path_factory.mktemp("claims") / "arena.db"
    with serving(database) as server:
        found = School(server, database)
        with found.leaving:
            yield found


def join(client: httpx.Client, path: str, **body: str) -> int:
    return client.post(f"{path}/join", json=body).status_code


def test_typing_an_id_gives_nothing_and_takes_nothing(school: School) -> None:
    path = school.course()
    mallory, amy = school.person("mallory 1"), school.person("amy 1")
    assert join(mallory, path, student="101", code=CODE) == 200
    assert not mallory.get(path).json()["confirmed"]
    assert join(amy, path, student="101", code=CODE) == 200, "the first to claim it does not stand in the way"
    line = school.line(path, "101")
    assert line["account"] == ""
    assert [claim["name"] for claim in line["claims"]] == ["mallory 1", "amy 1"]
    assert school.teacher.post(f"{path}/confirm", json={"student": "101"}).status_code == 404, "who of them?"
    wanted = {"student": "101", "account": line["claims"][1]["account"]}
    assert school.teacher.post(f"{path}/confirm", json=wanted).status_code == 200
    assert amy.get(path).json()["confirmed"]
    assert mallory.get(path).json()["student"] is None


def test_a_code_of_one_s_own_proves_an_id_once(school: School) -> None:
    path = school.course()
    mallory, amy, bob = (school.person(f"{name} 2") for name in ("mallory", "amy", "bob"))
    assert join(mallory, path, student="101", code=CODE) == 200
    codes = school.codes(path)
    assert set(codes) == {"101", "102"}
    assert join(bob, school.course(), student="102", code=codes["102"]) == 403, "another course"
    assert join(amy, path, code=codes["101"].lower().replace("-", " ")) == 200, "without the code of the course"
    assert amy.get(path).json() | {"student": "101", "confirmed": True} == amy.get(path).json()
    assert mallory.get(path).json()["student"] is None
    assert join(mallory, path, student="101", code=codes["101"]) == 403, "it is used up"
    assert "someone has already joined" in mallory.post(f"{path}/join", json={"student": "101", "code": CODE}).text
    assert set(school.codes(path)) == {"102"}, "who has an account needs none"
    assert join(bob, path, code=codes["102"]) == 403, "a new code ends the one before"
    again = school.codes(path, students=["101"])["101"]
    assert join(mallory, path, code=again) == 200
    assert school.line(path, "101")["account"] == "mallory 2", "a new code hands the id on: the instructor wants it"
    assert not amy.get(path).json()["confirmed"]
    assert "not a student of this course" in school.teacher.post(f"{path}/codes", json={"students": ["999"]}).text


def test_a_roster_that_names_an_account_gives_it_the_id(school: School) -> None:
    amy, mallory = school.person("amy 3"), school.person("mallory 3")
    path = school.course("")
    roster = "id,name,account\n101,Amy,AMY 3\n102,Bob,bob 3\n"
    told = school.teacher.post(f"{path}/tables/roster", content=roster.encode()).json()
    assert told == {"lines": 2, "unknown": ["bob 3"]}
    assert amy.get(path).json()["student"] == "101"
    assert amy.get(path).json()["confirmed"]
    assert "someone has already joined" in mallory.post(f"{path}/join", json={"student": "101", "code": CODE}).text
    bob = school.person("bob 3")
    assert join(bob, path, student="102", code=CODE) == 200
    assert not bob.get(path).json()["confirmed"], "anyone may have signed up under that name since"


def test_without_a_roster_the_own_name_is_an_id(school: School) -> None:
    path = school.course("")
    amy, mallory = school.person("amy 4"), school.person("104")
    assert join(amy, path, student=" AMY 4 ", code=CODE) == 200
    assert amy.get(path).json() | {"student": "amy 4", "confirmed": True} == amy.get(path).json()
    assert join(mallory, path, student="104", code=CODE) == 200, "a name that looks like an id"
    assert mallory.get(path).json()["confirmed"]
    school.teacher.post(f"{path}/tables/roster", content=b"id\n104\n")
    assert not mallory.get(path).json()["confirmed"], "until the instructor means somebody by it"
    assert join(school.person("x 4"), path, student="104", code="wrong") == 403
    assert join(school.person("y 4"), path, code=CODE) == 400, "an id is needed"


def test_a_wrong_code_is_not_taken_for_none(school: School) -> None:
    made = school.teacher.post("/api/courses", json={"preset": "nycu-cantris", "title": "open"}).json()
    path, amy = f"/api/courses/{made['id']}", school.person("amy 5")
    assert join(amy, path, student="amy 5", code="not a code") == 403
    assert join(amy, path, student="amy 5") == 200


def test_codes_cannot_be_guessed_quickly(school: School) -> None:
    path, mallory = school.course(), school.person("mallory 6")
    statuses = [join(mallory, path, student="101", code=new_code()) for _ in range(12)]
    assert statuses[:10] == [403] * 10
    assert statuses[-1] == 429


# The store, in both kinds of database


@pytest.fixture
def stores(any_database: Path | str) -> Iterator[tuple[Accounts, CourseStore]]:
    with contextlib.closing(Accounts(any_database)) as accounts, contextlib.closing(CourseStore(any_database)) as store:
        yield accounts, store


def test_one_code_serves_one_of_many_who_use_it_at_once(stores: tuple[Accounts, CourseStore]) -> None:
    accounts, store = stores
    people = [accounts.add(f"one {n}", PASSWORD).id for n in range(6)]
    course = store.add(1, "x", "", "", None)
    code = store.add_codes(course, ["101"], 1)["101"]
    with ThreadPoolExecutor(6) as threads:
        used = list(threads.map(lambda account: store.claim(course, account, code), people))
    assert used.count(True) == 1
    assert [(one.account, one.confirmed) for one in store.enrolled(course)] == [(people[used.index(True)], True)]


def test_one_name_is_taken_by_one_of_many_who_join_at_once(stores: tuple[Accounts, CourseStore]) -> None:
    accounts, store = stores
    people = [accounts.add(f"one {n}", PASSWORD).id for n in range(6)]
    course = store.add(1, "x", "", "", None)

    def joined(account: int) -> bool:
        with contextlib.suppress(UserError):
            store.join(course, account, "101", own_name=True)
            return True
        return False

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(joined, people)).count(True) == 1
    assert len(store.enrolled(course)) == 1


def test_a_code_ends_and_an_upload_makes_a_name_doubtful(stores: tuple[Accounts, CourseStore]) -> None:
    accounts, store = stores
    amy = accounts.add("amy", PASSWORD).id
    course = store.add(1, "x", "", "", None)
    code = store.add_codes(course, ["101"], -1)["101"]
    assert not store.has_code(code)
    assert not store.claim(course, amy, code)
    store.join(course, amy, "amy", own_name=True)
    assert store.confirmed(course, amy)
    store.collect(course, [CollectedSubmission("amy.py", b"x", "amy", [], datetime.now(UTC), None)])
    assert not store.confirmed(course, amy)
    assert store.is_reserved(course, "amy")
    assert store.submissions(course, amy) == []
    store.assign(course, "amy", amy)
    assert [one.name for one in store.submissions(course, amy)] == ["amy.py"]


def test_enrolments_from_before_stay_as_they_were(tmp_path: Path) -> None:
    place = tmp_path / "arena.db"
    engine = create_engine(f"sqlite:///{place}")
    upgrade(engine, "0012")
    with engine.begin() as connection:
        columns = "id, title, toml, code, late, entered, released, created"
        connection.execute(
            text(f"INSERT INTO course ({columns}) VALUES (1, 'x', '', '', '', '', 0, '2026-01-01')")  # noqa: S608
        )
        for account, confirmed in ((1, 1), (2, 0)):
            values = f"(1, {account}, 's{account}', '2026-01-01 00:00:00.000000', {confirmed})"
            connection.execute(
                text(f"INSERT INTO enrolment (course_id, account_id, student, joined, confirmed) VALUES {values}")  # noqa: S608
            )
    engine.dispose()
    with contextlib.closing(CourseStore(place)) as store:
        assert [store.student(1, account) for account in (1, 2)] == ["s1", "s2"]
        assert [store.confirmed(1, account) for account in (1, 2)] == [True, False]
        store.join(1, 3, "s2")
        assert store.claims(1, "s2") == [2, 3]


@pytest.mark.parametrize("typed", [str.lower, lambda code: code.replace("-", ""), lambda code: f" {code}\n"])
def test_a_code_is_read_however_it_is_typed(typed: Any) -> None:
    code = new_code()
    assert code_hash(typed(code)) == code_hash(code)
    assert code_hash("O1LI-0000") == code_hash("0111 oooo")
    assert len({new_code() for _ in range(100)}) == 100
