"""What the compiled rules say about illegal moves and texts: codes that the catalogues know, in every language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ludus
from ludus.errors import IllegalMove, ParseError
from ludus.messages import LANGUAGES, Message, catalogue, render

ROOT = Path(__file__).parent.parent.parent
CODE = re.compile(r'"(\w+\.(?:illegal|text)\.\w+)"')
SOURCES = [
    *(ROOT / "native" / "core").glob("*.hpp"),
    *(ROOT / "native" / "bind").glob("*.cpp"),
    *(ROOT / "src" / "ludus" / "games").glob("*/rules.hpp"),
    ROOT / "src" / "ludus" / "batches.py",
]


def test_every_code_of_the_rules_has_words_and_all_words_have_a_code() -> None:
    used = {code for path in SOURCES for code in CODE.findall(path.read_text())}
    known = {key for key in catalogue("en") if re.fullmatch(r"\w+\.(illegal|text)\.\w+", key)}
    assert used == known


@pytest.mark.parametrize(
    ("game", "options", "move", "code", "params"),
    [
        ("chain-reaction", {}, "Z9", "rules.illegal.no_such_cell", {"cell": "'Z9'", "first": "A1", "last": "F5"}),
        ("magnetic-cave", {}, "D4", "magnetic_cave.illegal.out_of_reach", {"cell": "D4"}),
        ("cantris", {}, "pass", "cantris.illegal.pass_of_one", {}),
        ("cantris", {}, "A1", "cantris.illegal.not_a_move", {"move": "'A1'", "last": "7,3"}),
    ],
)
def test_an_illegal_move_carries_its_code(
    game: str, options: dict[str, int | str], move: str, code: str, params: dict[str, object]
) -> None:
    with pytest.raises(IllegalMove) as raised:
        ludus.game(game, **options).initial(0).play(move)
    assert raised.value.message == Message(code, **params)


@pytest.mark.parametrize(
    ("game", "text", "code", "column"),
    [
        ("magnetic-cave", "/".join(["...q...."] * 8), "rules.text.expected", 4),
        ("magnetic-cave", "/".join(["........"] * 8) + " ", "rules.text.expected_at_end", 73),
        ("chain-reaction", "/".join(["r9....."] * 5), "rules.text.out_of_range", 2),
    ],
)
def test_a_text_that_is_no_position_carries_its_code_and_column(game: str, text: str, code: str, column: int) -> None:
    with pytest.raises(ParseError) as raised:
        ludus.game(game).parse(text)
    assert (raised.value.message.code, raised.value.column) == (code, column)
    for language in LANGUAGES:
        assert "{" not in render(raised.value.message, language), "what was expected is put into words too"
