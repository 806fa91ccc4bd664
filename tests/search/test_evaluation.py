"""The oracle by the batch, and the data sets that it labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import one_sentence, run
from small_games import each_small, open_positions

import ludus
from ludus.search import dataset
from ludus.search.dataset import DatasetPlan, write_dataset


@each_small
def test_states_are_worth_what_analyse_says(name: str, options: dict[str, Any]) -> None:
    states = open_positions(name, options, 4)
    found = ludus.evaluate(states, nodes=3000, threads=2)
    for row, state in enumerate(states):
        alone = ludus.analyse(state, nodes=3000, megabytes=8)
        assert (found.values[row], found.exact[row], found.win_chances[row]) == (
            alone.value,
            alone.exact,
            alone.win_chance,
        )
        assert state.game.actions.text(found.actions[row]) == alone.move


@pytest.mark.parametrize("name", ["cantris", "connect-four"])
def test_the_best_of_all_moves_is_worth_the_state(name: str) -> None:
    small = {"cantris": {"rows": 6, "cols": 3}, "connect-four": {"rows": 4, "cols": 4}}[name]
    states = open_positions(name, small, 6)
    found = ludus.evaluate(states, nodes=50_000, every_move=True)
    assert found.exact.all()
    assert found.action_values is not None
    assert np.array_equal(np.nanmax(found.action_values, axis=1), found.values)
    assert found.best[np.arange(6), found.actions].all()
    legal = [sorted(np.flatnonzero(~np.isnan(row))) for row in found.action_values]
    assert legal == [[*state.legal_actions] for state in states]


@each_small
@pytest.mark.parametrize("objective", ["margin", "win"])
def test_a_state_is_worth_its_best_move_also_where_nothing_is_proven(
    name: str, options: dict[str, Any], objective: str
) -> None:
    states = open_positions(name, options, 4)
    found = ludus.evaluate(states, nodes=40, every_move=True, objective=objective)
    assert found.action_values is not None and found.action_exact is not None
    assert np.array_equal(np.nanmax(found.action_values, axis=1), found.values)
    assert found.best[np.arange(4), found.actions].all()
    assert not (found.exact[:, None] & found.best & ~found.action_exact).any(), "a proven value has proven best moves"
    if states[0].scores is None or objective == "win":
        won = (found.action_values == 1) & found.action_exact
        assert np.array_equal(found.win_chances[won.any(axis=1)], np.ones(won.any(axis=1).sum()))
        assert found.exact[won.any(axis=1)].all(), "one move that is proven to win proves the state"


def test_a_batch_and_games_that_are_over() -> None:
    batch = ludus.batch("connect-four", 3, auto_reset=False)
    batch.random_steps(42)
    found = ludus.evaluate(batch, nodes=10, every_move=True)
    assert found.exact.all()
    assert found.actions.tolist() == [-1, -1, -1]
    winners = [state.outcome.winner if state.outcome else None for state in batch]
    expected = [
        0 if winner is None else 1 if winner == state.side else -1 for winner, state in zip(winners, batch, strict=True)
    ]
    assert found.values.tolist() == expected
    assert not found.best.any()


def test_bad_arguments_are_told() -> None:
    state = ludus.game("cantris").initial()
    with pytest.raises(ValueError, match="there is no state to evaluate"):
        ludus.evaluate([])
    with pytest.raises(ValueError, match=r"state 1 is of ludus.game\('connect-four'\)"):
        ludus.evaluate([state, ludus.game("connect-four").initial()])
    with pytest.raises(ValueError, match="threads must be from 1 to 256, not 0"):
        ludus.evaluate([state], threads=0)
    with pytest.raises(ValueError, match="nodes must be"):
        ludus.evaluate([state], nodes=-5)
    with pytest.raises(ValueError, match="call evaluate with every_move=True"):
        _ = ludus.evaluate([state], nodes=10).best


def test_a_data_set_is_the_same_however_it_was_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "PIECE", 4)
    plan = DatasetPlan(ludus.game("connect-four", rows=4, cols=4), 10, 500, seed=3, planes=True, every_move=True)
    whole, parted = tmp_path / "a.npz", tmp_path / "b.npz"
    card = write_dataset(plan, whole, threads=2)

    def stop(done: int, _proven: int) -> None:
        if done > 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_dataset(plan, parted, threads=1, progress=stop)
    assert not parted.exists()
    seen: list[int] = []
    with pytest.raises(ValueError, match="holds an unfinished data set with other settings"):
        write_dataset(plan._replace(nodes=501), parted)
    write_dataset(plan, parted, threads=1, progress=lambda done, _: seen.append(done))
    assert whole.read_bytes() == parted.read_bytes()
    assert seen == [4, 8, 10]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npz", "a.npz.json", "b.npz", "b.npz.json"]
    monkeypatch.setattr(dataset, "label", None)
    assert write_dataset(plan, whole) == card, "what is whole is not made again"
    rows = np.load(whole)
    for row, text in enumerate(rows["position"]):
        state = plan.game.parse(str(text))
        assert np.array_equal(rows["planes"][row], state.planes())
        assert np.flatnonzero(rows["legal"][row]).tolist() == [*state.legal_actions]
        assert str(rows["move"][row]) in state.legal_moves
    assert card["columns"].keys() == set(rows.files)
    assert card["proven"] == int(rows["exact"].sum())


def test_the_command_writes_parquet_and_a_card(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    words = ["dataset", "cantris", "--option", "rows=6", "--option", "cols=3", "--positions", "5", "--nodes", "500"]
    ran = run(*words, "--every-move", "--json", "--out", str(tmp_path / "tiles.parquet"))
    card = json.loads(ran.stdout)
    assert "5 of 5 positions" in ran.stderr
    table = parquet.read_table(tmp_path / "tiles.parquet")
    assert table.num_rows == 5
    assert set(table.column_names) == card["columns"].keys()
    text = (tmp_path / "tiles.parquet.md").read_text()
    assert text.startswith("# Positions of cantris (rows=6, cols=3")
    assert f"`{card['command']}`" in text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--out", "a.csv"], "a data set is a file of type .npz, .parquet, not a.csv"),
        (["--out", "no/a.npz"], "there is no folder no for the data set"),
        (["--out", "a.npz", "--positions", "0"], "--positions must be a whole number from 1"),
        ([], "ludus dataset needs --out FILE"),
    ],
    ids=str,
)
def test_bad_arguments_of_the_command_are_one_sentence(words: list[str], says: str, tmp_path: Path) -> None:
    assert says in one_sentence(run("dataset", "cantris", *words, where=tmp_path))
