"""Deadlines: when something is late, in which zone, who has more time, and which attempt counts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ludus.courses import parse_course
from ludus.courses.attempts import Attempt
from ludus.courses.deadline import DeadlineSettings, choose, days_late
from ludus.courses.roster import Person
from ludus.courses.tables import read_extensions, read_parts

DUE = datetime(2026, 6, 10, 15, 59, tzinfo=UTC)
TAIPEI = DeadlineSettings(at="2026-06-10 23:59", zone="Asia/Taipei", grace_minutes=10)


def attempt(hours: float, *, late: bool | None = None) -> Attempt:
    """Return what was handed in some hours after the deadline."""
    file = f"{hours}.py"
    return Attempt(Path(file), (Person("1"),), DUE + timedelta(hours=hours), file, late)


def test_the_deadline_is_in_its_zone_and_grace_makes_nobody_late() -> None:
    assert TAIPEI.due == DUE
    assert TAIPEI.shown(DUE) == "2026-06-10 23:59"
    for hours, days in ((-1, 0), (0.1, 0), (0.2, 0.2 / 24), (24, 1), (36, 1.5)):
        one = attempt(hours)
        assert days_late(one, [one], TAIPEI, None) == pytest.approx(days)
    assert DeadlineSettings(at="2026-06-10").due == datetime(2026, 6, 10, 23, 59, 59, tzinfo=UTC)
    assert DeadlineSettings(at="2026-06-10T23:59+08:00").due == DUE


def test_an_extension_moves_the_deadline_of_one() -> None:
    until = DUE + timedelta(hours=48)
    assert days_late(attempt(47), [], TAIPEI, until) == 0
    assert days_late(attempt(60), [], TAIPEI, until) == pytest.approx(0.5)
    assert days_late(attempt(1), [], TAIPEI, DUE - timedelta(days=3)) > 0, "nobody has less time than the others"


def test_what_a_platform_marks_is_late_and_the_rest_is_not() -> None:
    assert days_late(attempt(100, late=False), [], TAIPEI, None) == 0, "its time may be that of the download"
    for hours in (-5, 36):
        assert days_late(attempt(hours, late=True), [], TAIPEI, None) == 1, "whatever the time of the file"
    longer = TAIPEI.model_copy(update={"marked_late_days": 2.5})
    assert days_late(attempt(1, late=True), [], longer, None) == 2.5
    assert days_late(attempt(1, late=True), [], TAIPEI, DUE) == 0, "the platform knows nothing of an extension"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-06-10 14:14", "2026-06-10T14:14:00+08:00"),
        ("2026-06-10", "2026-06-10T23:59:59+08:00"),
        ("2026-06-10 14:14:00 -0500", "2026-06-10T14:14:00-05:00"),
        ("2026-06-10 14:14:00 UTC", "2026-06-10T14:14:00+00:00"),
        ("Wednesday, 10 June 2026, 2:14 PM", "2026-06-10T14:14:00+08:00"),
        ("Wednesday, June 10, 2026, 12:14 AM", "2026-06-10T00:14:00+08:00"),
        ("2026年 6月 10日 星期三 下午 2:14", "2026-06-10T14:14:00+08:00"),
        ("2026/6/10 14:14", "2026-06-10T14:14:00+08:00"),
    ],
)
def test_times_as_people_and_platforms_write_them(text: str, moment: str) -> None:
    assert TAIPEI.moment(text) == datetime.fromisoformat(moment)


@pytest.mark.parametrize(
    "text", ["", "soon", "14:14", "10 June", "2026-13-40 14:14", "31 June 2026, 2:14 PM", "9" * 50]
)
def test_what_is_no_time_is_one_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="is not a time; write it as 2026-06-10 23:59"):
        TAIPEI.moment(text)


def test_which_attempt_counts() -> None:
    early, second, late, later = attempts = [attempt(-48), attempt(-1), attempt(12), attempt(60)]
    assert choose(attempts[::-1], None, None) == [later]
    assert choose(attempts, TAIPEI, None) == [later]
    in_time = TAIPEI.model_copy(update={"counts": "last-in-time"})
    assert choose(attempts, in_time, None) == [second] and choose(attempts, in_time, late.at) == [late]
    assert choose([late, later], in_time, None) == [late], "who was late gains nothing by handing in again"
    best = TAIPEI.model_copy(update={"counts": "best"})
    assert choose(attempts, best, None) == [early, second]
    assert choose(attempts, best.model_copy(update={"attempts": 1}), None) == [second]
    assert choose(attempts, best, late.at) == [early, second, late]
    assert choose([late, later], best, None) == [later]
    again = DeadlineSettings(at=TAIPEI.at, zone=TAIPEI.zone, resubmit_until="2026-06-11 23:59")
    assert choose(attempts, again, None) == [late]
    assert days_late(late, attempts, again, None) == 0, "who was in time may hand in again"
    assert days_late(late, [late], again, None) == 0.5
    assert choose([later], again, None) == [later]
    assert choose([], again, None) == []


COURSE = 'game = "cantris"\nclock = "none"\n[deadline]\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('at = "tomorrow"', "'tomorrow' is not a time; write it as 2026-06-10 23:59"),
        ('at = "2026-06-10 23:59"\nzone = "Asia/Taipeh"', "there is no time zone 'Asia/Taipeh'"),
        ('at = "2026-06-10 23:59"\nzone = "../etc"', "there is no time zone '../etc'"),
        ('zone = "UTC"', "the deadline has no time"),
        ('at = "2026-06-10"\nresubmit_until = "2026-06-09"', "is before the deadline"),
        ('at = "2026-06-10"\ncounts = "first"', "counts"),
        ('at = "2026-06-10"\ngrace = 1', "grace"),
    ],
)
def test_a_wrong_deadline_is_one_sentence(text: str, says: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_course(COURSE + text, "course.toml")
    said = str(caught.value)
    assert says in said and said.startswith("course.toml, [deadline]") and "\n" not in said


def test_tables_of_extensions_and_parts() -> None:
    found = read_extensions("學號,期限\n7,2026-06-12 12:00\n".encode(), "extensions.csv", TAIPEI)
    assert found == {"7": datetime(2026, 6, 12, 4, tzinfo=UTC)}
    assert read_parts(b"id,percent,reason\n7,80%,wrote less\n", "parts.csv")["7"] == (80.0, "wrote less")
    for read, said in (
        (lambda: read_extensions(b"id,until\n7,soon\n", "e.csv", TAIPEI), "e.csv, line 2: 'soon' is not a time"),
        (lambda: read_extensions(b"id,until\n7,2026-06-12\n", "e.csv", None), "e.csv, line 2: the course has no dead"),
        (lambda: read_parts(b"id,percent\n7,80\n8,120\n", "p.csv"), "p.csv, line 3: percent must be 0 to 100"),
        (lambda: read_parts(b"id,percent\n7,all\n", "p.csv"), "p.csv, line 2: percent must be a number, not 'all'"),
    ):
        with pytest.raises(ValueError) as caught:
            read()
        assert said in str(caught.value)
