"""Responses of many routes: files to download; and errors, as an English sentence and as data for other languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.responses import JSONResponse, Response

from ludus.messages import Message, verbatim

if TYPE_CHECKING:
    from collections.abc import Mapping


def error_response(
    problem: Message | str, status: int, headers: Mapping[str, str] | None = None, **more: Any
) -> JSONResponse:
    """Return the response for a problem, with more fields in its body where they are given."""
    message = problem if isinstance(problem, Message) else verbatim(problem)
    return JSONResponse({"detail": str(message), "message": message.json, **more}, status, headers)


def attachment(content: bytes | str, media_type: str, name: str) -> Response:
    """Return a response that a browser saves as a file."""
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return Response(content, media_type=media_type, headers=headers)


def invalid_field(error: Any) -> Message:
    """Return what is wrong with the first field that pydantic did not accept."""
    place = ".".join(str(part) for part in error["loc"])
    return Message("web.invalid_field", place=place, problem=error["msg"].lower())
