"""What the tests share: every built-in game, its reference, and options and positions at random."""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cohorts
import postgres
import pytest
from cohorts import GradedClass
from hypothesis import settings
from playwright.sync_api import Browser
from web import Served, Visitors, chromium, serving

import ludus
from ludus.game import Choice, Game, Number
from ludus.store.accounts import Accounts

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two workers of the test runner share two cores

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Run in the background, the tests would hand this on to the programs that they interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("ci", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("ci")

GAMES = Path(ludus.__file__).parent / "games"


def folder(name: str) -> Path:
    return GAMES / name.replace("-", "_")


def reference(name: str, text: str, options: Any) -> Any:
    module = importlib.import_module(f"ludus.games.{name.replace('-', '_')}.reference")
    return module.Reference.parse(text, **options)


def random_options(name: str, chooser: random.Random) -> dict[str, int | str]:
    """Options at random: sometimes none, often small boards, so that games end soon and rules meet."""
    if chooser.random() < 0.2:
        return {}
    chosen: dict[str, int | str] = {}
    for option, kind in ludus.game(name).option_types.items():
        match kind:
            case Number(low=low, high=high):
                chosen[option] = min(chooser.randint(low, high), chooser.randint(low, high))
            case Choice(choices=choices):
                chosen[option] = chooser.choice(choices)
    return chosen


def some_game(name: str, chooser: random.Random) -> Game:
    """Return a game with options at random, or the usual one where they do not go together."""
    try:
        return ludus.game(name, **random_options(name, chooser))
    except ValueError:
        return ludus.game(name)


@pytest.fixture(params=ludus.games(), scope="module")
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Return the event loop of tests that are coroutines."""
    return "asyncio"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the place of a database of the web arena."""
    return tmp_path_factory.mktemp("web") / "arena.db"


@pytest.fixture(scope="module")
def served(database: Path) -> Iterator[Served]:
    """Return a server of the web arena."""
    with serving(database) as server:
        yield server


@pytest.fixture(scope="module")
def accounts(database: Path, served: Served) -> Iterator[Accounts]:  # noqa: ARG001 - the server makes the tables
    """Return the accounts of that server."""
    with contextlib.closing(Accounts(database)) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a browser; not for longer than a module, since its event loop stands in the way of `asyncio.run`."""
    with chromium() as started:
        yield started


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Visitors]:
    """Return a way to open pages as different people."""
    visitors = Visitors(browser, served)
    yield visitors
    visitors.leave()


@pytest.fixture(params=["sqlite", "postgresql"], scope="module")
def shared_database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path | str:
    """Return the place of an empty database of each kind, for a module."""
    return tmp_path_factory.mktemp("store") / "arena.db" if request.param == "sqlite" else postgres.new_database()


@pytest.fixture(params=["sqlite", "postgresql"])
def any_database(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Return the place of an empty database of each kind, for a test."""
    return tmp_path / "arena.db" if request.param == "sqlite" else postgres.new_database()


@pytest.fixture(scope="session", autouse=True)
def _postgres_ends() -> Iterator[None]:
    yield
    postgres.RUNNING.close()


@pytest.fixture(scope="session")
def of_this_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all workers of the test runner share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session", autouse=True)
def bot_cache(of_this_run: Path) -> Iterator[None]:
    """Keep the builds of bots in a folder of this run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDUS_CACHE", str(of_this_run / "cache"))
        patch.setenv("LUDUS_WEAK_SANDBOX", "1")  # the tests' bots are ours, on machines without control groups too
        yield


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build bots and find their scripts again, in a folder of this test."""
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="session")
def chain(of_this_run: Path) -> GradedClass:
    """Return a graded class of Chain Reaction; tests that grade it again work on a copy of its results."""
    home = of_this_run / "chain"
    home.mkdir(exist_ok=True)
    submissions, out = home / "submissions", home / "out"
    with (home / "lock").open("w") as lock:  # the first worker grades it for all
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not out.exists():
            changes = ((r"^games = 20", "games = 2"), (r"10/move", "cpu:0.3/move"))
            course = cohorts.small(home / "course", "nthu-chain-reaction", *changes)
            (course.parent / "entered.csv").write_text(
                "id,rule,points,reason\n106062130,report,8.5,清楚\n106000099,report,1,\n"
            )
            (course.parent / "late.csv").write_text("id,days\n106000003,0.5\n")
            cohorts.hand_in(submissions, cohorts.CHAIN)
            cohorts.graded(course, submissions, out)
    return GradedClass(home / "course" / "course.toml", submissions, out, cohorts.students_of(out))
