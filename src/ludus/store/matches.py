"""The matches of the web arena: one row each, written after every move, so that a restart loses no game.

Knows records as texts only, and nothing about permissions.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Collection, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import JSON, Text, cast, delete, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from ludus.moments import steady
from ludus.store import GameRow, Model, Store, TournamentRow
from ludus.store.accounts import is_account, on_delete, on_export, owner_of_account
from ludus.store.person_ratings import settle
from ludus.store.played import enter, forget_matches, rename_owner

LEDGER_NAME = re.compile("g-[0-9a-z]{10}")
BOARD_NAME = re.compile("t-[0-9a-z]{4}[A-Za-z0-9_-]{6}")
AT_ONCE = 500
"""Matches that are removed in one statement."""
MOST_TOURNAMENTS = 16
"""Tournaments of which the names of boards are kept."""
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class MatchRow(Model):
    """A match as it stands."""

    __tablename__ = "match"
    id: Mapped[str] = mapped_column(primary_key=True)
    game: Mapped[str]
    record: Mapped[str]
    owners: Mapped[list[str | None]] = mapped_column(JSON)
    version: Mapped[int]
    rematch: Mapped[str | None]
    finished: Mapped[bool]
    referee: Mapped[str | None]
    guest: Mapped[str | None] = mapped_column(index=True)
    rated: Mapped[bool]
    listed: Mapped[bool]
    offer: Mapped[str | None]
    touched: Mapped[datetime] = mapped_column(index=True)


class StoredMatch(NamedTuple):
    """A match as it is stored."""

    id: str
    game: str
    record: str
    owners: list[str | None]
    """Of the two seats: the account, or the hash of a guest's secret; None for a built-in player, for a seat still
    free, and for a person who has left."""
    version: int
    """How often it has changed."""
    rematch: str | None
    finished: bool
    referee: str | None = None
    """The challenge, or the job of a tournament, that plays it; None where the server itself does."""
    guest: str | None = None
    """The guest that it counts for; None for a match with an account in it, or of a referee."""
    rated: bool = False
    """Whether its result counts for the ratings of the two people who play it."""
    listed: bool = False
    """Whether its open seat was offered in the lobby."""
    offer: str | None = None
    """What one person has offered the other and is not answered yet, as `LiveMatch` writes it."""


class BoardNames:
    """The games of tournaments by the names of their boards, which are hashes: each game is looked at once.

    Anybody may ask for any name. To look through all games each time would delay those who store their moves.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[tuple[int, datetime] | None, dict[str, int]]] = {}
        """By tournament, the last asked for at the end: the last game that was looked at, and the games by name."""

    def find(self, session: Session, name: str) -> StoredMatch | None:
        """Return the game of a tournament that has been played on a board, under its name in the ledger."""
        tournament = int(name[2:6], 36)
        last, games = self._known.pop(tournament, (None, {}))
        theirs = (GameRow.tournament_id == tournament,)
        ends = select(GameRow.id, GameRow.finished).where(*theirs)
        if last is not None and session.execute(ends.where(GameRow.id == last[0])).one_or_none() != last:
            last, games = None, {}  # games were taken back, and their numbers may be those of others by now
        place = (GameRow.pairing, GameRow.board, GameRow.seats)
        new = select(GameRow.id, GameRow.finished, *place).where(*theirs, GameRow.id > (last[0] if last else 0))
        for number, finished, pairing, board, seats in session.execute(new.order_by(GameRow.id)):
            games[board_name(tournament, pairing, board, seats)] = number
            last = (number, finished)
        if last is not None:
            self._known[tournament] = (last, games)
        while len(self._known) > MOST_TOURNAMENTS:
            del self._known[next(iter(self._known))]
        row = session.execute(ends.where(GameRow.id == games.get(name))).one_or_none()
        return _of_ledger(session, ledger_name(row[0], row[1])) if row else None


class Matches(Store):
    """A database of matches."""

    def __init__(self, where: Path | str) -> None:
        super().__init__(where)
        self._boards = BoardNames()

    def save(self, match: StoredMatch) -> None:
        """Store a match; an older version never overwrites a newer one."""
        with self.session.begin() as session:
            row = session.get(MatchRow, match.id)
            if row is None:
                session.add(MatchRow(**match._asdict(), touched=steady()))
            elif row.version <= match.version:
                for name, value in match._asdict().items():
                    setattr(row, name, value)
                row.touched = steady()
            else:
                return
            enter(session, match)
            settle(session, match)

    def remove(self, name: str) -> None:
        """Delete a match."""
        with self.session.begin() as session:
            _delete(session, [name])

    def load(self, name: str) -> StoredMatch | None:
        """Return a match by its name; the games of tournaments have names as well, one of a board leads to its game."""
        with self.session() as session:
            if BOARD_NAME.fullmatch(name) and (found := self._boards.find(session, name)):
                return found
            if LEDGER_NAME.fullmatch(name) and (found := _of_ledger(session, name)):
                return found
            row = session.get(MatchRow, name)
            return _stored(row) if row else None

    def unfinished(self, most: int) -> list[StoredMatch]:
        """Return the matches that the server itself continues, the last changed first."""
        ours = (MatchRow.finished.is_(False), MatchRow.referee.is_(None))
        wanted = select(MatchRow).where(*ours).order_by(MatchRow.touched.desc()).limit(most)
        return list(map(_stored, self.rows(wanted)))

    def adopt(self, before: str, after: str) -> None:
        """Move everything of one owner to another."""
        with self.session.begin() as session:
            for row in _rows_of(session, before):
                row.owners = [after if owner == before else owner for owner in row.owners]
            rename_owner(session, before, after)
            if is_account(after):
                session.execute(update(MatchRow).where(MatchRow.guest == before).values(guest=None))

    def prune(self, oldest: datetime, most: int, keep: Collection[str] = ()) -> list[str]:
        """Remove guests' matches untouched since a moment, and the longest untouched beyond a number; return which.

        Those named in `keep` stay.
        """
        with self.session.begin() as session:
            theirs = select(MatchRow.id).where(MatchRow.guest.is_not(None))
            old = session.scalars(theirs.where(MatchRow.touched < oldest)).all()
            beyond = session.scalars(theirs.order_by(MatchRow.touched.desc(), MatchRow.id).offset(most)).all()
            return _delete(session, {*old, *beyond}.difference(keep))

    def trim(self, guest: str, most: int, keep: Collection[str] = ()) -> list[str]:
        """Remove a guest's longest untouched matches beyond a number, and return which; those in `keep` stay."""
        with self.session.begin() as session:
            theirs = select(MatchRow.id).where(MatchRow.guest == guest)
            beyond = session.scalars(theirs.order_by(MatchRow.touched.desc(), MatchRow.id).offset(most)).all()
            return _delete(session, set(beyond).difference(keep))


def _delete(session: Session, names: Collection[str]) -> list[str]:
    """Remove matches by their names, not too many in one statement."""
    gone = sorted(names)
    for first in range(0, len(gone), AT_ONCE):
        names = gone[first : first + AT_ONCE]
        session.execute(delete(MatchRow).where(MatchRow.id.in_(names)))
        forget_matches(session, names)
    return gone


def _rows_of(session: Session, owner: str) -> Iterable[MatchRow]:
    """Return the matches of an owner, the newest first."""
    mentioned = cast(MatchRow.owners, Text).contains(f'"{owner}"', autoescape=True)
    return session.scalars(select(MatchRow).where(mentioned).order_by(MatchRow.touched.desc()))


@on_delete
def _unlink(session: Session, account: int) -> None:
    """Remove a deleted account from its matches, which stay for the other player."""
    owner = owner_of_account(account)
    for row in _rows_of(session, owner):
        row.owners = [None if one == owner else one for one in row.owners]
    rename_owner(session, owner, None)


@on_export
def _export(session: Session, account: int) -> dict[str, Any]:
    """Return the matches of an account."""
    owner = owner_of_account(account)
    found = [
        {**row.exported("id", "game", "rated", "record"), "seats": [one == owner for one in row.owners]}
        for row in _rows_of(session, owner)
    ]
    return {"matches": found}


def _stored(row: MatchRow) -> StoredMatch:
    return StoredMatch(*(getattr(row, name) for name in StoredMatch._fields))


def ledger_name(game: int, finished: datetime) -> str:
    """Return the name under which a game of the ledger can be looked at like any match.

    A number is given again when the last game is taken back, so that the time belongs to the name.
    """
    moment = int(finished.timestamp() * 1000)
    return f"g-{_digits(game)}{_digits(moment)}"


def board_name(tournament: int, pairing: str, board: int, seats: int) -> str:
    """Return the name under which a game of a tournament can be looked at from its first move on."""
    digest = hashlib.sha256(f"{tournament} {pairing} {board} {seats}".encode()).digest()
    return f"t-{_digits(tournament, 4)}{base64.urlsafe_b64encode(digest)[:6].decode()}"


def _digits(number: int, count: int = 5) -> str:
    """Return the last digits of a number in base 36."""
    return "".join(DIGITS[number // 36**place % 36] for place in range(count - 1, -1, -1))


def _of_ledger(session: Session, name: str) -> StoredMatch | None:
    wanted = select(GameRow.record, TournamentRow.config, GameRow.finished).join(TournamentRow)
    number = int(name[2:7], 36)
    row = session.execute(wanted.where(GameRow.id == number)).one_or_none()
    if row is None or ledger_name(number, row[2]) != name:
        return None
    return StoredMatch(name, row[1]["game"], row[0], [None, None], 1, None, True)
