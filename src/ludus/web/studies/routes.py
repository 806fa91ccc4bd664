"""The routes of studies: list, save, copy, delete, and take away as a record or a picture. Knows no rule and no SQL."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import Body, Depends, HTTPException, Path, Query, Response
from fastapi.responses import PlainTextResponse
from starlette.concurrency import run_in_threadpool

from ludus.messages import Message
from ludus.play.pictures import PlayedMoves, game_gif, position_card, position_png
from ludus.play.studies import Chapter, chapter_text
from ludus.store.accounts import owner_of_account
from ludus.store.studies import StudyContent, StudyRow, StudySummary
from ludus.web.accounts.visitors import Student, Who
from ludus.web.http.description import responds
from ludus.web.http.responses import attachment
from ludus.web.http.routing import Router
from ludus.web.matches.live import NotAllowed
from ludus.web.services import Services, ServicesDep
from ludus.web.sharing.picture_routes import PaintDep
from ludus.web.studies.views import (
    MOST_CHAPTERS,
    MOST_NODES,
    StudyField,
    StudyListView,
    StudySummaryView,
    StudyView,
    chapter_of,
    read_study,
    study_view,
)

router = Router()
get = partial(router.get, response_model_exclude_defaults=True)
post = partial(router.post, response_model_exclude_defaults=True)

MINUTE = 60
Number = Annotated[int, Query(ge=0, lt=MOST_CHAPTERS)]
Node = Annotated[int | None, Query(ge=0, lt=MOST_NODES)]


@responds(404)
def study_of(services: ServicesDep, who: Who, study: Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{12}$")]) -> StudyRow:
    """Return a study that the visitor may see; respond 404 otherwise."""
    found = services.studies.find(study)
    if found is None or (found.visibility == "private" and not who.owns(found.account_id)):
        raise HTTPException(404, Message("web.no_such_study"))
    return found


StudyDep = Annotated[StudyRow, Depends(study_of)]


@responds(403)
def own_study(who: Student, found: StudyDep) -> StudyRow:
    """Return a study of this person; respond 403 to others."""
    if not who.owns(found.account_id):
        raise HTTPException(403, Message("web.study_not_yours"))
    return found


@responds(403)
def removable_study(who: Student, found: StudyDep) -> StudyRow:
    """Return a study that its owner removes, or an admin; respond 403 to others."""
    if who.role != "admin" and not who.owns(found.account_id):
        raise HTTPException(403, Message("web.study_not_yours"))
    return found


def chapter_at(found: StudyDep, chapter: Number = 0) -> Chapter:
    """Return a chapter of a study; respond 404 when there is none."""
    if chapter >= len(found.chapters):
        raise HTTPException(404, Message("web.no_such_node"))
    return chapter_of(found, chapter)


ChapterDep = Annotated[Chapter, Depends(chapter_at)]


def _line(chapter: Chapter, node: int | None) -> tuple[list[int], PlayedMoves]:
    """Return the nodes to a node, or of the main line, and their moves."""
    if node is not None and node >= len(chapter.nodes):
        raise HTTPException(404, Message("web.no_such_node"))
    path = chapter.main_line if node is None else chapter.path_to(node)
    return path, (chapter.start, tuple(chapter.nodes[one].move for one in path[1:]))


def _seconds(found: StudyRow) -> int | None:
    return None if found.visibility == "private" else MINUTE


def _owner(services: Services, found: StudyRow) -> str | None:
    owner = owner_of_account(found.account_id)
    return services.accounts.names([owner]).get(owner)


@get("/studies")
def list_studies(services: ServicesDep, who: Who) -> StudyListView:
    """List the visitor's own studies, and public ones of others; the last changed first."""
    mine = services.studies.of(who.account.id) if who.account else []
    others = [row for row in services.studies.public() if not who.owns(row.account_id)]
    names = services.accounts.names([owner_of_account(row.account_id) for row in others])

    def summary(row: StudySummary) -> StudySummaryView:
        return StudySummaryView(
            id=row.id,
            title=row.title,
            game=row.game,
            visibility=row.visibility,  # type: ignore[arg-type]
            owner=names.get(owner_of_account(row.account_id)),
            chapters=row.chapters,
            touched=row.touched.isoformat(),
        )

    return StudyListView(mine=[summary(row) for row in mine], public=[summary(row) for row in others])


@post("/studies", status_code=201)
def create(services: ServicesDep, who: Student, sent: Annotated[StudyField, Body()]) -> StudyView:
    """Store a new study."""
    row = services.studies.add(who.signed_in.id, read_study(sent))
    return study_view(row, who.signed_in.name, mine=True)


@get("/studies/{study}")
def show(services: ServicesDep, who: Who, found: StudyDep) -> StudyView:
    """Return a study."""
    return study_view(found, _owner(services, found), mine=who.owns(found.account_id))


@post("/studies/{study}")
def save(
    services: ServicesDep,
    found: Annotated[StudyRow, Depends(own_study)],
    sent: Annotated[StudyField, Body()],
    version: Annotated[int, Body(ge=1, lt=2**31)],
) -> int:
    """Store a change of one's own study, and return its new version; `version` is the one that was changed."""
    saved = services.studies.change(found.id, version, read_study(sent))
    if saved is None:
        raise NotAllowed("web.study_changed")
    return saved


@post("/studies/{study}/copy", status_code=201)
def copy(services: ServicesDep, who: Student, found: StudyDep) -> StudyView:
    """Copy a study into a private one of the visitor."""
    content = StudyContent(found.title, found.game, "private", list(found.chapters))
    return study_view(services.studies.add(who.signed_in.id, content), who.signed_in.name, mine=True)


@post("/studies/{study}/remove")
def remove(services: ServicesDep, who: Student, found: Annotated[StudyRow, Depends(removable_study)]) -> bool:
    """Delete a study: one's own, or as an admin one that others can see."""
    services.studies.remove(found.id)
    if not who.owns(found.account_id):
        services.note(who, "study.remove", study=found.id, account=found.account_id)
    return True


@router.get("/studies/{study}/record", response_class=PlainTextResponse)
def download(services: ServicesDep, found: StudyDep, chapter: ChapterDep) -> Response:
    """Return a chapter as a record: the main line, comments, and variations in parentheses."""
    headers = {"Study": found.title, "Chapter": chapter.title}
    if name := _owner(services, found):
        headers["Author"] = name
    return attachment(chapter_text(chapter, headers), "text/plain", f"{found.game}-{found.id}.txt")


@router.get("/studies/{study}/picture.png", response_class=Response)
async def picture(paint: PaintDep, found: StudyDep, chapter: ChapterDep, node: Node = None) -> Response:
    """Return a position of a chapter as a PNG, with what is drawn on it; the last of the main line by default."""
    path, line = _line(chapter, node)
    shapes = chapter.nodes[path[-1]].shapes
    return await paint(f"{found.game}-{found.id}", _seconds(found), position_png, line, shapes)


@router.get("/studies/{study}/animation.gif", response_class=Response)
async def animation(paint: PaintDep, found: StudyDep, chapter: ChapterDep, node: Node = None) -> Response:
    """Return a line of a chapter as a GIF: to a position, or the main line."""
    path, line = _line(chapter, node)
    shapes = [chapter.nodes[one].shapes for one in path]
    return await paint(f"{found.game}-{found.id}", _seconds(found), game_gif, line, shapes)


@router.get("/studies/{study}/card.png", response_class=Response)
async def card(services: ServicesDep, paint: PaintDep, found: StudyDep, chapter: ChapterDep) -> Response:
    """Return the picture that a link to a study shows."""
    path, line = _line(chapter, None)
    owner = await run_in_threadpool(_owner, services, found)
    words = (found.title, [str(chapter.start.game.title), owner or ""])
    shapes = chapter.nodes[path[-1]].shapes
    return await paint(f"{found.game}-{found.id}", _seconds(found), position_card, line, shapes, *words)
