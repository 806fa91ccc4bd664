"""`ludus analyse`: what a position is worth and what to play; or, given a record, a review of the whole game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import ludus
from ludus.cli.arguments import (
    board_option,
    find_moves,
    find_state,
    json_option,
    known_game,
    load_record,
    make_game,
    memory_option,
    option_option,
    position_argument,
    threads_option,
)
from ludus.cli.output import echo, echo_json, echo_row
from ludus.cli.verbs import Verb
from ludus.errors import UserError
from ludus.messages import Message
from ludus.search.analysis import review, turning_point
from ludus.search.explain import explain

if TYPE_CHECKING:
    from ludus.game import State
    from ludus.play.record import Record
    from ludus.search.analysis import JudgedMove
    from ludus.search.result import Analysis, Variation

SECTION = "Analyse"
SUMMARY = "evaluate a position, or find where a game was lost"
EXAMPLES = """
ludus analyse cantris                                the start position, board 0
ludus analyse magnetic-cave POSITION --seconds 5 --lines 3
ludus analyse fruit-rage input.txt --threads 2
ludus analyse game.txt                               every move of a saved game
ludus analyse chain-reaction "1. A1 F5 2. A2"        every move of a list, or of a file with one
"""


objective_option = click.option(
    "--objective",
    type=click.Choice(["margin", "win"]),
    default="margin",
    show_default=True,
    help="In games with points: find the margin, or only who wins, which is proven sooner.",
)


@click.command(cls=Verb, examples=EXAMPLES)
@click.argument("what", metavar="GAME|RECORD")
@position_argument
@option_option
@board_option
@click.option("--lines", type=click.IntRange(1, 100), default=1, show_default=True, help="How many best moves to show.")
@objective_option
@click.option("--seconds", type=click.FloatRange(0, min_open=True), help="Stop after this time.")
@click.option("--nodes", type=click.IntRange(1), help="Stop after this number of positions.")
@click.option("--depth", type=click.IntRange(1), help="Stop at this depth.")
@memory_option(256)
@threads_option
@json_option
def analyse(
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
    """Print the best move of a position, what it is worth and why: the start, or POSITION (a text or a file).

    With a RECORD, or with a list of moves from the start in place of POSITION, judge every move of the game. Without a
    limit, each position gets one second.
    """
    if what not in ludus.games() and Path(what).is_file():
        review_record(load_record(what, f"ludus analyse GAME {what}"), as_json=as_json, limits=limits)
        return
    made = make_game(known_game(what), options)
    if position is not None and (record := find_moves(made.initial(seed), position)) is not None:
        review_record(record, as_json=as_json, limits=limits)
        return
    state = find_state(made, position, seed)
    if state.outcome is not None:
        raise UserError("cli.nothing_to_analyse")
    found = ludus.analyse(state, lines=lines, objective=objective, **limits)
    reasons = explain(state, found, objective)
    if as_json:
        echo_json(analysis_json(state, found) | {"why": [str(reason) for reason in reasons]})
        return
    echo(f"{state}\n")
    for line in found.lines:
        value = worth(state, line, objective)
        echo_row((42, 1), Message("worth.proven", worth=value) if line.exact else value, " ".join(line.moves[:12]))
    for reason in reasons:
        echo(reason)
    echo(Message("cli.searched", depth=found.depth, nodes=f"{found.nodes:,}", seconds=f"{found.seconds:.2f}"))


def analysis_json(state: State, found: Analysis) -> dict[str, Any]:
    """Return an analysis as JSON."""
    fields = ("move", "value", "exact", "win_chance", "depth", "nodes", "seconds")
    document = {"game": state.game.name, "position": state.text} | {name: getattr(found, name) for name in fields}
    return document | {"lines": [line._asdict() for line in found.lines]}


def worth(state: State, line: Variation, objective: str) -> Message:
    """Return what a line is worth to the side to move: the result if it is proven, otherwise an estimate."""
    own, other = (state.scores or (0, 0))[:: -1 if state.side else 1]
    by_points = state.scores is not None and objective == "margin"
    value = line.value + own - other if by_points else line.value
    number = abs(value) if by_points else line.plies_to_end
    result = "wins" if value > 0 else "loses" if value < 0 else "draws"
    if line.exact:
        ending = "" if not value or not number else "_by" if by_points else "_in"
        return Message(f"cli.worth.{result}{ending}", n=number)
    chance = f"{line.win_chance:.0%}"
    return (
        Message(f"cli.about.{result}", n=number, chance=chance) if by_points else Message("cli.chance", chance=chance)
    )


def review_record(record: Record, *, as_json: bool, limits: dict[str, Any]) -> None:
    """Judge every move of a record."""
    names = record.game.sides
    judged: list[JudgedMove] = []
    for entry in review(record, **limits):
        judged.append(entry)
        if not as_json:
            loss = Message("cli.review.points", n=round(entry.points)) if entry.points else f"-{entry.loss:.0%}"
            shown = (f"{entry.number}.", "", names[entry.side], entry.move, Message(f"reports.{entry.grade}"))
            echo_row((-5, 1, 7, 6, 11, 13, 1), *shown, loss if entry.loss or entry.points else "", entry.why)
    turning = turning_point(judged, record.outcome.winner if record.outcome else None)
    if as_json:
        moves = [{**entry._asdict(), "analysis": entry.analysis._asdict(), "why": str(entry.why)} for entry in judged]
        for move in moves:
            move["analysis"]["lines"] = [line._asdict() for line in move["analysis"]["lines"]]
        point = turning.number if turning else None
        echo_json({"game": record.game.name, "moves": moves, "turning_point": point})
    elif turning is not None:
        about = {"number": turning.number, "side": names[turning.side], "move": turning.move, "why": turning.why}
        echo(Message("cli.review.turning", **about))
        for reason in explain(list(record.states())[turning.number - 1], turning.analysis):
            echo(reason)
    elif judged:
        echo(Message("cli.review.no_turning"))
