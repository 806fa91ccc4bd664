"""The routes of message catalogues: the words of all pages, of one page, and the messages of the server."""

from __future__ import annotations

import functools
import json

from fastapi import APIRouter, HTTPException, Request, Response

from ludus.messages import FOLDER, LANGUAGES, Message, read_catalogues
from ludus.web.http.responses import Bundle, bundle_response
from ludus.web.views import game_words

router = APIRouter(include_in_schema=False)


@router.get("/static/messages/{language}/{name}.json")
def load(request: Request, language: str, name: str) -> Response:
    """Return the texts of `common` (all pages and games), of one page, or of `server`; 304 if the browser has them."""
    found = bundle(language, name) if language in LANGUAGES else None
    if found is None:
        raise HTTPException(404, Message("web.no_such_page_file"))
    return bundle_response(request, found, "application/json")


@functools.cache
def bundle(language: str, name: str) -> Bundle | None:
    """Return the texts of a name in a language; None when there are none."""
    pages = {file.stem: [file] for file in (FOLDER / language / "pages").glob("*.json")}
    files = sorted((FOLDER / language).glob("*.json")) if name == "server" else pages.get(name)
    if files is None:
        return None
    texts = {**read_catalogues(files), **(game_words(language) if name == "common" else {})}
    return Bundle.of(json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode())
