"""The learner under examples/learning and its notebook, in a short form; where PyTorch is installed (make learning)."""

from __future__ import annotations

import importlib
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch")
FOLDER = Path(__file__).parents[1] / "examples" / "learning"


@pytest.fixture
def learner(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("learner")


def short(learner: Any, game: str) -> Any:
    small = {"generations": 2, "games": 8, "simulations": 8, "steps": 10, "batch": 64, "exam": 12, "exam_nodes": 20_000}
    return replace(learner.SETTINGS[game], **small)


@pytest.mark.parametrize("game", ["cantris", "connect-four"])
def test_it_learns_and_is_judged_in_every_generation(learner: Any, game: str) -> None:
    settings = short(learner, game)
    said: list[str] = []
    _, rows, exam = learner.run(settings, said.append)
    assert [row.generation for row in rows] == [0, 1, 2]
    assert len(said) == 4
    assert rows[2].loss < rows[1].loss
    assert len(exam.states) == 12
    for state, losses in zip(exam.states, exam.losses, strict=True):
        assert np.flatnonzero(np.isfinite(losses)).tolist() == [*state.legal_actions]
        assert losses.min() == 0
    perfect = exam.losses.argmin(axis=1)
    assert exam.grade(perfect) == (1.0, 0.0)
    assert exam.by_chance()[0] < 1
    assert "<svg" in learner.plot(settings, rows, exam).svg


def test_a_search_with_a_blank_network_finds_what_wins_at_once(learner: Any) -> None:
    settings = learner.SETTINGS["connect-four"]
    torch.manual_seed(1)
    network = learner.Network(settings.rules(), 8)
    state = settings.rules().parse("......./......./......./......./..ooo../..xxx.. 1")
    root = learner.Node(state)
    learner.search(network, [root], 200, 1.0)
    assert settings.rules().actions[root.actions[root.visits.argmax()]] in ("B", "F")


def test_the_notebook_runs_from_top_to_bottom(learner: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001
    monkeypatch.setitem(os.environ, "LUDUS_SHORT", "1")
    cells = json.loads((FOLDER / "learning.ipynb").read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            assert not cell["outputs"]
            exec("".join(cell["source"]), names)  # noqa: S102 - as Jupyter does
    assert len(names["rows"]) == 2
