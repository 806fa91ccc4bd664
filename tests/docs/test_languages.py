"""A page in Chinese says what the page in English says: the same code, names, tables and headings, linked both ways."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("analysis", "ladder", "protocols")
CODE = re.compile(r"`+([^`\n]+)`+")
BLOCK = re.compile(r"^```.*?^```$|^(?: {4}\S[^\n]*\n)+", re.MULTILINE | re.DOTALL)
SHOWN = {"Red 71%", "First ahead by about 56", "■ Solid wins in 7"}
"""What a page of the arena shows, in its reader's language."""


def both(page: str) -> tuple[str, str]:
    english, chinese = (DOCS / f"{page}{ending}" for ending in (".md", ".zh.md"))
    return english.read_text(encoding="utf-8"), chinese.read_text(encoding="utf-8")


def prose(text: str) -> str:
    return BLOCK.sub("", text)


def names(text: str) -> list[str]:
    return sorted(CODE.findall(text))


@pytest.mark.parametrize("page", PAGES)
def test_both_have_the_same_blocks_of_code(page: str) -> None:
    english, chinese = both(page)
    assert BLOCK.findall(english) == BLOCK.findall(chinese) != []


@pytest.mark.parametrize("page", PAGES)
def test_both_have_the_same_headings_and_rows_of_tables(page: str) -> None:
    shapes = [
        [(line.split()[0], names(line)) for line in prose(text).splitlines() if line.startswith(("#", "|"))]
        for text in both(page)
    ]
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize("page", PAGES)
def test_the_page_in_chinese_leaves_out_no_name(page: str) -> None:
    english, chinese = (set(names(prose(text))) for text in both(page))
    assert english - chinese <= SHOWN


@pytest.mark.parametrize("page", PAGES)
def test_each_links_to_the_other_below_its_title_and_to_its_own_language(page: str) -> None:
    english, chinese = both(page)
    assert english.split("\n\n")[1] == f"[繁體中文]({page}.zh.md)"
    assert chinese.split("\n\n")[1] == f"[English]({page}.md)"
    targets = re.findall(r"\]\(([\w/-]+)\.md", chinese)
    assert [one for one in targets if (DOCS / f"{one}.zh.md").exists()] == [page]
