"""The router that all routes use: it reads JSON bodies so that what a database or a file cannot hold goes no further.

A body may be nested as deep as it likes, contain numbers of any length, or texts with characters that are none (NUL,
half of a pair of surrogates): each is one sentence here, and would be a failure somewhere behind it.

It also lets the requests of an address take turns, so that those of others do not wait behind them. Knows no route.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from inspect import iscoroutinefunction
from typing import Any

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect

from ludus.errors import UserError
from ludus.web.http.connections import network_of


class PlainRequest(Request):
    """A request whose JSON is read here."""

    async def json(self) -> Any:
        """Return the JSON of the body; raise JSONDecodeError where it is none, HTTPException where it is no use."""
        if not hasattr(self, "_json"):
            try:
                self._json = read_json(await self.body())
            except UserError as error:
                raise HTTPException(400, error.message) from None
        return self._json


class PlainRoute(APIRoute):
    """A route that reads JSON as `PlainRequest` does, in the turn of who asks.

    A stream has its turn until it begins. A change that is read piece by piece needs none: changes are counted.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what handles a request."""
        handle = super().get_route_handler()
        in_thread = not iscoroutinefunction(self.endpoint)

        async def handle_plain(given: Request) -> Response:
            request = PlainRequest(given.scope, given.receive, given._send)  # noqa: SLF001
            reads = request.method in ("GET", "HEAD")
            if not (in_thread or reads):
                return await handle(request)
            if not reads:  # a body that comes slowly must not hold up others
                try:
                    await request.body()
                except ClientDisconnect:
                    raise HTTPException(400) from None
            services = request.app.state.services
            turns = services.turns_in_threads if in_thread else services.turns_in_loop
            async with turns.one(network_of(request.client.host if request.client else "?")):
                return await handle(request)

        return handle_plain


class Router(APIRouter):
    """A router of the arena."""

    def __init__(self, prefix: str = "/api", **more: Any) -> None:
        super().__init__(prefix=prefix, route_class=PlainRoute, **more)


def read_json(body: bytes) -> Any:
    """Return what JSON text says; raise JSONDecodeError where it is none, and UserError where it cannot be used."""
    try:
        found = json.loads(body.decode())
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError):  # not UTF-8, a number of thousands of digits, nested too deep
        raise UserError("web.unreadable_body") from None
    if b"\\u" in body and not all(map(is_plain, _texts(found))):
        raise UserError("web.bad_character")
    return found


def is_plain(text: str) -> bool:
    """Return whether every database and file can hold a text."""
    return "\0" not in text and not any("\ud800" <= sign <= "\udfff" for sign in text)


def _texts(data: Any) -> list[str]:
    """Return all texts in what JSON said, those of keys included."""
    found, left = [], [data]
    while left:
        match left.pop():
            case str() as text:
                found.append(text)
            case dict() as fields:
                left += [*fields, *fields.values()]
            case list() as items:
                left += items
    return found
