"""The bots under examples/: each plays its game legally to the end, and better than at random."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from foreign import Foreign, compile_cpp, place, play_out, tool

import ludus
from ludus.bots import read_bot
from ludus.protocols import protocol

EXAMPLES = Path(__file__).parents[1] / "examples"
BOTS = {
    "chain_reaction/106062130/student.h": ("chain-reaction", "class"),
    "chain_reaction/algorithm_A.cpp": ("chain-reaction", "algorithm"),
    "chain_reaction/lookahead.py": ("chain-reaction", "python"),
    "fruit_rage/homework3.py": ("fruit-rage", "files"),
    "magnetic_cave/Cave.java": ("magnetic-cave", "lines"),
    "cantris/tiles.js": ("cantris", "ugi"),
}
ELSEWHERE = ("arena/", "learning/")
"""Examples with tests of their own: `tests/web/test_web_client.py`, `tests/test_learning.py`."""


def ready(bot: Path, spoken: str, folder: Path) -> tuple[str, ...]:
    """Build an example as its language wants it."""
    shutil.copy(bot, folder)
    if spoken in ("class", "algorithm"):
        main, more = protocol(spoken).adapt(bot.name, bot.read_text())
        place(folder, more)
        return compile_cpp(folder, main)
    if bot.suffix == ".java":
        subprocess.run([tool("javac"), bot.name], cwd=folder, check=True)
        return ("java", "-XX:+UseSerialGC", "-cp", ".", bot.stem)
    return ("python3" if bot.suffix == ".py" else tool("node"), bot.name)


def test_every_example_is_tested() -> None:
    sources = {path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.rglob("*.*") if path.is_file()}
    assert {
        name for name in sources if not name.endswith((".md", ".toml", ".pyc")) and not name.startswith(ELSEWHERE)
    } == set(BOTS)


@pytest.mark.parametrize("example", BOTS)
def test_the_protocol_of_an_example_is_recognised(example: str) -> None:
    assert read_bot(EXAMPLES / example).protocol == BOTS[example][1]


@pytest.mark.parametrize("example", BOTS)
def test_an_example_plays_and_beats_random_moves(example: str, tmp_path: Path) -> None:
    name, spoken = BOTS[example]
    run = ready(EXAMPLES / example, spoken, tmp_path)
    won = 0
    for seed in range(4):
        side = seed % 2
        start = ludus.game(name, **({"size": 7} if name == "fruit-rage" else {})).initial(seed)
        with Foreign(protocol(spoken), tmp_path, run, side) as bot:
            outcome = play_out(bot, start, side, seed, "300").outcome
            assert outcome is not None
            won += outcome.winner == side
            assert spoken == "lines" or bot.notes == []
    assert won >= 3
