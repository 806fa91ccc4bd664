"""Similarity: pairs of submissions whose programs are suspiciously alike. A list to look at, never a verdict.

Sources become tokens in which names, numbers, texts, comments and spaces no longer tell; runs of tokens become
fingerprints, of which winnowing keeps some wherever they stand (Schleimer, Wilkerson, Aiken 2003). What most of a
class share is what the course gave out, and does not count.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from ludus.bots.languages import language_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ludus.bots import File

RUN = 12
"""Tokens in a fingerprint: a shorter likeness is chance."""
WINDOW = 6
"""Of this many fingerprints in a row at least one is kept."""
LEAST_SHARE = 0.4
LEAST_SHARED = 8
COMMON = 0.6
"""What more than this part of a class has is the course's own, in a class of at least FEW."""
FEW = 5

# A comment or a text that nobody closes ends with its line, or with the source: were it tried again from each of its
# quotes, a source of nothing but openings would take quadratic time.
C_LIKE = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
COMMENTS = {
    "python": r"#[^\n]*|\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)",
    "javascript": C_LIKE,
    "java": C_LIKE,
    "cpp": C_LIKE,
    "c": C_LIKE,
}
STRINGS = r"\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?"
TEMPLATES = r"`(?:\\.|[^`\\])*+`?"
"""Texts of JavaScript over several lines."""
TOKEN = re.compile(r"(?P<number>\d[\w.]*)|(?P<word>[^\W\d]\w*)|(?P<other>\S)")
WORDS = """
if else elif for while do return break continue switch case class def struct new in not and or lambda yield
try except catch finally throw raise import from public private static void const auto function let var
"""
KEYWORDS = frozenset(WORDS.split())


class SimilarPair(NamedTuple):
    """Two submissions that have much in common."""

    first: str
    second: str
    language: str
    share: float
    """The part of the smaller one's fingerprints that the other one has."""
    shared: int


def tokens(text: str, language: str) -> list[str]:
    """Return what is left of a source when everything is taken away that a person changes to hide a copy."""
    strings = f"{STRINGS}|{TEMPLATES}" if language == "javascript" else STRINGS
    folded = re.compile(f"({strings})|{COMMENTS.get(language, C_LIKE)}", re.DOTALL)
    if language == "python":  # its long texts open like short ones
        folded = re.compile(f"{COMMENTS[language]}|({strings})", re.DOTALL)
    plain = folded.sub(lambda found: " 0 " if found[1] else " ", text)
    found_tokens = []
    for found in TOKEN.finditer(plain):
        word = found["word"]
        found_tokens.append("n" if found["number"] else found["other"] or (word if word in KEYWORDS else "v"))
    return found_tokens


def fingerprints(words: list[str]) -> frozenset[int]:
    """Keep the least fingerprint of every window, so that a copied part is found wherever it is put."""
    marks = [zlib.crc32(" ".join(words[at : at + RUN]).encode()) for at in range(len(words) - RUN + 1)]
    return frozenset(min(marks[at : at + WINDOW]) for at in range(max(1, len(marks) - WINDOW + 1)) if marks)


def similar_pairs(submissions: Mapping[str, Mapping[str, File]]) -> list[SimilarPair]:
    """Return the pairs that are worth a look, the most similar first."""
    found: list[SimilarPair] = []
    by_language: dict[str, dict[str, frozenset[int]]] = {}
    for id_, files in submissions.items():
        for language, text in _sources(files):
            by_language.setdefault(language, {})[id_] = fingerprints(tokens(text, language))
    for language, marks in by_language.items():
        own = _without_common(marks)
        for (one, first), (other, second) in combinations(sorted(own.items()), 2):
            shared, least = len(first & second), min(len(first), len(second))
            if shared >= LEAST_SHARED and shared / least >= LEAST_SHARE:
                found.append(SimilarPair(one, other, language, shared / least, shared))
    return sorted(found, key=lambda pair: (-pair.share, pair.first, pair.second))


def _sources(files: Mapping[str, File]) -> Iterable[tuple[str, str]]:
    """Return the sources of a submission, those of a language together; C and C++ count as one."""
    texts: dict[str, list[str]] = {}
    for name, file in sorted(files.items()):
        kind = language_of(name)
        if kind is not None:
            language = "cpp" if kind.name == "c" else kind.name
            texts.setdefault(language, []).append(file.data.decode("utf-8-sig", errors="replace"))
    return [(language, "\n".join(parts)) for language, parts in texts.items()]


def _without_common(marks: Mapping[str, frozenset[int]]) -> dict[str, frozenset[int]]:
    if len(marks) < FEW:
        return dict(marks)
    counts = Counter(mark for own in marks.values() for mark in own)
    common = {mark for mark, count in counts.items() if count > COMMON * len(marks)}
    return {id_: own - common for id_, own in marks.items()}
