"""Courses: what an instructor settles before the first submission comes in, read from one commented TOML file.

A preset is such a file in the folder `presets`; `ludus course init` copies one to edit. Reads and checks, and grades
nothing: `intake` takes submissions in, `evidence` plays, `rubric` gives points, `grade` does one after the other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.bots.languages import language
from ludus.courses.rubric import KINDS, Rule
from ludus.courses.schema import Key, at_least, one_of, read_table
from ludus.files import read_text, read_toml
from ludus.formats import schedule
from ludus.game import game, games
from ludus.play.clock import Clock
from ludus.players import HUMAN, player
from ludus.protocols import protocol
from ludus.sandbox import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

PRESETS = Path(__file__).parent / "presets"
MOST_GAMES = 1000
TRIAL_FIELD = [f"entry {number}" for number in range(64)]
"""Who a tournament's options are tried on before anybody is entered."""


class Contest(NamedTuple):
    """A tournament of all submissions."""

    name: str
    format: str
    pairs: int
    games: int | None
    ties: str
    options: Mapping[str, int | str]


class Group(NamedTuple):
    """Rules whose points count together: their sum, or only the highest; within bounds where they are given."""

    name: str
    take: str
    least: float
    most: float


@dataclass(frozen=True)
class Course:
    """A course as its file says it."""

    name: str
    title: str
    game: str
    options: Mapping[str, int | str]
    boards: tuple[Mapping[str, int | str], ...]
    clock: str
    seed: int
    opening_plies: int
    pondering: bool
    """Whether programs may think in the opponent's turn; they are paused otherwise."""
    ids: tuple[str, ...]
    protocols: tuple[str, ...]
    languages: tuple[str, ...]
    programs: tuple[str, ...]
    limits: Mapping[str, int]
    contests: Mapping[str, Contest]
    groups: Mapping[str, Group]
    rules: tuple[Rule, ...]
    pdf: bool
    language: str
    """Of the papers."""
    path: Path

    @property
    def most(self) -> float:
        """The points that can be had."""
        total = sum(max(rule.points, 0.0) for rule in self.rules if rule.group is None)
        for name, group in self.groups.items():
            points = [max(rule.points, 0.0) for rule in self.rules if rule.group == name]
            total += min(group.most, sum(points) if group.take == "sum" else max(points, default=0.0))
        return total

    def bounds(self, rule: Rule) -> tuple[float, float]:
        """Return the least and the most points that a rule can give."""
        if rule.kind == "late" or rule.settings.get("each") == "game":  # as much as there was to lose
            return 0.0 - self.most, 0.0
        return min(rule.points, 0.0), max(rule.points, 0.0)

    def check_points(self, rule_name: str, points: float) -> None:
        """Refuse points that a rule cannot give."""
        rule = self.rule(rule_name)
        least, most = self.bounds(rule)
        if not least <= points <= most:
            raise ValueError(f"{points:g} points for {rule.name}: the rule gives from {least:g} to {most:g}")

    def rule(self, name: str) -> Rule:
        """Give the rule of a name."""
        for rule in self.rules:
            if rule.name == name:
                return rule
        raise ValueError(f"{self.name} has no rule {name!r}; its rules are {', '.join(r.name for r in self.rules)}")


def presets() -> tuple[str, ...]:
    """Give the names of the courses that come with Ludus."""
    return tuple(sorted(path.stem for path in PRESETS.glob("*.toml")))


def find_course(text: str) -> Course:
    """Read a course: a preset by its name, a course file, or a folder with one."""
    if text in presets():
        return read_course(PRESETS / f"{text}.toml")
    path = Path(text)
    if path.is_dir():
        path /= "course.toml"
    if not path.is_file():
        raise ValueError(f"there is no course {text!r}; the presets are {', '.join(presets())}, or give a course.toml")
    return read_course(path)


def _compiles(patterns: Any) -> None:
    for pattern in patterns:
        try:
            named = re.compile(pattern).groupindex
        except re.error as error:
            raise ValueError(f"{pattern!r} is no pattern: {error}") from None
        if "id" not in named:
            raise ValueError(f"{pattern!r} does not say which part is the student's id; write it as (?P<id>...)")


def _each(check: Any) -> Any:
    return lambda values: [check(value) for value in values] and None


TOP = {
    "name": Key(str, ""),
    "title": Key(str, ""),
    "game": Key(str),
    "options": Key(dict, {}),
    "boards": Key(dict, {}),
    "clock": Key(str, check=Clock.parse),
    "seed": Key(int, 0),
    "opening_plies": Key(int, 4, at_least(0)),
    "pondering": Key(bool, False),
    "submission": Key(dict, {}),
    "limits": Key(dict, {}),
    "tournaments": Key(dict, {}),
    "groups": Key(dict, {}),
    "rubric": Key(dict, {}),
    "report": Key(dict, {}),
}
SUBMISSION = {
    "ids": Key(list, ["(?P<id>.+)"], _compiles),
    "protocols": Key(list, [], _each(protocol)),
    "languages": Key(list, [], _each(language)),
    "programs": Key(list, []),
}
LIMITS = {name: Key(int, getattr(Limits(), name), at_least(1)) for name in ("memory_mb", "processes", "disk_mb")}
CONTEST = {
    "format": Key(str, "round-robin"),
    "pairs": Key(int, 1, at_least(1)),
    "games": Key(int, 0, at_least(0)),
    "ties": Key(str, "draw", one_of("draw", "time")),
    "options": Key(dict, {}),
}
GROUP = {
    "take": Key(str, "sum", one_of("sum", "highest")),
    "least": Key(float, float("-inf")),
    "most": Key(float, float("inf")),
}
REPORT = {"pdf": Key(bool, True), "language": Key(str, "en", one_of("en", "zh"))}
COMMON = {"kind": Key(str), "points": Key(float, 0.0), "title": Key(str, ""), "group": Key(str, "")}


def read_course(path: Path | str) -> Course:
    """Read a course file; every fault is one sentence with its place."""
    path = Path(path)
    given = read_toml(read_text(path), str(path))
    place = str(path)
    top = read_table(given, TOP, place)
    if top["game"] not in games():
        raise ValueError(f"{place}: there is no game {top['game']!r}; the games are {', '.join(games())}")
    boards = tuple(_table(more, f"{place}, boards.{name}") for name, more in top["boards"].items())
    submission = read_table(top["submission"], SUBMISSION, f"{place}, [submission]")
    if submission["programs"] and len(submission["programs"]) != len(boards):
        raise ValueError(f"{place}, [submission]: programs names a file for each of the {len(boards)} boards, or none")
    course = Course(
        name=top["name"] or path.stem,
        title=top["title"] or top["name"] or path.stem,
        game=top["game"],
        options=top["options"],
        boards=boards,
        clock=top["clock"],
        seed=top["seed"],
        opening_plies=top["opening_plies"],
        pondering=top["pondering"],
        ids=tuple(submission["ids"]),
        protocols=tuple(submission["protocols"]),
        languages=tuple(submission["languages"]),
        programs=tuple(submission["programs"]),
        limits=read_table(top["limits"], LIMITS, f"{place}, [limits]"),
        contests=_contests(top["tournaments"], place),
        groups={
            name: Group(name, **read_table(_table(group, place), GROUP, f"{place}, groups.{name}"))
            for name, group in top["groups"].items()
        },
        rules=tuple(_rule(name, rule, f"{place}, rubric.{name}") for name, rule in top["rubric"].items()),
        **read_table(top["report"], REPORT, f"{place}, [report]"),
        path=path,
    )
    _check(course, place)
    return course


def _table(given: Any, place: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise ValueError(f"{place}: this must be a table, not {given!r}")
    return given


def _contests(given: Mapping[str, Any], place: str) -> dict[str, Contest]:
    found = {}
    for name, table in given.items():
        where = f"{place}, tournaments.{name}"
        settled = read_table(_table(table, where), CONTEST, where)
        if settled["games"]:
            settled["pairs"] = (settled["games"] + 1) // 2
        try:
            schedule(settled["format"], TRIAL_FIELD, **settled["options"])
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        settled["games"] = settled["games"] or None
        found[name] = Contest(name, **settled)
    return found


def _rule(name: str, given: Any, place: str) -> Rule:
    table = _table(given, place)
    kind = KINDS.get(str(table.get("kind")))
    if kind is None:
        raise ValueError(f"{place}: there is no kind {table.get('kind')!r}; the kinds are {', '.join(KINDS)}")
    settled = read_table(table, {**COMMON, **kind.keys}, place)
    common = {key: settled.pop(key) for key in COMMON}
    return Rule(name, common["title"] or name, kind.name, common["points"], common["group"] or None, settled)


def _check(course: Course, place: str) -> None:
    """Check what hangs together."""
    try:
        made = [game(course.game, **{**course.options, **more}) for more in course.boards or ({},)]
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
    for rule in course.rules:
        where = f"{place}, rubric.{rule.name}"
        if rule.group is not None and rule.group not in course.groups:
            raise ValueError(f"{where}: there is no [groups.{rule.group}]; add it, or take the group away")
        contest = rule.settings.get("tournament")
        if contest is not None and contest not in course.contests:
            raise ValueError(f"{where}: there is no [tournaments.{contest}]; add it")
        for other in rule.settings.get("of", ()):
            if other not in [one.name for one in course.rules]:
                raise ValueError(f"{where}: of names {other!r}, which is no rule of this rubric")
        if "opponent" in rule.settings:
            try:
                for one in made:
                    player(rule.settings["opponent"], one)
                check_repeatable(rule.settings["opponent"])
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from None


def check_repeatable(text: str) -> None:
    """Refuse an opponent that plays otherwise on a slow machine, or on another day: grades must not hang on that."""
    name, _, words = text.partition(":")
    options = dict(word.partition("=")[::2] for word in words.split(",") if word)
    if name == HUMAN:
        raise ValueError("a person cannot be an opponent for grades")
    if name in ("random", "randomMove", "mcts") and "seed" not in options:
        raise ValueError(f"opponent {text} plays by chance; give it a seed, as in {name}:seed=1")
    if name == "engine":
        bound = {"nodes", "depth"} & options.keys() or {"level", "seed"} <= options.keys()
        if "seconds" in options or "threads" in options or not bound:
            raise ValueError(
                f"opponent {text} plays by time; bound it by nodes or depth, as in engine:nodes=20000, "
                "so that a slow machine does not change who passes"
            )
