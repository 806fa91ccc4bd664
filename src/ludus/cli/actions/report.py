"""`ludus report`, run: a PDF about a bot, a game or a tournament, or its source to edit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.check import game_of
from ludus.cli.live import Watch
from ludus.cli.output import echo, rendered
from ludus.errors import UserError
from ludus.game import read_options
from ludus.messages import Message
from ludus.play.record import Record
from ludus.players import find_bot
from ludus.reports import make_pdf, write_source
from ludus.reports.bot import BotReportOptions, bot_report
from ludus.reports.game import game_report
from ludus.reports.tournament import find, tournament_report

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludus.play.clock import Clock
    from ludus.reports import ProgressCallback, Report


def about_bot(
    *,
    bot: str,
    game: str | None,
    options: tuple[str, ...],
    opponents: tuple[str, ...],
    clock: Clock | None,
    trust: bool,
    out: str | None,
    form: str,
    language: str,
    **figures: Any,
) -> int:
    """Write the report of a bot; `figures` are those of BotReportOptions with the same names."""
    found = find_bot(bot)
    if found is None and game is None:
        raise UserError("reports.which_game", bot=bot)
    wanted = BotReportOptions(
        player=bot,
        game=game_of(found, game) if found is not None else str(game),
        options=read_options(options),
        opponents=tuple(each for text in opponents for each in split_players(text)),
        clock=clock.text if clock is not None else None,
        trusted=trust,
        **figures,
    )
    return write(lambda progress: bot_report(wanted, progress), out, form, language)


def split_players(text: str) -> list[str]:
    """Return a list of players, split at its commas; those within a player's options, as in `a:x=1,y=2`, stay."""
    players: list[str] = []
    for word in text.split(","):
        if players and "=" in word and ":" not in word and ":" in players[-1]:
            players[-1] += f",{word}"
        elif word.strip():
            players.append(word.strip())
    return players


def about_game(*, record: str, nodes: int, out: str | None, form: str, language: str) -> int:
    """Write the report of a game."""
    read = Record.load(record)
    return write(lambda progress: game_report(read, nodes, progress), out, form, language)


def about_tournament(*, ledger: str, name: str | None, out: str | None, form: str, language: str) -> int:
    """Write the report of a tournament."""
    found = find(ledger, name)
    return write(lambda _progress: tournament_report(found), out, form, language)


def write(gather: Callable[[ProgressCallback], Report], out: str | None, form: str, language: str) -> int:
    """Gather a report with its progress on standard error, and write it as PDF or leave its source."""
    source = form == "typ"
    target = Path(out or ("report" if source else "report.pdf"))
    check_place(target, source=source)
    with Watch() as watch:

        def progress(step: str, done: int, total: int) -> None:
            line = Message(f"cli.report.{step}", done=done, total=total)
            watch.show(lambda: rendered(line), lambda: line)

        report = gather(progress)
    if source:
        echo(Message("cli.report.source", file=write_source(report, target, language)), err=True)
    else:
        write_pdf(report, target, language)
    return 0


def write_pdf(report: Report, target: Path, language: str) -> None:
    """Write a PDF, and say what there is to know about it."""
    for note in make_pdf(report, target, language):
        echo(Message("cli.note", note=note), err=True)
    echo(Message("cli.report.written", file=target), err=True)


def check_place(out: Path, *, source: bool) -> None:
    """Refuse a place that cannot be written to, before any game is played for it."""
    if source and (out / "report.typ").exists():
        raise UserError("reports.source_exists", file=str(out / "report.typ"))
    if source and out.is_file():
        raise UserError("reports.out_is_file", path=str(out))
    if not source and out.is_dir():
        raise UserError("reports.out_is_folder", path=str(out), example=str(out / "report.pdf"))
    if not source and not out.absolute().parent.is_dir():
        raise UserError("reports.no_folder", path=str(out))
