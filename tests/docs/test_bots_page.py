"""docs/bots.md has every key of bot.toml, with the default that the code has and an example that it accepts.

The page in Chinese has the same keys, defaults of limits and examples.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ludus.bots import CONFIG, KEYS, LIMITS, read_bot
from ludus.errors import UserError
from ludus.sandbox import ResourceLimits

PAGE = Path(__file__).parents[2] / "docs" / "bots.md"


def table(page: Path = PAGE) -> dict[str, dict[str, str]]:
    """Return the rows of a page's table by key."""
    _, _, *rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    names = ("key", "type", "default", "meaning", "example")
    found = [dict(zip(names, map(str.strip, row.strip("|").split("|")), strict=True)) for row in rows]
    return {row["key"].strip("`"): row for row in found}


def test_the_page_has_every_key_that_the_code_accepts() -> None:
    assert list(table()) == [*KEYS, *(f"limits.{name}" for name in LIMITS)]
    assert {name: table()[f"limits.{name}"]["default"] for name in LIMITS} == {
        name: str(getattr(ResourceLimits(), name)) for name in LIMITS
    }


def test_the_page_in_chinese_says_the_same() -> None:
    chinese = PAGE.with_suffix(".zh.md")
    ours, theirs = table(), table(chinese)
    assert list(ours) == list(theirs)
    for key, row in ours.items():
        assert row["example"] == theirs[key]["example"]
        assert key.partition(".")[0] != "limits" or key == "limits" or row["default"] == theirs[key]["default"]
    whole = [re.findall(r"```toml\n.*?```", page.read_text(encoding="utf-8"), re.DOTALL) for page in (PAGE, chinese)]
    assert whole[0] == whole[1]


@pytest.mark.parametrize("key", [*KEYS, *(f"limits.{name}" for name in LIMITS)])
def test_every_example_is_accepted(key: str, tmp_path: Path) -> None:
    example = re.fullmatch(r"`(.*)`", table()[key]["example"])
    assert example is not None
    text = ("[limits]\n" if key.startswith("limits.") else "") + example[1]
    (tmp_path / CONFIG).write_text(text)
    (tmp_path / "player.py").write_text("print(input())\n")
    assert read_bot(tmp_path).files
    assert example[1].startswith(key.removeprefix("limits."))
    (tmp_path / CONFIG).write_text(text.replace(" = ", "_ = ", 1))
    with pytest.raises(UserError):
        read_bot(tmp_path)


def test_the_whole_file_is_a_bot(tmp_path: Path) -> None:
    whole = re.search(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert whole is not None
    (tmp_path / CONFIG).write_text(whole[1])
    (tmp_path / "bot.cpp").write_text("int main() {}\n")
    assert read_bot(tmp_path).limits.memory_mb == 256


def test_other_pages_link_here_and_links_lead_somewhere() -> None:
    docs = PAGE.parent
    for page in (docs.parent / "README.md", docs / "protocols.md", docs / "courses.md"):
        assert "bots.md" in page.read_text(encoding="utf-8"), page.name
    for page in (PAGE, *docs.glob("tutorials/*.md")):
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
