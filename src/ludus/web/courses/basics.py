"""The common settings of a course as a form has them: read from its file, and written back into it. Knows no HTTP.

Everything else of the file stays as it is. An error names the field that it is about.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, NamedTuple

from pydantic import BaseModel, Field

from ludus.courses import Course
from ludus.courses.deadline import DeadlineSettings
from ludus.courses.rubric import Late, MatchRule, Rule
from ludus.errors import UserError
from ludus.messages import Message
from ludus.web.bots.submissions import FieldMissing
from ludus.web.courses.edit import Value, edited
from ludus.web.courses.files import course_of, with_deadline

Text = Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
Number = Annotated[float, Field(ge=-10_000, le=10_000, allow_inf_nan=False)]
DEADLINE_KEYS = tuple(DeadlineSettings.model_fields)


class DeadlineFields(BaseModel):
    """When submissions are due; an empty time for no deadline."""

    at: Text = ""
    zone: Text = "UTC"
    grace_minutes: Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)] = 0


class RuleFields(BaseModel):
    """A rule of the rubric."""

    rule: Text


class OpponentFields(RuleFields):
    """A rule about a match: the opponent, the games and the points."""

    opponent: Text
    games: Annotated[int, Field(ge=1, le=10_000)]
    points: Number


class LateFields(RuleFields):
    """A rule about late submissions: what each day takes away, and after how many days nothing is accepted."""

    a_day: Number = 0
    percent_a_day: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] = 0
    accepted_days: Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False)] | None = None


class Basics(BaseModel):
    """The common settings of a course."""

    title: Annotated[str, Field(min_length=1, max_length=120, pattern=r"\S")]
    clock: Text
    deadline: DeadlineFields = DeadlineFields()
    opponents: Annotated[list[OpponentFields], Field(max_length=100)] = []
    late: Annotated[list[LateFields], Field(max_length=20)] = []


def basics_of(title: str, toml: str, deadline: datetime | None) -> Basics:
    """Return the common settings of a course."""
    course = with_deadline(toml, deadline)
    due = course.deadline
    return Basics.model_construct(
        title=title,
        clock=course.clock,
        deadline=DeadlineFields.model_construct(
            at=due.due.astimezone(due.timezone).strftime("%Y-%m-%dT%H:%M") if due.at else "",
            zone=due.zone,
            grace_minutes=due.grace_minutes,
        ),
        opponents=[_opponent(rule) for rule in course.rules if isinstance(rule.settings, MatchRule)],
        late=[_late(rule) for rule in course.rules if isinstance(rule.settings, Late)],
    )


def _opponent(rule: Rule) -> OpponentFields:
    assert isinstance(rule.settings, MatchRule)
    of = rule.settings
    return OpponentFields.model_construct(rule=rule.name, opponent=of.opponent, games=of.games, points=of.points)


def _late(rule: Rule) -> LateFields:
    assert isinstance(rule.settings, Late)
    days = rule.settings.accepted_days
    values = rule.settings.model_dump(include={"a_day", "percent_a_day"})
    return LateFields.model_construct(rule=rule.name, accepted_days=None if days == float("inf") else days, **values)


class _Change(NamedTuple):
    """Values of one table that belong to one field of the form."""

    field: str
    label: Message
    table: tuple[str, ...]
    values: dict[str, Value]


def with_basics(toml: str, deadline: datetime | None, wanted: Basics) -> str:
    """Return the text of a course file with other common settings; raise FieldMissing that names the field."""
    course = with_deadline(toml, deadline)
    for change in _changes(course, basics_of(wanted.title, toml, deadline), wanted):
        try:
            toml = edited(toml, change.table, change.values)
            course_of(toml)
        except UserError as error:
            inner = error.message.params.get("problem")
            problem = inner if isinstance(inner, Message) else error.message
            raise FieldMissing(change.field, Message("courses.in_field", field=change.label, problem=problem)) from None
    return toml


def _changes(course: Course, now: Basics, wanted: Basics) -> Iterator[_Change]:
    """Yield what differs, one field after the other."""
    if wanted.title != course.title:
        yield _Change("title", Message("courses.field.title"), (), {"title": wanted.title})
    if wanted.clock != now.clock:
        yield _Change("clock", Message("courses.field.clock"), (), {"clock": wanted.clock.strip()})
    if wanted.deadline != now.deadline:
        fields = wanted.deadline
        values: dict[str, Value] = dict.fromkeys(DEADLINE_KEYS, None)
        if fields.at:
            values = {"at": fields.at.replace("T", " "), "zone": fields.zone, "grace_minutes": fields.grace_minutes}
        yield _Change("at", Message("courses.field.deadline"), ("deadline",), values)
    rules = {rule.name for rule in course.rules}
    before: list[RuleFields] = [*now.opponents, *now.late]
    after: list[RuleFields] = [*wanted.opponents, *wanted.late]
    lines = {one.rule: one for one in before}
    for one in after:
        if one.rule not in rules:
            raise UserError("courses.no_rule", course=course.name, rule=repr(one.rule), rules=sorted(rules))
        old = lines.get(one.rule)
        if type(old) is not type(one):
            raise UserError("courses.other_kind_of_rule", rule=one.rule)
        for key, value in one:
            if value != getattr(old, key):
                label = Message(f"courses.field.{key}", rule=one.rule)
                yield _Change(f"{one.rule}.{key}", label, ("rubric", one.rule), {key: value})
