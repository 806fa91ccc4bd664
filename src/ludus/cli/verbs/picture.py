"""`ludus picture`: a position or a saved game as a picture: PNG, SVG, or a GIF that moves."""

from __future__ import annotations

from pathlib import Path

import click

import ludus
from ludus.cli.arguments import (
    board_option,
    find_moves,
    find_state,
    known_game,
    load_record,
    make_game,
    option_option,
    position_argument,
)
from ludus.cli.output import echo
from ludus.cli.verbs import Verb
from ludus.errors import UserError
from ludus.files import write_whole
from ludus.messages import Message
from ludus.play.pictures import drawings, game_gif, position_png
from ludus.play.record import Record

SECTION = "Analyse"
SUMMARY = "save a position or a game as PNG, SVG or GIF"
EXTRA = "pictures"
EXAMPLES = """
ludus picture game.txt --out game.gif                every position of a saved game
ludus picture game.txt --ply 12 --out board.png
ludus picture cantris --seed 3 --out board.svg
ludus picture magnetic-cave POSITION --out board.png
"""
ENDINGS = (".png", ".svg", ".gif")


@click.command(cls=Verb, examples=EXAMPLES)
@click.argument("what", metavar="GAME|RECORD")
@position_argument
@option_option
@board_option
@click.option("--ply", type=click.IntRange(min=0), help="Draw the position after this number of moves.")
@click.option("--out", metavar="FILE", required=True, help="The picture, as .png, .svg or .gif by its ending.")
def picture(*, what: str, position: str | None, options: tuple[str, ...], seed: int, ply: int | None, out: str) -> None:
    """Save a picture of a position: the start, POSITION (a text or a file), or the last one of a RECORD.

    A GIF shows every position of a RECORD, up to --ply if that is given. POSITION can also be a list of moves.
    """
    ending = Path(out).suffix.lower()
    if ending not in ENDINGS:
        raise UserError("cli.picture_ending", endings=list(ENDINGS), file=out)
    record = _record(what, position, options, seed)
    moves = [played.move for played in record.moves]
    if ply is not None and ply > len(moves):
        raise UserError("cli.no_such_ply", ply=ply, file=what, n=len(moves))
    line = (record.start, tuple(moves[:ply]))
    if ending == ".gif":
        data = game_gif(line)
    else:
        data = position_png(line) if ending == ".png" else drawings(line)[-1].encode()
    write_whole(out, data)
    echo(Message("cli.picture_saved", file=out, kilobytes=-(-len(data) // 1000)))


def _record(what: str, position: str | None, options: tuple[str, ...], seed: int) -> Record:
    """Return the game of a file, of a list of moves, or of nothing but a position."""
    if what not in ludus.games() and Path(what).is_file():
        return load_record(what, f"ludus picture GAME {what}")
    made = make_game(known_game(what), options)
    record = None if position is None else find_moves(made.initial(seed), position)
    return record or Record(find_state(made, position, seed))
