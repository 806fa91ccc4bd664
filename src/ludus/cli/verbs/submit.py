"""`ludus submit`: upload a bot to a web arena, follow its check, and start a challenge if asked to."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import click

from ludus.bots import read_bot
from ludus.bots.source import read_source
from ludus.check import CheckReport, Finding, game_of
from ludus.cli.arguments import json_option, source_options
from ludus.cli.output import echo, echo_json, rendered
from ludus.cli.verbs import Verb
from ludus.cli.verbs.check import FindingPrinter, summary
from ludus.client import ArenaClient, arena_message
from ludus.errors import UserError
from ludus.messages import Message

SECTION = "Write a bot"
SUMMARY = "upload a bot to a web arena"
EXAMPLES = """
ludus submit mybot/                                    to the arena on this machine, with the token in LUDUS_TOKEN
ludus submit mybot/ --to https://arena.example --name 'Deep Tile'
ludus submit homework3.py --game fruit-rage
ludus submit mybot/ --challenge greedy                 join the ladder and play a rated challenge
"""


@click.command(cls=Verb, examples=EXAMPLES)
@click.argument("bot", metavar="BOT")
@click.option(
    "--to", metavar="ADDRESS", help="The address of the arena.  [default: LUDUS_ARENA, or http://127.0.0.1:8000]"
)
@click.option("--token", help="A token from your account page.  [default: LUDUS_TOKEN, or submit.toml]")
@click.option(
    "--name", help="The name in the arena; an existing bot gets a new version.  [default: the bot's own name]"
)
@source_options
@click.option("--challenge", metavar="NAME", help="Join the ladder and challenge this player or bot.")
@click.option("--unrated", is_flag=True, help="Do not count the challenge for the ladder.")
@json_option
def submit(
    *,
    bot: str,
    to: str | None,
    token: str | None,
    name: str | None,
    game: str | None,
    protocol: str | None,
    challenge: str | None,
    unrated: bool,
    as_json: bool,
) -> int:
    """Upload BOT to a web arena, and print the results of its check.

    BOT is a folder or an archive with bot.toml, or a single source file. Exit status 1 if there are problems to fix.
    The address and the token can be in ludus/submit.toml in your configuration folder: to = "...", token = "...".
    """
    arena = ArenaClient(to, token)
    path, made = Path(bot), read_bot(bot, protocol)
    played, read, most = game_of(made, game), read_source(path), arena.ask("/api/limits")["bot"]
    if sum(len(one.data) for one in read.values()) > most:
        raise UserError("cli.bot_too_large", path=str(path), megabytes=most >> 20, address=arena.address)
    files = [{"name": file, "data": base64.b64encode(one.data).decode()} for file, one in read.items()]
    wanted = {"files": files, "name": name or made.name, "game": played, "protocol": protocol, "source": bot}
    uploaded = arena.ask("/api/bots", wanted)
    place = f"/api/bots/{uploaded['id']}"
    address = f"{arena.address}/bots/{uploaded['id']}"
    echo(Message("cli.submit.uploaded", name=uploaded["name"], version=uploaded["version"], address=address), err=True)
    for event in arena.events(f"{place}/versions/{uploaded['version']}/events"):
        if event.get("progress") and not as_json:
            echo(f"  {rendered(arena_message(event['progress'], 'text'))}", err=True)
        if event["over"]:
            break
    found = arena.ask(f"{place}/versions/{uploaded['version']}")
    document = {**uploaded, "state": found["state"], "findings": found["findings"]}
    passed = found["state"] == "passed"
    if not as_json:
        print_check(uploaded, found)
    if passed and challenge:
        document["challenge"] = play_challenge(arena, place, challenge, rated=not unrated, quiet=as_json)
    if as_json:
        echo_json(document)
    return 0 if passed else 1


def print_check(uploaded: dict[str, Any], found: dict[str, Any]) -> None:
    """Print what a check found, as `ludus check` does."""
    report, printer = report_of(uploaded, found), FindingPrinter()
    for finding in report.findings:
        printer.show(finding)
    summary(report)


def report_of(uploaded: dict[str, Any], found: dict[str, Any]) -> CheckReport:
    """Return the report of a check that ran in the arena; of its times only the histogram is known."""

    class ArenaReport(CheckReport):
        def histogram(self) -> list[tuple[float, float, int]]:
            return [(step["low"], step["high"], step["moves"]) for step in found["histogram"]]

    moves = sum(step["moves"] for step in found["histogram"])
    return ArenaReport(
        uploaded["name"],
        uploaded["game"],
        found["protocol"],
        found["clock"] or "?",
        [Finding.model_validate(finding) for finding in found["findings"]],
        [0.0] * moves,
        games=[0.0] * found["games"],
    )


def play_challenge(arena: ArenaClient, place: str, defender: str, *, rated: bool, quiet: bool) -> dict[str, Any]:
    """Challenge someone, follow the games, and return the result."""
    if rated:
        arena.ask(f"{place}/enter", {})
    started = arena.ask(f"{place}/challenges", {"defender": defender, "rated": rated})
    echo(f"\n{arena.address}/challenge/{started['id']}", err=True)
    for event in arena.events(f"/api/challenges/{started['id']}/events"):
        progress = event.get("progress") or {}
        if progress.get("done") and not quiet:
            number = 2 * progress["board"] + progress["seats"] + 1
            echo(Message("cli.submit.game_over", number=number, total=2 * progress["pairs"]), err=True)
        if event["over"]:
            break
    found: dict[str, Any] = arena.ask(f"/api/challenges/{started['id']}")
    if found["error"]:
        raise UserError("cli.challenge_failed", why=arena_message(found, "error"))
    if not quiet:
        first, second = found["score"] or (0, 0)
        echo(f"{found['challenger']['name']} {first:g}, {defender} {second:g}")
        for before, after in [found["ranks"][found["challenger"]["player"]]] if found["ranks"] else []:
            echo(
                Message("cli.submit.rank", rank=after)
                if before == after
                else Message("cli.submit.new_rank", before=before, rank=after)
            )
    return found
