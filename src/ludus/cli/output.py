"""How the command line prints: every text is cleaned, so that text from outside cannot control a terminal.

Messages are put into words here, and only here. Colours are added after the text has been cleaned. `ludus.cli.console`
does the same for rich, which is slow to import.
"""

from __future__ import annotations

import json
from typing import Any

import click

from ludus.display import visible
from ludus.messages import Message, render

LANGUAGE = "en"
"""The language of the terminal."""


def rendered(message: object) -> str:
    """Return what people read of a message, or of anything else its text."""
    return render(message, LANGUAGE) if isinstance(message, Message) else str(message)


def echo(message: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a line on standard output or standard error."""
    click.echo(visible(rendered(message)), err=err, nl=nl)


def echo_json(document: object) -> None:
    """Print a JSON document on one line, in ASCII: no terminal obeys anything in it."""
    click.echo(json.dumps(document))


def styled(message: object, *, nl: bool = True, **style: Any) -> None:
    """Print a line in a colour, if the terminal has colours."""
    click.secho(visible(rendered(message)), nl=nl, **style)
