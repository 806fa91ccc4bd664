"""How the command line prints: every text is cleaned, so that text from outside cannot control a terminal.

Messages are put into words here, and only here. Colours are added after the text has been cleaned. `ludus.cli.console`
does the same for rich, which is slow to import.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

import click

from ludus.display import visible
from ludus.messages import Message, render

if TYPE_CHECKING:
    from collections.abc import Sequence

LANGUAGE = os.environ.get("LUDUS_LANGUAGE") or "en"
"""The language of the terminal; one that is not known means English."""


def rendered(message: object) -> str:
    """Return what people read of a message, or of anything else its text."""
    return render(message, LANGUAGE) if isinstance(message, Message) else str(message)


def echo(message: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a line on standard output or standard error."""
    click.echo(visible(rendered(message)), err=err, nl=nl)


def echo_row(widths: Sequence[int], *cells: object) -> None:
    """Print a line of a table; a cell is on the right of its columns if their number is negative."""
    echo("".join(padded(rendered(cell), columns) for cell, columns in zip(cells, widths, strict=True)).rstrip())


def headings(*names: str) -> list[Message]:
    """Return the headings of the columns of a table."""
    return [Message(f"cli.column.{name}") for name in names]


def padded(text: str, columns: int) -> str:
    """Return a text with blanks after it, or before it for a negative number; Chinese characters are two wide."""
    blanks = " " * (abs(columns) - sum(2 if east_asian_width(char) in "WF" else 1 for char in text))
    return text + blanks if columns > 0 else blanks + text


def echo_json(document: object) -> None:
    """Print a JSON document on one line, in ASCII: no terminal obeys anything in it."""
    click.echo(json.dumps(document))


def styled(message: object, *, nl: bool = True, **style: Any) -> None:
    """Print a line in a colour, if the terminal has colours."""
    click.secho(visible(rendered(message)), nl=nl, **style)
