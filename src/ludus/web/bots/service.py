"""Bots and ladders as the arena has them: hand in, check, challenge, and how each is shown to whom.

Puts the store, the rules of the ladder and the jobs together; knows no HTTP. What a bot wrote on standard error, and
what its compiler said, is shown to its owner only.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from ludus.check import REJECT, Finding, verdict_of
from ludus.errors import UserError, message_of
from ludus.messages import Message
from ludus.players import players
from ludus.rating.challenge_ladder import (
    CLOCK,
    MOST_A_DAY,
    PAIRS,
    REACH,
    ChallengeLadder,
    day_before,
    fixed_points,
    identity,
)
from ludus.store.accounts import owner_of_account
from ludus.store.bots import (
    CHECKING,
    FAILED,
    LONGEST_NAME,
    PASSED,
    WAITING,
    BotStore,
    BotVersion,
    StoredBot,
    number_of,
    read_name,
)
from ludus.store.challenges import DONE, OPEN, Challenge, Challenges
from ludus.web.bots.submissions import FieldMissing
from ludus.web.matches.live import NotAllowed
from ludus.web.views import Picture, opponents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ludus.store.accounts import Account
    from ludus.store.jobs import Job
    from ludus.web.bots.submissions import Taken

MOST_SHOWN = 50


class PlayerPicture(Picture):
    """Who plays: a player's text, and a bot's name; one that was removed has none."""

    player: str
    name: str | None = None


class BotLine(Picture):
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
    """That of the newest version."""
    rank: int | None = None


class VersionLine(Picture):
    """A version in a list."""

    number: int
    state: str
    protocol: str
    language: str
    created: datetime
    faults: int = 0
    warnings: int = 0


class ChallengeLine(Picture):
    """A challenge in a list."""

    id: str
    game: str
    challenger: PlayerPicture
    defender: PlayerPicture
    rated: bool
    state: str
    score: tuple[float, float] | None = None
    ranks: dict[str, tuple[int | None, int | None]] | None = None
    created: datetime


class RatingPicture(Picture):
    """A strength in Elo with its 95% interval, and the games that it rests on."""

    elo: float
    low: float
    high: float
    games: int


class Moment(Picture):
    """A rating after a challenge."""

    at: datetime
    version: int
    rating: RatingPicture


class BotPicture(BotLine):
    """A bot with all that its page shows."""

    versions: list[VersionLine] = []  # noqa: RUF012 - pydantic gives each its own
    challenges: list[ChallengeLine] = []  # noqa: RUF012
    history: list[Moment] = []  # noqa: RUF012
    rating: RatingPicture | None = None
    sees: list[str] = []  # noqa: RUF012
    """What the looker may do or see: checks, logs, change, remove."""


class FindingPicture(Picture):
    """Something that a check found."""

    verdict: str
    text: str
    message: dict[str, Any] | None = None
    shows: str = ""
    command: str = ""
    log: str = ""


class StepCount(Picture):
    """How many moves took how long."""

    low: float
    high: float
    moves: int


class VersionPicture(VersionLine):
    """What is known of a version."""

    clock: str | None = None
    games: int = 0
    slowest: float | None = None
    findings: list[FindingPicture] = []  # noqa: RUF012
    histogram: list[StepCount] = []  # noqa: RUF012
    log: str = ""
    """What the compiler said; for the owner only."""


class GamePlayed(Picture):
    """A game of a challenge."""

    board: int
    seats: int
    match: str
    points: float
    margin: int = 0
    reason: str
    fault: str = ""
    fault_message: dict[str, Any] | None = None
    """The fault as data; games stored by older versions have none."""
    moves: int
    used: tuple[float, float]


class ChallengePicture(ChallengeLine):
    """A challenge with its games."""

    pairs: int
    clock: str
    versions: tuple[int, int | None]
    """Of the challenger and, where it is a bot, the defender."""
    games: list[GamePlayed] = []  # noqa: RUF012
    playing: str | None = None
    """The match that is being played."""
    moves: int = 0
    error: str | None = None
    message: dict[str, Any] | None = None
    """The error as data."""
    ratings: dict[str, RatingPicture] = {}  # noqa: RUF012
    """Of the two, after it."""
    logs: list[str] = []  # noqa: RUF012
    """Whose logs the looker may have: challenger, defender."""


class LadderLine(PlayerPicture):
    """A rank."""

    rank: int
    owner: str | None = None
    mine: bool = False
    fixed: bool = False
    """A player of ours."""
    won: int = 0
    drawn: int = 0
    lost: int = 0
    rating: RatingPicture | None = None


class Chances(PlayerPicture):
    """A bot of the viewer's, and why it may not challenge whom; an empty sentence means that it may."""

    rank: int | None = None
    why_not: dict[str, str] = {}  # noqa: RUF012
    why_not_messages: dict[str, dict[str, Any]] = {}  # noqa: RUF012


class LadderRules(Picture):
    """The numbers in the rules of a ladder."""

    reach: int = REACH
    pairs: int = PAIRS
    clock: str = CLOCK
    most_a_day: int = MOST_A_DAY


class LadderPicture(Picture):
    """A ladder."""

    game: str
    rules: LadderRules = LadderRules()
    lines: list[LadderLine]
    mine: list[Chances] = []  # noqa: RUF012
    challenges: list[ChallengeLine] = []  # noqa: RUF012


class Bots:
    """The bots of the arena, and their ladders."""

    def __init__(
        self, store: BotStore, challenges: Challenges, names: Callable[[Iterable[str | None]], dict[str, str]]
    ) -> None:
        self.store = store
        self.challenges = challenges
        self._names = names

    # Handing in

    def hand_in(self, account: Account, taken: Taken, name: str | None) -> tuple[StoredBot, BotVersion]:
        """Keep a bot with its first version; a bot of one's own that has the name gets another version."""
        called = read_name(_called(name, taken), (*players(), *opponents(taken.game)))
        found = self.store.named(taken.game, called)
        if found is None:
            found = self.store.add(account.id, taken.game, called)
        elif found.owner != account.id:
            raise UserError("web.bot_name_taken", name=called, game=taken.game)
        return found, self.add_version(found, taken)

    def add_version(self, bot: StoredBot, taken: Taken) -> BotVersion:
        """Keep another version."""
        if taken.game != bot.game:
            raise UserError("web.other_game", bot=bot.name, game=bot.game, other=taken.game)
        return self.store.add_version(bot.id, taken.files, taken.protocol, taken.language)

    def end_check(self, version: BotVersion, job: Job | None) -> BotVersion:
        """Write down that a check came to nothing, where its job did; give the version as it is."""
        if version.state not in (WAITING, CHECKING) or _goes_on(job, version.created):
            return version
        now = self.store.version(version.bot, version.number)
        assert now is not None
        if now.state in (WAITING, CHECKING):
            why = (job and job.failure) or Message("web.check_unfinished")
            report = {"findings": [Finding(REJECT, why).json]}
            self.store.change_version(version.bot, version.number, state=FAILED, report=report)
            now.state, now.report = FAILED, report
        return now

    # Challenges

    def ladder(self, game: str) -> ChallengeLadder:
        """Return a ladder as it stands."""
        return ChallengeLadder(fixed_points(game), self.challenges.entries(game), self.challenges.meetings(game))

    def opponent(self, game: str, text: str, account: Account | None) -> tuple[str, int | None]:
        """Return a player's text and version by its text or its name, where this person may play against it."""
        if text in opponents(game) or text in fixed_points(game):
            return text, None
        number = number_of(text)
        bot = self.store.named(game, text) if number is None else self.store.find(number)
        version = self.store.playing(bot.id) if bot and bot.name else None
        if bot is None or bot.name is None or bot.game != game or not self.may_play(bot, account):
            raise UserError("web.no_such_player", player=repr(text), game=game)
        if version is None:
            raise UserError("web.bot_not_checked", bot=bot.name)
        return bot.text, version

    @staticmethod
    def may_play(bot: StoredBot, account: Account | None) -> bool:
        """Tell whether a person may play against a bot."""
        return bot.public or (account is not None and bot.owner == account.id)

    def challenge(self, account: Account, bot: StoredBot, defender: str, *, rated: bool) -> Challenge:
        """Open a challenge, where the rules allow it."""
        version = self.store.playing(bot.id)
        if version is None:
            raise NotAllowed("web.no_checked_version")
        text, theirs = self.opponent(bot.game, defender, account)
        if text == bot.text:
            raise NotAllowed("web.challenges_itself")
        if rated:
            now = datetime.now(UTC)
            made = self.challenges.since(bot.id, day_before(now))
            if why := self.ladder(bot.game).why_not(bot.text, text, now, made):
                raise NotAllowed(why)
        try:
            both = ((bot.id, version), (text, theirs))
            return self.challenges.add(bot.game, *both, rated=rated, pairs=PAIRS, clock=CLOCK)
        except ValueError as error:
            raise NotAllowed(message_of(error)) from None

    def open_challenge(self, bot: StoredBot) -> Challenge | None:
        """Return the challenge that a bot has made and that is not over."""
        made = (one for one in self.challenges.of(bot.id) if one.state == OPEN and one.challenger_id == bot.id)
        return next(made, None)

    def end_challenge(self, challenge: Challenge, job: Job | None) -> Challenge:
        """Close a challenge whose job came to nothing; give it as it is."""
        if challenge.state == OPEN and not _goes_on(job, challenge.created):
            self.challenges.finish(challenge.id, None, (job and job.failure) or Message("web.challenge_unfinished"))
        found = self.challenges.find(challenge.id)
        assert found is not None
        return found

    # What is shown

    def line(self, bot: StoredBot, account: Account | None, rank: int | None = None) -> BotLine:
        """Show a bot in a list."""
        return BotLine(**self._line(bot, account, rank))

    def _line(self, bot: StoredBot, account: Account | None, rank: int | None) -> dict[str, Any]:
        versions = self.store.versions(bot.id)
        mine = account is not None and bot.owner == account.id
        owner = owner_of_account(bot.owner) if bot.owner is not None else None
        return {
            "id": bot.id,
            "player": bot.text,
            "name": bot.name,
            "game": bot.game,
            "owner": self._names([owner]).get(owner or ""),
            "mine": mine,
            "public": bot.public,
            "entered": bot.entered is not None,
            "version": next((one.number for one in versions if one.state == PASSED), None),
            "newest": versions[0].number if versions else None,
            "state": versions[0].state if versions else None,
            "rank": rank,
        }

    def picture(self, bot: StoredBot, account: Account | None, *, teaches: bool) -> BotPicture:
        """Show a bot's page to its owner, to someone who teaches, or to anybody."""
        mine = account is not None and bot.owner == account.id
        ladder = self.ladder(bot.game) if bot.entered else None
        line = self._line(bot, account, ladder.rank(bot.text) if ladder else None)
        challenges = self.challenges.of(bot.id, MOST_SHOWN)
        admin = account is not None and account.role == "admin"
        sees = (["checks"] if mine or teaches else []) + (["logs", "change"] if mine else [])
        sees += ["remove"] if mine or admin else []
        rating = self.challenges.ratings(bot.game).get(identity(bot.text, line["version"] or 0))
        return BotPicture(
            **line,
            versions=[version_line(one) for one in self.store.versions(bot.id)] if mine or teaches else [],
            challenges=self.lines(challenges),
            history=list(_history(bot, challenges)),
            rating=_rating(rating),
            sees=sees,
        )

    def lines(self, challenges: list[Challenge]) -> list[ChallengeLine]:
        """Show challenges in a list."""
        called = self._names([text for one in challenges for text in (one.challenger, one.defender)])
        return [ChallengeLine(**self._challenge(one, called)) for one in challenges]

    def _challenge(self, one: Challenge, called: dict[str, str]) -> dict[str, Any]:
        games = self.challenges.games(one.id)
        points = sum(played.points for played in games)
        return {
            "id": one.id,
            "game": one.game,
            "challenger": PlayerPicture(player=one.challenger, name=called.get(one.challenger)),
            "defender": PlayerPicture(player=one.defender, name=called.get(one.defender)),
            "rated": one.rated,
            "state": one.state,
            "score": (points, len(games) - points) if games else None,
            "ranks": (one.change or {}).get("ranks"),
            "created": one.created,
        }

    def challenge_picture(self, one: Challenge, job: Job | None, account: Account | None) -> ChallengePicture:
        """Show a challenge."""
        both = {"challenger": one.challenger, "defender": one.defender}
        ratings = (one.change or {}).get("ratings", {})
        versions = {one.challenger: one.challenger_version, one.defender: one.defender_version}
        rated = {text: _rating(ratings.get(identity(text, version))) for text, version in versions.items()}
        progress = (job.progress if job and one.state == OPEN else None) or {}
        return ChallengePicture(
            **self._challenge(one, self._names(both.values())),
            pairs=one.pairs,
            clock=one.clock,
            versions=(one.challenger_version, one.defender_version),
            games=[
                GamePlayed(
                    board=played.board,
                    seats=played.seats,
                    match=played.match,
                    points=played.points,
                    margin=played.margin,
                    reason=played.reason,
                    fault=played.fault,
                    fault_message=played.fault_message,
                    moves=played.moves,
                    used=(round(played.used_challenger, 3), round(played.used_defender, 3)),
                )
                for played in self.challenges.games(one.id)
            ],
            playing=progress.get("match"),
            moves=progress.get("moves", 0),
            error=one.error,
            message=one.message,
            ratings={text: rating for text, rating in rated.items() if rating},
            logs=[role for role, text in both.items() if self.owns(account, text)],
        )

    def owns(self, account: Account | None, text: str) -> bool:
        """Tell whether a player is a bot of this person's."""
        number = number_of(text)
        bot = self.store.find(number) if number is not None else None
        return bot is not None and account is not None and bot.owner == account.id

    def ladder_picture(self, game: str, account: Account | None) -> LadderPicture:
        """Show a ladder."""
        ladder, ratings = self.ladder(game), self.challenges.ratings(game)
        called = self._names(ladder.order)
        owners = {name: owner_of_account(entry.owner) for name, entry in ladder.entries.items() if entry.owner}
        people = self._names(owners.values())
        lines = []
        for line in ladder.lines():
            fixed = line.name in ladder.points
            entry = ladder.entries.get(line.name)
            lines.append(
                LadderLine(
                    player=line.name,
                    name=called.get(line.name),
                    rank=line.rank,
                    owner=people.get(owners.get(line.name, "")),
                    mine=bool(account and entry and entry.owner == account.id),
                    fixed=fixed,
                    won=line.won,
                    drawn=line.drawn,
                    lost=line.lost,
                    rating=_fixed(ladder.points[line.name])
                    if fixed
                    else _rating(ratings.get(identity(line.name, entry.version if entry else 0))),
                )
            )
        mine = [self._chances(ladder, bot) for bot in self._mine(game, account)]
        return LadderPicture(game=game, lines=lines, mine=mine, challenges=self.lines(self.challenges.of_game(game)))

    def _mine(self, game: str, account: Account | None) -> list[StoredBot]:
        bots = self.store.of(account.id) if account else []
        return [bot for bot in bots if bot.game == game and self.store.playing(bot.id) is not None]

    def _chances(self, ladder: ChallengeLadder, bot: StoredBot) -> Chances:
        now = datetime.now(UTC)
        made = self.challenges.since(bot.id, day_before(now))
        why_not = {other: ladder.why_not(bot.text, other, now, made) for other in ladder.order if other != bot.text}
        return Chances(
            player=bot.text,
            name=bot.name,
            rank=ladder.rank(bot.text),
            why_not={other: str(why or "") for other, why in why_not.items()},
            why_not_messages={other: why.json for other, why in why_not.items() if why},
        )

    def tops(self, games: Iterable[str], most: int = 3) -> list[LadderPicture]:
        """Show the foremost of people's bots on each ladder, where there are any."""
        shown = [self.ladder_picture(game, None) for game in games if self.challenges.entries(game)]
        bots = {one.game: [line for line in one.lines if not line.fixed] for one in shown}
        return [LadderPicture(game=game, lines=lines[:most]) for game, lines in bots.items() if lines]


def _called(name: str | None, taken: Taken) -> str:
    """Return what a bot is to be called: what its sender says, or else what it is called by itself."""
    if name and name.strip():
        return name
    if taken.name is None or len(taken.name) > LONGEST_NAME or ":" in taken.name:
        raise FieldMissing("name", Message("web.name_the_bot"))
    return taken.name


def _goes_on(job: Job | None, created: datetime) -> bool:
    """Tell whether something comes of a job yet: it is not over, or not even written down."""
    return not job.over if job else datetime.now(UTC) - created < timedelta(minutes=1)


def _fixed(elo: float) -> RatingPicture:
    return RatingPicture(elo=elo, low=elo, high=elo, games=0)


def _rating(numbers: list[float] | None) -> RatingPicture | None:
    if numbers is None:
        return None
    elo, low, high, games = numbers
    return RatingPicture(elo=elo, low=low, high=high, games=int(games))


def _history(bot: StoredBot, challenges: list[Challenge]) -> Iterable[Moment]:
    """Return the ratings of a bot after each of its rated challenges, the first one first."""
    for one in reversed(challenges):
        if one.state != DONE or one.change is None or one.finished is None:
            continue
        version = one.challenger_version if one.challenger == bot.text else one.defender_version or 0
        if rating := _rating(one.change["ratings"].get(identity(bot.text, version))):
            yield Moment(at=one.finished, version=version, rating=rating)


def version_line(version: BotVersion) -> VersionLine:
    """Show a version in a list."""
    return VersionLine(**_version(version))


def _version(version: BotVersion) -> dict[str, Any]:
    verdict = verdict_of(finding["verdict"] for finding in (version.report or {}).get("findings", []))
    return {
        "number": version.number,
        "state": version.state,
        "protocol": version.protocol,
        "language": version.language,
        "created": version.created,
        "faults": verdict.problems,
        "warnings": verdict.notes,
    }


def version_picture(version: BotVersion, *, logs: bool) -> VersionPicture:
    """Show what a check found; what the bot and its compiler said only with `logs`."""
    report = version.report or {}
    kept = [finding if logs else finding | {"log": ""} for finding in report.get("findings", [])]
    return VersionPicture(
        **_version(version),
        clock=report.get("clock"),
        games=report.get("games", 0),
        slowest=report.get("slowest"),
        findings=[FindingPicture(**finding) for finding in kept],
        histogram=[
            StepCount(low=step["from"], high=step["to"], moves=step["moves"]) for step in report.get("histogram", [])
        ],
        log=version.log if logs else "",
    )
