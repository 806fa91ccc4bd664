"""`ludus analyse`: what a position is worth and what to play; or, given a record, a review of the whole game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import ludus
from ludus.cli import words
from ludus.cli.arguments import (
    board_option,
    check_game,
    find_moves,
    find_state,
    json_option,
    load_record,
    make_game,
    option_option,
    position_argument,
)
from ludus.cli.output import echo, echo_json
from ludus.cli.verbs import Verb
from ludus.errors import UserError
from ludus.search.analysis import review, turning_point

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludus.game import State
    from ludus.play.record import Record
    from ludus.search.analysis import JudgedMove
    from ludus.search.result import Analysis, Variation

SECTION = "Understand"
SUMMARY = "evaluate a position, or find where a game was lost"
EXAMPLES = """
ludus analyse cantris                                the start, board number 0
ludus analyse magnetic-cave POSITION --seconds 5 --lines 3
ludus analyse fruit-rage input.txt --threads 2
ludus analyse game.txt                               a whole game, every move judged
ludus analyse chain-reaction "1. A1 F5 2. A2"        the same of bare moves, or a file of them
"""


objective_option = click.option(
    "--objective",
    type=click.Choice(["margin", "win"]),
    default="margin",
    show_default=True,
    help="In games with points: by how much, or only who wins; the latter is proven sooner.",
)


def search_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the limits of a search to a verb."""
    for option in (
        click.option(
            "--threads", type=click.IntRange(1, 256), default=1, show_default=True, help="Threads to think on."
        ),
        click.option("--megabytes", type=click.IntRange(1, 1 << 20), default=256, show_default=True, help="Memory."),
        click.option("--depth", type=click.IntRange(1), help="The most moves to look ahead."),
        click.option("--nodes", type=click.IntRange(1), help="The most positions to look at."),
        click.option("--seconds", type=click.FloatRange(0, min_open=True), help="The longest time to think."),
    ):
        function = option(function)
    return function


@click.command(cls=Verb, examples=EXAMPLES)
@click.argument("what", metavar="GAME|RECORD")
@position_argument
@option_option
@board_option
@click.option("--lines", type=click.IntRange(1, 100), default=1, show_default=True, help="How many best moves to show.")
@objective_option
@search_options
@json_option
@click.pass_context
def analyse(
    ctx: click.Context,
    /,
    *,
    what: str,
    position: str | None,
    options: tuple[str, ...],
    seed: int,
    lines: int,
    objective: str,
    as_json: bool,
    **limits: Any,
) -> None:
    """Print the best move and the value of a position: the start, or POSITION (a text or a file).

    Given a RECORD instead, or a list of moves from the start in place of POSITION, judge every move of that game. One
    second a position unless a limit is given.
    """
    if what not in ludus.games() and Path(what).is_file():
        review_record(load_record(what, f"ludus analyse GAME {what}"), as_json=as_json, limits=limits)
        return
    made = make_game(check_game(ctx, ctx.command.params[0], what), options)
    if position is not None and (record := find_moves(made.initial(seed), position)) is not None:
        review_record(record, as_json=as_json, limits=limits)
        return
    state = find_state(made, position, seed)
    if state.outcome is not None:
        raise UserError("cli.nothing_to_analyse")
    found = ludus.analyse(state, lines=lines, objective=objective, **limits)
    if as_json:
        echo_json(analysis_json(state, found))
        return
    echo(f"{state}\n")
    for line in found.lines:
        echo(f"{worth(state, line, objective):<34} {' '.join(line.moves[:12])}")
    echo(f"depth {found.depth}, {found.nodes:,} positions in {found.seconds:.2f} s")


def analysis_json(state: State, found: Analysis) -> dict[str, Any]:
    """Return an analysis as JSON."""
    return {
        "game": state.game.name,
        "position": state.text,
        "move": found.move,
        "value": found.value,
        "exact": found.exact,
        "win_chance": found.win_chance,
        "depth": found.depth,
        "nodes": found.nodes,
        "seconds": found.seconds,
        "lines": [line._asdict() for line in found.lines],
    }


def worth(state: State, line: Variation, objective: str) -> str:
    """Return in words what a line is worth to the side to move."""
    if state.scores is not None and objective == "margin":
        side = state.side
        margin = state.scores[side] - state.scores[1 - side] + line.value
        end = "ends level" if margin == 0 else f"{'wins' if margin > 0 else 'loses'} by {abs(margin):g}"
        return f"{end} (proven)" if line.exact else f"about {end.removeprefix('ends ')}, {line.win_chance:.0%}"
    if not line.exact:
        return f"win chance {line.win_chance:.0%}"
    if line.value == 0:
        return "a tie (proven)"
    soon = f" in {line.plies_to_end}" if line.plies_to_end else ""
    return f"{'wins' if line.value > 0 else 'loses'}{soon} (proven)"


def review_record(record: Record, *, as_json: bool, limits: dict[str, Any]) -> None:
    """Judge every move of a record."""
    names = words.side_names(record.game)
    judged: list[JudgedMove] = []
    for entry in review(record, **limits):
        judged.append(entry)
        if not as_json:
            loss = f"-{entry.points:.0f} points" if entry.points else f"-{entry.loss:.0%}" if entry.loss else ""
            echo(f"{entry.number:>4}. {names[entry.side]:<7}{entry.move:<6}{entry.grade:<11}{loss:<13}{entry.why}")
    turning = turning_point(judged, record.outcome.winner if record.outcome else None)
    if as_json:
        moves = [{**entry._asdict(), "analysis": entry.analysis._asdict(), "why": str(entry.why)} for entry in judged]
        for move in moves:
            move["analysis"]["lines"] = [line._asdict() for line in move["analysis"]["lines"]]
        point = turning.number if turning else None
        echo_json({"game": record.game.name, "moves": moves, "turning_point": point})
    elif turning is not None:
        echo(f"The turning point: move {turning.number}, {names[turning.side]} {turning.move}. {turning.why}")
    elif judged:
        echo("No single move decided it.")
