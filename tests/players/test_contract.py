"""What a player must bring: `choose`, and nothing else; what else it may bring has a default."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import ludus
from ludus import players
from ludus.play.clock import Clock, TimeLeft
from ludus.play.match import Match
from ludus.play.player import Player
from ludus.search.teaching import SearchResult


class Simple:
    """As another package may bring it: it knows nothing of Ludus but how to choose."""

    def __init__(self, **options: str) -> None:
        self.options = options
        self.last: SearchResult | None = None

    def choose(self, state: Any, time: Any) -> str:  # noqa: ARG002 - it needs no time
        self.last = SearchResult(state.legal_moves[-1], 0.5, 1, 0.0, 1)
        return self.last.move


class Derived(Player):
    def choose(self, state: ludus.State, time: TimeLeft) -> str:  # noqa: ARG002 - it needs no time
        return state.legal_moves[0]


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    entries = [
        SimpleNamespace(name="simple", load=lambda: Simple),
        SimpleNamespace(name="derived", load=lambda: Derived),
    ]
    monkeypatch.setattr(players, "entry_points", lambda group: entries if group == "ludus.players" else [])
    players.makers.cache_clear()
    yield
    players.makers.cache_clear()


@pytest.mark.usefixtures("registered")
def test_a_player_of_another_package_needs_no_more_than_choose() -> None:
    game = ludus.game("magnetic-cave")
    record = ludus.play_match(game, ("simple:strength=3", "derived"), clock="60")
    assert record.outcome is not None
    assert record.outcome.reason == "rules"
    simple = players.player("simple:strength=3", game)
    match = Match(game.initial(), clock=Clock.parse("60"))
    match.ask(simple)
    assert match.record.moves[0].move == game.initial().legal_moves[-1]
    assert simple.last is not None
    assert simple.last.value == 0.5
    assert isinstance(players.player("derived"), Derived), "one that derives from Player is not wrapped"


def test_the_defaults_fit_a_simple_player() -> None:
    with Derived() as player:
        player.check(ludus.game("cantris"))
        assert (player.spent, player.stalled, player.last, player.log, player.version) == (None, 0.0, None, "", "")


def test_a_text_stands_for_a_bot_or_for_a_player(tmp_path: Any) -> None:
    source = tmp_path / "bot.py"
    source.write_text("def choose(state, clock):\n    return state.legal_moves[0]\n")
    bot = players.find_bot(str(source))
    assert bot is not None
    assert players.version_of(str(source)) == bot.content == players.player(str(source)).version
    assert players.find_bot("greedy") is None
    assert players.version_of("random:seed=3") == "random:seed=3"
    with pytest.raises(ValueError, match="there is no player 'nobody'; the players are human, "):
        players.find_bot("nobody")
