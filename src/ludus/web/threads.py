"""Threads for work that would block the event loop. Knows nothing of the work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Threads(ThreadPoolExecutor):
    """A few threads whose results are awaited; a single thread works in the order of the calls."""

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function in one of the threads."""
        return await asyncio.get_running_loop().run_in_executor(self, partial(work, *args, **kwargs))
