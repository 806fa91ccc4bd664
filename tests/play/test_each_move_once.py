"""Nothing is played again: the rules are asked once a move, wherever a game is shown, stored or followed."""

from __future__ import annotations

from typing import Any

import pytest

import ludus
from ludus.play.clock import Clock, TimeLeft
from ludus.play.match import Match
from ludus.play.player import Player
from ludus.play.record import Record
from ludus.store.matches import StoredMatch
from ludus.web.matches.live import LiveMatch

GAME = ludus.game("magnetic-cave")


class Counted:
    """A state that counts how often the rules play a move, over all states that come from it."""

    def __init__(self, inner: Any, calls: list[str]) -> None:
        self.inner = inner
        self.calls = calls

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def play(self, move: str) -> Counted:
        self.calls.append(move)
        return Counted(self.inner.play(move), self.calls)


class First(Player):
    """Plays the first legal move."""

    def choose(self, state: ludus.State, time: TimeLeft) -> str:  # noqa: ARG002 - it needs no time
        return state.legal_moves[0]


def counted() -> tuple[Any, list[str]]:
    calls: list[str] = []
    return Counted(GAME.initial(), calls), calls


def test_a_match_that_is_written_down_after_every_move() -> None:
    start, calls = counted()
    match = Match(start, clock=Clock.parse("60+1"))
    texts: list[str] = []
    match.run([First(), First()], on_move=lambda match: texts.append(match.record.text))
    assert len(match.record.moves) > 20
    assert len(calls) == len(match.record.moves) == len(texts)
    assert sum(match.seconds_used(side) for side in (0, 1)) == pytest.approx(
        sum(played.seconds or 0.0 for played in match.record.moves)
    )


def test_a_match_on_the_page() -> None:
    start, calls = counted()
    live = LiveMatch("name", Match(start, ("human", "human")), ["me", "me"])
    while live.match.outcome is None:
        ply = len(live.match.record.moves)
        live.match.play(live.match.state.legal_moves[0])
        live.changed(ply)
        assert live.stored().record
        assert len(live.view("me", live.version - 1).plies) == 1
    assert len(calls) == len(live.match.record.moves) > 20


def test_a_match_that_is_followed_while_it_is_played_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    records: list[str] = []
    played = ludus.play_match(
        GAME, ("random:seed=1", "random:seed=2"), on_move=lambda match: records.append(match.record.text)
    )
    calls: list[str] = []
    play = Record.play

    def counting(self: Record, move: str, *given: Any) -> Any:
        calls.append(move)
        return play(self, move, *given)

    monkeypatch.setattr(Record, "play", counting)

    def stored(version: int, text: str) -> StoredMatch:
        return StoredMatch("name", GAME.name, text, [None, None], version, None, version == len(records), "a job")

    live = LiveMatch.restore(stored(1, records[0]))
    for version, text in enumerate(records[1:], 2):
        live.take(stored(version, text))
    assert live.over
    assert [ply.move for ply in live.view(None).plies] == [move.move for move in played.moves]
    assert len(calls) == len(played.moves) > 20
    other = ludus.play_match(GAME, ("random:seed=3", "random:seed=2"))
    live.take(stored(len(records), other.text))
    assert live.match.record.final == other.final, "another game is read from its start"


def test_a_move_taken_back_is_played_again() -> None:
    match = Match(GAME.initial())
    for move in ("A1", "H1", "A2"):
        match.play(move)
    assert match.undo()
    match.play("B1")
    assert [state.text for state in match.record.states()] == [
        state.text for state in Record.parse(match.record.text).states()
    ]
    assert match.moves == [(0, "A1"), (1, "H1"), (0, "B1")]
