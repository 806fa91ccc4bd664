"""Programs that are alike are found however they are disguised."""

from __future__ import annotations

import re

import cohorts

from ludus.bots.source import File
from ludus.courses.similarity import similar_pairs


def test_what_is_alike_is_found_however_it_is_dressed() -> None:
    own = cohorts.CAVE_GOOD
    dressed = "# mine\n" + re.sub(r"\bworth\b", "wert", own).replace("total", "summe").replace("10", "11")
    files = {"a": own, "b": dressed, "c": cohorts.FRUIT_PYTHON, "d": cohorts.CHAIN_PYTHON}
    found = similar_pairs({id_: {"bot.py": File(text.encode())} for id_, text in files.items()})
    assert [(pair.first, pair.second) for pair in found] == [("a", "b")]
    assert found[0].share > 0.9
    assert similar_pairs({"a": {"a.py": File(own.encode())}, "b": {"b.java": File(own.encode())}}) == []
    given_out = {f"s{n}": {"b.py": File((own + f"\nx{n} = {n}\n" * n).encode())} for n in range(8)}
    assert similar_pairs(given_out) == []  # what all have is the course's own
