"""`ludus doctor`: what this machine can and cannot do, and how to get the rest."""

from __future__ import annotations

import click

from ludus.cli.arguments import json_option
from ludus.cli.verbs import Verb

SECTION = "Write a bot"
SUMMARY = "test the sandbox of this machine, and say how to improve it"
EXAMPLES = """
ludus doctor
ludus doctor --json
"""


@click.command(cls=Verb, examples=EXAMPLES, action="doctor.doctor")
@json_option
def doctor() -> None:
    """Try the sandbox. List what protects this machine from bots, what is missing, and the languages that bots can use.

    Exit status 1 if the sandbox does not work, or is weak.
    """
