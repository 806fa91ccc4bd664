"""Our own sentences and terms in the reader's language: of grades, findings, lost games, refusals and formats.

A table has each sentence with holes `{1}`, `{2}` for names and numbers; in those that its translation writes as `{1+}`
stands a sentence again. The table is the pages' (`web/static/words`), and `web/static/said.js` reads it by the same
rules. What nobody translated (a compiler's words, a file's name, a person's own text) stays as it is.
"""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ludus.messages import FOLDER
from ludus.messages.names import player_name

if TYPE_CHECKING:
    from collections.abc import Sequence

WORDS = Path(__file__).parent / "web" / "static" / "words"
TABLES = {"zh": "zh-Hant"}
"""The languages of reports that have a table, and what pages call them."""
HOLE = re.compile(r"\{(\d)\+?\}")
DEEPEST = 8
"""Sentences within sentences; below it nothing is looked up."""
JOINT = -7
"""What a pattern without words of its own is worth: a text that is not ours, and has one of our words, stays whole."""


class Said(str):
    """A sentence of ours, as data carries it: what shows it may say it in the reader's language."""

    __slots__ = ()


class Term(str):
    """A word that the pages know by a key, as data carries it: `Term("swiss", "format")` is their `format.swiss`."""

    key: str

    def __new__(cls, word: str, kind: str) -> Term:
        """Take a word and what kind of word it is."""
        made = super().__new__(cls, word)
        made.key = f"{kind}.{word}"
        return made


class PlayerText(str):
    """A player's text (`mcts:playouts=2000`), as data carries it: what shows it says what the player is called."""

    __slots__ = ()


class Pattern(NamedTuple):
    """A line of a table."""

    parts: tuple[str, ...]
    """What stands around the holes."""
    text: str
    worth: int
    """How much of a sentence it recognises by itself, in characters."""
    nested: frozenset[int]
    """The holes in which sentences stand."""


class Reading(NamedTuple):
    """What a sentence may mean."""

    known: int
    """How much of it was recognised, in characters."""
    text: str


def in_language(text: str, language: str) -> str:
    """Say a sentence, a term or a player in a language; what the tables do not have stays as it is."""
    if isinstance(text, PlayerText):
        return player_name(text, language)
    if language not in TABLES:
        return text
    if isinstance(text, Term):
        return _terms(TABLES[language]).get(text.key, text)
    return _read(text, TABLES[language], 0).text


@functools.cache
def _terms(folder: str) -> dict[str, str]:
    table: dict[str, str] = json.loads((FOLDER / folder / "pages" / "events.json").read_text(encoding="utf-8"))
    return table


@functools.cache
def _patterns(folder: str) -> tuple[Pattern, ...]:
    table = json.loads((WORDS / folder / "said.json").read_text(encoding="utf-8"))
    found = []
    for known, text in table.items():
        parts = tuple(HOLE.split(known)[::2])
        own = "".join(parts)
        nested = frozenset(int(hole) - 1 for hole in re.findall(r"\{(\d)\+\}", text))
        found.append(Pattern(parts, text, len(own) if any(map(str.isalpha, own)) else JOINT, nested))
    return tuple(
        sorted(found, key=lambda one: one.worth != JOINT)
    )  # of equal readings, that of the joint: it binds least


@functools.lru_cache(maxsize=4096)
def _read(sentence: str, folder: str, depth: int) -> Reading:
    """Take the reading that recognises most of a sentence: where several patterns fit, the wrong ones hide more."""
    best = Reading(0, sentence)
    for parts, text, worth, nested in _patterns(folder) if depth < DEEPEST else ():
        for holes in _fits(parts, sentence):
            inner = [_read(h, folder, depth + 1) if n in nested else Reading(0, h) for n, h in enumerate(holes)]
            known = worth + sum(one.known for one in inner)
            if known > best.known:
                pieces = HOLE.split(text)
                pieces[1::2] = [inner[int(hole) - 1].text for hole in pieces[1::2]]
                best = Reading(known, "".join(pieces))
    return best


def _fits(parts: tuple[str, ...], sentence: str) -> list[tuple[str, ...]]:
    """Give what may stand in the holes of a pattern: as little as can be in the first ones, or in the last ones."""
    if (found := _holes(parts, sentence)) is None:
        return []
    mirrored = _holes([part[::-1] for part in reversed(parts)], sentence[::-1]) if len(found) > 1 else None
    turned = tuple(hole[::-1] for hole in reversed(mirrored)) if mirrored else found
    return [found] if turned == found else [found, turned]


def _holes(parts: Sequence[str], sentence: str) -> tuple[str, ...] | None:
    """Give what stands in the holes of a pattern, found from the left; None where it does not fit."""
    if len(parts) == 1:
        return () if sentence == parts[0] else None
    first, *middle, last = parts
    end = len(sentence) - len(last)
    if not (sentence.startswith(first) and sentence.endswith(last) and len(first) < end):
        return None
    rest, holes = sentence[len(first) : end], []
    for part in middle:
        hole, found, rest = rest.partition(part)
        if not found:
            return None
        holes.append(hole)
    return (*holes, rest) if rest and all(holes) else None
