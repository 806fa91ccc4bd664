"""What `ludus match` and `ludus tournament` share: they play what is left, and show how it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.table import Table

from ludus.cli.live import Watch
from ludus.cli.output import echo, rendered
from ludus.cli.protection import mention_weakness
from ludus.errors import DiskFullError, UserError, is_disk_full, message_of
from ludus.messages import Message
from ludus.tournament import Progress, run
from ludus.tournament.changes import take_back_unplayed
from ludus.tournament.output import write_all
from ludus.tournament.pools import open_pool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    ShowTable = Callable[[Progress, Message], Table]
    ShowStatus = Callable[[Progress, Message], Message]


class GamesState(NamedTuple):
    """Where a tournament or a match stands after games were played."""

    progress: Progress
    stopped: KeyboardInterrupt | DiskFullError | OSError | None
    """What stopped it, or kept its files from being written; both leave what is in the ledger as it is."""

    @property
    def finished(self) -> bool:
        """Whether all was played that had to be."""
        return not isinstance(self.stopped, KeyboardInterrupt | DiskFullError)


def play_games(
    progress: Progress,
    table: ShowTable,
    line: ShowStatus,
    *,
    cluster: str | None,
    jobs: int | None,
    force: bool,
    out: str | None,
    until: Callable[[Progress], bool] = lambda _progress: False,
) -> GamesState:
    """Play what is left and write the files; return how it stands.

    `table` and `line` make what is shown meanwhile, with the pace of the games.
    """
    if take_back_unplayed(progress):
        progress = Progress(progress.plan, progress.ledger)
    mention_weakness(progress.plan.entries.values(), trusted=progress.plan.trusted)
    before = len(progress.results)
    pool = open_pool(cluster, jobs, force=force)
    stopped: KeyboardInterrupt | DiskFullError | OSError | None = None
    progress.ledger.check_in_background()
    with Watch(pool) as watch:

        def show_progress(now: Progress, *, last: bool = False) -> None:
            pace = watch.pace(len(now.results) - before, now.left)
            watch.show(lambda: table(now, pace), lambda: line(now, pace), last=last)

        try:
            run(progress, pool, show_progress, until)
        except (KeyboardInterrupt, DiskFullError) as error:
            stopped = error
        finally:
            pool.close()
        show_progress(progress, last=True)
    try:
        if out is not None and progress.results:
            write_all(progress, out)
    except OSError as error:
        if not is_disk_full(error):
            raise
        stopped = stopped or error
    return GamesState(progress, stopped)


def finish(played: GamesState, unplayed: str, codes: tuple[str, str], **params: object) -> int:
    """Say what could not be played, by the code `unplayed`; return the exit status.

    Of the `codes`, one says that a person has stopped it, the other that the disk is full, and how to continue.
    """
    progress, stopped = played
    interrupted, full = codes
    if isinstance(stopped, KeyboardInterrupt):
        echo(Message(interrupted, n=len(progress.results), **params), err=True)
        raise KeyboardInterrupt
    if stopped is not None:
        raise UserError(full, problem=message_of(stopped), n=len(progress.results), **params)
    if games := progress.unplayed:
        echo(Message(unplayed, n=len(games), problem=games[0].fault_message or games[0].fault), err=True)
    return 1 if games else 0


def headed_table(title: str, names: int, *headings: Message) -> Table:
    """Return an empty table: columns without headings for names first, then columns of numbers."""
    table = Table(title=title, title_justify="left")
    for _ in range(names):
        table.add_column("")
    for heading in headings:
        table.add_column(rendered(heading), justify="right")
    return table


def kinds_of_failure(counts: Mapping[str, int]) -> list[Message]:
    """Return how many games were lost by each kind of failure."""
    return [
        Message("courses.failures_of_kind", kind=Message(f"faults.kind.{kind}"), count=count)
        for kind, count in sorted(counts.items())
    ]
