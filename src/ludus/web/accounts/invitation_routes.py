"""The routes of who may sign up, which admins decide, and of invitations, which instructors create."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Body, HTTPException
from pydantic import BaseModel, Field

from ludus.messages import Message
from ludus.store.accounts import owner_of_account
from ludus.store.invitations import SignUp
from ludus.view import View
from ludus.web.accounts.routes import Days, Number
from ludus.web.accounts.visitors import Admin, Instructor
from ludus.web.http.routing import Router
from ludus.web.matches.live import NotAllowed
from ludus.web.services import ServicesDep

router = Router()


class SignUpView(View):
    """Who may sign up, and whether that was decided when the server was started."""

    mode: SignUp
    fixed: bool


class NewInvitation(BaseModel):
    """An invitation to create: the role, for how many accounts, for how many days, and for whom."""

    role: Literal["student", "instructor"] = "student"
    uses: Annotated[int, Field(ge=1, le=1000)] = 1
    days: Days = 14
    note: Annotated[str, Field(max_length=80, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""


class InvitationView(View):
    """An invitation in a list."""

    id: int
    role: str
    note: str
    left: int
    """How many accounts it can still create."""
    created: datetime
    expires: datetime
    by: str | None = None
    """Who invites; None for the command line."""


class NewInvitationView(InvitationView):
    """A new invitation with its code, which is shown only this once."""

    code: str


@router.get("/sign-up")
def who_may_sign_up(services: ServicesDep) -> SignUpView:
    """Return who may sign up."""
    return SignUpView(mode=services.admission.mode, fixed=services.admission.fixed is not None)


@router.post("/sign-up")
def change_sign_up(services: ServicesDep, who: Admin, mode: Annotated[SignUp, Body(embed=True)]) -> SignUpView:
    """Change who may sign up."""
    if (fixed := services.admission.fixed) is not None:
        raise NotAllowed("web.sign_up_fixed", mode=fixed)
    services.admission.invitations.set_sign_up(mode)
    services.note(who, "sign-up", mode=mode)
    return who_may_sign_up(services)


@router.get("/invitations")
def list_invitations(services: ServicesDep, who: Instructor) -> list[InvitationView]:
    """List the invitations that can still be used: one's own, and to an admin everybody's."""
    found = services.admission.invitations.valid(None if who.role == "admin" else who.signed_in.id)
    owners = {one.id: owner_of_account(one.account_id) for one in found if one.account_id is not None}
    names = services.accounts.names(owners.values())
    views = [InvitationView.model_validate(one) for one in found]
    return [view.model_copy(update={"by": names.get(owners.get(view.id, ""))}) for view in views]


@router.post("/invitations", status_code=201)
def invite(services: ServicesDep, who: Instructor, wanted: NewInvitation) -> NewInvitationView:
    """Create an invitation; instructors invite students, admins also instructors."""
    if wanted.role != "student" and who.role != "admin":
        raise HTTPException(403, Message("web.needs_role", role="admin", yours=who.role))
    row, code = services.admission.invitations.add(who.signed_in.id, **wanted.model_dump())
    services.note(who, "invitation.add", **wanted.model_dump(exclude={"note"}))
    view = InvitationView.model_validate(row)
    return NewInvitationView(**{**dict(view), "by": who.signed_in.name}, code=code)


@router.post("/invitations/{number}/revoke")
def revoke(services: ServicesDep, who: Instructor, number: Number) -> list[InvitationView]:
    """Revoke an invitation."""
    owner = None if who.role == "admin" else who.signed_in.id
    if not services.admission.invitations.revoke(number, owner):
        raise HTTPException(404, Message("web.no_such_invitation"))
    services.note(who, "invitation.revoke")
    return list_invitations(services, who)
