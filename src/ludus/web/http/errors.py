"""How the server refuses: a sentence in English, and the message as data for pages in other languages."""

from __future__ import annotations

from typing import Any

from ludus.messages import Message, verbatim


def error_json(problem: Message | str) -> dict[str, Any]:
    """Return the body of an answer that refuses something."""
    message = problem if isinstance(problem, Message) else verbatim(problem)
    return {"detail": str(message), "message": message.json}


def invalid_field(error: Any) -> Message:
    """Return what is wrong with the first field that pydantic did not accept."""
    place = ".".join(str(part) for part in error["loc"])
    return Message("web.invalid_field", place=place, problem=error["msg"].lower())
