"""The challenges of the web arena's ladders: who played whom, under what terms, every game, and the new ratings.

Knows the terms and the results; the rules of the ladder are in `ludus.rating.challenge_ladder`, and its list
is derived from what is kept here each time.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, UniqueConstraint, func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, Session, mapped_column

from ludus.errors import UserError
from ludus.messages import Message
from ludus.moments import after
from ludus.rating.challenge_ladder import LadderEntry, Meeting, identity
from ludus.store import Model, Store
from ludus.store.bots import PASSED, PREFIX, BotVersion, StoredBot, number_of

OPEN, DONE, FAILED = "open", "done", "failed"
LONGEST_LOG = 64_000
"""Of what a bot wrote on standard error in a game."""


class Challenge(Model):
    """A challenge as it stands."""

    __tablename__ = "challenge"
    id: Mapped[str] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(index=True)
    challenger_id: Mapped[int] = mapped_column(ForeignKey("bot.id"), index=True)
    challenger_version: Mapped[int]
    defender: Mapped[str] = mapped_column(index=True)
    """The text of a player: a bot, or a built-in player."""
    defender_version: Mapped[int | None]
    rated: Mapped[bool]
    pairs: Mapped[int]
    clock: Mapped[str]
    seed: Mapped[int] = mapped_column(BigInteger)
    state: Mapped[str]
    job: Mapped[str | None]
    open_of: Mapped[int | None] = mapped_column(unique=True)
    """The challenger while it is open: a bot has one open challenge at a time."""
    change: Mapped[dict[str, Any] | None]
    """What it changed on the ladder: ranks before and after, and the ratings of both after it."""
    error: Mapped[str | None]
    message: Mapped[Any] = mapped_column(JSON(none_as_null=True))
    """The error as data; old rows have none."""
    created: Mapped[datetime]
    finished: Mapped[datetime | None]

    @property
    def challenger(self) -> str:
        """The challenger as a player's text."""
        return f"{PREFIX}{self.challenger_id}"


class ChallengeGame(Model):
    """A game of a challenge; the bots' logs are read apart."""

    __tablename__ = "challenge_game"
    __table_args__ = (UniqueConstraint("challenge_id", "board", "seats"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    challenge_id: Mapped[str] = mapped_column(ForeignKey("challenge.id"), index=True)
    board: Mapped[int]
    seats: Mapped[int]
    """0 when the challenger moved first."""
    match: Mapped[str]
    """Where it can be looked at."""
    points: Mapped[float]
    """The challenger's: 1, 0.5 or 0."""
    margin: Mapped[int]
    reason: Mapped[str]
    fault: Mapped[str]
    fault_message: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """The fault as `Message.json` gives it; games stored by older versions have none."""
    moves: Mapped[int]
    used_challenger: Mapped[float]
    used_defender: Mapped[float]
    log_challenger: Mapped[str] = mapped_column(deferred=True)
    """What a bot wrote on standard error: for its owner only."""
    log_defender: Mapped[str] = mapped_column(deferred=True)


class Challenges(Store):
    """A database of challenges."""

    def add(
        self,
        game: str,
        challenger: tuple[int, int],
        defender: tuple[str, int | None],
        *,
        rated: bool,
        pairs: int,
        clock: str,
    ) -> Challenge:
        """Open a challenge between two bots with their versions; its seed is drawn before the first game."""
        row = Challenge(
            id=secrets.token_urlsafe(9),
            game=game,
            challenger_id=challenger[0],
            challenger_version=challenger[1],
            defender=defender[0],
            defender_version=defender[1],
            rated=rated,
            pairs=pairs,
            clock=clock,
            seed=secrets.randbits(31),
            state=OPEN,
            open_of=challenger[0],
            created=datetime.now(UTC),
        )
        try:
            with self.session.begin() as session:
                session.add(row)
                session.flush()
                session.refresh(row)
                return row
        except IntegrityError:
            raise UserError("store.challenge_open") from None

    def set_job(self, name: str, job: str) -> None:
        """Store which job plays a challenge."""
        self.set_values(Challenge, name, job=job)

    def find(self, name: str) -> Challenge | None:
        """Return a challenge by its name."""
        return self.get(Challenge, name)

    def of(self, bot: int, most: int = 100) -> list[Challenge]:
        """Return the challenges of a bot, as challenger or defender, the newest first."""
        theirs = or_(Challenge.challenger_id == bot, Challenge.defender == f"{PREFIX}{bot}")
        return self.rows(select(Challenge).where(theirs).order_by(Challenge.created.desc()).limit(most))

    def of_game(self, game: str, most: int = 20) -> list[Challenge]:
        """Return the challenges of a game, the newest first."""
        wanted = select(Challenge).where(Challenge.game == game).order_by(Challenge.created.desc())
        return self.rows(wanted.limit(most))

    def between(self, bot: int, first: datetime, last: datetime) -> int:
        """Return how many rated challenges a bot has made between two moments."""
        theirs = (Challenge.challenger_id == bot, Challenge.rated.is_(True), Challenge.state != FAILED)
        made = select(func.count()).select_from(Challenge).where(*theirs, Challenge.created.between(first, last))
        return self.row(made) or 0

    def add_game(self, name: str, played: ChallengeGame, logs: tuple[str, str]) -> None:
        """Store a game once, with the logs of challenger and defender; nothing of a removed bot is stored."""
        try:
            with self.session.begin() as session:
                found = session.get_one(Challenge, name)
                both = (found.challenger_id, number_of(found.defender))
                rows = [session.get(StoredBot, number) if number is not None else None for number in both]
                played.challenge_id = name
                played.log_challenger, played.log_defender = (
                    log.replace("\0", "")[-LONGEST_LOG:] if row is not None and row.name is not None else ""
                    for log, row in zip(logs, rows, strict=True)
                )
                session.add(played)
        except IntegrityError:
            return  # it was stored before a restart

    def games(self, name: str) -> list[ChallengeGame]:
        """Return the games of a challenge in their order."""
        wanted = select(ChallengeGame).where(ChallengeGame.challenge_id == name)
        return self.rows(wanted.order_by(ChallengeGame.board, ChallengeGame.seats))

    def log(self, name: str, board: int, seats: int, *, defender: bool) -> str | None:
        """Return what one of the two wrote on standard error in a game; None when there is no such game."""
        column = ChallengeGame.log_defender if defender else ChallengeGame.log_challenger
        of_game = (ChallengeGame.board == board, ChallengeGame.seats == seats)
        return self.row(select(column).where(ChallengeGame.challenge_id == name, *of_game))

    def finish(self, name: str, change: dict[str, Any] | None, error: Message | None = None) -> None:
        """End a challenge; one that is over stays as it is."""
        with self.session.begin() as session:
            row = session.get_one(Challenge, name)
            if row.state == OPEN:
                row.state = FAILED if error else DONE
                row.change = change
                row.error, row.message = (str(error), error.json) if error else (None, None)
                last = session.scalar(select(func.max(Challenge.finished)).where(Challenge.game == row.game))
                row.open_of, row.finished = None, after(last)  # the ladder depends on the order

    def entries(self, game: str) -> list[LadderEntry]:
        """Return the bots on a ladder in the order in which they joined, those that have left too."""
        version = select(BotVersion.number).where(BotVersion.bot == StoredBot.id, BotVersion.state == PASSED)
        newest = version.order_by(BotVersion.number.desc()).limit(1).scalar_subquery()
        wanted = select(StoredBot, newest).where(StoredBot.game == game, StoredBot.entered.is_not(None))
        with self.session() as session:
            rows = session.execute(wanted.order_by(StoredBot.entered, StoredBot.id))
            return [LadderEntry(bot.text, bot.owner, number or 0, bot.name is None) for bot, number in rows.all()]

    def meetings(self, game: str) -> list[Meeting]:
        """Return the rated challenges that are over, in the order in which they ended."""
        over = (Challenge.game == game, Challenge.rated.is_(True), Challenge.state == DONE)
        wanted = select(Challenge, ChallengeGame).join(ChallengeGame).where(*over)
        ordered = wanted.order_by(Challenge.finished, Challenge.id, ChallengeGame.board)
        found: dict[str, Meeting] = {}
        with self.session() as session:
            for row, played in session.execute(ordered):
                if row.id not in found:
                    both = (row.challenger, row.challenger_version, row.defender, row.defender_version)
                    found[row.id] = Meeting(*both, (row.finished or row.created), [])
                meeting = found[row.id]
                meeting.games.append((played.seats, played.points))
                found[row.id] = meeting._replace(margin=meeting.margin + played.margin)
        return list(found.values())

    def ratings(self, game: str) -> dict[str, list[float]]:
        """Return the rating of each version after the last rated challenge that it took part in.

        All ratings are fitted together, so that a challenge says something about others too. They are shown it when
        they play again: nobody's rating moves without a game.
        """
        over = (Challenge.game == game, Challenge.rated.is_(True), Challenge.state == DONE)
        wanted = select(Challenge).where(*over).order_by(Challenge.finished, Challenge.id)
        found: dict[str, list[float]] = {}
        for row in self.rows(wanted):
            after = (row.change or {}).get("ratings", {})
            both = (identity(row.challenger, row.challenger_version), identity(row.defender, row.defender_version))
            found.update({name: after[name] for name in both if name in after})
        return found


def forget_logs(session: Session, bot: int) -> None:
    """Remove the logs of a bot's games."""
    for column, theirs in (
        (ChallengeGame.log_challenger, Challenge.challenger_id == bot),
        (ChallengeGame.log_defender, Challenge.defender == f"{PREFIX}{bot}"),
    ):
        challenges = select(Challenge.id).where(theirs)
        session.execute(
            update(ChallengeGame).where(ChallengeGame.challenge_id.in_(challenges)).values({column.key: ""})
        )
