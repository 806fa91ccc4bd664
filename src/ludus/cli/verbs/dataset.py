"""`ludus dataset`: write positions with their values and best moves to a file, for programs that learn."""

from __future__ import annotations

import click

from ludus.cli.arguments import game_argument, json_option
from ludus.cli.verbs import Verb
from ludus.cli.verbs.analyse import objective_option

SECTION = "Research"
SUMMARY = "write labelled positions for programs that learn"
EXTRA = "research"
EXAMPLES = """
ludus dataset cantris --option rows=6 --option cols=3 --positions 10000 --out cantris.npz
ludus dataset connect-four --positions 50000 --nodes 20000 --planes --every-move --out four.parquet
"""


@click.command(cls=Verb, examples=EXAMPLES, action="dataset.dataset")
@game_argument
@click.option("--positions", type=click.IntRange(1, 10**9), default=1000, show_default=True, help="How many positions.")
@click.option("--nodes", type=click.IntRange(1), default=20_000, show_default=True, help="Positions searched for each.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed gives other positions.")
@objective_option
@click.option("--planes", is_flag=True, help="Write the planes of each position too.")
@click.option("--every-move", is_flag=True, help="Search every move, and write its value and all best moves.")
@click.option("--threads", type=click.IntRange(1, 256), help="The number of threads.  [default: one per core]")
@click.option("--out", metavar="FILE", required=True, type=click.Path(dir_okay=False), help="FILE.npz or FILE.parquet.")
@json_option
def dataset() -> None:
    """Write positions of random games of GAME, each with its value, whether that is proven, and the best move.

    The same command writes exactly the same file, on any machine and with any number of threads. If it is stopped, run
    it again: it continues. A card beside the file, FILE.json and FILE.md, says how the file was made.
    """
