"""Deadlines: when a submission is late, which attempt counts, and who has more time. Times in, days out.

All times know their zone. Knows no files, no points and no platform.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Literal
from zoneinfo import ZoneInfo

from pydantic import Field, model_validator

from ludus.errors import UserError
from ludus.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludus.courses.attempts import Attempt

DAY = timedelta(days=1)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?")
ZONE = re.compile(r"\s+([+-][0-9]{2}:?[0-9]{2})$")
AFTERNOON, MORNING = ("pm", "p.m.", "下午"), ("am", "a.m.", "上午")


class DeadlineSettings(Settings):
    """When submissions are due, and which of several attempts counts."""

    at: str = ""
    """The deadline; without it there is none."""
    zone: str = "UTC"
    grace_minutes: float = Field(default=0.0, ge=0)
    """Minutes after the deadline in which nobody is late."""
    resubmit_until: str = ""
    """Until when students who were in time may hand in again; later attempts do not count."""
    counts: Literal["last", "last-in-time", "best"] = "last"
    """Which attempt counts: the last one, also if it is late; the last one in time; or the best one in time."""
    attempts: int = Field(default=5, ge=1, le=20)
    """With `counts = "best"`: how many attempts are graded, the last ones."""
    marked_late_days: float = Field(default=1.0, ge=0, le=1000)
    """How many days late a submission is if the platform only marks it as late."""

    @model_validator(mode="after")
    def _check(self) -> DeadlineSettings:
        if not self.at:
            if self.model_fields_set:
                raise UserError("courses.deadline_without_time")
            return self
        due, resubmission = self.due, self.resubmission
        if resubmission is not None and resubmission < due:
            raise UserError("courses.resubmit_before_deadline", until=self.resubmit_until, at=self.at)
        return self

    @property
    def chooses(self) -> bool:
        """Whether it matters which attempts a student made before the last one."""
        return bool(self.at and (self.resubmit_until or self.counts != "last"))

    @property
    def due(self) -> datetime:
        """The deadline."""
        return self.moment(self.at)

    @property
    def resubmission(self) -> datetime | None:
        """The end of the time for resubmissions, where there is one."""
        return self.moment(self.resubmit_until) if self.resubmit_until else None

    @property
    def timezone(self) -> tzinfo:
        """The zone of times that name none."""
        try:
            return UTC if self.zone == "UTC" else ZoneInfo(self.zone)  # a small machine may have no other zone
        except (KeyError, ValueError, OSError):
            raise UserError("courses.no_zone", zone=repr(self.zone)) from None

    def moment(self, text: str) -> datetime:
        """Return the moment that a text means: in the course's zone, unless it names its own."""
        found = _read_time(text.strip())
        if found is None:
            raise UserError("courses.no_time", value=repr(text))
        if len(text.strip()) <= len("2026-06-10"):  # a day alone is meant to its end
            found += timedelta(hours=23, minutes=59, seconds=59)
        return found if found.tzinfo else found.replace(tzinfo=self.timezone)

    def shown(self, at: datetime) -> str:
        """Return a time as people of the course read it."""
        return at.astimezone(self.timezone).strftime("%Y-%m-%d %H:%M")


def choose(attempts: Sequence[Attempt], deadline: DeadlineSettings | None, extension: datetime | None) -> list[Attempt]:
    """Return the attempts that count, the oldest first: the last one, or those of which the best is to be found."""
    ordered = sorted(attempts, key=lambda attempt: (attempt.at, attempt.path.name))
    counting = ordered[-1:]
    if deadline is not None:
        in_time = [attempt for attempt in ordered if attempt.at <= _closing(deadline, extension)]
        if deadline.resubmit_until or deadline.counts == "last-in-time":  # late, only a first attempt is taken
            counting = in_time[-1:] or ordered[:1]
        if deadline.counts == "best":
            counting = in_time[-deadline.attempts :] or counting
    return counting


def _grace(deadline: DeadlineSettings, extension: datetime | None) -> datetime:
    """Return the last moment at which a student is in time."""
    return max(deadline.due, extension or deadline.due) + timedelta(minutes=deadline.grace_minutes)


def _closing(deadline: DeadlineSettings, extension: datetime | None) -> datetime:
    return max(_grace(deadline, extension), deadline.resubmission or deadline.due)


def days_late(
    attempt: Attempt, attempts: Sequence[Attempt], deadline: DeadlineSettings, extension: datetime | None
) -> float:
    """Return how many days late an attempt is; one of a student who was in time may come until `resubmit_until`.

    Where a platform marks what is late, the time is not known: what it has not marked is in time, and the rest is as
    late as the course says.
    """
    if attempt.late is not None:  # one with an extension may be in time: the platform knows nothing of that
        return deadline.marked_late_days if attempt.late and extension is None else 0.0
    last = _grace(deadline, extension)
    began = min((other.at for other in attempts), default=attempt.at)
    if deadline.resubmission is not None and began <= last and attempt.at <= deadline.resubmission:
        return 0.0
    return (attempt.at - max(deadline.due, extension or deadline.due)) / DAY if attempt.at > last else 0.0


def _read_time(text: str) -> datetime | None:
    """Return the time in a text: in the form of ISO, or as a platform writes it for people; None where it is none."""
    try:
        return datetime.fromisoformat(ZONE.sub(r"\1", text.removesuffix(" UTC") + "+00:00" * text.endswith(" UTC")))
    except ValueError:
        return _read_spoken_time(text.casefold())


def _read_spoken_time(text: str) -> datetime | None:
    """Return the time in a text such as `Wednesday, 10 June 2026, 2:14 PM` or `2026年6月10日 下午 2:14`."""
    clock = CLOCK.search(text)
    if clock is None:
        return None
    hour, minute, second = (int(part or 0) for part in clock.groups())
    if any(mark in text for mark in AFTERNOON + MORNING):
        hour = hour % 12 + 12 * any(mark in text for mark in AFTERNOON)
    date = text[: clock.start()] + text[clock.end() :]
    numbers = [int(number) for number in re.findall("[0-9]+", date)]
    named = [MONTHS.index(word[:3]) + 1 for word in re.findall("[a-z]+", date) if word[:3] in MONTHS]
    year = next((number for number in numbers if number > 31), 0)
    others = [*named[:1], *(number for number in numbers if number != year)]
    try:
        month, day = others
        return datetime(year, month, day, hour, minute, second)
    except ValueError:
        return None


def file_time(seconds: float) -> datetime:
    """Return the time of a file as a moment."""
    return datetime.fromtimestamp(seconds, UTC)
