"""Clocks: durations and limits come from one that nobody sets; setting the other changes no order, deletes nothing."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

import ludus
from ludus import moments
from ludus.bots.source import File
from ludus.formats.ladder import MOST_WAITS
from ludus.rating.challenge_ladder import ChallengeLadder, LadderEntry, Meeting
from ludus.store import accounts as accounts_module
from ludus.store import backup as backup_module
from ludus.store import bots as bots_module
from ludus.store import challenges as challenges_module
from ludus.store import jobs as jobs_module
from ludus.store import open_database
from ludus.store.accounts import Accounts
from ludus.store.backup import PauseRow, PauseWatch
from ludus.store.bots import BotStore
from ludus.store.challenges import ChallengeGame, Challenges
from ludus.store.jobs import Job, JobStore

SOURCE = Path(ludus.__file__).parent
WALL_CLOCK = {"time.time", "time.time_ns", "time.localtime", "time.strftime", "datetime.now", "datetime.utcnow"}
PEOPLE_READ_IT = {
    "moments.py": "what the others are made from",
    "bots/build.py": "the cache of builds is ordered by the times of its files; at worst something is built again",
    "bots/console/__init__.py": "a doubtful result is kept for a while, by its file's time; at worst it is tried again",
    "cli/verbs/backup.py": "the name of a file",
    "reports/__init__.py": "the date on a page",
    "store/__init__.py": "when a tournament was made, a game played, a note written; they are ordered by number",
    "store/accounts.py": "when something was done, and when a session expires",
    "store/backup.py": "when a backup was made; and a pause, which is only compared with itself",
    "store/bots.py": "when a bot was made; so many versions a day",
    "store/challenges.py": "when a challenge was made",
    "store/courses.py": "when something was handed in, for a deadline in the calendar",
    "store/jobs.py": "when a job was changed",
    "store/tournaments.py": "when a tournament was made",
    "store/person_ratings.py": "so many rated games a day between the same two",
    "web/bots/service.py": "so many challenges a day; whether something was made a minute ago",
    "courses/download.py": "a date in the future is nobody's",
    "sandbox/rules.py": "old copies are removed by the times of their folders; at worst one is made again",
    "store/invitations.py": "when an invitation was made, and when it expires",
    "web/jobs/kinds/challenge.py": "when two have met",
}
"""Where real time may be read, and what for."""


def readings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{node.value.id}.{node.attr}"


def test_real_time_is_read_only_for_what_people_read() -> None:
    """Whatever measures, waits, limits or orders uses time.monotonic, or ludus.moments where it is stored."""
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if not {"starters", "shims", "stand_ins"} & set(path.parts) and WALL_CLOCK & set(readings(path))
    }
    assert found == set(PEOPLE_READ_IT)


Jump = Callable[[timedelta], None]
YEARS = timedelta(days=3650)


@pytest.fixture
def jump(monkeypatch: pytest.MonkeyPatch) -> Jump:
    """Return a way to set the clock of the machine."""
    moved = timedelta()

    class Set(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Any:
            return datetime.now(tz) + moved

    for module in (moments, accounts_module, backup_module, bots_module, challenges_module, jobs_module):
        if hasattr(module, "datetime"):
            monkeypatch.setattr(module, "datetime", Set)

    def set_clock(by: timedelta) -> None:
        nonlocal moved
        moved = by

    return set_clock


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "arena.db"


def passed(bots: BotStore, owner: int, name: str) -> int:
    bot = bots.add(owner, "cantris", name)
    bots.add_version(bot.id, {"main.py": File(name.encode())}, "lines", "python")
    bots.change_version(bot.id, 1, state="passed")
    return bot.id


def meet(challenges: Challenges, challenger: int, defender: int) -> None:
    both = ((challenger, 1), (f"bot:{defender}", 1))
    made = challenges.add("cantris", *both, rated=True, pairs=1, clock="3/move")
    how = {"match": "m" * 12, "reason": "rules", "fault": "", "moves": 2, "used_challenger": 0, "used_defender": 0}
    challenges.add_game(made.id, ChallengeGame(board=0, seats=0, points=1.0, margin=0, **how), ("", ""))
    challenges.finish(made.id, {})


def test_the_ladder_is_the_same_whatever_was_done_to_the_clock(database: Path, jump: Jump) -> None:
    with contextlib.closing(BotStore(database)) as bots, contextlib.closing(Challenges(database)) as challenges:
        numbers = []
        for owner, by in enumerate((timedelta(), -YEARS, YEARS, timedelta(days=-2))):
            jump(by)
            numbers.append(passed(bots, owner, f"Bot {owner}"))
            bots.enter(numbers[-1])
        assert [entry.name for entry in challenges.entries("cantris")] == [f"bot:{number}" for number in numbers]
        for (one, other), by in zip(
            ((1, 0), (2, 1), (3, 2), (0, 3)), (YEARS, -YEARS, timedelta(), -YEARS), strict=True
        ):
            jump(by)
            meet(challenges, numbers[one], numbers[other])
        met = [(one.challenger, one.defender) for one in challenges.meetings("cantris")]
    order = ((1, 0), (2, 1), (3, 2), (0, 3))
    assert met == [(f"bot:{numbers[one]}", f"bot:{numbers[other]}") for one, other in order]


def test_nobody_waits_for_a_clock_that_was_set_back() -> None:
    now = datetime.now(UTC)
    entries = [LadderEntry("bot:1", 1, 1), LadderEntry("bot:2", 2, 1)]

    def why_not(at: datetime) -> object:
        meeting = Meeting("bot:2", 1, "bot:1", 1, at, [(0, 0.0)])
        return ChallengeLadder({}, entries, [meeting]).why_not("bot:2", "bot:1", now)

    assert why_not(now) is not None
    assert why_not(now - timedelta(hours=MOST_WAITS)) is None
    assert why_not(now + YEARS) is None


def test_a_days_limit_does_not_last_for_years(database: Path, jump: Jump, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots_module, "MOST_VERSIONS_A_DAY", 2)
    with contextlib.closing(BotStore(database)) as bots:
        bot = bots.add(1, "cantris", "Mine").id

        def add(text: bytes) -> None:
            bots.add_version(bot, {"main.py": File(text)}, "lines", "python")

        jump(YEARS)
        add(b"1")
        add(b"2")
        with pytest.raises(ValueError, match="per day"):
            add(b"3")
        jump(timedelta())
        add(b"3")


def test_a_clock_that_goes_ahead_signs_nobody_out_for_good(database: Path, jump: Jump) -> None:
    with contextlib.closing(Accounts(database)) as accounts:
        ada, bob = (accounts.add(name, "correct horse") for name in ("ada", "bob"))
        secret = accounts.sign_in(ada)
        jump(YEARS)
        accounts.sign_in(bob)
        jump(timedelta())
        assert accounts.of_session(secret) == ada


def test_what_is_old_is_old_by_both_clocks(jump: Jump) -> None:
    before = moments.steady()
    jump(YEARS)
    assert before <= moments.earliest() <= moments.steady() < before + timedelta(hours=1)
    jump(-YEARS)
    assert moments.earliest() < before - timedelta(days=1)
    assert moments.after(before) > before


def test_jobs_start_again_in_the_order_in_which_they_were_asked_for(database: Path, jump: Jump) -> None:
    with contextlib.closing(JobStore(database)) as jobs:
        for name, by in (("one", YEARS), ("two", timedelta()), ("three", -YEARS)):
            jump(by)
            jobs.save(Job(name, "check", {}, None))
        assert [job.id for job in jobs.unfinished()] == ["one", "two", "three"]


def test_a_pause_lasts_by_a_clock_that_nobody_sets(database: Path, jump: Jump, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = open_database(database)
    watch = PauseWatch(engine)
    assert not watch.paused()
    with Session(engine) as session, session.begin():
        session.add(PauseRow(id=1, until=datetime.now(UTC) - YEARS))
    assert watch.paused(), "the process that restores has another time than we have"
    jump(YEARS)
    assert watch.paused()
    monkeypatch.setattr(backup_module, "PAUSE_SECONDS", 0)
    assert not watch.paused(), "that process has died"
    monkeypatch.undo()
    with Session(engine) as session, session.begin():
        session.execute(sa.update(PauseRow).values(until=datetime.now(UTC)))
    assert watch.paused(), "another one"
    with Session(engine) as session, session.begin():
        session.execute(sa.delete(PauseRow))
    assert not watch.paused()
    engine.dispose()
