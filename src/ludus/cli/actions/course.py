"""`ludus course`, run: a folder to begin with, a student's dry run, and the grades of a whole class."""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ludus.bots.build import store
from ludus.bots.source import ArchiveLimits, read_source
from ludus.check import check_command
from ludus.cli.actions.report import check_place, write_pdf
from ludus.cli.console import SafeConsole
from ludus.cli.live import Watch
from ludus.cli.output import echo, echo_json, rendered, styled
from ludus.cli.protection import accept_weakness, mention_weakness
from ludus.cli.verbs.check import FindingPrinter
from ludus.courses import PRESETS, find_course, presets
from ludus.courses.autograder import write_autograder
from ludus.courses.download import read_download, unpack
from ludus.courses.folder import make_folder
from ludus.courses.grade import GradingOptions, Override, Withdrawal
from ludus.courses.grade import grade as grade_all
from ludus.courses.gradebook import gradescope_results
from ludus.courses.output import json_text, write_all
from ludus.courses.pdf import student_report
from ludus.courses.platforms import gradescope_attempt
from ludus.courses.tables import TableText, read_tables
from ludus.files import write_whole
from ludus.messages import Message, known
from ludus.tournament.pools import open_pool

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ludus.courses import Course
    from ludus.courses.grade import GradedCourse
    from ludus.courses.platforms import Download
    from ludus.courses.tables import Tables
    from ludus.courses.view import CourseView, StudentView

SHOWN = 40
LOCAL_LIMITS = ArchiveLimits(files=100_000, size=4 << 30)
"""Of an archive of the instructor's own."""


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


def autograder(*, preset: str, target: Path, source: Path | None) -> None:
    """Write the zip that Gradescope runs."""
    files = write_autograder(find_course(preset), target, source)
    echo(Message("cli.course.autograder", file=target, files=files))


def dry_run(
    *,
    preset: str,
    bot: Path,
    pdf: Path | None,
    results: Path | None,
    metadata: Path | None,
    jobs: int | None,
    as_json: bool,
) -> int:
    """Try a bot as the course would."""
    found = find_course(preset)
    mention_weakness([str(bot)])
    if pdf is not None:
        check_place(pdf, source=False)
    place = store().parent / "courses" / found.name
    attempt = gradescope_attempt(bot, metadata) if metadata else None
    attempts = {attempt.path: attempt} if attempt else {}
    known = given_tables(found, dict.fromkeys(("roster", "extensions") if attempt else ()))
    options = GradingOptions(
        tournaments=False,
        by_student=attempt is None,
        attempts=attempts,
        roster=known.roster and known.roster.only(attempt.people) if attempt else None,
        extensions=known.extensions,
    )
    graded, view = run(found.without_pdf(), list(attempts) or [bot], place, options, jobs)
    student, one = view.students[0], graded.graded[0]  # the others of a team have the same
    if results is not None:
        write_whole(results, json_text(gradescope_results(view, student)))
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
    base: Path | None,
    platform: str | None,
    only: tuple[str, ...],
    override: tuple[tuple[str, str, float], ...],
    withdraw_override: tuple[tuple[str, str], ...],
    reason: str,
    no_pdf: bool,
    anonymous: bool,
    cluster: str | None,
    weak: bool,
    jobs: int | None,
    as_json: bool,
    **tables: Path | None,
) -> None:
    """Grade a folder of submissions."""
    accept_weakness(weak=weak)
    found = find_course(preset)
    base = base or beside(found, "base")
    download = handed_in(found, submissions, out / "downloads", platform)
    options = GradingOptions(
        overrides=tuple(Override(*one) for one in override),
        withdrawals=tuple(Withdrawal(*one) for one in withdraw_override),
        base=(read_source(base),) if base else (),
        only=only,
        reason=reason,
        attempts={attempt.path: attempt for attempt in download.attempts},
        **given_tables(found, tables)._asdict(),
    )
    if found.deadline.at and not options.times:
        options = replace(options, notes=tuple(download.notes))
    wanted = found.without_pdf() if no_pdf else found
    graded, view = run(wanted, list(options.attempts), out, options, jobs, cluster=cluster, anonymous=anonymous)
    if as_json:
        echo_json(view.json_data)
    else:
        show_grades(graded, view, out)


def given_tables(found: Course, given: Mapping[str, Path | None]) -> Tables:
    """Return what the tables of a course say: those that are given, and those beside the course file."""
    paths = {name: path or beside(found, f"{name}.csv") for name, path in given.items()}
    return read_tables(
        found, {name: TableText(path.read_bytes(), str(path)) for name, path in paths.items() if path is not None}
    )


def handed_in(found: Course, submissions: Path, place: Path, platform: str | None) -> Download:
    """Return what was handed in: a folder, or a zip archive, which is unpacked to a place."""
    if submissions.suffix.lower() == ".zip" and submissions.is_file():
        folder = place / "unpacked"
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        submissions = unpack(found, submissions.read_bytes(), folder, str(submissions), LOCAL_LIMITS)
    return read_download(found, submissions, place, platform)


def beside(found: Course, name: str) -> Path | None:
    """Return a file or folder beside a course file of one's own, where there is one."""
    if found.path is None or found.path.parent == PRESETS:
        return None
    path = found.path.parent / name
    return path if path.exists() else None


def run(
    found: Course,
    paths: list[Path],
    out: Path,
    options: GradingOptions,
    jobs: int | None,
    *,
    cluster: str | None = None,
    anonymous: bool = False,
) -> tuple[GradedCourse, CourseView]:
    """Grade, write everything, and show the progress."""
    pool = open_pool(cluster, jobs)
    lines: dict[str, Message] = {}
    watch = Watch(pool)

    def progress(step: str, done: int, total: int) -> None:
        lines[step] = Message("cli.course.step", step=known(f"stage.{step}", step), done=done, total=total)
        watch.show(lambda: Text("\n".join([found.title, *map(rendered, lines.values())])), lambda: lines[step])

    try:
        with watch:
            graded = grade_all(found, paths, out, pool, options, progress)
            view = write_all(graded, out, progress, jobs or len(os.sched_getaffinity(0)), anonymous=anonymous)
    except KeyboardInterrupt:  # printed when the table of progress is closed, which would cover it
        echo(Message("cli.course.stopped"), err=True)
        raise
    finally:
        pool.close()
    return graded, view


def rules_table(student: StudentView, title: str) -> Table:
    """Return a student's points as a table."""
    table = Table("", title=title, title_justify="left")
    for name in ("rule", "points", "why"):
        table.add_column(rendered(Message(f"courses.page.{name}")), justify="right" if name == "points" else "left")
    for rule in student.rules:
        mark = Text("…", "dim") if rule.open else Text("✓", "green") if rule.full else Text("✗", "red")
        points = rendered(Message("courses.page.of", points=rule.points, most=rule.most))
        table.add_row(mark, Text(rendered(rule.title_message)), points, Text(rendered(rule.reason_message)))
    for limit in student.limits:
        reason = Text(rendered(limit.reason_message))
        table.add_row("", Text(rendered(limit.title_message)), f"{limit.points:g}", reason)
    total = Text(rendered(Message("courses.page.total")), "bold")
    table.add_row("", total, f"{student.total:g}", "", end_section=True)
    return table


def show_try(view: CourseView, student: StudentView, command: str, bot: Path, place: Path) -> None:
    """Print a dry run: what was earned, what is missing, and how to reproduce it."""
    SafeConsole().print(rules_table(student, f"{view.title}: {bot.name}"))
    if student.trouble_message:
        styled(Message("cli.course.cannot_play", trouble=student.trouble_message), fg="red")
        echo(Message("cli.check.reproduce", command=command))
    if student.failed_message:
        styled(Message("cli.course.does_not_play", failed=student.failed_message), fg="red")
    printer = FindingPrinter()
    for finding in student.check.findings if student.check else ():
        printer.show(finding)
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
        remarks = [rendered(Message("courses.page.team", team=student.team))] if student.team else []
        remarks += [rendered(remark) for remark in (student.question_message, student.summary) if remark]
        if student.lateness:
            remarks.append(rendered(student.lateness))
        if student.set_aside:
            remarks.append(rendered(Message("cli.course.counts", file=student.handed_in, others=student.set_aside)))
        table.add_row(f"{place}.", Text(student.title), f"{student.total:g}", Text("; ".join(remarks)))
    SafeConsole().print(table)
    for note in view.note_messages:
        echo(note)
    if view.alike:
        echo(Message("cli.course.alike", n=len(view.alike), file=out / "similarity.csv"))
    echo(Message("cli.course.done", n=view.games, played=graded.played, file=out / "index.html"))
