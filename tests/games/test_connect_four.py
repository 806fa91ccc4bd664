"""Connect Four: its engine beside published values. The generic tests do the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus import game
from ludus.search.analysis import Engine, SearchLimits

POSITIONS = Path(__file__).with_name("connect_four_positions.txt")


@pytest.mark.parametrize("discs", range(16, 40))
def test_the_engine_proves_the_known_value_of_each_position(discs: int) -> None:
    connect_four = game("connect-four")
    engine, asked = Engine(connect_four, 64), 0
    for line in POSITIONS.read_text(encoding="utf-8").splitlines():
        columns, value, plies = line.split()[:3]
        if len(columns) != discs:
            continue
        state = connect_four.initial()
        for column in columns:
            state = state.play("ABCDEFG"[int(column) - 1])
        found = engine.think(state, SearchLimits())
        assert (found.exact, found.value) == (True, float(value)), columns
        assert found.lines[0].plies_to_end in (int(plies) or None, None), columns
        after = state.play(found.move)
        if after.outcome is None:
            assert engine.think(after, SearchLimits()).value == -float(value), "the move is worth its value"
        asked += 1
    assert asked >= 100


SIZES = {(4, 4): 0, (4, 5): 0, (4, 6): -1, (5, 4): 0, (5, 5): 0, (6, 4): 0, (6, 5): 0, (7, 4): 0}


@pytest.mark.parametrize(("rows", "cols"), SIZES)
def test_the_engine_solves_smaller_boards_from_the_start(rows: int, cols: int) -> None:
    connect_four = game("connect-four", rows=rows, cols=cols)
    found = Engine(connect_four, 64).think(connect_four.initial(), SearchLimits())
    assert (found.exact, found.value) == (True, SIZES[rows, cols])
