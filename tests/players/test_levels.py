"""The levels of the engine: what the table of each game says, and how a level errs."""

from __future__ import annotations

import itertools
import json
import math
import re
from typing import Any

import pytest

import ludus
from ludus.cli import main
from ludus.play.clock import Clock
from ludus.play.openings import opening
from ludus.players import player
from ludus.players.engine import EnginePlayer
from ludus.players.levels import DEFAULT, FULL_STRENGTH, levels, levels_file

MEASURED = [name for name in ludus.games() if levels_file(name).exists()]
STEPS = (100, 200)
"""Between neighbouring levels, in Elo as it was measured."""


@pytest.mark.parametrize("name", ["a game of another package", *ludus.games()])
def test_each_level_looks_further_than_the_one_below(name: str) -> None:
    plies = [level.plies for level in levels(name)]
    assert len(plies) == FULL_STRENGTH
    assert plies == sorted(set(plies))
    assert plies[0] > 0
    assert math.isinf(plies[-1])


@pytest.mark.parametrize("name", MEASURED)
def test_measured_levels_are_evenly_spaced_above_random(name: str) -> None:
    elos = [level.elo for level in levels(name)]
    assert elos[0] is not None
    assert elos[0] >= 100, "the first level is clearly above random"
    for low, high in itertools.pairwise(elos):
        assert low is not None
        assert high is not None
        assert STEPS[0] <= high - low <= STEPS[1]
    played = re.search(r"bench/levels.py: (\d+) (games|boards)", levels_file(name).read_text())
    assert played is not None
    assert int(played[1]) * (2 if played[2] == "boards" else 1) >= 200, "games a step; a board has two"
    for level in levels(name):
        assert level.interval is not None
        assert level.interval[0] <= level.interval[1]


@pytest.mark.parametrize("name", MEASURED)
def test_who_sees_one_move_ahead_beats_the_first_level_now_and_then(name: str) -> None:
    game, won = ludus.game(name), 0
    for number in range(20):
        seats = [player("greedy", game), player(f"engine:level=1,seed={number}", game)]
        if number % 2:
            seats.reverse()
        state = opening(game, number // 2)
        while state.outcome is None:
            state = state.play(seats[state.side].choose(state, Clock().start()))
        won += state.outcome.winner == number % 2
    assert won >= 5


def test_a_game_of_another_package_has_levels_without_elo() -> None:
    assert levels("nobody-measured-this") == DEFAULT
    assert all(level.elo is None for level in DEFAULT)


def chosen(state: Any, text: str, tries: int) -> list[str]:
    return [player(f"{text},seed={seed}").choose(state, Clock().start()) for seed in range(tries)]


def test_a_level_that_sees_little_still_sees_a_win_in_one_move() -> None:
    state = ludus.game("connect-four").parse("......./......./......./......./ooo..../xxx.... 1")
    assert set(chosen(state, "engine:plies=0.001", 20)) == {"D"}


def test_a_weak_level_overlooks_a_threat_that_a_better_one_stops() -> None:
    state = ludus.game("connect-four").parse("......./......./......./......./o....../oxxx... 2")
    weak, better = chosen(state, "engine:plies=0.3", 40), chosen(state, "engine:plies=2", 3)
    assert set(better) == {"E"}
    assert 0 < weak.count("E") < len(weak)


def test_part_of_a_ply_is_how_often_one_more_is_looked_at() -> None:
    state = ludus.game("magnetic-cave").initial()
    one = EnginePlayer(plies="2.25", seed="1")
    depths = [one.limits(state, Clock().start()).depth for _ in range(400)]
    assert set(depths) == {2, 3}
    assert 60 <= depths.count(3) <= 140


def test_a_level_does_not_depend_on_the_time(name: str) -> None:
    """With the same seed it plays the same on a slow machine: positions are counted, not seconds."""
    state = ludus.game(name).initial(3)
    moves = [
        EnginePlayer(level="6", seed="5").choose(state, clock.start()) for clock in (Clock(), Clock(per_move=60.0))
    ]
    assert moves[0] == moves[1]


def test_the_terminal_lists_the_levels(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "connect-four", "--levels"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:10]] == [f"engine:level={level}" for level in range(1, 11)]
    assert main(["play", "connect-four", "--levels", "--json"]) == 0
    assert [one["level"] for one in json.loads(capsys.readouterr().out)] == list(range(1, 11))
