"""The roster: who takes part, by id, name, e-mail and team; and who of them is meant by what a submission says.

Texts and people in, people out. Knows no files, no points and no platform.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from ludus.courses.columns import CANVAS_POSSIBLE, CANVAS_TEST_STUDENT, WHO, number_of, read_rows
from ludus.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SEPARATORS = re.compile(r"[_+,;&\s-]")
"""What stands between the ids of a team."""
MOST_WORDS = 6
"""Of a name, of which the family name may be the first words or the last."""
STUDENTS = ("student", "學生", "学生")
"""The roles of those who take part."""
CLOSE = 0.6
"""How much two texts must have in common, from 0 to 1, for one to be named as what may be meant."""


class Person(NamedTuple):
    """Someone who takes part, or what a submission says of who handed it in."""

    id: str
    name: str = ""
    email: str = ""
    team: str = ""
    number: str = ""
    """The number that a platform has for them, where the roster or the download says it."""
    account: str = ""
    """The name of their account in the web arena, where the roster says it."""

    @property
    def title(self) -> str:
        """The id, and the name where it is known."""
        return f"{self.id} {self.name}".strip()


def plain(text: str) -> str:
    """Return a text without capitals, width, accents of writing and all that is no letter or digit."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", text).casefold() if sign.isalnum())


def name_keys(name: str) -> set[str]:
    """Return the ways in which a name may be written without blanks: the family name first or last."""
    words = [word for word in map(plain, re.split(r"[\s,_]", name)) if word]
    return {"".join(words[start:] + words[:start]) for start in range(min(len(words), MOST_WORDS))}


class Roster:
    """All who take part."""

    def __init__(self, people: Iterable[Person]) -> None:
        self.people = tuple(people)
        self._by_id = {plain(person.id): person for person in self.people}
        self._by_email = self._unique((person.email.casefold().strip(), person) for person in self.people)
        self._by_number = self._unique((person.number, person) for person in self.people)
        self._by_name = self._unique((key, person) for person in self.people for key in name_keys(person.name))
        self._teams: dict[str, list[Person]] = {}
        for person in self.people:
            if person.team:
                self._teams.setdefault(plain(person.team), []).append(person)

    @staticmethod
    def _unique(pairs: Iterable[tuple[str, Person]]) -> dict[str, Person]:
        """Return who has a key that is nobody else's: a name that two people have says nothing."""
        found: dict[str, set[Person]] = {}
        for key, person in pairs:
            found.setdefault(key, set()).add(person)
        return {key: min(people) for key, people in found.items() if key and len(people) == 1}

    @property
    def teams(self) -> list[tuple[Person, ...]]:
        """All teams, and everyone else alone."""
        alone = [(person,) for person in self.people if not person.team]
        return [*map(tuple, self._teams.values()), *alone]

    def team(self, person: Person) -> tuple[Person, ...]:
        """Return a person's team, in the order of the roster; the person alone where there is none."""
        return tuple(self._teams.get(plain(person.team), ())) if person.team else (person,)

    def only(self, claimed: Iterable[Person]) -> Roster:
        """Return the roster of those who are meant, with their teams."""
        found = [mate for one in claimed for person in self.find(one) for mate in self.team(person)]
        return Roster(dict.fromkeys(found))

    def find(self, claimed: Person) -> tuple[Person, ...]:
        """Return who is meant: by id, team, several ids, e-mail, a platform's number or name; nobody where unclear.

        An id that is only the platform's number comes last: another student may have it as the id.
        """
        only_number = claimed.id == claimed.number
        found = () if only_number else self._by_word(claimed.id)
        if not found:
            person = self._by_email.get(claimed.email.casefold().strip()) or self._by_number.get(claimed.number)
            found = (person,) if person is not None else self._named(claimed)
        return found or (self._by_word(claimed.id) if only_number else ())

    def _by_word(self, word: str) -> tuple[Person, ...]:
        """Return whose id, or team, a word is; or all of whom it has the ids."""
        key = plain(word)
        if key in self._by_id:
            return (self._by_id[key],)
        if key in self._teams:
            return tuple(self._teams[key])
        parts = [self._by_id.get(plain(part)) for part in SEPARATORS.split(word) if part]
        known = [person for person in parts if person is not None]
        return tuple(dict.fromkeys(known)) if len(known) > 1 and len(known) == len(parts) else ()

    def _named(self, claimed: Person) -> tuple[Person, ...]:
        """Return the only person with a name, or the team with it: a group hands in under its own."""
        key = plain(claimed.id)
        keys = name_keys(claimed.name) | ({key} if key else set())
        named = {self._by_name[one] for one in keys if one in self._by_name}
        named |= {self._by_id[word] for word in map(plain, claimed.name.split()) if word in self._by_id}
        if named:
            return (named.pop(),) if len(named) == 1 else ()
        return tuple(self._teams.get(plain(claimed.name), ()))

    def closest(self, claimed: Person) -> Person | None:
        """Return who on the roster is most alike, or None where nobody is."""
        best: tuple[float, Person] | None = None
        for person in self.people:
            for said, real in ((claimed.id, person.id), (claimed.name, person.name), (claimed.email, person.email)):
                if said and real:
                    share = difflib.SequenceMatcher(None, plain(said)[:80], plain(real)[:80]).ratio()
                    if share >= CLOSE and (best is None or share > best[0]):
                        best = share, person
        return best[1] if best else None


def read_roster(data: bytes, source: str) -> Roster:
    """Return the roster in a table: an id, and perhaps more about each person; `source` names the table in errors.

    It may be a table of a platform: Canvas's gradebook, Moodle's grading worksheet, or Gradescope's roster.
    """
    people: dict[str, Person] = {}
    teams: set[str] = set()
    accounts: set[str] = set()
    optional = ("name", "first name", "last name", "team", "role", "account")
    for place, values in read_rows(data, source, (WHO,), optional):
        name = values["name"] or f"{values['first name']} {values['last name']}".strip()
        if _is_no_student(name, values):
            continue
        number = number_of(values["platform id"])
        id_ = values["id"] or values["login"] or values["email"].partition("@")[0] or number
        key = plain(id_)
        if not key:
            raise UserError("courses.roster_no_id", place=place, student=name or values["email"])
        if key in people:
            raise UserError("courses.roster_twice", place=place, student=id_)
        account = unicodedata.normalize("NFKC", values["account"]).casefold()
        if account and account in accounts:
            raise UserError("courses.roster_account_twice", place=place, account=values["account"])
        accounts.add(account)
        people[key] = Person(id_, name, values["email"], values["team"], number, values["account"])
        teams.add(plain(values["team"]))
    if not people:
        raise UserError("courses.roster_empty", source=source)
    for key, person in people.items():
        if key in teams:
            raise UserError("courses.roster_team_is_id", source=source, team=person.id)
    return Roster(people.values())


def _is_no_student(name: str, values: Mapping[str, str]) -> bool:
    """Return whether a line of a platform's table is the points possible, Canvas's test student, or a teacher."""
    if values["role"] and plain(values["role"]) not in STUDENTS:
        return True
    return name == CANVAS_POSSIBLE.strip() or (name == CANVAS_TEST_STUDENT and not values["id"])
