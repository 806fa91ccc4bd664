"""`ludus prove`: prove positions that take long, check each proof by a second search, and keep them for the engine."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludus.cli.arguments import board_option, find_state, game_argument, make_game, memory_option, threads_option
from ludus.cli.output import echo
from ludus.cli.verbs import Verb
from ludus.cli.verbs.analyse import worth
from ludus.errors import UserError
from ludus.messages import Message
from ludus.search.analysis import OBJECTIVES, Engine, SearchLimits
from ludus.search.proven import Proof, add_proof, find_proof, options_of, proofs_file

if TYPE_CHECKING:
    from ludus.game import State
    from ludus.search.result import Variation

SECTION = "Analyse"
SUMMARY = "prove positions and keep them for the engine"
EXAMPLES = """
ludus prove chain-reaction --option rows=3 --option cols=4
ludus prove cantris --seed 7 --threads 2
ludus prove magnetic-cave POSITION POSITION --seconds 600 --file proven.txt
"""


@click.command(cls=Verb, examples=EXAMPLES)
@game_argument
@click.argument("positions", metavar="[POSITION]...", nargs=-1)
@board_option
@click.option("--seconds", type=click.FloatRange(0, min_open=True), help="Stop each search after this time.")
@threads_option
@memory_option(1024)
@click.option("--file", type=click.Path(dir_okay=False), help="Keep them here.  [default: with the game]")
def prove(
    *,
    game: str,
    options: tuple[str, ...],
    positions: tuple[str, ...],
    seed: int,
    seconds: float | None,
    threads: int,
    megabytes: int,
    file: str | None,
) -> int:
    """Prove the start, or each POSITION (a text or a file), and keep what is proven.

    A second search with another number of threads and a smaller table must find the same value, and the value that the
    move leaves; otherwise nothing is kept. Exit status 1 if something was not proven.
    """
    made = make_game(game, options)
    status = 0
    for position in positions or (None,):
        state = find_state(made, position, seed)
        if state.outcome is not None:
            raise UserError("cli.game_over")
        where = proofs_file(state.game) if file is None else Path(file)
        if file is None and (known := find_proof(state)) is not None:
            echo(Message("cli.prove.known", move=known.moves[0], worth=worth(state, known, OBJECTIVES[0])))
            continue
        found = proven_twice(state, SearchLimits(math.inf if seconds is None else seconds, threads=threads), megabytes)
        if found is None:
            echo(Message("cli.prove.not_proven"))
            status = 1
            continue
        plies = found.plies_to_end or 0
        add_proof(where, Proof(options_of(state.game), state.text, round(found.value), found.moves[0], plies))
        echo(Message("cli.prove.kept", move=found.moves[0], worth=worth(state, found, OBJECTIVES[0])))
    return status


def proven_twice(state: State, limits: SearchLimits, megabytes: int) -> Variation | None:
    """Return what two searches prove alike of a position, the second one of the move too; None without a proof."""
    first = Engine(state.game, megabytes, uses_proofs=False).think(state, limits)
    if not first.exact:
        return None
    other = limits._replace(threads=1 if limits.threads > 1 else 2)
    checker = Engine(state.game, max(1, megabytes // 4), uses_proofs=False)
    second = checker.think(state, other)
    after = state.play(first.move)
    gained = 0 if state.scores is None or after.scores is None else after.scores[state.side] - state.scores[state.side]
    sign = 1 if after.side == state.side else -1
    if after.outcome is None:
        rest = checker.think(after, other)
        if not (second.exact and rest.exact):
            return None
        left = gained + sign * rest.value
    else:
        winner = after.outcome.winner
        left = gained if state.scores is not None else 0.0 if winner is None else 1.0 if winner == state.side else -1.0
    if not first.value == second.value == left:
        raise UserError("cli.prove.differs", position=state.text)
    return first.lines[0]
