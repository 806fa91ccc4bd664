"""Stands in for the module of coloured texts, which are plain here."""

import sys


def colored(text: object, *_colours: object, **_options: object) -> str:
    """Return the text."""
    return str(text)


def cprint(text: object, *_colours: object, **_options: object) -> None:
    """Print the text."""
    sys.stdout.write(f"{text}\n")
