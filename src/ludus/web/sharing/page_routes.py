"""The files that make the page installable, and boards for other sites.

A board for other sites is the only page that they may show in a frame. It needs no cookie and changes nothing.
"""

from __future__ import annotations

import functools
import hashlib
import json
from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Path, Response
from fastapi.responses import HTMLResponse

from ludus.drawing.pictures import icon
from ludus.messages import LANGUAGES, Message
from ludus.web.http.addresses import STATIC
from ludus.web.http.guard import POLICY
from ludus.web.http.message_routes import bundle
from ludus.web.sharing.previews import modules_of, template

router = APIRouter(include_in_schema=False)

FRAME_POLICY = POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
ICONS = {"180": (180, True), "192": (192, False), "512": (512, False), "maskable-512": (512, True)}
"""The icons: their size, and whether they fill it to the edge, for systems that cut a form out of it."""
GROUND = "#161922"
"""The colour around the icon."""
MANIFEST = {
    "id": "/",
    "name": "Ludus",
    "short_name": "Ludus",
    "start_url": "/",
    "scope": "/",
    "display": "standalone",
    "background_color": "#f5f2ec",
    "theme_color": "#f5f2ec",
    "icons": [
        {"src": "/icons/192.png", "sizes": "192x192", "type": "image/png"},
        {"src": "/icons/512.png", "sizes": "512x512", "type": "image/png"},
        {"src": "/icons/maskable-512.png", "sizes": "512x512", "type": "image/png", "purpose": "maskable"},
        {"src": "/static/icon.svg", "sizes": "any", "type": "image/svg+xml"},
    ],
}
SHELL = ("early.js", "style.css", "icon.svg")
"""What the page needs to say that it is offline, beside its modules and its words."""


@router.get("/manifest.webmanifest")
def manifest() -> Response:
    """Return what a system needs to know to install the page."""
    return Response(json.dumps(MANIFEST), media_type="application/manifest+json")


@router.get("/icons/{icon}.png")
def icon_file(icon: Annotated[str, Path(max_length=20)]) -> Response:
    """Return the icon as a PNG."""
    if icon not in ICONS:
        raise HTTPException(404, Message("web.no_such_page_file"))
    return Response(drawn_icon(icon), media_type="image/png", headers={"Cache-Control": "public, max-age=86400"})


@functools.cache
def drawn_icon(name: str) -> bytes:
    """Return an icon, drawn once."""
    size, fills = ICONS[name]
    return icon(template("icon.svg"), size, GROUND if fills else None)


@router.get("/service-worker.js")
def service_worker() -> Response:
    """Return the program that shows the shell of the page without a connection; it changes when the shell does."""
    return Response(worker_program(), media_type="text/javascript")


@functools.cache
def worker_program() -> str:
    """Return the program, with the files of the shell and their version."""
    files = [f"/static/{name}" for name in (*SHELL, "main.js", *modules_of(""))]
    words = [f"/static/messages/{language}/common.json" for language in LANGUAGES]
    digest = hashlib.sha256(template("index.html").encode() + template("service-worker.js").encode())
    for file in files:
        digest.update((STATIC / file.removeprefix("/static/")).read_bytes())
    for language in LANGUAGES:
        found = bundle(language, "common")
        digest.update(found.body if found else b"")
    shell = {"version": digest.hexdigest()[:16], "files": ["/", *files, *words]}
    return f"self.SHELL = {json.dumps(shell)};\n{template('service-worker.js')}"


@router.get("/embed/{what}/{identity}")
@router.get("/embed/{what}")
def embedded(what: Literal["match", "study", "analysis"], identity: str = "") -> Response:
    """Return a board for another site's page, which reads from its address what to show."""
    if (what == "analysis") == bool(identity):
        raise HTTPException(404, Message("web.no_such_page_file"))
    headers = {"Content-Security-Policy": FRAME_POLICY, "Cross-Origin-Resource-Policy": "cross-origin"}
    return HTMLResponse(template("embed.html"), headers=headers)
