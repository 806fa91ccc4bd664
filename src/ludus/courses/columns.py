"""Columns of tables: what each may be called, in ours and in those of Moodle, Canvas and Gradescope; and reading rows.

CSV as spreadsheets write it, in UTF-8 or Big5, with commas, semicolons or tabs, with columns in any order, in English
or Chinese. Every error names the file and the line. Knows no course, no points and no people.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from ludus.errors import UserError
from ludus.messages import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

HEADINGS = {
    "id": ("studentid", "studentnumber", "sid", "idnumber", "sisuserid", "學號", "学号"),
    "login": ("sisloginid", "loginid", "username", "帳號"),
    "name": ("fullname", "studentname", "student", "姓名", "名字", "中文姓名"),
    "first name": ("firstname", "givenname", "名"),
    "last name": ("lastname", "surname", "familyname", "姓"),
    "team": ("group", "組別", "組", "隊伍", "小組", "分組"),
    "email": ("mail", "emailaddress", "信箱", "電子郵件", "電子信箱", "電子郵件地址"),
    "platform id": ("platformid", "canvasid", "moodleid", "gradescopeid", "userid", "identifier", "平台編號"),
    "account": ("accountname", "arenaaccount", "ludusaccount"),
    "role": ("角色", "身分"),
    "days": ("天數", "遲交天數"),
    "rule": ("項目", "評分項目"),
    "points": ("分數", "得分"),
    "reason": ("原因", "理由", "備註"),
    "until": ("期限", "延長至", "截止"),
    "at": ("lastmodifiedsubmission", "submissiontime", "submittedat", "handedin", "time", "繳交時間", "時間"),
    "percent": ("百分比", "比例"),
    "file": ("program", "檔案", "程式"),
}
"""What else a column may be called; capitals, blanks, signs and the width of characters do not count."""
WHO = ("id", "login", "email", "platform id")
"""The columns of which one is enough to say who is meant."""

COLUMNS = {
    "roster": ("id", "name", "team", "email", "platform id", "account"),
    "extensions": ("id", "until", "reason"),
    "times": ("id", "at"),
    "late": ("id", "days", "rule", "reason"),
    "entered": ("id", "rule", "points", "reason"),
    "programs": ("id", "file"),
    "parts": ("id", "percent", "reason"),
}
"""The tables of a course, each with its columns; the last ones may be left out."""
MOODLE = ("Identifier", "Full name", "ID number", "Email address", "Grade", "Maximum grade", "Last modified (grade)")
MOODLE_FEEDBACK = "Feedback comments"
MOODLE_IDENTIFIER = "Participant "
"""What stands before a participant's number in Moodle's grading worksheet."""
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
CANVAS_POSSIBLE = "    Points Possible"
"""The name in the row of a Canvas gradebook that is no student."""
CANVAS_TEST_STUDENT = "Student, Test"
GRADESCOPE = ("Name", "SID", "Email", "Total Score", "Max Points")


class TableLine(NamedTuple):
    """A line of a table."""

    place: Message
    values: dict[str, str]


def decoded(data: bytes, source: str) -> str:
    """Return the text of a table: UTF-8, with or without a mark at its beginning, or else Big5."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        try:
            return data.decode("cp950")
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            place = Message("courses.line", source=source, line=line)
            raise UserError("courses.no_encoding", place=place) from None


def _key(heading: str) -> str:
    """Return a heading as it is looked up: its name in our tables, or what is left of it without signs."""
    key = "".join(sign for sign in unicodedata.normalize("NFKC", heading).casefold() if sign.isalnum())
    for name, others in HEADINGS.items():
        if key == name.replace(" ", "") or key in others:
            return name
    return key


def _keys(headings: Sequence[str]) -> list[str]:
    """Return all headings as they are looked up; Canvas calls its own number ID where SIS User ID is the student's."""
    keys = [_key(heading) for heading in headings]
    if keys.count("id") > 1 and "platform id" not in keys:
        own = next((at for at, heading in enumerate(headings) if heading.strip() == CANVAS[1]), None)
        if own is not None:
            keys[own] = "platform id"
    return keys


def read_rows(
    data: bytes, source: str, needed: Sequence[str | tuple[str, ...]], more: Sequence[str] = ()
) -> list[TableLine]:
    """Return the lines of a table with headings; spaces around values, empty lines and other columns do not count.

    Of a tuple among the needed columns one is enough.
    """
    text = decoded(data, source)
    first = text.partition("\n")[0]
    delimiter = "," if "," in first else max(";\t", key=first.count) if first.strip() else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    choices = [(name,) if isinstance(name, str) else name for name in needed]
    wanted = [*(name for names in choices for name in names), *more]
    found = []
    try:
        headings = _keys(reader.fieldnames or ())
        for names in choices:
            if not set(names) & set(headings):
                columns = [names[0] for names in choices]
                raise UserError("courses.column_missing", source=source, column=names[0], columns=columns)
        reader.fieldnames = headings
        for row in reader:
            values = {name: (row.get(name) or "").strip() for name in wanted}
            if any(values.values()):
                found.append(TableLine(Message("courses.line", source=source, line=reader.line_num), values))
    except csv.Error as error:
        place = Message("courses.line", source=source, line=reader.line_num)
        raise UserError("courses.no_table", place=place, problem=str(error)) from None
    return found


def number_of(text: str) -> str:
    """Return the number that a platform has for someone, as it stands in a table."""
    return text.removeprefix(MOODLE_IDENTIFIER).strip()
