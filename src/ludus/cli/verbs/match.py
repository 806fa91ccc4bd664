"""`ludus match`: find out which of two players is stronger, and how certain that is."""

from __future__ import annotations

import click

from ludus.cli.arguments import check_player, clock_option, game_argument, games_options, json_option
from ludus.cli.verbs import Verb

SECTION = "Compete"
SUMMARY = "find out which of two players is stronger"
EXTRA = "courses"
EXAMPLES = """
ludus match chain-reaction engine:level=5 heithoff --games 20
ludus match magnetic-cave ./mybot ./mybot-old --clock 0.1/move --sprt 0,10
ludus match cantris ./mybot greedy --games 40 --clock 30/move --out results
ludus match magnetic-cave a/ b/ --games 1000 --ledger match.db      continues where it stopped
"""


@click.command(cls=Verb, examples=EXAMPLES, action="match.match")
@game_argument
@click.argument("a", metavar="A", callback=check_player)
@click.argument("b", metavar="B", callback=check_player)
@click.option("--games", type=click.IntRange(2), help="The number of games, in pairs.  [default: 100]")
@clock_option
@click.option("--sprt", metavar="LOW,HIGH", help="Stop when the games decide between these two Elo differences.")
@click.option("--openings", metavar="FILE", help="Start from these positions, one per line, instead of random ones.")
@click.option("--adjudicate", is_flag=True, help="End a game when both players have proven the same result.")
@games_options
@json_option
def match() -> None:
    """Play A against B in pairs of games: the same opening or board twice, with sides swapped.

    Prints the score of A, and the Elo difference with a 95% interval. Ctrl-C stops and prints the result so far.
    """
