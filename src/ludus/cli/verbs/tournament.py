"""`ludus tournament`: play a tournament of any number of players in any format."""

from __future__ import annotations

import click

from ludus.cli.arguments import clock_option, games_options, json_option, option_option
from ludus.cli.verbs import Verb

SECTION = "Compete"
SUMMARY = "run a tournament: round robin, Swiss, knockout and more"
EXTRA = "courses"
EXAMPLES = """
ludus tournament --example                                     writes tournament.toml to edit
ludus tournament tournament.toml --out results
ludus tournament tournament.toml --out results --resume        continues where it stopped
ludus tournament --format swiss --game cantris greedy random engine:level=1 engine:level=3
ludus tournament tournament.toml --withdraw Mine --reason "left the course"
ludus tournament tournament.toml --rerun changed --reason "new submissions" --resume
"""


@click.command(cls=Verb, examples=EXAMPLES, action="tournament.tournament")
@click.argument("arguments", metavar="[FILE.toml | PLAYER...]", nargs=-1)
@click.option("--example", is_flag=True, help="Write a commented tournament.toml, and play nothing.")
@click.option("--format", "form", metavar="NAME", help="round-robin, swiss, knockout, double-elimination, ...")
@click.option("--game", metavar="GAME", help="The game, if there is no file.")
@option_option
@clock_option
@click.option("--pairs", type=click.IntRange(1), default=1, help="Boards per pairing, each played twice.")
@click.option("--resume", is_flag=True, help="Continue a tournament.")
@click.option("--yes", is_flag=True, help="With --resume: if nothing was stored yet, begin without asking.")
@click.option("--withdraw", metavar="ENTRY", multiple=True, help="Withdraw an entry from the remaining games.")
@click.option(
    "--rerun", metavar="WHAT", multiple=True, help="Play again: the number of a game, a pairing, an entry, or changed."
)
@click.option("--reason", default="", help="The reason for --withdraw or --rerun, for the log.")
@games_options
@json_option
def tournament() -> None:
    """Play a tournament from FILE.toml, or from players on the command line.

    Every game is stored in a ledger when it ends. After an interruption, --resume plays the remaining games.
    """
