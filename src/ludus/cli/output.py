"""How the command line prints: every text is cleaned, so that text from outside cannot control a terminal.

Colours are added after the text has been cleaned. `ludus.cli.console` does the same for rich, which is slow to import.
"""

from __future__ import annotations

from typing import Any

import click

from ludus.display import visible


def echo(message: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a line on standard output or standard error."""
    click.echo(visible(str(message)), err=err, nl=nl)


def styled(message: str, *, nl: bool = True, **style: Any) -> None:
    """Print a line in a colour, if the terminal has colours."""
    click.secho(visible(message), nl=nl, **style)
