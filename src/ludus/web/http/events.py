"""Server-sent events: a stream of numbered messages that a browser resumes by itself. Knows no content."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Annotated, Any, cast

from fastapi import Depends, Header
from starlette.responses import StreamingResponse

BEAT_SECONDS = 15.0
LONGEST_SECONDS = 3600.0
"""How long a stream lasts; then the browser asks again, and must still be allowed to."""
BEAT = ": still here\n\n"
"""Sent while nothing happens, so that no proxy takes the connection for dead."""


class Observable:
    """Something that several streams follow."""

    def __init__(self) -> None:
        self.news = asyncio.Event()
        """Set by the next change. Take it before looking at the rest, so that no change is missed."""

    def notify(self) -> None:
        """Wake everyone who waits for a change."""
        news, self.news = self.news, asyncio.Event()
        news.set()


def event(data: Any, number: int | None = None) -> str:
    """Return a message of a stream."""
    return written(compact(data), number)


def compact(data: Any) -> str:
    """Return data as the shortest JSON."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def written(text: str, number: int | None = None) -> str:
    """Return a message whose data is JSON text already."""
    head = f"id: {number}\n" if number is not None else ""
    return f"{head}data: {text}\n\n"


class EventStream(StreamingResponse):
    """A response that sends messages as they come."""

    media_type = "text/event-stream"


async def _bounded(messages: AsyncIterator[str]) -> AsyncIterator[str]:
    ends = time.monotonic() + LONGEST_SECONDS
    async with contextlib.aclosing(cast("AsyncGenerator[str, None]", messages)) as open_messages:
        async for message in open_messages:
            yield message
            if time.monotonic() > ends:
                return


def stream(messages: AsyncIterator[str]) -> EventStream:
    """Return a response that sends messages as they come."""
    return EventStream(_bounded(messages), headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})


async def any_of(events: list[asyncio.Event], seconds: float) -> bool:
    """Wait until one of some events is set, at most for some seconds; return whether one is."""
    if not events:
        await asyncio.sleep(seconds)
        return False
    tasks = [asyncio.ensure_future(one.wait()) for one in events]
    try:
        await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
    return any(one.is_set() for one in events)


async def _last_seen(seen: int = 0, last_event_id: Annotated[str, Header(max_length=20)] = "") -> int:
    return int(last_event_id) if last_event_id.isascii() and last_event_id.isdecimal() else seen


LastSeen = Annotated[int, Depends(_last_seen)]
"""The number of the last message that a client has, from the header that browsers send when they reconnect."""
