"""What the command line writes: the only way out for words, so that nothing of a stranger's steers a terminal.

Colours of our own are put around the words after these have been cleaned. `ludus.cli.console` does the same for rich,
which takes long to import.
"""

from __future__ import annotations

from typing import Any

import click

from ludus.display import visible


def echo(message: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Write a line on standard output, or on standard error."""
    click.echo(visible(str(message)), err=err, nl=nl)


def styled(message: str, *, nl: bool = True, **style: Any) -> None:
    """Write a line in a colour where there are colours."""
    click.secho(visible(message), nl=nl, **style)
