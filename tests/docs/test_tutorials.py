"""The tutorials do what they say: every command is run and every change of code is made, in the order of the page."""

from __future__ import annotations

import ast
import doctest
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from patience import PATIENCE

from ludus.courses import find_course, presets

FOLDER = Path(__file__).parents[2] / "docs" / "tutorials"
PAGES = sorted(page for page in FOLDER.glob("*.md") if page.name != "README.md" and ".zh." not in page.name)
LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
TYPED = "help\nquit\n"
"""What a person types who is asked for a move."""


class Block(NamedTuple):
    """A block of a page: commands with their output, or a change of a file."""

    file: str
    """The file to change; empty for commands."""
    text: str


def blocks(page: Path) -> list[Block]:
    found = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert {kind for kind, _, _ in found} == {"console", "python"}
    return [Block(file, text) for _, file, text in found]


def commands(text: str) -> list[tuple[str, str]]:
    """Return the commands of a block, each with the output that the page shows."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    assert not parts[0], "a block begins with a command"
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts[1:])]


def changed(source: str, snippet: str) -> str:
    """Return a file with the functions of a snippet in place of its own; new ones come before `choose`."""
    for node in ast.parse(snippet).body:
        assert isinstance(node, ast.FunctionDef)
        text = f"{ast.get_source_segment(snippet, node)}\n"
        own = {one.name: one for one in ast.parse(source).body if isinstance(one, ast.FunctionDef)}
        lines = source.splitlines(keepends=True)
        if node.name in own:
            lines[own[node.name].lineno - 1 : own[node.name].end_lineno] = [text]
        else:
            lines.insert(own["choose"].lineno - 1, f"{text}\n\n")
        source = "".join(lines)
    return source


def run(command: str, folder: Path) -> str:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment |= {"LUDUS_CACHE": str(folder / "cache"), "COLUMNS": "150", "LUDUS_LANGUAGE": "en"}
    done = subprocess.run(  # noqa: S602 - as a person types it
        command,
        shell=True,
        cwd=folder,
        env=environment,
        input=TYPED,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_works_as_it_is_written(page: Path, tmp_path: Path) -> None:
    tried = ""
    for block in blocks(page):
        if block.file:
            (path,) = (one for one in tmp_path.rglob(block.file) if "cache" not in one.parts)
            path.write_text(changed(path.read_text(encoding="utf-8"), block.text), encoding="utf-8")
            continue
        for command, shown in commands(block.text):
            printed = run(command, tmp_path)
            assert doctest.OutputChecker().check_output(shown, printed, LOOSELY), (command, printed)
            tried = printed if " course try " in command else tried
    claimed = set(re.findall(r"\*\*(\d+ of \d+ points)\*\*", page.read_text(encoding="utf-8")))
    assert len(claimed) == 1
    assert claimed.pop() in tried, "the points of the text are those of the last try"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_both_languages_have_the_same_blocks_and_points(page: Path) -> None:
    other = page.with_suffix(".zh.md")
    assert blocks(page) == blocks(other)
    points = re.compile(r"\*\*(\d+ of \d+ points)\*\*")
    assert points.findall(page.read_text(encoding="utf-8")) == points.findall(other.read_text(encoding="utf-8"))


def test_there_is_a_tutorial_for_each_course() -> None:
    assert {page.stem for page in PAGES} == {find_course(name).game for name in presets()}
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    for page in PAGES:
        claimed = re.search(r"\*\*(\d+ of \d+ points)\*\*", page.read_text(encoding="utf-8"))
        assert claimed is not None
        assert re.search(rf"\({page.name}\).*{claimed[1]}", index)
