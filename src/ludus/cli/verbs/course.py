"""`ludus course`: make a course folder, try a bot as a student, and grade a whole class."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludus.cli.arguments import cluster_option, jobs_option, json_option, weak_option, with_options
from ludus.cli.verbs import Verb, VerbGroup
from ludus.courses.columns import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable

SECTION = "Teach"
SUMMARY = "grade a whole course from its submissions"
EXTRA = "courses"
EXAMPLES = """
ludus course list
ludus course init nthu-chain-reaction spring             make a folder to edit
ludus course try nthu-chain-reaction student.h           before you hand it in
ludus course try nthu-chain-reaction student.h --pdf grade.pdf
ludus course grade nthu-chain-reaction submissions --out results
ludus course grade spring/course.toml spring/submissions --out results
ludus course autograder spring/course.toml autograder.zip   for Gradescope
"""
GRADE_EXAMPLES = """
ludus course grade nycu-cantris submissions --out results --late late.csv --entered entered.csv
ludus course grade nycu-cantris download.zip --out results --roster Grades.csv --times Grades.csv
ludus course grade nycu-cantris submissions --out results --only 309515003 --reason "the machine was busy"
ludus course grade nycu-cantris submissions --out results --override 309515003 runs 30 --reason "ran in the lab"
ludus course grade nycu-cantris submissions --out results --withdraw-override 309515003 runs --reason "a mistake"
"""


@click.group(cls=VerbGroup, examples=EXAMPLES)
def course() -> None:
    """Grade a course: from a folder of submissions to points with reasons.

    A course is a preset (ludus course list), or a course.toml made from one (ludus course init).
    """


@course.command(cls=Verb, name="list", short_help="list the presets", action="course.list_presets")
def list_presets() -> None:
    """List the courses that come with Ludus."""


@course.command(cls=Verb, short_help="make a course folder to edit", action="course.init")
@click.argument("preset", metavar="PRESET")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
def init() -> None:
    """Copy PRESET into DIR to edit: course.toml, tables to fill in, a folder for submissions, a README."""


def path_option(name: str, text: str, metavar: str = "FILE", **kind: Any) -> Callable[..., Any]:
    """Return the option for a file or a folder."""
    return click.option(f"--{name}", metavar=metavar, type=click.Path(path_type=Path, **kind), help=text)


TABLES = {
    "roster": "The students of the course",
    "extensions": "Students with a later deadline",
    "times": "When submissions came",
    "late": "How many days late students are",
    "entered": "Points that you give by hand",
    "programs": "Which file is the program",
    "parts": "Each member's part of the team's points",
}


def table_option(name: str) -> Callable[..., Any]:
    """Return the option for a table that belongs to a course."""
    text = f"{TABLES[name]}: columns {', '.join(COLUMNS[name])}.  [default: {name}.csv beside course.toml]"
    return path_option(name, text, "FILE.csv", exists=True, dir_okay=False)


course_argument = click.argument("preset", metavar="PRESET|course.toml")
playing_options = with_options(jobs_option, json_option)
"""The options of what plays a course's games."""


@course.command(cls=Verb, name="try", short_help="try a bot against the fixed opponents", action="course.dry_run")
@course_argument
@click.argument("bot", metavar="BOT", type=click.Path(exists=True, path_type=Path))
@path_option("pdf", "Also write the student's PDF report.", dir_okay=False)
@path_option("results", "Write the results.json that Gradescope reads.", dir_okay=False)
@path_option(
    "metadata",
    "Gradescope's submission_metadata.json: whose it is, and when it came.",
    exists=True,
    dir_okay=False,
)
@playing_options
def dry_run() -> None:
    """Build and check BOT, play it against the fixed opponents, and show the points it would get.

    Exit status 1 if there are problems to fix. Games that were played before are not played again.
    """


@course.command(cls=Verb, examples=GRADE_EXAMPLES, short_help="grade a folder of submissions", action="course.grade")
@course_argument
@click.argument("submissions", metavar="SUBMISSIONS", type=click.Path(path_type=Path))
@click.option(
    "--out",
    metavar="DIR",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for the grades.",
)
@with_options(*map(table_option, COLUMNS))
@path_option(
    "base",
    "Code that the course gave out: it does not count when programs are compared.  [default: base beside course.toml]",
    "DIR|FILE",
    exists=True,
)
@click.option(
    "--platform",
    type=click.Choice(["moodle", "canvas", "gradescope"]),
    help="The platform that SUBMISSIONS was downloaded from; detected unless given.",
)
@click.option("--only", metavar="ID", multiple=True, help="Play all games of this student again.")
@click.option(
    "--override",
    metavar="ID RULE POINTS",
    nargs=3,
    type=(str, str, float),
    multiple=True,
    help="Set the points of a rule by hand.",
)
@click.option(
    "--withdraw-override", metavar="ID RULE", nargs=2, multiple=True, help="Undo --override; the log keeps both."
)
@click.option("--reason", default="", help="The reason for --override, --withdraw-override or --only, for the log.")
@click.option("--no-pdf", is_flag=True, help="Write no PDF reports.")
@click.option("--anonymous", is_flag=True, help="Also write standings with code names, which you can publish.")
@cluster_option
@weak_option
@playing_options
def grade() -> None:
    """Grade SUBMISSIONS: a folder with a zip, a folder or a source file for each student, or a zip of all of them.

    A download of Moodle, Canvas or Gradescope works as it is. Ludus builds and checks the bots, plays matches and
    tournaments, and writes grades with reasons to DIR. Run the same command again to continue where it stopped, or to
    play only what has changed.
    """


@course.command(cls=Verb, short_help="make the zip that Gradescope runs", action="course.autograder")
@course_argument
@click.argument("target", metavar="OUT.zip", type=click.Path(dir_okay=False, path_type=Path))
@path_option("source", "The wheel or sdist of Ludus to install there.  [default: made from this checkout]")
def autograder() -> None:
    """Write the autograder of PRESET for Gradescope: each submission is tried as by `ludus course try`.

    Tournaments need all submissions: grade those with `ludus course grade` and a download of Gradescope.
    """
