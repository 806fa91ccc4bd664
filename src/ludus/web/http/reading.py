"""Reading what strangers send, away from the server: in a process with a limit of time and of memory.

Knows which readers there are and how their arguments and answers travel: as files, since a large message along a line
would hold up the server's own thread. A short text is read at once, where that is cheaper than sending it away.
"""

from __future__ import annotations

import contextlib
import logging
import pickle
import resource
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool

from ludus.errors import UserError
from ludus.web.jobs.workers import AsyncWorkers, TaskFailed

if TYPE_CHECKING:
    from collections.abc import Callable

LOG = logging.getLogger("ludus.web")
AT_ONCE = 4096
"""Characters of text that are read where they arrive."""
PROCESSES = 2
SECONDS = 20.0
MEMORY_BYTES = 1 << 30
"""All memory that a reading process may ask for: an unpacked archive, and Ludus itself."""
GIVEN, FOUND = "given", "found"


def readers() -> AsyncWorkers:
    """Make the processes that read; each is started when it is first needed."""
    return AsyncWorkers(PROCESSES, __name__, kept=PROCESSES)


async def in_worker(readers: AsyncWorkers, asker: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function of a module in a reading process, and return its answer.

    What it refuses by ValueError is raised here as well; one that takes too much time or memory, or
    fails in another way, is refused too.
    """
    with tempfile.TemporaryDirectory(prefix="ludus-reading-") as scratch:
        folder = Path(scratch)
        await run_in_threadpool(lambda: (folder / GIVEN).write_bytes(pickle.dumps((function, arguments))))
        try:
            async with contextlib.aclosing(readers.ask(asker, "read", scratch, seconds=SECONDS)) as told:
                async for _ in told:
                    pass
        except TaskFailed as failure:
            LOG.warning("reading failed", extra={"reader": function.__qualname__, "why": str(failure)})
            raise UserError("web.too_hard_to_read") from None
        found = await run_in_threadpool(lambda: pickle.loads((folder / FOUND).read_bytes()))  # noqa: S301 - our own
        if isinstance(found, ValueError):
            raise found
        return found


async def read_text(readers: AsyncWorkers, asker: str, function: Callable[..., Any], text: str, *arguments: Any) -> Any:
    """Read a text by a function that takes it first: a short one at once, a longer one in a reading process."""
    if len(text) <= AT_ONCE:
        return function(text, *arguments)
    return await in_worker(readers, asker, function, text, *arguments)


def read(_tell: Callable[[Any], None], scratch: str) -> None:
    """Read what lies in a folder and leave the answer there, or the ValueError that refuses it."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    folder = Path(scratch)
    function, arguments = pickle.loads((folder / GIVEN).read_bytes())  # noqa: S301 - our own
    try:
        found = function(*arguments)
    except ValueError as error:
        found = error
    (folder / FOUND).write_bytes(pickle.dumps(found))


TASKS: dict[str, Callable[..., None]] = {"read": read}
