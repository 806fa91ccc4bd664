"""Text that strangers wrote, as it may be shown: without anything that a terminal, a page or a spreadsheet obeys.

Every way out uses `visible`: the command line, logs of bots, records, pages, PDF and CSV. Knows only characters.
"""

from __future__ import annotations

import re

HARMFUL = re.compile(
    r"[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)
"""Control characters (escape sequences begin with one), halves of characters, what XML has no place for, and what turns
the direction of the words around it; tabs and line ends may stay."""
FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""What a cell of a spreadsheet begins with when it is computed, or when it hides that."""


def visible(text: str) -> str:
    """Return a text in which every character that is obeyed rather than shown is replaced by U+FFFD."""
    return HARMFUL.sub("\ufffd", text.replace("\r\n", "\n"))


def csv_cell(text: str) -> str:
    """Return a text as the cell of a table: a spreadsheet shows it, and computes nothing."""
    shown = visible(text)
    return f"'{shown}" if shown.lstrip(" ").startswith(FORMULA) else shown
