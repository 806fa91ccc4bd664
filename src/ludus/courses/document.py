"""A graded course as plain data: what grades.json holds, and each student's results in the form that Gradescope reads.

Pages and papers show the same. Computes no point and writes no file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ludus.check import WARNING, verdict_of

if TYPE_CHECKING:
    from ludus.check import Verdict
    from ludus.courses.exam import Exam, Found
    from ludus.courses.grade import Graded, Grades
    from ludus.courses.rubric import Award


def document(grades: Grades) -> dict[str, Any]:
    """Give everything as JSON."""
    return {
        "course": grades.course.name,
        "title": grades.course.title,
        "most": grades.course.most,
        "games": grades.games,
        "students": [student_document(grades, one) for one in grades.graded],
        "alike": [pair._asdict() for pair in grades.alike],
        "notes": grades.notes,
    }


def student_document(grades: Grades, one: Graded) -> dict[str, Any]:
    """Give a student as JSON."""
    student = one.student
    exam = grades.evidence.exams.get(student.id)
    return {
        "id": student.id,
        "name": student.name,
        "total": one.total,
        "handed_in": student.source,
        "set_aside": list(student.set_aside),
        "versions": list(student.versions),
        "trouble": student.trouble,
        "doubt": student.doubt,
        "failed": one.failed,
        "games": one.games,
        "failures": dict(one.failures),
        "findings": student.remarks,
        "check": check_document(one, exam) if exam else None,
        "ranks": ranks(grades, student.id),
        "rules": [_award(one, award) for award in one.awards],
        "limits": [{**limit._asdict(), "title": limit.title} for limit in one.limits],
    }


def checked(one: Graded, exam: Exam) -> tuple[Verdict, tuple[Found, ...]]:
    """Return what a student's check comes to in the course, and its findings.

    A program that failed in no game and no position lost nothing by what the check found: that is only to be noted.
    """
    wrong = any(answer.fault for answers in exam.answers.values() for answer in answers)
    findings = exam.findings
    if one.games and not one.failures and not wrong:
        findings = tuple(found._replace(verdict=WARNING) for found in findings)
    return verdict_of(found.verdict for found in findings), findings


def check_document(one: Graded, exam: Exam) -> dict[str, Any]:
    """Give what a student's check found as JSON."""
    verdict, findings = checked(one, exam)
    return {"passed": verdict.ready, **verdict._asdict(), "findings": [found._asdict() for found in findings]}


def ranks(grades: Grades, student: str) -> dict[str, int]:
    """Give a student's ranks in the tournaments."""
    found: dict[str, int] = {}
    for name, contest in grades.evidence.contests.items():
        for row in contest.standings.rows:
            if row.entry == student:
                found[name] = row.rank
    return found


def _award(one: Graded, award: Award) -> dict[str, Any]:
    return {
        "rule": award.rule,
        "title": award.title,
        "points": award.points,
        "counted": one.counted[award.rule],
        "most": award.most,
        "reason": award.reason,
        "open": award.open,
        "by_hand": award.by_hand,
        "interval": award.interval and [round(award.interval.low, 6), round(award.interval.high, 6)],
        "games": [f"games/{row.record_file}" for row in award.games],
    }


def results(grades: Grades, one: Graded) -> dict[str, Any]:
    """Give a student's results in the form that Gradescope reads."""
    tests = [
        {
            "name": award.title,
            "score": award.points,
            "max_score": max(award.most, 0.0),
            "status": "passed" if award.points > 0 or (award.most <= 0 and award.points == 0) else "failed",
            "output": award.reason,
            "visibility": "visible",
        }
        for award in one.awards
    ]
    tests += [
        {
            "name": limit.title,
            "score": limit.points,
            "max_score": 0.0,
            "status": "passed",
            "output": limit.reason,
            "visibility": "visible",
        }
        for limit in one.limits
    ]
    leaders = [{"name": f"rank in {name}", "value": rank} for name, rank in ranks(grades, one.student.id).items()]
    said = one.trouble or "; ".join(one.student.findings)
    return {"score": one.total, "output": said, "visibility": "visible", "tests": tests, "leaderboard": leaders}
