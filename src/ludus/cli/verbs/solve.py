"""`ludus solve`: search until the value of a position is proven, and print the progress."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import click

from ludus.cli.arguments import board_option, find_state, game_argument, json_option, make_game, position_argument
from ludus.cli.output import echo, echo_json
from ludus.cli.verbs import Verb
from ludus.cli.verbs.analyse import objective_option, worth
from ludus.errors import UserError
from ludus.search.analysis import Engine, SearchLimits

if TYPE_CHECKING:
    from ludus.search.result import Analysis

SECTION = "Understand"
SUMMARY = "prove the value of a position"
EXAMPLES = """
ludus solve cantris --option rows=6 --option cols=3 --seed 4
ludus solve chain-reaction --option rows=3 --option cols=4
ludus solve magnetic-cave POSITION --megabytes 4096 --threads 2 --seconds 600
"""


@click.command(cls=Verb, examples=EXAMPLES)
@game_argument
@position_argument
@board_option
@click.option("--seconds", type=click.FloatRange(0, min_open=True), help="Stop after this time.  [default: never]")
@click.option("--threads", type=click.IntRange(1, 256), default=1, show_default=True, help="Threads to use.")
@click.option("--megabytes", type=click.IntRange(1, 1 << 20), default=1024, show_default=True, help="Memory to use.")
@objective_option
@json_option
def solve(
    *,
    game: str,
    options: tuple[str, ...],
    position: str | None,
    seed: int,
    seconds: float | None,
    threads: int,
    megabytes: int,
    objective: str,
    as_json: bool,
) -> int:
    """Search the start or POSITION (a text or a file) until its value is proven.

    Progress goes to standard error; Ctrl-C stops. Exit status 1 if there is no proof in time.
    """
    made: Any = make_game(game, options)
    state: Any = find_state(made, position, seed)
    if state.outcome is not None:
        raise UserError("cli.game_over")

    def progress(found: Analysis) -> None:
        echo(f"depth {found.depth:>3}  {found.nodes:>15,} positions  {found.seconds:>8.1f} s", err=True)

    limits = SearchLimits(seconds=math.inf if seconds is None else seconds, threads=threads, objective=objective)
    found = Engine(state.game, megabytes).think(state, limits, progress)
    if as_json:
        document = {"game": game, "position": state.text, "value": found.value if found.exact else None}
        document |= {"exact": found.exact, "move": found.move, "nodes": found.nodes, "seconds": found.seconds}
        echo_json(document)
    elif found.exact:
        echo(f"Proven: {found.move} {worth(state, found.lines[0], objective).removesuffix(' (proven)')}.")
    else:
        echo(f"Not proven; {found.move} looks best: {worth(state, found.lines[0], objective)}.")
    sys.stdout.flush()
    return 0 if found.exact else 1
