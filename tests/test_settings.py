"""Settings files: whatever is wrong with one is a single sentence that names the place."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from pydantic import Field, field_validator, model_validator

from ludus.errors import UserError
from ludus.messages import render
from ludus.settings import Settings, read_settings


class Limits(Settings):
    memory_mb: int = Field(default=512, ge=1, le=4096)


class Group(Settings):
    take: Literal["sum", "highest"] = "sum"


class Course(Settings):
    game: str
    seed: int | None = None
    points: float = 0.0
    sizes: list[int] = Field(default_factory=list)
    limits: Limits = Limits()
    groups: dict[str, Group] = Field(default_factory=dict)
    options: dict[str, int | str] = Field(default_factory=dict)

    @field_validator("game")
    @classmethod
    def known(cls, game: str) -> str:
        if game == "chess":
            raise UserError("faults.memory")
        return game

    @model_validator(mode="after")
    def odd(self) -> Course:
        if self.seed == 13:
            raise ValueError("13 is an odd seed")
        return self


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({}, "c.toml: game is missing; it must be text"),
        (
            {"gme": "go"},
            "c.toml: there is no key 'gme'; the keys are game, seed, points, sizes, limits, groups, options",
        ),
        ({"game": 3}, "c.toml: game must be text, not 3"),
        ({"seed": True}, "c.toml: seed must be a whole number, not True"),
        ({"points": "many"}, "c.toml: points must be a number, not 'many'"),
        ({"points": float("inf")}, "c.toml: points must be a number, not inf"),
        ({"sizes": 3}, "c.toml: sizes must be a list where each item is a whole number, not 3"),
        ({"sizes": [3, "x"]}, "c.toml: sizes must be a list where each item is a whole number, not 'x'"),
        ({"limits": 3}, "c.toml: limits must be a table, not 3"),
        ({"limits": {"memory": 3}}, "c.toml, [limits]: there is no key 'memory'; the keys are memory_mb"),
        ({"limits": {"memory_mb": 0}}, "c.toml, [limits]: memory_mb must be at least 1, not 0"),
        ({"limits": {"memory_mb": 5000}}, "c.toml, [limits]: memory_mb must be at most 4096, not 5000"),
        ({"groups": {"stage": 4}}, "c.toml: groups.stage must be a table, not 4"),
        (
            {"groups": {"stage": {"take": "all"}}},
            "c.toml, groups.stage: take must be one of sum, highest, not 'all'",
        ),
        ({"options": {"rows": 1.5}}, "c.toml: options.rows must be a whole number or text, not 1.5"),
        ({"game": "chess"}, "c.toml: game: it used more memory than allowed"),
        ({"seed": 13}, "c.toml: 13 is an odd seed"),
    ],
)
def test_what_is_wrong_is_one_sentence_with_its_place(data: dict[str, Any], says: str) -> None:
    given = data if not data or "gme" in data else {"game": "go", **data}
    with pytest.raises(UserError) as caught:
        read_settings(Course, given, "c.toml")
    assert str(caught.value) == says
    assert render(caught.value.message, "zh-Hant").startswith("c.toml")
    assert render(caught.value.message, "zh-Hant") != says


def test_what_is_right_is_read() -> None:
    course = read_settings(Course, {"game": "go", "points": 2, "limits": {"memory_mb": 64}}, "c.toml")
    assert (course.points, course.limits.memory_mb, course.sizes) == (2.0, 64, [])
    with pytest.raises(UserError, match=r"c.toml: this must be a table, not 7"):
        read_settings(Course, 7, "c.toml")
