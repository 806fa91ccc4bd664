"""Finds what our program says in sentences, in its own source: what tests hold the translations to.

A sentence has `{1}`, `{2}` and so on where a name or a number stands; of a choice between two texts it has both.
A place before it (`FILE: there is no …`) is not part of it, since a joint of two sentences is a pattern of its own.
"""

from __future__ import annotations

import ast
import itertools
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import ludus
from ludus.errors import FAULTS

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(ludus.__file__).parent
REFUSING = [
    *sorted((PACKAGE / "web").rglob("*.py")),
    *(PACKAGE / "store" / f"{name}.py" for name in ("accounts", "bots", "challenges", "courses", "tournaments")),
    *(PACKAGE / "games").glob("*/__init__.py"),
    *(
        PACKAGE / name
        for name in (
            "files.py",
            "rating/challenge_ladder.py",
            "bots/languages.py",
            "tournament/__init__.py",
            "tournament/changes.py",
        )
    ),
]
"""Modules of which people read the refusals on the page."""
READING = [PACKAGE / "game.py", *(PACKAGE / "games").glob("*/*.py")]
"""Modules that read positions and board files: people read on the page what is wrong with theirs."""
SPEAKING = [
    *(PACKAGE / "courses" / f"{name}.py" for name in ("__init__", "grade", "intake", "pdf", "rubric", "schema")),
    *(PACKAGE / "bots" / f"{name}.py" for name in ("__init__", "build", "player", "source")),
    *(PACKAGE / "protocols" / f"{name}.py" for name in ("__init__", "class_", "files", "python", "ugi")),
    *(
        PACKAGE / name
        for name in ("check.py", "errors.py", "play/match.py", "play/moves.py", "sandbox/process.py", "sandbox/cage.py")
    ),
    *(PACKAGE / "tournament" / f"{name}.py" for name in ("task", "pools")),
    PACKAGE / "web" / "jobs" / "kinds" / "check.py",
]
"""Modules that say things in sentences by whatever way: grades, findings, how games were lost."""
REFUSALS = (
    "ValueError",
    "HTTPException",
    "NotAllowed",
    "Busy",
    "TaskFailed",
    "TookTooLong",
    "FieldMissing",
)
SHORT = {"{1}: {2}", "{1}, line {2}", "adjudicated", "resigned"}
"""What has too few words to be found by its look."""
SHOWN = {"FAULTS", "NAMES"}
"""Tables of what is said."""
UNSAID = {
    "ludus check {1}",
    "job failed",
    "not found",
    "p1time {1} p2time {2} p1inc {3} p2inc {4}",
    "position fen",
    "setoption name {1} value {2}",
}
"""What has the look of a sentence, and is a command or a line of a protocol."""


def said() -> set[str]:
    """Give every sentence that a reader may want in another language."""
    found = {sentence for file in REFUSING for sentence in refusals(ast.parse(file.read_text()))}
    found |= {sentence for file in READING for sentence in refusals(ast.parse(file.read_text()), ("ParseError",))}
    found |= {sentence for file in SPEAKING for sentence in everything(ast.parse(file.read_text()))}
    found |= {title for file in (PACKAGE / "courses" / "presets").glob("*.toml") for title in titles(file.read_text())}
    lost = {text for kind in FAULTS for text in (kind, f"{kind}: {{1}}")}
    return {bare(one) for one in found - UNSAID} | lost | SHORT


def bare(sentence: str) -> str:
    """Take the place away that stands before a sentence, and count its holes anew."""
    rest = re.sub(r"^\{1\}: (?=.*[a-z])", "", sentence)
    holes = itertools.count(1)
    return re.sub(r"\{\d\}", lambda _: f"{{{next(holes)}}}", rest)


def is_sentence(text: str) -> bool:
    """Tell a sentence from a key, a pattern or a piece of a program: it has two words, and no sign of those."""
    return len(re.findall(r"[A-Za-z]+", text)) > 1 and " " in text and not re.search(r"[\n\\]|\$\d|\|\||&&", text)


def refusals(tree: ast.Module, errors: tuple[str, ...] = REFUSALS) -> Iterator[str]:
    """Give what a module refuses with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in errors:
            yield from (text for argument in node.args for text in texts(argument) if is_sentence(text))
        elif isinstance(node, ast.FunctionDef) and node.name.strip("_").startswith("why"):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Return) and inner.value is not None:
                    yield from filter(is_sentence, texts(inner.value))
        elif isinstance(node, ast.keyword) and node.arg == "error":
            yield from filter(is_sentence, texts(node.value))
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "why":
            yield from everything(node.value)


def everything(node: ast.AST) -> Iterator[str]:
    """Give every text of a module but its docstrings and the tables and patterns in its capital names."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if (
        isinstance(node, ast.Assign)
        and ast.unparse(node.targets[0]).isupper()
        and ast.unparse(node.targets[0]) not in SHOWN
    ):
        return
    if isinstance(node, ast.expr) and (found := list(texts(node))):
        yield from found if any(map(is_sentence, found)) else ()
        for inner in ast.walk(node):
            if isinstance(inner, ast.FormattedValue) and not isinstance(inner.value, ast.IfExp):
                yield from everything(inner.value)
    else:
        for inner in ast.iter_child_nodes(node):
            yield from everything(inner)


def texts(node: ast.expr) -> Iterator[str]:
    """Give what a text in the source may come to; nothing for what is no text, or a text without words of its own."""
    for parts in alternatives(node):
        holes = itertools.count(1)
        if any(part is not None for part in parts):
            yield "".join(f"{{{next(holes)}}}" if part is None else part for part in parts)


def alternatives(node: ast.expr) -> list[list[str | None]]:
    """Give the parts of a text, None where a value stands, once for each way in which its choices may come out."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [[node.value]]
    if isinstance(node, ast.IfExp):
        return alternatives(node.body) + alternatives(node.orelse)
    if isinstance(node, ast.JoinedStr):
        ways = [alternatives(part) for part in node.values]
        return [list(itertools.chain(*way)) for way in itertools.product(*ways)]
    if isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.IfExp):
        return alternatives(node.value)
    return [[None]]


def titles(preset: str) -> Iterator[str]:
    """Give the titles of a preset's rules."""
    return (rule["title"] for rule in tomllib.loads(preset)["rubric"].values())
