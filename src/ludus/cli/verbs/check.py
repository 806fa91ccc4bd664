"""`ludus check`: check a bot before it is submitted; say what to fix, and how to reproduce it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from ludus.bots import read_bot
from ludus.check import check as check_bot
from ludus.cli.arguments import json_option
from ludus.cli.output import echo, echo_json, styled
from ludus.cli.verbs import Verb
from ludus.game import game as make_game
from ludus.game import read_options
from ludus.play.clock import Clock

if TYPE_CHECKING:
    from ludus.check import CheckReport, Finding

MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "reject": ("✗", "red")}
LOG_LINES = 12
BAR = 30

SECTION = "For courses and scripts"
SUMMARY = "check a bot, and say what to fix"
EXAMPLES = """
ludus check mybot/                             a folder with bot.toml
ludus check homework3.py --game fruit-rage     a single file
ludus check mybot/ --clock 1/move              with another clock than its course
ludus check mybot/ --trust --clock none        your own bot, without sandbox and limits, for debugging
"""


@click.command(cls=Verb, examples=EXAMPLES)
@click.argument("bot", metavar="BOT")
@click.option("--game", metavar="GAME", help="The game, if bot.toml does not name it.")
@click.option(
    "--option", "options", metavar="NAME=VALUE", multiple=True, help="Check it only on a board with this option."
)
@click.option("--protocol", metavar="NAME", help="The protocol, if it is not detected.")
@click.option("--clock", metavar="CLOCK", help="3/move, 300, cpu:300 or none.  [default: its course's clock]")
@click.option("--trust", is_flag=True, help="Run it without the sandbox; only for your own bots.")
@json_option
def check(
    *,
    bot: str,
    game: str | None,
    options: tuple[str, ...],
    protocol: str | None,
    clock: str | None,
    trust: bool,
    as_json: bool,
) -> int:
    """Build BOT, play it on both sides and in special positions, and say what is right and what to fix.

    BOT is a folder or an archive with bot.toml, or a single source file. Exit status 1 if there are problems to fix.
    """
    read = read_bot(bot, protocol)
    if game is not None:
        make_game(game)
    report = check_bot(
        read,
        bot,
        game,
        read_options(options),
        Clock.parse(clock).text if clock else None,
        protocol=protocol,
        trusted=trust,
        seen=None if as_json else show,
    )
    if as_json:
        echo_json(report.document())
    else:
        summary(report)
    return 0 if report.passed else 1


def show(report: CheckReport, finding: Finding) -> None:
    """Print one finding; print the same program output only once."""
    mark, colour = MARKS[finding.verdict]
    styled(f"{mark} ", fg=colour, nl=False)
    echo(finding.text)
    if finding.verdict == "ok":
        return
    if finding.shows:
        echo(f"    position   {finding.shows}")
    if finding.command:
        echo(f"    reproduce  {finding.command}")
    again = any(earlier.log == finding.log for earlier in report.findings[:-1])
    lines = [] if again else finding.log.strip().splitlines()
    for line in lines[:LOG_LINES]:
        styled(f"    | {line}", dim=True)
    if len(lines) > LOG_LINES:
        styled(f"    | ... and {len(lines) - LOG_LINES} more lines", dim=True)


def summary(report: CheckReport) -> None:
    """Print the times of the bot's moves, and the verdict."""
    if report.seconds:
        echo(f"\nTime per move, {len(report.seconds)} moves (clock: {report.clock}):")
        most = max(count for *_, count in report.histogram())
        for low, high, count in report.histogram():
            bar = "█" * math.ceil(count * BAR / most)
            echo(f"  {low:8.3g} to {high:<7.3g} s {count:>6} {bar}".rstrip())
    echo(f"\n{report.bot}: {len(report.games)} games and positions")
    styled(str(report.verdict.message), fg="green" if report.passed else "red")
