"""Courses: what an instructor decides before the first submission comes in, read from one commented TOML file.

A preset is such a file in the folder `presets`; `ludus course init` copies one to edit. Reads and checks, and grades
nothing: `submissions` reads what was handed in, `matches` plays, `rubric` gives points, `grade` does all in order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, InstanceOf

from ludus.bots.languages import language
from ludus.courses.deadline import DeadlineSettings
from ludus.courses.rubric import KINDS, Rule, title_of
from ludus.errors import UserError, message_of
from ludus.files import read_text, read_toml
from ludus.formats import schedule
from ludus.game import Game, game, games
from ludus.messages import Message
from ludus.play.clock import Clock
from ludus.players import HUMAN, player
from ludus.protocols import protocol
from ludus.protocols.console import ConsoleScript
from ludus.sandbox import ResourceLimits
from ludus.settings import Settings, read_settings

PRESETS = Path(__file__).parent / "presets"
TRIAL_ENTRIES = [f"entry {number}" for number in range(64)]
"""Entries that the options of a tournament are tried on while the course is read."""

Options = dict[str, int | str]


def _checked(check: Callable[[Any], object]) -> AfterValidator:
    """Return a validator that lets `check` refuse a value, and keeps the value as it is."""

    def validate(value: Any) -> Any:
        check(value)
        return value

    return AfterValidator(validate)


def _id_pattern(pattern: str) -> None:
    try:
        named = re.compile(pattern).groupindex
    except re.error as error:
        raise UserError("courses.no_pattern", pattern=repr(pattern), problem=str(error)) from None
    if "id" not in named:
        raise UserError("courses.no_id_in_pattern", pattern=repr(pattern))


def _name_pattern(pattern: str) -> None:
    try:
        re.compile(pattern.replace("{id}", "id"))
    except re.error as error:
        raise UserError("courses.no_pattern", pattern=repr(pattern), problem=str(error)) from None


class SubmissionSettings(Settings):
    """What students hand in."""

    ids: list[Annotated[str, _checked(_id_pattern)]] = Field(default=["(?P<id>.+)"])
    """Patterns that find the student's ID in the name of a submission."""
    protocols: list[Annotated[str, _checked(protocol)]] = Field(default_factory=list)
    languages: list[Annotated[str, _checked(language)]] = Field(default_factory=list)
    programs: list[str] = Field(default_factory=list)
    """A file name for each board, if a submission has one program for each board."""
    names: list[Annotated[str, _checked(_name_pattern)]] = Field(default_factory=list)
    """Patterns for the name that the program's file should have, without its ending."""
    files: dict[str, str] = Field(default_factory=dict)
    """Other names that programs may use for the course's files, each with the course's own name."""
    other_files: bool = False
    """Whether programs may use any name for these files, if only one file can be meant."""
    time: Literal["seconds", "milliseconds"] = "seconds"
    """The unit of the time left, for programs that read it from a file."""


class LimitSettings(Settings):
    """What a program may use."""

    memory_mb: int = Field(default=ResourceLimits().memory_mb, ge=1)
    processes: int = Field(default=ResourceLimits().processes, ge=1)
    disk_mb: int = Field(default=ResourceLimits().disk_mb, ge=1)


class TournamentSettings(Settings):
    """A tournament of all submissions."""

    format: str = "round-robin"
    pairs: int = Field(default=1, ge=1)
    """Boards per pairing; each is played twice, with sides swapped."""
    games: int = Field(default=0, ge=0)
    """Games per pairing, in place of `pairs`; can be odd."""
    ties: Literal["draw", "time"] = "draw"
    """What equal points mean: a draw, or a win for the side with more time left."""
    options: Options = Field(default_factory=dict)

    @property
    def games_per_pairing(self) -> int:
        """How many games two entries play when they meet."""
        return self.games or 2 * self.pairs


class GroupSettings(Settings):
    """Rules whose points count together: their sum, or only the highest, within the limits `least` and `most`."""

    take: Literal["sum", "highest"] = "sum"
    least: float = float("-inf")
    most: float = float("inf")


class ReportSettings(Settings):
    """The PDF files."""

    pdf: bool = True
    language: Literal["en", "zh"] = "en"
    column: str = ""
    """What the grade is called in the gradebooks of platforms; the title of the course unless given."""


class CourseFile(Settings):
    """A course file. The keys of a rule in `[rubric]` depend on its kind."""

    name: str = ""
    title: str = ""
    game: str
    options: Options = Field(default_factory=dict)
    boards: dict[str, Options] = Field(default_factory=dict)
    """Names with options of the game, if each pairing is played on boards of several sizes."""
    clock: Annotated[str, _checked(Clock.parse)]
    seed: int = 0
    opening_plies: int = Field(default=4, ge=0)
    """How many random moves are played before a game from a fixed board."""
    pondering: bool = False
    """Whether programs may think in the opponent's turn; otherwise they are paused."""
    submission: SubmissionSettings = SubmissionSettings()
    deadline: DeadlineSettings = DeadlineSettings()
    console: ConsoleScript | None = None
    """The script of all programs for a person at a terminal; without it, each script is found by trying."""
    limits: LimitSettings = LimitSettings()
    tournaments: dict[str, TournamentSettings] = Field(default_factory=dict)
    groups: dict[str, GroupSettings] = Field(default_factory=dict)
    rubric: dict[str, Any] = Field(default_factory=dict)
    report: ReportSettings = ReportSettings()


class Course(CourseFile):
    """A course with its rubric."""

    rules: tuple[InstanceOf[Rule], ...] = ()
    path: Path | None = None
    """The file that it was read from, where there is one."""

    @property
    def board_options(self) -> tuple[Options, ...]:
        """The game's options for each board; one board without a name where the course has no [boards]."""
        return tuple({**self.options, **more} for more in self.boards.values()) or (self.options,)

    @property
    def most(self) -> float:
        """The most points that a submission can get."""
        total = sum(max(rule.points, 0.0) for rule in self.rules if not rule.group)
        for name, group in self.groups.items():
            points = [max(rule.points, 0.0) for rule in self.rules if rule.group == name]
            total += min(group.most, sum(points) if group.take == "sum" else max(points, default=0.0))
        return total

    def without_pdf(self) -> Course:
        """Return the course without PDF files."""
        return self.model_copy(update={"report": self.report.model_copy(update={"pdf": False})})

    def bounds(self, rule: Rule) -> tuple[float, float]:
        """Return the least and the most points that a rule can give."""
        if rule.settings.unbounded:  # it can take away all points that there are
            return 0.0 - self.most, 0.0
        return min(rule.points, 0.0), max(rule.points, 0.0)

    def check_points(self, rule_name: str, points: float) -> None:
        """Raise UserError for points that a rule cannot give."""
        rule = self.rule(rule_name)
        least, most = self.bounds(rule)
        if not least <= points <= most:
            raise UserError("courses.points_out_of_bounds", points=points, rule=rule.name, least=least, most=most)

    def rule(self, name: str) -> Rule:
        """Return the rule of a name."""
        for rule in self.rules:
            if rule.name == name:
                return rule
        rules = [rule.name for rule in self.rules]
        raise UserError("courses.no_rule", course=self.name, rule=repr(name), rules=rules)


def presets() -> tuple[str, ...]:
    """Return the names of the courses that come with Ludus."""
    return tuple(sorted(path.stem for path in PRESETS.glob("*.toml")))


def find_course(text: str) -> Course:
    """Return a course: a preset by its name, a course file, or a folder with one."""
    if text in presets():
        return read_course(PRESETS / f"{text}.toml")
    path = Path(text)
    if path.is_dir():
        path /= "course.toml"
    if not path.is_file():
        raise UserError("courses.no_course", course=repr(text), presets=list(presets()))
    return read_course(path)


def read_course(path: Path | str) -> Course:
    """Return the course in a file; every problem is one sentence with its place."""
    path = Path(path)
    return parse_course(read_text(path), str(path), path)


def parse_course(text: str, source: str, path: Path | None = None) -> Course:
    """Return the course in a text; `source` names the text in errors."""
    file = read_settings(CourseFile, read_toml(text, source), source)
    if file.game not in games():
        raise _at(source, Message("courses.no_game", game=repr(file.game), games=list(games())))
    name = file.name or Path(source).stem
    rules = tuple(_rule(rule, table, f"{source}, rubric.{rule}") for rule, table in file.rubric.items())
    fields = {**dict(file), "name": name, "title": file.title or name, "rules": rules, "path": path}
    course = Course.model_construct(**fields)
    _check(course, source)
    return course


def _rule(name: str, table: Any, place: str) -> Rule:
    if not isinstance(table, Mapping):
        raise UserError("settings.not_a_table", place=place, value=repr(table))
    kind = KINDS.get(str(table.get("kind")))
    if kind is None:
        raise UserError("courses.no_kind", place=place, kind=repr(table.get("kind")), kinds=list(KINDS))
    settings = read_settings(kind, table, place)
    return Rule(name, settings, title_of(settings.title or name))


def _at(place: str, problem: Message | ValueError) -> UserError:
    message = message_of(problem) if isinstance(problem, ValueError) else problem
    return UserError("settings.refused_table", place=place, problem=message)


def _check(course: Course, place: str) -> None:
    """Raise UserError where parts of a course do not fit together."""
    programs = course.submission.programs
    if programs and len(programs) != len(course.boards):
        raise _at(f"{place}, [submission]", Message("courses.programs_for_boards", boards=len(course.boards)))
    try:
        boards = [game(course.game, **options) for options in course.board_options]
    except ValueError as error:
        raise _at(place, error) from None
    for name, tournament in course.tournaments.items():
        try:
            options: dict[str, Any] = dict(tournament.options)
            schedule(tournament.format, TRIAL_ENTRIES, **options)
        except ValueError as error:
            raise _at(f"{place}, tournaments.{name}", error) from None
    for rule in course.rules:
        try:
            _check_rule(course, rule, boards)
        except ValueError as error:
            raise _at(f"{place}, rubric.{rule.name}", error) from None


def _check_rule(course: Course, rule: Rule, boards: list[Game]) -> None:
    if rule.group and rule.group not in course.groups:
        raise UserError("courses.no_group", group=rule.group)
    tournament = rule.settings.tournament_name
    if tournament is not None and tournament not in course.tournaments:
        raise UserError("courses.no_tournament", tournament=tournament)
    for other in rule.settings.depends_on:
        if other not in [one.name for one in course.rules]:
            raise UserError("courses.no_such_other_rule", rule=repr(other))
    if (match := rule.settings.match) is not None:
        for board in boards:
            player(match.opponent, board)
        check_repeatable(match.opponent)


def check_repeatable(text: str) -> None:
    """Raise UserError for an opponent that may play differently next time: grades must not depend on that."""
    name, _, words = text.partition(":")
    options = dict(word.partition("=")[::2] for word in words.split(",") if word)
    if name == HUMAN:
        raise UserError("courses.human_opponent")
    if name in ("random", "randomMove", "mcts") and "seed" not in options:
        raise UserError("courses.opponent_by_chance", opponent=text, name=name)
    if name == "engine":
        bound = {"nodes", "depth"} & options.keys() or {"level", "seed"} <= options.keys()
        if "seconds" in options or "threads" in options or not bound:
            raise UserError("courses.opponent_by_time", opponent=text)
