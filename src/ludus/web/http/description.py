"""The OpenAPI description of all routes: what each may answer besides its own result, found from how it is declared.

Nothing of this is written at the routes. What every request may meet, what a change may meet, and what an address with
variable parts may meet is said here; what a dependency answers by itself is said at the dependency, by `responds`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from typing import Any, TypeVar

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from ludus.messages.fields import MessageField
from ludus.view import View

F = TypeVar("F", bound=Callable[..., Any])

ALWAYS = (400, 421, 429, 503)
"""Not one host, or an input that cannot be; another host; too many requests; a pause, or work that failed."""
OF_CHANGES = (403, 408, 409, 413)
"""Another site; too slow; not possible as things are; too large."""
SECURITY = {
    "session": {"type": "apiKey", "in": "cookie", "name": "ludus_session"},
    "token": {"type": "http", "scheme": "bearer"},
}


class Problem(View):
    """Why a request was refused: as an English sentence, and as data for other languages."""

    detail: str
    message: MessageField
    field: str | None = None
    """The field of a form that it is about, where it is about one."""


def responds(*statuses: int) -> Callable[[F], F]:
    """Return the decorator that says which statuses a dependency answers by itself."""

    def mark(dependency: F) -> F:
        vars(dependency)["responds"] = statuses
        return dependency

    return mark


def describe(document: dict[str, Any], routes: Iterable[APIRoute]) -> None:
    """Add to an OpenAPI document what its routes may answer, and with what they let somebody in."""
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= problem.pop("$defs", {}) | {"Problem": problem}
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    components["securitySchemes"] = SECURITY
    for route in routes:
        described = document["paths"].get(route.path, {})
        for method in route.methods or ():
            operation = described.get(method.lower())
            if operation is None:
                continue
            known = {*statuses(route, method), *(int(one) for one in operation["responses"] if int(one) >= 400)}
            content = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
            if method == "GET":
                content["text/html"] = {"schema": {"type": "string"}}  # the page, to a browser that asks for one
            for status in sorted(known):
                operation["responses"][str(status)] = {"description": HTTPStatus(status).phrase, "content": content}
            roles = set(_marks(route.dependant))
            if 401 in roles:
                either: list[dict[str, list[str]]] = [{name: []} for name in SECURITY]
                operation["security"] = either if 403 in roles else [{}, *either]


def statuses(route: APIRoute, method: str) -> set[int]:
    """Return the statuses that a route may answer when it refuses a request, those for wrong fields aside."""
    found = {*ALWAYS, *_marks(route.dependant)}
    if method != "GET":
        found |= {*OF_CHANGES}
    if "{" in route.path:
        found.add(404)
    if (route.openapi_extra or {}).get("requestBody"):
        found.add(422)
    return found


def _marks(dependant: Dependant) -> Iterator[int]:
    """Yield what a route and everything that it depends on answer by themselves."""
    yield from getattr(dependant.call, "responds", ())
    for one in dependant.dependencies:
        yield from _marks(one)
