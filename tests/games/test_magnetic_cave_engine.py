"""What Magnetic Cave's engine proves, against plain exhaustive search; what it sees at once; that it repeats itself."""

from __future__ import annotations

import random
from typing import Any

import pytest

import ludus
from ludus.search.analysis import Engine, SearchLimits
from ludus.search.result import Analysis

MEGABYTES = 16


def think(state: Any, **limits: Any) -> Analysis:
    """Return what a new engine finds."""
    return Engine(state.game, MEGABYTES).think(state, SearchLimits(**limits))


def exhaustive(state: Any, known: dict[str, int]) -> int:
    """The outcome for the side to move, by trying everything."""
    if state.outcome is not None:
        return 0 if state.outcome.winner is None else 1 if state.outcome.winner == state.side else -1
    if state.text not in known:
        best = -1
        for move in state.legal_moves:
            best = max(best, -exhaustive(state.play(move), known))
            if best == 1:
                break
        known[state.text] = best
    return known[state.text]


def random_position(game: Any, chooser: random.Random, empty: int) -> Any:
    while True:
        state = game.initial()
        while state.outcome is None and state.text.count(".") > empty:
            state = state.play(chooser.choice(state.legal_moves))
        if state.outcome is None:
            return state


@pytest.mark.parametrize(
    ("options", "empty"),
    [
        ({"rows": 5, "cols": 5, "line": 3}, 9),
        ({"rows": 5, "cols": 5, "line": 4}, 9),
        ({"rows": 6, "cols": 6, "line": 4}, 9),
        ({"rows": 8, "cols": 8, "line": 5}, 8),
        ({"rows": 5, "cols": 12, "line": 4}, 7),  # one word, size not known to the compiler
        ({"rows": 9, "cols": 9, "line": 5}, 7),  # several words
    ],
)
@pytest.mark.parametrize("lines", [1, 2])  # two lines leave the prover out: the search itself must prove
def test_outcomes_and_moves_are_those_of_exhaustive_search(options: dict[str, int], empty: int, lines: int) -> None:
    chooser = random.Random(lines)
    game: Any = ludus.game("magnetic-cave", **options)
    engine = Engine(game, MEGABYTES)
    for _ in range(25):
        state = random_position(game, chooser, chooser.randint(empty - 3, empty))
        known: dict[str, int] = {}
        engine.clear()
        line = engine.think(state, SearchLimits(lines=lines)).lines[0]
        assert line.exact, state.text
        assert line.value == exhaustive(state, known), state.text
        assert -exhaustive(state.play(line.moves[0]), known) == line.value, f"{state.text}: {line.moves[0]}"


@pytest.mark.parametrize(
    "text",
    [
        "xox...xx/oxxoxoo./......../oxooxxox/xxxxooox/xxxoxoxx/oxoooxxx/ooxoxxxo 2",
        "ooxxxxoo/......../xoooxoox/ooxxoooo/xxxoxo../xooooxxo/xxxoxooo/ooxxoxxo 1",
    ],
)
def test_cells_between_two_gaps_of_a_row_are_no_moves_to_wait_with(text: str) -> None:
    """Both are ties, since the cell between the two is out of reach; counted as a move it makes one side win."""
    state: Any = ludus.game("magnetic-cave").parse(text)
    report = think(state)
    assert (report.exact, report.value) == (True, exhaustive(state, {}))


def filled_by_hand(game: Any, chooser: random.Random, most: int) -> Any:
    """Return a position with few empty cells, wide rows among them, in which nobody has a line."""
    rows, cols = game.options["rows"], game.options["cols"]
    while True:
        left, board = most, []
        for _ in range(rows):
            gap = min(left, chooser.choice((0, 0, 1, 2, 3, chooser.randint(0, cols), cols)))
            before = chooser.randint(0, cols - gap)
            bricks = "".join(chooser.choice("xo") for _ in range(cols - gap))
            board.append(bricks[:before] + "." * gap + bricks[before:])
            left -= gap
        chooser.shuffle(board)
        state = game.parse("/".join(board) + chooser.choice((" 1", " 2")))
        if state.outcome is None:
            return state


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "options", [{"rows": 5, "cols": 5, "line": 3}, {"rows": 5, "cols": 5, "line": 4}, {"rows": 5, "cols": 8, "line": 4}]
)
def test_positions_with_wide_gaps_are_judged_as_by_exhaustive_search(options: dict[str, int], threads: int) -> None:
    chooser = random.Random(7)
    game: Any = ludus.game("magnetic-cave", **options)
    engine = Engine(game, MEGABYTES)
    for _ in range(40):
        state = filled_by_hand(game, chooser, 9)
        known: dict[str, int] = {}
        engine.clear()
        line = engine.think(state, SearchLimits(threads=threads)).lines[0]
        assert line.exact, state.text
        assert line.value == exhaustive(state, known), state.text
        assert -exhaustive(state.play(line.moves[0]), known) == line.value, f"{state.text}: {line.moves[0]}"


def test_two_cells_to_complete_a_line_on_are_a_loss_at_once() -> None:
    state = ludus.game("magnetic-cave").parse(
        "xxxx..../......../......../......../......../......../......../xxxx.... 2"
    )
    report = think(state, depth=1)
    assert report.lines[0].exact
    assert report.lines[0].value == -1
    assert report.lines[0].plies_to_end == 2


def wins_to_the_end(state: Any, side: int) -> bool:
    """Whether a search of one ply keeps seeing the win and makes it, whatever the opponent replies."""
    if state.outcome is not None:
        return bool(state.outcome.winner == side)
    if state.side != side:
        return all(wins_to_the_end(state.play(move), side) for move in state.legal_moves)
    line = think(state, depth=1).lines[0]
    return bool(line.exact and line.value == 1 and wins_to_the_end(state.play(line.moves[0]), side))


def test_a_chain_of_threats_is_seen_far_beyond_the_depth() -> None:
    state = ludus.game("magnetic-cave").parse(
        "xo...ooo/......../xxx...../......../xx....oo/xoxx..../o...xxxo/o.....oo 1"
    )
    line = think(state, depth=1).lines[0]
    assert (line.exact, line.value, line.plies_to_end) == (True, 1, None), "a win by threats may not be the shortest"
    assert wins_to_the_end(state, 0)


def is_closed(state: Any, line: int) -> bool:
    """Whether every place of a line holds bricks of both players."""
    rows = state.text.split()[0].split("/")
    for row in range(len(rows)):
        for col in range(len(rows[0])):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + i * down, col + i * right) for i in range(line)]
                if all(r < len(rows) and 0 <= c < len(rows[0]) for r, c in cells):
                    bricks = {rows[r][c] for r, c in cells}
                    if not {"x", "o"} <= bricks:
                        return False
    return True


def test_a_position_without_an_open_window_is_a_tie_at_once() -> None:
    game: Any = ludus.game("magnetic-cave")
    chooser = random.Random(3)
    closed = 0
    while closed < 5:
        state = random_position(game, chooser, 5)
        if is_closed(state, 5):
            closed += 1
            report = think(state, depth=1)
            assert report.lines[0].exact, state.text
            assert report.lines[0].value == 0, state.text


@pytest.mark.parametrize(
    ("before", "reply"),
    [
        ("xxo....x/xoxox..x/xoxoxx.o/o.....oo/o....ooo/oxoxx.ox/xo.....x/xx....oo 1", "E4"),
        ("xxx...oo/x..oooxo/o....oox/ox..xoxo/o...xoxx/x......x/xox...ox/...xoxoo 1", "C7"),
    ],
)
def test_a_tie_that_is_proven_is_not_given_away_by_a_search_that_is_cut_short(before: str, reply: str) -> None:
    """After the reply the next search has two nodes: what looks better than the proven tie loses."""
    state: Any = ludus.game("magnetic-cave").parse(before)
    engine = Engine(state.game, MEGABYTES)
    proof = engine.think(state, SearchLimits(nodes=20_000))
    assert (proof.exact, proof.value) == (True, 0.0)
    state = state.play(proof.move).play(reply)
    after = state.play(engine.think(state, SearchLimits(nodes=2)).move)
    assert think(after).value <= 0


def test_a_line_is_completed_without_any_search() -> None:
    state: Any = ludus.game("magnetic-cave").parse(
        "......../......../......../......../......../oooo..../......../xxxx...x 1"
    )
    assert think(state, nodes=1).move == "E1"
