"""The routes of the report about a version of a bot: request, follow, download. For its owner and instructors."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Depends, HTTPException, Response
from pydantic import BaseModel

from ludus.errors import UserError
from ludus.messages import Message
from ludus.store.bots import PASSED
from ludus.web.accounts.visitors import Student
from ludus.web.bots.routes import BotDep, VersionDep, job_stream
from ludus.web.http.events import EventStream
from ludus.web.http.responses import attachment
from ludus.web.http.routing import Router
from ludus.web.jobs.kinds.report import KIND, challenges_of, language_of, source_of
from ludus.web.services import ServicesDep

router = Router(prefix="/api/bots/{bot}/report/{number}")

State = Literal["none", "making", "old", "ready"]


class ReportState(BaseModel):
    """The state of a report: `old` can be downloaded, but a new one would say more."""

    state: State


def stored_state(services: ServicesDep, bot: BotDep, version: VersionDep) -> State:
    """Return the state of the stored report."""
    challenges = challenges_of(services.bots.challenges, bot.id, version.number)
    source = source_of(language_of(services.accounts, bot), challenges)
    return "none" if version.paper_of is None else "ready" if version.paper_of == source else "old"


StateDep = Annotated[State, Depends(stored_state)]


@router.post("", status_code=202)
async def write(services: ServicesDep, who: Student, version: VersionDep, state: StateDep) -> ReportState:
    """Start to write the report of a version, unless it is ready or being written."""
    if version.state != PASSED:
        raise UserError("web.report_needs_check")
    arguments = {"bot": version.bot, "version": version.number}
    if state != "ready" and services.jobs.under_way(KIND, arguments) is None:
        await services.jobs.add(KIND, arguments, who.owner)
    return ReportState(state="ready" if state == "ready" else "making")


@router.get("/events", response_class=EventStream)
async def follow(services: ServicesDep, version: VersionDep, state: StateDep) -> EventStream:
    """Follow how a report is written; if it is not being written, send its state."""
    live = services.jobs.under_way(KIND, {"bot": version.bot, "version": version.number})
    return job_stream(services, live, state)


@router.get("", response_class=Response)
def download(services: ServicesDep, version: VersionDep) -> Response:
    """Return a report as PDF."""
    pdf = services.bots.store.paper(version.bot, version.number)
    if pdf is None:
        raise HTTPException(404, Message("web.no_report", number=version.number))
    return attachment(pdf, "application/pdf", f"bot-{version.bot}-v{version.number}-report.pdf")
