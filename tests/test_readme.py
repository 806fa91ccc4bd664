"""The README and the first guides do what they show: Python by doctest, commands by running them."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from conftest import GAMES
from patience import PATIENCE

import ludus

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDES = [ROOT / "README.md", *(ROOT / "docs" / page for page in ("terminal.md", "python.md", "research.md"))]
INPUT = "2\n3\n123.6\n01\n21\n"


def python_pages() -> list[Path]:
    return [*GUIDES, *sorted(GAMES.glob("*/README.md"))]


@pytest.mark.parametrize("page", python_pages(), ids=lambda page: f"{page.parent.name}/{page.name}")
def test_python_examples(page: Path) -> None:
    text = re.sub(r"^```.*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {"ludus": ludus}, page.name, str(page), 0)
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert results.failed == 0
    assert results.attempted or page not in (GUIDES[0], *GUIDES[2:])


@pytest.mark.parametrize("page", ["analysis.md", "formats.md"])
def test_programs_of_a_page_run(page: str) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.M | re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), {"ludus": ludus})  # noqa: S102


def commands() -> list[tuple[str, str]]:
    """The commands of the console blocks, each with the output that the page shows."""
    found = []
    pages = "\n".join(page.read_text(encoding="utf-8") for page in GUIDES)
    for block in re.findall(r"```console\n(.*?)```", pages, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command.partition("#")[0].strip(), output))
    return found


SHOWN = [pair for pair in commands() if pair[1] or pair[0].startswith("ludus move")]


@pytest.mark.parametrize(("command", "shown"), SHOWN)
def test_commands_print_what_the_page_shows(command: str, shown: str, tmp_path: Path) -> None:
    (tmp_path / "input.txt").write_text(INPUT)
    words = shlex.split(command)
    if words[:2] == ["cat", "output.txt"]:
        run(["ludus", "move", "fruit-rage", "--player", "greedy"], tmp_path)
    printed = run(words, tmp_path)
    assert doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS), printed


def test_a_bot_goes_the_way_that_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the starter to the tournament, one command after the other; with fewer games than the page plays."""
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "cache"))
    page = README[README.index("## Bots") : README.index("## In Python")]
    shown = re.findall(r"^\$ (ludus [^#\n]+)", page, re.MULTILINE)
    assert len(shown) == 6
    for command in shown:
        run(shlex.split(command.replace("--games 100", "--games 2")), tmp_path)
    assert (tmp_path / "results" / "standings.csv").exists()


def run(words: list[str], folder: Path) -> str:
    program = [sys.executable, "-m", "ludus"] if words[0] == "ludus" else [words[0]]
    command = ["sh", "-c", shlex.join(words).replace("'|'", "|")] if "|" in words else [*program, *words[1:]]
    path = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=folder, env=path, capture_output=True, text=True, check=True, timeout=PATIENCE)
    return done.stdout


def test_every_command_of_the_page_is_known() -> None:
    for verb in {shlex.split(command)[1] for command, _ in commands() if command.startswith("ludus ")}:
        if not verb.startswith("-"):
            help_page = [sys.executable, "-m", "ludus", verb, "--help"]
            assert subprocess.run(help_page, capture_output=True, check=False).returncode == 0
    for target in re.findall(r"^make ([a-z-]+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_make_run_starts_the_arena_and_says_where_it_is(tmp_path: Path) -> None:
    if Path(sys.prefix) != ROOT / ".venv":
        pytest.skip("only in a checkout that make set up")
    words = ["make", "--no-print-directory", "run", "OPTIONS=--port 0 --workers 2"]
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        environment.pop(name, None)
    with subprocess.Popen(
        words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, process_group=0
    ) as arena:
        said, found = list[str](), None
        try:
            assert arena.stdout is not None
            for line in arena.stdout:
                said.append(line)
                if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                    assert "Ludus" in httpx.get(found[0], timeout=PATIENCE).text
                    break
        finally:
            os.killpg(arena.pid, signal.SIGINT)  # Ctrl-C
        said += arena.stdout.readlines()  # until nothing of it runs any more
    assert found, said
    assert "Traceback" not in "".join(said)


def test_links_lead_somewhere() -> None:
    for page in (*GUIDES, ROOT / "CONTRIBUTING.md"):
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
