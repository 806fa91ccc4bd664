"""Cantris played perfectly: every proof beside an exhaustive search that knows the rules and nothing else."""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from patience import PATIENCE, until

import ludus
from ludus.search.analysis import Engine, SearchLimits
from ludus.search.result import Analysis

if TYPE_CHECKING:
    from ludus.game import State

MEGABYTES = 32


def engine_for(state: State) -> Engine:
    return Engine(state.game, MEGABYTES)


def think(state: State, **limits: Any) -> Analysis:
    """Return what a new engine finds."""
    return engine_for(state).think(state, SearchLimits(**limits))


def margin(state: State, side: int) -> int:
    scores = state.scores
    assert scores is not None
    return scores[side] - scores[1 - side]


def exhaustive(state: State, known: dict[str, int]) -> int:
    """Return the margin that the side to move still wins, by trying everything."""
    if state.outcome is not None:
        return 0
    board, _, _, removed = state.text.split(" ")
    key = f"{board} {removed}"
    if key not in known:
        known[key] = max(value_of(state, move, known) for move in state.legal_moves)
    return known[key]


def value_of(state: State, move: str, known: dict[str, int]) -> int:
    after = state.play(move)
    made = margin(after, state.side) - margin(state, state.side)
    rest = exhaustive(after, known)
    return made + (rest if after.side == state.side else -rest)


def random_state(chooser: random.Random) -> State:
    """Make a small position of any kind, with runs standing on it often enough."""
    while True:
        rows, cols = chooser.randint(1, 5), chooser.randint(1, 6)
        heights = [chooser.randint(1, rows) for _ in range(cols)]
        if sum(heights) <= 9:
            break
    heights[0] = rows if sum(heights) + rows - heights[0] <= 10 else heights[0]
    largest = chooser.choice([1, 2, 3, 4, 9])
    columns = [[str(chooser.randint(1, largest)) for _ in range(height)] for height in heights]
    grid = ["".join(c[h] if h < len(c) else "." for c in columns) for h in reversed(range(rows))]
    removals = chooser.randint(1, 2)
    options: dict[str, int | str] = {
        "rows": rows,
        "cols": cols,
        "tiles": 9,
        "removals": removals,
        "second_removal": chooser.choice(["required", "optional"]),
    }
    points = f"{chooser.randint(0, 9)}-{chooser.randint(0, 9)}"
    game: Any = ludus.game("cantris", **options)
    state: State = game.parse(f"{'/'.join(grid)} {chooser.randint(1, 2)} {points} {chooser.randint(0, removals - 1)}")
    return state


@pytest.mark.parametrize("seed", range(60))
def test_small_boards_of_every_kind_agree_with_trying_everything(seed: int) -> None:
    state = random_state(random.Random(seed))
    known: dict[str, int] = {}
    best = exhaustive(state, known)
    report = think(state)
    line = report.lines[0]
    assert line.exact
    assert line.value == best
    assert value_of(state, line.moves[0], known) == best
    final = margin(state, state.side) + best
    assert line.win_chance == (1 if final > 0 else 0 if final < 0 else 0.5)


@pytest.mark.parametrize("seed", range(12))
def test_five_columns_and_two_removals_agree_with_trying_everything(seed: int) -> None:
    """Few runs are left here, and many tiles are dead: what bounds and dominated removals decide without a search."""
    chooser = random.Random(seed)
    heights = [2, 2, 2, 2, 2]
    heights[chooser.randrange(5)] += 1
    columns = [[str(chooser.randint(1, 4)) for _ in range(height)] for height in heights]
    grid = ["".join(c[h] if h < len(c) else "." for c in columns) for h in reversed(range(3))]
    rule = "optional" if seed % 3 == 0 else "required"
    game = ludus.game("cantris", rows=3, cols=5, tiles=5, removals=2, second_removal=rule)
    state, known = game.parse("/".join(grid)), dict[str, int]()
    while state.outcome is None:
        found = think(state)
        assert found.exact
        assert found.value == exhaustive(state, known) == value_of(state, found.move, known)
        state = state.play(chooser.choice(state.legal_moves))


def tiles_left(state: State) -> int:
    return sum(char not in "./" for char in state.text.split(" ")[0])


def play_at_random(state: State, tiles: int, chooser: random.Random) -> State:
    """Remove from the highest columns, so that the game is long, until so few tiles are left."""
    while state.outcome is None and tiles_left(state) > tiles:
        columns = list(zip(*state.text.split(" ")[0].split("/"), strict=True))
        heights = [len(column) - column.count(".") for column in columns]
        state = state.play(chooser.choice([m for m in state.legal_moves if heights[int(m[-1])] == max(heights)]))
    return state


@pytest.mark.parametrize(("rows", "cols"), [(6, 3), (8, 4), (10, 5), (5, 6)])
def test_real_games_agree_with_trying_everything_near_their_end(rows: int, cols: int) -> None:
    game: Any = ludus.game("cantris", rows=rows, cols=cols)
    chooser, checked = random.Random(1), 0
    for seed in range(12):
        state = game.initial(seed)
        engine = Engine(game, MEGABYTES)
        engine.think(state, SearchLimits(nodes=200))  # the frame is that of the whole board
        state = play_at_random(state, 10, chooser)
        if state.outcome is not None:
            continue
        known: dict[str, int] = {}
        line = engine.think(state, SearchLimits()).lines[0]
        assert (line.exact, line.value) == (True, exhaustive(state, known))
        assert value_of(state, line.moves[0], known) == line.value
        checked += 1
    assert checked >= 6


def test_the_best_line_is_played_to_its_end_and_keeps_the_value() -> None:
    for seed in range(5):
        state = ludus.game("cantris", rows=6, cols=3).initial(seed)
        line = think(state).lines[0]
        end = state
        for move in line.moves:
            end = end.play(move)
        assert end.outcome is not None
        assert margin(end, 0) == line.value


def test_first_moves_on_six_by_three_are_proven() -> None:
    game: Any = ludus.game("cantris", rows=6, cols=3)
    engine = Engine(game, MEGABYTES)
    reports = [engine.think(game.initial(seed), SearchLimits(nodes=200_000)) for seed in range(20)]
    assert all(report.lines[0].exact for report in reports)
    assert len({report.lines[0].value for report in reports}) > 5


def test_a_first_move_on_eight_by_four_is_proven_with_two_threads_as_with_one() -> None:
    game: Any = ludus.game("cantris")
    values = []
    for threads in (1, 2):
        line = think(game.initial(7), threads=threads).lines[0]
        assert line.exact
        values.append(line.value)
    assert values[0] == values[1]


def test_who_wins_is_proven_without_the_margin() -> None:
    for seed in range(40):
        state = random_state(random.Random(2000 + seed))
        final = margin(state, state.side) + exhaustive(state, {})
        line = think(state, objective="win").lines[0]
        assert line.exact
        assert line.win_chance == (1 if final > 0 else 0 if final < 0 else 0.5)


def test_boards_too_large_for_a_proof_are_searched_all_the_same() -> None:
    state = ludus.game("cantris", rows=12, cols=8).initial(1)
    report = think(state, depth=2)
    assert report.depth == 2
    assert report.lines[0].moves[0] in state.legal_moves


def test_a_search_stops_when_it_is_asked_to() -> None:
    state = ludus.game("cantris", rows=10, cols=5).initial(1)
    engine = engine_for(state)
    for threads in (1, 2, 1, 2, 1):
        began = time.process_time()
        engine.ponder(state, threads)
        until(lambda: time.process_time() > began + 0.02, "thinking")  # noqa: B023 - called at once
        stopping = threading.Thread(target=engine.stop, daemon=True)
        stopping.start()
        stopping.join(PATIENCE)
        assert not stopping.is_alive(), "it would go on for hours"


def test_the_table_is_kept_for_the_next_move() -> None:
    state = ludus.game("cantris", rows=6, cols=3).initial(5)
    engine = engine_for(state)
    line = engine.think(state, SearchLimits()).lines[0]
    after = state.play(line.moves[0])
    again = engine.think(after, SearchLimits())
    fresh = think(after)
    assert again.lines[0].value == fresh.lines[0].value
    assert again.nodes < fresh.nodes
