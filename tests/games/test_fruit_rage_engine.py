"""The Fruit Rage's engine: what it calls exact is held against plain minimax over the rules."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import ludus
from ludus.game import NativeGame
from ludus.search.analysis import Engine, SearchLimits

if TYPE_CHECKING:
    from ludus.game import State


def fruit_rage(**options: int) -> NativeGame:
    game = ludus.game("fruit-rage", **options)
    assert isinstance(game, NativeGame)
    return game


def values(state: State, known: dict[str, int]) -> dict[str, int]:
    """Return each move's margin still to be won, by trying everything; `known` holds the boards seen so far."""
    found = {}
    for move in state.legal_moves:
        after = state.play(move)
        assert state.scores is not None
        assert after.scores is not None
        board = after.text.split()[0]
        if board not in known:
            known[board] = max(values(after, known).values(), default=0)
        found[move] = after.scores[state.side] - state.scores[state.side] - known[board]
    return found


def random_board(chooser: random.Random, size: int, types: int, fruits: int) -> str:
    """Drop fruits into random columns, mostly in a few that are neighbours, so that they touch and fall."""
    columns: list[list[str]] = [[] for _ in range(size)]
    first = chooser.randrange(size)
    while fruits > 0:
        column = columns[(first + chooser.randrange(1 + size // 2)) % size]
        if len(column) < size:
            column.append(str(chooser.randrange(types)))
            fruits -= 1
    cells = [column + ["*"] * (size - len(column)) for column in columns]
    return "/".join("".join(cells[col][row] for col in range(size)) for row in reversed(range(size)))


def check(game: NativeGame, engine: Engine, text: str) -> None:
    """Compare every line of the engine with minimax, and the best move of a search for the winner alone."""
    state = game.parse(text)
    truth = values(state, {})
    best = max(truth.values())
    for threads in (1, 2):
        engine.clear()
        found = engine.think(state, SearchLimits(threads=threads, lines=len(truth)))
        assert {line.moves[0]: line.value for line in found.lines} == truth, text
        assert all(line.exact for line in found.lines), text
    engine.clear()
    alone = engine.think(state, SearchLimits())
    assert alone.exact, text
    assert alone.value == best == truth[alone.move], text


@pytest.mark.parametrize(("size", "types"), [(1, 1), (2, 2), (3, 1), (3, 2), (3, 3), (3, 4), (4, 3), (4, 4)])
def test_small_boards_are_solved(size: int, types: int) -> None:
    game = fruit_rage(size=size, types=types)
    engine = Engine(game, 1)
    for seed in range(4 if size == 4 else 12):
        check(game, engine, game.initial(seed).text)


@pytest.mark.parametrize(("size", "types"), [(5, 2), (8, 3), (10, 4), (10, 7), (16, 2), (17, 8), (26, 10)])
def test_late_positions_are_solved(size: int, types: int) -> None:
    game = fruit_rage(size=size, types=types)
    engine = Engine(game, 1)
    chooser = random.Random(size * types)
    for _ in range(12):
        check(game, engine, random_board(chooser, size, types, chooser.randint(1, 10)))


@pytest.mark.parametrize(
    "board",
    [
        "***/***/012",  # atoms alone
        "0**/1*2/0*2",  # taking the middle joins two, taking the top does not
        "***/1*1/000",  # a wide group that holds up two that meet when it goes
        "2**/1*1/000",  # an atom on top of them
        "0*0/1*1/0*0",  # twice the same column: whoever opens one is answered in the other
        "1**/01*/011",  # a group that falls apart
    ],
)
def test_atoms_and_what_only_looks_like_one(board: str) -> None:
    game = fruit_rage(size=3, types=3)
    check(game, Engine(game, 1), board)


def test_it_sees_what_greed_does_not() -> None:
    # The row of 1s is among the largest groups, but taking it drops two 0s on the others: five for the opponent.
    state = fruit_rage(size=3, types=3).parse("002/111/000")
    truth = values(state, {})
    assert truth["A2"] == -15
    found = ludus.analyse(state, nodes=100_000)
    assert found.exact
    assert found.value == truth[found.move] == 3


def test_the_proof_beside_the_search_settles_an_endgame_that_the_search_alone_leaves_open() -> None:
    game = fruit_rage(size=8, types=4)
    state = game.parse("3*******/01******/13******/33******/021*****/201321*3/103332*1/000322*2 1 39-70")
    found = Engine(game, 16).think(state, SearchLimits(nodes=20_000))
    assert found.exact
    assert (found.move, found.value) == ("D6", 15)
    assert found.nodes > 20_000  # those of the proof


def test_on_a_large_board_it_looks_ahead_along_the_large_groups() -> None:
    """With every one of some 500 groups tried at each ply it would see four plies."""
    found = ludus.analyse(fruit_rage(size=26, types=9).initial(1), nodes=30_000)
    assert found.depth >= 5
