"""Draws the README's picture, docs/terminal.svg: a game in the middle, as the terminal shows it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from rich.console import Console

import ludus
from ludus.cli import words
from ludus.cli.terminal import board_of, layout_for, picture
from ludus.play.match import Match

FORMAT = """<svg xml:space="preserve" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: "DejaVu Sans Mono", "Liberation Mono", Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-family: sans-serif; font-weight: bold; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def main(target: str) -> None:
    """Play a few moves and draw."""
    match = Match(ludus.game("chain-reaction").initial(), ("human", "engine"))
    while len(match.record.moves) < 30:
        moves = match.state.legal_moves
        match.play(moves[(37 * len(match.record.moves) + 11) % len(moves)])
    before, move = list(match.record.states())[-2], match.record.moves[-1].move
    drawn = board_of(match.state.game, match.state)
    assert drawn is not None
    console = Console(record=True, width=64, force_terminal=True, color_system="truecolor", file=sys.stderr)
    console.print(words.story(30, before, move))
    console.print(picture(drawn, layout_for(drawn, 64, 24), frozenset(before.steps(move)[0].cells)))
    console.print(words.status(match))
    svg = console.export_svg(title="ludus play chain-reaction", code_format=FORMAT, unique_id="ludus")
    Path(target).write_text(re.sub(r"[ \t]+\n", "\n", svg), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
