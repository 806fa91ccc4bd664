"""Proven positions that are kept: what files say is true, is found mirrored too, and is added only after a proof."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

import ludus
from ludus.cli import main
from ludus.cli.verbs import prove
from ludus.errors import UserError
from ludus.game import Game, read_options
from ludus.search.analysis import Engine, SearchLimits
from ludus.search.proven import Proof, add_proof, find_proof, proofs_file, read_proofs, with_proof
from ludus.search.result import Analysis, Variation

KEPT = [(name, proof) for name in ludus.games() for proof in read_proofs(proofs_file(ludus.game(name))).values()]
AGAIN_NODES = 300_000
"""Positions of a search that proves an entry again; those that take longer are checked along their move only."""


def state_of(name: str, proof: Proof) -> Any:
    return ludus.game(name, **read_options(proof.options.split())).parse(proof.position)


@pytest.mark.parametrize("name", ludus.games())
def test_what_is_kept_is_proven_again(name: str) -> None:
    """Every entry is a legal move with a possible value; those within reach are proven by another search."""
    for own, proof in KEPT:
        if own != name:
            continue
        state = state_of(name, proof)
        assert proof.move in state.legal_moves
        assert state.scores is not None or proof.value in (-1, 0, 1)
        found = Engine(state.game, 32, uses_proofs=False).think(state, SearchLimits(nodes=AGAIN_NODES, threads=1))
        if found.exact:
            assert found.value == proof.value, proof
        after = state.play(proof.move)
        if found.exact and after.outcome is None:
            rest = Engine(state.game, 32, uses_proofs=False).think(after, SearchLimits(nodes=AGAIN_NODES))
            gain = 0 if state.scores is None else after.scores[state.side] - state.scores[state.side]
            sign = 1 if after.side == state.side else -1
            assert not rest.exact or gain + sign * rest.value == proof.value, proof


def test_the_files_stay_small() -> None:
    assert sum(proofs_file(ludus.game(name)).stat().st_size for name in {name for name, _ in KEPT}) < 200_000


@pytest.fixture
def chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Game:
    """A game with one proof, of a position after two moves."""
    file = tmp_path / "proven.txt"
    monkeypatch.setattr("ludus.search.proven.proofs_file", lambda _game: file)
    game = ludus.game("chain-reaction", rows=2, cols=3)
    position = game.initial().play("A1").play("C2").text
    assert main(["prove", "chain-reaction", position, "--file", str(file)]) == 0
    return game


def test_a_proof_is_found_for_every_image_of_a_position(chain: Game) -> None:
    seen = set()
    for first, second in itertools.permutations(("A1", "C1", "A2", "C2"), 2):
        state = chain.initial().play(first).play(second)
        proof, truth = find_proof(state), ludus.analyse(state, nodes=1_000_000)
        if proof is not None:
            seen.add(state.text)
            assert (proof.value, proof.exact) == (truth.value, truth.exact)
            rest = ludus.analyse(state.play(proof.moves[0]), nodes=1_000_000)
            assert rest.exact
            assert -rest.value == proof.value
    assert len(seen) == 4, "a corner and the one across the board, mirrored and flipped"


def test_the_engine_answers_at_once_what_is_kept(chain: Game) -> None:
    state = chain.initial().play("A1").play("C2")
    found = ludus.analyse(state, seconds=5)
    assert (found.exact, found.nodes) == (True, 0)
    assert ludus.analyse(state, seconds=5, lines=3).lines[0].value == found.value
    assert ludus.analyse(state, nodes=5).nodes == 5, "a number of positions is kept to"


def test_levels_below_the_highest_know_no_proofs(chain: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    from ludus.play.clock import Clock  # noqa: PLC0415
    from ludus.players import player  # noqa: PLC0415

    asked: list[Any] = []
    monkeypatch.setattr("ludus.search.analysis.find_proof", asked.append)
    player("engine:level=5").choose(chain.initial().play("A1").play("C2"), Clock().start())
    assert asked == []


def test_a_proof_that_a_second_search_does_not_confirm_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of two searches is made to lie; nothing is written."""
    values = itertools.cycle((1.0, -1.0))

    def lie(_self: Engine, state: Any, _limits: SearchLimits) -> Analysis:
        return Analysis((Variation((state.legal_moves[0],), next(values), exact=True, win_chance=1.0),), 1, 1, 0.0)

    monkeypatch.setattr(Engine, "think", lie)
    state = ludus.game("chain-reaction").initial()
    with pytest.raises(UserError, match="Two searches disagree"):
        prove.proven_twice(state, SearchLimits(), 8)
    file = tmp_path / "proven.txt"
    assert main(["prove", "chain-reaction", "--file", str(file)]) == 2
    assert not file.exists()


def test_what_is_not_proven_in_time_is_not_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "proven.txt"
    assert main(["prove", "chain-reaction", "--seconds", "0.01", "--file", str(file)]) == 1
    assert "nothing was kept" in capsys.readouterr().out
    assert not file.exists()


def test_estimates_beside_a_proof_are_no_better(chain: Game, tmp_path: Path) -> None:
    state = chain.initial().play("A1").play("C2")
    lines = ludus.analyse(state, seconds=0.2, lines=4).lines
    assert [line.value for line in lines] == sorted((line.value for line in lines), reverse=True)
    file = tmp_path / "more.txt"
    add_proof(file, Proof("a=1", "text", 3, "A1"))
    add_proof(file, Proof("a=1", "text", 3, "B1", 5))
    assert [proof.move for proof in read_proofs(file).values()] == ["B1"]


def test_moves_behind_a_proof_that_a_search_only_guesses_are_not_shown_as_proven() -> None:
    """The first move is proven; what a search stopped early expects after it may give the win away."""
    proof = Variation(("A1",), 1.0, exact=True, win_chance=1.0, plies_to_end=13)
    for guess, moves in (
        (Variation(("A1", "C3", "B1"), 0.2, exact=False, win_chance=0.6), ("A1",)),
        (Variation(("A1", "C3", "B1"), 1.0, exact=True, win_chance=1.0), ("A1",)),
        (Variation(("A1", "C3", "B1"), 1.0, exact=True, win_chance=1.0, plies_to_end=13), ("A1", "C3", "B1")),
    ):
        lines = with_proof(Analysis((guess,), 1, 1, 0.0), proof, 3).lines
        assert lines == (proof._replace(moves=moves),)
