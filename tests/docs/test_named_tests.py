"""The tests that the tables of attempts name are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
DOCS = TESTS.parent / "docs"
DEFAULT = {"arena-security.md": "web/test_web_hostile.py"}
"""Where the tests are that a page names without a file."""
NAMED = re.compile(r"`(?P<file>[\w/]+\.py)?(?:::)?(?P<test>test_\w+)?`")


def named(page: str) -> Iterator[tuple[str, str]]:
    """Yield the files and the tests in the tables of a page."""
    for line in (DOCS / page).read_text(encoding="utf-8").splitlines():
        for found in NAMED.finditer(line.rpartition(" | ")[2]) if line.startswith("| ") else ():
            file, test = found["file"] or DEFAULT.get(page, ""), found["test"] or ""
            if file.rpartition("/")[2].startswith("test_"):
                yield file, test


@pytest.mark.parametrize("page", ["security.md", "arena-security.md", "faults.md"])
def test_every_attempt_has_its_test(page: str) -> None:
    seen = set(named(page))
    assert len(seen) > 20
    for file, test in seen:
        places = list(TESTS.glob(f"**/{file.removeprefix('tests/')}"))
        assert places, f"{page} names {file}"
        texts = [place.read_text(encoding="utf-8") for place in places]
        assert any(f"def {test}" in text for text in texts), f"{page} names {test} of {file}"
