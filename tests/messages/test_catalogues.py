"""The catalogues: every key has its languages, its parameters and its users, and the page reads them as Python does."""

from __future__ import annotations

import ast
import functools
import itertools
import json
import re
import shutil
import subprocess
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

import ludus
from ludus.check import REJECT, WARNING
from ludus.messages import FOLDER, GAMES, HOLE, LANGUAGES, Message, catalogue, render
from ludus.messages.names import player_name
from ludus.reports.review import PHASES

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(ludus.__file__).parent
NATIVE = PACKAGE.parent.parent / "native"
GAME_NAMES = [file.parent.name for file in GAMES.glob("*/messages")]
HOLES = {
    language: {key: set(HOLE.findall(text)) for key, text in catalogue(language).items()} for language in LANGUAGES
}


@functools.cache
def python() -> dict[Path, ast.Module]:
    """Return the syntax trees of the package."""
    return {file: ast.parse(file.read_text()) for file in sorted(PACKAGE.rglob("*.py"))}


def files(language: str) -> list[Path]:
    return [*(FOLDER / language).rglob("*.json"), *GAMES.glob(f"*/messages/{language}.json")]


def bases(language: str) -> set[str]:
    return {key.removesuffix(".one") for key in catalogue(language)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_key_has_every_language_and_stands_once(language: str) -> None:
    assert bases(language) == bases("en")
    assert bases(language) <= catalogue(language).keys(), "a form for one belongs to a key"
    times = Counter(key for file in files(language) for key in json.loads(file.read_text()))
    assert [key for key, count in times.items() if count > 1] == []
    assert {file.relative_to(FOLDER / language) for file in (FOLDER / language).rglob("*.json")} == {
        file.relative_to(FOLDER / "en") for file in (FOLDER / "en").rglob("*.json")
    }


@pytest.mark.parametrize("file", files("en"), ids=lambda file: file.stem)
def test_keys_of_the_server_begin_with_their_area(file: Path) -> None:
    if file.parent.name != "pages":
        area = file.parent.parent.name if file.parent.name == "messages" else file.stem
        assert [key for key in json.loads(file.read_text()) if not key.startswith(f"{area}.")] == []


COUNTED = re.compile(r"\{(\w+)\} (?:[a-z]+ )?(?:games|points|moves|students|seconds)\b")
LIMITS = {"most", "speed", "percent", "every"}
"""Parameters before such a word that are never 1, or seldom a whole number."""
NEVER_ONE = {
    *("reports.absent", "search.why.forces", "cantris.why.run"),
    *("courses.points_out_of_bounds", "courses.busy", "protocols.console_slow", "web.took_too_long"),
    *("tournament.games_and_pairs", "tournament.more_than_cores", "tournament.none_played", "tournament.page.too_many"),
    *(
        "search.why.ends",
        "check.out_of_time",
        "reports.opening_sentence",
        "reports.review_note_points",
        "challenge.moves",
    ),
    *("cli.report.games-played", "cli.report.games-judged", "cli.report.moves-judged"),
    *("bots.report.games-played", "bots.report.games-judged", "level.sees.plies", "plots.games", "plots.students"),
    *("bots.program_by_seat", "bots.name_outside"),
}
"""Texts about a total or a mean, about a number that is larger by what they are about, or about no number."""


def test_what_is_counted_is_called_n_and_has_a_form_for_one() -> None:
    """A text that counts several things takes the others as messages, such as `count.games`."""
    texts = catalogue("en")
    wrong = [
        key
        for key, text in texts.items()
        for name in COUNTED.findall(text)
        if name not in LIMITS and not key.endswith(".one") and not (name == "n" and f"{key}.one" in texts)
    ]
    assert sorted(set(wrong) - NEVER_ONE) == []


def test_translations_have_the_same_parameters() -> None:
    for key in bases("en"):
        assert HOLES["zh-Hant"][key] == HOLES["en"][key], key
    for holes in HOLES.values():
        for key in holes:
            assert holes[key] <= holes[key.removesuffix(".one")], key


def test_translations_are_chinese() -> None:
    names = re.compile(r"[A-Za-z]{2,}")
    for key, text in catalogue("zh-Hant").items():
        left = set(names.findall(HOLE.sub("", text)))
        assert (
            not left or re.search(r"[\u3000-\u9fff：；（]", text) or left <= set(names.findall(catalogue("en")[key]))
        ), key


class Use(NamedTuple):
    """A call that makes a message."""

    place: str
    codes: tuple[str, ...]
    """Literal codes, or patterns with `*`."""
    given: set[str]
    open: bool
    """Whether more parameters are given by `**`."""


def message_classes() -> set[str]:
    """Return `Message` and the names of the errors that are made like one."""
    classes = {"MessageError"}
    defined = [node for tree in python().values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    while (
        more := {
            node.name for node in defined if {ast.unparse(base).rpartition(".")[2] for base in node.bases} & classes
        }
        - classes
    ):
        classes |= more
    return {"Message", *classes} - {"FieldMissing"}


def texts(node: ast.expr, scope: ast.AST) -> list[str]:
    """Return the texts that an expression can be, with `*` for what is not known; nothing for what is no text."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.IfExp):
        return texts(node.body, scope) + texts(node.orelse, scope)
    if isinstance(node, ast.JoinedStr):
        parts = [texts(part, scope) if isinstance(part, ast.Constant) else ["*"] for part in node.values]
        return ["".join(way) for way in itertools.product(*parts)]
    if isinstance(node, ast.Name):
        return [text for value in assigned(node.id, scope) for text in texts(value, ast.Module([], []))]
    return []


def assigned(name: str, scope: ast.AST) -> Iterator[ast.expr]:
    """Return the values that a function gives to a name."""
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id == name:
                    yield node.value
                elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    yield from (
                        value
                        for one, value in zip(target.elts, node.value.elts, strict=False)
                        if isinstance(one, ast.Name) and one.id == name
                    )


def uses() -> Iterator[Use]:
    """Return every call in the source that makes a message from a code."""
    classes = message_classes()
    for file, tree in python().items():
        for scope, node in calls(tree, tree):
            if ast.unparse(node.func).rpartition(".")[2] in classes and node.args:
                codes = texts(node.args[0], scope)
                named = {keyword.arg for keyword in node.keywords if keyword.arg is not None}
                if codes:
                    place = f"{file.relative_to(PACKAGE)}:{node.lineno}"
                    yield Use(place, tuple(codes), named, len(named) < len(node.keywords))


def calls(node: ast.AST, scope: ast.AST) -> Iterator[tuple[ast.AST, ast.Call]]:
    """Return all calls below a node, each with the function that it stands in."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.Call):
            yield scope, inner
        yield from calls(inner, inner if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) else scope)


def test_every_message_gives_the_parameters_that_its_text_uses() -> None:
    known = HOLES["en"]
    wrong = []
    for use in uses():
        for code in use.codes:
            if "*" not in code and (code not in known or known[code] - use.given or use.given - known[code]):
                if code in known and use.open and not use.given - known[code]:
                    continue
                wrong.append(f"{use.place}: {code} is given {sorted(use.given)}, uses {sorted(known.get(code, ['?']))}")
            pattern = re.compile(re.escape(code).replace(r"\*", r".+"))
            if "*" in code and not any(pattern.fullmatch(key) for key in known):
                wrong.append(f"{use.place}: nothing is called {code}")
    assert sorted(set(wrong)) == []


TIMES = [f"times_per_{one}{end}" for one in ("move", "game") for end in ("", "_limit")]


def test_no_sentence_is_raised_that_is_no_message() -> None:
    plain = [
        f"{file.relative_to(PACKAGE)}:{node.lineno}"
        for file, tree in python().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).rpartition(".")[2] in {"ValueError", "HTTPException", "ParseError", "Fault"}
        and any(" " in text for argument in node.args for text in texts(argument, tree))
    ]
    assert plain == []


GRADES = ("best", "good", "inaccuracy", "mistake", "blunder")
TYPST = {f"reports.{name}" for name in (*GRADES, *PHASES, "total", *TIMES, WARNING, REJECT)}
"""What reports look up by the name of a grade, a phase, a kind of times or a verdict."""


def literals() -> set[str]:
    """Return the texts in all sources, with `*` where something is filled in: what may be a key."""
    found: set[str] = set()
    for tree in python().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr | ast.Constant):
                found |= set(texts(node, tree))
    for file in (
        *PACKAGE.rglob("*.js"),
        *PACKAGE.rglob("*.html"),
        *PACKAGE.rglob("*.typ"),
        *PACKAGE.rglob("*.hpp"),
        *NATIVE.rglob("*.hpp"),
    ):
        text = file.read_text()
        found |= set(re.findall(r'"([\w.-]+)"', text))
        found |= {re.sub(r"\$\{[^}]*\}", "*", one) for one in re.findall(r"`([^`\n]+)`", text)}
        found |= {f"*.{re.sub(r'[$][{].*', '*', one)}" for one in re.findall(r'gameKey\([^,]+, ["`]([^"`]+)["`]', text)}
    for file in PACKAGE.rglob("*.toml"):
        found |= {value for value in leaves(tomllib.loads(file.read_text())) if isinstance(value, str)}
    return found | TYPST


def leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        for one in value.values():
            yield from leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from leaves(one)
    else:
        yield value


def key_pattern(template: str) -> re.Pattern[str]:
    """Return what matches the keys that a template may come to; one that begins with `*` is a game's."""
    first, *rest = map(re.escape, template.split("*"))
    game = f"({'|'.join(GAME_NAMES)})(\\..+)?"
    return re.compile(".+".join([first, *rest]) if first else game + ".+".join(rest))


def test_every_key_has_a_user() -> None:
    said = literals()
    patterns = [key_pattern(one) for one in said if re.fullmatch(r"(\w+\.[\w.-]*\*|\*\.[a-z])[\w.*-]*", one)]
    titles = {key for key, text in catalogue("en").items() if key.startswith("courses.titles.") and text in said}
    unused = {key for key in bases("en") - said - titles if not any(pattern.fullmatch(key) for pattern in patterns)}
    assert sorted(unused) == []


def noted() -> set[str]:
    """Return the kinds of entries that the activity log gets."""
    calls = [node for tree in python().values() for node in ast.walk(tree) if isinstance(node, ast.Call)]
    about = [call for call in calls if re.search(r"\bself\.note\b|services\.note\b|^_note", ast.unparse(call))]
    constants = [node.value for call in about for node in ast.walk(call) if isinstance(node, ast.Constant)]
    areas = "account|bot|course|invitation|study|token|tournament"
    return {one for one in constants if isinstance(one, str) and re.fullmatch(rf"({areas})\.[a-z-]+|sign-up", one)}


def test_every_entry_of_the_activity_log_has_words() -> None:
    kinds = noted()
    assert {"account.sign-up", "course.grade", "tournament.take-back", "study.remove"} <= kinds
    assert sorted(kind for kind in kinds if f"audit.{kind}" not in catalogue("en")) == []


SAMPLES: list[object] = [
    "A1",
    3,
    2.5,
    1234567,
    0.1 + 0.2,
    1.5e-7,
    -2.25e9,
    ["a", 2, 0.5],
    Message("errors.not_utf8", byte="ff"),
]


def test_the_page_renders_every_message_as_python_does() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    asked = []
    for number, key in enumerate(sorted(bases("en"))):
        holes = sorted(HOLES["en"][key])
        asked.append(Message(key, **{name: SAMPLES[(number + at) % len(SAMPLES)] for at, name in enumerate(holes)}))
        if "n" in holes:
            asked.append(Message(key, **dict.fromkeys(holes, 1)))
    program = (
        "import { readFileSync } from 'node:fs'; globalThis.matchMedia = () => ({});"
        f"const {{ fillText }} = await import({json.dumps((PACKAGE / 'web' / 'static' / 'page.js').as_uri())});"
        "const { texts, asked } = JSON.parse(readFileSync(0));"
        "console.log(JSON.stringify(asked.map(({ code, params }) => fillText(texts, code, params))));"
    )
    for language in LANGUAGES:
        ran = subprocess.run(
            [node, "--experimental-default-type=module", "--input-type=module", "--eval", program],
            input=json.dumps({"texts": catalogue(language), "asked": [message.json for message in asked]}),
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(ran.stdout) == [render(message, language) for message in asked]


@pytest.mark.parametrize(
    ("text", "english", "chinese"),
    [
        ("engine:level=3", "Engine, level 3", "電腦第 3 級"),
        ("mcts:playouts=2000,seed=1", "MCTS, 2,000 playouts, seed 1", "MCTS，2,000 次模擬、種子 1"),
        ("alphabeta:depth=4", "Alpha-beta, depth 4", "α-β 剪枝，深度 4"),
        ("mcts:playouts=1", "MCTS, 1 playout", "MCTS，1 次模擬"),
        ("mcts:what=1.50", "MCTS, what 1.5", "MCTS，what 1.5"),
        ("minimax:depth=2,evaluator=plain", "Minimax, depth 2, evaluator plain", "Minimax，深度 2、evaluator plain"),
        ("engine:seconds=0.1", "Engine, 0.1 s per move", "電腦，每手 0.1 秒"),
        (
            "engine:nodes=5000,threads=2",
            "Engine, 5,000 positions per move, 2 threads",
            "電腦，每手 5,000 個局面、2 個執行緒",
        ),
        ("random", "Random", "隨機"),
        ("human", "Guest", "訪客"),
        ("106062130", "106062130", "106062130"),
        ("bot:7@2", "removed bot", "已移除的程式"),
        ("ugi:./mine --fast", "./mine --fast", "./mine --fast"),
        ("./bots/mine/", "mine", "mine"),
        ("My bot: the second", "My bot: the second", "My bot: the second"),
    ],
)
def test_players_have_names_in_each_language(text: str, english: str, chinese: str) -> None:
    assert (player_name(text), player_name(text, "zh")) == (english, chinese)
