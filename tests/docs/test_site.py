"""The documentation as a site: every page is in it, every link leads somewhere, and nothing comes from elsewhere."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import ludus

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site; a link that leads nowhere, or a page that is in no menu, ends the build."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder


def test_every_page_of_the_docs_and_every_game_is_in_it(site: Path) -> None:
    pages = {page.relative_to(ROOT / "docs").with_suffix("") for page in (ROOT / "docs").rglob("*.md")}
    for page in pages:
        assert (site / page.with_suffix(".html")).is_file() or page.name == "README", page
    for name in ludus.games():
        rules, engine = ((site / "games" / f"{name}{page}.html").read_text() for page in ("", "-engine"))
        assert ">Texts<" in rules or "legal_moves" in rules
        assert 'id="how-it-works"' in engine and 'id="how-it-works"' not in rules


def test_links_between_pages_stay_links(site: Path) -> None:
    tutorial = (site / "tutorials" / "cantris.html").read_text()
    assert 'href="../bots.html">bots.md</a>' in tutorial and 'href="../index.html">README</a>' in tutorial
    assert '<a href="../courses.html">Courses</a>' in (site / "reference" / "files.html").read_text()


def test_pages_in_chinese_say_so_and_have_no_spaces_from_line_breaks(site: Path) -> None:
    for page in site.rglob("*.zh.html"):
        text = page.read_text()
        assert '<html lang="zh-Hant"' in text, page
        article = text[text.index("<article") : text.index("</article>")]
        assert not re.search(r"[\u4e00-\u9fff，。、：；]\n[\u4e00-\u9fff]", article), page


def test_the_references_are_made_from_the_code(site: Path) -> None:
    commands = (site / "reference" / "cli.html").read_text()
    assert "ludus course grade" in commands and "--weak-sandbox" in commands
    assert "/api/matches/{name}/moves" in (site / "reference" / "http.html").read_text()
    python = (site / "reference" / "python.html").read_text()
    assert all(f"ludus.{name}" in python for name in ludus.__all__)
    assert "ludus.envs.gymnasium.OpponentEnv" in python
    files = (site / "reference" / "files.html").read_text()
    assert "<code>grace_minutes</code>" in files and "Minutes after the deadline in which nobody is late." in files
    assert "a rule of kind &quot;win-rate&quot;" in files or 'a rule of kind "win-rate"' in files


def test_the_script_that_takes_the_pictures_finds_its_parts() -> None:
    taken = {picture.stem for picture in (ROOT / "docs" / "pictures").glob("web-*.png")}
    found = runpy.run_path(str(ROOT / "scripts" / "arena_pictures.py"), run_name="pictures")
    assert taken == {f"web-{page}-{scheme}" for page in found["PAGES"] for scheme in ("light", "dark")}


def test_every_block_of_code_is_shown_as_one(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert "```" not in page.read_text().replace("<code>```</code>", ""), page
    assert '<span class="filename">bot.py</span>' in (site / "tutorials" / "cantris.html").read_text()


def test_it_can_be_searched_in_both_languages(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text())
    assert any("連鎖反應" in page["text"] for page in index["docs"])
    assert any("sandbox" in page["text"] for page in index["docs"])
    words = re.split(index["config"]["separator"], "參加錦標賽：two-player")
    assert [*filter(None, words)] == ["參", "加", "錦", "標", "賽", "two", "player"]


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert not re.search(r"""<(?:script|link|img)[^>]*(?:src|href)=["']?https?:""", page.read_text()), page
