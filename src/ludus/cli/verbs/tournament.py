"""`ludus tournament`: any number of players in any format; nothing played is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludus.cli.arguments import check_clock, json_option
from ludus.cli.output import echo
from ludus.cli.verbs import Verb
from ludus.errors import UserError
from ludus.game import read_options
from ludus.messages import Message

if TYPE_CHECKING:
    from rich.table import Table

    from ludus.play.clock import Clock
    from ludus.rating.bradley_terry import Rating
    from ludus.tournament import Plan, Progress

SHOWN = 25
"""Lines of the table that fit a screen while games go on."""

SECTION = "Compete"
SUMMARY = "run a tournament: round robin, Swiss, knockout and more"
EXAMPLES = """
ludus tournament --example                                     writes tournament.toml to edit
ludus tournament tournament.toml --out results
ludus tournament tournament.toml --out results --resume        goes on where it stopped
ludus tournament --format swiss --game cantris greedy random engine:level=1 engine:level=3
ludus tournament tournament.toml --withdraw Mine --reason "left the course"
ludus tournament tournament.toml --rerun changed --reason "new submissions" --resume
"""


@click.command(cls=Verb, examples=EXAMPLES)
@click.argument("arguments", metavar="[FILE.toml | PLAYER...]", nargs=-1)
@click.option("--example", is_flag=True, help="Write a commented tournament.toml and stop.")
@click.option("--format", "form", metavar="NAME", help="round-robin, swiss, knockout, double-elimination, ...")
@click.option("--game", metavar="GAME", help="The game, where no file says it.")
@click.option("--option", "options", metavar="NAME=VALUE", multiple=True, help="An option of the game.")
@click.option("--clock", callback=check_clock, default="none", help="3/move, 300, 60+1, cpu:300 or none.")
@click.option("--pairs", type=click.IntRange(1), default=1, help="Boards per pairing, each played twice.")
@click.option("--seed", type=int, default=0, help="Of the draw and the boards.")
@click.option("--ledger", metavar="FILE|URL", help="Where games are stored; beside the file unless given.")
@click.option("--resume", is_flag=True, help="Continue a tournament that was begun.")
@click.option("--withdraw", metavar="ENTRY", multiple=True, help="Take an entry out from now on.")
@click.option(
    "--rerun", metavar="WHAT", multiple=True, help="Play again: a game's number, a pairing's key, an entry, or changed."
)
@click.option("--reason", default="", help="Why, for --withdraw and --rerun; kept in the log.")
@click.option("--jobs", type=click.IntRange(1), help="Games at a time; one a core unless given.")
@click.option("--force", is_flag=True, help="Allow more games at a time than cores.")
@click.option("--cluster", metavar="ADDRESS", help="Play on a Dask cluster: tcp://HOST:PORT, or local:N.")
@click.option(
    "--out", metavar="DIR", type=click.Path(file_okay=False), help="Write tables, records, plots and a page there."
)
@click.option("--pondering", is_flag=True, help="Let bots think in the opponent's turn; they are paused otherwise.")
@click.option("--trust", is_flag=True, help="Run bots without the sandbox: for your own only.")
@json_option
def tournament(**given: Any) -> int:
    """Play a tournament from FILE.toml, or from players on the command line.

    Every game is stored in a ledger as it ends. After an interruption, --resume plays what is left.
    """
    if given["example"]:
        return write_example()
    from ludus.cli.live import Watch  # noqa: PLC0415 - the help page does without
    from ludus.store import Ledger  # noqa: PLC0415
    from ludus.tournament import Progress, run  # noqa: PLC0415
    from ludus.tournament.changes import take_back_unplayed  # noqa: PLC0415
    from ludus.tournament.pools import open_pool  # noqa: PLC0415

    plan, where = make_plan(given)
    ledger = Ledger(where)
    progress = Progress(plan, ledger)
    if progress.results and not (given["resume"] or given["rerun"] or given["withdraw"]):
        raise UserError("tournament.begun", name=plan.name, games=len(progress.results), ledger=where)
    if change(progress, given):
        progress = Progress(plan, ledger)
        if not given["resume"]:
            echo(Message("tournament.games_left", games=progress.left))
            return 0
    if take_back_unplayed(progress):
        progress = Progress(plan, ledger)
    before = len(progress.results)
    pool = open_pool(given["cluster"], given["jobs"], force=given["force"])
    interrupted = False
    with Watch() as watch:

        def show_progress(now: Progress, *, last: bool = False) -> None:
            pace = watch.pace(len(now.results) - before, now.left)
            watch.show(lambda: standings_table(now, pace), lambda: status_line(now, pace), last=last)

        try:
            run(progress, pool, show_progress)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            pool.close()
        show_progress(progress, last=True)
    if given["out"] is not None and progress.results:
        from ludus.tournament.output import write_all  # noqa: PLC0415

        write_all(progress, given["out"])
    show(progress, as_json=given["as_json"], finished=not interrupted)
    if interrupted:
        echo(Message("tournament.stopped", games=len(progress.results)), err=True)
        raise KeyboardInterrupt
    if unplayed := progress.unplayed:
        problem = unplayed[0].fault_message or unplayed[0].fault
        echo(Message("tournament.unplayed_as_draws", games=len(unplayed), problem=problem), err=True)
    return 1 if unplayed else 0


def write_example() -> int:
    """Write the commented example, unless there is such a file."""
    from ludus.files import write_whole  # noqa: PLC0415
    from ludus.tournament.files import EXAMPLE  # noqa: PLC0415

    target = Path("tournament.toml")
    if target.exists():
        raise UserError("tournament.file_exists", path=target)
    write_whole(target, EXAMPLE)
    echo(Message("tournament.example_written", path=target))
    return 0


def make_plan(given: dict[str, Any]) -> tuple[Plan, str]:
    """Return the plan, from a file or from the command line, and where its games are stored."""
    from ludus.tournament import Plan  # noqa: PLC0415
    from ludus.tournament.files import read_plan  # noqa: PLC0415

    arguments: tuple[str, ...] = given["arguments"]
    if not arguments:
        raise UserError("tournament.nothing_given")
    if len(arguments) == 1 and arguments[0].endswith(".toml"):
        plan, where = read_plan(arguments[0])
        if given["pondering"]:
            plan = plan.model_copy(update={"pondering": True})
        return plan, given["ledger"] or where
    if not given["game"]:
        raise UserError("tournament.no_game_given")
    clock: Clock = given["clock"]
    names = entry_names(arguments)
    plan = Plan(
        name=f"{given['form'] or 'round-robin'} of {len(names)}",
        game=given["game"],
        entries=names,
        format=given["form"] or "round-robin",
        options=read_options(given["options"]),
        clock=clock.text,
        pairs=given["pairs"],
        seed=given["seed"],
        trusted=given["trust"],
        pondering=given["pondering"],
    )
    plan.check()
    return plan, given["ledger"] or "sqlite://"


def entry_names(players: tuple[str, ...]) -> dict[str, str]:
    """Return the players by names of their own: the text of a player, with a number where it is given twice."""
    names: dict[str, str] = {}
    for text in players:
        count = sum(other == text for other in names.values())
        names[f"{text} ({count + 1})" if count else text] = text
    return names


def change(progress: Progress, given: dict[str, Any]) -> bool:
    """Withdraw entries and take games back as asked; return whether anything was asked."""
    from ludus.tournament.changes import take_back, withdraw  # noqa: PLC0415

    for entry in given["withdraw"]:
        withdraw(progress, entry, given["reason"])
    for what in given["rerun"]:
        count = take_back(progress, what, given["reason"])
        echo(Message("tournament.taken_back", games=count, reason=given["reason"] or what), err=True)
    return bool(given["withdraw"] or given["rerun"])


def status_line(progress: Progress, pace: str) -> str:
    """Return the state of a tournament in one line."""
    failed = sum(progress.failures.values())
    leader = progress.schedule.standings().rows[0].entry
    return f"{len(progress.results)} games, {progress.left} to come, {failed} lost by failure; {leader} leads; {pace}"


def standings_table(progress: Progress, pace: str) -> Table:
    """Return the standings as they are shown while games are played."""
    from rich.table import Table  # noqa: PLC0415

    ratings = rate_entries(progress)
    table = Table(title=progress.plan.name, title_justify="left", caption=pace)
    table.add_column("", justify="right")
    table.add_column("")
    for heading in ("pairings", "games", "score", "rating"):
        table.add_column(heading, justify="right")
    won = game_points(progress)
    for row in progress.schedule.standings().rows[:SHOWN]:
        shown = ratings.get(row.entry)
        rating = f"{shown.elo:+.0f} ±{(shown.high - shown.low) / 2:.0f}" if shown else ""
        games, points = won.get(row.entry, (0, 0.0))
        share = f"{points / games:.1%}" if games else ""
        table.add_row(f"{row.rank}.", row.entry, f"{row.tally.points:g}", str(games), share, rating)
    failed = ", ".join(f"{kind} {count}" for kind, count in sorted(progress.failures.items()))
    table.caption = f"{len(progress.results)} games, {progress.left} to come; {pace}" + (
        f"\nlost by failure: {failed}" if failed else ""
    )
    return table


def game_points(progress: Progress) -> dict[str, tuple[int, float]]:
    """Return the games and the game points of each entry, also of pairings that are still being played."""
    found: dict[str, tuple[int, float]] = {}
    for (first, second), (wins, draws, losses) in progress.counts.items():
        for entry, points in ((first, wins + draws / 2), (second, losses + draws / 2)):
            games, sum_so_far = found.get(entry, (0, 0.0))
            found[entry] = (games + wins + draws + losses, sum_so_far + points)
    return found


def rate_entries(progress: Progress) -> dict[str, Rating]:
    """Return the ratings of all entries that have played."""
    from ludus.rating.bradley_terry import rate  # noqa: PLC0415

    return dict(rate(progress.counts)) if progress.counts else {}


def show(progress: Progress, *, as_json: bool, finished: bool) -> None:
    """Print the final table, the bracket where there is one, and the cross table of few entries."""
    from ludus.formats import draw_bracket, draw_cross_table, draw_standings  # noqa: PLC0415

    standings = progress.schedule.standings()
    if as_json:
        ratings = rate_entries(progress)
        rows = [
            {
                "rank": row.rank,
                "entry": row.entry,
                "points": row.tally.points,
                "games": row.tally.games,
                "wins": row.tally.wins,
                "draws": row.tally.draws,
                "losses": row.tally.losses,
                "decided_by": row.decided_by,
                "rating": ratings[row.entry]._asdict() if row.entry in ratings else None,
            }
            for row in standings.rows
        ]
        document = {"name": progress.plan.name, "finished": finished, "games": len(progress.results), "standings": rows}
        echo(json.dumps(document | {"failures": progress.failures, "replayed": progress.replays}))
        return
    echo(draw_standings(standings))
    order = [row.entry for row in standings.rows]
    if bracket := progress.schedule.bracket():
        echo("\n" + draw_bracket(bracket))
    elif len(order) <= SHOWN:
        echo("\n" + draw_cross_table(progress.schedule.table, order))
    if progress.failures:
        failed = ", ".join(f"{kind} {count}" for kind, count in sorted(progress.failures.items()))
        echo(f"\nGames lost by failure: {failed}")


COMMAND = tournament
