"""`files`: the bot is started once a move in a folder that holds `input.txt`, and leaves `output.txt`.

A game with its own course defines the forms of both files; in the others `input.txt` is the position text and the
seconds left, a line each, and `output.txt` is the move. The shim starts the bot and carries the files as lines.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from typing import TYPE_CHECKING

from ludus.errors import Fault
from ludus.messages import Message
from ludus.protocols import BotProtocol, Exchange, Source, is_move, legal, quoted, shim, unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ludus.game import State
    from ludus.play.player import Situation

SHIM = "ludus_files.py"
INPUT, OUTPUT = "input.txt", "output.txt"
LONGEST_OUTPUT = 1 << 15
"""Bytes; the shim sends one more, so that it shows."""
MOST_ASIDES = 3
"""Lines between the move and the board that are passed over."""
SECONDS_WITHOUT_CLOCK = 300.0
"""The time left that `input.txt` shows where there is no clock."""


class Files(BotProtocol):
    """A file in, a file out."""

    name = "files"
    greeting = (Exchange("ready", "ready"),)
    """The answer comes when the shim is there; the clock has not run until then."""
    remembers = False
    exchanged = (INPUT, OUTPUT)
    rank = 30
    time = "seconds"
    """What the bot is told the time left in."""

    def telling(self, time: str) -> Files:
        """Return the protocol with another unit of time."""
        made = Files()
        made.time = time
        return made

    def sign(self, source: Source) -> Message | None:
        """Look for the names of both files, or for the name that courses give such a program."""
        if INPUT in source.text and OUTPUT in source.text:
            return Message("bots.has_files")
        if re.fullmatch(r"homework\d*\.\w+", source.name, re.IGNORECASE):
            return Message("bots.is_called", name=source.name)
        return None

    def example(self, start: State) -> str:
        """Return the input file of a start."""
        return input_text(start, SECONDS_WITHOUT_CLOCK)

    def command(self, run: Sequence[str], side: int) -> tuple[str, ...]:  # noqa: ARG002 - the file says whose move it is
        """Let the shim start it, move by move."""
        return ("python3", "-I", SHIM, *run)

    def files(self) -> Mapping[str, str]:
        """Return the shim."""
        return {SHIM: shim(SHIM)}

    def ask(self, situation: Situation, known: int) -> str:  # noqa: ARG002 - the file says it all
        """Send the input file as one line."""
        seconds = situation.time.seconds
        text = input_text(situation.state, seconds if math.isfinite(seconds) else SECONDS_WITHOUT_CLOCK, self.time)
        return base64.b64encode(text.encode()).decode() + "\n"

    def read(self, situation: Situation, line: str, notes: list[Message]) -> str | None:
        """Judge how the bot ended and what it left: `answer STATUS OUTPUT`, and `asleep` if it had to be ended."""
        answered = re.fullmatch(r"answer (\d{1,3}) (\S+)( asleep)?", line.strip(), re.ASCII)
        if answered is None:
            return None
        status, output = int(answered[1]), answered[2]
        if output == "-":
            if status:
                raise Fault("crash", Message("protocols.status_no_file", status=status, output=OUTPUT))
            raise Fault("no-answer", Message("protocols.no_file", output=OUTPUT))
        try:
            move = output_move(situation.state, decoded(output), notes)
        except Fault as fault:
            if status and fault.kind != "too-much-output":  # what it left is the lesser matter
                raise Fault("crash", Message("protocols.status_and", status=status, sentence=fault.message)) from None
            raise
        if status:
            notes.append(Message("protocols.note_exit_status", status=status, file=OUTPUT))
        if answered[3]:
            notes.append(Message("protocols.note_asleep", file=OUTPUT))
        return move


def decoded(word: str) -> str:
    """Return the text of a file that was sent as one word."""
    try:
        data = base64.b64decode(word, validate=True)
    except binascii.Error:
        raise Fault("bad-output", Message("protocols.file_lost", output=OUTPUT)) from None
    if len(data) > LONGEST_OUTPUT:
        raise Fault(
            "too-much-output", Message("protocols.file_too_large", output=OUTPUT, longest_output=LONGEST_OUTPUT)
        )
    codec = (
        "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    )  # as PowerShell writes, and Java if told
    return data.decode(codec, errors="replace").replace("\0", "")


def input_text(state: State, seconds: float, time: str = "seconds") -> str:
    """Return what `input.txt` holds; milliseconds are a whole number."""
    if time == "milliseconds":
        whole = max(1, round(seconds * 1000))
        return input_text(state, whole).replace(f"{whole}.000\n", f"{whole}\n", 1)
    write_board = state.game.course.write_board
    return write_board(state, seconds) if write_board else f"{state.text}\n{max(seconds, 0.001):.3f}\n"


def output_move(state: State, text: str, notes: list[Message]) -> str:
    """Find the move in an `output.txt`, and check the board behind it where the course wants one.

    What a person would read without a doubt counts, and is noted: blanks between the cells, a board that begins in the
    line of the move, words around the move, lines before and after the board. A move that is missing, or a wrong
    board, is a fault.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise Fault("bad-output", Message("protocols.file_empty", output=OUTPUT))
    write_file = state.game.course.write_file
    if write_file:
        lines = from_the_move(state, write_file, lines, notes)
    said, rows = first_line(state, lines, notes)
    if not is_move(state, said):
        if write_file and set(said) <= set("0123456789* "):
            raise Fault("bad-output", Message("protocols.move_line_missing", output=OUTPUT, quoted=quoted(said)))
        fault = unreadable(state, said)
        raise Fault(fault.kind, Message("protocols.in_first_line", output=OUTPUT, sentence=fault.message))
    move = legal(state, said)
    expected = write_file(state, move).split()[1:] if write_file else []
    try:
        check_rows(move, expected, without_asides(expected, rows, notes), notes)
    except Fault as fault:
        fault.move = move
        raise
    return move


def from_the_move(
    state: State, write_file: Callable[[State, str], str], lines: list[str], notes: list[Message]
) -> list[str]:
    """Return the lines from the move on, where a score or the like stands before it and the whole board follows it."""
    if is_move(state, lines[0]):
        return lines
    for at in range(1, min(MOST_ASIDES + 1, len(lines))):
        try:
            follows = write_file(state, legal(state, lines[at])) if is_move(state, lines[at]) else None
        except Fault:  # the first line says enough
            break
        if follows and lines[at + 1 :] == follows.split()[1:]:
            notes.append(Message("protocols.note_lines_before", output=OUTPUT, quoted=quoted(lines[0])))
            return lines[at:]
    return lines


def first_line(state: State, lines: Sequence[str], notes: list[Message]) -> tuple[str, list[str]]:
    """Return the move as it is written, and the lines after it; a board may begin in the same line."""
    said, *rows = lines
    words = said.split()
    count = 2 if words[0].isalpha() else 1  # `B 13`, or `B13` with something behind it
    move = "".join(words[:count])
    if len(words) > 1 and is_move(state, move) and (words[0].isalpha() or not is_move(state, said)):
        notes.append(Message("protocols.note_first_line", output=OUTPUT, quoted=quoted(said), move=move))
        return move, [*([" ".join(words[count:])] if words[count:] else []), *rows]
    alone = "".join(filter(str.isalnum, said.rpartition(":")[2]))  # `Move: B13`, or `(B, 13)`
    if not is_move(state, said) and is_move(state, alone):
        notes.append(Message("protocols.note_first_line", output=OUTPUT, quoted=quoted(said), move=alone))
        return alone, rows
    return said, rows


def without_asides(expected: Sequence[str], rows: list[str], notes: list[Message]) -> list[str]:
    """Return the lines from the board on, where a score or the like stands before it and all of it follows."""
    plain = ["".join(row.split()) for row in rows]
    for at in range(1, min(MOST_ASIDES, len(rows) - len(expected)) + 1 if expected else 0):
        if plain[: len(expected)] != list(expected) and plain[at : at + len(expected)] == list(expected):
            notes.append(Message("protocols.note_lines_between", output=OUTPUT, quoted=quoted(rows[0])))
            return rows[at:]
    return rows


def check_rows(move: str, expected: Sequence[str], rows: Sequence[str], notes: list[Message]) -> None:
    """Compare the rows after the move with those that the course's form requires."""
    for number, row in enumerate(expected, 1):
        if number > len(rows):
            missing = Message("protocols.board_ends", number=number) if rows else Message("protocols.board_missing")
            raise Fault(
                "bad-output",
                Message(
                    "protocols.rows_missing", output=OUTPUT, missing=missing, number=number, move=move, row=repr(row)
                ),
            )
        given = rows[number - 1]
        if given != row and "".join(given.split()) == row:
            if number == 1:
                notes.append(Message("protocols.note_blanks", output=OUTPUT, quoted=quoted(given)))
        elif given != row:
            raise Fault(
                "bad-output",
                Message(
                    "protocols.row_differs", output=OUTPUT, number=number, move=move, row=repr(row), shown=quoted(given)
                ),
            )
    if len(rows) > len(expected):
        more = rows[len(expected) :][:MOST_ASIDES]
        notes.append(Message("protocols.note_more_lines", output=OUTPUT, quoted=[quoted(row) for row in more]))


PROTOCOL = Files()
