"""The command `ludus` as a person runs it, and what it says when it refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from patience import PATIENCE


def run(
    *words: str | Path, text: str | bytes = "", where: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command with a pipe at each end."""
    done = subprocess.run(
        [sys.executable, "-m", "ludus", *map(str, words)],
        input=text if isinstance(text, bytes) else text.encode(),
        capture_output=True,
        timeout=PATIENCE,
        check=False,
        cwd=where,
        env={**os.environ, **environment},
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def one_sentence(done: subprocess.CompletedProcess[str]) -> str:
    """What a refused command says: one line on standard error, nothing else anywhere."""
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert done.stderr.startswith("ludus: ")
    assert done.stderr.count("\n") == 1
    return done.stderr
