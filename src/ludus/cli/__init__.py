"""The command `ludus`: finds its verbs, lists them, and turns every error into one sentence.

Knows no game and no rule. A verb is a module of the folder `verbs`, imported only when it is used.
"""

from __future__ import annotations

import importlib
import io
import os
import re
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import click

import ludus
from ludus.cli import output, verbs
from ludus.cli.arguments import did_you_mean
from ludus.cli.output import echo, rendered
from ludus.errors import DiskFullError, Fault, UserError, is_disk_full, message_of
from ludus.messages import Message, is_language, verbatim
from ludus.players import players

if TYPE_CHECKING:
    from collections.abc import Sequence

DONE, BAD_INPUT, INTERRUPTED, PIPE_CLOSED = 0, 2, 130, 141


class Verbs(click.Group):
    """The verbs, each imported only when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's interface
        """Return the names of all verbs."""
        return verbs.names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a verb."""
        if cmd_name not in verbs.names():
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(importlib.import_module(f"ludus.cli.verbs.{name}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb that the arguments begin with."""
        name, known = args[0], verbs.names()
        if name not in known and not name.startswith("-"):
            raise UserError("cli.no_verb", name=repr(name), verbs=known, hint=did_you_mean(name, known, "ludus"))
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of verbs by section."""
        formatter.write_text("Ludus: the arena for two-player board-game AI.")
        formatter.write_paragraph()
        formatter.write_text("Usage: ludus VERB ...        See ludus VERB --help for each verb.")
        found = {name: verbs.headline(name) for name in verbs.names()}
        for heading in verbs.SECTIONS:
            with formatter.section(heading):
                formatter.write_dl([(name, at["SUMMARY"]) for name, at in found.items() if at["SECTION"] == heading])
        with formatter.section("Names"):
            formatter.write_dl([("games", ", ".join(ludus.games())), ("players", ", ".join(players()))])
        with formatter.section("Environment"):
            formatter.write_dl([("LUDUS_LANGUAGE", "the language of the output: en or zh; --help is in English")])
        with formatter.section("Start here"):
            formatter.write_text("ludus play chain-reaction")


def print_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
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
    """Run the command and return its exit status."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # an unknown byte or terminal must not stop the command
    if not is_language(output.LANGUAGE):
        complain(Message("cli.unknown_language", language=repr(output.LANGUAGE)), BAD_INPUT)
    try:
        status: Any = app.main(arguments, prog_name="ludus", standalone_mode=False)
        sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        return complain(Message("cli.stopped"), INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # drop what is left to flush
        return PIPE_CLOSED
    except click.exceptions.NoArgsIsHelpError as error:
        echo(error.format_message(), err=True)
        return BAD_INPUT
    except click.ClickException as error:
        return complain(usage(error), BAD_INPUT)
    except OSError as error:
        return complain(again(error) if is_disk_full(error) else reason(error), BAD_INPUT)
    except DiskFullError as error:
        return complain(again(error), BAD_INPUT)
    except ModuleNotFoundError as error:
        extra = extra_of(sys.argv[1:] if arguments is None else arguments)
        if extra is None or error.name is None or error.name.startswith("ludus"):
            raise
        return complain(Message("cli.missing_extra", package=error.name, extra=f"ludus[{extra}]"), BAD_INPUT)
    except (ValueError, Fault) as error:
        return complain(error.named if isinstance(error, Fault) else message_of(error), BAD_INPUT)
    except Exception as error:
        if not is_database_error(error):
            raise
        return complain(Message("ledger.failed", problem=str(error).partition("\n")[0]), BAD_INPUT)
    return status if isinstance(status, int) else DONE


def complain(problem: Message | str, status: int) -> int:
    """Print what is wrong, on one line, and return the exit status."""
    line = "".join(char if char.isprintable() else " " for char in rendered(problem))
    echo(f"ludus: {' '.join(line.split())}", err=True)
    return status


def reason(error: OSError) -> str:
    """Return why a file could not be used."""
    what = (error.strerror or str(error)).lower()
    return f"{error.filename}: {what}" if error.filename else what


def again(error: BaseException) -> Message:
    """Return that a disk is full, and what to do then."""
    return Message("cli.no_space", problem=message_of(error))


def extra_of(arguments: Sequence[str]) -> str | None:
    """Return the extra of the package that the verb of a command line needs."""
    verb = next((word for word in arguments if word in verbs.names()), None)
    return None if verb is None else verbs.headline(verb).get("EXTRA")


def is_database_error(error: Exception) -> bool:
    """Return whether an error comes from a database; its package is slow to import, and often not needed."""
    package = sys.modules.get("sqlalchemy.exc")
    return package is not None and isinstance(error, package.SQLAlchemyError)


def usage(error: click.ClickException) -> Message:
    """Return what is wrong with a command line, from click's error."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "ludus"
    match error:
        case click.NoSuchOption(option_name=name):
            known = [option for parameter in context.command.params for option in parameter.opts] if context else []
            return Message("cli.no_option", command=path, name=name, hint=did_you_mean(name, known, path))
        case click.MissingParameter(param=click.Argument(human_readable_name=name)):
            problem = Message("cli.needs_argument", command=path, name=name)
        case click.MissingParameter(param=click.Option(opts=names, metavar=what)):
            problem = Message("cli.needs_option", command=path, name=f"{names[-1]} {what or ''}".rstrip())
        case click.BadOptionUsage(option_name=name):
            problem = Message("cli.needs_value", name=name)
        case click.BadParameter(param=click.Parameter() as parameter) if wanted := wanted_value(parameter.type):
            shown = parameter.opts[-1] if isinstance(parameter, click.Option) else parameter.human_readable_name
            given = re.search(r"'.*?'|^\S+(?= is not)", error.message)  # click keeps the value nowhere else
            problem = Message("cli.bad_value", name=shown, wanted=wanted, value=given[0] if given else "")
        case _:
            problem = verbatim(lower(error.format_message()))
    return Message("cli.see_help", problem=problem, command=path)


def wanted_value(kind: click.ParamType[Any]) -> Message | None:
    """Return what a value of a type must be; None where only click knows."""
    match kind:
        case click.Choice(choices=choices):
            return Message("cli.a_choice", choices=list(choices))
        case click.IntRange(min=low, max=high) | click.FloatRange(min=low, max=high):
            number = Message("cli.a_whole_number" if isinstance(kind, click.IntRange) else "cli.a_number")
            if high is not None:
                return Message("cli.from_to", number=number, low=low or 0, high=high)
            return Message("cli.more_than" if kind.min_open else "cli.at_least", number=number, low=low or 0)
        case click.Path():
            return Message("cli.a_folder" if not kind.file_okay else "cli.a_path" if kind.dir_okay else "cli.a_file")
    return {click.INT: Message("cli.a_whole_number"), click.FLOAT: Message("cli.a_number")}.get(kind)


def lower(sentence: str) -> str:
    """Return a sentence as it continues after a colon."""
    return sentence[:1].lower() + sentence[1:].removesuffix(".")
