"""The pages about security name tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
UNNAMED = "web/test_web_hostile.py"
"""Where the tests of the arena are that are named without a file."""


@pytest.mark.parametrize("page", ["security", "arena-security", "faults"])
def test_every_attempt_names_a_test_that_exists(page: str) -> None:
    text = (TESTS.parent / "docs" / f"{page}.md").read_text()
    words = re.findall(r"`((?:[\w/]*/)?test_\w+(?:\.py)?(?:::test_\w+)?)`", text)
    assert len(words) > 15
    for word in dict.fromkeys(words):
        file, _, function = word.rpartition("::") if "::" in word or not word.endswith(".py") else (word, "", "")
        (path,) = TESTS.rglob(Path(file or UNNAMED).name)
        assert not function or f"def {function}(" in path.read_text(), f"{path} has no {function}"


@pytest.mark.parametrize("page", ["security", "arena-security", "faults"])
def test_every_attempt_has_a_test(page: str) -> None:
    table = (TESTS.parent / "docs" / f"{page}.md").read_text().partition("## What was tried")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("|")][2:]
    assert rows
    for row in rows:
        shown = row.rstrip(" |").rpartition("|")[2]
        assert re.search(r"`[\w/.]*(test_|fuzz|bench/)", shown) or shown.strip() == "the same", row
