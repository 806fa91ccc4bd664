"""A light install: what works with the package's own requirements alone, and what names the extra that it needs."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from ludus.cli import verbs

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
LIGHT = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in HIDDEN else self.finder.find_spec(name, path, target)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
from ludus.cli import main
sys.exit(main(sys.argv[1:]))
"""


def package(requirement: str) -> str:
    return re.split(r"[\[<>=]", requirement)[0].replace("_", "-").lower()


def light(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command where only the packages that every install has can be imported."""
    own = {package(one) for one in PROJECT["dependencies"]}
    extra = {package(one) for names in EXTRAS.values() for one in names} - {"ludus"} - own
    hidden = {
        module for module, owners in packages_distributions().items() if {package(owner) for owner in owners} & extra
    }
    program = LIGHT.replace("HIDDEN", repr(hidden))
    return subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)


def test_rules_engine_terminal_bots_and_analysis_need_no_extra(tmp_path: Path) -> None:
    assert light("perft", "cantris", "--depth", "2").returncode == 0
    assert light("analyse", "connect-four", "--nodes", "500").returncode == 0
    played = light(
        "play", "connect-four", "--first", "engine:level=1", "--second", "greedy", "--save", str(tmp_path / "g")
    )
    assert played.returncode == 0, played.stderr
    assert light("analyse", str(tmp_path / "g"), "--nodes", "50").returncode == 0
    assert light("new-bot", "cantris", "--language", "python", str(tmp_path / "bot")).returncode == 0
    checked = light("check", str(tmp_path / "bot"))
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("verb", [verb for verb in verbs.names() if "EXTRA" in verbs.headline(verb)])
def test_a_verb_names_the_extra_that_it_needs(verb: str) -> None:
    arguments = {"match": ("connect-four", "random", "random"), "course": ("list",), "report": ("game", "no-file")}
    arguments |= {"account": ("list",), "backup": ("x.zip",), "restore": ("x.zip",), "salvage": ("no-file",)}
    arguments |= {"dataset": ("connect-four", "--out", "no-file.npz")}
    arguments |= {"tournament": ("no-file",), "picture": ("connect-four", "--out", "no-file.png")}
    refused = light(verb, *arguments.get(verb, ()))
    extra = verbs.headline(verb)["EXTRA"]
    assert extra in EXTRAS
    assert refused.returncode == 2, refused.stderr
    assert refused.stderr.count("\n") == 1, refused.stderr
    assert f"pip install 'ludus[{extra}]'" in refused.stderr
