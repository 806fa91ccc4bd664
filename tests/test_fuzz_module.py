"""The short form of `make sanitize-module`: no call of the compiled module, with whatever arguments, ends Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from patience import PATIENCE

from ludus import _native

PROGRAM = Path(__file__).with_name("fuzz_module.py")


def test_no_call_of_the_compiled_module_ends_python() -> None:
    assert _native.__file__ is not None
    command = [sys.executable, str(PROGRAM), _native.__file__, "--calls", "1500", "--seed", "5"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert "1,500 calls: " in done.stdout
