"""Uploads: how large they may be, and how many come in at a time. Knows no route.

The page asks for these limits and says them before it sends anything; the routes keep them whatever a page says.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import TYPE_CHECKING

from ludus.store.bots import MOST_PACKED
from ludus.web.jobs.workers import Busy
from ludus.web.views import Picture

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

MOST_UPLOADED = 12 << 20
"""Bytes of a request that brings files."""
MOST_TEXT = 200_000
"""Characters of a record or a position that someone pastes."""
AT_ONCE, AT_ONCE_OF_ONE = 40, 3
"""Uploads that come in at a time, of all accounts and of one: each is in memory until it is there."""


class UploadLimits(Picture):
    """How many bytes may be sent: of a bot's files together, of a submission to a course, and of a text."""

    bot: int = MOST_PACKED
    submission: int = MOST_UPLOADED
    text: int = MOST_TEXT


class Uploads:
    """The uploads that are under way."""

    def __init__(self) -> None:
        self._coming: Counter[int] = Counter()

    @contextlib.asynccontextmanager
    async def one(self, account: int) -> AsyncIterator[None]:
        """Let an account's upload come in, or refuse it before it is read."""
        if self._coming[account] >= AT_ONCE_OF_ONE or self._coming.total() >= AT_ONCE:
            raise Busy("web.too_many_uploads")
        self._coming[account] += 1
        try:
            yield
        finally:
            self._coming[account] -= 1
            if not self._coming[account]:
                del self._coming[account]
