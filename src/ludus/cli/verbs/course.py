"""`ludus course`: a folder to begin with, a student's dry run, and the grades of a whole class."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludus.cli.arguments import json_option
from ludus.cli.output import echo, styled
from ludus.cli.verbs import Verb
from ludus.cli.verbs.report import check_place

if TYPE_CHECKING:
    from rich.table import Table

    from ludus.courses import Course
    from ludus.courses.grade import Graded, Grades, Wishes

SECTION = "For courses and scripts"
SUMMARY = "grade a whole course from its submissions"
EXAMPLES = """
ludus course list
ludus course init nthu-chain-reaction spring             a folder to edit
ludus course try nthu-chain-reaction student.h           the night before
ludus course try nthu-chain-reaction student.h --pdf paper.pdf
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


jobs_option = click.option("--jobs", type=click.IntRange(1), help="Games at a time; one a core unless given.")


@course.command(cls=Verb, name="try", short_help="a student's dry run against the fixed opponents")
@click.argument("preset", metavar="PRESET")
@click.argument("bot", metavar="BOT", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--pdf",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the paper that comes with a grade, in the course's language.",
)
@jobs_option
@json_option
def dry_run(*, preset: str, bot: Path, pdf: Path | None, jobs: int | None, as_json: bool) -> int:
    """Try BOT as the course would: build, check, and every match against a fixed opponent, by the same rubric.

    Exit status 1 if there is something to fix. What was played before is not played again.
    """
    from ludus.bots.build import store  # noqa: PLC0415
    from ludus.courses import find_course  # noqa: PLC0415
    from ludus.courses.document import checked, document  # noqa: PLC0415
    from ludus.courses.grade import Wishes  # noqa: PLC0415

    found = find_course(preset)
    if pdf is not None:
        check_place(pdf, source=False)
    place = store().parent / "courses" / found.name
    grades = run(replace(found, pdf=False), [bot], place, Wishes(contests=False, own=True), jobs)
    (one,) = grades.graded
    exam = grades.evidence.exams.get(one.student.id)
    if as_json:
        echo(json.dumps(document(grades)["students"][0], ensure_ascii=False))
    else:
        show_try(grades, one, bot, place)
    if pdf is not None:
        print_try(grades, one, place / "games", pdf)
    return 0 if exam is not None and checked(one, exam)[0].ready else 1


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
    from ludus.courses.document import document  # noqa: PLC0415
    from ludus.courses.grade import Override, Wishes, Withdrawal  # noqa: PLC0415
    from ludus.courses.intake import handed_in  # noqa: PLC0415

    found = find_course(given["preset"])
    tables = {name: given[name] or beside(found, name) for name in ("late", "entered")}
    overrides = tuple(Override(*one) for one in given["override"])
    withdrawals = tuple(Withdrawal(*one) for one in given["withdraw_override"])
    wishes = Wishes(tables["late"], tables["entered"], overrides, withdrawals, given["only"], given["reason"])
    printed = replace(found, pdf=found.pdf and not given["no_pdf"])
    grades = run(printed, handed_in(given["submissions"]), given["out"], wishes, given["jobs"])
    if given["as_json"]:
        echo(json.dumps(document(grades), ensure_ascii=False))
    else:
        show_grades(grades, given["out"])
    return 0


def beside(found: Course, name: str) -> Path | None:
    """Find a table beside a course file of one's own."""
    from ludus.courses import PRESETS  # noqa: PLC0415

    path = found.path.parent / f"{name}.csv"
    return path if found.path.parent != PRESETS and path.exists() else None


def run(found: Course, paths: list[Path], out: Path, wishes: Wishes, jobs: int | None) -> Grades:
    """Grade, write everything, and show how it goes."""
    from rich.text import Text  # noqa: PLC0415 - the help page does without

    from ludus.cli.live import Watch  # noqa: PLC0415
    from ludus.courses.grade import grade as grade_all  # noqa: PLC0415
    from ludus.courses.output import write_all  # noqa: PLC0415
    from ludus.tournament.pools import local  # noqa: PLC0415

    pool = local(jobs)
    done: dict[str, tuple[int, int]] = {}
    watch = Watch()

    def seen(stage: str, part: int, whole: int) -> None:
        done[stage] = part, whole
        lines = [f"{name:<24}{a} of {b}" for name, (a, b) in done.items()]
        watch.show(lambda: Text("\n".join([found.title, *lines])), lambda: f"{stage}: {part} of {whole}")

    try:
        with watch:
            grades = grade_all(found, paths, out, pool, wishes, seen)
            write_all(grades, out, seen, pool.size)
    except KeyboardInterrupt:  # said when the table of progress is closed, which would cover it
        echo("Stopped; the same command goes on from here.", err=True)
        raise
    finally:
        pool.close()
    return grades


def rules_table(one: Graded, title: str) -> Table:
    """Give a student's points as a table."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    made = Table(title=title, title_justify="left")
    made.add_column("")
    made.add_column("rule")
    made.add_column("points", justify="right")
    made.add_column("why")
    for award in one.awards:
        full = award.points >= award.most if award.most > 0 else award.points >= 0
        mark = Text("…", "dim") if award.open else Text("✓", "green") if full else Text("✗", "red")
        made.add_row(mark, Text(award.title), f"{award.points:g} of {award.most:g}", Text(award.reason))
    for limit in one.limits:
        made.add_row("", Text(limit.title), f"{limit.points:g}", Text(limit.reason))
    made.add_row("", Text("total", "bold"), f"{one.total:g}", "", end_section=True)
    return made


def show_try(grades: Grades, one: Graded, bot: Path, place: Path) -> None:
    """Print a dry run: what was earned, what is missing, and how to see it."""
    from ludus.check import check_command  # noqa: PLC0415
    from ludus.cli.console import SafeConsole  # noqa: PLC0415
    from ludus.courses.document import checked  # noqa: PLC0415
    from ludus.courses.rubric import points_of  # noqa: PLC0415

    student = one.student
    console = SafeConsole()
    console.print(rules_table(one, f"{grades.course.title}: {bot.name}"))
    if student.trouble:
        styled(f"It cannot play: {student.trouble}", fg="red")
        command = check_command(str(bot), grades.course.game, student.protocol or None)
        echo(f"  reproduce  {command}")
    if one.failed:
        styled(f"It does not play: {one.failed}", fg="red")
    exam = grades.evidence.exams.get(student.id)
    verdict, findings = checked(one, exam) if exam else (None, ())
    for found in findings:
        echo(f"{'✗' if found.verdict == 'reject' else '!'} {found.text}")
        if found.command:
            echo(f"  reproduce  {found.command}")
    for finding in student.remarks:
        echo(f"! {finding}")
    for award in one.awards:
        lost = [row for row in award.games if points_of(row, student.id) < 1]
        if award.points < award.most and lost:
            record = shlex.quote(str(place / "games" / lost[0]["file"]))
            echo(f"{award.title}: a game to look at\n  replay     ludus replay {record}")
    if verdict is not None:
        echo(f"\nCheck: {verdict.sentence}")
    open_rules = [award.title for award in one.awards if award.open]
    sure = f"{one.total:g} of {grades.course.most:g} points"
    echo(f"{sure} so far" + (f"; still open: {', '.join(open_rules)}." if open_rules else "."))


def print_try(grades: Grades, one: Graded, games: Path, pdf: Path) -> None:
    """Print the paper of a dry run: the one that the student would get, with links to where the games are."""
    from ludus.courses.pdf import student_report  # noqa: PLC0415
    from ludus.reports import make_pdf  # noqa: PLC0415

    for note in make_pdf(student_report(grades, one, games=games.resolve().as_uri()), pdf, grades.course.language):
        echo(f"ludus: {note}", err=True)
    echo(f"{pdf} is written.", err=True)


def show_grades(grades: Grades, out: Path) -> None:
    """Print the standings."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from ludus.cli.console import SafeConsole  # noqa: PLC0415

    made = Table(title=grades.course.title, title_justify="left")
    for heading in ("", "student", "points"):
        made.add_column(heading, justify="left" if heading == "student" else "right", no_wrap=True)
    made.add_column("remarks")
    for place, one in enumerate(grades.graded[:SHOWN], 1):
        student = one.student
        who = f"{student.id} {student.name}".strip()
        aside = f"{student.source} counts, not {', '.join(student.set_aside)}" if student.set_aside else ""
        remarks = "; ".join(part for part in (one.trouble, aside) if part)
        made.add_row(f"{place}.", Text(who), f"{one.total:g}", Text(remarks))
    SafeConsole().print(made)
    for note in grades.notes:
        echo(note)
    if grades.alike:
        echo(f"{len(grades.alike)} pairs of programs are alike; {out / 'similarity.csv'} names them. Look at both.")
    echo(f"{grades.games} games, {grades.played} of them played now. Open {out / 'index.html'}")


COMMAND = course
