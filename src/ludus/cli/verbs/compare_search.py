"""`ludus compare-search`: count the nodes of minimax, and how many pruning, ordering and a table save."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ludus.cli.arguments import json_option, state_arguments
from ludus.cli.output import echo, echo_json, echo_row, headings
from ludus.cli.verbs import Verb
from ludus.messages import Message
from ludus.search.compare import compare_search as compare
from ludus.search.textbook import METHODS

if TYPE_CHECKING:
    from ludus.game import State
    from ludus.search.compare import Comparison

SECTION = "Research"
SUMMARY = "compare the nodes of four search methods"
WIDTHS = (-5, *(-15, -8) * len(METHODS), -9)
EXAMPLES = """
ludus compare-search chain-reaction --depth 4
ludus compare-search cantris --option rows=10 --option cols=5 --depth 4
ludus compare-search magnetic-cave --depth 5 --json
"""


def as_document(line: Comparison) -> dict[str, Any]:
    """Return one depth as JSON."""
    found = {name: {"nodes": one.nodes, "seconds": round(one.seconds, 6)} for name, one in line.thoughts.items()}
    return {
        "depth": line.depth,
        "move": line.move,
        "value": line.value,
        "methods": found,
        "ratio": round(line.ratio, 3),
    }


@click.command(cls=Verb, examples=EXAMPLES)
@state_arguments
@click.option("--depth", type=click.IntRange(1, 100), default=4, show_default=True, help="The maximum depth.")
@json_option
def compare_search(*, state: State, depth: int, as_json: bool) -> None:
    """Search the start or POSITION (a text or a file), depth by depth, with four methods that give the same result.

    Minimax searches every line. Alphabeta skips lines that cannot change the result. Ordering tries the moves with the
    largest immediate gain first. Table also remembers positions. The last column is the nodes of minimax divided by
    those of table.
    """
    lines: list[Comparison] = []
    first, seconds, last = headings("depth", "seconds", "saved")
    for line in compare(state, depth):
        if not as_json and not lines:
            echo_row(WIDTHS, first, *(cell for name in METHODS for cell in (name, seconds)), last)
        lines.append(line)
        if not as_json:
            cells = [cell for found in line.thoughts.values() for cell in (f"{found.nodes:,}", f"{found.seconds:.3f}")]
            echo_row(WIDTHS, line.depth, *cells, f"{line.ratio:,.1f}")
    if as_json:
        document = {"game": state.game.name, "options": dict(state.game.options), "position": state.text}
        echo_json(document | {"depths": [as_document(line) for line in lines]})
    else:
        echo(Message("cli.compare.result", move=lines[-1].move, value=f"{lines[-1].value:+g}"))
