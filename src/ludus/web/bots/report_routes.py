"""The routes of a bot's report: ask for it, follow how it is made, download it. For its owner and those who teach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse  # noqa: TC002 - the description of the routes needs it

from ludus.errors import UserError
from ludus.messages import Message
from ludus.store.bots import PASSED
from ludus.web.accounts.visitors import Student, Visitor  # noqa: TC001 - routes are read at run time
from ludus.web.bots.routes import Number, bot_of, bots_of, job_news, jobs_of, version_of
from ludus.web.http.events import stream
from ludus.web.jobs.kinds.report import KIND, challenges_of, language_of, source_of

if TYPE_CHECKING:
    from ludus.store.bots import BotVersion

router = APIRouter(prefix="/api/bots/{bot}/report/{number}")

State = Literal["none", "making", "old", "ready"]


class ReportState(BaseModel):
    """How a report stands: one that is old can be had, and a new one would say more."""

    state: State


def reported(request: Request, bot: int, number: int, who: Visitor) -> tuple[BotVersion, State]:
    """Return a version whose report this person may have, and how that stands apart from jobs."""
    found = bot_of(request, bot, who)
    version = version_of(request, found, number, who)
    told = challenges_of(bots_of(request).challenges, bot, number)
    source = source_of(language_of(request.app.state.accounts, found), told)
    return version, "none" if version.paper_of is None else "ready" if version.paper_of == source else "old"


@router.post("", status_code=202)
async def ask(request: Request, bot: Number, number: Number, who: Student) -> ReportState:
    """Ask for the report of a version; one that is there, or is being made, is not made again."""
    version, state = await run_in_threadpool(reported, request, bot, number, who)
    if version.state != PASSED:
        raise UserError("web.report_needs_check")
    arguments = {"bot": bot, "version": number}
    if state != "ready" and jobs_of(request).under_way(KIND, arguments) is None:
        await jobs_of(request).add(KIND, arguments, who.owner)
    return ReportState(state="ready" if state == "ready" else "making")


@router.get("/events", response_class=PlainTextResponse)
async def follow(request: Request, bot: Number, number: Number, who: Student) -> StreamingResponse:
    """Follow how a report is made; where it is not, tell how it stands."""
    _, state = await run_in_threadpool(reported, request, bot, number, who)
    live = jobs_of(request).under_way(KIND, {"bot": bot, "version": number})
    return stream(job_news(request, live, state))


@router.get("", response_class=Response)
def download(request: Request, bot: Number, number: Number, who: Student) -> Response:
    """Return a report as PDF."""
    found = bot_of(request, bot, who)
    version_of(request, found, number, who)
    paper = bots_of(request).store.paper(bot, number)
    if paper is None:
        raise HTTPException(404, Message("web.no_report", number=number))
    headers = {"Content-Disposition": f'attachment; filename="bot-{bot}-v{number}-report.pdf"'}
    return Response(paper, media_type="application/pdf", headers=headers)
