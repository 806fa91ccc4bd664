"""`ludus tournament`, run: any number of players in any format; nothing played is lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.cli import output
from ludus.cli.actions.games import finish, headed_table, kinds_of_failure, play_games
from ludus.cli.output import echo, echo_json, rendered
from ludus.errors import UserError
from ludus.files import write_whole
from ludus.formats import draw_bracket, draw_cross_table, draw_standings
from ludus.game import read_options
from ludus.messages import Message
from ludus.rating.bradley_terry import rate
from ludus.store import Ledger
from ludus.tournament import Plan, Progress
from ludus.tournament.changes import take_back, withdraw
from ludus.tournament.files import EXAMPLE, read_plan
from ludus.tournament.view import interval_text

if TYPE_CHECKING:
    from rich.table import Table

    from ludus.rating.bradley_terry import Rating

SHOWN = 25
"""Lines of the table that fit a screen while games go on."""


def tournament(*, example: bool, **given: Any) -> int:
    """Play a tournament, and print its tables."""
    if example:
        return write_example()
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
    places = {name: given[name] for name in ("cluster", "jobs", "force", "out")}
    progress, interrupted = play_games(progress, standings_table, status_line, **places)
    show(progress, as_json=given["as_json"], finished=not interrupted)
    stopped = Message("tournament.stopped", games=len(progress.results)) if interrupted else None
    return finish(progress, "tournament.unplayed_as_draws", stopped)


def write_example() -> int:
    """Write the commented example, unless there is such a file."""
    target = Path("tournament.toml")
    if target.exists():
        raise UserError("tournament.file_exists", path=target)
    write_whole(target, EXAMPLE)
    echo(Message("tournament.example_written", path=target))
    return 0


def make_plan(given: dict[str, Any]) -> tuple[Plan, str]:
    """Return the plan, from a file or from the command line, and where its games are stored."""
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
    names = entry_names(arguments)
    plan = Plan(
        name=f"{given['form'] or 'round-robin'} of {len(names)}",
        game=given["game"],
        entries=names,
        format=given["form"] or "round-robin",
        options=read_options(given["options"]),
        clock=given["clock"].text,
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
    for entry in given["withdraw"]:
        withdraw(progress, entry, given["reason"])
    for what in given["rerun"]:
        count = take_back(progress, what, given["reason"])
        echo(Message("tournament.taken_back", games=count, reason=given["reason"] or what), err=True)
    return bool(given["withdraw"] or given["rerun"])


def status_line(progress: Progress, pace: Message) -> Message:
    """Return the state of a tournament in one line."""
    games, failed = {"games": len(progress.results), "left": progress.left}, sum(progress.failures.values())
    leader = progress.schedule.standings().rows[0].entry
    return Message("cli.tournament.status", **games, failed=failed, leader=leader, pace=pace)


def standings_table(progress: Progress, pace: Message) -> Table:
    """Return the standings as they are shown while games are played."""
    ratings = rate_entries(progress)
    columns = ("cli.tournament.pairings", "reports.games", "reports.score", "criterion.rating")
    table = headed_table(progress.plan.name, 2, *map(Message, columns))
    won = game_points(progress)
    for row in progress.schedule.standings().rows[:SHOWN]:
        shown = ratings.get(row.entry)
        rating = interval_text(shown.elo, shown.low, shown.high) if shown else ""
        games, points = won.get(row.entry, (0, 0.0))
        share = f"{points / games:.1%}" if games else ""
        table.add_row(f"{row.rank}.", row.entry, f"{row.tally.points:g}", str(games), share, rating)
    caption = [Message("cli.tournament.caption", games=len(progress.results), left=progress.left, pace=pace)]
    if progress.failures:
        caption.append(Message("cli.tournament.failures", kinds=kinds_of_failure(progress.failures)))
    table.caption = "\n".join(map(rendered, caption))
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
    return dict(rate(progress.counts)) if progress.counts else {}


def show(progress: Progress, *, as_json: bool, finished: bool) -> None:
    """Print the final table, the bracket where there is one, and the cross table of few entries."""
    standings = progress.schedule.standings()
    if as_json:
        ratings = rate_entries(progress)
        sums = ("points", "games", "wins", "draws", "losses")
        rows = [
            {
                "rank": row.rank,
                "entry": row.entry,
                **{name: getattr(row.tally, name) for name in sums},
                "decided_by": row.decided_by,
                "rating": ratings[row.entry]._asdict() if row.entry in ratings else None,
            }
            for row in standings.rows
        ]
        document = {"name": progress.plan.name, "finished": finished, "games": len(progress.results), "standings": rows}
        echo_json(document | {"failures": progress.failures, "replayed": progress.replays})
        return
    language = output.LANGUAGE
    echo(draw_standings(standings, language))
    order = [row.entry for row in standings.rows]
    if bracket := progress.schedule.bracket():
        echo("\n" + draw_bracket(bracket, language))
    elif len(order) <= SHOWN:
        echo("\n" + draw_cross_table(progress.schedule.table, order, language))
    if progress.failures:
        echo()
        echo(Message("cli.tournament.failures", kinds=kinds_of_failure(progress.failures)))
