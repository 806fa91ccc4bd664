"""The jobs of the web arena: what was asked for, how far it is, and what came of it, so that none is lost by a restart.

Knows the name and the state of a job, not what it does.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, func, select
from sqlalchemy.orm import Mapped, mapped_column

from ludus.messages import Message, stored_message
from ludus.moments import after
from ludus.store import Model, Store

WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"


class JobRow(Model):
    """A job as it stands."""

    __tablename__ = "job"
    id: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    arguments: Mapped[dict[str, Any]]
    owner: Mapped[str | None] = mapped_column(index=True)
    state: Mapped[str] = mapped_column(index=True)
    progress: Mapped[Any] = mapped_column(JSON)
    result: Mapped[Any] = mapped_column(JSON)
    error: Mapped[str | None]
    message: Mapped[Any] = mapped_column(JSON(none_as_null=True))
    """The error as data; old rows have none."""
    version: Mapped[int]
    created: Mapped[datetime]
    touched: Mapped[datetime]


@dataclass
class Job:
    """A job: what it does, for whom, and its state."""

    id: str
    kind: str
    arguments: dict[str, Any]
    owner: str | None
    state: str = WAITING
    progress: Any = None
    result: Any = None
    error: str | None = None
    """Why it failed, in English."""
    version: int = 1
    """How often it has changed."""
    message: dict[str, Any] | None = None
    """Why it failed, as data."""

    @property
    def failure(self) -> Message | None:
        """Why it failed."""
        return stored_message(self.message, self.error)

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in (DONE, FAILED, CANCELLED)


class JobStore(Store):
    """A database of jobs."""

    def save(self, job: Job) -> None:
        """Store a job."""
        now = datetime.now(UTC)
        with self.session.begin() as session:
            row = session.get(JobRow, job.id)
            if row is None:
                last = session.scalar(select(func.max(JobRow.created)))
                session.add(JobRow(**asdict(job), created=after(last), touched=now))  # they start in their order
                return
            for name, value in asdict(job).items():
                setattr(row, name, value)
            row.touched = now

    def load(self, name: str) -> Job | None:
        """Return a job by its name."""
        row = self.get(JobRow, name)
        return _job(row) if row else None

    def unfinished(self) -> list[Job]:
        """Return the jobs that wait or run, the oldest first."""
        wanted = select(JobRow).where(JobRow.state.in_((WAITING, RUNNING))).order_by(JobRow.created)
        return list(map(_job, self.rows(wanted)))


def _job(row: JobRow) -> Job:
    return Job(*(getattr(row, field.name) for field in fields(Job)))
