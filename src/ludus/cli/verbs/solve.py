"""`ludus solve`: search until the value of a position is proven, and print the progress."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import click

from ludus.cli.arguments import json_option, memory_option, state_arguments, threads_option
from ludus.cli.output import echo, echo_json
from ludus.cli.verbs import Verb
from ludus.cli.verbs.analyse import objective_option, worth
from ludus.errors import UserError
from ludus.messages import Message
from ludus.search.analysis import Engine, SearchLimits

if TYPE_CHECKING:
    from ludus.game import State
    from ludus.search.result import Analysis

SECTION = "Analyse"
SUMMARY = "prove the value of a position"
EXAMPLES = """
ludus solve cantris --option rows=6 --option cols=3 --seed 4
ludus solve chain-reaction --option rows=3 --option cols=4
ludus solve magnetic-cave POSITION --megabytes 4096 --threads 2 --seconds 600
"""


@click.command(cls=Verb, examples=EXAMPLES)
@state_arguments
@click.option("--seconds", type=click.FloatRange(0, min_open=True), help="Stop after this time.  [default: never]")
@threads_option
@memory_option(1024)
@objective_option
@json_option
def solve(*, state: State, seconds: float | None, threads: int, megabytes: int, objective: str, as_json: bool) -> int:
    """Search the start or POSITION (a text or a file) until its value is proven.

    Progress goes to standard error; Ctrl-C stops. Exit status 1 if the value could not be proven in time.
    """
    if state.outcome is not None:
        raise UserError("cli.game_over")

    def progress(found: Analysis) -> None:
        figures = {"depth": f"{found.depth:>3}", "nodes": f"{found.nodes:>15,}", "seconds": f"{found.seconds:>8.1f}"}
        echo(Message("cli.searched", **figures), err=True)

    limits = SearchLimits(seconds=math.inf if seconds is None else seconds, threads=threads, objective=objective)
    found = Engine(state.game, megabytes, uses_proofs=False).think(state, limits, progress)
    if as_json:
        document = {"game": state.game.name, "position": state.text, "value": found.value if found.exact else None}
        document |= {"exact": found.exact, "move": found.move, "nodes": found.nodes, "seconds": found.seconds}
        echo_json(document)
    else:
        code = "cli.solve.proven" if found.exact else "cli.solve.not_proven"
        echo(Message(code, move=found.move, worth=worth(state, found.lines[0], objective)))
    sys.stdout.flush()
    return 0 if found.exact else 1
