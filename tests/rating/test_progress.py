"""What `bench/progress.py` makes of its arguments: a commit, a folder, or neither."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "bench" / "progress.py"


@pytest.mark.parametrize("version", ["no-such-release", "--output=here"])
def test_a_version_that_is_nothing_is_refused_in_a_sentence(version: str) -> None:
    done = subprocess.run([sys.executable, str(PROGRAM), "--", version], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"{version} is neither a folder nor a commit of ")


def test_a_folder_without_a_build_is_refused_before_any_game(tmp_path: Path) -> None:
    command = [sys.executable, str(PROGRAM), str(tmp_path), "--games", "cantris", "--now", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        1,
        f"{tmp_path} has no .venv/bin/ludus and no bin/ludus: run `make setup` there\n",
    )
