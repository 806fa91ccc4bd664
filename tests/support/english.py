"""Finds English in what should be Chinese."""

from __future__ import annotations

import re

NAMES = {"Elo", "Bradley", "Terry", "Buchholz", "Sonneborn", "Berger", "MCTS", "CPU", "PDF", "LLR", "SPRT", "ms"}
"""Words and units that a Chinese text keeps."""


def english_in(text: str, *names: str) -> list[str]:
    """Return the English words in a text, but for names, files, options and commands."""
    for name in names:
        text = text.replace(name, " ")
    plain = re.sub(r"--[\w-]+|SIG[A-Z]+|\w+=\S+|[\w.-]+\.(?:csv|json|html|pdf|toml|txt|db)\b", " ", text)
    return [word for word in re.findall(r"[A-Za-z]{2,}", plain) if word not in NAMES]
