"""A referee who is an ordinary user, whoever runs the tests: without control groups, with a user namespace."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

import ludus

USER = 61_234
BECOME = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--")
TRY = "import os, ludus; from ludus import sandbox; sandbox.check_sandbox(); assert os.geteuid(); print('works')"


@contextmanager
def home() -> Iterator[Path]:
    """Make a folder that belongs to the ordinary user; the test runner's own folders are closed to that user."""
    folder = Path(tempfile.mkdtemp(prefix="ludus-test-"))
    try:
        if os.geteuid() == 0:
            os.chown(folder, USER, USER)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of that user: this checkout, and the packages of this environment."""
    packages = [path for path in sys.path if path.endswith("site-packages")]
    paths = os.pathsep.join([str(Path(ludus.__file__).parents[1]), *packages])
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "PYTHONPATH": paths, "LANG": "C.UTF-8"}


def run(python: str, words: Sequence[str], folder: Path, text: str, **more: str) -> subprocess.CompletedProcess[str]:
    become = BECOME if os.geteuid() == 0 else ()
    return subprocess.run(
        [*become, python, *words],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**environment(folder), **more},
    )


@functools.cache
def interpreter() -> str:
    """Return an interpreter that an ordinary user can run; skip where there is none, or no sandbox for that user."""
    wanted = f"{sys.version_info.major}.{sys.version_info.minor}"
    problem = ""
    for python in dict.fromkeys([f"/usr/bin/python{wanted}", f"/usr/local/bin/python{wanted}", sys.executable]):
        with home() as folder:
            if Path(python).exists() and (done := run(python, ["-c", TRY], folder, "")).stdout == "works\n":
                return python
            problem = done.stderr.strip().splitlines()[-1] if Path(python).exists() and done.stderr else problem
    pytest.skip(f"no ordinary user can run a sandbox here: {problem}")


def as_ordinary_user(
    *words: str, folder: Path | None = None, text: str = "", **more: str
) -> subprocess.CompletedProcess[str]:
    """Run Python as an ordinary user; in that user's folder, or in one that is gone afterwards."""
    python = interpreter()
    if folder is not None:
        return run(python, words, folder, text, **more)
    with home() as made:
        return run(python, words, made, text, **more)
