"""`ludus course`, run: a folder to begin with, a student's dry run, and the grades of a whole class."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ludus.bots.build import store
from ludus.check import check_command
from ludus.cli.actions.report import check_place, write_pdf
from ludus.cli.console import SafeConsole
from ludus.cli.live import Watch
from ludus.cli.output import echo, echo_json, rendered, styled
from ludus.courses import PRESETS, find_course, presets
from ludus.courses.folder import make_folder
from ludus.courses.grade import GradingOptions, Override, Withdrawal
from ludus.courses.grade import grade as grade_all
from ludus.courses.output import write_all
from ludus.courses.pdf import student_report
from ludus.courses.submissions import find_submissions
from ludus.courses.tables import read_entered, read_late
from ludus.files import read_text
from ludus.messages import Message, known
from ludus.tournament.pools import local

if TYPE_CHECKING:
    from pathlib import Path

    from ludus.courses import Course
    from ludus.courses.grade import GradedCourse
    from ludus.courses.view import CourseView, StudentView

SHOWN = 40


def list_presets() -> None:
    """List the courses that come with Ludus."""
    for name in presets():
        found = find_course(name)
        about = {"title": found.title, "game": found.game, "clock": found.clock, "most": found.most}
        echo(f"{name:<26}{rendered(Message('cli.course.listed', **about))}")


def init(*, preset: str, folder: Path) -> None:
    """Copy a preset into a folder to edit."""
    make_folder(find_course(preset), folder)
    echo(Message("cli.course.folder", file=folder / "course.toml", readme=folder / "README.md"))


def dry_run(*, preset: str, bot: Path, pdf: Path | None, jobs: int | None, as_json: bool) -> int:
    """Try a bot as the course would."""
    found = find_course(preset)
    if pdf is not None:
        check_place(pdf, source=False)
    place = store().parent / "courses" / found.name
    options = GradingOptions(tournaments=False, by_student=True)
    graded, view = run(found.without_pdf(), [bot], place, options, jobs)
    (student,), (one,) = view.students, graded.graded
    if as_json:
        echo_json(student.model_dump(mode="json"))
    else:
        command = check_command(str(bot), found.game, one.student.protocol or None)
        show_try(view, student, command, bot, place)
    if pdf is not None:  # the one that the student would get, with links to where the games are
        report = student_report(graded, one, student, games=(place / "games").resolve().as_uri())
        write_pdf(report, pdf, found.report.language)
    return 0 if student.check is not None and student.check.passed else 1


def grade(
    *,
    preset: str,
    submissions: Path,
    out: Path,
    late: Path | None,
    entered: Path | None,
    only: tuple[str, ...],
    override: tuple[tuple[str, str, float], ...],
    withdraw_override: tuple[tuple[str, str], ...],
    reason: str,
    no_pdf: bool,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Grade a folder of submissions."""
    found = find_course(preset)
    late, entered = late or beside(found, "late"), entered or beside(found, "entered")
    options = GradingOptions(
        late=read_late(read_text(late), str(late), found) if late else {},
        entered=read_entered(read_text(entered), str(entered), found) if entered else {},
        overrides=tuple(Override(*one) for one in override),
        withdrawals=tuple(Withdrawal(*one) for one in withdraw_override),
        only=only,
        reason=reason,
    )
    wanted = found.without_pdf() if no_pdf else found
    graded, view = run(wanted, find_submissions(submissions), out, options, jobs)
    if as_json:
        echo_json(view.json_data)
    else:
        show_grades(graded, view, out)


def beside(found: Course, name: str) -> Path | None:
    """Return a table beside a course file of one's own, where there is one."""
    if found.path is None or found.path.parent == PRESETS:
        return None
    path = found.path.parent / f"{name}.csv"
    return path if path.exists() else None


def run(
    found: Course, paths: list[Path], out: Path, options: GradingOptions, jobs: int | None
) -> tuple[GradedCourse, CourseView]:
    """Grade, write everything, and show the progress."""
    pool = local(jobs)
    lines: dict[str, Message] = {}
    watch = Watch()

    def progress(step: str, done: int, total: int) -> None:
        lines[step] = Message("cli.course.step", step=known(f"stage.{step}", step), done=done, total=total)
        watch.show(lambda: Text("\n".join([found.title, *map(rendered, lines.values())])), lambda: lines[step])

    try:
        with watch:
            graded = grade_all(found, paths, out, pool, options, progress)
            view = write_all(graded, out, progress, pool.size)
    except KeyboardInterrupt:  # printed when the table of progress is closed, which would cover it
        echo(Message("cli.course.stopped"), err=True)
        raise
    finally:
        pool.close()
    return graded, view


def rules_table(student: StudentView, title: str) -> Table:
    """Return a student's points as a table."""
    table = Table(title=title, title_justify="left")
    table.add_column("")
    table.add_column(rendered(Message("courses.page.rule")))
    table.add_column(rendered(Message("courses.page.points")), justify="right")
    table.add_column(rendered(Message("courses.page.why")))
    for rule in student.rules:
        mark = Text("…", "dim") if rule.open else Text("✓", "green") if rule.full else Text("✗", "red")
        points = rendered(Message("courses.page.of", points=rule.points, most=rule.most))
        table.add_row(mark, Text(rendered(rule.title_message)), points, Text(rendered(rule.reason_message)))
    for limit in student.limits:
        table.add_row(
            "", Text(rendered(limit.title_message)), f"{limit.points:g}", Text(rendered(limit.reason_message))
        )
    total = Text(rendered(Message("courses.page.total")), "bold")
    table.add_row("", total, f"{student.total:g}", "", end_section=True)
    return table


def show_try(view: CourseView, student: StudentView, command: str, bot: Path, place: Path) -> None:
    """Print a dry run: what was earned, what is missing, and how to reproduce it."""
    SafeConsole().print(rules_table(student, f"{view.title}: {bot.name}"))
    if student.trouble_message:
        styled(Message("cli.course.cannot_play", trouble=student.trouble_message), fg="red")
        echo(Message("cli.course.reproduce", command=command))
    if student.failed_message:
        styled(Message("cli.course.does_not_play", failed=student.failed_message), fg="red")
    for finding in student.check.findings if student.check else ():
        echo(f"{'✗' if finding.verdict == 'reject' else '!'} {rendered(finding.message or finding.text)}")
        if finding.command:
            echo(Message("cli.course.reproduce", command=finding.command))
    for remark in student.finding_messages:
        echo(f"! {rendered(remark)}")
    for rule in student.rules:
        lost = [game for game in rule.games if game.points < 1]
        if rule.points < rule.most and lost:
            replay = shlex.join(["ludus", "replay", str(place / "games" / lost[0].file)])
            echo(Message("cli.course.look", rule=rule.title_message, command=replay))
    if student.verdict is not None:
        echo()
        echo(Message("reports.checked", verdict=student.verdict))
    points = {"points": student.total, "most": view.most}
    if student.open_rules:
        echo(Message("cli.course.still_open", rules=student.open_rules, **points))
    else:
        echo(Message("cli.course.so_far", **points))


def show_grades(graded: GradedCourse, view: CourseView, out: Path) -> None:
    """Print the standings."""
    table = Table(title=view.title, title_justify="left")
    table.add_column("", justify="right", no_wrap=True)
    table.add_column(rendered(Message("courses.page.student")), no_wrap=True)
    table.add_column(rendered(Message("courses.page.points")), justify="right", no_wrap=True)
    table.add_column(rendered(Message("cli.course.remarks")))
    for place, student in enumerate(view.students[:SHOWN], 1):
        remarks = [rendered(student.summary)] if student.summary else []
        if student.set_aside:
            remarks.append(rendered(Message("cli.course.counts", file=student.handed_in, others=student.set_aside)))
        table.add_row(f"{place}.", Text(student.title), f"{student.total:g}", Text("; ".join(remarks)))
    SafeConsole().print(table)
    for note in view.note_messages:
        echo(note)
    if view.alike:
        echo(Message("cli.course.alike", n=len(view.alike), file=out / "similarity.csv"))
    echo(Message("cli.course.done", games=view.games, played=graded.played, file=out / "index.html"))
