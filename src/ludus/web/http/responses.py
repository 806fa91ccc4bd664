"""Responses of many routes: files to download, texts that browsers keep, and errors, as a sentence and as data."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple, Self
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ludus.messages import Message, verbatim


def error_response(
    problem: Message | str, status: int, headers: Mapping[str, str] | None = None, **more: Any
) -> JSONResponse:
    """Return the response for a problem, with more fields in its body where they are given."""
    message = verbatim(problem)
    return JSONResponse({"detail": str(message), "message": message.json, **more}, status, headers)


class Bundle(NamedTuple):
    """Texts that are loaded in one request."""

    body: bytes
    tag: str
    """The ETag: it changes when the texts do."""

    @classmethod
    def of(cls, body: bytes) -> Self:
        """Return a body with its tag."""
        return cls(body, f'"{hashlib.sha256(body).hexdigest()[:16]}"')


def bundle_response(request: Request, found: Bundle, media_type: str) -> Response:
    """Return a bundle; 304 if the browser has it."""
    headers = {"ETag": found.tag}
    if request.headers.get("if-none-match", "").removeprefix("W/") == found.tag:
        return Response(status_code=304, headers=headers)
    return Response(found.body, media_type=media_type, headers=headers)


def attachment(content: bytes | str, media_type: str, name: str) -> Response:
    """Return a response that a browser saves as a file."""
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return Response(content, media_type=media_type, headers=headers)


def invalid_field(error: Any) -> Message:
    """Return what is wrong with the first field that pydantic did not accept."""
    place = ".".join(str(part) for part in error["loc"])
    return Message("web.invalid_field", place=place, problem=f"{error['msg'][:1].lower()}{error['msg'][1:]}")
