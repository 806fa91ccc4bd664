"""`ludus report`: a PDF about a bot, a game or a tournament, or its source to edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ludus.cli.arguments import check_clock, jobs_option, option_option, optional_game, trust_option, with_options
from ludus.cli.verbs import Verb, VerbGroup

if TYPE_CHECKING:
    from collections.abc import Callable

SECTION = "For courses and scripts"
SUMMARY = "write a PDF about a bot, a game or a tournament"
EXAMPLES = """
ludus report bot mybot/ --game chain-reaction          report.pdf: results, rank, where it loses
ludus report bot mybot/ --language zh --ledger my.db   in Chinese; games are kept for the next time
ludus report bot mybot/ --format typ --out report/     the typst source, to write on
ludus report game record.txt --out game.pdf            one game: chances, turning point, boards
ludus report tournament spring.toml                    standings, cross table, bracket, plots
"""


@click.group(cls=VerbGroup, examples=EXAMPLES)
def report() -> None:
    """Write a report as PDF, in English or in Chinese, or leave its typst source to be edited."""


printing = with_options(
    click.option("--out", metavar="FILE|DIR", help="Where to; report.pdf, or the folder report, unless given."),
    click.option("--format", "form", type=click.Choice(("pdf", "typ")), default="pdf", help="typ leaves the source."),
    click.option("--language", type=click.Choice(("en", "zh")), default="en", help="Of the report."),
)


def nodes_option(default: int) -> Callable[..., Any]:
    """Return the option for the nodes of a review."""
    text = "Nodes that the engine searches in each position."
    return click.option("--nodes", type=click.IntRange(1), default=default, show_default=True, help=text)


@report.command(cls=Verb, name="bot", action="report.about_bot")
@click.argument("bot", metavar="BOT")
@click.option(
    "--game", metavar="GAME", callback=optional_game, help="The game that it plays, where its bot.toml does not say."
)
@option_option
@click.option(
    "--opponents", metavar="P,P,...", help="Players to meet, or given again; its course's unless given.", multiple=True
)
@click.option("--games", type=click.IntRange(2), default=10, show_default=True, help="Against each, in pairs.")
@click.option(
    "--clock", callback=lambda c, p, text: check_clock(c, p, text) if text else None, help="Its course's unless given."
)
@nodes_option(20_000)
@click.option(
    "--versions", type=click.IntRange(0), default=3, show_default=True, help="Earlier versions from git to measure."
)
@click.option("--ledger", metavar="FILE|URL", default="sqlite://", help="Store the games there; none is played twice.")
@click.option("--seed", type=int, default=1, show_default=True, help="The first of the openings or boards.")
@jobs_option
@trust_option
@printing
def about_bot() -> None:
    """Play BOT against its course's opponents, let the engine judge every move, and write its report.

    BOT is a folder or an archive with bot.toml, a single source file, or any player.
    """


@report.command(cls=Verb, name="game", action="report.about_game")
@click.argument("record", metavar="RECORD", type=click.Path(dir_okay=False))
@nodes_option(50_000)
@printing
def about_game() -> None:
    """Let the engine judge a game, and write what there is to see in it."""


@report.command(cls=Verb, name="tournament", action="report.about_tournament")
@click.argument("ledger", metavar="LEDGER|FILE.toml")
@click.argument("name", metavar="[NAME]", required=False)
@printing
def about_tournament() -> None:
    """Write the report of a tournament: of its file, or of its ledger and its name there."""
