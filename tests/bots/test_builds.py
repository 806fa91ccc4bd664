"""Builds: what is gathered from one, which failures are kept, and how the folder of builds is kept small."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from bots import processes_with
from patience import until

from ludus import sandbox
from ludus.bots import Bot, read_bot
from ludus.bots import build as builder
from ludus.bots.build import build, prune, store
from ludus.errors import Fault
from ludus.messages import render


def seconds_for(megabytes: int) -> float:
    """Return the CPU time that it takes to send so much to a program, and to gather as much from it."""
    best = float("inf")
    for _ in range(3):
        script = f"head -c {megabytes << 20} >/dev/null; head -c {megabytes << 20} /dev/zero"
        with sandbox.start(("/bin/sh", "-c", script), trusted=True) as process:
            began = time.process_time()
            process.send(bytes(megabytes << 20))
            assert len(process.rest(600.0, 256 << 20)) == megabytes << 20
            best = min(best, time.process_time() - began)
    return best


def test_what_a_build_takes_and_leaves_costs_no_more_than_its_size() -> None:
    """Eight times as much is eight times the work; it was sixty times and more."""
    small, large = seconds_for(4), seconds_for(32)
    assert large < 25 * max(small, 0.004)


def test_a_build_that_writes_without_end_ends_in_time() -> None:
    """The clock runs while output is read, not only while it is waited for."""
    with sandbox.start(("/bin/sh", "-c", "yes"), trusted=True) as process:
        with pytest.raises(Fault) as ended:
            process.rest(0.05, 4 << 30)
        assert ended.value.kind == "timeout"


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "cache"))


def bot_with(folder: Path, command: str, **files: str) -> Bot:
    """Write a bot with a build command of its own."""
    folder.mkdir()
    (folder / "bot.toml").write_text(f"build = {json.dumps(command)}\nrun = 'true'\n")
    for name, text in {"main_py": "", **files}.items():
        (folder / name.replace("_", ".")).write_text(text)
    return read_bot(folder)


def failed(bot: Bot) -> builder.BuildFailed:
    with pytest.raises(builder.BuildFailed) as caught:
        build(bot)
    assert caught.value.kind == "build-failed"
    return caught.value


def kept() -> list[str]:
    """List what is in the folder of builds."""
    return sorted(path.name for path in store().iterdir())


def test_what_the_compiler_said_is_kept(tmp_path: Path) -> None:
    bot = bot_with(tmp_path / "b", "echo $(date +%N) error: no such thing >&2; exit 1")
    first = failed(bot)
    assert "error: no such thing" in first.log and first.message.code == "bots.build_failed"
    assert render(first.message, "zh").startswith("編譯器的訊息（原文）："), (
        "that it is not ours is said in the reader's language"
    )
    assert failed(bot).log == first.log, "it was not built again"
    assert kept() == [bot.content]


def test_ones_own_bot_is_built_in_a_folder_with_a_blank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my files").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "my files"))
    built = build(bot_with(tmp_path / "b", "echo made > it"), trusted=True)
    assert (built.folder / "it").read_text() == "made\n"


def test_a_process_that_finds_every_build_removes_what_a_killed_one_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = bot_with(tmp_path / "b", "true")
    build(bot)
    (store() / "making-it" / "build").mkdir(parents=True)
    (tmp_path / "another").symlink_to(tmp_path / "cache")
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "another"))  # as another process: it has not been here yet
    build(bot)
    assert kept() == [bot.content]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("kill -KILL $$", "Killed"),
        ("kill -INT $$", "the build failed"),
        (
            "sh -c 'kill -KILL $$'; echo 'g++: fatal error: Killed signal terminated program cc1plus' >&2; exit 1",
            "Killed",
        ),
        ("no-such-compiler main.c", "not found"),
        ("sleep 100", "the build used too much time, memory or disk: it did not end within 1 s"),
        ("seq 3000 | xargs touch", "the result of the build cannot be used: the build left more than 2000 files"),
    ],
    ids=["killed", "interrupted", "a part killed", "no compiler", "too long", "too many files"],
)
def test_what_was_killed_or_took_too_much_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, says: str
) -> None:
    monkeypatch.setattr(builder, "BUILD_SECONDS", 1.0)
    bot = bot_with(tmp_path / "b", command)
    assert says in failed(bot).sentence
    assert kept() == [], "nothing is kept, and nothing is left"


def test_a_build_that_takes_too_much_is_not_tried_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tournament would wait for it in every game."""
    monkeypatch.setattr(builder, "BUILD_SECONDS", 0.3)
    bot = bot_with(tmp_path / "b", "sleep 200")
    begun: list[str] = []
    start = sandbox.start

    def counted(*given: Any, **more: Any) -> sandbox.Process:
        begun.append("")
        return start(*given, **more)

    monkeypatch.setattr(sandbox, "start", counted)
    for _ in range(6):
        assert "it did not end within" in failed(bot).sentence
    assert len(begun) == builder.MOST_TRIES


BUILDING = """
import sys, pathlib
from ludus.bots import read_bot
from ludus.bots.build import build
pathlib.Path(sys.argv[2]).touch()
build(read_bot(sys.argv[1]))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_build_whose_process_ends_leaves_no_verdict(tmp_path: Path, how: signal.Signals) -> None:
    """Ctrl-C reaches the compiler as well, in the order that it likes: nothing of that is the bot's fault."""
    bot = bot_with(tmp_path / "b", "if [ -e slow ]; then sleep 30; fi; echo built > built", slow="")
    begun = tmp_path / "begun"
    command = [sys.executable, "-c", BUILDING, str(tmp_path / "b"), str(begun)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    until(lambda: store().exists() and any(name.startswith("making-") for name in kept()))
    os.killpg(process.pid, how)
    process.wait(60)
    assert bot.content not in kept()
    until(lambda: not processes_with(str(begun)))
    old = time.time() - 7200
    for name in kept():
        os.utime(store() / name, (old, old))
    (tmp_path / "b" / "slow").unlink()
    other = read_bot(tmp_path / "b")
    assert (build(other).folder / "built").read_text() == "built\n"
    assert kept() == [other.content], "what the killed process left is gone"


def aged(bot: Bot, days: float) -> None:
    """Let a build be unused for some days."""
    used = time.time() - days * 24 * 3600
    os.utime(store() / bot.content, (used, used))


def some_builds(tmp_path: Path, count: int, megabytes: int = 0) -> list[Bot]:
    """Make builds, the first used last of all."""
    bots = [
        bot_with(tmp_path / f"b{one}", f"head -c {megabytes}M /dev/zero > data; echo {one}") for one in range(count)
    ]
    for days, bot in enumerate(bots):
        build(bot)
        aged(bot, days)
    return bots


def test_builds_that_nobody_uses_go_by_age(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two, three = some_builds(tmp_path, 3)
    aged(three, 91)
    new = bot_with(tmp_path / "new", "true")
    build(new)
    assert kept() == sorted(bot.content for bot in (one, two, new))
    monkeypatch.setenv("LUDUS_CACHE_DAYS", "0")
    aged(one, 0.5)
    build(bot_with(tmp_path / "newer", "true; true"))
    assert one.content not in kept() and two.content not in kept()


def test_the_longest_unused_go_until_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bots = some_builds(tmp_path, 4, megabytes=2)
    monkeypatch.setenv("LUDUS_CACHE_MB", "7")
    build(bots[3])  # the oldest is used again, and so is not the next to go
    new = bot_with(tmp_path / "new", "head -c 2M /dev/zero > data")
    build(new)
    assert kept() == sorted(bot.content for bot in (bots[0], bots[3], new))
    monkeypatch.setenv("LUDUS_CACHE_MB", "lots")
    with pytest.raises(ValueError, match="LUDUS_CACHE_MB must be a whole number, not 'lots'"):
        prune()


def test_a_build_in_use_stays_even_where_there_is_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = some_builds(tmp_path, 2, megabytes=2)
    held = build(one)
    monkeypatch.setenv("LUDUS_CACHE_MB", "0")
    aged(one, 1000)
    prune()
    assert kept() == [one.content] and held.folder.exists()
    again = build(two)
    assert kept() == sorted((one.content, two.content)) and again.folder.exists()
    del held
    prune()
    assert kept() == [two.content]


HOLDING = """
import sys
from ludus.bots import read_bot
from ludus.bots.build import build
built = build(read_bot(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_build_that_another_process_uses_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (bot,) = some_builds(tmp_path, 1)
    command = [sys.executable, "-c", HOLDING, str(tmp_path / "b0")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        monkeypatch.setenv("LUDUS_CACHE_MB", "0")
        prune()
        assert kept() == [bot.content]
        other.kill()
        other.wait()
    prune()
    assert kept() == []


def test_builds_and_their_removal_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has a build can use it, though others remove what they can all the time."""
    bots = [bot_with(tmp_path / f"b{one}", "true", main_py=f"# {one}") for one in range(3)]
    monkeypatch.setenv("LUDUS_CACHE_MB", "0")
    over = threading.Event()

    def removing() -> None:
        while not over.is_set():
            if store().exists():
                prune()

    def using(bot: Bot) -> int:
        whole = 0
        for _ in range(8):
            built = build(bot, trusted=True)
            whole += (built.folder / "main.py").exists() and (built.folder.parent / "log").exists()
        return whole

    with ThreadPoolExecutor() as threads:
        remover = threads.submit(removing)
        try:
            assert list(threads.map(using, bots * 2)) == [8] * 6
        finally:
            over.set()
        remover.result()
