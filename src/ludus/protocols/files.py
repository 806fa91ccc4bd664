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
from ludus.protocols import BotProtocol, Exchange, is_move, legal, quoted, shim, unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ludus.game import State
    from ludus.play.player import Situation

SHIM = "ludus_files.sh"
OUTPUT = "output.txt"
LONGEST_OUTPUT = 1 << 15
"""Bytes; the shim sends one more, so that it shows."""
SECONDS_WITHOUT_CLOCK = 300.0
"""The time left that `input.txt` shows where there is no clock."""


class Files(BotProtocol):
    """A file in, a file out."""

    name = "files"
    greeting = (Exchange("ready", "ready"),)
    """The answer comes when the shim is there; the clock has not run until then."""
    remembers = False

    def command(self, run: Sequence[str], side: int) -> tuple[str, ...]:  # noqa: ARG002 - the file says whose move it is
        """Let the shim start it, move by move."""
        return ("sh", SHIM, *run)

    def files(self) -> Mapping[str, str]:
        """Return the shim."""
        return {SHIM: shim(SHIM)}

    def ask(self, situation: Situation, known: int) -> str:  # noqa: ARG002 - the file says it all
        """Send the input file as one line."""
        seconds = situation.time.seconds
        text = input_text(situation.state, seconds if math.isfinite(seconds) else SECONDS_WITHOUT_CLOCK)
        return base64.b64encode(text.encode()).decode() + "\n"

    def read(self, situation: Situation, line: str, notes: list[Message]) -> str | None:
        """Judge how the bot ended and what it left: `answer STATUS OUTPUT`."""
        answered = re.fullmatch(r"answer (\d{1,3}) (\S+)", line.strip(), re.ASCII)
        if answered is None:
            return None
        status, output = int(answered[1]), answered[2]
        if output == "-":
            if status:
                raise Fault("crash", Message("protocols.status_no_file", status=status, output=OUTPUT))
            raise Fault("no-answer", Message("protocols.no_file", output=OUTPUT))
        try:
            move = output_move(situation.state, decoded(output))
        except Fault as fault:
            if status and fault.kind != "too-much-output":  # what it left is the lesser matter
                raise Fault("crash", Message("protocols.status_and", status=status, sentence=fault.message)) from None
            raise
        if status:
            notes.append(Message("protocols.note_exit_status", status=status, file=OUTPUT))
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
    return data.decode("utf-8-sig", errors="replace")


def input_text(state: State, seconds: float) -> str:
    """Return what `input.txt` holds."""
    write_board = state.game.course.write_board
    return write_board(state, seconds) if write_board else f"{state.text}\n{max(seconds, 0.001):.3f}\n"


def output_move(state: State, text: str) -> str:
    """Find the move in an `output.txt`, and check the board behind it where the course wants one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise Fault("bad-output", Message("protocols.file_empty", output=OUTPUT))
    said, *rows = lines
    if not is_move(state, said):
        fault = unreadable(state, said)
        raise Fault(fault.kind, Message("protocols.in_first_line", output=OUTPUT, sentence=fault.message))
    move = legal(state, said)
    write_file = state.game.course.write_file
    check_rows(move, write_file(state, move).split()[1:] if write_file else [], rows)
    return move


def check_rows(move: str, expected: Sequence[str], rows: Sequence[str]) -> None:
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
        if rows[number - 1] != row:
            shown = quoted(rows[number - 1])
            raise Fault(
                "bad-output",
                Message("protocols.row_differs", output=OUTPUT, number=number, move=move, row=repr(row), shown=shown),
            )
    if len(rows) > len(expected):
        raise Fault("bad-output", Message("protocols.line_too_many", output=OUTPUT, quoted=quoted(rows[len(expected)])))


PROTOCOL = Files()
