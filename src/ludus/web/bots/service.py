"""The bots of the server and their ladders: submit, check, challenge, and what each person sees of them.

Combines the database, the rules of the ladder and the jobs; knows no HTTP. What a bot wrote on standard error, and the
output of its compiler, is shown to its owner only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from ludus.check import REJECT, Finding
from ludus.errors import UserError, message_of
from ludus.messages import Message
from ludus.players import players
from ludus.rating.challenge_ladder import CLOCK, PAIRS, ChallengeLadder, day_before, fixed_points, identity
from ludus.store.accounts import Account, owner_of_account
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
from ludus.store.challenges import DONE, OPEN, Challenge, ChallengeGame, Challenges
from ludus.store.jobs import Job
from ludus.web.bots import views
from ludus.web.bots.submissions import FieldMissing, Upload
from ludus.web.matches.live import NotAllowed
from ludus.web.views import opponents

if TYPE_CHECKING:
    from ludus.web.accounts.visitors import Visitor

MOST_SHOWN = 50


class Bots:
    """All bots of this server, and their ladders."""

    def __init__(
        self, store: BotStore, challenges: Challenges, names: Callable[[Iterable[str | None]], dict[str, str]]
    ) -> None:
        self.store = store
        self.challenges = challenges
        self._names = names

    # Submitting

    def submit(self, account: Account, upload: Upload, name: str | None) -> tuple[StoredBot, BotVersion]:
        """Store a new bot with its first version, or another version of the person's bot with that name."""
        name = read_name(_name(name, upload), (*players(), *opponents(upload.game)))
        found = self.store.named(upload.game, name)
        if found is None:
            found = self.store.add(account.id, upload.game, name)
        elif found.owner != account.id:
            raise UserError("web.bot_name_taken", name=name, game=upload.game)
        return found, self.add_version(found, upload)

    def add_version(self, bot: StoredBot, upload: Upload) -> BotVersion:
        """Store another version of a bot."""
        if upload.game != bot.game:
            raise UserError("web.other_game", bot=bot.name, game=bot.game, other=upload.game)
        return self.store.add_version(bot.id, upload.files, upload.protocol, upload.language)

    def end_check(self, version: BotVersion, job: Job | None) -> BotVersion:
        """Mark a check as failed if its job is gone or has failed; return the current version."""
        if version.state not in (WAITING, CHECKING) or _is_active(job, version.created):
            return version
        now = self.store.version(version.bot, version.number)
        assert now is not None
        if now.state in (WAITING, CHECKING):
            why = (job and job.failure) or Message("web.check_unfinished")
            report = {"findings": [Finding(verdict=REJECT, message=why).model_dump(mode="json")]}
            self.store.change_version(version.bot, version.number, state=FAILED, report=report)
            now.state, now.report = FAILED, report
        return now

    # Challenges

    def ladder(self, game: str) -> ChallengeLadder:
        """Return the current ladder of a game."""
        return ChallengeLadder(fixed_points(game), self.challenges.entries(game), self.challenges.meetings(game))

    def opponent(self, game: str, text: str, account: Account | None) -> tuple[str, int | None]:
        """Return the text and version of a player by its text or its name; refuse one that this person may not play."""
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
        """Return whether a person may play against a bot."""
        return bot.public or (account is not None and bot.owner == account.id)

    def challenge(self, account: Account, bot: StoredBot, defender: str, *, rated: bool) -> Challenge:
        """Open a challenge, if the rules allow it."""
        version = self.store.playing(bot.id)
        if version is None:
            raise NotAllowed("web.no_checked_version")
        text, theirs = self.opponent(bot.game, defender, account)
        if text == bot.text:
            raise NotAllowed("web.challenges_itself")
        if rated:
            now = datetime.now(UTC)
            today = self.challenges.between(bot.id, day_before(now), now)
            if why := self.ladder(bot.game).why_not(bot.text, text, now, today):
                raise NotAllowed(why)
        try:
            both = ((bot.id, version), (text, theirs))
            return self.challenges.add(bot.game, *both, rated=rated, pairs=PAIRS, clock=CLOCK)
        except ValueError as error:
            raise NotAllowed(message_of(error)) from None

    def open_challenge(self, bot: StoredBot) -> Challenge | None:
        """Return the unfinished challenge that a bot has made."""
        own = (one for one in self.challenges.of(bot.id) if one.state == OPEN and one.challenger_id == bot.id)
        return next(own, None)

    def end_challenge(self, challenge: Challenge, job: Job | None) -> Challenge:
        """Close a challenge if its job is gone or has failed; return its current state."""
        if challenge.state == OPEN and not _is_active(job, challenge.created):
            self.challenges.finish(challenge.id, None, (job and job.failure) or Message("web.challenge_unfinished"))
        found = self.challenges.find(challenge.id)
        assert found is not None
        return found

    # Views

    def summary(self, bot: StoredBot, who: Visitor, rank: int | None = None) -> views.BotSummaryView:
        """Return a bot for a list."""
        versions = self.store.versions(bot.id)
        owner = owner_of_account(bot.owner) if bot.owner is not None else None
        return views.BotSummaryView(
            id=bot.id,
            player=bot.text,
            name=bot.name,
            game=bot.game,
            owner=self._names([owner]).get(owner or ""),
            mine=who.owns(bot.owner),
            public=bot.public,
            entered=bot.entered is not None,
            version=next((one.number for one in versions if one.state == PASSED), None),
            newest=versions[0].number if versions else None,
            state=versions[0].state if versions else None,
            rank=rank,
        )

    def view(self, bot: StoredBot, who: Visitor) -> views.BotView:
        """Return a bot for its page."""
        ladder = self.ladder(bot.game) if bot.entered else None
        summary = self.summary(bot, who, ladder.rank(bot.text) if ladder else None)
        challenges = self.challenges.of(bot.id, MOST_SHOWN)
        sees = (["checks"] if summary.mine or who.teaches else []) + (["logs", "change"] if summary.mine else [])
        sees += ["remove"] if summary.mine or who.role == "admin" else []
        return views.BotView(
            **dict(summary),
            versions=[views.version_summary(one) for one in self.store.versions(bot.id)] if "checks" in sees else [],
            challenges=self.summaries(challenges, who),
            history=list(_history(bot, challenges)),
            rating=views.rating_view(self.challenges.ratings(bot.game).get(identity(bot.text, summary.version or 0))),
            sees=sees,
        )

    def hidden(self, texts: Iterable[str], who: Visitor | None) -> set[str]:
        """Return those players whose games this person does not see: bots of others that are not public."""
        private = self.store.private(texts)
        return {bot.text for bot in private if who is None or not (who.owns(bot.owner) or who.teaches)}

    def summaries(self, challenges: list[Challenge], who: Visitor | None) -> list[views.ChallengeSummaryView]:
        """Return challenges for a list, those that this person may see."""
        hidden = self.hidden((text for one in challenges for text in (one.challenger, one.defender)), who)
        challenges = [one for one in challenges if not hidden & {one.challenger, one.defender}]
        names = self._names([text for one in challenges for text in (one.challenger, one.defender)])
        return [_challenge_summary(one, self.challenges.games(one.id), names) for one in challenges]

    def challenge_view(self, one: Challenge, job: Job | None, who: Visitor) -> views.ChallengeView:
        """Return a challenge for its page."""
        both = {"challenger": one.challenger, "defender": one.defender}
        ratings = (one.change or {}).get("ratings", {})
        versions = (one.challenger_version, one.defender_version)
        rated = {
            text: views.rating_view(ratings.get(identity(text, version)))
            for text, version in zip(both.values(), versions, strict=True)
        }
        progress = (job.progress if job and one.state == OPEN else None) or {}
        games = self.challenges.games(one.id)
        return views.ChallengeView.model_validate(
            {
                **one.values,
                **dict(_challenge_summary(one, games, self._names(both.values()))),
                "versions": versions,
                "games": [_game_view(game) for game in games],
                "playing": progress.get("match"),
                "moves": progress.get("moves", 0),
                "ratings": {text: rating for text, rating in rated.items() if rating},
                "logs": [role for role, text in both.items() if self.owns(who, text)],
            }
        )

    def owns(self, who: Visitor, text: str) -> bool:
        """Return whether a player is a bot of this person."""
        number = number_of(text)
        bot = self.store.find(number) if number is not None else None
        return bot is not None and who.owns(bot.owner)

    def ladder_view(self, game: str, who: Visitor | None) -> views.LadderView:
        """Return a ladder for its page, or without a visitor for a list."""
        ladder, ratings = self.ladder(game), self.challenges.ratings(game)
        owners = {name: owner_of_account(entry.owner) for name, entry in ladder.entries.items() if entry.owner}
        names = self._names([*ladder.order, *owners.values()])
        rows = []
        for line in ladder.lines():
            entry, elo = ladder.entries.get(line.name), ladder.points.get(line.name)
            rating = ratings.get(identity(line.name, entry.version if entry else 0)) if elo is None else [elo] * 3 + [0]
            row = views.LadderRowView(
                player=line.name,
                name=names.get(line.name),
                rank=line.rank,
                owner=names.get(owners.get(line.name, "")),
                mine=bool(who and entry and who.owns(entry.owner)),
                fixed=elo is not None,
                won=line.won,
                drawn=line.drawn,
                lost=line.lost,
                rating=views.rating_view(rating),
            )
            rows.append(row)
        own_bots = self.store.of(who.account.id) if who and who.account else []
        playing = [bot for bot in own_bots if bot.game == game and self.store.playing(bot.id) is not None]
        return views.LadderView(
            game=game,
            lines=rows,
            mine=[self._challenge_options(ladder, bot) for bot in playing],
            challenges=self.summaries(self.challenges.of_game(game), who),
        )

    def _challenge_options(self, ladder: ChallengeLadder, bot: StoredBot) -> views.ChallengeOptionsView:
        now = datetime.now(UTC)
        today = self.challenges.between(bot.id, day_before(now), now)
        why_not = {other: ladder.why_not(bot.text, other, now, today) for other in ladder.order if other != bot.text}
        return views.ChallengeOptionsView(
            player=bot.text,
            name=bot.name,
            rank=ladder.rank(bot.text),
            why_not={other: str(why or "") for other, why in why_not.items()},
            why_not_messages={other: why for other, why in why_not.items() if why},
        )

    def tops(self, games: Iterable[str], most: int = 3) -> list[views.LadderView]:
        """Return the highest ranked submitted bots of each ladder that has any."""
        ladders = [self.ladder_view(game, None) for game in games if self.challenges.entries(game)]
        bots = {one.game: [row for row in one.lines if not row.fixed] for one in ladders}
        return [views.LadderView(game=game, lines=rows[:most]) for game, rows in bots.items() if rows]


def _name(name: str | None, upload: Upload) -> str:
    """Return the name for a bot: the one that its sender has chosen, or else that of its files."""
    if name and name.strip():
        return name
    if upload.name is None or len(upload.name) > LONGEST_NAME or ":" in upload.name:
        raise FieldMissing("name", Message("web.name_the_bot"))
    return upload.name


def _is_active(job: Job | None, created: datetime) -> bool:
    """Return whether a job may still end well: it is unfinished, or it may not be stored yet."""
    return not job.over if job else abs(datetime.now(UTC) - created) < timedelta(minutes=1)


def _challenge_summary(one: Challenge, games: list[ChallengeGame], names: dict[str, str]) -> views.ChallengeSummaryView:
    points = sum(game.points for game in games)
    return views.ChallengeSummaryView.model_validate(
        {
            **one.values,
            "challenger": views.PlayerView(player=one.challenger, name=names.get(one.challenger)),
            "defender": views.PlayerView(player=one.defender, name=names.get(one.defender)),
            "score": (points, len(games) - points) if games else None,
            "ranks": (one.change or {}).get("ranks"),
        }
    )


def _game_view(game: ChallengeGame) -> views.ChallengeGameView:
    used = (round(game.used_challenger, 3), round(game.used_defender, 3))
    return views.ChallengeGameView.model_validate({**game.values, "used": used})


def _history(bot: StoredBot, challenges: list[Challenge]) -> Iterable[views.BotRatingPointView]:
    """Yield the rating of a bot after each of its rated challenges, the oldest first."""
    for one in reversed(challenges):
        if one.state != DONE or one.change is None or one.finished is None:
            continue
        version = one.challenger_version if one.challenger == bot.text else one.defender_version or 0
        if rating := views.rating_view(one.change["ratings"].get(identity(bot.text, version))):
            yield views.BotRatingPointView(at=one.finished, version=version, rating=rating)
