"""Limits of uploads: how large they may be, and how many at a time. Knows no route.

Pages ask for these limits and check them before they send anything; the routes check them again.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from ludus.store.bots import MOST_PACKED
from ludus.view import View
from ludus.web.http.rate_limit import Counts
from ludus.web.jobs.workers import Busy

MOST_UPLOADED = 12 << 20
"""Bytes of a request with files."""
MOST_COLLECTED = 64 << 20
"""Bytes of a zip archive with the submissions of a class."""
MOST_TABLE = 1 << 20
"""Bytes of a request with tables of a course."""
MOST_TEXT = 200_000
"""Characters of a record or a position."""
AT_ONCE, AT_ONCE_OF_ONE = 40, 3
"""Uploads at a time, of all accounts and of one account: each is held in memory."""


class UploadLimits(View):
    """The limits: bytes of all files of a bot, of a submission to a course, of a class's; characters of a text."""

    bot: int = MOST_PACKED
    submission: int = MOST_UPLOADED
    collected: int = MOST_COLLECTED
    text: int = MOST_TEXT


class Uploads:
    """Counts the uploads that are arriving."""

    def __init__(self) -> None:
        self._arriving = Counts[int]()

    @contextlib.asynccontextmanager
    async def one(self, account: int) -> AsyncIterator[None]:
        """Count an upload of an account while it arrives, or refuse it before it is read."""
        if self._arriving[account] >= AT_ONCE_OF_ONE or self._arriving.total() >= AT_ONCE:
            raise Busy("web.too_many_uploads")
        with self._arriving.one(account):
            yield
