"""What a graded course leaves in a folder: tables, JSON, a page for the instructor and one for each student, records.

    DIR/index.html  course.pdf  grades.csv  grades.json  similarity.csv  games/GAME.txt  tournaments/NAME/
    DIR/students/ID/index.html  students/ID/report.pdf  students/ID/results.json

`results.json` has the form that Gradescope reads. Names and what bots say are anybody's: none of it becomes a tag, a
formula or a path. Computes no point.
"""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

from ludus.check import REJECT, WARNING
from ludus.courses.document import checked, document, ranks, results
from ludus.courses.grade import limit_title
from ludus.courses.pdf import COURSE_PAPER, STUDENT_PAPER, write_papers
from ludus.courses.rubric import own_fault, percent, points_of
from ludus.display import csv_cell, visible
from ludus.drawing.svg import safe
from ludus.files import write_whole
from ludus.tournament.output import write_all as write_contest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from ludus.courses.grade import Graded, Grades, Seen
    from ludus.courses.rubric import Award, Row

KINDS = {REJECT: "problem", WARNING: "note"}
MARKS = {1.0: "won", 0.5: "drawn", 0.0: "lost"}
STYLE = """
:root { color-scheme: light dark; font: 16px/1.45 system-ui, "Noto Sans CJK TC", sans-serif; }
body { max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem .6rem; vertical-align: top;
  border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
th { font-weight: 600; } .number { text-align: right; white-space: nowrap; }
.small { font-size: .85rem; opacity: .8; } details { margin: .4rem 0; } summary { cursor: pointer; }
.bar { display: inline-block; position: relative; width: 6rem; height: .55rem; vertical-align: middle;
  background: color-mix(in srgb, currentColor 12%, transparent); }
.bar i { position: absolute; top: 0; bottom: 0; background: #0072b2; opacity: .45; }
.bar b { position: absolute; top: -.15rem; bottom: -.15rem; width: 2px; background: #0072b2; }
a { color: #0072b2; } @media (prefers-color-scheme: dark) { a { color: #56b4e9; } }
"""


def write_all(grades: Grades, out: Path, seen: Seen = lambda _stage, _done, _total: None, jobs: int = 1) -> None:
    """Write everything; the pages last, so that what they link to is there."""
    for part in ("games", "students"):
        (out / part).mkdir(parents=True, exist_ok=True)
    _write_records(grades, out / "games")
    pages = _write_contests(grades, out / "tournaments")
    limits = [*grades.course.groups, ""]
    columns = ["id", "name", "total", *(rule.name for rule in grades.course.rules), *map(limit_title, limits)]
    columns += ["handed in", "set aside", "games", "failed games", "trouble"]
    write_whole(out / "grades.csv", table(columns, [_line(one, limits) for one in grades.graded]))
    pairs = [(pair.first, pair.second, pair.language, f"{pair.share:.2f}", pair.shared) for pair in grades.alike]
    write_whole(out / "similarity.csv", table(["first", "second", "language", "share", "shared"], pairs))
    told = json.dumps(document(grades), ensure_ascii=False, indent=1, allow_nan=False)
    write_whole(out / "grades.json", visible(told) + "\n")
    for one in grades.graded:
        folder = out / "students" / one.student.folder
        folder.mkdir(exist_ok=True)
        said = visible(json.dumps(results(grades, one), ensure_ascii=False, indent=1)) + "\n"
        write_whole(folder / "results.json", said)
        write_whole(folder / "index.html", student_page(grades, one))
    grades.notes += write_papers(grades, out, lambda done, total: seen("PDF", done, total), jobs)
    write_whole(out / "index.html", index_page(grades, pages))


def _write_records(grades: Grades, folder: Path) -> None:
    """Write the record of every game behind a point; a game that was played again has the name that it had."""
    records = {row.record_file: row.record for one in grades.graded for award in one.awards for row in award.games}
    there = {path.name for path in folder.iterdir()}
    for name, record in records.items():
        data = record.encode("utf-8", "replace")
        if name not in there or (folder / name).read_bytes() != data:
            (folder / name).write_bytes(data)


def _write_contests(grades: Grades, folder: Path) -> list[str]:
    """Write the pages of the tournaments."""
    for name, progress in grades.progress.items():
        write_contest(progress, folder / name)
    return list(grades.progress)


def _line(one: Graded, limits: Sequence[str]) -> list[object]:
    """Give a student's line of the table: its points and limits add up to the total."""
    student = one.student
    changed = {limit.name: limit.points for limit in one.limits}
    points = [*(award.points for award in one.awards), *(changed.get(name, 0.0) for name in limits)]
    handed = [student.source, "; ".join(student.set_aside), one.games, sum(one.failures.values())]
    return [student.id, student.name, f"{one.total:g}", *(f"{part:g}" for part in points), *handed, one.trouble]


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write CSV that a spreadsheet opens as what it is: UTF-8, and no formula from a name."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return "\ufeff" + stream.getvalue().encode("utf-8", "replace").decode()


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        float(value)
    except ValueError:
        return csv_cell(value)
    return value  # a penalty is a number


def page(title: str, body: str) -> str:
    """Give a page that needs nothing beside it."""
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{safe(title)}</title>'
    return f'<!doctype html>\n<html lang="en">{head}<style>{STYLE}</style>\n<body>\n{body}\n</body></html>\n'


def index_page(grades: Grades, contests: Sequence[str]) -> str:
    """Give the instructor's page: the standings, every student's points, what to look at."""
    course = grades.course
    heads = "".join(f"<th class=number>{safe(name)}</th>" for name in grades.evidence.contests)
    rows = []
    for place, one in enumerate(grades.graded, 1):
        own = ranks(grades, one.student.id)
        cells = "".join(f"<td class=number>{own.get(name, '–')}</td>" for name in grades.evidence.contests)
        link = f"students/{one.student.folder}/index.html"
        shown = f"<details><summary>{_who(one)}</summary>{breakdown(one, None)}</details>"
        rows.append(
            f"<tr><td class=number>{place}</td><td>{shown}{_remarks(one)}</td>"
            f"<td class=number>{one.total:g}</td>{cells}"
            f'<td><a href="{safe(link)}">games and findings</a></td></tr>'
        )
    body = [
        f"<h1>{safe(course.title)}</h1>",
        f"<p>{len(grades.graded)} students, {grades.games} games, at most {course.most:g} points. "
        'The same as tables: <a href="grades.csv">grades.csv</a>, <a href="grades.json">grades.json</a>'
        + (f'; on paper: <a href="{COURSE_PAPER}">{COURSE_PAPER}</a>.</p>' if course.pdf else ".</p>"),
        "<table><tr><th></th><th>student</th><th class=number>points</th>",
        f"{heads}<th></th></tr>{''.join(rows)}</table>",
    ]
    body += [f'<p>Tournament <a href="tournaments/{safe(name)}/index.html">{safe(name)}</a></p>' for name in contests]
    body += [f"<p>{safe(note)}</p>" for note in grades.notes]
    if grades.alike:
        body.append(
            "<h2>Programs to look at together</h2><p class=small>Alike is no proof of anything: look at both.</p>"
        )
        lines = "".join(
            f"<tr><td>{safe(pair.first)}</td><td>{safe(pair.second)}</td><td>{safe(pair.language)}</td>"
            f"<td class=number>{percent(pair.share)}</td></tr>"
            for pair in grades.alike
        )
        body.append(
            f"<table><tr><th>one</th><th>other</th><th>language</th><th class=number>alike</th></tr>{lines}</table>"
        )
    return page(course.title, "\n".join(body))


def student_page(grades: Grades, one: Graded) -> str:
    """Give the page that a student may see: the own points, reasons, games and findings, and nobody else's."""
    student = one.student
    body = [f"<h1>{_who(one)}: {one.total:g} of {grades.course.most:g} points</h1>"]
    body.append(f"<p>{safe(grades.course.title)}. Handed in: {safe(student.source or 'nothing')}.</p>")
    body += [f"<p><strong>{safe(part)}</strong></p>" for part in (student.trouble, one.failed) if part]
    body += [f"<p>{safe(finding)}</p>" for finding in student.remarks]
    body += [f'<p><a href="{STUDENT_PAPER}">The same on paper</a></p>'] if grades.course.pdf else []
    body.append(breakdown(one, "../../games/"))
    exam = grades.evidence.exams.get(student.id)
    for answers in exam.answers.values() if exam is not None else ():
        lines = "".join(
            f"<tr><td class=number>{number}</td><td><code>{safe(one.position)}</code></td>"
            f"<td>{safe(one.move or one.fault)}</td></tr>"
            for number, one in enumerate(answers, 1)
        )
        body.append(f"<h2>Positions</h2><table><tr><th></th><th>position</th><th>answer</th></tr>{lines}</table>")
    if exam is not None and exam.findings:
        verdict, findings = checked(one, exam)
        lines = "".join(
            f"<li>{KINDS[found.verdict]}: {safe(found.text)}"
            + (f"<br><code class=small>{safe(found.command)}</code>" if found.command else "")
            + (f"<pre class=small>{safe(found.log[:2000])}</pre>" if found.log else "")
            + "</li>"
            for found in findings
        )
        body.append(f"<h2>Check: {safe(verdict.sentence)}</h2><ul>{lines}</ul>")
    return page(f"{student.id}: {grades.course.title}", "\n".join(body))


def _remarks(one: Graded) -> str:
    """Say below a student's name what the instructor should see at first sight."""
    aside = f"set aside: {', '.join(one.student.set_aside)}" if one.student.set_aside else ""
    return "".join(f"<br><span class=small>{safe(part)}</span>" for part in (one.trouble, aside) if part)


def _who(one: Graded) -> str:
    student = one.student
    return safe(f"{student.id} {student.name}".strip())


def breakdown(one: Graded, games: str | None) -> str:
    """Draw a student's points, rule by rule; with the place of the records, the games behind each."""
    rows = []
    for award in one.awards:
        links = _games(award, one.student.id, games) if games is not None and award.games else ""
        rows.append(
            f"<tr><td>{safe(award.title)}</td><td class=number>{award.points:g} of {award.most:g}</td>"
            f"<td>{_bar(award)}{safe(award.reason)}{links}</td></tr>"
        )
    rows += [
        f"<tr><td>{safe(limit.title)}</td><td class=number>{limit.points:g}</td><td>{safe(limit.reason)}</td></tr>"
        for limit in one.limits
    ]
    rows.append(f"<tr><th>total</th><th class=number>{one.total:g}</th><th></th></tr>")
    return f"<table><tr><th>rule</th><th class=number>points</th><th>why</th></tr>{''.join(rows)}</table>"


def _bar(award: Award) -> str:
    """Draw a score with its interval."""
    if award.interval is None:
        return ""
    value, low, high = (100 * number for number in award.interval)
    bar = f'<i style="left:{low:.1f}%;width:{high - low:.1f}%"></i><b style="left:{min(value, 99):.1f}%"></b>'
    return f'<span class=bar role=img aria-label="{value:.0f}%, {low:.0f}% to {high:.0f}%">{bar}</span> '


def _games(award: Award, student: str, place: str) -> str:
    links = ", ".join(_game(row, student, place) for row in award.games)
    return f"<details class=small><summary>{len(award.games)} games</summary>{links}</details>"


def _game(row: Row, student: str, place: str) -> str:
    other = row.opponent(student)
    seat = "first" if row.first == student else "second"
    how = own_fault(row, student).partition(":")[0] or MARKS[points_of(row, student)]
    return f'<a href="{place}{safe(row.record_file)}">{seat} against {safe(other)}: {safe(how)}</a>'
