"""Ratings of people in each game, from rated games against each other: a row after each game, for both.

They follow the games as they end (`Online` of `ludus.rating.bradley_terry`), and every number has its interval. A game
is rated once, in the transaction that stores its end. Knows no rule about which games may be rated.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import ForeignKey, Select, UniqueConstraint, delete, func, or_, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from ludus.moments import after
from ludus.rating.bradley_terry import Online, Rating
from ludus.store import Model, Store
from ludus.store.accounts import is_account, on_delete, on_export
from ludus.store.played import DRAWN, OPEN, WON, entries

if TYPE_CHECKING:
    from ludus.store.matches import StoredMatch

MOST_POINTS = 500
"""Games of one person whose ratings are shown, the latest."""


class PersonRating(Model):
    """The rating of a person in a game, after one rated game."""

    __tablename__ = "person_rating"
    __table_args__ = (UniqueConstraint("account_id", "match_id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"))
    game: Mapped[str]
    match_id: Mapped[str]
    opponent_id: Mapped[int | None]
    """None once the opponent has deleted their account."""
    at: Mapped[datetime]
    points: Mapped[float]
    """The person's: 1, 0.5 or 0."""
    elo: Mapped[float]
    low: Mapped[float]
    high: Mapped[float]
    games: Mapped[int]
    """Rated games so far."""

    @property
    def rating(self) -> Rating:
        """The rating with its interval."""
        return Rating(self.elo, self.low, self.high, self.games)


class SeatRating(NamedTuple):
    """The Elo of a person who plays a rated game: what it is, and by how much the game has changed it."""

    elo: float
    change: float | None = None
    """None until the game is rated."""


def settle(session: Session, match: StoredMatch) -> None:
    """Rate the game of a match that is over and counts; one that was rated before stays as it was."""
    both = [int(owner[8:]) for owner in match.owners if owner is not None and is_account(owner)]
    if not match.rated or not match.finished or len({*both}) != 2:
        return
    result = entries(match)[0].result
    known = session.scalar(select(func.count()).select_from(PersonRating).where(PersonRating.match_id == match.id))
    if known or result == OPEN:
        return
    names = [str(number) for number in both]
    before = {name: row.rating for name in names if (row := _last(session, int(name), match.game)) is not None}
    ratings = Online(before)
    points = 1.0 if result == WON else 0.5 if result == DRAWN else 0.0
    ratings.add(names[0], names[1], points)
    last = session.scalar(select(func.max(PersonRating.at)).where(PersonRating.account_id.in_(both)))
    for side, number in enumerate(both):
        rating, mine = ratings[names[side]], points if side == 0 else 1.0 - points
        who = {"account_id": number, "opponent_id": both[1 - side], "game": match.game, "match_id": match.id}
        session.add(PersonRating(**who, **rating._asdict(), points=mine, at=after(last)))


def _rows(account: int) -> Select[PersonRating]:
    return select(PersonRating).where(PersonRating.account_id == account).order_by(PersonRating.id.desc())


def _last(session: Session, account: int, game: str) -> PersonRating | None:
    return session.scalars(_rows(account).where(PersonRating.game == game).limit(1)).one_or_none()


class PersonRatings(Store):
    """The ratings of all people."""

    def history(self, account: int) -> list[PersonRating]:
        """Return the ratings of a person after each rated game, the oldest first."""
        return self.rows(_rows(account).limit(MOST_POINTS))[::-1]

    def current(self, accounts: list[int], game: str) -> dict[int, Rating]:
        """Return the ratings of some people in a game."""
        chosen = (PersonRating.account_id.in_(accounts), PersonRating.game == game)
        newest = select(func.max(PersonRating.id)).where(*chosen).group_by(PersonRating.account_id)
        return {
            row.account_id: row.rating for row in self.rows(select(PersonRating).where(PersonRating.id.in_(newest)))
        }

    def beside(self, match: StoredMatch) -> list[SeatRating | None]:
        """Return the ratings of those who play a match, after it where it was rated; None for others than accounts."""
        return [self._beside(int(who[8:]), match) if who and is_account(who) else None for who in match.owners]

    def _beside(self, account: int, match: StoredMatch) -> SeatRating:
        mine = (PersonRating.account_id == account, PersonRating.game == match.game)
        end = select(PersonRating.id).where(*mine, PersonRating.match_id == match.id).scalar_subquery()
        until = or_(end.is_(None), PersonRating.id <= end)
        rows = self.rows(select(PersonRating).where(*mine, until).order_by(PersonRating.id.desc()).limit(2))
        *_, before = (Online()[""].elo, *(row.elo for row in rows[::-1] if row.match_id != match.id))
        rated = bool(rows) and rows[0].match_id == match.id
        return SeatRating(rows[0].elo, rows[0].elo - before) if rated else SeatRating(before)

    def met_today(self, one: int, other: int) -> int:
        """Return how many rated games two people have finished against each other in the last 24 hours."""
        since = datetime.now(UTC) - timedelta(days=1)
        both = (PersonRating.account_id == one, PersonRating.opponent_id == other, PersonRating.at > since)
        return self.row(select(func.count()).select_from(PersonRating).where(*both)) or 0


@on_delete
def _forget(session: Session, account: int) -> None:
    """Remove the ratings of a deleted account, and who it was from those of others."""
    session.execute(delete(PersonRating).where(PersonRating.account_id == account))
    session.execute(update(PersonRating).where(PersonRating.opponent_id == account).values(opponent_id=None))


@on_export
def _export(session: Session, account: int) -> dict[str, Any]:
    """Return the ratings of an account."""
    columns = ("game", "match_id", "points", "elo", "low", "high", "games", "at")
    return {"ratings": [row.exported(*columns) for row in session.scalars(_rows(account))]}
