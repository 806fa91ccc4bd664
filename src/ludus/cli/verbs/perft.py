"""`ludus perft`: count the move sequences of each length, to check the rules and measure their speed."""

from __future__ import annotations

import time

import click

from ludus.cli.arguments import board_option, find_state, game_argument, json_option, make_game, position_argument
from ludus.cli.output import echo, echo_json
from ludus.cli.verbs import Verb

SECTION = "Measure"
SUMMARY = "count move sequences, to check the rules and their speed"
EXAMPLES = """
ludus perft chain-reaction --depth 5
ludus perft magnetic-cave --depth 4 --divide
ludus perft chain-reaction 'r1./.b1 1 2' --depth 6 --json
"""


@click.command(cls=Verb, examples=EXAMPLES)
@game_argument
@position_argument
@click.option(
    "--depth", type=click.IntRange(1, 200), default=4, show_default=True, help="The length of the longest sequences."
)
@board_option
@click.option("--divide", is_flag=True, help="Also print the count below each first move, at the full depth.")
@json_option
def perft(
    *,
    game: str,
    options: tuple[str, ...],
    position: str | None,
    depth: int,
    seed: int,
    divide: bool,
    as_json: bool,
) -> None:
    """Count the move sequences of each length up to a depth, from the start or from POSITION (a text or a file)."""
    made = make_game(game, options)
    state = find_state(made, position, seed)
    rows = []
    if not as_json:
        echo(f"{'depth':>5} {'sequences':>20} {'seconds':>9} {'plies/s':>14}")
    for length in range(1, depth + 1):
        began = time.perf_counter()
        counted = made.perft(state, length)
        seconds = time.perf_counter() - began
        rate = round(counted / seconds)
        rows.append({"depth": length, "count": counted, "seconds": round(seconds, 6), "plies_per_second": rate})
        if not as_json:
            echo(f"{length:>5} {counted:>20,} {seconds:>9.3f} {rate:>14,}")
    below = {move: made.perft(state.play(move), depth - 1) for move in state.legal_moves} if divide else {}
    if as_json:
        document = {"game": game, "options": dict(state.game.options), "position": state.text, "depths": rows}
        echo_json(document | ({"divide": below} if divide else {}))
    for move, counted in below.items() if not as_json else ():
        echo(f"{move:>5} {counted:>20,}")
