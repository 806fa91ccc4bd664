"""The arena's own description of its routes, and requests made up from it by Schemathesis, sent by people of each role.

No request may fail the server, and no answer may be one that the description does not have: neither its status, nor its
kind of content, nor its shape. `make schema` does the same with many more requests.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from patience import PATIENCE
from web import PASSWORD, Served, begin, in_person, serving

from ludus.store.accounts import Accounts
from ludus.web.app import create_app

EXAMPLES = int(os.environ.get("LUDUS_SCHEMA_EXAMPLES", "0"))
"""Requests made up for each route, others each time; without the variable a few, always the same."""
PARTS = 24
"""How many tests share the routes, so that several workers can take part."""
STREAM = "text/event-stream"


@functools.cache
def described() -> dict[str, Any]:
    """Return the description of all routes."""
    with tempfile.TemporaryDirectory() as folder:
        return create_app(Path(folder, "arena.db"), Path(folder)).openapi()


class Schema:
    """The routes as Schemathesis reads them. It is imported here, since it takes every worker of the tests seconds."""

    def __init__(self) -> None:
        schemathesis: Any = importlib.import_module("schemathesis")
        checks: Any = importlib.import_module("schemathesis.specs.openapi.checks")
        results = [result.ok() for result in schemathesis.openapi.from_dict(described()).get_all_operations()]
        self.operations = [operation for operation in results if not operation.path.endswith("/events")]
        """All that are described, streams aside: those do not end by themselves."""
        self.modes = list(schemathesis.GenerationMode)
        self.checks = [
            importlib.import_module("schemathesis.checks").not_a_server_error,
            checks.status_code_conformance,
            checks.content_type_conformance,
            checks.response_headers_conformance,
            checks.response_schema_conformance,
        ]


@functools.cache
def schema() -> Schema:
    return Schema()


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


@pytest.mark.parametrize("part", range(PARTS))
def test_every_answer_is_described_whoever_asks(part: int, arena: Arena) -> None:
    operations = schema().operations[part::PARTS]
    assert operations
    for operation in operations:
        with contextlib.ExitStack() as leaving:
            call(operation, [session_of(name, arena, leaving) for name in ROLES], arena)


def session_of(name: str, arena: Arena, leaving: contextlib.ExitStack) -> dict[str, str]:
    """Return the headers of a person who has just signed in, or of a guest."""
    if not ROLES[name]:
        return {}
    cookies = leaving.enter_context(in_person(arena.server, arena.accounts, name)).cookies
    return {"Cookie": f"ludus_session={cookies['ludus_session']}", "X-Ludus": "1"}


def call(operation: Any, people: list[dict[str, str]], arena: Arena) -> None:
    """Send requests that are made up for a route, each by all people."""
    right, wrong = (operation.as_strategy(generation_mode=mode) for mode in schema().modes)

    @given(case=right | wrong, somewhere=st.booleans())
    @settings(
        max_examples=EXAMPLES or 3,
        derandomize=not EXAMPLES,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    def send(case: Any, somewhere: bool) -> None:
        if not somewhere:  # else what is made up, which is nowhere
            known = {name: arena.places[name] for name in case.path_parameters or () if name in arena.places}
            case.path_parameters = {**(case.path_parameters or {}), **known}
        for headers in people:
            answer = case.call(base_url=arena.server.address, headers=headers, timeout=PATIENCE)
            case.validate_response(answer, checks=schema().checks)

    send()


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
                    shape = response["content"]["application/json"]["schema"]
                    assert shape == {"$ref": "#/components/schemas/Problem"}, (method, path, status)
