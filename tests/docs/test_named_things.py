"""What the pages name is there: commands and their options, targets of make, files, links, routes, names in Python.

`test_blocks.py` says which test runs which block of code.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import ludus
from ludus.cli import app
from ludus.web.app import create_app

ROOT = Path(__file__).parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    *(page for folder in ("docs", "examples", "src/ludus/games") for page in sorted((ROOT / folder).rglob("*.md"))),
]
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
BLOCK = re.compile(r"^```(\w*).*?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def spans(page: Path) -> Iterator[str]:
    """Yield what a page shows as code: each span, and each line of its blocks."""
    text = page.read_text(encoding="utf-8")
    for _, block in BLOCK.findall(text):
        yield from block.splitlines()
    prose = BLOCK.sub("", text)
    yield from (line.strip() for line in prose.splitlines() if line.startswith("    "))
    yield from (span.replace("\n", " ") for span in re.findall(r"`([^`]+)`", prose))


def matches(pattern: str, page: Path) -> Iterator[re.Match[str]]:
    return (found for span in spans(page) for found in re.finditer(pattern, span))


@each_page
def test_commands_have_the_options_that_the_page_names(page: Path) -> None:
    for found in matches(r"(?:^(?:\$ )?|/bin/|exec arena |\| |ugi:)(ludus [^#|'`]*)", page):
        words = found[1].split()
        command: click.Command = app
        context = click.Context(app)
        for word in words[1:]:
            if not isinstance(command, click.Group) or not re.fullmatch("[a-z-]+", word) or word.startswith("-"):
                break
            below = command.get_command(context, word)
            assert below is not None, found[0]
            command = below
        known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)} | {"--help"}
        used = {option for word in words for option in re.findall(r"^\[?(--?[a-z][a-z-]*)", word)}
        assert used <= known, found[0]


@each_page
def test_targets_scripts_and_files_are_there(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text()
    for found in matches(r"(?:^|[ $])make ([a-z-]+)", page):
        assert re.search(rf"^{found[1]}:", makefile, re.MULTILINE), found[0]
    for found in matches(r"\b(bench|scripts)/\w+(?:\.py)?(?: [^#`]*)?", page):
        path, *words = found[0].split()
        source = (ROOT / path).read_text()
        assert all(f'"{word}"' in source for word in words if word.startswith("--")), found[0]
    for found in matches(r"(?<![\w/.])(?:src/ludus|docs|tests|native|deploy)/[\w./-]+[\w-]", page):
        assert "LANGUAGE" in found[0] or (ROOT / found[0]).exists(), found[0]


def anchors(page: Path) -> set[str]:
    """Return the names of a page's headings, as links have them, and those that it gives itself."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", BLOCK.sub("", text), re.MULTILINE)
    named = {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}
    return named | set(re.findall(r'<a id="([^"]+)">', text))


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!http)([^)\s]+)\)", BLOCK.sub("", page.read_text(encoding="utf-8"))):
        path, _, anchor = target.partition("#")
        there = page.parent / path if path else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


@pytest.fixture(scope="module")
def routes(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, str]]:
    folder = tmp_path_factory.mktemp("arena")
    described = create_app(folder / "arena.db", folder / "files").openapi()["paths"]
    return {(method.upper(), shape(path)) for path, methods in described.items() for method in methods}


def shape(path: str) -> str:
    """Return a path with a star for each of its parameters."""
    return re.sub(r"\{\w+\}|\b[A-Z]{2,}\b", "*", path)


@each_page
def test_the_arena_has_the_routes_that_the_page_names(page: Path, routes: set[tuple[str, str]]) -> None:
    for found in matches(r"(?:(GET|POST|PUT|PATCH|DELETE) )?(/api/[\w/.-]+)", page):
        methods = [found[1]] if found[1] else ["GET", "POST"]
        assert any((method, shape(found[2])) in routes for method in methods), found[0]


@each_page
def test_names_in_python_are_there(page: Path) -> None:
    for found in matches(r"^ludus((?:\.[A-Za-z_]\w*)+)(?=\(|$)", page):
        thing: Any = ludus
        is_file = (ROOT / "deploy" / found[0]).exists()
        for name in [] if is_file else found[1].split(".")[1:]:
            if not hasattr(thing, name):
                importlib.import_module(f"{thing.__name__}.{name}")
            thing = getattr(thing, name)
