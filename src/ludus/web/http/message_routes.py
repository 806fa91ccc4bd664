"""The routes of message catalogues: the words of all pages, of one page, and the messages of the server."""

from __future__ import annotations

import functools
import hashlib
import json
from typing import NamedTuple

from fastapi import APIRouter, HTTPException, Request, Response

from ludus.messages import FOLDER, LANGUAGES, Message, read_catalogues
from ludus.web.views import game_words

router = APIRouter(include_in_schema=False)


class Bundle(NamedTuple):
    """Texts that are loaded in one request, as a JSON object."""

    body: bytes
    tag: str
    """The ETag: it changes when the texts do."""


@router.get("/static/messages/{language}/{name}.json")
def load(request: Request, language: str, name: str) -> Response:
    """Return the texts of `common` (all pages and games), of one page, or of `server`; 304 if the browser has them."""
    found = bundle(language, name) if language in LANGUAGES else None
    if found is None:
        raise HTTPException(404, Message("web.no_such_page_file"))
    headers = {"ETag": found.tag}
    if request.headers.get("if-none-match", "").removeprefix("W/") == found.tag:
        return Response(status_code=304, headers=headers)
    return Response(found.body, media_type="application/json", headers=headers)


@functools.cache
def bundle(language: str, name: str) -> Bundle | None:
    """Return the texts of a name in a language; None when there are none."""
    pages = {file.stem: [file] for file in (FOLDER / language / "pages").glob("*.json")}
    files = sorted((FOLDER / language).glob("*.json")) if name == "server" else pages.get(name)
    if files is None:
        return None
    texts = {**read_catalogues(files), **(game_words(language) if name == "common" else {})}
    body = json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode()
    return Bundle(body, f'"{hashlib.sha256(body).hexdigest()[:16]}"')
