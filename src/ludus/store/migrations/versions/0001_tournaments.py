"""Tournaments, games, and the log."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "tournament",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("config", sa.JSON, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "game",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), nullable=False, index=True),
        sa.Column("pairing", sa.Text, nullable=False),
        sa.Column("board", sa.Integer, nullable=False),
        sa.Column("seats", sa.Integer, nullable=False),
        sa.Column("first", sa.Text, nullable=False),
        sa.Column("second", sa.Text, nullable=False),
        sa.Column("winner", sa.Integer),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("fault", sa.Text, nullable=False),
        sa.Column("margin", sa.Integer, nullable=False),
        sa.Column("moves", sa.Integer, nullable=False),
        sa.Column("used_first", sa.Float, nullable=False),
        sa.Column("used_second", sa.Float, nullable=False),
        sa.Column("left_first", sa.Float),
        sa.Column("left_second", sa.Float),
        sa.Column("version_first", sa.Text, nullable=False),
        sa.Column("version_second", sa.Text, nullable=False),
        sa.Column("stalled", sa.Float, nullable=False),
        sa.Column("replays", sa.Integer, nullable=False),
        sa.Column("log_first", sa.Text, nullable=False),
        sa.Column("log_second", sa.Text, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("seed", sa.Integer, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("finished", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("tournament_id", "pairing", "board", "seats"),
    )
    op.create_table(
        "log",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), nullable=False, index=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("detail", sa.JSON, nullable=False),
    )
