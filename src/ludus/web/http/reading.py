"""Parsing of what people upload, in a separate process with a limit of time and memory.

Arguments and results are passed as files, since a large message through a pipe would block the event loop. A short text
is parsed at once, which is cheaper. Knows nothing of the formats.
"""

from __future__ import annotations

import logging
import pickle
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool

from ludus.errors import UserError
from ludus.files import ScratchFolder
from ludus.web.jobs.workers import AsyncWorkers, TaskFailed

LOG = logging.getLogger("ludus.web")
AT_ONCE = 4096
"""Characters of a text that is parsed at once."""
PROCESSES = 2
SECONDS = 20.0
MEMORY_BYTES = 1 << 30
"""Memory of a process: an unpacked archive, and Ludus itself."""
CALL, RESULT = "call", "result"


def readers() -> AsyncWorkers:
    """Return the processes that parse; each is started when it is first needed."""
    return AsyncWorkers(PROCESSES, __name__, kept=PROCESSES)


async def in_worker(readers: AsyncWorkers, asker: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function of a module in a separate process, and return its result.

    A ValueError of the function is raised here. If it takes too much time or memory, or fails in another way, that is a
    UserError.
    """
    with ScratchFolder() as folder:
        await run_in_threadpool(lambda: (folder / CALL).write_bytes(pickle.dumps((function, arguments))))
        try:
            await readers.ask_once(asker, "read", str(folder), seconds=SECONDS)
        except TaskFailed as failure:
            LOG.warning("reading failed", extra={"reader": function.__qualname__, "why": str(failure)})
            raise UserError("web.too_hard_to_read") from None
        result = await run_in_threadpool(lambda: pickle.loads((folder / RESULT).read_bytes()))  # noqa: S301 - our own
        if isinstance(result, ValueError):
            raise result
        return result


async def read_text(readers: AsyncWorkers, asker: str, function: Callable[..., Any], text: str, *arguments: Any) -> Any:
    """Parse a text with a function whose first argument it is: at once if it is short, else in a separate process."""
    if len(text) <= AT_ONCE:
        return function(text, *arguments)
    return await in_worker(readers, asker, function, text, *arguments)


def read(done: Callable[[Any], None], scratch: str) -> None:
    """Make the call that is written in a folder, and write its result or its ValueError there."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    folder = Path(scratch)
    function, arguments = pickle.loads((folder / CALL).read_bytes())  # noqa: S301 - our own
    try:
        result = function(*arguments)
    except ValueError as error:
        result = error
    (folder / RESULT).write_bytes(pickle.dumps(result))
    done(None)


TASKS: dict[str, Callable[..., None]] = {"read": read}
