"""How all games look, as one module: motion, style sheet and pieces from each game's folder in a single request.

A module that only looks import becomes a part of it. It must keep no state: pages could load it a second time.
"""

from __future__ import annotations

import functools
import json
import posixpath
import re
from importlib import import_module
from pathlib import Path

from fastapi import APIRouter, Request, Response

from ludus.web.http.addresses import STATIC
from ludus.web.http.responses import Bundle, bundle_response
from ludus.web.views import drawable_games

router = APIRouter(include_in_schema=False)

IMPORT = re.compile(r'^import \{([^}]+)\} from "([^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:const|(?:async )?function) (\w+))", re.MULTILINE)
SHARED = ("/static/board.js", "/static/look.js", "/static/page.js")
"""Modules that every page with a board has: they stay modules."""


@router.get("/static/games/looks.js")
def looks(request: Request) -> Response:
    """Return the module: `looks` by game, the `style` sheet and the `pieces` of all; 304 if the browser has it."""
    return bundle_response(request, looks_of(drawable_games()), "text/javascript")


@functools.cache
def looks_of(games: tuple[str, ...]) -> Bundle:
    """Return the module for some games; one without a file in its folder has a plain look."""
    root = Path(import_module("ludus.games").__path__[0])
    folders = {game: root / game.replace("-", "_") for game in games}
    module = _Module()
    for game, folder in folders.items():
        file = folder / "board.js"
        module.add(f"/static/games/{game}/board.js", file if file.exists() else STATIC / "plain.js")
    paths = {game: json.dumps(f"/static/games/{game}/board.js") for game in games}
    looks = ", ".join(f"{json.dumps(game)}: parts[{path}].look" for game, path in paths.items())
    style, pieces = (
        json.dumps("\n".join(file.read_text(encoding="utf-8") for file in files if file.exists()))
        for files in ([folder / name for folder in folders.values()] for name in ("style.css", "pieces.svg"))
    )
    ends = f"export const looks = {{ {looks} }};\nexport const style = {style};\nexport const pieces = {pieces};\n"
    return Bundle.of((module.text + ends).encode())


class _Module:
    """Modules put together into one: each keeps its names to itself, in a function that returns what it exports."""

    def __init__(self) -> None:
        self._imports: dict[str, set[str]] = {}
        self._parts: dict[str, str] = {}

    @property
    def text(self) -> str:
        imports = [f'import {{ {", ".join(sorted(names))} }} from "{path}";' for path, names in self._imports.items()]
        return "\n".join([*imports, "const parts = {};", *self._parts.values(), ""])

    def add(self, address: str, file: Path) -> None:
        """Add the module of an address, after those that it imports."""
        if address in self._parts:
            return
        source, head = file.read_text(encoding="utf-8"), ""
        for names, target in IMPORT.findall(source):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(address), target))
            if path in SHARED:
                self._imports.setdefault(path, set()).update(name.strip() for name in names.split(","))
            else:
                self.add(path, STATIC / path.removeprefix("/static/"))
                head += f"const {{{names}}} = parts[{json.dumps(path)}];\n"
        body = EXPORT.sub("", IMPORT.sub("", source))
        exported = ", ".join(EXPORT.findall(source))
        self._parts[address] = (
            f"parts[{json.dumps(address)}] = (() => {{\n{head}{body}\nreturn {{ {exported} }};\n}})();"
        )
