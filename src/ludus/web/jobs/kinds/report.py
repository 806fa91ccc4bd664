"""The report of a version of a bot, as PDF: a few games against its course's opponents, and those of its challenges.

Made in its owner's language and kept with the version, so that it goes with the bot; made anew only when there is
something new to say. The bot runs in the sandbox, as everywhere.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.messages import Message
from ludus.play.result import GameResult
from ludus.rating.challenge_ladder import CLOCK
from ludus.store.accounts import Accounts
from ludus.store.bots import BotStore, version_text
from ludus.store.challenges import DONE, Challenges
from ludus.store.matches import Matches
from ludus.web.bots.submissions import kept_bot
from ludus.web.jobs.kinds import Desk, kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludus.store.bots import Submitted
    from ludus.store.challenges import Challenge, ChallengeGame

KIND = "report"
GAMES = 4
"""Against each opponent, from both seats alike: few, so that a quick bot is done within a minute."""
NODES = 5_000
"""That each position of a review is worth."""
MOST_CHALLENGES = 10
"""That are looked back at: the newest."""


@kind(KIND, seconds=2 * 3600, urgent=True)
def write_report(desk: Desk, bot: int, version: int) -> dict[str, Any]:
    """Play, judge and print; what the kept report says already is not made again."""
    from ludus.reports import make_pdf  # noqa: PLC0415 - the server itself does without
    from ludus.reports.bot import Wish, bot_report  # noqa: PLC0415

    with ExitStack() as leaving:
        store = leaving.enter_context(closing(BotStore(desk.database)))
        accounts = leaving.enter_context(closing(Accounts(desk.database)))
        challenges = leaving.enter_context(closing(Challenges(desk.database)))
        made, submitted, kept = kept_bot(store, bot, version), store.find(bot), store.version(bot, version)
        assert submitted is not None
        assert kept is not None
        language, told = language_of(accounts, submitted), challenges_of(challenges, bot, version)
        source = source_of(language, told)
        if source == kept.paper_of:
            return {}
        wish = Wish(
            player=version_text(bot, version),
            game=submitted.game,
            games=GAMES,
            clock=CLOCK,
            nodes=NODES,
            versions=0,
            jobs=1,
            bot=made,
            elsewhere=tuple(_played(desk, store, challenges, told, made.name, submitted)),
        )
        report = bot_report(wish, desk.stages())
        folder = Path(leaving.enter_context(tempfile.TemporaryDirectory(prefix="ludus-paper-")))
        make_pdf(report, folder / "report.pdf", "zh" if language.startswith("zh") else "en")
        store.change_version(bot, version, paper=(folder / "report.pdf").read_bytes(), paper_of=source)
        return {}


def language_of(accounts: Accounts, bot: Submitted) -> str:
    """Give the language of a bot's owner."""
    owner = accounts.account(bot.owner) if bot.owner is not None else None
    return owner.language if owner else "en"


def challenges_of(challenges: Challenges, bot: int, version: int) -> list[Challenge]:
    """Give the challenges of a version that are over and that its report tells of, the newest first."""
    found = [one for one in challenges.of(bot) if one.state == DONE and version in _versions(one, bot)]
    return found[:MOST_CHALLENGES]


def _versions(one: Challenge, bot: int) -> tuple[int | None, ...]:
    """Give the version that a bot met a challenge with."""
    return (one.challenger_version,) if one.challenger_id == bot else (one.defender_version,)


def source_of(language: str, told: list[Challenge]) -> str:
    """Give what a report of a version is made from; another text, and it would say something else."""
    return " ".join([language, *(one.id for one in told)])


def _played(
    desk: Desk, store: BotStore, challenges: Challenges, told: list[Challenge], name: str, bot: Submitted
) -> Iterator[GameResult]:
    """Give the games of challenges as a ledger has them; their boards follow those of the report itself."""
    board = (GAMES + 1) // 2
    with closing(Matches(desk.database)) as matches:
        for one in told:
            called = {**store.names([one.challenger, one.defender]), bot.text: name}
            both = [called.get(text, text) for text in (one.challenger, one.defender)]
            for game in challenges.games(one.id):
                kept = matches.load(game.match)
                if kept is not None:
                    yield _result(one, game, both, board, kept.record)
            board += one.pairs


def _result(one: Challenge, game: ChallengeGame, both: list[str], board: int, record: str) -> GameResult:
    first, second = both if game.seats == 0 else both[::-1]
    return GameResult(
        pairing=one.id,
        board=board + game.board,
        seats=game.seats,
        first=first,
        second=second,
        winner=None if game.points not in (0, 1) else game.seats if game.points == 1 else 1 - game.seats,
        reason=game.reason,
        fault=game.fault,
        fault_message=Message.from_json(game.fault_message) if game.fault_message else None,
        record=record,
    )
