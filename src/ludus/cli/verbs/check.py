"""`ludus check`: what a student runs before handing in; says what to fix, and how to see it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from ludus.cli.arguments import check_clock, json_option
from ludus.cli.output import echo, styled
from ludus.cli.verbs import Verb

if TYPE_CHECKING:
    from ludus.check import Finding, Report
    from ludus.play.clock import Clock

MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "reject": ("✗", "red")}
LOG_LINES = 12
BAR = 30

SECTION = "For courses and scripts"
SUMMARY = "check a bot, and say what to fix"
EXAMPLES = """
ludus check mybot/                             a folder with bot.toml
ludus check homework3.py --game fruit-rage     a single file
ludus check mybot/ --clock 1/move              under another clock than its course's
ludus check mybot/ --trust --clock none        your own bot, without sandbox and limits, to debug it
"""


@click.command(cls=Verb, examples=EXAMPLES)
@click.argument("bot", metavar="BOT")
@click.option("--game", metavar="GAME", help="The game that it plays, where its bot.toml does not say.")
@click.option("--option", "options", metavar="NAME=VALUE", multiple=True, help="Try it on this board only.")
@click.option("--protocol", metavar="NAME", help="How it is spoken to, where that is not recognised.")
@click.option("--clock", metavar="CLOCK", help="3/move, 300, cpu:300 or none; its course's unless given.")
@click.option("--trust", is_flag=True, help="Run it without the sandbox: for your own only.")
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
    """Build BOT, play it in both seats and near every edge, and say what is right and what to fix.

    BOT is a folder or an archive with bot.toml, or a single source file. Exit status 1 if there is something to fix.
    """
    from ludus.bots import read_bot  # noqa: PLC0415 - the help page does without
    from ludus.check import check as try_bot  # noqa: PLC0415
    from ludus.game import game as make_game  # noqa: PLC0415
    from ludus.game import read_options  # noqa: PLC0415

    made = read_bot(bot, protocol)
    if game is not None:
        make_game(game)
    settled: Clock | None = (
        check_clock(click.get_current_context(), click.Argument(["clock"]), clock) if clock else None
    )
    seen = None if as_json else show
    report = try_bot(
        made,
        bot,
        game,
        read_options(options),
        settled.text if settled else None,
        protocol=protocol,
        trusted=trust,
        seen=seen,
    )
    if as_json:
        echo(json.dumps(report.document()))
    else:
        summary(report)
    return 0 if report.passed else 1


def show(report: Report, finding: Finding) -> None:
    """Print a finding as it comes; what the bot said is shown once where it says the same again."""
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
        styled(f"    | ... and {len(lines) - LOG_LINES} lines more", dim=True)


def summary(report: Report) -> None:
    """Print the times of its moves, and the verdict."""
    if report.seconds:
        echo(f"\nTime of its {len(report.seconds)} moves (clock {report.clock}):")
        most = max(count for *_, count in report.histogram())
        for low, high, count in report.histogram():
            bar = "█" * up(count * BAR, most)
            echo(f"  {low:8.3g} to {high:<7.3g} s {count:>6} {bar}".rstrip())
    echo(f"\n{report.bot}: {len(report.games)} games and positions")
    styled(report.verdict.sentence, fg="green" if report.passed else "red")


def up(part: int, whole: int) -> int:
    """Divide upwards."""
    return -(-part // whole)


COMMAND = check
