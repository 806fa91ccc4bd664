"""The verbs of the command `ludus`: one module each, with SECTION, SUMMARY and a command of its name.

A verb's module is imported only when that verb is used. The first help page reads the SECTION and SUMMARY of each verb
from its source, and imports none of them; EXTRA names the extra of the package that a verb needs, and is read the same
way. Where a verb needs much, its module has only the arguments and the help; a module of `ludus.cli.actions` does the
work, and is imported when the verb runs. All imports are at the top of a module.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import Any

import click

from ludus.errors import UserError
from ludus.messages import Message

SECTIONS = ("Play", "Analyse", "Write a bot", "Compete", "Teach", "Run an arena", "Research")
"""The headings of the first help page, in their order."""


def names() -> list[str]:
    """Return the names of all verbs."""
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__))


def headline(name: str) -> dict[str, str]:
    """Return the SECTION, the SUMMARY and the EXTRA of a verb, without importing it."""
    source = pkgutil.get_data(__name__, f"{name.replace('-', '_')}.py") or b""
    return dict(re.findall(r'^(SECTION|SUMMARY|EXTRA) = "(.+)"$', source.decode(), re.MULTILINE))


class Verb(click.Command):
    """A verb whose examples keep their lines on its help page.

    `action` names the function that does the work, as `MODULE.FUNCTION` of `ludus.cli.actions`; the decorated function
    has nothing but the help then.
    """

    def __init__(self, *args: Any, examples: str = "", action: str = "", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.examples = examples
        if action:
            self.callback = lambda **given: run_action(action, given)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; refuse those that are too many in our own words."""
        ctx.allow_extra_args = True
        rest = super().parse_args(ctx, args)
        if rest and not isinstance(self, click.Group):
            problem = Message("cli.extra_argument", text=repr(rest[0]))
            raise UserError("cli.see_help", problem=problem, command=ctx.command_path)
        return rest

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


class VerbGroup(Verb, click.Group):
    """A verb with subcommands."""


def run_action(action: str, given: dict[str, Any]) -> Any:
    """Import the function that does the work of a verb, and call it."""
    module, _, function = action.partition(".")
    return getattr(importlib.import_module(f"ludus.cli.actions.{module}"), function)(**given)
