"""`ludus tournament`, run: play a tournament of any number of players in any format."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludus.cli import output
from ludus.cli.actions.games import finish, headed_table, kinds_of_failure, play_games
from ludus.cli.output import echo, echo_json, rendered
from ludus.errors import UserError
from ludus.files import write_whole
from ludus.formats import draw_bracket, draw_cross_table, draw_standings
from ludus.game import read_options
from ludus.messages import Message
from ludus.store import IN_MEMORY, Ledger, exists
from ludus.tournament import Plan, Progress
from ludus.tournament.changes import take_back, withdraw
from ludus.tournament.files import EXAMPLE, read_plan
from ludus.tournament.view import default_name, tournament_view

if TYPE_CHECKING:
    from rich.table import Table

SHOWN = 25
"""Lines of the table that fit a screen while games go on."""
JSON_FIELDS = {"rank", "entry", "points", "games", "wins", "draws", "losses", "decided_by", "rating"}


def tournament(*, example: bool, **given: Any) -> int:
    """Play a tournament, and print its tables."""
    if example:
        return write_example()
    plan, where = make_plan(given)
    if given["resume"] and not given["yes"]:
        check_begun(plan.name, where)
    ledger = Ledger(where)
    progress = Progress(plan, ledger)
    if progress.results and not (given["resume"] or given["rerun"] or given["withdraw"]):
        raise UserError("tournament.begun", name=plan.name, n=len(progress.results), ledger=where)
    if change(progress, given):
        progress = Progress(plan, ledger)
        if not given["resume"]:
            echo(Message("tournament.games_left", n=progress.left))
            return 0
    places = {name: given[name] for name in ("cluster", "jobs", "force", "out")}
    played = play_games(progress, standings_table, status_line, **places)
    show(played.progress, as_json=given["as_json"], finished=played.finished)
    codes = ("tournament.stopped", "tournament.no_space_resume")
    if where == IN_MEMORY:
        codes = ("tournament.match_stopped", "tournament.no_space_lost")
    return finish(played, "tournament.unplayed_as_draws", codes)


def check_begun(name: str, where: str) -> None:
    """Ask, or refuse off a terminal, if there is nothing to resume: a wrong path would play everything again."""
    if where == IN_MEMORY:
        raise UserError("tournament.resume_needs_ledger")
    if exists(where):
        with closing(Ledger(where)) as ledger:
            if ledger.find(name) is not None:
                return
    if not sys.stdin.isatty():
        raise UserError("tournament.nothing_to_resume", name=name, ledger=where)
    click.confirm(rendered(Message("cli.tournament.begin", name=name, ledger=where)), abort=True, err=True)


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
        name=default_name(given["form"] or "round-robin", len(names)),
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
    return plan, given["ledger"] or IN_MEMORY


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
        echo(Message("tournament.taken_back", n=count, reason=given["reason"] or what), err=True)
    return bool(given["withdraw"] or given["rerun"])


def status_line(progress: Progress, pace: Message) -> Message:
    """Return the state of a tournament in one line."""
    games, failed = {"n": len(progress.results), "left": progress.left}, sum(progress.failures.values())
    leader = progress.schedule.standings().rows[0].entry
    return Message("cli.tournament.status", **games, failed=failed, leader=leader, pace=pace)


def standings_table(progress: Progress, pace: Message) -> Table:
    """Return the standings as they are shown while games are played."""
    columns = ("cli.tournament.pairings", "reports.games", "reports.score", "criterion.rating")
    view = tournament_view(progress)
    table = headed_table(rendered(view.title), 2, *map(Message, columns))
    for line in view.standings[:SHOWN]:
        share = "" if line.score is None else f"{line.score:.1%}"
        rating = line.rating.text if line.rating else ""
        table.add_row(f"{line.rank}.", line.entry, f"{line.points:g}", str(line.games), share, rating)
    caption = [Message("cli.tournament.caption", n=len(progress.results), left=progress.left, pace=pace)]
    if progress.failures:
        caption.append(Message("cli.tournament.failures", kinds=kinds_of_failure(progress.failures)))
    table.caption = "\n".join(map(rendered, caption))
    return table


def show(progress: Progress, *, as_json: bool, finished: bool) -> None:
    """Print the final table, the bracket where there is one, and the cross table of few entries."""
    if as_json:
        rows = [line.model_dump(include=JSON_FIELDS) for line in tournament_view(progress).standings]
        document = {"name": progress.plan.name, "finished": finished, "games": len(progress.results), "standings": rows}
        echo_json(document | {"failures": progress.failures, "replayed": progress.replays})
        return
    standings = progress.schedule.standings()
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
