"""`ludus bench`: measure how fast the engine searches fixed positions, and print a signature of what it finds."""

from __future__ import annotations

import click

import ludus
from ludus.cli.arguments import check_game, json_option
from ludus.cli.output import echo, echo_json
from ludus.cli.verbs import Verb
from ludus.search import bench as measure

SECTION = "Measure"
SUMMARY = "measure the engine's speed and print its signature"
EXAMPLES = """
ludus bench
ludus bench cantris --nodes 200000 --json
"""


@click.command(cls=Verb, examples=EXAMPLES)
@click.argument("names", metavar="[GAME]...", nargs=-1)
@click.option("--nodes", type=click.IntRange(1), default=20_000, show_default=True, help="Nodes for each position.")
@json_option
@click.pass_context
def bench(ctx: click.Context, *, names: tuple[str, ...], nodes: int, as_json: bool) -> None:
    """Search fixed positions of each GAME, or of all games, with one thread and an empty table.

    The signature is a hash of the moves and values found. With the same --nodes it is the same on every machine.
    """
    chosen = [check_game(ctx, ctx.command.params[0], name) for name in names] or ludus.games()
    found = {}
    if not as_json:
        echo(f"{'game':<16}{'nodes':>10}{'seconds':>10}{'nodes/s':>14}  signature")
    for name in chosen:
        found[name] = measure.bench(name, nodes)
        if not as_json:
            row = found[name]
            echo(f"{name:<16}{row.nodes:>10,}{row.seconds:>10.3f}{row.nps:>14,.0f}  {row.signature}")
    if as_json:
        echo_json({name: row._asdict() for name, row in found.items()})
