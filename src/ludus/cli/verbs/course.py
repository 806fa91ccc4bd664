"""`ludus course`: a folder to begin with, a student's dry run, and the grades of a whole class."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludus.cli.arguments import json_option
from ludus.cli.output import echo, styled
from ludus.cli.verbs import Verb
from ludus.cli.verbs.report import check_place
from ludus.files import read_text

if TYPE_CHECKING:
    from rich.table import Table

    from ludus.courses import Course
    from ludus.courses.grade import GradedCourse, GradingOptions
    from ludus.courses.view import CourseView, StudentView

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
SHOWN = 40


class Verbs(Verb, click.Group):
    """A verb that has verbs of its own."""


@click.group(cls=Verbs, examples=EXAMPLES)
def course() -> None:
    """Grade a course: from a folder of submissions to points that explain themselves.

    A course is a preset (ludus course list), or a course.toml made from one (ludus course init).
    """


@course.command(cls=Verb, name="list", short_help="the presets")
def list_presets() -> None:
    """List the courses that come with Ludus."""
    from ludus.courses import find_course, presets  # noqa: PLC0415 - the help page does without

    for name in presets():
        found = find_course(name)
        echo(f"{name:<26}{found.title}: {found.game}, {found.clock}, {found.most:g} points")


@course.command(cls=Verb, short_help="make a course folder to edit")
@click.argument("preset", metavar="PRESET")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
def init(*, preset: str, folder: Path) -> None:
    """Copy PRESET into DIR to edit: course.toml, tables to fill in, a folder for submissions, a README."""
    from ludus.courses import find_course  # noqa: PLC0415
    from ludus.courses.folder import make_folder  # noqa: PLC0415

    make_folder(find_course(preset), folder)
    echo(f"{folder / 'course.toml'} is written. Edit it; {folder / 'README.md'} says what comes next.")


jobs_option = click.option("--jobs", type=click.IntRange(1), help="Games at a time; one per core unless given.")


@course.command(cls=Verb, name="try", short_help="a student's dry run against the fixed opponents")
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
def dry_run(*, preset: str, bot: Path, pdf: Path | None, jobs: int | None, as_json: bool) -> int:
    """Try BOT as the course would: build, check, and every match against a fixed opponent, by the same rubric.

    Exit status 1 if there is something to fix. What was played before is not played again.
    """
    from ludus.bots.build import store  # noqa: PLC0415
    from ludus.courses import find_course  # noqa: PLC0415
    from ludus.courses.grade import GradingOptions  # noqa: PLC0415

    found = find_course(preset)
    if pdf is not None:
        check_place(pdf, source=False)
    place = store().parent / "courses" / found.name
    options = GradingOptions(tournaments=False, by_student=True)
    graded, view = run(found.without_pdf(), [bot], place, options, jobs)
    (student,) = view.students
    if as_json:
        echo(json.dumps(student.model_dump(mode="json"), ensure_ascii=False))
    else:
        show_try(view, student, check_words(graded, bot), bot, place)
    if pdf is not None:
        write_try_pdf(graded, student, place / "games", pdf)
    return 0 if student.check is not None and student.check.passed else 1


@course.command(cls=Verb, examples=GRADE_EXAMPLES, short_help="grade a folder of submissions")
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
def grade(**given: Any) -> int:
    """Grade SUBMISSIONS: a folder with a zip, a folder or a source file for each student.

    Builds, checks, plays matches and tournaments, and writes grades with reasons to DIR. Interrupted or run again, it
    goes on where it stopped, and plays only what has changed.
    """
    from ludus.courses import find_course  # noqa: PLC0415
    from ludus.courses.grade import GradingOptions, Override, Withdrawal  # noqa: PLC0415
    from ludus.courses.submissions import find_submissions  # noqa: PLC0415
    from ludus.courses.tables import read_entered, read_late  # noqa: PLC0415

    found = find_course(given["preset"])
    late, entered = given["late"] or beside(found, "late"), given["entered"] or beside(found, "entered")
    options = GradingOptions(
        late=read_late(read_text(late), str(late), found) if late else {},
        entered=read_entered(read_text(entered), str(entered), found) if entered else {},
        overrides=tuple(Override(*override) for override in given["override"]),
        withdrawals=tuple(Withdrawal(*withdrawal) for withdrawal in given["withdraw_override"]),
        only=given["only"],
        reason=given["reason"],
    )
    wanted = found.without_pdf() if given["no_pdf"] else found
    graded, view = run(wanted, find_submissions(given["submissions"]), given["out"], options, given["jobs"])
    if given["as_json"]:
        echo(json.dumps(view.json_data, ensure_ascii=False))
    else:
        show_grades(graded, view, given["out"])
    return 0


def beside(found: Course, name: str) -> Path | None:
    """Return a table beside a course file of one's own, where there is one."""
    from ludus.courses import PRESETS  # noqa: PLC0415

    if found.path is None or found.path.parent == PRESETS:
        return None
    path = found.path.parent / f"{name}.csv"
    return path if path.exists() else None


def run(
    found: Course, paths: list[Path], out: Path, options: GradingOptions, jobs: int | None
) -> tuple[GradedCourse, CourseView]:
    """Grade, write everything, and show the progress."""
    from rich.text import Text  # noqa: PLC0415 - the help page does without

    from ludus.cli.live import Watch  # noqa: PLC0415
    from ludus.courses.grade import grade as grade_all  # noqa: PLC0415
    from ludus.courses.output import write_all  # noqa: PLC0415
    from ludus.tournament.pools import local  # noqa: PLC0415

    pool = local(jobs)
    done: dict[str, tuple[int, int]] = {}
    watch = Watch()

    def progress(step: str, part: int, whole: int) -> None:
        done[step] = part, whole
        lines = [f"{name:<24}{a} of {b}" for name, (a, b) in done.items()]
        watch.show(lambda: Text("\n".join([found.title, *lines])), lambda: f"{step}: {part} of {whole}")

    try:
        with watch:
            graded = grade_all(found, paths, out, pool, options, progress)
            view = write_all(graded, out, progress, pool.size)
    except KeyboardInterrupt:  # printed when the table of progress is closed, which would cover it
        echo("Stopped; the same command goes on from here.", err=True)
        raise
    finally:
        pool.close()
    return graded, view


def rules_table(student: StudentView, title: str) -> Table:
    """Return a student's points as a table."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(title=title, title_justify="left")
    table.add_column("")
    table.add_column("rule")
    table.add_column("points", justify="right")
    table.add_column("why")
    for rule in student.rules:
        mark = Text("…", "dim") if rule.open else Text("✓", "green") if rule.full else Text("✗", "red")
        table.add_row(mark, Text(rule.title), f"{rule.points:g} of {rule.most:g}", Text(rule.reason))
    for limit in student.limits:
        table.add_row("", Text(limit.title), f"{limit.points:g}", Text(limit.reason))
    table.add_row("", Text("total", "bold"), f"{student.total:g}", "", end_section=True)
    return table


def check_words(graded: GradedCourse, bot: Path) -> str:
    """Return the command that checks the bot of a dry run."""
    from ludus.check import check_command  # noqa: PLC0415

    (one,) = graded.graded
    return check_command(str(bot), graded.course.game, one.student.protocol or None)


def show_try(view: CourseView, student: StudentView, command: str, bot: Path, place: Path) -> None:
    """Print a dry run: what was earned, what is missing, and how to reproduce it."""
    from ludus.cli.console import SafeConsole  # noqa: PLC0415

    SafeConsole().print(rules_table(student, f"{view.title}: {bot.name}"))
    if student.trouble:
        styled(f"It cannot play: {student.trouble}", fg="red")
        echo(f"  reproduce  {command}")
    if student.failed:
        styled(f"It does not play: {student.failed}", fg="red")
    for finding in student.check.findings if student.check else ():
        echo(f"{'✗' if finding.verdict == 'reject' else '!'} {finding.text}")
        if finding.command:
            echo(f"  reproduce  {finding.command}")
    for remark in student.findings:
        echo(f"! {remark}")
    for rule in student.rules:
        lost = [game for game in rule.games if game.points < 1]
        if rule.points < rule.most and lost:
            record = shlex.quote(str(place / "games" / lost[0].file))
            echo(f"{rule.title}: a game to look at\n  replay     ludus replay {record}")
    if student.verdict is not None:
        echo(f"\nCheck: {student.verdict}")
    open_rules = [rule.title for rule in student.rules if rule.open]
    sure = f"{student.total:g} of {view.most:g} points"
    echo(f"{sure} so far" + (f"; still open: {', '.join(open_rules)}." if open_rules else "."))


def write_try_pdf(graded: GradedCourse, student: StudentView, games: Path, pdf: Path) -> None:
    """Write the PDF of a dry run: the one that the student would get, with links to where the games are."""
    from ludus.courses.pdf import student_report  # noqa: PLC0415
    from ludus.reports import make_pdf  # noqa: PLC0415

    (one,) = graded.graded
    report = student_report(graded, one, student, games=games.resolve().as_uri())
    for note in make_pdf(report, pdf, graded.course.report.language):
        echo(f"ludus: {note}", err=True)
    echo(f"{pdf} is written.", err=True)


def show_grades(graded: GradedCourse, view: CourseView, out: Path) -> None:
    """Print the standings."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from ludus.cli.console import SafeConsole  # noqa: PLC0415

    table = Table(title=view.title, title_justify="left")
    for heading in ("", "student", "points"):
        table.add_column(heading, justify="left" if heading == "student" else "right", no_wrap=True)
    table.add_column("remarks")
    for place, student in enumerate(view.students[:SHOWN], 1):
        aside = f"{student.handed_in} counts, not {', '.join(student.set_aside)}" if student.set_aside else ""
        remarks = "; ".join(str(part) for part in (student.summary, aside) if part)
        table.add_row(f"{place}.", Text(student.title), f"{student.total:g}", Text(remarks))
    SafeConsole().print(table)
    for note in view.notes:
        echo(note)
    if view.alike:
        echo(f"{len(view.alike)} pairs of programs are similar; {out / 'similarity.csv'} names them. Look at both.")
    echo(f"{view.games} games, {graded.played} of them played now. Open {out / 'index.html'}")


COMMAND = course
