"""Who may sign up: anyone, those who have a code, or nobody. Knows no HTTP, and not how an account is created.

A code is an invitation, or the code with which a student claims an id in a course: that student needs no other one.
"""

from __future__ import annotations

from sqlalchemy.orm import Session

from ludus.errors import UserError
from ludus.messages import Message
from ludus.store.accounts import AccountRow
from ludus.store.courses import CourseStore, use_code
from ludus.store.invitations import Invitations, SignUp, use_invitation


class NotAdmitted(UserError):  # noqa: N818 - the name says what is wrong
    """Someone who may not sign up."""


class Admission:
    """Decides who may sign up."""

    def __init__(self, invitations: Invitations, courses: CourseStore, fixed: SignUp | None) -> None:
        self.invitations = invitations
        self._courses = courses
        self.fixed = fixed
        """What the operator has decided for this server; None where admins decide."""

    @property
    def mode(self) -> SignUp:
        """Who may sign up now."""
        return self.fixed or self.invitations.sign_up

    def check(self, code: str) -> None:
        """Raise NotAdmitted for someone with a code, or with none, who may not sign up: before any work is done."""
        mode = self.mode
        if mode == "closed":
            raise NotAdmitted(Message("web.sign_up_closed"))
        if code:
            if not (self.invitations.is_valid(code) or self._courses.has_code(code)):
                raise NotAdmitted(Message("web.wrong_invitation"))
        elif mode == "invitation":
            raise NotAdmitted(Message("web.invitation_missing"))

    @staticmethod
    def use(code: str, session: Session, account: AccountRow) -> None:
        """Use a code for a new account, in the transaction that creates it; two accounts never share the last use."""
        if code and not (use_invitation(session, code, account) or use_code(session, code, account.id)):
            raise NotAdmitted(Message("web.wrong_invitation"))
