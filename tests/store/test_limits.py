"""Limits of what one account may have hold however many requests come at once."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import event

from ludus.errors import UserError
from ludus.store import Store, accounts, bots, courses, invitations, studies

LIMITS = ((accounts, "TOKENS"), (bots, "BOTS"), (courses, "SUBMISSIONS"), (invitations, "INVITATIONS"))
CONTENT = studies.StudyContent("x", "cantris", "private", [])


@pytest.fixture
def adding(any_database: Path | str) -> Iterator[dict[str, tuple[Store, Callable[[int], object]]]]:
    """Return for each thing that an account has only some of: where it is stored, and how one more is added."""
    with contextlib.ExitStack() as closing:
        people = closing.enter_context(contextlib.closing(accounts.Accounts(any_database)))
        ada = people.add("Ada", "correct horse", "instructor")
        robots = closing.enter_context(contextlib.closing(bots.BotStore(any_database)))
        classes = closing.enter_context(contextlib.closing(courses.CourseStore(any_database)))
        codes = closing.enter_context(contextlib.closing(invitations.Invitations(any_database)))
        notes = closing.enter_context(contextlib.closing(studies.Studies(any_database)))
        course = classes.add(ada.id, "x", "", "code", None)
        yield {
            "token": (people, lambda n: people.add_token(ada, f"{n}", ["play"], 1)),
            "bot": (robots, lambda n: robots.add(ada.id, "cantris", f"bot {n}")),
            "submission": (classes, lambda n: classes.hand_in(course, ada.id, f"{n}.py", b"x")),
            "invitation": (codes, lambda _: codes.add(ada.id, "student", 1, 1.0)),
            "study": (notes, lambda _: notes.add(ada.id, CONTENT)),
        }


def test_two_requests_at_once_do_not_both_take_the_last_place(
    adding: dict[str, tuple[Store, Callable[[int], object]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name in (*LIMITS, (studies, "STUDIES")):
        monkeypatch.setattr(module, f"MOST_{name}", 1)
    for what, (store, add) in adding.items():
        both = threading.Barrier(2)

        def meet(*given: object, both: threading.Barrier = both) -> None:
            """Let one who has counted wait a moment for the other, who must not have counted."""
            if str(given[2]).startswith("INSERT"):
                with contextlib.suppress(threading.BrokenBarrierError):
                    both.wait(0.3)

        def added(number: int, add: Callable[[int], object] = add) -> bool:
            try:
                add(number)
            except UserError:
                return False
            return True

        event.listen(store.engine, "before_cursor_execute", meet)
        with ThreadPoolExecutor(2) as threads:
            assert sorted(threads.map(added, range(2))) == [False, True], what
        event.remove(store.engine, "before_cursor_execute", meet)
