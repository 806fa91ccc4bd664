"""`ludus report`: a PDF about a bot, a game or a tournament, or its source to edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ludus.cli.arguments import (
    bot_clock_option,
    bot_game_option,
    jobs_option,
    option_option,
    trust_option,
    with_options,
)
from ludus.cli.verbs import Verb, VerbGroup

if TYPE_CHECKING:
    from collections.abc import Callable

SECTION = "Teach"
SUMMARY = "write a PDF about a bot, a game or a tournament"
EXTRA = "courses"
EXAMPLES = """
ludus report bot mybot/ --game chain-reaction          report.pdf: results, rank, where it loses
ludus report bot mybot/ --language zh --ledger my.db   in Chinese; games are stored and not played again
ludus report bot mybot/ --format typ --out report/     the typst source, to edit
ludus report game record.txt --out game.pdf            one game: win chances, turning point, boards
ludus report tournament spring.toml                    standings, cross table, bracket, plots
"""


@click.group(cls=VerbGroup, examples=EXAMPLES)
def report() -> None:
    """Write a report as PDF or as typst source to edit, in English or Chinese."""


printing = with_options(
    click.option("--out", metavar="FILE|DIR", help="The file or folder to write.  [default: report.pdf or report]"),
    click.option("--format", "form", type=click.Choice(("pdf", "typ")), default="pdf", help="PDF, or typst source."),
    click.option("--language", type=click.Choice(("en", "zh")), default="en", help="The language of the report."),
)


def nodes_option(default: int) -> Callable[..., Any]:
    """Return the option for the nodes of a review."""
    text = "Positions that the engine searches for each move."
    return click.option("--nodes", type=click.IntRange(1), default=default, show_default=True, help=text)


@report.command(cls=Verb, name="bot", short_help="a bot: its results and mistakes", action="report.about_bot")
@click.argument("bot", metavar="BOT")
@bot_game_option
@option_option
@click.option(
    "--opponents", metavar="P,P,...", multiple=True, help="Players; can be repeated.  [default: those of its course]"
)
@click.option("--games", type=click.IntRange(2), default=10, show_default=True, help="Games against each opponent.")
@bot_clock_option
@nodes_option(20_000)
@click.option(
    "--versions", type=click.IntRange(0), default=3, show_default=True, help="Also measure earlier versions from git."
)
@click.option(
    "--ledger", metavar="FILE|URL", default="sqlite://", help="Store the games there, and play only those missing."
)
@click.option("--seed", type=int, default=1, show_default=True, help="The number of the first opening or board.")
@jobs_option
@trust_option
@printing
def about_bot() -> None:
    """Play BOT against the opponents of its course, judge every move with the engine, and write a report.

    BOT is a folder or an archive with bot.toml, a single source file, or any player.
    """


@report.command(cls=Verb, name="game", short_help="a game: every move judged", action="report.about_game")
@click.argument("record", metavar="RECORD", type=click.Path(dir_okay=False))
@nodes_option(50_000)
@printing
def about_game() -> None:
    """Judge every move of a game with the engine, and write a report."""


@report.command(
    cls=Verb, name="tournament", short_help="a tournament: its tables and plots", action="report.about_tournament"
)
@click.argument("ledger", metavar="LEDGER|FILE.toml")
@click.argument("name", metavar="[NAME]", required=False)
@printing
def about_tournament() -> None:
    """Write the report of a tournament, given by its file, or by its ledger and its NAME there."""
