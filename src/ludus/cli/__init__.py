"""The command `ludus`: finds its verbs, shows the map of them, and turns every error into one sentence.

Knows no game and no rule. A verb is a module of the folder `verbs`, imported when it is asked for.
"""

from __future__ import annotations

import importlib
import io
import os
import pkgutil
import sys
from typing import TYPE_CHECKING, Any

import click

import ludus
from ludus.cli import verbs
from ludus.cli.arguments import did_you_mean
from ludus.cli.output import echo
from ludus.errors import Fault
from ludus.messages import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

DONE, BAD_INPUT, INTERRUPTED, PIPE_CLOSED = 0, 2, 130, 141


class UnknownVerb(click.UsageError):
    """A verb that there is not; `suggested` says whether the sentence asks about another."""

    def __init__(self, message: str, ctx: click.Context, *, suggested: bool) -> None:
        super().__init__(message, ctx)
        self.suggested = suggested


class Verbs(click.Group):
    """The verbs, imported one by one."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's interface
        """Give the names of all verbs."""
        return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(verbs.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> verbs.Verb | None:
        """Import a verb."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: verbs.Verb = importlib.import_module(f"ludus.cli.verbs.{cmd_name.replace('-', '_')}").COMMAND
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb that the arguments begin with."""
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-"):
            near = did_you_mean(name, known)
            message = Message("cli.no_such_verb", name=repr(name), verbs=known, suggestion=near)
            raise UnknownVerb(str(message), ctx, suggested=bool(near))
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the map of the product."""
        from ludus.players import players  # noqa: PLC0415 - only this page needs it

        formatter.write_text("Ludus: the arena for two-player board-game AI.")
        formatter.write_paragraph()
        formatter.write_text("Usage: ludus VERB ...        ludus VERB --help tells more")
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        for section in verbs.SECTIONS:
            rows = [(name, verb.short_help or "") for name, verb in found if verb and verb.section == section]
            if rows:
                with formatter.section(section):
                    formatter.write_dl(rows)
        with formatter.section("Names"):
            formatter.write_dl([("games", ", ".join(ludus.games())), ("players", ", ".join(players()))])
        with formatter.section("To begin"):
            formatter.write_text("ludus play chain-reaction")


def print_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    """Write the version and stop."""
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - slow to import, and seldom needed

        echo(f"ludus {version('ludus')}")
        ctx.exit()


@click.command(cls=Verbs, invoke_without_command=True, add_help_option=True)
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=print_version)
@click.pass_context
def app(ctx: click.Context) -> None:
    """Ludus: the arena for two-player board-game AI."""
    if ctx.invoked_subcommand is None:
        echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the answer is its exit status."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a strange byte or terminal is no reason to stop
    try:
        status: Any = app.main(arguments, prog_name="ludus", standalone_mode=False)
        sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        return complain("stopped", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left to flush goes nowhere
        return PIPE_CLOSED
    except click.exceptions.NoArgsIsHelpError as error:
        echo(error.format_message(), err=True)
        return BAD_INPUT
    except click.ClickException as error:
        return complain(usage(error), BAD_INPUT)
    except OSError as error:
        return complain(reason(error), BAD_INPUT)
    except (ValueError, Fault) as error:
        return complain(str(error), BAD_INPUT)
    return status if isinstance(status, int) else DONE


def complain(sentence: str, status: int) -> int:
    """Say what is wrong, on one line, whatever it quotes."""
    line = "".join(char if char.isprintable() else " " for char in sentence)
    echo(f"ludus: {' '.join(line.split())}", err=True)
    return status


def reason(error: OSError) -> str:
    """Say why a file could not be used."""
    what = (error.strerror or str(error)).lower()
    return f"{error.filename}: {what}" if error.filename else what


def usage(error: click.ClickException) -> str:
    """Put what click says about a wrong command line into one sentence."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "ludus"
    suggested = False
    match error:
        case click.NoSuchOption(option_name=name):
            known = [option for parameter in context.command.params for option in parameter.opts] if context else []
            near = did_you_mean(name, known)
            suggested = bool(near)
            sentence = str(Message("cli.unknown_option", verb=path, option=name, suggestion=near))
        case UnknownVerb():
            sentence, suggested = error.message, error.suggested
        case click.MissingParameter(param=click.Argument(human_readable_name=name)):
            sentence = f"{path} needs a {name}"
        case click.MissingParameter(param=click.Option(opts=names, metavar=what)):
            sentence = f"{path} needs {names[-1]} {what or ''}".rstrip()
        case click.BadParameter(param=click.Parameter() as parameter, message=message):
            shown = parameter.opts[-1] if isinstance(parameter, click.Option) else parameter.human_readable_name
            sentence = f"{shown}: {lower(message)}"
        case _:
            sentence = lower(error.format_message())
    return sentence if suggested else f"{sentence}; see {path} --help"


def lower(sentence: str) -> str:
    """Let a sentence go on after a colon."""
    return sentence[:1].lower() + sentence[1:].removesuffix(".")
