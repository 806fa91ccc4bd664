"""Similarity: pairs of submissions whose programs are suspiciously alike. A list to look at, never a verdict.

Sources become tokens in which names, numbers, texts, comments and spaces no longer tell; runs of tokens become
fingerprints, of which winnowing keeps some wherever they stand (Schleimer, Wilkerson, Aiken 2003). What the course gave
out (the starters, a framework) does not count, nor does what most of a class share. Knows no pages: the passages that
two programs have in common are given as places in their files.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from ludus.bots.languages import language_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

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
MOST_PLACES = 8
"""Places at which a passage of one program is looked for in the other."""
MOST_COMPARED = 200
"""Pairs whose passages are found: the most similar ones."""

# A comment or a text that nobody closes ends with its line, or with the source: were it tried again from each of its
# quotes, a source of nothing but openings would take quadratic time.
C_LIKE = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
COMMENTS = {
    "python": r"#[^\n]*|\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)",
    "javascript": C_LIKE,
    "java": C_LIKE,
    "csharp": C_LIKE,
    "cpp": C_LIKE,
    "c": C_LIKE,
}
STRINGS = r"\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?"
TEMPLATES = r"`(?:\\.|[^`\\])*+`?"
"""Texts of JavaScript over several lines."""
FOLDED = "\0"
"""What a text is replaced by; it counts as a number."""
TOKEN = re.compile(rf"(?P<number>\d[\w.]*|{FOLDED})|(?P<word>[^\W\d]\w*)|(?P<other>\S)")
WORDS = """
if else elif for while do return break continue switch case class def struct new in not and or lambda yield
try except catch finally throw raise import from public private static void const auto function let var
"""
KEYWORDS = frozenset(WORDS.split())


class CodeToken(NamedTuple):
    """What is left of a word of a source, and where the word is."""

    kind: str
    start: int
    end: int


class Passage(NamedTuple):
    """A part that two programs have in common: in each a file, and from where to where in its text."""

    first: tuple[str, int, int]
    second: tuple[str, int, int]


class SimilarPair(NamedTuple):
    """Two submissions that have much in common."""

    first: str
    second: str
    language: str
    share: float
    """The part of the smaller one's fingerprints that the other one has."""
    shared: int
    passages: tuple[Passage, ...] = ()
    """What they have in common, in the order of the first; only for the most similar pairs."""


@dataclass
class CodeFile:
    """A file of a program: its tokens, and the fingerprint of the run that begins at each."""

    name: str
    tokens: list[CodeToken]
    marks: list[int]

    @classmethod
    def of(cls, name: str, text: str, language: str) -> CodeFile:
        """Read a file."""
        found = tokens(text, language)
        kinds = [token.kind for token in found]
        runs = (" ".join(kinds[at : at + RUN]) for at in range(len(kinds) - RUN + 1))
        return cls(name, found, [zlib.crc32(run.encode()) for run in runs])


def tokens(text: str, language: str) -> list[CodeToken]:
    """Return what is left of a source when everything is taken away that a person changes to hide a copy."""
    strings = f"{STRINGS}|{TEMPLATES}" if language == "javascript" else STRINGS
    folded = re.compile(f"({strings})|{COMMENTS.get(language, C_LIKE)}", re.DOTALL)
    if language == "python":  # its long texts open like short ones
        folded = re.compile(f"{COMMENTS[language]}|({strings})", re.DOTALL)
    plain = folded.sub(lambda found: (FOLDED if found[1] else " ").ljust(len(found[0])), text)
    result = []
    for found in TOKEN.finditer(plain):
        word = found["word"]
        kind = "n" if found["number"] else found["other"] or (word if word in KEYWORDS else "v")
        result.append(CodeToken(kind, *found.span()))
    return result


def winnowed(marks: Sequence[int]) -> frozenset[int]:
    """Keep the least fingerprint of every window, so that a copied part is found wherever it is put."""
    return frozenset(min(marks[at : at + WINDOW]) for at in range(max(1, len(marks) - WINDOW + 1)) if marks)


def similar_pairs(
    submissions: Mapping[str, Mapping[str, File]], base: Iterable[Mapping[str, File]] = ()
) -> list[SimilarPair]:
    """Return the pairs that are worth a look, the most similar first; `base` is what the course gave out."""
    given = {mark for files in base for sources in programs(files).values() for one in sources for mark in one.marks}
    by_language: dict[str, dict[str, list[CodeFile]]] = defaultdict(dict)
    for id_, files in submissions.items():
        for language, sources in programs(files).items():
            by_language[language][id_] = sources
    found: list[SimilarPair] = []
    ignored: dict[str, set[int]] = {}
    for language, made in by_language.items():
        prints = {id_: frozenset().union(*(winnowed(one.marks) for one in made[id_])) for id_ in sorted(made)}
        ignored[language] = given | _common(prints.values())
        own = {id_: marks - ignored[language] for id_, marks in prints.items()}
        for (one, first), (other, second) in combinations(own.items(), 2):
            shared, least = len(first & second), min(len(first), len(second))
            if shared >= LEAST_SHARED and shared / least >= LEAST_SHARE:
                found.append(SimilarPair(one, other, language, shared / least, shared))
    found.sort(key=lambda pair: (-pair.share, pair.first, pair.second))
    for index, pair in enumerate(found[:MOST_COMPARED]):
        made = by_language[pair.language]
        common = passages(made[pair.first], made[pair.second], ignored[pair.language])
        found[index] = pair._replace(passages=tuple(common))
    return found


def programs(files: Mapping[str, File]) -> dict[str, list[CodeFile]]:
    """Return the sources of a submission by language; C and C++ count as one."""
    found: dict[str, list[CodeFile]] = defaultdict(list)
    for name, file in sorted(files.items()):
        kind = language_of(name)
        if kind is not None and kind.name != "executable":
            language = "cpp" if kind.name == "c" else kind.name
            found[language].append(CodeFile.of(name, source_text(file), language))
    return found


def source_text(file: File) -> str:
    """Return the text of a source as passages count its characters."""
    return file.data.decode("utf-8-sig", errors="replace")


def _common(prints: Collection[frozenset[int]]) -> set[int]:
    """Return what most of a class share."""
    if len(prints) < FEW:
        return set()
    counts = Counter(mark for own in prints for mark in own)
    return {mark for mark, count in counts.items() if count > COMMON * len(prints)}


def passages(first: Sequence[CodeFile], second: Sequence[CodeFile], ignored: Collection[int]) -> list[Passage]:
    """Return what two programs have in common: the longest passages, each token of the first in one at most."""
    places: dict[int, list[tuple[CodeFile, int]]] = defaultdict(list)
    for source in second:
        for at, mark in enumerate(source.marks):
            if mark not in ignored and len(places[mark]) < MOST_PLACES:
                places[mark].append((source, at))
    found: list[Passage] = []
    for source in first:
        at = 0
        while at < len(source.marks):
            ways = [
                (_reach(source, at, other, there, ignored), other, there) for other, there in places[source.marks[at]]
            ]
            length, other, there = max(ways, key=lambda way: way[0], default=(0, source, 0))
            if length:
                ends = source.tokens[at + length - 1].end, other.tokens[there + length - 1].end
                one = source.name, source.tokens[at].start, ends[0]
                found.append(Passage(one, (other.name, other.tokens[there].start, ends[1])))
            at += length or 1
    return found


def _reach(one: CodeFile, at: int, other: CodeFile, there: int, ignored: Collection[int]) -> int:
    """Return how many tokens are alike from two places on, up to what does not count."""
    most = min(len(one.marks) - at, len(other.marks) - there)
    runs = 0
    while runs < most and one.marks[at + runs] == other.marks[there + runs] and one.marks[at + runs] not in ignored:
        runs += 1
    return runs + RUN - 1 if runs else 0


class Segment(NamedTuple):
    """A part of a source's text, and the number of the passage that it belongs to; 0 for none."""

    text: str
    passage: int


def segments(text: str, spans: Iterable[tuple[int, int, int]]) -> list[Segment]:
    """Cut a text at the passages in it, which are given as (start, end, number) and may overlap."""
    found, at = [], 0
    for start, end, number in sorted(spans):
        if end > at:
            begin = max(start, at)
            found += [Segment(text[at:begin], 0), Segment(text[begin:end], number)]
            at = end
    return [segment for segment in (*found, Segment(text[at:], 0)) if segment.text]
