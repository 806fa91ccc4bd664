"""What the terminal shows comes from the catalogue: in another language nothing of it is English."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from english import english_in

from ludus.cli import main

if TYPE_CHECKING:
    from pathlib import Path

SMALL = ["--option", "rows=4", "--option", "cols=3"]
NAMES = ("cantris", "greedy", "random", "ludus", "swiss", "none", "Ctrl")


@pytest.fixture(autouse=True)
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.cli.output.LANGUAGE", "zh")


@pytest.mark.parametrize(
    "words",
    [
        ["match", "cantris", "greedy", "random:seed=1", "--games", "4", *SMALL],
        ["match", "chain-reaction", "greedy", "random:seed=1", "--games", "2", "--sprt", "0,10", *SMALL],
        ["tournament", "--game", "cantris", "greedy", "random:seed=1", "random:seed=2", *SMALL],
        ["tournament", "--format", "knockout", "--game", "cantris", "greedy", "random:seed=1", "random:seed=2", *SMALL],
        ["tournament", "--example"],
    ],
    ids=lambda words: " ".join(words[:3]),
)
def test_what_is_printed_is_chinese(
    words: list[str], capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 0
    shown = capfd.readouterr().out
    assert shown.strip()
    assert english_in(shown, "chain-reaction", "random:seed", "ludus tournament", *NAMES, least=2) == []


@pytest.mark.parametrize(
    "words",
    [
        ["nothing"],
        ["play"],
        ["play", "cantris", "more"],
        ["play", "cantris", "--first"],
        ["play", "cantris", "--frist", "greedy"],
        ["play", "cantris", "--seed", "x"],
        ["play", "cantris", "--seed", "1", "--board", "x"],
        ["play", "cantris", "--save", "no/such/game.txt"],
        ["perft", "cantris", "--depth", "0"],
        ["solve", "cantris", "--seconds", "-1"],
        ["solve", "cantris", "--objective", "all"],
        ["match", "cantris", "greedy", "random", "--games", "1"],
        ["move", "cantris", "--folder", "nowhere"],
        ["match", "cantris", "greedy", "random", "--sprt", "a"],
        ["course", "grade", "x"],
    ],
    ids=" ".join,
)
def test_what_is_wrong_with_a_command_is_said_in_chinese(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    shown = capfd.readouterr().err
    assert english_in(shown, *words, "ludus", least=2) == []
    assert re.search("[\u4e00-\u9fff]{2}", shown)
