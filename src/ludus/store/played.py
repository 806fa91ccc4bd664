"""The games of each person as a list to search: who played whom, how it ended, when it last changed.

Derived from the matches, and written with them in one transaction; a match has an entry for each person in it, and one
where a person plays both sides. Knows records by their headers only, and nothing about permissions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, case, delete, false, func, or_, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from ludus.moments import steady
from ludus.store import Model, Store
from ludus.store.accounts import AccountRow, is_account, owner_of_account
from ludus.store.bots import PREFIX, StoredBot

if TYPE_CHECKING:
    from ludus.store.matches import StoredMatch

OPEN, WON, DRAWN, LOST, BOTH = "open", "won", "drawn", "lost", "both"
"""How a game stands for a person: not over; won, drawn, lost; or over after the person played both sides."""
PAGE = 30
"""Games on one page of a list."""
MOST_SEARCHED = 200
"""People and bots whose names contain what is searched for."""
ENGINE = "engine:level="
_HEADER = re.compile(r'^\[(First|Second|Result) "([^"\\]*)"\]$', re.MULTILINE)
_MOVE = re.compile(r"^\d+\.+|[{][^}]*[}]", re.MULTILINE)


class Played(Model):
    """A game in the list of a person."""

    __tablename__ = "played"
    match_id: Mapped[str] = mapped_column(primary_key=True)
    side: Mapped[int] = mapped_column(primary_key=True)
    owner: Mapped[str]
    game: Mapped[str]
    opponent: Mapped[str]
    """The player text of the other seat."""
    opponent_owner: Mapped[str | None] = mapped_column(index=True)
    result: Mapped[str]
    moves: Mapped[int]
    rated: Mapped[bool]
    public: Mapped[bool]
    """Whether anybody could find it: rated, or from the lobby. The link of any other game is known to few."""
    touched: Mapped[datetime]


class Entry(NamedTuple):
    """What a match says about one person in it."""

    match_id: str
    side: int
    owner: str
    game: str
    opponent: str
    opponent_owner: str | None
    result: str
    moves: int
    rated: bool
    public: bool


class GameFilter(NamedTuple):
    """Which games of a person are looked for."""

    game: str | None = None
    result: str | None = None
    opponent: str | None = None
    """The kind of opponent: `engine`, `bot`, `person` or `self`; any for None."""
    name: str = ""
    """A part of the name of the person or the bot, or the number of an engine's level."""
    since: datetime | None = None
    until: datetime | None = None
    public: bool = False
    """Whether only games are listed that anybody could find."""


@dataclass(frozen=True)
class LevelScore:
    """Results against one level of the engine in one game."""

    game: str
    level: int
    won: int
    drawn: int
    lost: int


def entries(match: StoredMatch) -> list[Entry]:
    """Return the entries of a match: one for each person in it."""
    if match.referee is not None or not any(match.owners):
        return []
    head, _, body = match.record.partition("\n\n")
    said = dict(_HEADER.findall(head))
    texts = (said.get("First", "?"), said.get("Second", "?"))
    points = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}.get(said.get("Result", "*"))
    moves = max(0, len(_MOVE.sub(" ", body).split()) - 1)
    found = []
    for side, owner in enumerate(match.owners):
        other = match.owners[1 - side]
        if owner is None or (side == 1 and other == owner):
            continue
        mine = None if points is None else points if side == 0 else 1.0 - points
        result = BOTH if other == owner else LOST if mine == 0.0 else WON if mine == 1.0 else DRAWN
        open_seat = not match.finished or mine is None
        more = (match.rated, match.rated or match.listed)
        found.append(
            Entry(
                match.id, side, owner, match.game, texts[1 - side], other, OPEN if open_seat else result, moves, *more
            )
        )
    return found


def enter(session: Session, match: StoredMatch) -> None:
    """Write the entries of a match."""
    wanted = {entry.side: entry for entry in entries(match)}
    for row in session.scalars(select(Played).where(Played.match_id == match.id)).all():
        if (entry := wanted.pop(row.side, None)) is None:
            session.delete(row)
        else:
            for name, value in entry._asdict().items():
                setattr(row, name, value)
            row.touched = steady()
    session.add_all(Played(**entry._asdict(), touched=steady()) for entry in wanted.values())


def forget_matches(session: Session, names: Collection[str]) -> None:
    """Remove the entries of matches that are deleted."""
    session.execute(delete(Played).where(Played.match_id.in_(names)))


def rename_owner(session: Session, before: str, after: str | None) -> None:
    """Give the entries of an owner to another; None removes them, and who they were from the lists of others."""
    session.execute(update(Played).where(Played.opponent_owner == before).values(opponent_owner=after))
    if after is None:
        session.execute(delete(Played).where(Played.owner == before))
    else:
        session.execute(update(Played).where(Played.owner == before).values(owner=after))


class PlayedGames(Store):
    """The lists of games of all people."""

    def find(self, owner: str, wanted: GameFilter, page: int = 0) -> tuple[list[Played], int]:
        """Return a page of the games of a person, those with the latest moves first, and how many there are."""
        with self.session() as session:
            chosen = [Played.owner == owner, *self._conditions(session, wanted)]
            count = session.scalar(select(func.count()).select_from(Played).where(*chosen)) or 0
            ordered = select(Played).where(*chosen).order_by(Played.touched.desc(), Played.match_id)
            return list(session.scalars(ordered.offset(page * PAGE).limit(PAGE))), count

    def _conditions(self, session: Session, wanted: GameFilter) -> list[ColumnElement[bool]]:
        found: list[ColumnElement[bool]] = []
        for column, value in ((Played.game, wanted.game), (Played.result, wanted.result)):
            if value is not None:
                found.append(column == value)
        if wanted.opponent is not None:
            found.append(_of_kind(wanted.opponent))
        if wanted.since is not None:
            found.append(Played.touched >= wanted.since)
        if wanted.until is not None:
            found.append(Played.touched < wanted.until)
        if wanted.public:
            found.append(Played.public.is_(True))
        if name := wanted.name.strip().casefold():
            found.append(_named(session, name))
        return found

    def totals(self, owner: str, *, public: bool) -> dict[str, tuple[int, int, int]]:
        """Return how many games a person has won, drawn and lost against others, by game."""
        chosen = [Played.owner == owner, Played.result.in_((WON, DRAWN, LOST))]
        chosen += [Played.public.is_(True)] if public else []
        counts = [func.sum(case((Played.result == result, 1), else_=0)) for result in (WON, DRAWN, LOST)]
        with self.session() as session:
            rows = session.execute(select(Played.game, *counts).where(*chosen).group_by(Played.game))
            return {game: (int(won), int(drawn), int(lost)) for game, won, drawn, lost in rows}

    def against_levels(self, owner: str) -> list[LevelScore]:
        """Return the results of a person against each level of the engine, by game."""
        over = (Played.owner == owner, Played.opponent.startswith(ENGINE), Played.result.in_((WON, DRAWN, LOST)))
        wanted = select(Played.game, Played.opponent, Played.result, func.count()).where(*over)
        scores: dict[tuple[str, int], dict[str, int]] = {}
        with self.session() as session:
            for game, text, result, count in session.execute(
                wanted.group_by(Played.game, Played.opponent, Played.result)
            ):
                level = text.removeprefix(ENGINE)
                if level.isdecimal():
                    scores.setdefault((game, int(level)), {})[result] = count
        return [
            LevelScore(game, level, *(score.get(result, 0) for result in (WON, DRAWN, LOST)))
            for (game, level), score in sorted(scores.items())
        ]


def _of_kind(kind: str) -> ColumnElement[bool]:
    """Return the condition for a kind of opponent."""
    itself, bot = Played.opponent_owner == Played.owner, Played.opponent.startswith(PREFIX)
    match kind:
        case "self":
            return itself
        case "bot":
            return bot
        case "person":
            return and_(Played.opponent.in_(("human", "open")), or_(Played.opponent_owner.is_(None), ~itself))
    return and_(Played.opponent.not_in(("human", "open")), ~bot)


def _named(session: Session, name: str) -> ColumnElement[bool]:
    """Return the condition for opponents whose name contains a text, or engines of a level."""
    people = _owners(session.scalars(_like(select(AccountRow.id), AccountRow.key, name)))
    bots = [f"{PREFIX}{number}" for number in session.scalars(_like(select(StoredBot.id), StoredBot.key, name))]
    level = (
        Played.opponent == f"{ENGINE}{name}" if name.isdecimal() else Played.opponent.contains(name, autoescape=True)
    )
    return or_(
        Played.opponent_owner.in_(people) if people else false(),
        Played.opponent.in_(bots) if bots else false(),
        and_(Played.opponent_owner.is_(None), ~Played.opponent.startswith(PREFIX), level),
    )


def _like(wanted: Select[int], column: Any, name: str) -> Select[int]:
    return wanted.where(column.contains(name, autoescape=True)).limit(MOST_SEARCHED)


def _owners(numbers: Iterable[int]) -> Sequence[str]:
    return [owner_of_account(number) for number in numbers]


def people_in(rows: Iterable[Played]) -> list[str]:
    """Return the opponents of some games that may have a name: accounts and bots."""
    texts = [text for row in rows for text in (row.opponent_owner, row.opponent) if text is not None]
    return [text for text in texts if is_account(text) or text.startswith(PREFIX)]
