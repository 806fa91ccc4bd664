"""`ludus compare-search`: count the nodes of minimax, and how many pruning, ordering and a table save."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ludus.cli.arguments import board_option, find_state, game_argument, json_option, make_game, position_argument
from ludus.cli.output import echo, echo_json
from ludus.cli.verbs import Verb
from ludus.search.compare import compare_search as compare
from ludus.search.textbook import METHODS

if TYPE_CHECKING:
    from ludus.search.compare import Comparison

SECTION = "Measure"
SUMMARY = "compare the nodes of four search methods"
EXAMPLES = """
ludus compare-search chain-reaction --depth 4
ludus compare-search cantris --option rows=10 --option cols=5 --depth 4
ludus compare-search magnetic-cave --depth 5 --json
"""


def as_row(line: Comparison) -> str:
    """Return one depth as a line of the table."""
    cells = "".join(f"{thought.nodes:>15,}{thought.seconds:>8.3f}" for thought in line.thoughts.values())
    return f"{line.depth:>5}{cells}{line.ratio:>9,.1f}"


def as_document(line: Comparison) -> dict[str, Any]:
    """Return one depth as JSON."""
    methods = {
        name: {"nodes": thought.nodes, "seconds": round(thought.seconds, 6)} for name, thought in line.thoughts.items()
    }
    return {
        "depth": line.depth,
        "move": line.move,
        "value": line.value,
        "methods": methods,
        "ratio": round(line.ratio, 3),
    }


@click.command(cls=Verb, examples=EXAMPLES)
@game_argument
@position_argument
@click.option(
    "--depth", type=click.IntRange(1, 100), default=4, show_default=True, help="How many moves to look ahead."
)
@board_option
@json_option
def compare_search(
    *, game: str, options: tuple[str, ...], position: str | None, depth: int, seed: int, as_json: bool
) -> None:
    """Search the start or POSITION (a text or a file), depth by depth, with four methods that give the same result.

    Minimax searches every line. Alphabeta skips lines that cannot change the result. Ordering tries the moves with the
    largest immediate gain first. Table also remembers positions. The last column says how many times fewer nodes table
    needs than minimax.
    """
    made = make_game(game, options)
    state = find_state(made, position, seed)
    lines: list[Comparison] = []
    for line in compare(state, depth):
        if not as_json and not lines:
            echo("depth" + "".join(f"{name:>15} seconds" for name in METHODS) + "    saved")
        lines.append(line)
        if not as_json:
            echo(as_row(line))
    if as_json:
        document = {"game": game, "options": dict(state.game.options), "position": state.text}
        echo_json(document | {"depths": [as_document(line) for line in lines]})
    else:
        echo(f"All four methods choose {lines[-1].move}, with value {lines[-1].value:+g} for the side to move.")
