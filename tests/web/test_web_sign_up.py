"""Who may sign up: anyone, people with an invitation or a student's code, or nobody. No e-mail is ever asked for."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from commands import run as ludus
from web import PASSWORD, Served, in_person, serving

from ludus.errors import UserError
from ludus.store.accounts import Accounts
from ludus.store.courses import CourseStore
from ludus.store.invitations import Invitations, use_invitation
from ludus.web.app import create_app


def sign_up(served: Served, name: str, **more: Any) -> httpx.Response:
    return httpx.post(f"{served.address}/api/account/sign-up", json={"name": name, "password": PASSWORD, **more})


@pytest.fixture
def admin(served: Served, accounts: Accounts) -> Iterator[httpx.Client]:
    with in_person(served, accounts, "the admin", "admin") as client:
        yield client
        client.post("/api/sign-up", json={"mode": "open"})


@pytest.fixture
def teacher(served: Served, accounts: Accounts) -> Iterator[httpx.Client]:
    with in_person(served, accounts, "the teacher", "instructor") as client:
        yield client


def invited(client: httpx.Client, **wanted: Any) -> str:
    answer = client.post("/api/invitations", json=wanted)
    assert answer.status_code == 201, answer.text
    code: str = answer.json()["code"]
    return code


def test_an_admin_decides_who_signs_up(served: Served, admin: httpx.Client, teacher: httpx.Client) -> None:
    assert httpx.get(f"{served.address}/api/sign-up").json() == {"mode": "open", "fixed": False}
    assert teacher.post("/api/sign-up", json={"mode": "closed"}).status_code == 403
    assert admin.post("/api/sign-up", json={"mode": "closed"}).json()["mode"] == "closed"
    refused = sign_up(served, "Early", code=invited(teacher))
    assert refused.status_code == 403
    assert refused.json()["detail"] == "new accounts are created by an admin here; ask for one"
    admin.post("/api/sign-up", json={"mode": "invitation"})
    refused = sign_up(served, "Early")
    assert refused.status_code == 403
    assert "you need an invitation" in refused.json()["detail"]
    taken = sign_up(served, "the admin")
    assert taken.json()["detail"] == refused.json()["detail"], "without a code nobody learns which names there are"
    assert sign_up(served, "Early", code=invited(teacher)).status_code == 201
    assert admin.get("/api/audit").json()[0]["kind"] in ("account.sign-up", "invitation.add")


def test_an_invitation_has_a_role_a_number_and_an_end(
    served: Served, admin: httpx.Client, teacher: httpx.Client, accounts: Accounts
) -> None:
    admin.post("/api/sign-up", json={"mode": "invitation"})
    code = invited(teacher, uses=2, note="lab A")
    assert [sign_up(served, f"Pair {n}", code=code).status_code for n in range(3)] == [201, 201, 403]
    assert teacher.post("/api/invitations", json={"role": "instructor"}).status_code == 403
    assert admin.post("/api/invitations", json={"role": "admin"}).status_code == 422
    assert sign_up(served, "Colleague", code=invited(admin, role="instructor")).json()["role"] == "instructor"
    for wrong in ("x", "0" * 16, code[:-1]):
        answer = sign_up(served, "Wrong", code=wrong)
        assert answer.status_code == 403
        assert "wrong, was used already, or has ended" in answer.json()["detail"]
    code = invited(teacher)
    assert sign_up(served, "x", code=code).status_code == 400, "a name that is no name"
    assert sign_up(served, "Pair 1", code=code).status_code == 400, "a name that is taken"
    mine = teacher.get("/api/invitations").json()[0]
    assert mine["left"] == 1, "what failed has not used it"
    assert "code" not in mine
    assert mine["by"] == "the teacher"
    left = teacher.post(f"/api/invitations/{mine['id']}/revoke", json={}).json()
    assert mine["id"] not in [one["id"] for one in left]
    assert sign_up(served, "Late", code=code).status_code == 403
    code = invited(teacher)
    someone = accounts.find("the teacher")
    assert someone is not None
    accounts.set_role(someone, "student", None)
    assert sign_up(served, "Late", code=code).status_code == 403, "who may no longer invite does not"
    accounts.set_role(someone, "instructor", None)


def test_an_instructor_sees_and_ends_their_own_only(
    served: Served, admin: httpx.Client, teacher: httpx.Client, accounts: Accounts
) -> None:
    invited(teacher)
    (mine,) = teacher.get("/api/invitations").json()[:1]
    with in_person(served, accounts, "another teacher", "instructor") as other:
        assert other.get("/api/invitations").json() == []
        assert other.post(f"/api/invitations/{mine['id']}/revoke", json={}).status_code == 404
    assert mine["id"] in [one["id"] for one in admin.get("/api/invitations").json()]
    assert admin.post(f"/api/invitations/{mine['id']}/revoke", json={}).status_code == 200


def test_a_student_s_own_code_is_an_invitation_too(served: Served, admin: httpx.Client, database: Path) -> None:
    admin.post("/api/sign-up", json={"mode": "invitation"})
    with contextlib.closing(CourseStore(database)) as courses:
        course = courses.add(1, "Course", "", "secret", None)
        code = courses.add_codes(course, ["101"], 1)["101"]
        made = sign_up(served, "Amy of 101", code=code)
        assert made.status_code == 201
        assert made.json()["course"] == course
        assert [(one.name, one.student, one.confirmed) for one in courses.enrolled(course)] == [
            ("Amy of 101", "101", True)
        ]
    assert sign_up(served, "Mallory", code=code).status_code == 403


def test_what_the_operator_decides_is_fixed(tmp_path: Path) -> None:
    place = tmp_path / "arena.db"
    data = ["--database", str(place)]
    assert "Anyone can create" in ludus("account", "sign-up", *data).stdout
    assert "Nobody can create" in ludus("account", "sign-up", "closed", *data).stdout
    assert "the modes are open, invitation, closed" in ludus("account", "sign-up", "maybe", *data).stderr
    code = json.loads(ludus("account", "invite", "--role", "instructor", "--json", *data).stdout)["code"]
    (listed,) = json.loads(ludus("account", "invitations", "--json", *data).stdout)
    assert listed["role"] == "instructor"
    with serving(place, "--sign-up", "invitation") as server, contextlib.closing(Accounts(place)) as accounts:
        with in_person(server, accounts, "admin", "admin") as admin:
            assert admin.get("/api/sign-up").json() == {"mode": "invitation", "fixed": True}
            refused = admin.post("/api/sign-up", json={"mode": "open"})
            assert refused.status_code == 409
            assert "--sign-up invitation" in refused.json()["detail"]
        assert sign_up(server, "Someone").status_code == 403
        assert sign_up(server, "Someone", code=code).json()["role"] == "instructor"
    assert "no invitations" in ludus("account", "invitations", *data).stdout
    number = json.loads(ludus("account", "invite", "--json", *data).stdout)["id"]
    assert "no invitations" in ludus("account", "invitations", "--revoke", str(number), *data).stdout
    assert "there is no such invitation" in ludus("account", "invitations", "--revoke", str(number), *data).stderr


def test_the_last_use_of_an_invitation_makes_one_account(any_database: Path | str) -> None:
    with (
        contextlib.closing(Accounts(any_database)) as accounts,
        contextlib.closing(Invitations(any_database)) as invitations,
    ):
        _, code = invitations.add(None, "student", 2, 1)

        def made(number: int) -> bool:
            def admit(session: Any, row: Any) -> None:
                if not use_invitation(session, code, row):
                    raise UserError("web.wrong_invitation")

            with contextlib.suppress(UserError):
                accounts.add(f"one {number}", PASSWORD, admit=admit)
                return True
            return False

        with ThreadPoolExecutor(6) as threads:
            assert list(threads.map(made, range(6))).count(True) == 2
        assert len(accounts.all()) == 2
        _, ended = invitations.add(None, "student", 1, -1)
        assert not invitations.is_valid(ended)
        someone = accounts.all()[0]
        accounts.set_role(someone, "admin", None)
        invitations.add(someone.id, "student", 3, 1, "lab")
        assert accounts.export(someone)["invitations"][0]["note"] == "lab"
        accounts.remove(someone, None)
        assert invitations.valid() == []


def test_no_route_asks_for_an_e_mail_address(tmp_path: Path) -> None:
    described = json.dumps(create_app(tmp_path / "arena.db", tmp_path).openapi()).lower()
    assert 'format": "email' not in described
    schemas = create_app(tmp_path / "arena.db", tmp_path).openapi()["components"]["schemas"]
    assert [name for name, schema in schemas.items() if "email" in schema.get("required", ())] == []
