"""What a person sees while games are played: a table that stays in its place, or off a terminal a line now and then."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from rich.console import Group
from rich.live import Live
from rich.text import Text

from ludus.cli.console import SafeConsole
from ludus.cli.output import rendered
from ludus.messages import Message

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from rich.console import RenderableType

    from ludus.tournament.pools import Pool

REDRAW_SECONDS = 0.25
LINE_SECONDS = 10.0


class Watch:
    """Shows progress on standard error; used as `with Watch() as watch: ... watch.show(...)`.

    With a pool, it also says what that pool waits for.
    """

    def __init__(self, pool: Pool | None = None) -> None:
        self._pool = pool
        self._console = SafeConsole(file=sys.stderr)
        self._live = Live(console=self._console, auto_refresh=False) if self._console.is_terminal else None
        self.began = time.monotonic()
        self._next = 0.0 if self._live is not None else self.began + LINE_SECONDS

    def __enter__(self) -> Watch:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def show(
        self, table: Callable[[], RenderableType], line: Callable[[], Message | str], *, last: bool = False
    ) -> None:
        """Draw the table again, or print a line, when it is time."""
        now = time.monotonic()
        if now < self._next and not last:
            return
        self._next = now + (REDRAW_SECONDS if self._live is not None else LINE_SECONDS)
        missing = self._pool.missing if self._pool is not None and not last else None
        if self._live is not None:
            shown = table()
            self._live.update(shown if missing is None else Group(shown, Text(rendered(missing))), refresh=True)
        elif not last:
            self._console.print(rendered(missing or line()))

    def pace(self, games: int, left: int) -> Message:
        """Return the speed and the time left, after this number of games."""
        minutes = max(time.monotonic() - self.began, 1e-9) / 60
        speed = f"{games / minutes:.3g}"
        if not games or not left:
            return Message("cli.pace", speed=speed)
        return Message("cli.pace_left", speed=speed, time=_duration(60 * left * minutes / games))


def _duration(seconds: float) -> Message:
    if seconds < 90:
        return Message("span.seconds", n=f"{seconds:.0f}")
    if seconds < 5400:
        return Message("span.minutes", n=f"{seconds / 60:.0f}")
    return Message("span.hours", n=f"{seconds / 3600:.1f}")
