"""The jobs of tournaments: play one, and put its files together. The ledger is the arena's own database.

A tournament that was stopped, by a person or by the end of the server, goes on from its ledger.
"""

from __future__ import annotations

import shutil
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.store.bots import BotStore, version_of
from ludus.store.matches import board_name
from ludus.web.jobs.kinds import LONG_GAMES, SECONDS_BETWEEN_NEWS, Desk, kind

if TYPE_CHECKING:
    from ludus.tournament import Progress
    from ludus.tournament.task import Task

DAYS = 24 * 3600.0
SECONDS_KEPT = 3600.0
"""How long files stay that newer ones have followed: someone may be fetching them."""
PAGE_NAME = "tournament"
"""What the archive of all files is called."""


@kind("tournament", seconds=60 * DAYS, urgent=False)
def play(desk: Desk, name: str) -> dict[str, Any]:
    """Play what is left of a tournament."""
    from ludus.reports.tournament import Played  # noqa: PLC0415 - the server itself does without
    from ludus.store import Ledger  # noqa: PLC0415
    from ludus.tournament import Progress, run  # noqa: PLC0415
    from ludus.tournament.changes import take_back_unplayed  # noqa: PLC0415
    from ludus.tournament.pools import local  # noqa: PLC0415
    from ludus.web.bots.submissions import kept_bot  # noqa: PLC0415

    with closing(Ledger(desk.database)) as ledger:
        found = ledger.find(name)
        assert found is not None
        progress = Progress(Played(name=name, **found[1]), ledger)
        if take_back_unplayed(progress):
            progress = Progress(Played(name=name, **found[1]), ledger)
        with closing(BotStore(desk.database)) as store:
            bots = {
                text: kept_bot(store, *version)
                for text in found[1]["entries"].values()
                if (version := version_of(text))
            }
        pace = Pace(desk, progress)
        pace.tell(progress)
        with closing(local(LONG_GAMES, bots=bots, watcher=pace.look)) as pool:
            run(progress, pool, pace.seen)
        pace.tell(progress)
        leaders = [row.entry for row in progress.schedule.standings().rows if row.rank == 1]
        return {"games": len(progress.rows), "leaders": leaders}


class Pace:
    """Tells how far a tournament is, how long a game takes, and how the games under way stand, now and then."""

    def __init__(self, desk: Desk, progress: Progress) -> None:
        self._desk = desk
        self._number = progress.number
        self._before = len(progress.rows)
        self._began = self._told = time.monotonic()
        self._going: dict[tuple[str, int, int], dict[str, Any]] = {}
        self._said: Any = None

    def look(self, task: Task, record: str) -> None:
        """Show a game as it stands to those who watch."""
        name = board_name(self._number, *task.key)
        first, second = task.entries
        self._going[task.key] = {"match": name, "pairing": task.pairing, "first": first, "second": second}
        self._desk.show(name, task.game, record)

    def seen(self, progress: Progress) -> None:
        """Tell, unless that was done a moment ago."""
        if time.monotonic() - self._told >= SECONDS_BETWEEN_NEWS:
            self.tell(progress)

    def tell(self, progress: Progress) -> None:
        """Tell how far it is, where that is another than was told; a game in the ledger is no longer under way."""
        self._told = time.monotonic()
        for key in [key for key in self._going if key in progress.rows]:
            self._desk.show(self._going.pop(key)["match"], progress.plan.game, None)
        news = {"games": len(progress.rows), "left": progress.left, "going": list(self._going.values())}
        if news != self._said:
            self._said = news
            played = len(progress.rows) - self._before
            each = (self._told - self._began) / played if played else None
            self._desk.tell({**news, "seconds_a_game": each})


@kind("tournament-files", seconds=1800, urgent=True)
def write_files(desk: Desk, name: str, folder: str, language: str) -> dict[str, Any]:
    """Write the page, the tables, the records and the report of a tournament into a folder, and all as one archive."""
    from ludus.reports import make_pdf  # noqa: PLC0415
    from ludus.reports.tournament import Played, tournament_report  # noqa: PLC0415
    from ludus.store import Ledger  # noqa: PLC0415
    from ludus.tournament import Progress  # noqa: PLC0415
    from ludus.tournament.output import write_all  # noqa: PLC0415

    with closing(Ledger(desk.database)) as ledger:
        found = ledger.find(name)
        assert found is not None
        progress = Progress(Played(name=name, **found[1]), ledger)
        if not progress.rows:
            raise ValueError("no game has been played yet; come back when there is something to download")
        target = desk.folder / folder
        everything = target / PAGE_NAME
        write_all(progress, everything)
        desk.tell("written")
        make_pdf(tournament_report(progress), target / "report.pdf", "zh" if language.startswith("zh") else "en")
        packed = shutil.make_archive(str(target / ".packing"), "zip", target, PAGE_NAME)
        Path(packed).replace(target / "everything.zip")
        for other in target.parent.iterdir():
            if time.time() - other.stat().st_mtime > SECONDS_KEPT:
                shutil.rmtree(other)
        return {"games": len(progress.rows)}
