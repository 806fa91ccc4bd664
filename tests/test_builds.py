"""Builds: what is gathered from one, which failures are kept, and how the folder of builds is kept small."""

from __future__ import annotations

import time

import pytest

from ludus import sandbox
from ludus.errors import Fault


def seconds_for(megabytes: int) -> float:
    """Give the CPU time that it takes to send so much to a program, and to gather as much from it."""
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
