"""The verbs of the command `ludus`: one module each, with SECTION, SUMMARY and COMMAND.

A verb's module is imported only when that verb is used, so it imports what it needs at its top. The first help page
reads the SECTION and SUMMARY of each verb from its source, and imports none of them.
"""

from __future__ import annotations

import pkgutil
import re
from typing import Any

import click

SECTIONS = ("Play", "Understand", "Compete", "For courses and scripts", "Measure")
"""The headings of the first help page, in their order."""


def names() -> list[str]:
    """Return the names of all verbs."""
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__))


def headline(name: str) -> tuple[str, str]:
    """Return the SECTION and the SUMMARY of a verb, without importing it."""
    source = pkgutil.get_data(__name__, f"{name.replace('-', '_')}.py") or b""
    constants = dict(re.findall(r'^(SECTION|SUMMARY) = "(.+)"$', source.decode(), re.MULTILINE))
    return constants["SECTION"], constants["SUMMARY"]


class Verb(click.Command):
    """A verb whose examples keep their lines on its help page."""

    def __init__(self, *args: Any, examples: str = "", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.examples = examples

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb; turn Ctrl-C into click's Abort here, since click itself would print an empty line first."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the examples."""
        if self.examples:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" for line in self.examples.strip().splitlines()))
