"""`ludus check`: check a bot before it is submitted; say what to fix, and how to reproduce it."""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING

import click

from ludus.bots import ProgramUnknown, read_bot
from ludus.check import check as check_bot
from ludus.cli.arguments import bot_clock_option, json_option, option_option, source_options, trust_option
from ludus.cli.output import echo, echo_json, styled
from ludus.cli.protection import mention_weakness
from ludus.cli.verbs import Verb
from ludus.game import game as find_game
from ludus.game import read_options
from ludus.messages import Message

if TYPE_CHECKING:
    from collections.abc import Collection

    from ludus.check import CheckReport, Finding
    from ludus.game import State
    from ludus.play.clock import Clock

MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "reject": ("✗", "red")}
LOG_LINES = 12
LARGE, MOST_LARGE = 12, 3
"""A board with more rows than the first number is large; of large ones the second number is printed."""
BAR = 30

SECTION = "Write a bot"
SUMMARY = "check a bot and list what to fix"
EXAMPLES = """
ludus check mybot/                             a folder with bot.toml
ludus check homework3.py --game fruit-rage     a single file
ludus check mybot/ --clock 1/move              with a clock other than that of its course
ludus check mybot/ --option rows=8             only on boards with this option
ludus check mybot/ --trust --clock none        without sandbox and limits, to debug your own bot
"""


@click.command(cls=Verb, examples=EXAMPLES)
@click.argument("bot", metavar="BOT")
@source_options
@option_option
@bot_clock_option
@trust_option
@json_option
def check(
    *,
    bot: str,
    game: str | None,
    options: tuple[str, ...],
    protocol: str | None,
    clock: Clock | None,
    trust: bool,
    as_json: bool,
) -> int:
    """Build BOT, play it on both sides and in special positions, and list what works and what to fix.

    BOT is a folder or an archive with bot.toml, or a single source file. Exit status 1 if there are problems to fix.
    """
    try:
        read = read_bot(bot, protocol)
    except ProgramUnknown as unknown:
        if game is None:
            raise
        from ludus.bots.console.several import told_apart  # noqa: PLC0415 - it starts programs, and is seldom needed

        read = told_apart(unknown, find_game(game, **read_options(options)), trusted=trust)
    mention_weakness([bot], trusted=trust)
    report = check_bot(
        read,
        bot,
        game,
        read_options(options),
        clock.text if clock else None,
        protocol=protocol,
        trusted=trust,
        seen=None if as_json else FindingPrinter().seen,
    )
    if as_json:
        echo_json(report.document())
    else:
        summary(report)
    return 0 if report.passed else 1


class FindingPrinter:
    """Prints findings, each with its board; the same failure, board or program output only once."""

    def __init__(self) -> None:
        self.boards: set[tuple[str, ...]] = set()
        self.large = 0
        self.logs: set[str] = set()

    def seen(self, report: CheckReport, finding: Finding) -> None:
        """Print a finding of a check that goes on."""
        if finding is report.findings[-1]:
            self.show(finding)
        else:
            self.show_again(finding)

    def show(self, finding: Finding) -> None:
        """Print one finding."""
        mark, colour = MARKS[finding.verdict]
        styled(f"{mark} ", fg=colour, nl=False)
        echo(finding.message)
        if finding.verdict == "ok":
            return
        if finding.shows:
            echo(Message("cli.check.position", position=finding.shows))
        if finding.state is not None:
            self.show_board(finding.state, finding.cells)
            echo(Message("cli.check.analyse", command=analyse_command(finding)))
        if finding.command:
            echo(Message("cli.check.reproduce", command=finding.command))
        self.show_log(finding.log)
        for one in finding.also:
            self.show_again(one)

    def show_again(self, finding: Finding) -> None:
        """Print where a failure that was printed was found once more."""
        styled(f"{MARKS[finding.verdict][0]} ", fg=MARKS[finding.verdict][1], nl=False)
        echo(Message("cli.check.again", where=finding.where))
        if finding.command:
            echo(Message("cli.check.reproduce", command=finding.command))

    def show_board(self, state: State, marked: Collection[tuple[int, int]]) -> None:
        """Print a board, unless it was printed before or is one of many large ones."""
        lines = board_lines(state, marked)
        is_large = len(lines) > LARGE + 1
        if tuple(lines) in self.boards or (is_large and self.large >= MOST_LARGE):
            return
        self.boards.add(tuple(lines))
        self.large += is_large
        for line in lines:
            echo(f"      {line}")

    def show_log(self, log: str) -> None:
        """Print the beginning of what a program wrote."""
        lines = [] if log in self.logs else log.strip().splitlines()
        self.logs.add(log)
        for line in lines[:LOG_LINES]:
            styled(f"    | {line}", dim=True)
        if len(lines) > LOG_LINES:
            styled(Message("cli.check.more_lines", n=len(lines) - LOG_LINES), dim=True)


def analyse_command(finding: Finding) -> str:
    """Return the command that analyses the position of a finding."""
    options = [word for name, value in finding.options.items() for word in ("--option", f"{name}={value}")]
    return shlex.join(["ludus", "analyse", finding.game, finding.shows, *options])


def board_lines(state: State, marked: Collection[tuple[int, int]]) -> list[str]:
    """Return a board in plain text, with [cells] marked."""
    board = state.game.look.board
    return (board(state).plain(marked) if board else state.game.draw(state)).splitlines()


def summary(report: CheckReport) -> None:
    """Print the times of the bot's moves, and the verdict."""
    if report.seconds:
        echo()
        echo(Message("cli.check.times", n=len(report.seconds), clock=report.clock))
        most = max(count for *_, count in report.histogram())
        for low, high, count in report.histogram():
            bar = "█" * math.ceil(count * BAR / most)
            echo(f"  {low:8.3g} – {high:<7.3g} s {count:>6} {bar}".rstrip())
    echo()
    echo(Message("cli.check.games", bot=report.bot, n=len(report.games)))
    styled(report.verdict.message, fg="green" if report.passed else "red")
