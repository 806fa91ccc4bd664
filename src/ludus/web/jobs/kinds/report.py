"""The report about a version of a bot, as PDF: games against the opponents of its course, and those of its challenges.

It is in the language of the owner, and stored with the version, so that it is removed with the bot. It is written again
only when there is something new. The bot runs in the sandbox.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any

from ludus.files import ScratchFolder
from ludus.messages import Message
from ludus.play.result import GameResult
from ludus.rating.challenge_ladder import CLOCK
from ludus.reports import make_pdf
from ludus.reports.bot import BotReportOptions, bot_report
from ludus.store.accounts import Accounts
from ludus.store.bots import BotStore, StoredBot, version_text
from ludus.store.challenges import DONE, Challenge, ChallengeGame, Challenges
from ludus.store.matches import Matches
from ludus.web.bots.submissions import stored_bot
from ludus.web.jobs.kinds import JobContext, job_kind

KIND = "report"
GAMES = 4
"""Games against each opponent, half of them from each seat: few, so that a quick bot takes less than a minute."""
NODES = 5_000
"""Nodes that the engine searches for each position of a review."""
MOST_CHALLENGES = 10
"""How many challenges a report covers: the newest."""


@job_kind(KIND, seconds=2 * 3600, urgent=True)
def write_report(context: JobContext, bot: int, version: int) -> dict[str, Any]:
    """Write the report of a version, unless it would say the same as the stored one."""
    with ExitStack() as stack:
        store = stack.enter_context(closing(BotStore(context.database)))
        accounts = stack.enter_context(closing(Accounts(context.database)))
        challenges = stack.enter_context(closing(Challenges(context.database)))
        loaded, submitted, stored = stored_bot(store, bot, version), store.find(bot), store.version(bot, version)
        assert submitted is not None
        assert stored is not None
        language, covered = language_of(accounts, submitted), challenges_of(challenges, bot, version)
        source = source_of(language, covered)
        if source == stored.paper_of:
            return {}
        options = BotReportOptions(
            player=version_text(bot, version),
            game=submitted.game,
            games=GAMES,
            clock=CLOCK,
            nodes=NODES,
            versions=0,
            jobs=1,
            bot=loaded,
            elsewhere=tuple(_results(context, store, challenges, covered, loaded.name, submitted)),
        )
        report = bot_report(options, context.stage_reporter())
        folder = stack.enter_context(ScratchFolder())
        make_pdf(report, folder / "report.pdf", "zh" if language.startswith("zh") else "en")
        store.change_version(bot, version, paper=(folder / "report.pdf").read_bytes(), paper_of=source)
        return {}


def language_of(accounts: Accounts, bot: StoredBot) -> str:
    """Return the language of the owner of a bot."""
    owner = accounts.account(bot.owner) if bot.owner is not None else None
    return owner.language if owner else "en"


def challenges_of(challenges: Challenges, bot: int, version: int) -> list[Challenge]:
    """Return the finished challenges of a version that its report covers, the newest first."""
    done = [one for one in challenges.of(bot) if one.state == DONE]
    versions = [one.challenger_version if one.challenger_id == bot else one.defender_version for one in done]
    return [one for one, played in zip(done, versions, strict=True) if played == version][:MOST_CHALLENGES]


def source_of(language: str, challenges: list[Challenge]) -> str:
    """Return what a report is written from, as a text: if the text is the same, so is the report."""
    return " ".join([language, *(one.id for one in challenges)])


def _results(
    context: JobContext, store: BotStore, challenges: Challenges, covered: list[Challenge], name: str, bot: StoredBot
) -> Iterator[GameResult]:
    """Yield the games of challenges; their boards are numbered after those of the games that the report plays."""
    board = (GAMES + 1) // 2
    with closing(Matches(context.database)) as matches:
        for one in covered:
            names = {**store.names([one.challenger, one.defender]), bot.text: name}
            both = [names.get(text, text) for text in (one.challenger, one.defender)]
            for game in challenges.games(one.id):
                stored = matches.load(game.match)
                if stored is not None:
                    yield _result(one, game, both, board, stored.record)
            board += one.pairs


def _result(one: Challenge, game: ChallengeGame, both: list[str], board: int, record: str) -> GameResult:
    first, second = both if game.seats == 0 else both[::-1]
    winner = None if game.points not in (0, 1) else game.seats if game.points == 1 else 1 - game.seats
    return GameResult(
        pairing=one.id,
        board=board + game.board,
        seats=game.seats,
        first=first,
        second=second,
        winner=winner,
        reason=game.reason,
        fault=game.fault,
        fault_message=Message.from_json(game.fault_message) if game.fault_message else None,
        moves=game.moves,
        record=record,
    )
