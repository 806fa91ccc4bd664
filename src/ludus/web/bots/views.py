"""What pages show of bots, versions, ladders and challenges, as typed JSON. Knows no HTTP and no database."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import Field

from ludus.check import Finding, each_stored, verdict_of
from ludus.messages.fields import MessageField
from ludus.rating.challenge_ladder import CLOCK, MOST_A_DAY, PAIRS, REACH
from ludus.store.bots import BotVersion
from ludus.tournament.view import RatingView
from ludus.view import View


class PlayerView(View):
    """A player: its text, and the name of a bot; a bot that was removed has none."""

    player: str
    name: str | None = None


class BotSummaryView(View):
    """A bot in a list."""

    id: int
    player: str
    name: str | None
    game: str
    owner: str | None = None
    mine: bool = False
    public: bool = False
    entered: bool = False
    version: int | None = None
    """The version that plays."""
    newest: int | None = None
    state: str | None = None
    """The state of the newest version."""
    rank: int | None = None


class VersionSummaryView(View):
    """A version in a list."""

    number: int
    state: str
    protocol: str
    language: str
    created: datetime
    faults: int = 0
    warnings: int = 0


class ChallengeSummaryView(View):
    """A challenge in a list."""

    id: str
    game: str
    challenger: PlayerView
    defender: PlayerView
    rated: bool
    state: str
    score: tuple[float, float] | None = None
    ranks: dict[str, tuple[int | None, int | None]] | None = None
    created: datetime


class BotRatingPointView(View):
    """The rating after a challenge."""

    at: datetime
    version: int
    rating: RatingView


class BotView(BotSummaryView):
    """A bot with everything that its page shows."""

    versions: list[VersionSummaryView] = []
    challenges: list[ChallengeSummaryView] = []
    history: list[BotRatingPointView] = []
    rating: RatingView | None = None
    sees: list[str] = []
    """What the viewer may see or do: checks, logs, change, remove."""


class HistogramBinView(View):
    """How many moves took between `low` and `high` seconds."""

    low: float = Field(validation_alias="from")
    high: float = Field(validation_alias="to")
    moves: int


class VersionView(VersionSummaryView):
    """A version with the report of its check."""

    clock: str | None = None
    games: int = 0
    slowest: float | None = None
    findings: list[Finding] = []
    histogram: list[HistogramBinView] = []
    log: str = ""
    """The output of the compiler; for the owner only."""


class ChallengeGameView(View):
    """A game of a challenge."""

    board: int
    seats: int
    match: str
    points: float
    margin: int = 0
    reason: str
    fault: str = ""
    fault_message: MessageField | None = None
    """The fault as data; games stored by older versions have none."""
    moves: int
    used: tuple[float, float]


class ChallengeView(ChallengeSummaryView):
    """A challenge with its games."""

    pairs: int
    clock: str
    versions: tuple[int, int | None]
    """The versions of the challenger and, if it is a bot, of the defender."""
    games: list[ChallengeGameView] = []
    playing: str | None = None
    """The name of the match that is being played."""
    moves: int = 0
    error: str | None = None
    message: MessageField | None = None
    """The error as data."""
    ratings: dict[str, RatingView] = {}
    """The ratings of both after it."""
    logs: list[str] = []
    """Whose logs the viewer may download: challenger, defender."""


class LadderRowView(PlayerView):
    """A rank of a ladder."""

    rank: int
    owner: str | None = None
    mine: bool = False
    fixed: bool = False
    """Whether it is a built-in player."""
    won: int = 0
    drawn: int = 0
    lost: int = 0
    rating: RatingView | None = None


class ChallengeOptionsView(PlayerView):
    """A bot of the viewer, and why it may not challenge each player; an empty text means that it may."""

    rank: int | None = None
    why_not: dict[str, str] = {}
    why_not_messages: dict[str, MessageField] = {}


class LadderRules(View):
    """The numbers in the rules of a ladder."""

    reach: int = REACH
    pairs: int = PAIRS
    clock: str = CLOCK
    most_a_day: int = MOST_A_DAY


class LadderView(View):
    """A ladder."""

    game: str
    rules: LadderRules = LadderRules()
    lines: list[LadderRowView]
    mine: list[ChallengeOptionsView] = []
    challenges: list[ChallengeSummaryView] = []


def rating_view(numbers: Sequence[float] | None) -> RatingView | None:
    """Return a stored rating: Elo, low, high and games."""
    fields = RatingView.model_fields
    return None if numbers is None else RatingView.model_validate(dict(zip(fields, numbers, strict=True)))


def version_summary(version: BotVersion) -> VersionSummaryView:
    """Return a version for a list."""
    verdict = verdict_of(finding["verdict"] for finding in (version.report or {}).get("findings", []))
    return VersionSummaryView.model_validate({**version.values, "faults": verdict.problems, "warnings": verdict.notes})


def version_view(version: BotVersion, *, logs: bool) -> VersionView:
    """Return a version with the report of its check; the output of the bot and its compiler only with `logs`."""
    report: dict[str, Any] = version.report or {}
    findings = copy.deepcopy(report.get("findings", []))
    for finding in () if logs else each_stored(findings):
        finding["log"] = ""
    own = {"findings": findings, "log": version.log if logs else ""}
    return VersionView.model_validate({**report, **dict(version_summary(version)), **own})
