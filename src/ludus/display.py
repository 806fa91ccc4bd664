"""Text that strangers wrote, as it may be shown: without anything that a terminal, a page or a spreadsheet obeys.

Every way out uses `visible`: the command line, logs of bots, records, pages, PDF and CSV. Knows only characters.
"""

from __future__ import annotations

import re
import unicodedata

HARMFUL = re.compile(
    r"[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)
"""Control characters (escape sequences begin with one), halves of characters, what XML has no place for, and what turns
the direction of the words around it; tabs and line ends may stay."""
FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""What a cell of a spreadsheet begins with when it is computed, or when it hides that."""
SECOND_CELL = re.compile(r"([;\t\n] *)(?=[=+@＝＋－＠-])")
"""Where a formula would begin in countries where cells end at semicolons: quotes inside a line do not count there."""


UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""Letters and marks that show nothing: with one of them a name looks like another."""
MOST_MARKS = 3
"""Marks above and below one letter; with more of them a name covers what is above and below it."""
ALIKE = (
    *("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "GEORGIAN", "CANADIAN SYLLABICS"),
    *("TIFINAGH", "RUNIC", "VAI", "BAMUM", "DESERET", "OSAGE", "GOTHIC", "OLD ITALIC", "WARANG CITI", "ELBASAN"),
)
"""Scripts that have letters of the same look."""


def is_deceptive(name: str) -> bool:
    """Return whether a name can look like another one, or hide one: it has unseen characters, mixes scripts, or piles
    up marks on a letter."""
    scripts = {script for char in name for script in ALIKE if unicodedata.name(char, "").startswith(script)}
    marks = "".join("m" if unicodedata.category(char)[0] == "M" else " " for char in name)
    return len(scripts) > 1 or UNSEEN.search(name) is not None or "m" * (MOST_MARKS + 1) in marks


def visible(text: str) -> str:
    """Return a text in which every character that is obeyed rather than shown is replaced by U+FFFD."""
    return HARMFUL.sub("\ufffd", text.replace("\r\n", "\n"))


def csv_cell(text: str) -> str:
    """Return a text as the cell of a table: a spreadsheet shows it, and computes nothing."""
    shown = SECOND_CELL.sub(r"\1'", visible(text))
    return f"'{shown}" if shown.lstrip(" ").startswith(FORMULA) else shown
