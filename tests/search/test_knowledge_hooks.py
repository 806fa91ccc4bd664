"""The questions that the search asks of a game (`native/core/knowledge.hpp`): a misspelt answer does not compile."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
HOOK = re.compile(r"virtual (\w+) (\w+)(\([^)]*\)) const")
TOY = """#include "core/knowledge.hpp"
using namespace ludus;
struct Toy {
  using State = int;
  using Move = int;
  using Moves = MoveList<int, 4>;
  Moves legal_moves(int) const;
  std::uint64_t key(int) const;
};
"""


def test_a_misspelt_hook_does_not_compile(tmp_path: Path) -> None:
    """Declare each hook twice, once right and once with a letter too many: one compiler run reports all the second."""
    hooks = HOOK.findall(re.sub(r"\s+", " ", (ROOT / "native" / "core" / "knowledge.hpp").read_text()))
    assert len(hooks) > 8
    lines = TOY.splitlines()
    wrong = {}
    for number, (result, name, arguments) in enumerate(hooks):
        for spelling in (name, name + "s"):
            wrong[len(lines) + 1] = spelling != name
            lines.append(
                f"struct K{number}{spelling} : Hooks<Toy> {{ {result} {spelling}{arguments} const override; }};"
            )
    source = tmp_path / "hooks.cpp"
    source.write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        ["g++", "-std=c++20", "-fsyntax-only", "-I", str(ROOT / "native"), str(source)],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
    )
    refused = {int(line) for line in re.findall(r"hooks.cpp:(\d+):\d+: error: .* marked 'override'", done.stderr)}
    assert refused == {line for line, is_wrong in wrong.items() if is_wrong}, done.stderr
    assert done.stderr.count("error:") == len(refused), "nothing else is wrong with them"


@pytest.mark.parametrize(
    "header", sorted(ROOT.glob("src/ludus/games/*/knowledge.hpp")), ids=lambda path: path.parent.name
)
def test_every_answer_is_marked_as_one(header: Path) -> None:
    """Without `override` the compiler would take a misspelt answer for a function of the game's own."""
    public = header.read_text().partition("struct Knowledge<")[2].partition("\n private:")[0].partition("\n};")[0]
    functions = re.findall(r"^  \w[^;{]*\) const\b[^;{]*", public, re.MULTILINE)
    assert functions
    assert [function for function in functions if not function.rstrip().endswith("override")] == []
