"""`ludus course`: a folder to begin with, a student's dry run, and the grades of a whole class."""

from __future__ import annotations

from pathlib import Path

import click

from ludus.cli.arguments import jobs_option, json_option
from ludus.cli.verbs import Verb, VerbGroup

SECTION = "For courses and scripts"
SUMMARY = "grade a whole course from its submissions"
EXAMPLES = """
ludus course list
ludus course init nthu-chain-reaction spring             a folder to edit
ludus course try nthu-chain-reaction student.h           the night before
ludus course try nthu-chain-reaction student.h --pdf grade.pdf
ludus course grade nthu-chain-reaction submissions --out results
ludus course grade spring/course.toml spring/submissions --out results
"""
GRADE_EXAMPLES = """
ludus course grade nycu-cantris submissions --out results --late late.csv --entered entered.csv
ludus course grade nycu-cantris submissions --out results --only 309515003 --reason "the machine was busy"
ludus course grade nycu-cantris submissions --out results --override 309515003 runs 30 --reason "ran in the lab"
ludus course grade nycu-cantris submissions --out results --withdraw-override 309515003 runs --reason "a mistake"
"""


@click.group(cls=VerbGroup, examples=EXAMPLES)
def course() -> None:
    """Grade a course: from a folder of submissions to points that explain themselves.

    A course is a preset (ludus course list), or a course.toml made from one (ludus course init).
    """


@course.command(cls=Verb, name="list", short_help="the presets", action="course.list_presets")
def list_presets() -> None:
    """List the courses that come with Ludus."""


@course.command(cls=Verb, short_help="make a course folder to edit", action="course.init")
@click.argument("preset", metavar="PRESET")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
def init() -> None:
    """Copy PRESET into DIR to edit: course.toml, tables to fill in, a folder for submissions, a README."""


@course.command(
    cls=Verb, name="try", short_help="a student's dry run against the fixed opponents", action="course.dry_run"
)
@click.argument("preset", metavar="PRESET")
@click.argument("bot", metavar="BOT", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--pdf",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the PDF that comes with a grade, in the course's language.",
)
@jobs_option
@json_option
def dry_run() -> None:
    """Try BOT as the course would: build, check, and every match against a fixed opponent, by the same rubric.

    Exit status 1 if there is something to fix. What was played before is not played again.
    """


@course.command(cls=Verb, examples=GRADE_EXAMPLES, short_help="grade a folder of submissions", action="course.grade")
@click.argument("preset", metavar="PRESET|course.toml")
@click.argument("submissions", metavar="SUBMISSIONS", type=click.Path(path_type=Path))
@click.option(
    "--out", metavar="DIR", required=True, type=click.Path(file_okay=False, path_type=Path), help="Where the grades go."
)
@click.option(
    "--late",
    metavar="FILE.csv",
    type=click.Path(path_type=Path),
    help="id, days, rule; beside course.toml unless given.",
)
@click.option(
    "--entered", metavar="FILE.csv", type=click.Path(path_type=Path), help="id, rule, points, reason; the same."
)
@click.option("--only", metavar="ID", multiple=True, help="Play all games of this student again.")
@click.option(
    "--override", metavar="ID RULE POINTS", nargs=3, type=(str, str, float), multiple=True, help="Set points by hand."
)
@click.option(
    "--withdraw-override",
    metavar="ID RULE",
    nargs=2,
    multiple=True,
    help="Let the rule's own points count again; the log keeps both decisions.",
)
@click.option("--reason", default="", help="Why, for --override, --withdraw-override and --only; kept in the log.")
@click.option("--no-pdf", is_flag=True, help="Leave out the PDF of each submission and of the course.")
@jobs_option
@json_option
def grade() -> None:
    """Grade SUBMISSIONS: a folder with a zip, a folder or a source file for each student.

    Builds, checks, plays matches and tournaments, and writes grades with reasons to DIR. Interrupted or run again, it
    goes on where it stopped, and plays only what has changed.
    """
