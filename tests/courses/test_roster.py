"""The roster: who is meant by what a submission says, teams, and tables as spreadsheets write them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from ludus.courses.attempts import Attempt, entrants
from ludus.courses.roster import Person, Roster, read_roster

PEOPLE = [
    Person("106001", "王小明", "ming@x.tw"),
    Person("106002", "Ada King", "ada@x.tw", "red"),
    Person("106003", "Bo Li", "bo@x.tw", "red", number="771"),
    Person("106004", "Bo Li"),
]
AT = datetime(2026, 6, 1, tzinfo=UTC)


def handed(*people: Person, file: str = "x.py", day: int = 1) -> Attempt:
    return Attempt(Path(file), people, AT.replace(day=day), file)


@pytest.mark.parametrize(
    ("claimed", "ids"),
    [
        (Person("106001"), ["106001"]),
        (Person("１０６００１"), ["106001"]),
        (Person("Red"), ["106002", "106003"]),
        (Person("106001_106004"), ["106001", "106004"]),
        (Person("5", email="ADA@x.tw"), ["106002"]),
        (Person("771", number="771"), ["106003"]),
        (Person("5", "kingada"), ["106002"]),
        (Person("5", "106001 王小明"), ["106001"]),
        (Person("小明", "王 小明"), ["106001"]),
        (Person("5", "Bo Li"), []),  # two have this name
        (Person("10600"), []),
        (Person("106001_9"), []),
        (Person("---"), []),
    ],
)
def test_who_is_meant(claimed: Person, ids: list[str]) -> None:
    assert [person.id for person in Roster(PEOPLE).find(claimed)] == ids


def test_everyone_on_the_roster_takes_part_and_others_are_a_question() -> None:
    attempts = [handed(Person("106003")), handed(Person("106O01"), file="b.py"), handed(Person("zzz"), file="c.py")]
    found = {entrant.id: entrant for entrant in entrants(attempts, Roster(PEOPLE))}
    assert set(found) == {"106001", "red", "106004", "106O01", "zzz"}
    assert [person.id for person in found["red"].members] == ["106002", "106003"]
    assert found["red"].attempts == (attempts[0],) and found["red"].question is None
    assert found["106001"].attempts == () and found["106001"].question is None
    assert str(found["106O01"].question) == "not on the roster: 106O01 (closest: 106001 王小明)"
    assert str(found["zzz"].question) == "not on the roster: zzz"


def test_a_submission_of_two_ids_is_a_team_without_a_roster_too() -> None:
    ann, bob, cyd = Person("1"), Person("2"), Person("3")
    (one,) = entrants([handed(ann, bob), handed(bob, ann, file="again.py", day=2)], None)
    assert (one.id, len(one.attempts)) == ("1_2", 2)
    (other,) = entrants([handed(ann, bob), handed(bob, cyd, file="again.py")], None)
    assert other.id == "1_2_3" and "different teams" in str(other.question)


@pytest.mark.parametrize(
    "data",
    [
        "id,name,team,email\n106001,王小明,紅,a@x.tw\n".encode(),
        "\ufeffE-Mail,ID,Team,Name\na@x.tw,106001,紅,王小明\n".encode(),
        "姓名,學號,組別,信箱\r\n王小明,106001,紅,a@x.tw\r\n".encode("cp950"),
        "姓名;學號;組別;電子郵件\n王小明; 106001 ;紅;a@x.tw\n\n".encode(),
        "Student ID\tName\tGROUP\tEmail address\tnote\n106001\t王小明\t紅\ta@x.tw\tx\n".encode(),
    ],
)
def test_a_roster_as_people_save_it(data: bytes) -> None:
    assert read_roster(data, "roster.csv").people == (Person("106001", "王小明", "a@x.tw", "紅"),)


CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Bot (4711)
,,,,,Manual Posting
    Points Possible,,,,,100
"Wang, Ming",771,106001,ming,CS1,9
"Li, Bo",772,,bo,CS1,
"Student, Test",773,,9f8e7d,CS1,
"""
MOODLE = """Identifier,"Full name",Status,Grade
"Participant 771","Ming Wang",Submitted,
"""
GRADESCOPE = """First Name,Last Name,SID,Email,Role,Sections
Ming,Wang,106001,ming@x.tw,Student,
Ann,Other,,ann@x.tw,Instructor,
Tim,Other,,tim@x.tw,TA,
"""


@pytest.mark.parametrize(
    ("table", "people"),
    [
        (CANVAS, [Person("106001", "Wang, Ming", number="771"), Person("bo", "Li, Bo", number="772")]),
        (MOODLE, [Person("771", "Ming Wang", number="771")]),
        (GRADESCOPE, [Person("106001", "Ming Wang", "ming@x.tw")]),
    ],
    ids=["canvas", "moodle", "gradescope"],
)
def test_a_table_of_a_platform_is_a_roster(table: str, people: list[Person]) -> None:
    assert list(read_roster(table.encode(), "roster.csv").people) == people


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"name\nAnn\n", "roster.csv, line 1: the column id is missing"),
        (b"id,name\n1,Ann\n,Bob\n", "roster.csv, line 3: Bob has no ID"),
        (b"id\nA1\nB2\na1\n", "roster.csv, line 4: the ID a1 is there twice"),
        (b"id\n", "roster.csv: there is nobody on the roster"),
        (b"", "roster.csv, line 1: the column id is missing"),
        (b"id,team\n1,2\n2,2\n", "roster.csv: 2 is the name of a team and the ID of a student"),
        (b"id,name\n1,\xff\xff\n", "roster.csv, line 2: this is neither UTF-8 nor Big5"),
        (b'id,name\n1,"' + b"x" * 200_000 + b'"\n', "this is not a CSV table"),
    ],
)
def test_a_wrong_roster_is_one_sentence(data: bytes, says: str) -> None:
    with pytest.raises(ValueError) as caught:
        read_roster(data, "roster.csv")
    assert says in str(caught.value)
