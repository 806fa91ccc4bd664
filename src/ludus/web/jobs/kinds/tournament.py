"""The jobs of tournaments: play one, and write its files. The ledger is the database of the server.

A tournament that was stopped, by a person or with the server, continues from its ledger.
"""

from __future__ import annotations

import shutil
import time
from contextlib import closing
from pathlib import Path

from ludus.errors import UserError
from ludus.game_task import Task
from ludus.play.result import GameKey
from ludus.reports import make_pdf
from ludus.reports.tournament import tournament_report
from ludus.store import Ledger
from ludus.store.bots import BotStore, version_of
from ludus.store.matches import board_name
from ludus.tournament import Plan, Progress, run
from ludus.tournament.changes import take_back_unplayed
from ludus.tournament.output import write_all
from ludus.tournament.pools import local
from ludus.web.bots.submissions import stored_bot
from ludus.web.jobs.kinds import LONG_GAMES, SECONDS_BETWEEN_NEWS, JobContext, job_kind

DAYS = 24 * 3600.0
MOST_KEPT = 12
"""Outdated files that are kept: someone may still be downloading them."""
PAGE_NAME = "tournament"
"""The name of the folder with all files, in the archive too."""


@job_kind("tournament", seconds=60 * DAYS, urgent=False)
def play(context: JobContext, name: str) -> dict[str, object]:
    """Play the games of a tournament that are left."""
    with closing(Ledger(context.database)) as ledger:
        progress = stored_progress(ledger, name)
        if take_back_unplayed(progress):
            progress = stored_progress(ledger, name)
        with closing(BotStore(context.database)) as store:
            bots = {
                text: stored_bot(store, *version)
                for text in progress.plan.entries.values()
                if (version := version_of(text))
            }
        reporter = ProgressReporter(context, progress)
        reporter.report(progress)
        with closing(local(LONG_GAMES, bots=bots, watcher=reporter.show_game)) as pool:
            run(progress, pool, reporter.report_sometimes)
        reporter.report(progress)
        return {"games": len(progress.results), "leaders": list(progress.schedule.standings().leaders)}


def stored_progress(ledger: Ledger, name: str) -> Progress:
    """Return a tournament as its ledger stores it."""
    found = ledger.find(name)
    assert found is not None
    return Progress(Plan.from_config(name, found.config), ledger)


class ProgressReporter:
    """Reports from time to time how far a tournament is, how long a game takes, and the games being played."""

    def __init__(self, context: JobContext, progress: Progress) -> None:
        self._context = context
        self._number = progress.number
        self._games_before = len(progress.results)
        self._began = self._reported = time.monotonic()
        self._live: dict[GameKey, dict[str, str]] = {}
        self._last: dict[str, object] = {}

    def show_game(self, task: Task, record: str) -> None:
        """Show a game that is being played to spectators."""
        name = board_name(self._number, *task.key)
        first, second = task.entries
        self._live[task.key] = {"match": name, "pairing": task.pairing, "first": first, "second": second}
        self._context.show_match(name, task.game, record)

    def report_sometimes(self, progress: Progress) -> None:
        """Report, but not too often."""
        if time.monotonic() - self._reported >= SECONDS_BETWEEN_NEWS:
            self.report(progress)

    def report(self, progress: Progress) -> None:
        """Report the progress if it has changed; a game in the ledger is no longer being played."""
        self._reported = time.monotonic()
        for key in [key for key in self._live if key in progress.results]:
            self._context.show_match(self._live.pop(key)["match"], progress.plan.game, None)
        news = {"games": len(progress.results), "left": progress.left, "going": list(self._live.values())}
        if news != self._last:
            self._last = news
            played = len(progress.results) - self._games_before
            each = (self._reported - self._began) / played if played else None
            self._context.report({**news, "seconds_a_game": each})


@job_kind("tournament-files", seconds=1800, urgent=True)
def write_files(context: JobContext, name: str, folder: str, language: str) -> dict[str, object]:
    """Write the page, the tables, the records and the report of a tournament into a folder, and all as one archive."""
    with closing(Ledger(context.database)) as ledger:
        progress = stored_progress(ledger, name)
        if not progress.results:
            raise UserError("tournament.nothing_played")
        target = context.folder / folder
        everything = target / PAGE_NAME
        write_all(progress, everything)
        context.report("written")
        make_pdf(tournament_report(progress), target / "report.pdf", "zh" if language.startswith("zh") else "en")
        packed = shutil.make_archive(str(target / ".packing"), "zip", target, PAGE_NAME)
        Path(packed).replace(target / "everything.zip")
        written = sorted(target.parent.iterdir(), key=lambda folder: folder.stat().st_mtime)
        for other in written[:-MOST_KEPT]:
            shutil.rmtree(other)
        return {"games": len(progress.results)}
