"""The short form of `bench/faults.py`: one small tournament for each kind of trial, each disturbed a few times."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from patience import PATIENCE

PROGRAM = Path(__file__).parents[2] / "bench" / "faults.py"


@pytest.mark.parametrize("kind", ["local", "postgresql", "dask", "disk"])
def test_nothing_is_lost_doubled_or_left_over(kind: str) -> None:
    command = [sys.executable, str(PROGRAM), "--only", kind, "--kills", "3", "--pairs", "1", "--seed", "7"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = dict(line.rsplit(maxsplit=1) for line in done.stdout.splitlines() if line.startswith("  "))
    assert {name.strip(): int(count) for name, count in figures.items() if "left over" in name} == dict.fromkeys(
        (f"left over: {what}" for what in ("processes", "files", "mounts", "groups")), 0
    )
