"""The arena's own description of its routes, and requests made up from it by Schemathesis: none may fail the server."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from patience import PATIENCE
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance
from web import Served, serving, signed_in

from ludus.web.app import create_app

EXAMPLES = 15
"""Requests made up for each route."""


def operations() -> list[Any]:
    """Return all routes that are described, streams aside: those do not end by themselves."""
    with tempfile.TemporaryDirectory() as folder:
        described = create_app(Path(folder, "arena.db"), Path(folder)).openapi()
    results: Any = schemathesis.openapi.from_dict(described).get_all_operations()
    found = [result.ok() for result in results]
    return [operation for operation in found if not operation.path.endswith("/events")]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, str]]:
    """Return a server, and the right of an admin there: what is refused at the door tries nothing behind it."""
    database = tmp_path_factory.mktemp("schema") / "arena.db"
    with serving(database) as server, signed_in(server, database, "Admin", "admin") as client:
        yield server, client.headers["Authorization"]


@pytest.mark.parametrize("operation", operations(), ids=lambda operation: operation.label)
def test_no_request_fails_the_server(operation: Any, served: tuple[Served, str]) -> None:
    server, right = served

    @given(case=operation.as_strategy())
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    def call(case: Any) -> None:
        answer = case.call(base_url=server.address, headers={"Authorization": right}, timeout=PATIENCE)
        case.validate_response(answer, checks=[not_a_server_error, response_schema_conformance])

    call()
