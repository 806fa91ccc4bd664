"""`ludus perft`: count the move sequences of each length, to check the rules and measure their speed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from ludus.cli.arguments import json_option, state_arguments
from ludus.cli.output import echo_json, echo_row, headings
from ludus.cli.verbs import Verb

if TYPE_CHECKING:
    from ludus.game import State

SECTION = "Research"
SUMMARY = "count move sequences to test the rules"
WIDTHS = (-5, -21, -10, -15)
EXAMPLES = """
ludus perft chain-reaction --depth 5
ludus perft magnetic-cave --depth 4 --divide
ludus perft chain-reaction 'r1./.b1 1 2' --depth 6 --json
"""


@click.command(cls=Verb, examples=EXAMPLES)
@state_arguments
@click.option(
    "--depth", type=click.IntRange(1, 200), default=4, show_default=True, help="The length of the longest sequences."
)
@click.option("--divide", is_flag=True, help="Also print the count below each first move, at the full depth.")
@json_option
def perft(*, state: State, depth: int, divide: bool, as_json: bool) -> None:
    """Count the move sequences of each length up to a depth, from the start or from POSITION (a text or a file)."""
    game, rows = state.game, []
    if not as_json:
        echo_row(WIDTHS, *headings("depth", "sequences", "seconds", "per_second"))
    for length in range(1, depth + 1):
        began = time.perf_counter()
        counted = game.perft(state, length)
        seconds = time.perf_counter() - began
        rate = round(counted / seconds)
        rows.append({"depth": length, "count": counted, "seconds": round(seconds, 6), "plies_per_second": rate})
        if not as_json:
            echo_row(WIDTHS, length, f"{counted:,}", f"{seconds:.3f}", f"{rate:,}")
    below = {move: game.perft(state.play(move), depth - 1) for move in state.legal_moves} if divide else {}
    if as_json:
        document = {"game": game.name, "options": dict(game.options), "position": state.text, "depths": rows}
        echo_json(document | ({"divide": below} if divide else {}))
    for move, counted in below.items() if not as_json else ():
        echo_row(WIDTHS[:2], move, f"{counted:,}")
