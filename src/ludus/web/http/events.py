"""Server-sent events: a stream of numbered messages that a browser takes up again by itself. Knows no content."""

from __future__ import annotations

import asyncio
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


async def any_of(events: list[asyncio.Event], seconds: float) -> bool:
    """Wait until one of some events comes, but not longer than so many seconds; say whether one has."""
    tasks = [asyncio.ensure_future(one.wait()) for one in events]
    try:
        await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
    return any(one.is_set() for one in events)
