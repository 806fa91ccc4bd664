"""The players that teach, and Chain Reaction's named opponents: exact searches agree, each does what its name says."""

from __future__ import annotations

import importlib
import json
import random
import signal
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from patience import PATIENCE
from python_games import Counters, SubtractionGame
from random_games import after_moves
from small_games import affordable, each_small, open_positions

import ludus
from ludus import _native
from ludus.cli import main
from ludus.play.clock import Clock
from ludus.players import player, players
from ludus.search.analysis import Engine, SearchLimits
from ludus.search.compare import compare_search
from ludus.search.teaching import look_ahead, play_out
from ludus.search.textbook import METHODS, WIN_VALUE, WON, Textbook, TreeSearch

NO_CLOCK = Clock().start()


# ----------------------------------------------------------------------------------------------------------------------
# Looking ahead


@each_small
def test_all_methods_give_the_same_move_and_value(name: str, options: dict[str, Any]) -> None:
    for state in open_positions(name, options, 12):
        for depth in (1, 2, 3, 5 if len(state.legal_moves) < 10 else 4):
            if len(state.legal_moves) ** depth > 1_000_000:
                continue
            thoughts = [look_ahead(state, method, depth) for method in METHODS]
            assert len({(thought.move, thought.value) for thought in thoughts}) == 1, state.text
            assert thoughts[0].nodes == sum(state.game.perft(state, ply) for ply in range(1, depth + 1))
            assert thoughts[1].nodes <= thoughts[0].nodes
            assert thoughts[3].nodes <= thoughts[2].nodes


@each_small
def test_the_compiled_search_does_what_the_python_one_does(name: str, options: dict[str, Any]) -> None:
    for state in open_positions(name, options, 6, seed=2):
        depth = affordable(state)
        for method in METHODS:
            move, value, nodes = Textbook(method, depth).choose(state)
            compiled = look_ahead(state, method, depth)
            assert (compiled.move, compiled.value) == (move, value), (state.text, method, depth)
            if method != "table":  # they forget differently
                assert compiled.nodes == nodes


@pytest.mark.parametrize(("rows", "cols", "wins"), [(2, 2, 1), (2, 3, 0)])
def test_known_winners_of_small_boards(rows: int, cols: int, wins: int) -> None:
    state = ludus.game("chain-reaction", rows=rows, cols=cols).initial()
    thought = look_ahead(state, "table", 14)
    assert (thought.value > WON) == (wins == 0)
    assert abs(thought.value) > WON


def test_a_sooner_win_is_better_and_a_later_loss() -> None:
    game = ludus.game("chain-reaction")
    state = game.parse("r1b1..../....../....../....../...... 1 2")
    for depth in (1, 3, 4):
        assert look_ahead(state, "alphabeta", depth)[:2] == ("A1", WIN_VALUE - 1)
    lost = game.parse("r1b1..../....../....../....../...... 2 2")
    saves = look_ahead(lost, "minimax", 2)
    assert saves.value > -WON, "blue can save itself"


def test_a_scored_game_is_valued_by_the_points_made_on_the_line() -> None:
    state: Any = ludus.game("cantris", rows=2, cols=2, tiles=3).parse("21/13 1 7-0")
    assert look_ahead(state, "minimax", 1)[:2] == ("1,1", 3.0)
    # All lines of two: take 3, then the opponent takes 2.
    assert look_ahead(state, "minimax", 2).value == max(
        state.play(move).scores[0]
        - 7
        - max(state.play(move).play(reply).scores[1] for reply in state.play(move).legal_moves)
        for move in state.legal_moves
    )


def test_of_equal_moves_the_first_is_chosen() -> None:
    state = ludus.game("cantris", rows=4, cols=3, tiles=1).initial()
    for method in METHODS:
        assert look_ahead(state, method, 1).move == state.legal_moves[0]


def test_ctrl_c_ends_a_search() -> None:
    program = (
        "import ludus; from ludus.players import player; print('ready', flush=True); "
        "player('minimax:depth=30').choose(ludus.game('chain-reaction').initial(), None)"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"ready\n"
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(1.0)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=PATIENCE)
    assert b"KeyboardInterrupt" in errors


# ----------------------------------------------------------------------------------------------------------------------
# Play-outs


@each_small
def test_the_compiled_play_outs_are_the_python_ones(name: str, options: dict[str, Any]) -> None:
    for state in open_positions(name, options, 2, seed=3):
        for playouts, seed in ((1, 0), (40, 5)):
            move, value, nodes, depth = TreeSearch(seed).choose(state, playouts)
            compiled = play_out(state, playouts, seed)
            assert (compiled.move, compiled.nodes, compiled.depth) == (move, nodes, depth)
            assert compiled.value == pytest.approx(value, abs=1e-12)


def test_mcts_is_repeatable_and_finds_a_win(name: str) -> None:
    state: Any = ludus.game(name).initial(seed=1)
    assert play_out(state, 500, 9)[:3] == play_out(state, 500, 9)[:3]
    won = ludus.game("chain-reaction").parse("r1b1..../....../....../....../...... 1 2")
    thought = play_out(won, 500, 1)
    assert (thought.move, thought.value) == ("A1", 1.0)


def test_mcts_beats_random(name: str) -> None:
    points = sum(score(ludus.game(name), "mcts:playouts=300,seed=1", f"random:seed={seed}", seed) for seed in range(3))
    assert points >= 5.0


# ----------------------------------------------------------------------------------------------------------------------
# Players


def score(game: Any, one: str, other: str, seed: int, opening: int = 0) -> float:
    """Return the points of `one` out of 2, in both seats from the same opening at random."""
    start = after_moves(game.initial(seed), opening, random.Random(seed))
    points = 0.0
    for seat, seats in enumerate(((one, other), (other, one))):
        outcome = ludus.play_match(game, seats, start=start).outcome
        assert outcome is not None
        assert outcome.reason == "rules"
        points += 0.5 if outcome.winner is None else float(outcome.winner == seat)
    return points


def test_each_tells_what_it_did() -> None:
    state = ludus.game("chain-reaction").initial()
    for text, depth in (("minimax:depth=2", 2), ("alphabeta:depth=2", 2), ("mcts:playouts=50", None), ("heithoff", 4)):
        made: Any = player(text)
        assert made.last is None
        move = made.choose(state, NO_CLOCK)
        last: Any = made.last
        assert last.move == move
        assert last.nodes > 30
        assert last.seconds > 0
        assert depth in (None, last.depth)
    assert player("minimax:depth=2").choose(state, NO_CLOCK) == player("alphabeta:depth=2").choose(state, NO_CLOCK)


def test_options_are_checked() -> None:
    for text, words in (
        ("minimax:depth=0", "option depth must be a whole number from 1 to 100, not '0'"),
        ("alphabeta:dpeth=3", "player alphabeta has no option 'dpeth'; its options are depth, evaluator"),
        ("mcts:playouts=x", "option playouts must be a whole number from 1 to 10000000, not 'x'"),
        ("mcts:seed=-1", "option seed must be a whole number from 0"),
        ("noLook:depth=1", "player noLook has no option 'depth'; it has no options"),
        ("randomMove:game=1", "player random has no option 'game'; its options are seed"),
        ("minimax:self=1", "player minimax has no option 'self'"),
    ):
        with pytest.raises(ValueError, match=words):
            player(text)
    for name, words in (("cantris", "its evaluators are plain"), ("chain-reaction", "plain, orbs, prospects")):
        with pytest.raises(ValueError, match=f"this game has no evaluator 'x'; its evaluators are .*{words[-5:]}"):
            player("alphabeta:evaluator=x").choose(ludus.game(name).initial(), NO_CLOCK)
    over = ludus.game("chain-reaction").parse("r1./.. 1 9")
    with pytest.raises(ValueError, match="the game is over"):
        _native.look_ahead(over, "minimax", 1, "plain")


# ----------------------------------------------------------------------------------------------------------------------
# A game by a third party, in Python


@pytest.fixture
def subtraction(monkeypatch: pytest.MonkeyPatch) -> Any:
    entry = SimpleNamespace(load=lambda: SubtractionGame)
    monkeypatch.setattr(
        importlib.import_module("ludus.game"), "games_of_other_packages", lambda: {"subtraction": entry}
    )
    return ludus.game("subtraction")


@pytest.mark.parametrize("text", ["minimax:depth=12", "alphabeta:depth=12", "mcts:playouts=400,seed=2"])
def test_python_games_are_played_too(subtraction: Any, text: str) -> None:
    record = ludus.play_match(subtraction, (text, "random:seed=1"))
    assert record.outcome == ludus.Outcome(0), "10 is won for the first player: take 2, and leave a multiple of 4"
    assert record.moves[0].move == "2"


def test_python_games_are_compared_too(subtraction: Any, capsys: pytest.CaptureFixture[str]) -> None:
    *_, last = compare_search(subtraction.initial(), 8)
    assert {(thought.move, thought.value) for thought in last.thoughts.values()} == {("2", WIN_VALUE - 5)}
    nodes = [thought.nodes for thought in last.thoughts.values()]
    assert nodes == sorted(nodes, reverse=True)
    assert main(["compare-search", "subtraction", "--depth", "3"]) == 0
    assert "All four methods choose" in capsys.readouterr().out
    with pytest.raises(ValueError, match="subtraction has no evaluator 'orbs'; it has only plain"):
        player("alphabeta:evaluator=orbs").choose(subtraction.initial(), NO_CLOCK)


def test_python_games_have_an_engine_too(subtraction: Any, capsys: pytest.CaptureFixture[str]) -> None:
    found = ludus.analyse(subtraction.initial(), seconds=20.0, lines=3)
    assert (found.move, found.value, found.exact, found.win_chance) == ("2", 1.0, True, 1.0)
    assert found.lines[0].plies_to_end == 5
    assert [line.value for line in found.lines] == [1.0, -1.0, -1.0]
    assert found.depth == 6, "the others lose in six"
    state = subtraction.initial()
    for move in found.lines[0].moves:
        state = state.play(move)
    assert state.outcome == ludus.Outcome(0), "the line goes to the end"
    assert main(["analyse", "subtraction", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["move"] == "2"
    assert main(["solve", "subtraction", "12 1"]) == 0
    assert "loses in 6" in capsys.readouterr().out


def test_the_engine_of_python_games_keeps_its_limits(subtraction: Any) -> None:
    state = subtraction.initial(30)
    assert ludus.analyse(state, depth=4).depth == 4
    assert ludus.analyse(state, nodes=500).nodes == 500
    assert ludus.analyse(state, seconds=1e-6).move == "1", "no time: the first move there is"
    assert ludus.analyse(state, seconds=30.0, progress=lambda found: found.depth == 3).depth == 3
    with pytest.raises(ValueError, match="the game is over"):
        ludus.analyse(state._replace(heap=0), nodes=10)


@pytest.mark.parametrize("text", ["engine", "engine:level=8", "engine:nodes=3000,ponder=1"])
def test_the_engine_plays_python_games(subtraction: Any, text: str) -> None:
    record = ludus.play_match(subtraction, (text, "random:seed=1"), clock="20")
    assert record.outcome == ludus.Outcome(0)


def test_the_engine_counts_the_points_of_python_games(subtraction: Any) -> None:
    state: Any = Counters(subtraction, (3, 9, 1, 2))
    found = ludus.analyse(state)
    assert (found.move, found.value, found.exact, found.win_chance) == ("right", 7.0, True, 1.0)
    assert ludus.analyse(state._replace(scores=(0, 7)), objective="win").value == 0.0
    assert ludus.analyse(state._replace(scores=(0, 8)), objective="win").value == -1.0
    guess = ludus.analyse(state, depth=1)
    assert (guess.move, guess.exact) == ("left", False)
    assert 0.5 < guess.win_chance < 1.0
    at_once = Engine(subtraction).think(state._replace(row=(1, 2, 9)), SearchLimits(seconds=0.0))
    assert (at_once.move, at_once.depth) == ("right", 0)


# ----------------------------------------------------------------------------------------------------------------------
# ludus compare-search


def test_compare_search_prints_a_table(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare-search", name, "--depth", "2"]) == 0
    head, one, two, answer = capsys.readouterr().out.splitlines()
    assert [word for word in head.split() if word in METHODS] == list(METHODS)
    assert [one.split()[0], two.split()[0]] == ["1", "2"]
    state: Any = ludus.game(name).initial()
    assert int(two.split()[1].replace(",", "")) == state.game.perft(state, 1) + state.game.perft(state, 2)
    assert f"choose {look_ahead(state, 'minimax', 2).move}," in answer


def test_compare_search_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare-search", "cantris", "21/13 1 0-0", "--depth", "3", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["position"] == "21/13 1 0-0 0"
    assert [row["depth"] for row in document["depths"]] == [1, 2, 3]
    assert all(set(row["methods"]) == set(METHODS) for row in document["depths"])
    assert main(["compare-search", "cantris", ".1/.1 1 0-0"]) == 2
    assert "the game is over; there is nothing to search" in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------------------------
# Chain Reaction's named opponents

NAMED = ("randomMove", "noLook", "heithoff", "rlawrenc", "106062130")


def chosen(name: str, text: str, **options: Any) -> str:
    return player(name).choose(ludus.game("chain-reaction", **options).parse(text), NO_CLOCK)


def test_named_opponents_play_chain_reaction_only() -> None:
    assert set(NAMED) < set(players())
    for name in NAMED:
        with pytest.raises(ValueError, match=f"player {name} plays only chain-reaction, not cantris"):
            ludus.play_match(ludus.game("cantris"), (name, "random"))
        with pytest.raises(ValueError, match=f"player {name} plays only chain-reaction, not cantris"):
            player(name).choose(ludus.game("cantris").initial(), NO_CLOCK)


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("options", [{}, {"rows": 3, "cols": 4}, {"rows": 9, "cols": 3, "explosion": "dies"}], ids=str)
def test_named_opponents_play_either_colour_on_any_board(name: str, options: dict[str, Any]) -> None:
    assert score(ludus.game("chain-reaction", **options), name, "randomMove:seed=1", 1) in (0.0, 1.0, 2.0)


def test_no_look_loads_its_fullest_cell() -> None:
    assert chosen("noLook", "....../....../....../....../......") == "A1"
    assert chosen("noLook", "b1...../....../....../....../...... 1 1") == "F1", "the nearest of the empty ones"
    assert chosen("noLook", "b1...../.r1..../..r3.../....../...... 1 5") == "C3"
    assert chosen("noLook", "b1.r2.../.r1..../..r3.../....../...... 1 7") == "C1", "of equals the first"
    assert chosen("noLook", "b1.r2.../.r1..../..r3.../....../...... 2 7") == "A1", "in the other seat too"


def test_heithoff_counts_orbs() -> None:
    state: Any = ludus.game("chain-reaction").parse("r1b1b2.../....../....../....../...... 1 4")
    thought = look_ahead(state, "minimax", 1, "orbs")
    assert thought.move == "A1", "takes B1, for 4 orbs to 2"
    after = state.play("A1")
    mine, theirs = (sum(int(digit) for digit in "".join(cells)) for cells in owned(after))
    assert thought.value == mine - theirs
    made: Any = player("heithoff")
    assert made.choose(state, NO_CLOCK) == look_ahead(state, "minimax", 4, "orbs").move


def owned(state: Any) -> tuple[list[str], list[str]]:
    board = state.text.partition(" ")[0]
    return tuple([board[i + 1] for i, char in enumerate(board) if char == side] for side in "rb")  # type: ignore[return-value]


def test_rlawrenc_prefers_safe_rims_and_takes_what_is_threatened() -> None:
    def worth(text: str) -> float:
        """Return what the side to move thinks of a position: seen from the move before it, at depth 1, negated."""
        state: Any = ludus.game("chain-reaction").parse(text)
        return look_ahead(state, "minimax", 1, "prospects").value

    assert chosen("rlawrenc", "....../....../....../....../......") in ("A1", "F1", "A5", "F5")
    corner = worth("r1...../....../...b1../....../...... 1 2")
    inside = worth("....../..r1.../...b1../....../...... 1 2")
    assert corner > inside
    made: Any = player("rlawrenc")
    state = ludus.game("chain-reaction").parse("r1b2..../....../....../....../...... 1 3")
    assert made.choose(state, NO_CLOCK) == "A1"
    assert made.last.value > WON


def reference_106062130(record: list[list[int]], color: list[list[str]], me: str) -> tuple[int, int]:
    """Seed 004's code, line by line, in its own words."""
    rows, cols = len(record), len(record[0])
    most = [[4 - (x in (0, rows - 1)) - (y in (0, cols - 1)) for y in range(cols)] for x in range(rows)]

    def point_value(x: int, y: int) -> int:
        dist = most[x][y] - record[x][y]
        value = 0
        for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            nx, ny = x + dx, y + dy
            if not (0 <= nx < rows and 0 <= ny < cols):
                continue
            if color[nx][ny] in ("white", "black"):
                continue
            nd = most[nx][ny] - record[nx][ny]
            if color[nx][ny] != me:
                if dist == 1:
                    return 1_000_000_000 if nd == 1 else -100_000_000
                value += 1000 if dist <= nd else -1000
            else:
                value -= nd
        if dist == 1:
            return -10_000_000
        return value - dist if color[x][y] == "white" else value - 10 * dist

    selected, selected_value, selected_color = (-1, -1), -(10**9) - 10, me
    for x in range(rows):
        for y in range(cols):
            if color[x][y] in ("white", me):
                v = point_value(x, y)
                if selected_value < v or (selected_value == v and selected_color == me and color[x][y] == "white"):
                    selected, selected_value, selected_color = (x, y), v, color[x][y]
    return selected


@pytest.mark.parametrize("options", [{}, {"rows": 4, "cols": 3}, {"explosion": "dies"}], ids=str)
def test_106062130_is_seed_004_to_the_letter(options: dict[str, Any]) -> None:
    from ludus.games.chain_reaction import cells  # noqa: PLC0415

    names = {".": "white", "#": "black", "r": "red", "b": "blue"}
    for state in open_positions("chain-reaction", options, 60, seed=5):
        rows = cells(state.text.partition(" ")[0])
        record = [[int(cell[1:] or 0) for cell in row] for row in rows]
        color = [[names[cell[0]] for cell in row] for row in rows]
        x, y = reference_106062130(record, color, ("red", "blue")[state.side])
        assert player("106062130").choose(state, NO_CLOCK) == f"{chr(65 + y)}{x + 1}", state.text


def test_106062130_on_positions_made_by_hand() -> None:
    assert chosen("106062130", "....../....../....../....../......") == "A1", "the least that is missing, alone"
    assert chosen("106062130", "b1...../....../....../....../...... 1 1") == "F1", "away from the enemy"
    assert chosen("106062130", "r1b2..../....../....../....../...... 1 3") == "A1", "both are about to explode: now"
    held = chosen("106062130", "r1b1..../....../....../....../...... 1 2")
    assert held != "A1", "an enemy that can wait is left to grow fat"


@pytest.mark.parametrize(
    ("stronger", "weaker", "least"),
    [("rlawrenc", "heithoff", 13), ("heithoff", "noLook", 17), ("noLook", "randomMove:seed=3", 14)],
)
def test_the_order_of_strength(stronger: str, weaker: str, least: int) -> None:
    game = ludus.game("chain-reaction")
    assert sum(score(game, stronger, weaker, seed, opening=4) for seed in range(10)) >= least
