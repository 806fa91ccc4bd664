"""Bots of the web arena, their versions, challenges, and who referees a match."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "bot",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("owner_id", sa.Integer, index=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("key", sa.Text),
        sa.Column("public", sa.Boolean, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("entered", sa.DateTime(timezone=True)),
        sa.UniqueConstraint("game", "key"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "bot_version",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("bot_id", sa.Integer, sa.ForeignKey("bot.id"), nullable=False, index=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("files", sa.LargeBinary),
        sa.Column("protocol", sa.Text, nullable=False),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("job", sa.Text),
        sa.Column("log", sa.Text, nullable=False),
        sa.Column("report", sa.JSON),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("bot_id", "number"),
    )
    op.create_table(
        "challenge",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("game", sa.Text, nullable=False, index=True),
        sa.Column("challenger_id", sa.Integer, sa.ForeignKey("bot.id"), nullable=False, index=True),
        sa.Column("challenger_version", sa.Integer, nullable=False),
        sa.Column("defender", sa.Text, nullable=False, index=True),
        sa.Column("defender_version", sa.Integer),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("pairs", sa.Integer, nullable=False),
        sa.Column("clock", sa.Text, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("job", sa.Text),
        sa.Column("open_of", sa.Integer, unique=True),
        sa.Column("change", sa.JSON),
        sa.Column("error", sa.Text),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished", sa.DateTime(timezone=True)),
    )
    op.create_table(
        "challenge_game",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("challenge_id", sa.Text, sa.ForeignKey("challenge.id"), nullable=False, index=True),
        sa.Column("board", sa.Integer, nullable=False),
        sa.Column("seats", sa.Integer, nullable=False),
        sa.Column("match", sa.Text, nullable=False),
        sa.Column("points", sa.Float, nullable=False),
        sa.Column("margin", sa.Integer, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("fault", sa.Text, nullable=False),
        sa.Column("moves", sa.Integer, nullable=False),
        sa.Column("used_challenger", sa.Float, nullable=False),
        sa.Column("used_defender", sa.Float, nullable=False),
        sa.Column("log_challenger", sa.Text, nullable=False),
        sa.Column("log_defender", sa.Text, nullable=False),
        sa.UniqueConstraint("challenge_id", "board", "seats"),
    )
    op.add_column("match", sa.Column("referee", sa.Text))
