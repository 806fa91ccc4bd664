"""Positions whose value took long to prove, kept in `proven.txt` of a game's folder, which `ludus prove` adds to.

Each entry is a value that two searches proved, and the move that reaches it. Knows files and states; searches nothing.
"""

from __future__ import annotations

import functools
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from ludus.files import write_whole
from ludus.game import Game, State
from ludus.search.result import Analysis, Variation

HEAD = (
    "# Proven positions: options, position, value to the side to move (points still to be won by, or 1, 0, -1),\n"
    "# move, plies to the end (0: not known). Each was proven twice; ludus prove adds to it.\n"
)


class Proof(NamedTuple):
    """What is proven of a position."""

    options: str
    position: str
    value: int
    move: str
    plies: int = 0
    """To the end; 0 where they are not known."""

    @property
    def line(self) -> str:
        """The line of the file."""
        return "\t".join(map(str, self))


def options_of(game: Game) -> str:
    """Return all options of a game as one text."""
    return " ".join(f"{name}={value}" for name, value in sorted(game.options.items()))


def proofs_file(game: Game) -> Path:
    """Return where the proofs of a game of this package are."""
    return Path(import_module("ludus.games").__path__[0], game.name.replace("-", "_"), "proven.txt")


@functools.cache
def read_proofs(file: Path) -> dict[tuple[str, str], Proof]:
    """Return the proofs of a file by options and position; none where there is no file."""
    if not file.exists():
        return {}
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    proofs = [Proof(options, text, int(value), move, int(plies)) for options, text, value, move, plies in rows]
    return {(proof.options, proof.position): proof for proof in proofs}


def add_proof(file: Path, proof: Proof) -> None:
    """Add a proof to a file, or replace the one of the same position."""
    known = {**read_proofs(file), (proof.options, proof.position): proof}
    write_whole(file, HEAD + "".join(f"{known[key].line}\n" for key in sorted(known)))
    read_proofs.cache_clear()


def find_proof(state: State) -> Variation | None:
    """Return what is proven of a position or of its mirror image; None where nothing is."""
    proofs = read_proofs(proofs_file(state.game))
    if not proofs:
        return None
    options = options_of(state.game)
    if (found := proofs.get((options, state.text))) is not None:
        return _variation(state, found, found.move)
    for place, image in enumerate(state.images):
        if (found := proofs.get((options, image.text))) is not None:
            after = image.play(found.move)
            move = next(move for move in state.legal_moves if state.play(move).images[place] == after)
            return _variation(state, found, move)
    return None


def _variation(state: State, proof: Proof, move: str) -> Variation:
    lead = 0 if state.scores is None else state.scores[state.side] - state.scores[1 - state.side]
    result = proof.value + lead
    chance = 0.5 * (1 + (result > 0) - (result < 0))
    return Variation((move,), float(proof.value), exact=True, win_chance=chance, plies_to_end=proof.plies or None)


def with_proof(found: Analysis, proof: Variation, lines: int) -> Analysis:
    """Put what is proven in front of what a search found; what it only estimates is not better than that.

    The search's own line follows the proven move only if the search has proven the same of it.
    """
    others = [line for line in found.lines if line.moves[:1] != proof.moves]
    known = (proof.moves, True, proof.plies_to_end)
    same = next((line for line in found.lines if (line.moves[:1], line.exact, line.plies_to_end) == known), proof)
    capped = [
        line._replace(value=min(line.value, proof.value), win_chance=min(line.win_chance, proof.win_chance))
        for line in others
    ]
    first = proof._replace(moves=same.moves)
    return found._replace(lines=(first, *capped[: lines - 1]))
