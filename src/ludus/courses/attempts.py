"""Attempts: what was handed in, by whom and when; put to the students and teams that they belong to.

Opens no submission and builds nothing. Who is not on the roster is a question for the instructor, and is graded.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ludus.courses.roster import Person, Roster
from ludus.messages import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from ludus.courses.deadline import DeadlineSettings


@dataclass(frozen=True)
class Attempt:
    """Something that was handed in."""

    path: Path
    people: tuple[Person, ...]
    """Who handed it in, as far as its name or the platform says; several for a team."""
    at: datetime
    """When: as the platform says, or by the time of the file."""
    file: str = ""
    """The name under which people know it."""
    late: bool | None = None
    """Whether the platform calls it late, where it says that alone and not when it came; None where the time counts."""
    misnamed: Message | None = None
    """In which way its name is not what the course prescribes."""


@dataclass(frozen=True)
class Entrant:
    """A student, or a team whose members share what they hand in."""

    id: str
    """The student's id, or the team's name."""
    members: tuple[Person, ...]
    attempts: tuple[Attempt, ...] = ()
    question: Message | None = None
    """What the instructor should look at: it is not clear whose it is."""

    @property
    def is_team(self) -> bool:
        """Whether several people share what they hand in."""
        return len(self.members) > 1


@dataclass(frozen=True)
class Term:
    """What an instructor says about who takes part and until when."""

    roster: Roster | None = None
    attempts: Mapping[Path, Attempt] = field(default_factory=dict)
    """What a platform, or the server, knows of what was handed in; file names say the rest."""
    deadline: DeadlineSettings | None = None
    extensions: Mapping[str, datetime] = field(default_factory=dict)
    """By student."""
    times: Mapping[Person, datetime] = field(default_factory=dict)
    """When submissions came, where a table says it."""

    def with_times(self, attempts: Sequence[Attempt]) -> list[Attempt]:
        """Return attempts with the times that a table has for those who made one attempt only."""
        if not self.times:
            return list(attempts)
        known = Roster(self.times)
        people = [_people(attempt, self.roster) for attempt in attempts]
        counts = Counter(own[0].id for own in people)
        found = []
        for attempt, own in zip(attempts, people, strict=True):
            meant = next((one[0] for claim in (*attempt.people, *own) if (one := known.find(claim))), None)
            alone = counts[own[0].id] == 1
            found.append(replace(attempt, at=self.times[meant], late=None) if meant and alone else attempt)
        return found

    def extension(self, entrant: Entrant) -> datetime | None:
        """Return until when a student has more time than others; a team has what the luckiest of its members has."""
        ids = (entrant.id, *(member.id for member in entrant.members))
        return max((self.extensions[id_] for id_ in ids if id_ in self.extensions), default=None)


def entrants(attempts: Iterable[Attempt], roster: Roster | None) -> list[Entrant]:
    """Return who takes part, with what each handed in: everyone on the roster, and everyone who handed in something.

    Attempts that have a person in common are those of one team.
    """
    resolved = [(attempt, _people(attempt, roster)) for attempt in attempts]
    groups = _Groups()
    for team in roster.teams if roster else ():
        groups.join(team)
    for _, people in resolved:
        groups.join(people)
    found = []
    for group in groups.all():
        ids = {person.id for person in group}
        own = tuple(attempt for attempt, of in resolved if of[0].id in ids)
        entrant = _entrant(group, own, roster)
        found.append(replace(entrant, members=tuple(_known_to_platform(one, own, roster) for one in entrant.members)))
    return sorted(found, key=lambda entrant: entrant.id)


def _known_to_platform(person: Person, attempts: Iterable[Attempt], roster: Roster | None) -> Person:
    """Return a person of the roster with the number and the e-mail that the platform has, where the roster has none."""
    for claimed in (claimed for attempt in attempts for claimed in attempt.people):
        if roster is not None and [one.id for one in roster.find(claimed)] == [person.id]:
            number, email = person.number or claimed.number, person.email or claimed.email
            return person._replace(number=number, email=email)
    return person


def _people(attempt: Attempt, roster: Roster | None) -> tuple[Person, ...]:
    """Return who handed in an attempt: those of the roster, their team mates included, and others as they are named."""
    if roster is None:
        return attempt.people
    found: list[Person] = []
    for claimed in attempt.people:
        known = roster.find(claimed)
        found += [mate for person in known for mate in roster.team(person)] or [claimed]
    return tuple(dict.fromkeys(found))


def _entrant(people: Sequence[Person], attempts: tuple[Attempt, ...], roster: Roster | None) -> Entrant:
    known = set(roster.people) if roster else set(people)
    strangers = [person for person in people if person not in known]
    question = unknown_person(strangers[0], roster) if roster is not None and strangers else None
    if len(people) == 1:
        return Entrant(people[0].id, tuple(people), attempts, question)
    teams = {person.team for person in people}
    name = teams.pop() if len(teams) == 1 else ""
    id_ = name or "_".join(person.id for person in people)
    if len({attempt.people for attempt in attempts}) > 1 and not name:
        question = question or Message("courses.teams_overlap", team=id_, files=[attempt.file for attempt in attempts])
    return Entrant(id_, tuple(person._replace(team=id_) for person in people), attempts, question)


def unknown_person(person: Person, roster: Roster) -> Message:
    """Return the question about someone who is not on the roster."""
    closest = roster.closest(person)
    if closest is None:
        return Message("courses.not_on_roster", student=person.title)
    return Message("courses.not_on_roster_closest", student=person.title, closest=closest.title)


class _Groups:
    """People who belong together, by what connects them; each is known by the id."""

    def __init__(self) -> None:
        self._group: dict[str, dict[str, Person]] = {}

    def join(self, people: Sequence[Person]) -> None:
        """Put people into one group, with all that each was in before."""
        merged: dict[str, Person] = {}
        for person in people:
            merged |= self._group.get(person.id, {person.id: person})
        for id_ in merged:
            self._group[id_] = merged

    def all(self) -> list[list[Person]]:
        """Return the groups, each once."""
        return [list(group.values()) for group in {id(group): group for group in self._group.values()}.values()]
