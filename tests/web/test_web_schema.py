"""The arena's own description of its routes, and requests made up from it by Schemathesis, sent by people of each role.

No request may fail the server, and no answer may be one that the description does not have: neither its status, nor its
kind of content, nor its shape. `make schema` does the same with many more requests.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from patience import PATIENCE
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from web import PASSWORD, Served, begin, in_person, serving

from ludus.store.accounts import Accounts
from ludus.web.app import create_app

EXAMPLES = int(os.environ.get("LUDUS_SCHEMA_EXAMPLES", "0"))
"""Requests made up for each route, others each time; without the variable a few, always the same."""
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
STREAM = "text/event-stream"


def described() -> dict[str, Any]:
    """Return the description of all routes."""
    with tempfile.TemporaryDirectory() as folder:
        return create_app(Path(folder, "arena.db"), Path(folder)).openapi()


def operations() -> list[Any]:
    """Return all routes that are described, streams aside: those do not end by themselves."""
    results: Any = schemathesis.openapi.from_dict(described()).get_all_operations()
    found = [result.ok() for result in results]
    return [operation for operation in found if not operation.path.endswith("/events")]


class Arena(NamedTuple):
    """A server, what there is on it, and its people."""

    server: Served
    accounts: Accounts
    places: dict[str, Any]
    """The variable parts of addresses that lead to something."""


ROLES = {"guest": "", "player": "student", "student": "student", "instructor": "instructor", "admin": "admin"}
"""Who sends requests; a student, unlike a player, takes part in the course, and has submitted something."""


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    database = tmp_path_factory.mktemp("schema") / "arena.db"
    with serving(database, "--per-address", "5000") as server, contextlib.closing(Accounts(database)) as accounts:
        for name, role in ROLES.items():
            if role:
                accounts.add(name, PASSWORD, role)
        with in_person(server, accounts, "instructor") as teacher, in_person(server, accounts, "student") as student:
            course = teacher.post("/api/courses", json={"preset": "nycu-cantris", "title": "Course"}).json()["id"]
            student.post(f"/api/courses/{course}/join", json={"student": "student"})
            path = f"/api/courses/{course}/submissions"
            submission = student.post(path, params={"name": "bot.py"}, content=b"def choose(s, c): ...").json()["id"]
            match = begin(student, "cantris", "human", "human")["id"]
            files = [{"name": "bot.py", "text": "import sys\nprint(input())\n"}]
            bot = student.post("/api/bots", json={"files": files, "game": "cantris", "name": "Mine"}).json()["id"]
        places = {"course": course, "name": match, "bot": bot, "student": "student", "game": "cantris"}
        yield Arena(server, accounts, places | {"number": submission})


@pytest.mark.parametrize("operation", operations(), ids=lambda operation: operation.label)
def test_every_answer_is_described_whoever_asks(operation: Any, arena: Arena) -> None:
    with contextlib.ExitStack() as leaving:
        headers: list[dict[str, str]] = []
        for name, role in ROLES.items():
            cookies = leaving.enter_context(in_person(arena.server, arena.accounts, name)).cookies if role else None
            headers.append({"Cookie": f"ludus_session={cookies['ludus_session']}", "X-Ludus": "1"} if cookies else {})
        right, wrong = (operation.as_strategy(generation_mode=mode) for mode in GenerationMode)

        @given(case=right | wrong, somewhere=st.booleans())
        @settings(
            max_examples=EXAMPLES or 3,
            derandomize=not EXAMPLES,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
        )
        def call(case: Any, somewhere: bool) -> None:
            if not somewhere:  # else what is made up, which is nowhere
                known = {name: arena.places[name] for name in case.path_parameters or () if name in arena.places}
                case.path_parameters = {**(case.path_parameters or {}), **known}
            for own in headers:
                answer = case.call(base_url=arena.server.address, headers=own, timeout=PATIENCE)
                case.validate_response(answer, checks=CHECKS)

        call()


def test_a_route_describes_what_its_dependencies_answer() -> None:
    paths = described()["paths"]

    def statuses(method: str, path: str) -> set[str]:
        return set(paths[path][method]["responses"])

    assert {"201", "401", "403", "409", "413", "421", "422", "429"} <= statuses("post", "/api/tournaments")
    assert "403" not in statuses("get", "/api/games")
    assert "404" not in statuses("get", "/api/games")
    assert "409" in statuses("get", "/api/matches/{name}/positions"), "one that is being played"
    assert paths["/api/tournaments"]["post"]["security"] == [{"session": []}, {"token": []}]
    assert {} in paths["/api/matches"]["post"]["security"], "a guest may"
    for path, operation in paths.items():
        if path.endswith("/events"):
            assert list(operation["get"]["responses"]["200"]["content"]) == [STREAM], path
        for method, one in operation.items():
            for status, response in one["responses"].items():
                if int(status) >= 400:
                    schema = response["content"]["application/json"]["schema"]
                    assert schema == {"$ref": "#/components/schemas/Problem"}, (method, path, status)
