"""`ludus report`: a PDF about a bot, a game or a tournament, or its source to edit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludus.cli.arguments import check_clock, check_game
from ludus.cli.output import echo
from ludus.cli.verbs import Verb
from ludus.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludus.play.clock import Clock
    from ludus.reports import ProgressCallback, Report

SECTION = "For courses and scripts"
SUMMARY = "write a PDF about a bot, a game or a tournament"
EXAMPLES = """
ludus report bot mybot/ --game chain-reaction          report.pdf: results, rank, where it loses
ludus report bot mybot/ --language zh --ledger my.db   in Chinese; games are kept for the next time
ludus report bot mybot/ --format typ --out report/     the typst source, to write on
ludus report game record.txt --out game.pdf            one game: chances, turning point, boards
ludus report tournament spring.toml                    standings, cross table, bracket, plots
"""


class Kinds(Verb, click.Group):
    """A verb that has several kinds of things to be about."""


@click.group(cls=Kinds, examples=EXAMPLES)
def report() -> None:
    """Write a report as PDF, in English or in Chinese, or leave its typst source to be edited."""


def printing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of how a report is written to a command."""
    options = (
        click.option("--out", metavar="FILE|DIR", help="Where to; report.pdf, or the folder report, unless given."),
        click.option(
            "--format", "form", type=click.Choice(("pdf", "typ")), default="pdf", help="typ leaves the source."
        ),
        click.option("--language", type=click.Choice(("en", "zh")), default="en", help="Of the report."),
    )
    for option in reversed(options):
        function = option(function)
    return function


@report.command(cls=Verb, name="bot")
@click.argument("bot", metavar="BOT")
@click.option("--game", metavar="GAME", help="The game that it plays, where its bot.toml does not say.")
@click.option("--option", "options", metavar="NAME=VALUE", multiple=True, help="An option of the game.")
@click.option(
    "--opponents", metavar="P,P,...", help="Players to meet, or given again; its course's unless given.", multiple=True
)
@click.option("--games", type=click.IntRange(2), default=10, show_default=True, help="Against each, in pairs.")
@click.option(
    "--clock", callback=lambda c, p, text: check_clock(c, p, text) if text else None, help="Its course's unless given."
)
@click.option(
    "--nodes",
    type=click.IntRange(1),
    default=20_000,
    show_default=True,
    help="Nodes that the engine searches in each position.",
)
@click.option(
    "--versions", type=click.IntRange(0), default=3, show_default=True, help="Earlier versions from git to measure."
)
@click.option("--ledger", metavar="FILE|URL", default="sqlite://", help="Keep the games there; none is played twice.")
@click.option("--seed", type=int, default=1, show_default=True, help="The first of the openings or boards.")
@click.option("--jobs", type=click.IntRange(1), help="Games at a time; one per core unless given.")
@click.option("--trust", is_flag=True, help="Run it without the sandbox: for your own only.")
@printing
def about_bot(**given: Any) -> int:
    """Play BOT against its course's opponents, let the engine judge every move, and write its report.

    BOT is a folder or an archive with bot.toml, a single source file, or any player.
    """
    from ludus.check import game_of  # noqa: PLC0415 - the help page does without
    from ludus.game import read_options  # noqa: PLC0415
    from ludus.players import find_bot  # noqa: PLC0415
    from ludus.reports.bot import BotReportOptions, bot_report  # noqa: PLC0415

    bot = find_bot(given["bot"])
    if given["game"] is not None:
        check_game(click.get_current_context(), click.Argument(["game"]), given["game"])
    if bot is None and given["game"] is None:
        raise UserError("reports.which_game", bot=given["bot"])
    clock: Clock | None = given["clock"]
    options = BotReportOptions(
        player=given["bot"],
        game=game_of(bot, given["game"]) if bot is not None else given["game"],
        options=read_options(given["options"]),
        opponents=tuple(each for text in given["opponents"] for each in split_players(text)),
        games=given["games"],
        clock=clock.text if clock is not None else None,
        nodes=given["nodes"],
        versions=given["versions"],
        ledger=given["ledger"],
        seed=given["seed"],
        trusted=given["trust"],
        jobs=given["jobs"],
    )
    return write(lambda progress: bot_report(options, progress), given)


def split_players(text: str) -> list[str]:
    """Return a list of players, split at its commas; those within a player's options, as in `a:x=1,y=2`, stay."""
    players: list[str] = []
    for word in text.split(","):
        if players and "=" in word and ":" not in word and ":" in players[-1]:
            players[-1] += f",{word}"
        elif word.strip():
            players.append(word.strip())
    return players


@report.command(cls=Verb, name="game")
@click.argument("record", metavar="RECORD", type=click.Path(dir_okay=False))
@click.option(
    "--nodes",
    type=click.IntRange(1),
    default=50_000,
    show_default=True,
    help="Nodes that the engine searches in each position.",
)
@printing
def about_game(**given: Any) -> int:
    """Let the engine judge a game, and write what there is to see in it."""
    from ludus.play.record import Record  # noqa: PLC0415 - the help page does without
    from ludus.reports.game import game_report  # noqa: PLC0415

    record = Record.load(given["record"])
    return write(lambda progress: game_report(record, given["nodes"], progress), given)


@report.command(cls=Verb, name="tournament")
@click.argument("ledger", metavar="LEDGER|FILE.toml")
@click.argument("name", metavar="[NAME]", required=False)
@printing
def about_tournament(**given: Any) -> int:
    """Write the report of a tournament: of its file, or of its ledger and its name there."""
    from ludus.reports.tournament import find, tournament_report  # noqa: PLC0415 - the help page does without

    found = find(given["ledger"], given["name"])
    return write(lambda _progress: tournament_report(found), given)


def write(gather: Callable[[ProgressCallback], Report], given: dict[str, Any]) -> int:
    """Gather a report with its progress on standard error, and write it as PDF or leave its source."""
    from ludus.cli.live import Watch  # noqa: PLC0415 - the help page does without
    from ludus.reports import make_pdf, write_source  # noqa: PLC0415

    source = given["form"] == "typ"
    out = Path(given["out"] or ("report" if source else "report.pdf"))
    check_place(out, source=source)
    with Watch() as watch:

        def progress(step: str, done: int, total: int) -> None:
            line = f"{done} of {total} {step.replace('-', ' ')}"
            watch.show(lambda: line, lambda: line)

        report = gather(progress)
    if source:
        main = write_source(report, out, given["language"])
        echo(f"{main} is written. Edit it, then: typst compile {main}", err=True)
        return 0
    for note in make_pdf(report, out, given["language"]):
        echo(f"ludus: {note}", err=True)
    echo(f"{out} is written.", err=True)
    return 0


def check_place(out: Path, *, source: bool) -> None:
    """Refuse a place that cannot be written to, before any game is played for it."""
    if source and (out / "report.typ").exists():
        raise UserError("reports.source_exists", file=str(out / "report.typ"))
    if source and out.is_file():
        raise UserError("reports.out_is_file", path=str(out))
    if not source and out.is_dir():
        raise UserError("reports.out_is_folder", path=str(out), example=str(out / "report.pdf"))
    if not source and not out.absolute().parent.is_dir():
        raise UserError("reports.no_folder", path=str(out))


COMMAND = report
