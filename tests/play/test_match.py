"""One game between two players: the clock, the order of precedence, undo, and the simplest players."""

from __future__ import annotations

import math
from typing import Any

import pytest

import ludus
from ludus.play.clock import Clock
from ludus.play.match import Match
from ludus.players import player, players, simple


def match(clock: str = "none") -> Match:
    return Match(ludus.game("chain-reaction").initial(), clock=Clock.parse(clock))


def test_a_game_of_every_kind_is_played_to_its_end(name: str) -> None:
    seen: list[str] = []
    record = ludus.play_match(
        ludus.game(name),
        ("random:seed=1", "random:seed=2"),
        seed=7,
        on_move=lambda match: seen.append(match.state.text),
    )
    assert record.outcome is not None
    assert record.outcome.reason == "rules"
    assert len(seen) == len(record.moves)
    assert record.final.text == seen[-1]
    again = ludus.play_match(ludus.game(name), ("random:seed=1", "random:seed=2"), seed=7)
    assert [played.move for played in again.moves] == [played.move for played in record.moves]


def test_time_is_charged_to_the_mover() -> None:
    played = match("10+1")
    played.play("A1", seconds=4.0)
    played.play("F5", seconds=2.0)
    assert (played.time_left(0).seconds, played.time_left(1).seconds) == (7.0, 9.0)
    assert [move.seconds for move in played.record.moves] == [4.0, 2.0]


def test_too_late_loses_even_with_an_illegal_move() -> None:
    played = match("3/move")
    played.play("Z9", seconds=3.5)
    assert played.outcome == ludus.Outcome(1, "timeout")
    assert played.record.moves == []
    with pytest.raises(ludus.IllegalMove, match="the game is over"):
        played.play("A1")


def test_the_moves_of_a_turn_share_its_time() -> None:
    start = ludus.game("cantris", rows=10, cols=5).initial(3)
    played = Match(start, clock=Clock.parse("30/move"))
    played.play(start.legal_moves[0], seconds=20.0)
    assert played.state.side == 0
    assert played.time_left(0).seconds == 10.0
    played.play(played.state.legal_moves[0], seconds=9.0)
    assert played.state.side == 1
    assert (played.time_left(0).seconds, played.time_left(1).seconds) == (30.0, 30.0)
    played.play(played.state.legal_moves[0], seconds=20.0)
    played.play(played.state.legal_moves[0], seconds=11.0)
    assert played.outcome == ludus.Outcome(0, "timeout")


def test_the_engine_keeps_time_for_its_second_removal() -> None:
    record = ludus.play_match(
        ludus.game("cantris", rows=10, cols=5), ("engine", "random:seed=1"), "cpu:0.4/move", seed=3
    )
    assert record.outcome is not None
    assert record.outcome.reason == "rules"


def test_an_illegal_move_changes_nothing() -> None:
    played = match("10")
    with pytest.raises(ludus.IllegalMove):
        played.play("Z9", seconds=1.0)
    assert played.time_left(0).seconds == 10.0
    played.play("a1")
    assert played.record.moves[0].move == "A1"


def test_undo_takes_back_move_and_clock() -> None:
    played = match("10")
    assert not played.undo()
    played.play("A1", seconds=4.0)
    assert played.undo()
    assert played.state.text == ludus.game("chain-reaction").initial().text
    assert played.time_left(0).seconds == 10.0


def test_undo_reopens_a_finished_game() -> None:
    played = Match(ludus.game("chain-reaction").parse("r1b1/.. 1 2"))
    played.play("A1")
    assert played.outcome is not None
    played.undo()
    assert played.outcome is None


def test_a_player_who_answers_nonsense_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simple.RandomPlayer, "choose", lambda *_: "nonsense")
    record = ludus.play_match(ludus.game("chain-reaction"), ("greedy", "random"))
    assert record.outcome == ludus.Outcome(0, "illegal-move")
    assert len(record.moves) == 1


def test_unknown_players_and_options_are_answered_with_the_choices() -> None:
    assert set(players()) >= {"human", "random", "greedy"}
    with pytest.raises(ValueError, match=r"there is no player 'stockfish'; the players are human, .*engine, greedy"):
        player("stockfish")
    with pytest.raises(ValueError, match=r"player random has no option 'sed'; its options are seed"):
        player("random:sed=1")
    with pytest.raises(ValueError, match="an option must have the form name=value, not 'x'"):
        player("random:x")
    with pytest.raises(ValueError, match="the seed of player random must be a whole number"):
        player("random:seed=x")
    with pytest.raises(ValueError, match="player greedy has no option 'depth'; it has no options"):
        player("greedy:depth=3")


def test_greedy_beats_random(name: str) -> None:
    """In both seats, over a few boards: the least that a one-ply choice should do."""
    points = 0.0
    for seed in range(10):
        for seat in (0, 1):
            seats = ("greedy", f"random:seed={seed}") if seat == 0 else (f"random:seed={seed}", "greedy")
            outcome = ludus.play_match(ludus.game(name), seats, seed=seed).outcome
            assert outcome is not None
            points += 0.5 if outcome.winner is None else float(outcome.winner == seat)
    assert points >= 14


def test_greedy_takes_the_largest_gain(name: str) -> None:
    state: Any = ludus.game(name).initial(seed=2)
    chosen = player("greedy").choose(state, Clock().start())
    if state.scores is not None:
        gains = {move: state.play(move).scores[0] for move in state.legal_moves}
        assert gains[chosen] == max(gains.values())
    else:
        values = {move: -state.play(move).evaluation for move in state.legal_moves}
        assert values[chosen] == max(values.values())


def test_greedy_takes_a_win() -> None:
    state = ludus.game("chain-reaction").parse("r1b1../..../..../.... 1 2")
    assert player("greedy").choose(state, Clock().start()) == "A1"
    assert Clock().start().seconds == math.inf
