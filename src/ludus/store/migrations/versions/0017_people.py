"""What people keep: their games in a list, ratings from games against each other, profiles."""

import json

import sqlalchemy as sa
from alembic import op

from ludus.store.matches import StoredMatch
from ludus.store.played import entries

revision = "0017"
down_revision = "0016"
AT_ONCE = 500
NO = sa.false()


def upgrade() -> None:
    """Make the tables, and list the games that there are."""
    op.add_column("match", sa.Column("rated", sa.Boolean, nullable=False, server_default=NO))
    op.add_column("match", sa.Column("listed", sa.Boolean, nullable=False, server_default=NO))
    op.add_column("match", sa.Column("offer", sa.Text))
    played = op.create_table(
        "played",
        sa.Column("match_id", sa.Text, primary_key=True),
        sa.Column("side", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("opponent", sa.Text, nullable=False),
        sa.Column("opponent_owner", sa.Text, index=True),
        sa.Column("result", sa.Text, nullable=False),
        sa.Column("moves", sa.Integer, nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("public", sa.Boolean, nullable=False),
        sa.Column("touched", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_played_owner_touched", "played", ["owner", "touched"])
    op.create_table(
        "person_rating",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("account.id", ondelete="CASCADE"), nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("match_id", sa.Text, nullable=False),
        sa.Column("opponent_id", sa.Integer, nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("points", sa.Float, nullable=False),
        sa.Column("elo", sa.Float, nullable=False),
        sa.Column("low", sa.Float, nullable=False),
        sa.Column("high", sa.Float, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.UniqueConstraint("account_id", "match_id"),
    )
    op.create_index("ix_person_rating_account_game", "person_rating", ["account_id", "game"])
    op.create_table(
        "profile",
        sa.Column(
            "account_id",
            sa.Integer,
            sa.ForeignKey("account.id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("public", sa.Boolean, nullable=False),
        sa.Column("shows", sa.Text, nullable=False),
    )
    _list_games(played)


def _list_games(played: sa.Table) -> None:
    """Enter the games that are stored into the lists of those who played them."""
    match = sa.table(
        "match", *map(sa.column, ("id", "game", "record", "finished")), sa.column("owners", sa.JSON),
        sa.column("touched", sa.DateTime(timezone=True)),
    )  # fmt: skip
    bind, last = op.get_bind(), ""
    while rows := bind.execute(sa.select(match).where(match.c.id > last).order_by(match.c.id).limit(AT_ONCE)).all():
        last = rows[-1].id
        found = [
            {**entry._asdict(), "touched": row.touched}
            for row in rows
            for entry in entries(
                StoredMatch(row.id, row.game, row.record, _owners(row.owners), 1, None, bool(row.finished))
            )
        ]
        if found:
            bind.execute(played.insert(), found)


def _owners(stored: object) -> list[str | None]:
    """Return the owners of a match, which one database gives as text and another as data."""
    found = json.loads(stored) if isinstance(stored, str) else stored
    return list(found) if isinstance(found, list) and len(found) == 2 else [None, None]
