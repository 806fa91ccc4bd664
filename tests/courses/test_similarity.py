"""Programs that are alike are found however they are disguised."""

from __future__ import annotations

import re

import cohorts

from ludus.bots.source import File
from ludus.bots.starters import starter
from ludus.courses.similarity import Segment, segments, similar_pairs


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


def as_files(text: str) -> dict[str, File]:
    return {"bot.py": File(text.encode())}


def test_the_passages_are_what_both_have() -> None:
    own, other = cohorts.CAVE_GOOD, cohorts.FRUIT_PYTHON
    (pair,) = similar_pairs({"a": as_files(own + other), "b": as_files(f"import os\n{own}")})
    for name, start, end in (passage.first for passage in pair.passages):
        assert name == "bot.py"
        assert (own + other)[start:end] in own  # nothing of what only one of them has
    assert sum(end - start for _, start, end in (passage.first for passage in pair.passages)) > 0.9 * len(own.strip())
    for passage in pair.passages:
        assert (own + other)[slice(*passage.first[1:])] == f"import os\n{own}"[slice(*passage.second[1:])]


def test_what_the_course_gave_out_does_not_count() -> None:
    given = starter("magnetic-cave", "python", "lines")
    handed_in = {name: File(text.encode()) for name, text in given.items()}
    two = {"a": handed_in, "b": {**handed_in, "notes.py": File(b"x = 1\n")}}
    assert similar_pairs(two)
    assert similar_pairs(two, [handed_in]) == []


def test_a_text_is_cut_at_passages_that_overlap() -> None:
    assert segments("abcdef", [(1, 4, 2), (3, 5, 7)]) == [
        *(Segment("a", 0), Segment("bcd", 2), Segment("e", 7), Segment("f", 0)),
    ]
    assert "".join(part.text for part in segments("abcdef", [(0, 6, 1), (2, 3, 2)])) == "abcdef"
