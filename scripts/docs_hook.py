"""What mkdocs adds to the pages of docs/: references made from the code itself, and the README of each game.

Python from docstrings (mkdocstrings), the command line from its parser, HTTP from OpenAPI, course and tournament files
from their models. Links out of docs/ are turned into links to these pages, or into plain text.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import math
import re
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

import click
from mkdocs.structure.files import File, Files

import ludus
from ludus.cli import app as command
from ludus.courses import CourseFile
from ludus.courses.rubric import KINDS
from ludus.settings import Settings
from ludus.tournament.files import TournamentFile
from ludus.web.app import create_app

ROOT = Path(__file__).parents[1]
MODULES = (
    "ludus.client",
    "ludus.encoding",
    "ludus.envs.gymnasium",
    "ludus.envs.openspiel",
    "ludus.envs.pettingzoo",
    "ludus.envs.vector",
    "ludus.game",
    "ludus.play.clock",
    "ludus.play.record",
    "ludus.search.result",
)


def on_config(config: Any) -> Any:
    """Put each game into the navigation, and how the engine plays it."""
    places = {
        "GAMES": [{game_title(name): f"games/{name}.md"} for name in ludus.games()],
        "ENGINES": [{game_title(name): f"games/{name}-engine.md"} for name in ludus.games()],
    }
    config["nav"] = _replaced(config["nav"], places)
    return config


def on_files(files: Files, *, config: Any) -> Files:
    """Add the pages that are made."""
    made = {
        "index.md": index(),
        "reference/python.md": python(),
        "reference/cli.md": cli(),
        "reference/http.md": http(),
        "reference/files.md": models(),
        "icon.svg": (ROOT / "src/ludus/web/static/icon.svg").read_text(),
    }
    for name in ludus.games():
        made[f"games/{name}.md"], made[f"games/{name}-engine.md"] = game_pages(name)
    for place, content in made.items():
        files.append(File.generated(config, place, content=content))
    return files


CHINESE = "[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]"
BROKEN_LINE = re.compile(f"(?<={CHINESE})\n *(?={CHINESE})")
"""Where a paragraph in Chinese goes on in the next line: a browser would show a space there."""


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Turn links that leave docs/ into plain text, and heads of code into what the site knows; join Chinese lines."""
    markdown = re.sub(r"^```exchange .*$", "```text", markdown, flags=re.MULTILINE)
    markdown = re.sub(r"^```(\w+) ([\w.]+)$", r'```\1 title="\2"', markdown, flags=re.MULTILINE)
    depth = page.file.src_uri.count("/")
    outside = r"\.\./" * (depth + 1)
    markdown = re.sub(rf"\]\({outside}README\.md\)", f"]({'../' * depth}index.md)", markdown)
    markdown = re.sub(rf"\[([^\]]+)\]\({outside}[^)]*\)", r"\1", markdown)
    return BROKEN_LINE.sub("", markdown)


def on_post_page(output: str, *, page: Any, **_: Any) -> str:
    """Name the language of a page in Chinese, for which browsers choose letters and line breaks."""
    return output.replace('<html lang="en"', '<html lang="zh-Hant"', 1) if ".zh." in page.file.src_uri else output


def _replaced(entry: Any, places: dict[str, list[Any]]) -> Any:
    if isinstance(entry, str):
        return places.get(entry, entry)
    if isinstance(entry, list):
        return [_replaced(one, places) for one in entry]
    return {key: _replaced(value, places) for key, value in entry.items()} if isinstance(entry, dict) else entry


def index() -> str:
    """Return the README, with links that fit the site; its menu would have one line."""
    text = "---\nhide: [navigation]\n---\n" + (ROOT / "README.md").read_text()
    text = re.sub(r"\]\(docs/", "](", text)
    text = re.sub(r'src="docs/', 'src="', text)
    text = re.sub(
        r"\]\(src/ludus/games/(\w+)/README.md\)", lambda found: f"](games/{found[1].replace('_', '-')}.md)", text
    )
    return re.sub(r"\[([\w.]+)\]\((?:CONTRIBUTING|CHANGELOG|LICENSE|SECURITY)[\w.]*\)", r"\1", text)


def game_title(name: str) -> str:
    """Return the title of a game's README."""
    return game_readme(name).partition("\n")[0].removeprefix("# ")


def game_readme(name: str) -> str:
    """Return the README of a game."""
    return (ROOT / "src/ludus/games" / name.replace("-", "_") / "README.md").read_text()


def game_pages(name: str) -> tuple[str, str]:
    """Return the rules of a game, for those who play it, and how the engine plays it, for those who want to know."""
    rules, _, engine = game_readme(name).partition("\n## How it works\n")
    title = game_title(name)
    return (
        f"{rules}\n[How the engine plays {title}]({name}-engine.md)\n",
        f"# How the engine plays {title}\n\n[The rules]({name}.md)\n\n## How it works\n{engine}",
    )


def python() -> str:
    """Return the reference of the Python interface; mkdocstrings fills it in."""
    public = "\n".join(f"::: ludus.{name}\n" for name in ludus.__all__)
    modules = "\n".join(f"::: {module}\n" for module in MODULES)
    return f"# Python\n\nThe public names of `ludus`, and the modules behind them.\n\n{public}\n{modules}"


def cli() -> str:
    """Return the reference of the command line, from its parser."""
    parts = ["# Command line\n", "`ludus VERB --help` prints the same.\n"]

    def add(words: str, one: click.Command, above: click.Context | None) -> None:
        context = click.Context(one, above, info_name=words.rpartition(" ")[2])
        parts.append(f"## {words}\n\n```text\n{one.get_help(context)}\n```\n")
        if isinstance(one, click.Group):
            for name in one.list_commands(context):
                found = one.get_command(context, name)
                if found is not None:
                    add(f"{words} {name}", found, context)

    add("ludus", command, None)
    return "\n".join(parts)


def http() -> str:
    """Return the reference of the HTTP interface, from its OpenAPI description."""
    with tempfile.TemporaryDirectory() as folder:
        described = create_app(Path(folder, "arena.db"), Path(folder, "files")).openapi()
    parts = ["# HTTP\n", "The arena describes itself at `/openapi.json`; this is made from it.\n"]
    for path, methods in sorted(described["paths"].items()):
        for method, route in methods.items():
            parts.append(f"## {method.upper()} {path}\n\n{route.get('description') or route.get('summary', '')}\n")
            rows = [(one["name"], one["in"], one["schema"], one["required"]) for one in route.get("parameters", ())]
            body = route.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            rows += [(name, "body", *one) for name, one in _properties(body, described).items()]
            if rows:
                parts.append(
                    "| parameter | in | kind | |\n| --- | --- | --- | --- |\n"
                    + "".join(f"| `{a}` | {b} | {_json_kind(c)} | {'required' * d} |\n" for a, b, c, d in rows)
                )
            parts.append(f"Answers: {', '.join(sorted(route['responses']))}.\n")
    return "\n".join(parts)


def _properties(schema: dict[str, Any], described: dict[str, Any]) -> dict[str, tuple[dict[str, Any], bool]]:
    """Return the fields of a body, each with its schema and whether it is required."""
    if "$ref" in schema:
        schema = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return {name: (one, name in schema.get("required", ())) for name, one in schema.get("properties", {}).items()}


JSON_KINDS = {
    "string": "text",
    "integer": "whole number",
    "boolean": "true or false",
    "object": "object",
    "null": "null",
}


def _json_kind(schema: dict[str, Any]) -> str:
    """Return what a value of JSON is, in words."""
    if "enum" in schema or "const" in schema:
        return " or ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_json_kind(one) for one in schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list of {_json_kind(schema.get('items', {}))}s"
    return "object" if "$ref" in schema else JSON_KINDS.get(schema.get("type", ""), schema.get("type", "any"))


def models() -> str:
    """Return the reference of course and tournament files, from their models."""
    parts = [
        "# Course and tournament files\n",
        "Every key with its kind and its default, and with its meaning if the name does not say it. "
        "[Courses](../courses.md) and [tournaments](../tournaments.md) explain them with examples, "
        "[bots](../bots.md) those of `bot.toml`.\n",
    ]
    seen = set[type[Settings]]()

    def add(model: type[Settings], title: str) -> None:
        if model in seen:
            return
        seen.add(model)
        later = []
        meanings = _meanings(model)
        parts.append(f"## {title}\n\n{inspect.getdoc(model)}\n\n| key | kind | default | |\n| --- | --- | --- | --- |")
        for name, field in model.model_fields.items():
            later += [(one, f"{title}: {name}") for one in _within(field.annotation) if _is_settings(one)]
            default = "required" if field.is_required() else _default(field.get_default(call_default_factory=True))
            parts.append(
                f"| `{field.alias or name}` | {_kind(field.annotation)} | {default} | {meanings.get(name, '')} |"
            )
        parts.append("")
        for one, place in later:
            add(one, place)

    add(CourseFile, "course.toml")
    for kind, rule in KINDS.items():
        add(rule, f'course.toml: a rule of kind "{kind}"')
    add(TournamentFile, "tournament.toml")
    return "\n".join(parts)


def _meanings(model: type[Settings]) -> dict[str, str]:
    """Return the sentence under each field of a model and of those that it is made from."""
    found: dict[str, str] = {}
    for one in reversed([one for one in model.__mro__ if _is_settings(one)]):
        body = cast("ast.ClassDef", ast.parse(textwrap.dedent(inspect.getsource(one))).body[0]).body
        for field, below in itertools.pairwise(body):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(below, ast.Expr)
                and isinstance(below.value, ast.Constant)
            ):
                found[ast.unparse(field.target)] = " ".join(inspect.cleandoc(str(below.value.value)).split())
    return found


def _kind(annotation: Any) -> str:
    """Return what a value of a settings file is, in words."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind(inner[0])
    if origin is Literal:
        return " or ".join(f'`"{value}"`' if isinstance(value, str) else f"`{value}`" for value in inner)
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(_kind(one) for one in inner if one is not NoneType))
    if origin in (list, tuple):
        return f"list of {_kind(inner[0])}s"
    words = {str: "text", int: "whole number", float: "number", bool: "true or false"}
    return words.get(annotation, "table")


def _default(value: Any) -> str:
    """Return a default as the file would have it; tables and what is left out have none to show."""
    if isinstance(value, list | tuple) and value:
        return ", ".join(_default(one) for one in value)
    if value is None or isinstance(value, Settings | dict | list | tuple) or value in ("", math.inf, -math.inf):
        return "none"
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def _within(annotation: Any) -> Iterator[Any]:
    """Yield a type and all those that it is made from."""
    yield annotation
    for one in get_args(annotation):
        yield from _within(one)


def _is_settings(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Settings) and kind is not Settings
