"""The verbs of the command `ludus`, a module each, found by its name; each brings its COMMAND."""

from __future__ import annotations

from typing import Any

import click

SECTIONS = ("Play", "Understand", "Compete", "For courses and scripts", "Measure")
"""Under what heading the first help page can list a verb, in this order."""


class Verb(click.Command):
    """A verb with its heading on the first help page, and with examples that keep their lines."""

    def __init__(self, *args: Any, section: str, examples: str = "", **settings: Any) -> None:
        super().__init__(*args, **settings)
        assert section in SECTIONS
        self.section = section
        self.examples = examples

    def invoke(self, ctx: click.Context) -> Any:
        """Do it; Ctrl-C passes click as what it would make of it, without the empty line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the examples as they are."""
        if self.examples:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" for line in self.examples.strip().splitlines()))
