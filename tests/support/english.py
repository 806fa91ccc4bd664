"""Finds English in what should be Chinese."""

from __future__ import annotations

import re

NAMES = {"Elo", "Bradley", "Terry", "Buchholz", "Sonneborn", "Berger", "MCTS", "CPU", "PDF", "LLR", "SPRT", "ms"}
"""Words and units that a Chinese text keeps."""


def english_in(text: str, *names: str, least: int = 1) -> list[str]:
    """Return the English in a text, but for names, files, options and commands: runs of at least `least` words."""
    for name in names:
        text = text.replace(name, " ")
    plain = re.sub(r"--[\w-]+|SIG[A-Z]+|\w+=\S+|[\w.-]+\.(?:csv|json|html|pdf|toml|txt|db)\b", " ", text)
    plain = re.sub(rf"\b(?:{'|'.join(NAMES)})\b", "", plain)
    return re.findall(rf"[A-Za-z]{{2,}}(?:,? [A-Za-z]{{2,}}){{{least - 1},}}", plain)
