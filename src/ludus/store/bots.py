"""The bots that people upload to the web arena, with every version: files, build log and what the check found.

Everything is in the database, the files too, so that a backup is complete and several machines can share it. Knows
the owner of a bot, and nothing about permissions. Runs no bot.
"""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ForeignKey, LargeBinary, Select, UniqueConstraint, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, Session, mapped_column

from ludus.bots.source import File, content, packed, unpacked
from ludus.display import is_deceptive
from ludus.errors import UserError
from ludus.moments import after
from ludus.store import Model, Store
from ludus.store.accounts import hold, on_delete, on_export

WAITING, CHECKING, PASSED, FAILED = "waiting", "checking", "passed", "failed"
MOST_BOTS = 20
"""Bots that one person may have."""
DAY = timedelta(days=1)
MOST_VERSIONS_A_DAY = 50
MOST_PACKED = 8 << 20
MOST_OWNED = 512 << 20
"""What all versions of one person's bots may have together, packed."""
"""Bytes of a version's files, as they are kept."""
LONGEST_LOG = 100_000
LONGEST_NAME = 32
PREFIX = "bot:"
"""A submitted bot as a player's text: this and its number."""


class StoredBot(Model):
    """A bot that was uploaded. After it is removed only its number and its games stay."""

    __tablename__ = "bot"
    __table_args__ = (UniqueConstraint("game", "key"), {"sqlite_autoincrement": True})
    id: Mapped[int] = mapped_column(primary_key=True)
    owner: Mapped[int | None] = mapped_column("owner_id", index=True)
    """The number of its owner's account; None when it was removed."""
    game: Mapped[str]
    name: Mapped[str | None]
    key: Mapped[str | None]
    """The name as it is compared: one bot of a game has it."""
    public: Mapped[bool]
    """Whether everybody may play against it."""
    created: Mapped[datetime]
    entered: Mapped[datetime | None]
    """When it joined the ladder."""

    @property
    def text(self) -> str:
        """The bot as a player's text."""
        return f"{PREFIX}{self.id}"


class BotVersion(Model):
    """A version of a bot."""

    __tablename__ = "bot_version"
    __table_args__ = (UniqueConstraint("bot_id", "number"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    bot: Mapped[int] = mapped_column("bot_id", ForeignKey("bot.id"), index=True)
    number: Mapped[int]
    content: Mapped[str]
    files: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)
    protocol: Mapped[str]
    language: Mapped[str]
    state: Mapped[str]
    job: Mapped[str | None]
    """The job that checks it."""
    log: Mapped[str]
    """What the compiler said."""
    report: Mapped[dict[str, Any] | None]
    """What the check found."""
    created: Mapped[datetime]
    paper: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)
    """Its report as PDF."""
    paper_of: Mapped[str | None]
    """What its report was made from."""


def number_of(text: str) -> int | None:
    """Return the number of the bot that a player's text names; None when it is no submitted bot."""
    number = text.removeprefix(PREFIX)
    is_bot = text.startswith(PREFIX) and number.isascii() and number.isdecimal() and len(number) < 10
    return int(number) if is_bot else None


def version_text(bot: int, version: int) -> str:
    """Return the text that names one version of a bot."""
    return f"{PREFIX}{bot}@{version}"


def version_of(text: str) -> tuple[int, int] | None:
    """Return the numbers of the bot and the version that a text names; None when it names none."""
    bot, _, version = text.partition("@")
    number = number_of(bot)
    return (number, int(version)) if number is not None and version.isdecimal() and len(version) < 10 else None


def read_name(text: str, taken: Iterable[str] = ()) -> str:
    """Return a bot's name as it is stored; raise UserError if it is not allowed. `taken` are names of other players."""
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable() or ":" in name:
        raise UserError("store.bot_name", most=LONGEST_NAME)
    if is_deceptive(name):
        raise UserError("store.name_deceptive")
    if _key(name) in {_key(other) for other in taken}:
        raise UserError("store.bot_name_of_player", name=name)
    return name


class BotStore(Store):
    """A database of bots."""

    def add(self, owner: int, game: str, name: str) -> StoredBot:
        """Add a bot that has no version yet."""
        try:
            with self.session.begin() as session:
                hold(session, owner)
                mine = session.scalar(select(func.count()).select_from(StoredBot).where(StoredBot.owner == owner))
                if (mine or 0) >= MOST_BOTS:
                    raise UserError("store.too_many_bots", most=MOST_BOTS)
                now = datetime.now(UTC)
                row = StoredBot(owner=owner, game=game, name=name, key=_key(name), public=False, created=now)
                session.add(row)
                session.flush()
                session.refresh(row)
                return row
        except IntegrityError:
            raise UserError("store.bot_name_taken", name=name, game=game) from None

    def add_version(self, bot: int, files: Mapping[str, File], protocol: str, language: str) -> BotVersion:
        """Store a new version; one that is the same as the last is refused."""
        data = zlib.compress(packed(files))
        if len(data) > MOST_PACKED:
            raise UserError("store.bot_too_large", megabytes=MOST_PACKED >> 20)
        now, hashed = datetime.now(UTC), content(files, protocol)
        with self.session.begin() as session:
            its = session.get_one(StoredBot, bot)
            hold(session, its.owner)
            rows = list(session.scalars(_versions(bot)))
            if rows and rows[0].content == hashed and rows[0].state != FAILED:
                raise UserError("store.version_unchanged", number=rows[0].number)
            if sum(now - DAY < row.created <= now for row in rows) >= MOST_VERSIONS_A_DAY:
                raise UserError("store.too_many_versions", most=MOST_VERSIONS_A_DAY)
            owned = select(func.sum(func.length(BotVersion.files))).join(StoredBot, StoredBot.id == BotVersion.bot)
            if (session.scalar(owned.where(StoredBot.owner == its.owner)) or 0) + len(data) > MOST_OWNED:
                raise UserError("store.bots_too_large", megabytes=MOST_OWNED >> 20)
            row = BotVersion(
                bot=bot,
                number=rows[0].number + 1 if rows else 1,
                content=hashed,
                files=data,
                protocol=protocol,
                language=language,
                state=WAITING,
                log="",
                created=now,
            )
            session.add(row)
            session.flush()
            session.refresh(row)
            return row

    def change_version(self, bot: int, number: int, **what: Any) -> None:
        """Change a version: its state, log, report and so on; nothing of a removed bot."""
        if "log" in what:
            what["log"] = what["log"].replace("\0", "")[:LONGEST_LOG]
        there = (BotVersion.bot == bot, BotVersion.number == number, BotVersion.files.is_not(None))
        self.execute(update(BotVersion).where(*there).values(**what))

    def files(self, bot: int, number: int) -> dict[str, File]:
        """Return the files of a version."""
        data = self.row(select(BotVersion.files).where(BotVersion.bot == bot, BotVersion.number == number))
        if data is None:
            raise UserError("store.bot_removed")
        return unpacked(zlib.decompress(data))

    def find(self, bot: int) -> StoredBot | None:
        """Return a bot by its number; one that was removed has no name."""
        return self.get(StoredBot, bot)

    def named(self, game: str, name: str) -> StoredBot | None:
        """Return a bot by its name."""
        return next(iter(self._bots(StoredBot.game == game, StoredBot.key == _key(name))), None)

    def of(self, owner: int) -> list[StoredBot]:
        """Return the bots of a person."""
        return self._bots(StoredBot.owner == owner)

    def all(self) -> list[StoredBot]:
        """Return all bots that were not removed."""
        return self._bots(StoredBot.name.is_not(None))

    def open_to_all(self, game: str) -> list[StoredBot]:
        """Return the bots of a game that everybody may play against."""
        return self._bots(StoredBot.game == game, StoredBot.public.is_(True))

    def _bots(self, *conditions: Any) -> list[StoredBot]:
        return self.rows(select(StoredBot).where(*conditions).order_by(StoredBot.id))

    def versions(self, bot: int) -> list[BotVersion]:
        """Return the versions of a bot, the newest first."""
        return self.rows(_versions(bot))

    def version(self, bot: int, number: int) -> BotVersion | None:
        """Return a version of a bot by its number."""
        return self.row(_versions(bot).where(BotVersion.number == number))

    def paper(self, bot: int, number: int) -> bytes | None:
        """Return the report of a version as PDF; None when it has none."""
        return self.row(select(BotVersion.paper).where(BotVersion.bot == bot, BotVersion.number == number))

    def playing(self, bot: int) -> int | None:
        """Return the number of the version that plays: the newest that passed its check."""
        return self.row(select(func.max(BotVersion.number)).where(BotVersion.bot == bot, BotVersion.state == PASSED))

    def names(self, texts: Iterable[str | None]) -> dict[str, str]:
        """Return the names of those players that are bots; removed bots have none."""
        numbers = [number for text in texts if text and (number := number_of(text)) is not None]
        if not numbers:
            return {}
        return {bot.text: bot.name for bot in self._bots(StoredBot.id.in_(numbers)) if bot.name is not None}

    def private(self, texts: Iterable[str]) -> list[StoredBot]:
        """Return those players that are bots and not open to all; removed bots are nobody's secret any longer."""
        numbers = {number for text in texts if (number := number_of(text)) is not None}
        chosen = (StoredBot.id.in_(numbers), StoredBot.public.is_(False), StoredBot.name.is_not(None))
        return self._bots(*chosen) if numbers else []

    def publish(self, bot: int, *, public: bool) -> None:
        """Make a bot public or private; a bot on the ladder stays public."""
        with self.session.begin() as session:
            row = session.get_one(StoredBot, bot)
            if row.entered is not None and not public:
                raise UserError("store.ladder_bot_is_open")
            row.public = public

    def enter(self, bot: int) -> None:
        """Add a bot to its game's ladder, if it is not on it."""
        with self.session.begin() as session:
            row = session.get_one(StoredBot, bot)
            row.public = True
            last = session.scalar(select(func.max(StoredBot.entered)).where(StoredBot.game == row.game))
            row.entered = row.entered or after(last)  # the ladder depends on the order

    def remove(self, bot: int) -> None:
        """Remove a bot: its name, files, logs and reports go, its games stay."""
        with self.session.begin() as session:
            _remove(session, bot)


def _remove(session: Session, bot: int) -> None:
    from ludus.store.challenges import forget_logs  # noqa: PLC0415 - it knows bots

    gone = {"owner": None, "name": None, "key": None, "public": False}
    session.execute(update(StoredBot).where(StoredBot.id == bot).values(**gone))
    emptied = {"files": None, "log": "", "report": None, "paper": None, "paper_of": None}
    session.execute(update(BotVersion).where(BotVersion.bot == bot).values(**emptied))
    forget_logs(session, bot)


@on_delete
def _forget(session: Session, account: int) -> None:
    """Remove the bots of a deleted account."""
    for bot in session.scalars(select(StoredBot.id).where(StoredBot.owner == account)).all():
        _remove(session, bot)


@on_export
def _export(session: Session, account: int) -> dict[str, Any]:
    """Return the bots of an account and their check reports; their files can be downloaded one by one."""
    found = []
    for row in session.scalars(select(StoredBot).where(StoredBot.owner == account)).all():
        versions = [one.exported("number", "state", "created", "report") for one in session.scalars(_versions(row.id))]
        found.append({**row.exported("id", "name", "game"), "versions": versions})
    return {"bots": found}


def _versions(bot: int) -> Select[BotVersion]:
    return select(BotVersion).where(BotVersion.bot == bot).order_by(BotVersion.number.desc())


def _key(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
