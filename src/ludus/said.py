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

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WORDS = Path(__file__).parent / "web" / "static" / "words"
TABLES = {"zh": "zh-Hant"}
"""The languages of reports that have a table, and what pages call them."""
HOLE = re.compile(r"\{(\d)\+?\}")
PROTOCOLS = ("lines", "ugi", "files", "class", "python", "algorithm", "console")
"""What begins the text of a player that is a program, and its command follows."""
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


def player_name(text: str, language: str = "en") -> str:
    """Return what a player is called in a language: the same as `web/static/players.js` shows on pages."""
    words = _names(TABLES.get(language, "en"))
    name, _, rest = text.partition(":")
    if re.fullmatch(r"bot:\d+(@\d+)?", text):
        return words["player.removed"]
    if name in PROTOCOLS and rest:
        return rest
    if re.search(r"^(\.{0,2}|~)/|/$", text):
        return next((part for part in reversed(text.split("/")) if part), text)
    if text in ("human", "open", "?"):
        return words[f"player.{'unknown' if text == '?' else text}"]
    options = rest.split(",") if rest else []
    if not all(re.fullmatch(r"\w+=[^=]+", option) for option in options):
        return text  # a person's own words
    if name == "engine" and len(options) == 1 and rest.startswith("level="):
        return words["player.level"].replace("{n}", rest.removeprefix("level="))
    called = words.get(f"player.name.{name}", name)
    return words["comma"].join([called, *(_option_name(option, words) for option in options)])


def entry_names(players: Mapping[str, str], language: str = "en") -> dict[str, str]:
    """Return what entries of a tournament are called, from their players: one without a name of its own as its player.

    Where two would be called the same, entries keep their texts.
    """
    found = {entry: player_name(entry, language) if entry == text else entry for entry, text in players.items()}
    return found if len(set(found.values())) == len(found) else {entry: entry for entry in players}


def _option_name(option: str, words: dict[str, str]) -> str:
    key, _, value = option.partition("=")
    try:
        number = float(value)
        shown = f"{number:,.3f}".rstrip("0").rstrip(".")
    except ValueError:
        number, shown = 0.0, value
    single = words.get(f"player.option.{key}.one") if number == 1 else None
    return single or words.get(f"player.option.{key}", f"{key} {{n}}").replace("{n}", shown)


@functools.cache
def _names(folder: str) -> dict[str, str]:
    table: dict[str, str] = json.loads((WORDS / folder / "common.json").read_text(encoding="utf-8"))
    return table


@functools.cache
def _terms(folder: str) -> dict[str, str]:
    table: dict[str, str] = json.loads((WORDS / folder / "events.json").read_text(encoding="utf-8"))
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
