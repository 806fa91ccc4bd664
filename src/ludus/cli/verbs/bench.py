"""`ludus bench`: measure how fast the engine searches fixed positions, and print a signature of what it finds."""

from __future__ import annotations

import click

import ludus
from ludus.cli.arguments import json_option, known_game
from ludus.cli.output import echo_json, echo_row, headings
from ludus.cli.verbs import Verb
from ludus.search import bench as measure

SECTION = "Research"
SUMMARY = "measure the engine's speed and print its signature"
WIDTHS = (16, -10, -10, -14, -12)
EXAMPLES = """
ludus bench
ludus bench cantris --nodes 200000 --json
"""


@click.command(cls=Verb, examples=EXAMPLES)
@click.argument("names", metavar="[GAME]...", nargs=-1)
@click.option("--nodes", type=click.IntRange(1), default=20_000, show_default=True, help="Nodes per position.")
@json_option
def bench(*, names: tuple[str, ...], nodes: int, as_json: bool) -> None:
    """Search fixed positions of each GAME, or of all games, with one thread and an empty table.

    The signature is a hash of the moves and values found. With the same --nodes it is the same on every machine.
    """
    chosen = [known_game(name) for name in names] or ludus.games()
    found = {}
    if not as_json:
        echo_row(WIDTHS, *headings("game", "nodes", "seconds", "per_second", "signature"))
    for name in chosen:
        found[name] = measure.bench(name, nodes)
        if not as_json:
            row = found[name]
            echo_row(WIDTHS, name, f"{row.nodes:,}", f"{row.seconds:.3f}", f"{row.nps:,.0f}", row.signature)
    if as_json:
        echo_json({name: row._asdict() for name, row in found.items()})
