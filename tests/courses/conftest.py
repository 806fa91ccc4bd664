"""What the tests of courses share: a cache of builds, and a class that was graded once."""

from __future__ import annotations

from collections.abc import Iterator

import cohorts
import pytest
from cohorts import GradedClass, graded, hand_in, small


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDUS_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def chain(tmp_path_factory: pytest.TempPathFactory) -> GradedClass:
    """A class of Chain Reaction; tests that grade it again work on a copy of its results."""
    home = tmp_path_factory.mktemp("chain")
    changes = ((r"^games = 20", "games = 2"), (r"10/move", "cpu:0.3/move"))
    course = small(home / "course", "nthu-chain-reaction", *changes)
    (home / "course" / "entered.csv").write_text(
        "id,rule,points,reason\n106062130,report,8.5,清楚\n106000099,report,1,\n"
    )
    (home / "course" / "late.csv").write_text("id,days\n106000003,0.5\n")
    submissions = hand_in(home / "submissions", cohorts.CHAIN)
    return GradedClass(course, submissions, home / "out", graded(course, submissions, home / "out"))
