"""What `ludus match` and `ludus tournament` share: they play what is left, and show how it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from ludus.cli.live import Watch
from ludus.cli.output import echo, rendered
from ludus.messages import Message
from ludus.tournament import Progress, run
from ludus.tournament.changes import take_back_unplayed
from ludus.tournament.output import write_all
from ludus.tournament.pools import open_pool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    View = Callable[[Progress, Message], Table]
    Line = Callable[[Progress, Message], Message]


def play_games(
    progress: Progress,
    table: View,
    line: Line,
    *,
    cluster: str | None,
    jobs: int | None,
    force: bool,
    out: str | None,
    until: Callable[[Progress], bool] = lambda _progress: False,
) -> tuple[Progress, bool]:
    """Play what is left and write the files; return how it stands, and whether it was interrupted.

    `table` and `line` make what is shown meanwhile, with the pace of the games.
    """
    if take_back_unplayed(progress):
        progress = Progress(progress.plan, progress.ledger)
    before = len(progress.results)
    pool = open_pool(cluster, jobs, force=force)
    interrupted = False
    with Watch() as watch:

        def show_progress(now: Progress, *, last: bool = False) -> None:
            pace = watch.pace(len(now.results) - before, now.left)
            watch.show(lambda: table(now, pace), lambda: line(now, pace), last=last)

        try:
            run(progress, pool, show_progress, until)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            pool.close()
        show_progress(progress, last=True)
    if out is not None and progress.results:
        write_all(progress, out)
    return progress, interrupted


def finish(progress: Progress, unplayed: str, stopped: Message | None) -> int:
    """Say what could not be played, by the code `unplayed`, or that it was stopped; return the exit status."""
    if stopped is not None:
        echo(stopped, err=True)
        raise KeyboardInterrupt
    if games := progress.unplayed:
        echo(Message(unplayed, games=len(games), problem=games[0].fault_message or games[0].fault), err=True)
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
