"""Server-sent events: a stream of numbered messages that a browser takes up again by itself. Knows no content."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.responses import StreamingResponse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

BEAT_SECONDS = 15.0
BEAT = ": still here\n\n"
"""A line without content now and then, so that nothing between takes the connection for dead."""


def event(data: Any, number: int | None = None, kind: str | None = None) -> str:
    """Write a message."""
    return written(compact(data), number, kind)


def compact(data: Any) -> str:
    """Write data as short as JSON can be."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def written(text: str, number: int | None = None, kind: str | None = None) -> str:
    """Write a message whose data is JSON already."""
    head = (f"id: {number}\n" if number is not None else "") + (f"event: {kind}\n" if kind else "")
    return f"{head}data: {text}\n\n"


def stream(messages: AsyncIterator[str]) -> StreamingResponse:
    """Answer with messages as they come."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(messages, media_type="text/event-stream", headers=headers)
