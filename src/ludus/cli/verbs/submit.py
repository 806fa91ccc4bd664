"""`ludus submit`: hands a bot in to a web arena, follows its check, and challenges someone if asked to."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludus.cli.arguments import check_game, json_option
from ludus.cli.output import echo
from ludus.cli.verbs import Verb
from ludus.cli.verbs.check import show, summary
from ludus.errors import UserError

if TYPE_CHECKING:
    from ludus.check import Report
    from ludus.cli.arena import ArenaClient

EXAMPLES = """
ludus submit mybot/                                    to the arena on this machine, with the token in LUDUS_TOKEN
ludus submit mybot/ --to https://arena.example --name 'Deep Tile'
ludus submit homework3.py --game fruit-rage
ludus submit mybot/ --challenge greedy                 onto the ladder, and a rated challenge
"""


def optional_game(ctx: click.Context, param: click.Parameter, name: str | None) -> str | None:
    """Check that there is such a game, where one is named."""
    return check_game(ctx, param, name) if name else None


@click.command(
    cls=Verb, section="For courses and scripts", examples=EXAMPLES, short_help="hand a bot in to a web arena"
)
@click.argument("bot", metavar="BOT")
@click.option("--to", metavar="ADDRESS", help="Where the arena is.  [default: LUDUS_ARENA, or http://127.0.0.1:8000]")
@click.option("--token", help="From your account page.  [default: LUDUS_TOKEN, or your file submit.toml]")
@click.option("--name", help="What it is called there; the same name again is a new version.  [default: its own name]")
@click.option("--game", metavar="GAME", callback=optional_game, help="Where its bot.toml does not say.")
@click.option("--protocol", metavar="NAME", help="How it is spoken to, where that is not recognised.")
@click.option("--challenge", metavar="NAME", help="Put it on the ladder, and challenge this player or bot.")
@click.option("--unrated", is_flag=True, help="Let the challenge not count for the ladder.")
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
    """Hand BOT in to a web arena, and say what its check found.

    BOT is a folder or an archive with bot.toml, or a single source file. Exit status 1 if the check rejects it. The
    token may stand, with the address, in submit.toml of ludus in your configuration folder: to = "...", token = "...".
    """
    from ludus.bots import read_bot  # noqa: PLC0415 - the help page does without
    from ludus.bots.source import read_source  # noqa: PLC0415
    from ludus.check import game_of  # noqa: PLC0415
    from ludus.cli.arena import ArenaClient  # noqa: PLC0415

    arena = ArenaClient(to, token)
    path, made = Path(bot), read_bot(bot, protocol)
    played, read, most = game_of(made, game), read_source(path), arena.ask("/api/limits")["bot"]
    if sum(len(one.data) for one in read.values()) > most:
        raise UserError("cli.upload_too_large", path=path, megabytes=most >> 20, address=arena.address)
    files = [{"name": file, "data": base64.b64encode(one.data).decode()} for file, one in read.items()]
    wanted = {"files": files, "name": name or made.name, "game": played, "protocol": protocol, "source": bot}
    handed = arena.ask("/api/bots", wanted)
    place = f"/api/bots/{handed['id']}"
    echo(f"{handed['name']}, version {handed['version']}, at {arena.address}/bots/{handed['id']}", err=True)
    for told in arena.news(f"{place}/versions/{handed['version']}/events"):
        if told.get("progress") and not as_json:
            echo(f"  {told['progress']['text']}", err=True)
    found = arena.ask(f"{place}/versions/{handed['version']}")
    document = {**handed, "state": found["state"], "findings": found["findings"]}
    passed = found["state"] == "passed"
    if not as_json:
        print_check(handed, found)
    if passed and challenge:
        document["challenge"] = meet(arena, place, challenge, rated=not unrated, quiet=as_json)
    if as_json:
        echo(json.dumps(document))
    return 0 if passed else 1


def print_check(handed: dict[str, Any], found: dict[str, Any]) -> None:
    """Print what a check found, as `ludus check` does."""
    report = report_of(handed, found)
    findings, report.findings = report.findings, []
    for finding in findings:
        report.findings.append(finding)
        show(report, finding)
    summary(report)


def report_of(handed: dict[str, Any], found: dict[str, Any]) -> Report:
    """Make the report of a check that was made elsewhere; of its times only the steps are known."""
    from ludus.check import Finding, Report  # noqa: PLC0415 - the help page does without

    class Told(Report):
        def histogram(self) -> list[tuple[float, float, int]]:
            return [(step["low"], step["high"], step["moves"]) for step in found["histogram"]]

    moves = sum(step["moves"] for step in found["histogram"])
    return Told(
        handed["name"],
        handed["game"],
        found["protocol"],
        found["clock"] or "?",
        [Finding.from_json(finding) for finding in found["findings"]],
        [0.0] * moves,
        games=[0.0] * found["games"],
    )


def meet(arena: ArenaClient, place: str, defender: str, *, rated: bool, quiet: bool) -> dict[str, Any]:
    """Challenge someone, follow it, and give how it went."""
    if rated:
        arena.ask(f"{place}/enter", {})
    made = arena.ask(f"{place}/challenges", {"defender": defender, "rated": rated})
    echo(f"\n{arena.address}/challenge/{made['id']}", err=True)
    for told in arena.news(f"/api/challenges/{made['id']}/events"):
        progress = told.get("progress") or {}
        if progress.get("done") and not quiet:
            number = 2 * progress["board"] + progress["seats"] + 1
            echo(f"  game {number} of {2 * progress['pairs']} is over", err=True)
    found: dict[str, Any] = arena.ask(f"/api/challenges/{made['id']}")
    if found["error"]:
        raise UserError("cli.challenge_failed", problem=found["error"])
    if not quiet:
        first, second = found["score"] or (0, 0)
        echo(f"{found['challenger']['name']} {first:g}, {defender} {second:g}")
        for before, after in [found["ranks"][found["challenger"]["player"]]] if found["ranks"] else []:
            echo(f"rank {before}" if before == after else f"rank {before}, now {after}")
    return found


COMMAND = submit
