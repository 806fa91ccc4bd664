"""Clock texts, and what is left on a clock."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.play.clock import Clock


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("3/move", Clock(per_move=3.0)),
        ("0.05/move", Clock(per_move=0.05)),
        ("300", Clock(bank=300.0)),
        ("60+1", Clock(bank=60.0, increment=1.0)),
        ("0.5+0.25", Clock(bank=0.5, increment=0.25)),
        ("cpu:300", Clock(bank=300.0, cpu=True)),
        ("none", Clock()),
    ],
)
def test_every_kind_of_clock_is_read_and_written(text: str, clock: Clock) -> None:
    assert Clock.parse(text) == clock
    assert clock.text == text


@given(st.text())
def test_any_other_text_is_answered_with_the_forms(text: str) -> None:
    try:
        clock = Clock.parse(text)
    except ValueError as error:
        assert "is not a clock; write seconds per move like '3/move'" in str(error)
    else:
        assert Clock.parse(clock.text) == clock


@pytest.mark.parametrize(
    "text", ["", "0", "0/move", "-3", "3/turn", "1e9", "inf", "nan", "3+", "+1", "cpu:", "٣", "3 "]
)
def test_near_misses(text: str) -> None:
    with pytest.raises(ValueError, match="is not a clock"):
        Clock.parse(text)


def test_a_move_may_take_just_as_long_as_the_clock_says() -> None:
    left = Clock.parse("3/move").start()
    assert left.seconds == 3.0
    assert left.after(3.0) == left
    assert left.after(3.001) is None


def test_a_bank_that_reaches_zero_is_lost() -> None:
    left = Clock.parse("10").start().after(4.0)
    assert left is not None
    assert left.seconds == 6.0
    assert left.after(6.0) is None


def test_an_increment_comes_after_the_move() -> None:
    left = Clock.parse("10+2").start().after(4.0)
    assert left is not None
    assert left.bank == 8.0
    assert left.after(9.0) is None


def test_without_a_clock_time_has_no_end() -> None:
    left = Clock.parse("none").start()
    assert left.seconds == math.inf
    assert left.after(1e9) == left
